//! A program that was read is taken in, and its forecasts are asked for.

use super::findings::{ApplicationFindings, ForecastQuestion};
use crate::application::{Application, TargetForecast};
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::DashboardView;
use crate::tui::message::Effect;
use crate::tui::state::{DashboardState, Tone};
use std::sync::Arc;

/// A picked program was read: it is shown.
pub fn take_application(state: &mut DashboardState, application: Application) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::Read);
    let text = format!("{} kernel launches read", application.kernel_count);
    put_application(state, application, 0);
    state.show_view(DashboardView::Application);
    state.say(Tone::Done, text)
}

/// The traces among the user's files were read: the last one is shown, and where a program is shown already, only that one
/// is put in its own place.
pub fn take_traces(state: &mut DashboardState, applications: Vec<Application>) {
    let Some(shown) = state.application.application.clone() else {
        if let Some(last) = applications.into_iter().last() {
            put_application(state, last, 0);
            state.show_view(DashboardView::Application);
        }
        return;
    };
    if let Some(same) = applications.into_iter().find(|read| read.file == shown.file) {
        let cursor = state.application.cursor.min(same.groups.len().saturating_sub(1));
        put_application(state, same, cursor);
    }
}

/// Puts a program in the place of the one before, with this group under the cursor.
fn put_application(state: &mut DashboardState, application: Application, cursor: usize) {
    let source = state.session.gpus.id_named(&application.gpu_name);
    let application = Some(Arc::new(application));
    state.application = ApplicationFindings { application, source, cursor, ..Default::default() };
}

/// The worker's answer, if it is that to the last question.
pub fn take_forecasts(state: &mut DashboardState, answer: Result<Vec<TargetForecast>, String>) {
    state.jobs.end_job(WorkerJob::Forecast);
    state.application.forecasts = Some(answer.map(Arc::new));
}

/// Asks for the targets that are selected, unless that was asked already.
pub fn ask_forecasts(state: &mut DashboardState) -> Vec<Effect> {
    let found = &state.application;
    let Some(application) = found.application.clone() else { return Vec::new() };
    if application.is_amd() {
        let why = format!("kernels of {} are listed; no model covers them", application.gpu_name);
        state.application.forecasts = Some(Err(why));
        return Vec::new();
    }
    // A file that names no GPU ran on the source that is selected.
    let source = found.source.unwrap_or(state.selection.source);
    let question = ForecastQuestion {
        revision: state.session.revision(),
        source,
        targets: state.selection.targets.clone(),
        tunings: state.session.tunings(),
    };
    if found.asked.as_ref() == Some(&question) {
        return Vec::new();
    }
    let mut targets = vec![source];
    targets.extend(question.targets.iter().copied().filter(|t| *t != source));
    state.application.asked = Some(question);
    state.application.forecasts = None;
    state.jobs.start_job(WorkerJob::Forecast, "predicting the application …");
    vec![Effect::Forecast { session: state.session.clone(), application, source, targets }]
}
