//! The models measured on the loaded rows.

pub mod outcome;
pub mod setup;
mod view;

use super::models::findings::EvidenceQuestion;
use crate::evaluate::{Asking, EvaluationSetup, Protocol};
use crate::tui::action::Action;
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{ChartOffer, Hint, Panel, Reaction};
use crate::tui::scroll::ScrollTop;
use crate::tui::state::DashboardState;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use setup::evaluation_setup;
use view::draw_evaluation;

/// Why there is no chart.
const NOTHING_YET: &str = "nothing was evaluated yet: open view 5 first";

/// The pane.
#[derive(Debug)]
pub struct ErrorsPane;

/// Asks the worker for the errors of the model in use, unless it was asked for this question already.
fn ask_evaluation(state: &mut DashboardState) -> Vec<Effect> {
    let question = EvidenceQuestion::of_every_kernel(&state.session, state.protocol, &state.selection);
    if state.evaluated_for.as_ref() == Some(&question) {
        return Vec::new();
    }
    state.evaluated_for = Some(question);
    state.evaluated = None;
    state.scrolls[Pane::Errors] = ScrollTop::default();
    state.jobs.start_job(WorkerJob::Evaluate, "evaluating the model …");
    // The other protocols know nothing of several sources.
    let all_sources = state.selection.all_sources && state.protocol == Protocol::NewGpu;
    let setup = EvaluationSetup { asking: Asking { all_sources, known_rows: 0 }, ..evaluation_setup(state) };
    let model = state.selection.settings.model;
    vec![Effect::Evaluate { session: state.session.clone(), model, setup }]
}

impl Panel<DashboardState> for ErrorsPane {
    fn key_context(&self) -> &'static str {
        Pane::Errors.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Left | Action::Right => {
                state.protocol = state.protocol.next(action == Action::Right);
                Reaction::Done(Vec::new())
            }
            other => {
                let page = state.lines_of_pane(Pane::Errors);
                let is_scroll = state.scrolls[Pane::Errors].scroll_action(other, page);
                if is_scroll { Reaction::Done(Vec::new()) } else { Reaction::Passed }
            }
        }
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_evaluation(buffer, area, state, look);
    }

    fn refusal(&self, action: Action, state: &DashboardState) -> Option<String> {
        match (action, &state.evaluated) {
            (Action::Export, Some(evaluated)) => evaluated.chart.as_ref().err().cloned(),
            (Action::Export, None) => Some(NOTHING_YET.into()),
            _ => None,
        }
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        let Some(evaluated) = &state.evaluated else { return ChartOffer::Refused(NOTHING_YET.into()) };
        let name = format!("evaluation-{}-{}.svg", evaluated.model, state.protocol.as_str());
        match &evaluated.chart {
            Ok(chart) => ChartOffer::Chart(name, Box::new(chart.clone())),
            Err(why) => ChartOffer::Refused(why.clone()),
        }
    }

    fn hints(&self, _: &DashboardState) -> Vec<Hint> {
        vec![
            Hint { actions: &[Action::Left, Action::Right], text: "what is held out" },
            Hint { actions: &[Action::ModelNext], text: "model" },
            Hint { actions: &[Action::FocusNext], text: "next pane" },
            Hint { actions: &[Action::Export], text: "export" },
        ]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        state.scrolls[Pane::Errors].scroll_by(by);
    }

    fn follow(&mut self, state: &mut DashboardState) -> Vec<Effect> {
        ask_evaluation(state)
    }
}
