//! What the Application view knows: the program that was read, and what becomes of it on the targets.

use crate::application::{Application, TargetForecast};
use crate::gpu::{GpuId, Tuning};
use crate::session::Revision;
use crate::tui::jobs::Job;
use crate::tui::layout::DashboardView;
use crate::tui::message::Effect;
use crate::tui::state::{State, Tone};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The program, and its forecasts.
#[derive(Debug, Clone, Default)]
pub struct ApplicationFindings {
    /// What was read.
    pub application: Option<Arc<Application>>,
    /// The GPU that it ran on; none where the file names none that the catalogue has.
    pub source: Option<GpuId>,
    /// What becomes of it on its own GPU and on the targets, or why there is no forecast.
    pub forecasts: Option<Result<Arc<Vec<TargetForecast>>, String>>,
    /// The group under the cursor.
    pub cursor: usize,
    /// What the worker was asked.
    asked: Option<ForecastQuestion>,
}

/// What forecasts depend on.
#[derive(Debug, Clone, PartialEq)]
struct ForecastQuestion {
    revision: Revision,
    source: GpuId,
    targets: Vec<GpuId>,
    tunings: BTreeMap<GpuId, Tuning>,
}

/// A program was read: it is shown.
pub fn take_application(state: &mut State, application: Application) -> Vec<Effect> {
    state.jobs.end_job(Job::Read);
    let source = state.session.gpus.get(&application.gpu_name);
    let text = format!("{} kernel launches read", application.kernel_count);
    state.application =
        ApplicationFindings { application: Some(Arc::new(application)), source, ..Default::default() };
    state.show_view(DashboardView::Application);
    let mut effects = state.say(Tone::Done, text);
    effects.extend(ask_forecasts(state));
    effects
}

/// The worker's answer, if it is that to the last question.
pub fn take_forecasts(state: &mut State, answer: Result<Vec<TargetForecast>, String>) {
    state.jobs.end_job(Job::Forecast);
    state.application.forecasts = Some(answer.map(Arc::new));
}

/// Asks for the targets that are selected, unless that was asked already.
pub fn ask_forecasts(state: &mut State) -> Vec<Effect> {
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
    state.jobs.start_job(Job::Forecast, "predicting the application …");
    vec![Effect::Forecast { session: state.session.clone(), application, source, targets }]
}
