//! Keys of the Models pane: pure, without I/O, clock or randomness.

use super::action::Action;
use super::evaluation;
use super::message::Effect;
use super::prompt::{Overlay, PromptKind};
use super::run::{run, say};
use super::state::{State, Tone};
use crate::chart::{ChartSpec, importances_chart};
use crate::evaluate::like::Wanted;
use crate::train::{SurveyOf, trainers};

/// The seed of everything that is trained here; `roofswap train --seed` takes others.
pub(super) const SEED: u64 = 1;

/// Opens the pane and asks the worker for every model's error; what was trained stays.
pub(super) fn start(state: &mut State) -> Vec<Effect> {
    if !matches!(state.overlay, Overlay::Models(_)) {
        state.overlay = Overlay::Models(0);
    }
    state.models.survey = None;
    state.job = Some("measuring the models …".into());
    let wanted = Wanted {
        kernel: Some(state.rows[state.selected].kernel),
        source: Some(state.selection.source),
        target: Some(state.target()),
    };
    let (setup, used) = (evaluation::setup(state), state.selection.settings.model);
    let of = SurveyOf { setup, wanted, used, chosen: state.model_chosen };
    vec![Effect::Survey { session: state.session.clone(), of }]
}

/// What an action means while the pane is open; `None` where it means what it means over any text.
pub(super) fn in_overlay(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::ModelNext
        | Action::ModelPrevious
        | Action::Ceilings
        | Action::Rules
        | Action::Swap
        | Action::KernelNext
        | Action::KernelPrevious
        | Action::Undo => {
            let mut effects = run(state, action);
            effects.extend(start(state));
            Some(effects)
        }
        Action::Left | Action::Right => {
            state.protocol = state.protocol.next(action == Action::Right);
            Some(start(state))
        }
        Action::FocusNext => {
            state.models.chosen = (state.models.chosen + 1) % trainers(SEED).len();
            Some(Vec::new())
        }
        Action::Pick => Some(train(state)),
        Action::Export => Some(ask_path(state)),
        Action::Cancel if state.job.is_some() => Some(run(state, action)),
        _ => None,
    }
}

/// The id of the recipe that Enter trains.
pub(super) fn chosen(state: &State) -> &'static str {
    let all = trainers(SEED);
    all.get(state.models.chosen).map_or("", |t| t.id())
}

/// Asks the worker to train the chosen recipe on the loaded rows.
fn train(state: &mut State) -> Vec<Effect> {
    let model = chosen(state);
    state.message = None;
    state.models.refused = None;
    state.job = Some(format!("training {model} …"));
    vec![Effect::Train { session: state.session.clone(), model }]
}

/// The importances of what was trained last, else of what is in the cache.
#[must_use]
pub fn importances_spec(state: &State) -> Option<ChartSpec> {
    importances_chart(state.models.told()?)
}

fn ask_path(state: &mut State) -> Vec<Effect> {
    let Some(trained) = state.models.told().filter(|t| !t.importances.is_empty()) else {
        return say(
            state,
            Tone::Refused,
            "nothing trained has importances yet: Enter trains the chosen model",
        );
    };
    let name = format!("importances-{}.svg", trained.model);
    state.overlay = Overlay::prompt(PromptKind::ExportImportances, name);
    Vec::new()
}
