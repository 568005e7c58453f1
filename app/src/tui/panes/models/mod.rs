//! The Models pane: every model's error for rows like the one in question, and what is trained.

pub mod findings;
mod view;

use super::evaluate::setup::evaluation_setup;
use crate::evaluate::like::LikeQuestion;
use crate::gpu::GpuId;
use crate::pair::Pair;
use crate::train::{SurveyOf, trainers};
use crate::tui::action::Action;
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{ChartOffer, Hint, Panel, Reaction};
use crate::tui::state::{DashboardState, Tone};
use findings::{EvidenceQuestion, SEED, chosen_recipe, chosen_training, importances_spec};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use view::draw_models;

/// Why there is no chart.
const NO_IMPORTANCES: &str = "no trained model has importances yet: Enter trains the chosen recipe";

/// The pane.
#[derive(Debug)]
pub struct ModelsPane;

/// Source and target; of a hypothetical GPU nothing was measured, so that its base stands for it.
fn existing_pair(state: &DashboardState) -> Pair<GpuId> {
    Pair::new(state.selection.source, state.target()).map(|gpu| state.existing_gpu(gpu))
}

/// What the models are measured for now.
fn question_now(state: &DashboardState) -> EvidenceQuestion {
    EvidenceQuestion {
        kernel: Some(state.rows[state.selected].kernel),
        pair: Some(existing_pair(state)),
        chosen: state.model_chosen,
        ..EvidenceQuestion::of_every_kernel(&state.session, state.protocol, &state.selection)
    }
}

/// Asks the worker for every model's error, unless it was asked for this question already.
fn ask_survey(state: &mut DashboardState) -> Vec<Effect> {
    let question = question_now(state);
    if state.models.asked.as_ref() == Some(&question) {
        return Vec::new();
    }
    state.models.survey = None;
    state.jobs.start_job(WorkerJob::Survey, "evaluating the models …");
    let Pair { source, target } = existing_pair(state).map(Some);
    let wanted = LikeQuestion { kernel: question.kernel, source, target };
    state.models.asked = Some(question);
    let (setup, used) = (evaluation_setup(state), state.model_shown());
    let of = SurveyOf { setup, wanted, used, chosen: state.model_chosen };
    vec![Effect::Survey { session: state.session.clone(), of }]
}

/// Asks the worker to train the chosen recipe on the loaded rows.
fn start_training(state: &mut DashboardState) -> Vec<Effect> {
    let model = chosen_recipe(&state.models);
    state.message = None;
    state.models.refused = None;
    state.jobs.start_job(WorkerJob::Train, format!("training {model} …"));
    vec![Effect::Train { session: state.session.clone(), model }]
}

impl Panel<DashboardState> for ModelsPane {
    fn key_context(&self) -> &'static str {
        Pane::Models.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Left | Action::Right => {
                state.protocol = state.protocol.next(action == Action::Right);
                Reaction::Done(Vec::new())
            }
            Action::RecipeNext => {
                state.models.chosen = (state.models.chosen + 1) % trainers(SEED).len();
                let text = format!("Enter trains {} on the loaded rows", chosen_recipe(&state.models));
                Reaction::Done(state.say(Tone::Done, text))
            }
            Action::Pick => Reaction::Done(start_training(state)),
            other => {
                let page = state.lines_of_pane(Pane::Models);
                let is_scroll = state.scrolls[Pane::Models].scroll_action(other, page);
                if is_scroll { Reaction::Done(Vec::new()) } else { Reaction::Passed }
            }
        }
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_models(buffer, area, state, look);
    }

    fn refusal(&self, action: Action, state: &DashboardState) -> Option<String> {
        let has_importances = state.models.shown_model().is_some_and(|t| !t.importances.is_empty());
        (action == Action::Export && !has_importances).then(|| NO_IMPORTANCES.into())
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        let named = state.models.shown_model().filter(|t| !t.importances.is_empty());
        match (named, importances_spec(&state.models)) {
            (Some(trained), Some(spec)) => {
                ChartOffer::Chart(format!("importances-{}.svg", trained.model), Box::new(spec))
            }
            _ => ChartOffer::Refused(NO_IMPORTANCES.into()),
        }
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        vec![
            Hint { actions: &[Action::Pick], text: chosen_training(&state.models) },
            Hint { actions: &[Action::RecipeNext], text: "recipe" },
            Hint { actions: &[Action::Left, Action::Right], text: "what is held out" },
            Hint { actions: &[Action::FocusNext], text: "next pane" },
            Hint { actions: &[Action::Export], text: "export" },
        ]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        state.scrolls[Pane::Models].scroll_by(by);
    }

    fn follow(&mut self, state: &mut DashboardState) -> Vec<Effect> {
        ask_survey(state)
    }
}
