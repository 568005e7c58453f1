//! The only place that changes the state: pure, without I/O, clock or randomness.

use super::action::Action;
use super::asked_about::ask_about;
use super::asked_workload::AskedAbout;
use super::background::follow_light_background;
use super::dispatch::{ask_open_panes, leave_loop};
use super::here::take_measurement;
use super::jobs::WorkerJob;
use super::keys::{key_pressed, text_pasted};
use super::layout::DashboardView;
use super::message::{Effect, ImportedFile, LoadedFiles, Message, builds_text};
use super::mouse::{mouse_clicked, wheel_turned};
use super::panes::application::asking::{take_application, take_forecasts, take_traces};
use super::panes::files::listing::FolderListing;
use super::panes::gpu_question::GpuQuestion;
use super::panes::models::findings::ModelFindings;
use super::panes::what_if::asking::take_changed_answer;
use super::ranked::{BoardRows, LoadedMix};
use super::state::{DashboardState, Tone};
use crate::application::label_traced_kernels;
use crate::audit::Severity;
use crate::measurement::CanonicalRow;
use crate::predict::{CORRECTIONS_HELP, Lessons};
use crate::rank::{PriceBook, RankOrder};
use crate::report::audit::Digest;
use crate::session::{Revision, Session, Training};
use crate::workload::is_nameless;
use std::path::PathBuf;
use std::sync::Arc;

/// Takes a message in and says what has to be done outside.
pub fn update(state: &mut DashboardState, message: Message) -> Vec<Effect> {
    let mut effects = take_message(state, message);
    effects.extend(ask_open_panes(state));
    effects.extend(state.settle_answers());
    effects
}

fn take_message(state: &mut DashboardState, message: Message) -> Vec<Effect> {
    match message {
        Message::Key(key) => key_pressed(state, &key),
        Message::Leave => leave_loop(state),
        Message::Suspend => vec![Effect::Suspend],
        Message::Resumed => vec![Effect::Redraw],
        Message::Paste(text) => text_pasted(state, &text),
        Message::Click(x, y) => mouse_clicked(state, x, y),
        Message::Wheel(x, y, down) => wheel_turned(state, x, y, down),
        Message::InputLost(why) => vec![Effect::Save(state.saved()), Effect::Abort(why)],
        Message::Resize(w, h) => {
            state.size = (w, h);
            Vec::new()
        }
        other => take_answer(state, other),
    }
}

/// What the worker says.
fn take_answer(state: &mut DashboardState, message: Message) -> Vec<Effect> {
    match message {
        Message::LightBackground => follow_light_background(state),
        Message::Progress(job, text) => state.jobs.report_progress(job, text),
        Message::Predicted(answer) => answer.into_iter().for_each(|a| state.take_rows(*a)),
        Message::Compared(answer) => answer.into_iter().for_each(|a| state.take_models(*a)),
        Message::Ranked(Some(ranked)) => {
            let (asked, board) = *ranked;
            state.take_board(&asked, board);
        }
        Message::MixRead(read) => return take_mix(state, read),
        Message::PricesRead(read) => return take_prices(state, read.map(|book| *book)),
        Message::Evaluated(Some(evaluated)) => {
            state.jobs.end_job(WorkerJob::Evaluate);
            state.evaluated = Some(Arc::from(evaluated));
        }
        Message::Surveyed(Some(found)) => {
            state.jobs.end_job(WorkerJob::Survey);
            state.models.survey = Some(Arc::from(found));
        }
        Message::Loaded(loaded) => return take_files(state, *loaded),
        Message::Learned(revision, lessons) => return take_lessons(state, revision, *lessons),
        Message::Trained(Some(done)) => return take_training(state, done),
        Message::Listed(listing) => hand_listing(state, Some(&listing)),
        Message::Imported(imported) => return take_import(state, *imported),
        Message::FilesChanged => return read_again(state),
        Message::NotImported(why) => {
            state.jobs.end_job(WorkerJob::Read);
            return state.say(Tone::Refused, why);
        }
        Message::ApplicationRead(read) => {
            let (application, part) = *read;
            return take_application(state, application, part);
        }
        Message::Forecast(Some(answer)) => take_forecasts(state, answer),
        Message::WhatIfChanged(Some(answer)) => return take_changed_answer(state, *answer),
        Message::WhatIfChanged(None) => {
            state.jobs.end_job(WorkerJob::WhatIf);
        }
        Message::MeasuredHere(measured) => return take_measurement(state, measured),
        Message::Audited(digest) => return take_audit(state, *digest),
        Message::Written(Ok(what)) => return state.say(Tone::Done, what),
        Message::Written(Err(why)) => return state.say(Tone::Refused, why),
        Message::JobFailed(job) => return job_failed(state, job, "internal error; please report it"),
        Message::JobStopped(job, why) => return job_failed(state, job, &why),
        // Overtaken by newer ones.
        _ => {}
    }
    Vec::new()
}

/// A folder was listed, or could not be: whatever is open takes what it wants of it.
fn hand_listing(state: &mut DashboardState, listing: Option<&FolderListing>) {
    state.overlays.iter_mut().for_each(|open| open.take_listing(listing));
}

/// The user's files were read.
fn take_files(state: &mut DashboardState, loaded: LoadedFiles) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::Read);
    if let Some(why) = lost_file(state, &loaded) {
        return state.say(Tone::Refused, why);
    }
    let LoadedFiles { mut session, notices, refused, summary, unnamed, applications, empty } = loaded;
    state.unread = empty.iter().filter(|(_, why)| why.is_some()).map(|(path, _)| path.clone()).collect();
    let is_filled = |path: &PathBuf| !empty.iter().any(|(known, _)| known == path);
    state.filled = state.files.iter().map(|file| file.path.clone()).filter(is_filled).collect();
    let tone = if refused.is_none() { Tone::Done } else { Tone::Refused };
    let mut effects = take_traces(state, applications);
    // All files were read, again where one of them changed: what was said of them before is said again.
    state.notices.truncate(state.first_notices);
    state.notices.extend(notices);
    state.refused = refused;
    state.add_typed(&mut session);
    if let Err(why) = keep_rows(&mut session, &state.kept_rows) {
        state.notices.push(why);
    }
    let (kernel, before) = (state.kernel().id.clone(), state.answer().timed_point());
    let said = state.notices.len();
    state.take_session(Arc::new(session));
    let of_rows = state.notices[said..].iter();
    let summary = of_rows.fold(summary, |summary, notice| format!("{summary}; {notice}"));
    let now = state.answer().timed_point();
    let is_moved = before != now && state.kernel().id == kernel;
    state.former_point = before.filter(|_| is_moved).map(|(i, p)| (i.0, p.0));
    if !state.files.is_empty() {
        state.say(tone, summary);
    }
    if let Some((path, stated)) = unnamed {
        state.open_overlay(GpuQuestion::of_file(path, stated));
    }
    // What is open was measured on other rows.
    state.models = ModelFindings { chosen: state.models.chosen, ..ModelFindings::default() };
    (state.evaluated, state.evaluated_for) = (None, None);
    effects.extend(state.ask_to_learn());
    effects
}

/// That a file which brought something before brings nothing now, such as one that is being written: what is loaded stays until it does
/// again.
fn lost_file(state: &DashboardState, loaded: &LoadedFiles) -> Option<String> {
    let (path, why) = loaded.empty.iter().find(|(path, _)| state.filled.contains(path))?;
    let name = path.display();
    Some(match why {
        Some(why) => {
            // What else it might have been is of no interest.
            let why = why.split(';').next().unwrap_or_default();
            format!("{why}; keeping the rows read before")
        }
        None => format!("{name} has no rows; keeping the rows read before"),
    })
}

/// A mix was read: it is ranked on the board instead of the selected kernel.
fn take_mix(state: &mut DashboardState, read: Result<Arc<LoadedMix>, String>) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::ReadSide);
    match read {
        Ok(mix) => {
            let kernel = state.key_for(Action::NextWorkload);
            let of = if is_nameless(&mix.name) { "the" } else { "the mix" };
            let text =
                format!("the board ranks GPUs for {of} {}; {kernel} asks about the kernel again", mix.name);
            state.ranked.mix = Some(mix);
            ask_about(state, AskedAbout::Mix);
            state.ranked.changes += 1;
            state.add_kernels_of_mix();
            state.show_view(DashboardView::Board);
            state.say(Tone::Done, text)
        }
        Err(why) => state.say(Tone::Refused, why),
    }
}

/// Prices were read: they take the place of those before.
fn take_prices(state: &mut DashboardState, read: Result<PriceBook, String>) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::ReadSide);
    match read {
        Ok(prices) => {
            let count = prices.gpu_count();
            let gpus = if count == 1 { "GPU" } else { "GPUs" };
            let text = format!("prices of {count} {gpus}; the board sorts by them");
            state.notices.extend(prices.remarks.iter().cloned());
            let ranked = &mut state.ranked;
            ranked.prices = prices;
            ranked.changes += 1;
            // Of the kernels of a mix the dearest stand first.
            ranked.reversed = ranked.rows == BoardRows::Kernels;
            (ranked.order, ranked.cursor) = (RankOrder::PerfPerDollar, None);
            state.say(Tone::Done, text)
        }
        Err(why) => state.say(Tone::Refused, why),
    }
}

/// Rows that no file holds stand among the others again.
///
/// # Errors
/// Why they could not be read.
fn keep_rows(session: &mut Session, rows: &[CanonicalRow]) -> Result<(), String> {
    let added = match rows {
        [] => Ok(()),
        rows => session.add_rows(rows, "measured here").map(|_| ()).map_err(|e| e.to_string()),
    };
    label_traced_kernels(session, rows);
    session.arrange();
    added
}

/// A watched file changed: all are read again, unless some are being read.
fn read_again(state: &mut DashboardState) -> Vec<Effect> {
    if state.jobs.is_running(WorkerJob::Read) {
        return Vec::new();
    }
    state.jobs.start_job(WorkerJob::Read, "a file changed: reading it again …");
    let mut effects = vec![Effect::Load(state.base.clone(), state.files.clone())];
    if !state.data.is_empty() {
        effects.push(Effect::Audit(state.base.clone(), state.data.clone()));
    }
    effects
}

/// A training ended: what it says is shown in the Models pane, whose list of the cache is read again.
fn take_training(state: &mut DashboardState, done: Result<Box<Training>, String>) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::Train);
    match done {
        Ok(training) => {
            let text = format!("trained {}", training.trained.model);
            state.models.training = Some(Arc::from(training));
            state.models.asked = None;
            state.say(Tone::Done, text)
        }
        Err(why) => {
            state.models.refused = Some(why.clone());
            state.say(Tone::Refused, why)
        }
    }
}

/// A job of this kind came to no end of its own: whatever waits for it waits no longer.
fn job_failed(state: &mut DashboardState, job: WorkerJob, why: &str) -> Vec<Effect> {
    state.jobs.end_job(job);
    if job == WorkerJob::List {
        hand_listing(state, None);
    }
    let what = job.failure_text();
    state.say(Tone::Refused, format!("{what}: {why}"))
}

/// A picked file was read: its rows stand among the others, and its first row, or its first kernel that is new, is selected.
fn take_import(state: &mut DashboardState, imported: ImportedFile) -> Vec<Effect> {
    let ImportedFile { session, file, added } = imported;
    state.jobs.end_job(WorkerJob::Read);
    let unnamed = added.unnamed.as_ref().filter(|_| added.rows == 0 && file.gpu.is_none());
    if let Some(stated) = unnamed.cloned() {
        // Nothing was added yet: it is read again once its GPU is known.
        return state.open_overlay(GpuQuestion::of_file(file.path, stated));
    }
    let tone = if added.refused > 0 { Tone::Refused } else { Tone::Done };
    let more = match (added.refused, added.notices.len()) {
        (0, 0) => String::new(),
        (0, _) => ": ! shows the import notes".to_string(),
        (n, _) => format!(", {n} refused: ! lists them"),
    };
    let measured = added.kernels.is_empty();
    let built_in = state.workload.built_in;
    let summary = if measured { added.summary.clone() } else { builds_text(&session, &added, built_in) };
    if added.rows > 0 || !measured {
        state.filled.insert(file.path.clone());
    }
    state.files.retain(|known| known.path != file.path);
    state.files.push(file.clone());
    if measured {
        state.data.retain(|known| *known != file.path);
        state.data.push(file.path.clone());
    }
    state.notices.extend(added.notices);
    state.refused.rows += added.refused;
    state.take_session(Arc::new(session));
    if !measured {
        // The cursor stays on what the user looks at; a built-in kernel gives way to one that the report brought.
        let first = added.kernels.iter().find(|kernel| kernel.index() >= built_in);
        if let Some(first) = first.filter(|_| state.rows[state.selected].kernel.index() < built_in) {
            let first = state.session.kernels[*first].id.clone();
            state.row_filter.clear();
            state.select_kernel(&first, None);
        }
        // Every row was answered just now; only which of them are shown has changed.
        state.arrange();
    } else {
        state.open_on_file(&file.path);
        state.predict_all();
    }
    state.picked.extend(added.kernels);
    let mut effects = state.say(tone, format!("{summary}{more}"));
    if measured {
        // What was found in fewer files is no longer the answer.
        state.audit = None;
        effects.push(Effect::Audit(state.session.clone(), state.data.clone()));
    }
    effects.push(Effect::Watch(state.files.iter().map(|file| file.path.clone()).collect()));
    // Other registers change what was learned as other rows do.
    effects.extend(state.ask_to_learn());
    effects
}

/// What was learned from the rows that are still there is kept; where it was better than `components` on GPUs and kernels left
/// out, and nobody chose a model, it answers from now on.
fn take_lessons(state: &mut DashboardState, revision: Revision, lessons: Lessons) -> Vec<Effect> {
    state.jobs.end_job(WorkerJob::Learn);
    if revision != state.session.revision() {
        // Fitted to rows that are no longer all there are.
        return state.ask_to_learn();
    }
    let (any, kernels) = (lessons.any_used(), lessons.used_kernels());
    let session = state.session.clone();
    session.teach(Arc::new(lessons));
    if !any {
        return Vec::new();
    }
    if !state.model_chosen {
        state.selection.settings.model = session.default_model();
    }
    state.predict_all();
    let of_kernels = match kernels {
        (used, all) if used == all => String::new(),
        (used, all) => format!(" for {used} of {all} kernels"),
    };
    let now = if state.model_chosen {
        format!("`hybrid` is calibrated to your rows{of_kernels}")
    } else {
        format!("using `hybrid`{of_kernels}: {CORRECTIONS_HELP}")
    };
    state.say_more(Tone::Done, &now)
}

/// Errors are said beside what the footer says of the loading; the rest waits in its overlay.
fn take_audit(state: &mut DashboardState, digest: Digest) -> Vec<Effect> {
    let errors = digest.severity_count(Severity::Error);
    state.audit = Some(Arc::new(digest));
    if errors == 0 {
        return Vec::new();
    }
    let text = format!("the audit found {errors} errors: {} lists them", state.key_for(Action::Audit));
    state.say_more(Tone::Refused, &text)
}
