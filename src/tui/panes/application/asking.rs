//! A program that was read is taken in, and its forecasts are asked for.

use super::findings::{ApplicationFindings, ForecastQuestion};
use crate::application::{Application, TargetForecast};
use crate::tui::jobs::Job;
use crate::tui::layout::DashboardView;
use crate::tui::message::Effect;
use crate::tui::state::{State, Tone};
use std::sync::Arc;

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
