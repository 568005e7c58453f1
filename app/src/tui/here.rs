//! The selected kernel on the GPU of this machine.

use super::jobs::WorkerJob;
use super::message::Effect;
use super::state::{DashboardState, Tone};
use crate::session::MeasuredHere;
use std::sync::Arc;

/// Asks for the selected kernel at its size. Whether there is a GPU is found out outside, where it may take its time.
pub(super) fn ask_measurement(state: &mut DashboardState) -> Vec<Effect> {
    let row = &state.rows[state.selected];
    let (kernel, problem) = (row.kernel, row.problem.clone());
    let of_interest = std::iter::once(&state.selection.source).chain(&state.selection.targets);
    let prefer = of_interest.map(|g| state.session.gpus[*g].id.clone()).collect();
    state.jobs.start_job(WorkerJob::MeasureHere, "looking for a GPU on this machine …");
    vec![Effect::MeasureHere { session: state.session.clone(), kernel, problem, prefer }]
}

/// What was timed stands among the measured rows: as the source's time, or beside the prediction.
pub(super) fn take_measurement(
    state: &mut DashboardState,
    measured: Result<Box<MeasuredHere>, String>,
) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::MeasureHere);
    let measured = match measured {
        Ok(measured) => *measured,
        Err(why) => return state.say(Tone::Refused, why),
    };
    let mut session = (*state.session).clone();
    // Others may have been loaded meanwhile: the rows go on top of what is there now.
    let added = match session.add_rows(&measured.rows, "measured here") {
        Ok(added) => added,
        Err(e) => return state.say(Tone::Refused, e.to_string()),
    };
    session.arrange();
    state.kept_rows.extend(measured.rows.iter().cloned());
    let model = state.selection.settings.model;
    state.take_session(Arc::new(session));
    // What was fitted to fewer rows is fitted again; until then the model without it answers.
    let again = if state.selection.settings.model == model { "" } else { "; `hybrid` is fitted again" };
    state.refused.rows += added.refused_count;
    let refused = added.refused.iter().map(ToString::to_string);
    state.notices.extend(measured.notices.into_iter().chain(refused).chain(added.remarks));
    let tone = if added.refused_count > 0 { Tone::Refused } else { Tone::Done };
    let keep = "; `roofswap measure -o` keeps such rows";
    let mut effects = state.say(tone, format!("{}{keep}{again}", measured.summary));
    effects.extend(state.ask_to_learn());
    effects
}
