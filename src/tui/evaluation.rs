//! Keys of the evaluation: pure, without I/O, clock or randomness.

use super::action::Action;
use super::message::Effect;
use super::prompt::{Overlay, PromptKind};
use super::run::run;
use super::state::State;
use crate::evaluate::{Asking, Protocol, Setup};

/// Opens the evaluation and asks the worker for it.
pub(super) fn start(state: &mut State) -> Vec<Effect> {
    state.overlay = Overlay::Evaluate(0);
    state.evaluated = None;
    state.job = Some("measuring the models …".into());
    // The other protocols know nothing of several sources.
    let all_sources = state.selection.all_sources && state.protocol == Protocol::NewGpu;
    let setup = Setup { asking: Asking { all_sources, known_rows: 0 }, ..setup(state) };
    let model = state.selection.settings.model;
    vec![Effect::Evaluate { session: state.session.clone(), model, setup }]
}

/// Everything loaded, by the protocol and settings in use; what was learned already is not learned again.
pub(super) fn setup(state: &State) -> Setup {
    let settings = state.selection.settings;
    Setup {
        protocol: state.protocol,
        ceilings: settings.ceilings,
        rules: settings.rules,
        shipped: Some(state.session.calibration().shipped()),
        lessons: state.session.lessons_for(state.protocol),
        ..Setup::default()
    }
}

/// What an action means while the evaluation is open; `None` where it means what it means over any text.
pub(super) fn in_overlay(state: &mut State, action: Action) -> Option<Vec<Effect>> {
    match action {
        Action::ModelNext | Action::ModelPrevious | Action::Ceilings | Action::Rules | Action::AllSources => {
            let mut effects = run(state, action);
            effects.extend(start(state));
            Some(effects)
        }
        Action::Left | Action::Right => {
            state.protocol = state.protocol.next(action == Action::Right);
            Some(start(state))
        }
        Action::Export => {
            if let Some(evaluated) = &state.evaluated {
                let name = format!("evaluation-{}-{}.svg", evaluated.model, state.protocol.word());
                state.overlay = Overlay::prompt(PromptKind::ExportEvaluation, name);
            }
            Some(Vec::new())
        }
        Action::Cancel if state.job.is_some() => {
            state.overlay = Overlay::None;
            Some(run(state, action))
        }
        _ => None,
    }
}
