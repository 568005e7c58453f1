//! A program that was read is taken in, and its forecasts are asked for.

use super::super::gpu_question::GpuQuestion;
use super::findings::{ApplicationFindings, ForecastQuestion, no_gpu_text};
use crate::application::{
    Application, ForecastSettings, PartOfTrace, TargetForecast, host_factor, launches_in_words, profile_next,
    recorded_gpu_id,
};
use crate::gpu::GpuId;
use crate::tui::asked_about::{ask_about, none_loaded_text};
use crate::tui::asked_workload::AskedAbout;
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::DashboardView;
use crate::tui::message::Effect;
use crate::tui::state::{DashboardState, Tone};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A picked program was read: it is shown.
pub fn take_application(
    state: &mut DashboardState,
    application: Application,
    part: PartOfTrace,
) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::Read);
    let launches = launches_in_words(&application);
    let said = state.application.said_once_read.take().filter(|(of, _)| *of == part);
    let text = said.map_or_else(|| format!("{launches} read"), |(_, said)| format!("{said}: {launches}"));
    if put_application(state, application, part, 0) && start_from_its_gpu(state) {
        state.predict_all();
    }
    state.show_view(DashboardView::Application);
    state.say(Tone::Done, text)
}

/// The traces among the user's files were read whole: the last one is shown, and where a program is shown already, only that
/// one is put in its own place, or the part of it that is shown is asked for.
pub fn take_traces(state: &mut DashboardState, applications: Vec<Application>) -> Vec<Effect> {
    state.application.traces.extend(applications.iter().map(|read| read.file.clone()));
    let Some(shown) = state.application.application.clone() else {
        if let Some(last) = applications.into_iter().last() {
            put_application(state, last, PartOfTrace::default(), 0);
            if state.workload.chooses_source {
                start_from_its_gpu(state);
            }
            state.show_view(DashboardView::Application);
        }
        return Vec::new();
    };
    let Some(same) = applications.into_iter().find(|read| read.file == shown.file) else {
        return Vec::new();
    };
    if state.application.part != PartOfTrace::default() {
        let part = state.application.part.clone();
        let said = state.application.part_words().join(", ");
        return ask_part(state, part, said);
    }
    let cursor = state.application.cursor.min(same.groups.len().saturating_sub(1));
    put_application(state, same, PartOfTrace::default(), cursor);
    Vec::new()
}

/// Puts a program in the place of the one before, with this group under the cursor. Another part of the same file is carried
/// to other GPUs as the part before it was. Whether it is of another file.
fn put_application(
    state: &mut DashboardState,
    application: Application,
    part: PartOfTrace,
    cursor: usize,
) -> bool {
    let before = state.application.application.as_ref();
    let is_same_file = before.is_some_and(|before| before.file == application.file);
    let settings = if is_same_file { state.application.settings } else { ForecastSettings::default() };
    let chosen = before.filter(|before| is_same_file && before.gpu_name == application.gpu_name);
    let chosen = chosen.and(state.application.source);
    let named = recorded_gpu(state, &application);
    // As in commands: `--from`, then what the file names.
    let source = stated_gpu(state, &application).or(named).or(chosen);
    let found = &mut state.application;
    let (mut traces, group_words) =
        (std::mem::take(&mut found.traces), std::mem::take(&mut found.group_words));
    let filter = if is_same_file { std::mem::take(&mut found.filter) } else { String::new() };
    let sort = found.sort;
    traces.insert(application.file.clone());
    let application = Some(Arc::new(application));
    if !is_same_file {
        ask_about(state, AskedAbout::Application);
    }
    state.application = ApplicationFindings {
        application,
        part,
        settings,
        source,
        cursor,
        filter,
        sort,
        traces,
        group_words,
        ..Default::default()
    };
    state.application.arrange_groups();
    if !is_same_file && !state.application.can_be_asked() {
        ask_gpu(state);
    }
    !is_same_file
}

/// The GPU that the file names; a MIG slice is put beside those of the catalogue.
fn recorded_gpu(state: &mut DashboardState, application: &Application) -> Option<GpuId> {
    let id = recorded_gpu_id(&state.session.gpus, application)?;
    if state.session.gpus.id_named(&id).is_none() {
        let mut session = Arc::clone(&state.session);
        Arc::make_mut(&mut session).add_derived_gpus([id.as_str()]).ok()?;
        // The files that are being read choose row and source once all of them are there.
        let (row, source) = (state.workload.chooses_row, state.workload.chooses_source);
        state.take_more(session);
        (state.workload.chooses_row, state.workload.chooses_source) = (row, source);
    }
    state.session.gpus.id_named(&id)
}

/// The GPU that was stated for this file, where it was opened so.
fn stated_gpu(state: &DashboardState, application: &Application) -> Option<GpuId> {
    let file = state.files.iter().find(|file| file.path == Path::new(&application.file))?;
    state.session.gpus.position(file.gpu.as_ref().filter(|_| !application.is_amd())?).ok()
}

/// Makes the GPU that the program ran on the source of the other views too. Whether it was another one.
fn start_from_its_gpu(state: &mut DashboardState) -> bool {
    let before = state.selection.source;
    let Some(source) = state.application.source.filter(|source| *source != before) else { return false };
    state.start_from(source);
    true
}

/// Asks on which GPU the program that is shown ran.
pub(super) fn ask_gpu(state: &mut DashboardState) -> Vec<Effect> {
    let Some(application) = &state.application.application else { return Vec::new() };
    state.open_overlay(GpuQuestion::of_application(PathBuf::from(&application.file)))
}

/// Asks for a part of the trace that is shown; this is said of it once it is read.
pub fn ask_part(state: &mut DashboardState, part: PartOfTrace, said: String) -> Vec<Effect> {
    let Some(application) = &state.application.application else { return Vec::new() };
    let path = PathBuf::from(&application.file);
    state.jobs.start_job(WorkerJob::Read, format!("reading {} …", application.file));
    state.application.said_once_read = Some((part.clone(), said));
    vec![Effect::ReadPart { path, part }]
}

/// Scales the time on the host; the forecasts are asked for anew.
///
/// # Errors
/// What was expected instead.
pub fn set_host_factor(state: &mut DashboardState, typed: &str) -> Result<(), String> {
    if state.application.application.is_none() {
        return Err(none_loaded_text(state));
    }
    state.application.settings.host = host_factor(typed)?;
    Ok(())
}

/// The worker's answer, if it is that to the last question.
pub fn take_forecasts(state: &mut DashboardState, answer: Result<Vec<TargetForecast>, String>) {
    state.jobs.end_job(WorkerJob::Forecast);
    let found = &mut state.application;
    found.forecasts = Some(answer.map(Arc::new));
    let next = found.application.as_ref().zip(found.first_target());
    found.next = next.map_or_else(Vec::new, |(read, target)| profile_next(read, target, MOST_TO_PROFILE));
    found.arrange_groups();
}

/// So many kernels to profile next are named.
const MOST_TO_PROFILE: usize = 3;

/// Asks for the targets that are selected, unless that was asked already.
pub fn ask_forecasts(state: &mut DashboardState) -> Vec<Effect> {
    let found = &state.application;
    let Some(application) = found.application.clone() else { return Vec::new() };
    if let Some(why) = found.refusal() {
        state.application.forecasts = Some(Err(why));
        return Vec::new();
    }
    let Some(source) = found.source else {
        let why = no_gpu_text(&state.session.gpus, &application);
        (state.application.asked, state.application.forecasts) = (None, Some(Err(why)));
        return Vec::new();
    };
    let question = ForecastQuestion {
        revision: state.session.revision(),
        source,
        targets: state.selection.targets.clone(),
        settings: found.settings,
        tunings: state.session.tunings(),
        edited: state.session.edited_gpu().cloned(),
    };
    if found.asked.as_ref() == Some(&question) {
        return Vec::new();
    }
    let mut targets = vec![source];
    targets.extend(question.targets.iter().copied().filter(|t| *t != source));
    let settings = question.settings;
    state.application.asked = Some(question);
    state.application.forecasts = None;
    state.jobs.start_job(WorkerJob::Forecast, "predicting the application …");
    vec![Effect::Forecast { session: state.session.clone(), application, source, targets, settings }]
}
