//! The only place that changes the state: pure, without I/O, clock or randomness.

use super::action::Action;
use super::dispatch::leave_loop;
use super::here::take_measurement;
use super::jobs::Job;
use super::keys::{key_pressed, text_pasted};
use super::message::{Effect, LoadedFiles, Message};
use super::mouse::{mouse_clicked, wheel_turned};
use super::pane::StateChange;
use super::panes::models::findings::ModelFindings;
use super::state::{State, Tone};
use crate::audit::Severity;
use crate::predict::Lessons;
use crate::report::audit::Digest;
use crate::session::{Added, Revision, Session, Training};
use std::path::PathBuf;
use std::sync::Arc;

/// Takes a message in and says what has to be done outside.
pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    let mut effects = take_message(state, message);
    effects.extend(state.settle_answers());
    effects
}

fn take_message(state: &mut State, message: Message) -> Vec<Effect> {
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
fn take_answer(state: &mut State, message: Message) -> Vec<Effect> {
    match message {
        Message::Progress(job, text) => state.jobs.report_progress(job, text),
        Message::Predicted(answer) => answer.into_iter().for_each(|a| state.take_rows(*a)),
        Message::Compared(answer) => answer.into_iter().for_each(|a| state.take_models(*a)),
        Message::Evaluated(Some(evaluated)) => {
            state.jobs.end_job(Job::Evaluate);
            state.evaluated = Some(Arc::from(evaluated));
        }
        Message::Surveyed(Some(found)) => {
            state.jobs.end_job(Job::Survey);
            state.models.survey = Some(Arc::from(found));
        }
        Message::Loaded(loaded) => return take_files(state, *loaded),
        Message::Learned(revision, lessons) => return take_lessons(state, revision, *lessons),
        Message::Trained(Some(done)) => return take_training(state, done),
        Message::Listed(listing) => return tell_overlays(state, StateChange::Listed(Some(&listing))),
        Message::Imported(imported) => {
            let (session, path, added) = *imported;
            return take_import(state, session, path, added);
        }
        Message::NotImported(why) => {
            state.jobs.end_job(Job::Read);
            return state.say(Tone::Refused, why);
        }
        Message::MeasuredHere(measured) => return take_measurement(state, measured),
        Message::Audited(digest) => return take_audit(state, *digest),
        Message::Written(Ok(what)) => return state.say(Tone::Done, what),
        Message::Written(Err(why)) => return state.say(Tone::Refused, why),
        Message::JobFailed(job) => return job_failed(state, job),
        // Overtaken by newer ones.
        _ => {}
    }
    Vec::new()
}

/// Tells everything that is open what changed below it.
fn tell_overlays(state: &mut State, change: StateChange<'_>) -> Vec<Effect> {
    let mut open = std::mem::take(&mut state.overlays);
    let effects = open.iter_mut().flat_map(|overlay| overlay.follow_change(change, state)).collect();
    state.overlays = open;
    effects
}

/// The user's files were read.
fn take_files(state: &mut State, loaded: LoadedFiles) -> Vec<Effect> {
    let LoadedFiles { session, notices, refused, summary } = loaded;
    state.jobs.end_job(Job::Read);
    let tone = if refused == 0 { Tone::Done } else { Tone::Refused };
    state.notices.extend(notices);
    state.refused_rows += refused;
    state.take_session(Arc::new(session));
    state.say(tone, summary);
    // What is open was measured on other rows.
    state.models = ModelFindings { chosen: state.models.chosen, ..ModelFindings::default() };
    let mut effects = state.ask_to_learn();
    effects.extend(tell_overlays(state, StateChange::NewRows));
    effects
}

/// A training ended: what it says is shown in the Models pane, whose list of the cache is read again.
fn take_training(state: &mut State, done: Result<Box<Training>, String>) -> Vec<Effect> {
    state.jobs.end_job(Job::Train);
    match done {
        Ok(training) => {
            let text = format!("trained {}", training.trained.model);
            state.models.training = Some(Arc::from(training));
            state.say(Tone::Done, text);
            tell_overlays(state, StateChange::NewModels)
        }
        Err(why) => {
            state.models.refused = Some(why.clone());
            state.say(Tone::Refused, why)
        }
    }
}

/// A job of this kind came to no end of its own: whatever waits for it waits no longer.
fn job_failed(state: &mut State, job: Job) -> Vec<Effect> {
    state.jobs.end_job(job);
    let mut effects = Vec::new();
    if job == Job::List {
        effects = tell_overlays(state, StateChange::Listed(None));
    }
    let what = job.failure_text();
    effects.extend(state.say(Tone::Refused, format!("{what}: roofswap failed inside; please report it")));
    effects
}

/// A picked file was read: its rows stand among the others, its first kernel is selected.
fn take_import(state: &mut State, session: Session, path: PathBuf, added: Added) -> Vec<Effect> {
    state.jobs.end_job(Job::Read);
    let tone = if added.refused > 0 { Tone::Refused } else { Tone::Done };
    let more = match (added.refused, added.notices.len()) {
        (0, 0) => String::new(),
        (0, _) => ": ! shows the import notes".to_string(),
        (n, _) => format!(", {n} refused: ! lists them"),
    };
    let measured = added.kernels.is_empty();
    if measured {
        state.data.push(path);
    }
    state.notices.extend(added.notices);
    state.refused_rows += added.refused;
    state.take_session(Arc::new(session));
    if let Some(first) = added.kernels.first() {
        let first = state.session.kernels[*first].id.clone();
        state.row_filter.clear();
        state.select_kernel(&first, None);
        // Every row was answered just now; only which of them are shown has changed.
        state.arrange();
    }
    state.picked.extend(added.kernels);
    let mut effects = state.say(tone, format!("{}{more}", added.summary));
    if measured {
        // What was found in fewer files is no longer the answer.
        state.audit = None;
        effects.push(Effect::Audit(state.session.clone(), state.data.clone()));
    }
    // Other registers change what was learned as other rows do.
    effects.extend(state.ask_to_learn());
    effects
}

/// What was learned from the rows that are still there is kept; where it was better than `components` on GPUs and kernels left
/// out, and nobody chose a model, it answers from now on.
fn take_lessons(state: &mut State, revision: Revision, lessons: Lessons) -> Vec<Effect> {
    state.jobs.end_job(Job::Learn);
    if revision != state.session.revision() {
        // Fitted to rows that are no longer all there are.
        return state.ask_to_learn();
    }
    let any = lessons.any_used();
    let session = state.session.clone();
    session.teach(Arc::new(lessons));
    if !any {
        return Vec::new();
    }
    if !state.model_chosen {
        state.selection.settings.model = session.default_model();
    }
    state.predict_all();
    let now = if state.model_chosen {
        "`hybrid` is calibrated to your rows"
    } else {
        "using `hybrid`: lower cross-validated error"
    };
    state.say_more(Tone::Done, now)
}

/// Errors are said beside what the footer says of the loading; the rest waits in its overlay.
fn take_audit(state: &mut State, digest: Digest) -> Vec<Effect> {
    let errors = digest.count(Severity::Error);
    state.audit = Some(Arc::new(digest));
    if errors == 0 {
        return Vec::new();
    }
    let text = format!("the audit found {errors} errors: {} lists them", state.key_for(Action::Audit));
    state.say_more(Tone::Refused, &text)
}
