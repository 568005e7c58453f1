//! The Application view: a whole program, what its GPU did with its time, and what becomes of it on the targets.

pub mod asking;
pub mod findings;
mod group_list;
mod group_order;
mod idle_keys;
mod notes;
mod view;

use crate::application::{
    Application, ForecastBasis, application_chart, group_row, label_traced_kernels, launch_words, percent,
};
use crate::measurement::CanonicalRow;
use crate::text::harmless_line;
use crate::tui::action::Action;
use crate::tui::asked_about::ask_about;
use crate::tui::asked_workload::AskedAbout;
use crate::tui::layout::{DashboardView, Pane, page_start};
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{CellInside, ChartOffer, Hint, Panel, Reaction, lines_moved};
use crate::tui::selection::next_in_ring;
use crate::tui::state::{DashboardState, Tone};
use crate::units::range;
use asking::{ask_forecasts, ask_gpu};
use findings::GroupSort;
use idle_keys::idle_key;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;
use view::{draw_application, first_group_line, groups_shown};

/// The pane.
#[derive(Debug)]
pub struct ApplicationPane;

impl Panel<DashboardState> for ApplicationPane {
    fn key_context(&self) -> &'static str {
        Pane::Application.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        if action == Action::Pick {
            return match &state.application {
                found if found.application.is_none() => Reaction::Run(Action::Import),
                found if !found.can_be_asked() => Reaction::Done(ask_gpu(state)),
                _ => Reaction::Done(open_group(state)),
            };
        }
        let page = groups_shown(state, state.areas().pane_area(Pane::Application));
        match action {
            Action::SetSource => return Reaction::Done(ask_gpu(state)),
            Action::Left => sort_groups(state, -1),
            Action::Right => sort_groups(state, 1),
            other => match lines_moved(other, page) {
                Some(by) => move_cursor(state, by),
                None => return Reaction::Passed,
            },
        }
        Reaction::Done(Vec::new())
    }

    fn refusal(&self, action: Action, state: &DashboardState) -> Option<String> {
        idle_key(action, state)
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_application(buffer, area, state, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        let found = &state.application;
        match (&found.application, &found.forecasts) {
            (Some(application), Some(Ok(forecasts))) => {
                let chart = application_chart(&state.session, application, forecasts);
                ChartOffer::Chart("application.svg".into(), Box::new(chart))
            }
            (Some(_), Some(Err(why))) => ChartOffer::Refused(why.clone()),
            _ => ChartOffer::Refused("no application is predicted yet: there is no chart".into()),
        }
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        if state.application.application.is_none() {
            return vec![Hint { actions: &[Action::Pick], text: "open a trace" }];
        }
        if state.application.refusal().is_some() {
            return vec![
                Hint { actions: &[Action::Filter], text: "filter" },
                Hint { actions: &[Action::SortNext], text: "sort" },
                Hint { actions: &[Action::Import], text: "other trace" },
            ];
        }
        let pick = if state.application.can_be_asked() { "open in Swap" } else { "choose its GPU" };
        vec![
            Hint { actions: &[Action::Pick], text: pick },
            Hint { actions: &[Action::Filter], text: "filter" },
            Hint { actions: &[Action::SortNext], text: "sort" },
            Hint { actions: &[Action::Import], text: "other trace" },
            Hint { actions: &[Action::SetTarget], text: "target" },
            Hint { actions: &[Action::Palette], text: "range, device, host" },
            Hint { actions: &[Action::Export], text: "export" },
        ]
    }

    fn click(&mut self, at: CellInside, area: Rect, state: &mut DashboardState) {
        let found = &state.application;
        let shown = groups_shown(state, area);
        let Some(line) = at.line.checked_sub(first_group_line(state, area)).filter(|line| *line < shown)
        else {
            return;
        };
        let start = page_start(found.cursor_line(), shown, found.shown.len());
        state.application.cursor = found.shown.get(start + line).copied().unwrap_or(found.cursor);
    }

    fn follow(&mut self, state: &mut DashboardState) -> Vec<Effect> {
        ask_forecasts(state)
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        move_cursor(state, by);
    }
}

/// The group under the cursor as a line of text, with what becomes of it on the targets; `None` where there is none.
#[must_use]
pub fn group_line(state: &DashboardState) -> Option<String> {
    let found = &state.application;
    let application = found.application.as_ref()?;
    let group = found.group_under_cursor()?;
    let gpus = &state.session.gpus;
    let on = found.source.map_or_else(|| application.gpu_name.clone(), |gpu| gpus[gpu].id.clone());
    let words = [Some(group.label.clone()), group.operator_words(), launch_words(group)];
    let what = words.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let share = percent(100.0 * group.share);
    let recorded = format!("{} x {} = {}, {share}, on {on}", group.calls, group.mean(), group.total);
    let forecasts = found.forecasts.iter().flatten().flat_map(|all| all.iter());
    let others = forecasts.filter(|forecast| Some(forecast.target) != found.source);
    let on_others = others.filter_map(|forecast| {
        let time = forecast.groups.get(found.cursor)?.time;
        let id = &gpus[state.existing_gpu(forecast.target)].id;
        Some(format!("; {id} {} ({})", time.value, range(time.low, time.high)))
    });
    Some(harmless_line(&format!("{what}: {recorded}{}", on_others.collect::<String>())))
}

/// Why there is no group.
const NO_MATCH: &str = "no kernel matches the filter: Esc clears it";

/// Sorts by the next order, or one before.
pub fn sort_groups(state: &mut DashboardState, by: isize) {
    let (sort, is_reversed) = state.application.sort;
    state.application.sort = (next_in_ring(&GroupSort::ALL, sort, by), is_reversed);
    state.application.arrange_groups();
}

fn move_cursor(state: &mut DashboardState, by: isize) {
    let found = &mut state.application;
    let Some(last) = found.shown.len().checked_sub(1) else { return };
    found.cursor = found.shown[found.cursor_line().saturating_add_signed(by).min(last)];
}

/// Opens the group under the cursor in the Swap view: its row stands among the user's, measured on the program's GPU.
fn open_group(state: &mut DashboardState) -> Vec<Effect> {
    let found = &state.application;
    let Some(application) = found.application.clone() else { return Vec::new() };
    if let Some(why) = found.refusal() {
        return state.say(Tone::Refused, why);
    }
    let Some(source) = found.source else { return ask_gpu(state) };
    if found.group_under_cursor().is_none() {
        return state.say(Tone::Refused, NO_MATCH);
    }
    let place = found.cursor;
    let id = state.session.gpus[source].id.clone();
    let rests_on = forecast_basis(state, place);
    let Some(row) = group_row(&application, place, &id, rests_on) else {
        return state.say(
            Tone::Refused,
            "this group has no FLOP or byte counts: profile it with ncu, then import the report",
        );
    };
    let mut session = (*state.session).clone();
    let rows = rows_beside(&application, place, &id, &row);
    let added = match session.add_rows(&rows, &application.file) {
        Ok(added) => added,
        Err(why) => return state.say(Tone::Refused, why.to_string()),
    };
    let is_there = session.kernels.id_named(&row.kernel).is_some();
    if added.rows == 0 || !is_there {
        let why = added.refused.first().map_or("the row was refused".to_string(), ToString::to_string);
        return state.say(Tone::Refused, why);
    }
    label_traced_kernels(&mut session, &rows);
    session.arrange();
    let words = rows.iter().filter_map(|row| Some((row.kernel.clone(), words_of_row(&application, row)?)));
    state.application.group_words.extend(words);
    state.kept_rows.retain(|kept| !rows.contains(kept));
    state.kept_rows.extend(rows);
    state.take_session(Arc::new(session));
    ask_about(state, AskedAbout::Kernel);
    state.start_from(source);
    state.select_kernel(&row.kernel, Some(&row.problem));
    state.predict_all();
    state.show_view(DashboardView::Swap);
    let label = &application.groups[place].label;
    let as_operator = match rests_on {
        Some(ForecastBasis::Operator) => {
            format!(" as {} {}: a library runs another kernel on another GPU", row.kernel, row.problem)
        }
        _ => String::new(),
    };
    state.say(Tone::Done, format!("{label} added to your rows{as_operator}"))
}

/// This row last, and before it those of the other kernels of the program: their shortest times say what a launch costs on its host,
/// so the kernel has the time here that it has in the program.
fn rows_beside(application: &Application, place: usize, gpu: &str, row: &CanonicalRow) -> Vec<CanonicalRow> {
    let all = 0..application.groups.len();
    let own = all
        .filter_map(|at| group_row(application, at, gpu, None).filter(|other| at != place || other != row));
    own.chain([row.clone()]).collect()
}

/// What tells the group of this row apart from others of one kernel: operator and shapes, else the launch.
fn words_of_row(application: &Application, row: &CanonicalRow) -> Option<String> {
    let (_, place) = row.source.rsplit_once(": group ")?;
    let group = application.groups.get(place.parse::<usize>().ok()?.checked_sub(1)?)?;
    group.operator_words().or_else(|| launch_words(group)).map(|words| harmless_line(&words))
}

/// What the forecast of this group rests on for the target, where there is one.
fn forecast_basis(state: &DashboardState, place: usize) -> Option<ForecastBasis> {
    let forecasts = state.application.forecasts.as_ref()?.as_ref().ok()?;
    let of_target = forecasts.iter().find(|forecast| forecast.target == state.target())?;
    of_target.groups.get(place).map(|group| group.basis)
}
