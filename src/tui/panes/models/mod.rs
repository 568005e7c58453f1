//! The Models pane: every model's error for rows like the one in question, and what is trained.

pub mod findings;
mod view;

use super::evaluate::setup::evaluation_setup;
use super::text_sheet::ScrollTop;
use crate::evaluate::like::Wanted;
use crate::train::{SurveyOf, trainers};
use crate::tui::action::Action;
use crate::tui::jobs::Job;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{ChartOffer, LIVE_ACTIONS, OverlayPanel, Panel, Reaction, StateChange};
use crate::tui::state::State;
use findings::{SEED, chosen_recipe, importances_spec};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use view::draw_models;

/// What runs for this pane.
const OWN_JOBS: [Job; 2] = [Job::Survey, Job::Train];

/// What changes the question that the models are measured for.
const ASKED_ANEW: [Action; 8] = [
    Action::ModelNext,
    Action::ModelPrevious,
    Action::Ceilings,
    Action::Rules,
    Action::Swap,
    Action::KernelNext,
    Action::KernelPrevious,
    Action::Undo,
];

/// The open pane.
#[derive(Debug, Clone, Default)]
pub struct ModelsSheet {
    scroll: ScrollTop,
}

/// Opens the pane and asks the worker for every model's error; what was trained stays.
pub fn open_models(state: &mut State) -> Vec<Effect> {
    state.open_overlay(ModelsSheet::default());
    start_survey(state)
}

fn start_survey(state: &mut State) -> Vec<Effect> {
    state.models.survey = None;
    state.jobs.start_job(Job::Survey, "measuring the models …");
    let wanted = Wanted {
        kernel: Some(state.rows[state.selected].kernel),
        source: Some(state.selection.source),
        target: Some(state.target()),
    };
    let (setup, used) = (evaluation_setup(state), state.selection.settings.model);
    let of = SurveyOf { setup, wanted, used, chosen: state.model_chosen };
    vec![Effect::Survey { session: state.session.clone(), of }]
}

/// Asks the worker to train the chosen recipe on the loaded rows.
fn start_training(state: &mut State) -> Vec<Effect> {
    let model = chosen_recipe(&state.models);
    state.message = None;
    state.models.refused = None;
    state.jobs.start_job(Job::Train, format!("training {model} …"));
    vec![Effect::Train { session: state.session.clone(), model }]
}

impl Panel<State> for ModelsSheet {
    fn context(&self) -> &'static str {
        "models"
    }

    fn handle_action(&mut self, action: Action, state: &mut State) -> Reaction {
        match action {
            Action::Left | Action::Right => {
                state.protocol = state.protocol.next(action == Action::Right);
                Reaction::Done(start_survey(state))
            }
            Action::FocusNext => {
                state.models.chosen = (state.models.chosen + 1) % trainers(SEED).len();
                Reaction::Done(Vec::new())
            }
            Action::Pick => Reaction::Done(start_training(state)),
            Action::Cancel => {
                let cancelled = state.cancel_newest(&OWN_JOBS);
                cancelled.map_or_else(|| Reaction::Close(Vec::new()), Reaction::Done)
            }
            other if self.scroll.scroll_action(other) => Reaction::Done(Vec::new()),
            _ => Reaction::Passed,
        }
    }

    fn draw(&self, buffer: &mut Buffer, body: Rect, state: &State, look: Look<'_>) {
        draw_models(buffer, body, state, self.scroll, look);
    }

    fn export(&self, state: &State) -> ChartOffer {
        let named = state.models.told().filter(|t| !t.importances.is_empty());
        match (named, importances_spec(&state.models)) {
            (Some(trained), Some(spec)) => {
                ChartOffer::Chart(format!("importances-{}.svg", trained.model), Box::new(spec))
            }
            _ => ChartOffer::Refused(
                "nothing trained has importances yet: Enter trains the chosen model".into(),
            ),
        }
    }

    fn scroll_lines(&mut self, by: isize, _: &mut State) {
        self.scroll.scroll_by(by);
    }
}

impl OverlayPanel<State> for ModelsSheet {
    fn clone_box(&self) -> Box<dyn OverlayPanel<State>> {
        Box::new(self.clone())
    }

    fn opened_by(&self) -> Option<Action> {
        Some(Action::Models)
    }

    fn lets_through(&self, action: Action) -> bool {
        ASKED_ANEW.contains(&action) || LIVE_ACTIONS.contains(&action)
    }

    fn follow_change(&mut self, change: StateChange<'_>, state: &mut State) -> Vec<Effect> {
        match change {
            StateChange::Ran(action) if !ASKED_ANEW.contains(&action) => Vec::new(),
            StateChange::Ran(_) | StateChange::NewRows | StateChange::NewModels => start_survey(state),
            StateChange::Listed(_) => Vec::new(),
        }
    }
}
