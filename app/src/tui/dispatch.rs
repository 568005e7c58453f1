//! Carries actions out: pure, without I/O, clock or randomness.

use super::action::Action;
use super::clipboard::{command_line, command_remark, copied_row};
use super::here::ask_measurement;
use super::layout::{DashboardView, Pane};
use super::message::Effect;
use super::order::{reverse_order, sort_next};
use super::pane::{ChartOffer, Reaction};
use super::panes::prompt::Prompt;
use super::panes::{main_panel, open_for, refusal_here};
use super::roof_settings::{show_next_levels, switch_roofs, switch_rules};
use super::selection::{Choosing, Selection, next_in_ring};
use super::slide::slide_size;
use super::state::{DashboardState, Tone};
use super::undo::undo_step;
use crate::answer::Settings;
use crate::gpu::GpuId;
use crate::kernel::Problem;
use crate::predict::{MODELS, ModelId};
use crate::rank::each_architecture;
use crate::text::harmless_line;

/// Runs one action on the panes.
pub(super) fn run_action(state: &mut DashboardState, action: Action) -> Vec<Effect> {
    state.message = None;
    if let Some(why) = refusal_here(action, state) {
        return state.say(Tone::Refused, why);
    }
    if let Some(effects) = open_for(action, state) {
        return effects;
    }
    match action {
        Action::Quit => leave_loop(state),
        Action::Suspend if !state.has_shell => {
            state.say(Tone::Refused, "no shell started roofswap: there is nothing to come back from")
        }
        Action::Suspend => vec![Effect::Suspend],
        Action::Cancel => cancel_something(state),
        Action::Export => export_pane(state, state.focus),
        Action::CopyRow | Action::CopyCommand => copy_shown(state, action, None),
        Action::Undo => undo_step(state),
        Action::SizeUp
        | Action::SizeDown
        | Action::SizeFinerUp
        | Action::SizeFinerDown
        | Action::KernelNext
        | Action::KernelPrevious => change_kernel(state, action),
        Action::MeasureHere => ask_measurement(state),
        Action::SetSource | Action::SetTarget | Action::AddTarget if !chooses_itself(state.focus, action) => {
            go_and_choose(state, action)
        }
        Action::ViewSwap => open_view(state, DashboardView::Swap),
        Action::ViewBoard => open_view(state, DashboardView::Board),
        Action::ViewWhatIf => open_view(state, DashboardView::WhatIf),
        Action::ViewApplication => open_view(state, DashboardView::Application),
        Action::ViewEvidence => open_view(state, DashboardView::Evidence),
        Action::Models => open_pane(state, Pane::Models),
        Action::Evaluate => open_pane(state, Pane::Errors),
        Action::Audit => open_pane(state, Pane::Audit),
        Action::Notices => open_pane(state, Pane::Notes),
        Action::EachArchitecture => show_each_architecture(state),
        Action::Levels => show_next_levels(state),
        Action::Ceilings => switch_roofs(state),
        Action::Rules => switch_rules(state),
        Action::AllSources => set_all_sources(state, !state.selection.all_sources),
        Action::ModelNext => choose_model(state, 1),
        Action::ModelPrevious => choose_model(state, MODELS.len() - 1),
        Action::Theme => switch_theme(state),
        Action::SortNext => sort_next(state),
        Action::SortReverse => reverse_order(state),
        Action::ScrollDown => scroll_text(state, Action::PageDown),
        Action::ScrollUp => scroll_text(state, Action::PageUp),
        _ => {
            if !change_selection(state, action) && !change_screen(state, action) {
                return run_in_pane(state, action);
            }
            Vec::new()
        }
    }
}

/// Whether the pane chooses such a GPU itself: elsewhere one is chosen in the list of GPUs.
fn chooses_itself(pane: Pane, action: Action) -> bool {
    match pane {
        Pane::Gpus | Pane::Ranking => true,
        Pane::Application => action == Action::SetSource,
        _ => false,
    }
}

/// Remembers the selection and leaves.
pub(super) fn leave_loop(state: &DashboardState) -> Vec<Effect> {
    vec![Effect::Save(state.saved()), Effect::Quit]
}

/// What the action means in the focused pane.
fn run_in_pane(state: &mut DashboardState, action: Action) -> Vec<Effect> {
    match main_panel(state.focus).handle_action(action, state) {
        Reaction::Passed => say_where_it_is(state, action),
        Reaction::Done(effects) | Reaction::Close(effects) => effects,
        Reaction::Run(other) => run_action(state, other),
        Reaction::Export(pane) => export_pane(state, pane),
    }
}

/// An action of the What if view does nothing in another one.
fn say_where_it_is(state: &mut DashboardState, action: Action) -> Vec<Effect> {
    let Some(what) = action.doc().strip_prefix("What if: ") else { return Vec::new() };
    let key = state.key_for(Action::ViewWhatIf);
    let text = format!("{}: only in the What if view, which {key} opens", what.trim_end_matches('.'));
    state.say(Tone::Refused, text)
}

/// Opens a view; its panes ask for what they show.
fn open_view(state: &mut DashboardState, view: DashboardView) -> Vec<Effect> {
    state.show_view(view);
    Vec::new()
}

/// On the board one GPU of each architecture, or all again; elsewhere one of each as further targets, or none again.
fn show_each_architecture(state: &mut DashboardState) -> Vec<Effect> {
    if state.view == DashboardView::Board {
        state.ranked.each_architecture = !state.ranked.each_architecture;
        let shown = if state.ranked.each_architecture { "one GPU of each architecture" } else { "all GPUs" };
        return state.say(Tone::Done, shown);
    }
    if state.view != DashboardView::Application {
        state.show_view(DashboardView::Swap);
    }
    let (main, one_each) = (state.target(), targets_of_each_architecture(state));
    let is_set = state.selection.targets == one_each;
    let targets = if is_set { vec![main] } else { one_each };
    let said = match is_set {
        true => "further targets dropped".to_string(),
        false => format!("{} targets, one of each architecture, newest first", targets.len()),
    };
    state.reselect(Selection { targets, ..state.selection.clone() });
    state.say(Tone::Done, said)
}

/// The main target, and one GPU of every other architecture, the newest first.
fn targets_of_each_architecture(state: &DashboardState) -> Vec<GpuId> {
    let gpus = &state.session.gpus;
    let main = state.target();
    let others = each_architecture(gpus).into_iter().rev();
    let others = others.filter(|gpu| gpus[*gpu].architecture != gpus[main].architecture);
    std::iter::once(main).chain(others).collect()
}

/// Opens the view of a pane and focuses it.
fn open_pane(state: &mut DashboardState, pane: Pane) -> Vec<Effect> {
    state.zoom = false;
    state.focus_pane(pane);
    Vec::new()
}

/// What the open panes of the view ask for, where what they show answers another question.
pub(super) fn ask_open_panes(state: &mut DashboardState) -> Vec<Effect> {
    let areas = state.areas();
    // Of one that is folded only the title is seen: it asks once it is opened.
    let panes: Vec<Pane> =
        state.open_panes().into_iter().filter(|pane| areas.pane_area(*pane).height > 1).collect();
    panes.into_iter().flat_map(|pane| main_panel(pane).follow(state)).collect()
}

/// Scrolls the explanation, where it is open, whatever is focused; else pages in the focused pane.
fn scroll_text(state: &mut DashboardState, action: Action) -> Vec<Effect> {
    if state.shows_explanation() {
        let page = state.lines_of_pane(Pane::Explanation);
        state.explain_scroll.scroll_action(action, page);
        return Vec::new();
    }
    run_in_pane(state, action)
}

/// Asks where to export a pane's chart to.
pub(super) fn export_pane(state: &mut DashboardState, pane: Pane) -> Vec<Effect> {
    let offer = main_panel(pane).chart_offer(state);
    ask_export(state, offer)
}

/// What is asked of every row; whether the action was about that.
fn change_selection(state: &mut DashboardState, action: Action) -> bool {
    match action {
        Action::Swap => swap_gpus(state),
        _ => return false,
    }
    true
}

/// What of it is shown, and how; whether the action was about that.
fn change_screen(state: &mut DashboardState, action: Action) -> bool {
    match action {
        Action::Explain => state.toggle_explanation(),
        Action::Zoom => state.zoom = !state.zoom,
        Action::FocusNext => state.focus_pane(next_in_ring(&state.open_panes(), state.focus, 1)),
        Action::FocusPrevious => state.focus_pane(next_in_ring(&state.open_panes(), state.focus, -1)),
        _ => return false,
    }
    true
}

/// Asks where to export a chart to; says why where there is none.
pub(super) fn ask_export(state: &mut DashboardState, offer: ChartOffer) -> Vec<Effect> {
    match offer {
        ChartOffer::Nothing => state.say(Tone::Refused, "there is no chart here to export"),
        ChartOffer::Refused(why) => state.say(Tone::Refused, why),
        ChartOffer::Chart(name, spec) => {
            state.open_overlay(Prompt::export_to(offered_file_name(&name), spec))
        }
        ChartOffer::Page(name, page) => {
            state.open_overlay(Prompt::write_page_to(offered_file_name(&name), page))
        }
    }
}

/// The name of any chart or page without what folders and shells take for their own: ids of hypothetical GPUs have `?`, `%` and `/`. Signs stay: +15 % is not -15 %.
fn offered_file_name(name: &str) -> String {
    let safe =
        |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+') { c } else { '-' };
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, "svg"));
    let stem: String = stem.chars().map(safe).take(160).collect();
    format!("{stem}.{end}")
}

/// Copies the row or the command of the view, or of the sheet that the second action opened.
pub(super) fn copy_shown(state: &mut DashboardState, action: Action, sheet: Option<Action>) -> Vec<Effect> {
    match action {
        Action::CopyRow => copy_text(state, copied_row(state, sheet), |_| "row".into()),
        _ => {
            let effects = copy_text(state, command_line(state, sheet), |line| {
                let words: Vec<&str> = line.split(' ').take(2).collect();
                format!("command `{} …`", words.join(" "))
            });
            match command_remark(state, sheet).filter(|_| !effects.is_empty()) {
                Some(remark) => state.say_more(Tone::Done, &remark),
                None => Vec::new(),
            };
            effects
        }
    }
}

/// Asks for the clipboard and says so; or why there is nothing to copy.
fn copy_text(
    state: &mut DashboardState,
    text: Result<String, String>,
    what: impl Fn(&str) -> String,
) -> Vec<Effect> {
    match text {
        Ok(text) => {
            state.say(Tone::Done, format!("{} sent to the clipboard (OSC 52)", what(&text)));
            vec![Effect::Copy(text)]
        }
        Err(why) => state.say(Tone::Refused, why),
    }
}

/// The GPUs are focused, the cursor on the one that is to be changed; Enter chooses, also after a filter.
fn go_and_choose(state: &mut DashboardState, action: Action) -> Vec<Effect> {
    let now = if action == Action::SetSource { state.selection.source } else { state.target() };
    state.choosing = Some(Choosing { action, back: state.focus, zoomed: state.zoom });
    state.zoom = false;
    state.focus_pane(Pane::Gpus);
    state.gpu_cursor = state.gpus.iter().position(|g| *g == now).unwrap_or(state.gpu_cursor);
    Vec::new()
}

fn swap_gpus(state: &mut DashboardState) {
    let mut next = state.selection.clone();
    std::mem::swap(&mut next.source, &mut next.targets[0]);
    let main = next.targets[0];
    next.targets.retain(|t| *t != main);
    next.targets.insert(0, main);
    state.reselect(next);
}

/// Predicts from every GPU that timed a kernel, or from the source alone.
fn set_all_sources(state: &mut DashboardState, all_sources: bool) -> Vec<Effect> {
    state.reselect(Selection { all_sources, ..state.selection.clone() });
    let text = match all_sources {
        true => "sources: every GPU that timed the kernel".to_string(),
        false => format!("source: {} alone", state.session.gpus[state.selection.source].short_name()),
    };
    state.say(Tone::Done, text)
}

fn switch_theme(state: &mut DashboardState) -> Vec<Effect> {
    state.themes.1 = (state.themes.1 + 1) % state.themes.0.len();
    let name = state.theme().name.clone();
    state.remembered_theme = Some(name.clone());
    state.say(Tone::Done, format!("theme: {}", harmless_line(&name)))
}

/// The model this many places further in the ring.
fn choose_model(state: &mut DashboardState, by: usize) -> Vec<Effect> {
    let settings = state.selection.settings;
    state.model_chosen = true;
    let model = ModelId::from_index((settings.model.index() + by) % MODELS.len());
    state.reselect_settings(Settings { model, ..settings });
    state.say(Tone::Done, state.model_words())
}

/// Selects another kernel or size, which is said where it is not seen.
fn change_kernel(state: &mut DashboardState, action: Action) -> Vec<Effect> {
    let effects = match action {
        Action::SizeUp => step_size(state, true),
        Action::SizeDown => step_size(state, false),
        Action::SizeFinerUp => slide_size(state, true),
        Action::SizeFinerDown => slide_size(state, false),
        other => {
            state.step_kernel(if other == Action::KernelNext { 1 } else { -1 });
            Vec::new()
        }
    };
    state.say_unseen_kernel();
    effects
}

fn step_size(state: &mut DashboardState, up: bool) -> Vec<Effect> {
    let row = &state.rows[state.selected];
    let next: Option<Problem> = state.session.next_size(row.kernel, &row.variant, row.problem.volume(), up);
    let Some(size) = next else {
        let which = if up { "larger" } else { "smaller" };
        let text = format!("no {which} size is known; {} sets one", state.key_for(Action::TypeSize));
        return state.say(Tone::Refused, text);
    };
    state.set_size(&size)
}

/// Esc with nothing open: cancel the job on the screen, clear a filter, leave the zoom, the explanation. The view stays.
fn cancel_something(state: &mut DashboardState) -> Vec<Effect> {
    let shown = state.jobs.shown_job().filter(|job| job.is_cancellable());
    if let Some(effects) = shown.and_then(|job| state.cancel_newest(&[job])) {
        return effects;
    }
    if state.choosing.is_some() {
        state.end_choosing();
    } else if state.focus == Pane::Gpus && !state.gpu_filter.is_empty() {
        state.gpu_filter.clear();
        state.arrange_gpus();
    } else if state.focus == Pane::Ranking && !state.ranked.filter.is_empty() {
        state.ranked.filter.clear();
    } else if state.focus == Pane::Application && !state.application.filter.is_empty() {
        state.application.filter.clear();
        state.application.arrange_groups();
    } else if state.view == DashboardView::Swap && !state.row_filter.is_empty() {
        state.row_filter.clear();
        state.arrange();
    } else if state.zoom {
        state.zoom = false;
    } else if state.shows_explanation() {
        state.toggle_explanation();
    } else if state.view != DashboardView::Swap {
        let swap = state.key_for(Action::ViewSwap);
        return state.say(Tone::Done, format!("nothing to close in this view; {swap} opens Swap"));
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::offered_file_name;
    use crate::session::Session;
    use crate::tui::{DashboardOptions, first_state};

    #[test]
    fn the_name_of_a_file_keeps_the_sign_of_a_change() {
        let [more, less] = ["mem=+15%.svg", "mem=-15%.svg"].map(offered_file_name);
        assert_eq!([&*more, &*less], ["mem-+15-.svg", "mem--15-.svg"]);
    }

    #[test]
    fn the_name_of_a_chart_is_made_safe_and_keeps_its_dots() {
        let state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
        let name = offered_file_name(&state.chart_name("roofline-k<4>/sm_8.9"));
        assert_eq!(name, "roofline-k-4--sm_8.9-titan-v-rtx-4070.svg");
    }
}
