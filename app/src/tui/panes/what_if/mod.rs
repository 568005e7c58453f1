//! The What if view: the numbers of the target GPU and of the launch as a list that is edited in place; beside it which numbers
//! matter, the time over two of them, or kept scenarios.

pub mod asked_kernel;
pub mod asking;
mod asking_lines;
pub mod editing;
pub mod findings;
mod launch_view;
mod lines;
mod list_view;
mod scenario_names;
mod scenarios;
mod side_by_side;
mod tornado_view;
pub mod typing;
mod view;
pub mod worker_question;

use crate::tui::action::Action;
use crate::tui::asked_about::ask_about_next;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{CellInside, ChartOffer, Hint, Panel, Reaction, lines_moved};
use crate::tui::state::{DashboardState, Tone};
use crate::whatif::{contour_chart, tornado_chart};
use asking::ask_what_if;
use asking_lines::{ask_goal, ask_gpu_id, ask_line, ask_scenario_name};
use editing::{LineStep, following_text, reset_all, reset_line, step_line};
use findings::WhatIfForm;
use lines::{WhatIfLine, line_under_cursor, move_cursor, what_if_lines};
use list_view::{first_list_line, line_at_row, lines_shown};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use scenarios::{drop_scenario, next_scenario, offer_page};
use view::{draw_what_if, forms_offered, hides_list, shown_form};

/// What needs the cursor of the list.
const OF_LIST: [Action; 14] = [
    Action::Left,
    Action::Right,
    Action::CoarseDown,
    Action::CoarseUp,
    Action::Pick,
    Action::ResetNumber,
    Action::Solve,
    Action::MarkNumber,
    Action::Up,
    Action::Down,
    Action::PageUp,
    Action::PageDown,
    Action::Top,
    Action::Bottom,
];

/// The pane.
#[derive(Debug)]
pub struct WhatIfPane;

impl Panel<DashboardState> for WhatIfPane {
    fn key_context(&self) -> &'static str {
        Pane::WhatIf.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        let step = |is_up, is_coarse| LineStep { is_up, is_coarse };
        let effects = match action {
            Action::Left => return step_line(state, step(false, false)),
            Action::Right => return step_line(state, step(true, false)),
            Action::CoarseDown => return step_line(state, step(false, true)),
            Action::CoarseUp => return step_line(state, step(true, true)),
            Action::Pick => ask_line(state),
            Action::ResetNumber => reset_line(state),
            Action::ResetAll => reset_all(state),
            Action::Solve => ask_goal(state),
            Action::MarkNumber => mark_number(state),
            Action::NextForm => show_next_form(state),
            Action::KeepScenario => ask_scenario_name(state),
            Action::NextScenario => next_scenario(state),
            Action::DropScenario => drop_scenario(state),
            Action::SaveGpu => ask_gpu_id(state),
            Action::NextWorkload => ask_about_next(state),
            other => match lines_moved(other, lines_shown(state)) {
                Some(by) => {
                    move_cursor(state, by);
                    Vec::new()
                }
                None => return Reaction::Passed,
            },
        };
        Reaction::Done(effects)
    }

    fn refusal(&self, action: Action, state: &DashboardState) -> Option<String> {
        let key = state.key_for(Action::NextForm);
        (hides_list(state) && OF_LIST.contains(&action))
            .then(|| format!("the list of numbers is hidden: {key} goes on to it"))
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_what_if(buffer, area, state, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        match shown_form(state) {
            WhatIfForm::List | WhatIfForm::Tornado => offer_tornado(state),
            WhatIfForm::Contour => offer_contour(state),
            WhatIfForm::Scenarios => offer_page(state),
        }
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        let mut hints = vec![
            Hint { actions: &[Action::Left, Action::Right], text: "step" },
            Hint { actions: &[Action::CoarseDown, Action::CoarseUp], text: "25 %" },
            Hint { actions: &[Action::Pick], text: "type" },
            Hint { actions: &[Action::ResetNumber], text: "reset" },
            Hint { actions: &[Action::Solve], text: "solve" },
            Hint { actions: &[Action::NextForm], text: next_form(state).1 },
            Hint { actions: &[Action::KeepScenario], text: "keep" },
            Hint { actions: &[Action::Undo], text: "undo" },
            Hint { actions: &[Action::ResetAll], text: "reset all" },
            Hint { actions: &[Action::MarkNumber], text: "mark" },
            Hint { actions: &[Action::SaveGpu], text: "save GPU" },
            Hint { actions: &[Action::NextWorkload], text: "kernel, mix, application" },
            Hint { actions: &[Action::Export], text: "export" },
        ];
        if !state.what_if.kept.is_empty() {
            hints.insert(7, Hint { actions: &[Action::NextScenario], text: "next scenario" });
            hints.insert(8, Hint { actions: &[Action::DropScenario], text: "drop one" });
        }
        hints
    }

    fn click(&mut self, at: CellInside, _: Rect, state: &mut DashboardState) {
        let Some(row) = at.line.checked_sub(first_list_line(state)) else { return };
        let lines = what_if_lines(state);
        let rows = lines_shown(state);
        let start = page_start(list_view::row_of_cursor(state), rows, list_view::row_count(&lines));
        if let (Some(line), true) = (line_at_row(&lines, start + row), row < rows) {
            state.what_if.cursor = line;
        }
    }

    fn follow(&mut self, state: &mut DashboardState) -> Vec<Effect> {
        ask_what_if(state)
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        move_cursor(state, by);
    }
}

/// The line under the cursor as text: `memory bandwidth 605 GB/s, +20 %, typed`.
#[must_use]
pub fn line_text(state: &DashboardState) -> String {
    list_view::line_text(state, line_under_cursor(state))
}

fn offer_tornado(state: &DashboardState) -> ChartOffer {
    if !state.is_what_if_asked() {
        return ChartOffer::Refused(NOT_ASKED.into());
    }
    match state.what_if.found.as_ref().map(|found| &found.answer) {
        Some(Ok(answer)) if answer.time.is_some() => {
            let name = state.asked_chart_name("tornado");
            ChartOffer::Chart(name, Box::new(tornado_chart(answer)))
        }
        Some(Ok(_)) => ChartOffer::Refused("no time is predicted: there is nothing to draw".into()),
        Some(Err(why)) => ChartOffer::Refused(why.clone()),
        None => ChartOffer::Refused(NOT_YET.into()),
    }
}

/// Why there is no chart of a question that the view was not opened for.
const NOT_ASKED: &str = "What if was not asked this question: open view 3 first";

/// Why there is no chart yet.
const NOT_YET: &str = "the numbers are still being predicted; try again in a moment";

fn offer_contour(state: &DashboardState) -> ChartOffer {
    if state.what_if.marked.len() == 2 && !state.is_what_if_asked() {
        return ChartOffer::Refused(NOT_ASKED.into());
    }
    let found = state.what_if.contour.as_ref().filter(|_| state.what_if.marked.len() == 2);
    match found {
        Some(Ok(answer)) => match &answer.contour {
            Some(contour) => {
                let name = state.asked_chart_name("contour");
                ChartOffer::Chart(name, Box::new(contour_chart(answer, contour)))
            }
            None => ChartOffer::Nothing,
        },
        Some(Err(why)) => ChartOffer::Refused(why.clone()),
        None if state.what_if.marked.len() == 2 => ChartOffer::Refused(NOT_YET.into()),
        None => {
            let key = state.key_for(Action::MarkNumber);
            ChartOffer::Refused(format!("mark two numbers with {key}: the chart draws the time over both"))
        }
    }
}

/// Marks the number under the cursor for the chart of two, or takes its mark away; of more than two the oldest goes.
fn mark_number(state: &mut DashboardState) -> Vec<Effect> {
    let WhatIfLine::Number(number) = line_under_cursor(state) else {
        return state.say(Tone::Refused, "two numbers of the GPU make the chart: move to one of them");
    };
    if let Some(why) = following_text(state, number) {
        return state.say(Tone::Refused, why);
    }
    let marked = &mut state.what_if.marked;
    if marked.contains(&number) {
        marked.retain(|other| *other != number);
        return Vec::new();
    }
    marked.push(number);
    if marked.len() > 2 {
        marked.remove(0);
    }
    if let [across, up] = marked[..] {
        state.what_if.form = WhatIfForm::Contour;
        let text = format!("the time over {} and {}", across.title(), up.title());
        return state.say(Tone::Done, text);
    }
    let text = format!("{} is marked; mark another one for the time over both", number.title());
    state.say(Tone::Done, text)
}

/// The form that follows, and its name.
fn next_form(state: &DashboardState) -> (WhatIfForm, &'static str) {
    let forms = forms_offered(state);
    let now = shown_form(state);
    let place = forms.iter().position(|form| *form == now).unwrap_or(0);
    let form = forms[(place + 1) % forms.len()];
    let name = match form {
        WhatIfForm::List => "list",
        WhatIfForm::Tornado => "tornado",
        WhatIfForm::Contour => "two numbers",
        WhatIfForm::Scenarios => "scenarios",
    };
    (form, name)
}

fn show_next_form(state: &mut DashboardState) -> Vec<Effect> {
    state.what_if.form = next_form(state).0;
    Vec::new()
}
