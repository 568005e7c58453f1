//! Carries actions out: pure, without I/O, clock or randomness.

use super::action::Action;
use super::block;
use super::clocks;
use super::layout::{Pane, areas};
use super::message::Effect;
use super::prompt::{Overlay, PromptKind};
use super::slide;
use super::state::{Selection, Sort, State, Tone};
use super::{evaluation, export, files, here, models};
use crate::chart::Curve;
use crate::gpu::Ceilings;
use crate::kernel::Problem;
use crate::occupancy::Rules;
use crate::predict::{MODELS, ModelId};
use crate::roofline::Level;
use ratatui::layout::Rect;
use tui_input::Input;

/// Puts a message into the footer.
pub(super) fn say(state: &mut State, tone: Tone, text: impl Into<String>) -> Vec<Effect> {
    state.message = Some((tone, text.into()));
    Vec::new()
}

/// Runs one action.
pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    state.message = None;
    match action {
        Action::Quit => return vec![Effect::Save(state.saved()), Effect::Quit],
        Action::Cancel => return cancel(state),
        Action::Export => return export::ask_path(state),
        Action::CopyRow => return copy(state, export::row_text(state), "row"),
        Action::CopyCommand => {
            return match export::command_line(state) {
                Ok(line) => copy(state, line, "command line"),
                Err(why) => say(state, Tone::Refused, why),
            };
        }
        Action::Undo => return undo(state),
        Action::SetSource | Action::SetTarget | Action::AddTarget if state.focus != Pane::Gpus => {
            return go_and_choose(state, action);
        }
        Action::SetSource | Action::SetTarget | Action::AddTarget | Action::Swap => choose_gpu(state, action),
        Action::AllSources => {
            let all_sources = !state.selection.all_sources;
            reselect(state, Selection { all_sources, ..state.selection.clone() });
        }
        Action::ModelNext | Action::ModelPrevious | Action::Ceilings | Action::Rules => {
            choose_settings(state, action)
        }
        Action::SizeUp => return step_size(state, true),
        Action::SizeDown => return step_size(state, false),
        Action::SizeFinerUp | Action::SizeFinerDown => {
            return slide::size(state, action == Action::SizeFinerUp);
        }
        Action::KernelNext => move_row(state, 1),
        Action::KernelPrevious => move_row(state, -1),
        Action::TypeSize => {
            let text = state.kernel().short_problem(&state.rows[state.selected].problem);
            state.overlay = Overlay::prompt(PromptKind::Size, text);
        }
        Action::TypeBlock => return block::ask(state),
        Action::TargetClocks | Action::SourceClocks => {
            return clocks::ask(state, action == Action::SourceClocks);
        }
        Action::Import => return files::open(state),
        Action::Filter => ask_filter(state),
        Action::SortNext => state.sort.0 = next_in(&Sort::ALL, state.sort.0, 1),
        Action::SortReverse => state.sort.1 = !state.sort.1,
        Action::Levels => state.levels = state.levels % Level::ALL.len() + 1,
        Action::Zoom => state.zoom = !state.zoom,
        Action::Theme => {
            state.themes.1 = (state.themes.1 + 1) % state.themes.0.len();
            state.remembered_theme = Some(state.theme().name.clone());
        }
        Action::Compare => state.overlay = Overlay::Compare(0),
        Action::Evaluate => return evaluation::start(state),
        Action::Models => return models::start(state),
        Action::Gemm => state.overlay = Overlay::Gemm(0),
        Action::MeasureHere => return here::ask(state),
        Action::Explain => state.overlay = Overlay::Explain(0),
        Action::Help => state.overlay = Overlay::Help(0),
        Action::Notices => state.overlay = Overlay::Notices(0),
        Action::Audit => state.overlay = Overlay::Audit(0),
        Action::Palette => state.overlay = Overlay::Palette { input: Input::default(), cursor: 0 },
        Action::Pick => return pick(state),
        Action::FocusNext => state.focus = next_in(&Pane::ALL, state.focus, 1),
        Action::FocusPrevious => state.focus = next_in(&Pane::ALL, state.focus, -1),
        Action::FocusGpus => state.focus = Pane::Gpus,
        Action::FocusRoofline => state.focus = Pane::Roofline,
        Action::FocusOccupancy => state.focus = Pane::Occupancy,
        Action::FocusPredictions => state.focus = Pane::Predictions,
        _ => navigate(state, action),
    }
    if matches!(action, Action::SortNext | Action::SortReverse) {
        state.arrange();
    }
    Vec::new()
}

/// Asks for the clipboard and says so.
fn copy(state: &mut State, text: String, what: &str) -> Vec<Effect> {
    say(state, Tone::Done, format!("{what} sent to the clipboard (OSC 52)"));
    vec![Effect::Copy(text)]
}

/// The neighbour of `now` in a ring.
fn next_in<T: Copy + PartialEq>(ring: &[T], now: T, by: isize) -> T {
    let at = ring.iter().position(|p| *p == now).unwrap_or(0) as isize;
    ring[(at + by).rem_euclid(ring.len() as isize) as usize]
}

/// Changes the selection, remembers what was, and predicts again.
pub(super) fn reselect(state: &mut State, selection: Selection) {
    if selection != state.selection {
        state.remember();
        state.selection = selection;
        state.predict_all();
    }
}

/// The keyboard goes to the GPUs, the cursor to the GPU that is to be changed.
fn go_and_choose(state: &mut State, action: Action) -> Vec<Effect> {
    let now = if action == Action::SetSource { state.selection.source } else { state.target() };
    (state.focus, state.zoom) = (Pane::Gpus, false);
    state.gpu_cursor = state.gpus.iter().position(|g| *g == now).unwrap_or(state.gpu_cursor);
    let key = state.keymap.key_of(action.id()).unwrap_or(":").to_string();
    say(state, Tone::Done, format!("move to a GPU (/ filters), then {key}"))
}

fn choose_gpu(state: &mut State, action: Action) {
    let mut next = state.selection.clone();
    if action == Action::Swap {
        std::mem::swap(&mut next.source, &mut next.targets[0]);
        let main = next.targets[0];
        next.targets.retain(|t| *t != main);
        next.targets.insert(0, main);
        return reselect(state, next);
    }
    let Some(under) = state.gpus.get(state.gpu_cursor).copied() else {
        say(state, Tone::Refused, "no GPU under the cursor: clear the filter (Esc in the GPU pane)");
        return;
    };
    match action {
        Action::SetSource => next.source = under,
        Action::SetTarget => {
            next.targets.retain(|t| *t != under);
            match next.targets.first_mut() {
                Some(main) if state.selection.targets[0] != under => *main = under,
                _ => next.targets.insert(0, under),
            }
        }
        // The main target stays; a further one comes or goes.
        _ if next.targets[0] == under => {
            say(state, Tone::Refused, "this GPU is the main target; add another one");
            return;
        }
        _ if next.targets.contains(&under) => next.targets.retain(|t| *t != under),
        _ => next.targets.push(under),
    }
    reselect(state, next);
}

fn choose_settings(state: &mut State, action: Action) {
    let mut next = state.selection.clone();
    let s = &mut next.settings;
    match action {
        Action::ModelNext | Action::ModelPrevious => {
            let by = if action == Action::ModelNext { 1 } else { MODELS.len() - 1 };
            s.model = ModelId::from_index((s.model.index() + by) % MODELS.len());
            state.model_chosen = true;
        }
        Action::Ceilings => {
            s.ceilings = if s.ceilings == Ceilings::Peak { Ceilings::Achieved } else { Ceilings::Peak };
        }
        _ => s.rules = if s.rules == Rules::Exact { Rules::Study } else { Rules::Exact },
    }
    reselect(state, next);
}

fn step_size(state: &mut State, up: bool) -> Vec<Effect> {
    let row = &state.rows[state.selected];
    match state.session.next_size(row.kernel, &row.variant, row.problem.volume(), up) {
        Some(size) => set_size(state, &size),
        None if up => say(state, Tone::Refused, "no larger size is known; n types one"),
        None => say(state, Tone::Refused, "no smaller size is known; n types one"),
    }
}

/// Puts the selected row at another size.
pub(super) fn set_size(state: &mut State, typed: &Problem) -> Vec<Effect> {
    let row = &state.rows[state.selected];
    match state.session.subject(row.kernel, typed, &row.variant) {
        Ok(subject) => {
            state.remember();
            state.rows[state.selected] = subject;
            state.predict_selected();
            Vec::new()
        }
        Err(e) => say(state, Tone::Refused, e.to_string()),
    }
}

fn undo(state: &mut State) -> Vec<Effect> {
    let Some(step) = state.undo.pop() else { return say(state, Tone::Refused, "nothing to undo") };
    state.selection = step.selection;
    state.rows[step.row] = step.subject;
    state.selected = step.row;
    state.predict_all();
    say(state, Tone::Done, "undone")
}

fn ask_filter(state: &mut State) {
    let (kind, text) = match state.focus {
        Pane::Gpus => (PromptKind::GpuFilter, state.gpu_filter.clone()),
        _ => (PromptKind::RowFilter, state.row_filter.clone()),
    };
    if kind == PromptKind::RowFilter {
        state.focus = Pane::Predictions;
    }
    state.overlay = Overlay::prompt(kind, text);
}

/// Esc with nothing open: cancel a job, clear a filter, leave the zoom.
fn cancel(state: &mut State) -> Vec<Effect> {
    if state.job.take().is_some() {
        state.message = Some((Tone::Done, "cancelled".into()));
        return vec![Effect::Cancel];
    }
    if state.focus == Pane::Gpus && !state.gpu_filter.is_empty() {
        state.gpu_filter.clear();
        state.arrange_gpus();
    } else if !state.row_filter.is_empty() {
        state.row_filter.clear();
        state.arrange();
    } else {
        state.zoom = false;
    }
    Vec::new()
}

fn pick(state: &mut State) -> Vec<Effect> {
    match state.focus {
        Pane::Gpus => choose_gpu(state, Action::SetTarget),
        Pane::Predictions => state.overlay = Overlay::Explain(0),
        Pane::Roofline | Pane::Occupancy => state.zoom = !state.zoom,
    }
    Vec::new()
}

/// Up, down and their larger brothers, in the pane with the keyboard.
fn navigate(state: &mut State, action: Action) {
    let page = page_height(state) as isize;
    let by = match action {
        Action::Up => -1,
        Action::Down => 1,
        Action::PageUp => -page,
        Action::PageDown => page,
        Action::Top => isize::MIN / 2,
        Action::Bottom => isize::MAX / 2,
        Action::Left | Action::Right => return sideways(state, action == Action::Right),
        _ => return,
    };
    match state.focus {
        Pane::Gpus => move_gpu(state, by),
        // Two pages hold it; single steps choose the kernel, as elsewhere.
        Pane::Occupancy if !matches!(action, Action::Up | Action::Down) => state.table_end = by > 0,
        _ => move_row(state, by),
    }
}

/// In the roofline: the read-out. In the zoomed occupancy: the curve. In the table: the sort column.
fn sideways(state: &mut State, right: bool) {
    let by = if right { 1 } else { -1 };
    match state.focus {
        Pane::Roofline => {
            let start = state.answer().work.intensity().map_or(0.0, |i| i.0.max(1e-3).log10());
            let next = state.readout.unwrap_or(start) + 0.05 * f64::from(by);
            state.readout = Some(next.clamp(-4.0, 6.0));
        }
        Pane::Predictions => {
            state.sort.0 = next_in(&Sort::ALL, state.sort.0, by as isize);
            state.arrange();
        }
        Pane::Occupancy if export::shows_curves(state) => {
            state.curve = next_in(&Curve::ALL, state.curve, by as isize);
        }
        Pane::Gpus | Pane::Occupancy => {}
    }
}

pub(super) fn move_gpu(state: &mut State, by: isize) {
    let last = state.gpus.len().saturating_sub(1) as isize;
    state.gpu_cursor = (state.gpu_cursor as isize).saturating_add(by).clamp(0, last) as usize;
}

pub(super) fn move_row(state: &mut State, by: isize) {
    let Some(last) = state.shown.len().checked_sub(1) else { return };
    let at = state.shown.iter().position(|r| *r == state.selected).unwrap_or(0) as isize;
    state.selected = state.shown[at.saturating_add(by).clamp(0, last as isize) as usize];
    state.readout = None;
}

/// Lines of a page in the pane with the keyboard.
fn page_height(state: &State) -> u16 {
    let area = screen_areas(state).of(state.focus);
    area.height.saturating_sub(if state.focus == Pane::Predictions { 3 } else { 2 }).max(1)
}

/// Where the panes lie now.
pub(super) fn screen_areas(state: &State) -> super::layout::Areas {
    areas(Rect::new(0, 0, state.size.0, state.size.1), state.zoomed())
}
