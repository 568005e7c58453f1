//! The models measured on the loaded rows.

pub mod outcome;
pub mod setup;
mod view;

use super::text_sheet::ScrollTop;
use crate::evaluate::{Asking, Protocol, Setup};
use crate::tui::action::Action;
use crate::tui::jobs::Job;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{ChartOffer, LIVE_ACTIONS, OverlayPanel, Panel, Reaction, StateChange};
use crate::tui::state::State;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use setup::evaluation_setup;
use view::draw_evaluation;

/// The open evaluation.
#[derive(Debug, Clone, Default)]
pub struct EvaluationSheet {
    scroll: ScrollTop,
}

/// Opens the evaluation and asks the worker for it.
pub fn open_evaluation(state: &mut State) -> Vec<Effect> {
    state.open_overlay(EvaluationSheet::default());
    start_evaluation(state)
}

/// Asks the worker to measure the models by what is chosen now.
fn start_evaluation(state: &mut State) -> Vec<Effect> {
    state.evaluated = None;
    state.jobs.start_job(Job::Evaluate, "measuring the models …");
    // The other protocols know nothing of several sources.
    let all_sources = state.selection.all_sources && state.protocol == Protocol::NewGpu;
    let setup = Setup { asking: Asking { all_sources, known_rows: 0 }, ..evaluation_setup(state) };
    let model = state.selection.settings.model;
    vec![Effect::Evaluate { session: state.session.clone(), model, setup }]
}

/// Whether this action changes what is measured.
fn is_measured_anew(action: Action) -> bool {
    let by_model = matches!(action, Action::ModelNext | Action::ModelPrevious);
    by_model || matches!(action, Action::Ceilings | Action::Rules | Action::AllSources)
}

impl Panel<State> for EvaluationSheet {
    fn context(&self) -> &'static str {
        "evaluate"
    }

    fn handle_action(&mut self, action: Action, state: &mut State) -> Reaction {
        match action {
            Action::Left | Action::Right => {
                state.protocol = state.protocol.next(action == Action::Right);
                self.scroll = ScrollTop::default();
                Reaction::Done(start_evaluation(state))
            }
            Action::Cancel => Reaction::Close(state.cancel_newest(&[Job::Evaluate]).unwrap_or_default()),
            other if self.scroll.scroll_action(other) => Reaction::Done(Vec::new()),
            _ => Reaction::Passed,
        }
    }

    fn draw(&self, buffer: &mut Buffer, body: Rect, state: &State, look: Look<'_>) {
        draw_evaluation(buffer, body, state, self.scroll, look);
    }

    fn export(&self, state: &State) -> ChartOffer {
        let Some(evaluated) = &state.evaluated else {
            return ChartOffer::Refused("nothing is measured yet: there is no chart".into());
        };
        let name = format!("evaluation-{}-{}.svg", evaluated.model, state.protocol.word());
        ChartOffer::Chart(name, Box::new(evaluated.chart.clone()))
    }

    fn scroll_lines(&mut self, by: isize, _: &mut State) {
        self.scroll.scroll_by(by);
    }
}

impl OverlayPanel<State> for EvaluationSheet {
    fn clone_box(&self) -> Box<dyn OverlayPanel<State>> {
        Box::new(self.clone())
    }

    fn opened_by(&self) -> Option<Action> {
        Some(Action::Evaluate)
    }

    fn lets_through(&self, action: Action) -> bool {
        is_measured_anew(action) || LIVE_ACTIONS.contains(&action)
    }

    fn follow_change(&mut self, change: StateChange<'_>, state: &mut State) -> Vec<Effect> {
        match change {
            StateChange::Ran(action) if !is_measured_anew(action) => Vec::new(),
            StateChange::Ran(_) | StateChange::NewRows => {
                self.scroll = ScrollTop::default();
                start_evaluation(state)
            }
            StateChange::NewModels | StateChange::Listed(_) => Vec::new(),
        }
    }
}
