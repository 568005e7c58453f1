//! The only place that changes the state: pure, without I/O, clock or randomness.

use super::message::{Effect, Job, Message};
use super::models_state::Models;
use super::prompt::Overlay;
use super::run::say;
use super::state::{State, Tone};
use super::{evaluation, files, here, keys, models, mouse};
use crate::audit::Severity;
use crate::predict::Lessons;
use crate::report::audit::Digest;
use crate::session::{Added, Revision, Session, Training};
use std::path::PathBuf;
use std::sync::Arc;

/// Takes a message in and says what has to be done outside.
pub fn update(state: &mut State, message: Message) -> Vec<Effect> {
    let effects = take(state, message);
    state.sum_up_errors();
    effects
}

fn take(state: &mut State, message: Message) -> Vec<Effect> {
    match message {
        Message::Key(key) => keys::pressed(state, &key),
        Message::Paste(text) => keys::pasted(state, &text),
        Message::Click(x, y) => mouse::click(state, x, y),
        Message::Wheel(x, y, down) => mouse::wheel(state, x, y, down),
        Message::Resize(w, h) => {
            state.size = (w, h);
            Vec::new()
        }
        Message::Progress(text) => {
            state.job = Some(text);
            Vec::new()
        }
        Message::Loaded(loaded) => {
            let (session, notices, summary) = *loaded;
            state.job = None;
            let refused = !notices.is_empty();
            state.notices.extend(notices);
            state.take_session(Arc::new(session));
            say(state, if refused { Tone::Refused } else { Tone::Done }, summary);
            // What is open was measured on other rows.
            state.models = Models { chosen: state.models.chosen, ..Models::default() };
            let mut effects = state.ask_to_learn();
            effects.extend(match state.overlay {
                Overlay::Evaluate(_) => evaluation::start(state),
                Overlay::Models(_) => models::start(state),
                _ => Vec::new(),
            });
            effects
        }
        Message::Learned(revision, lessons) => learned(state, revision, *lessons),
        Message::Evaluated(evaluated) => {
            if let Some(evaluated) = evaluated {
                state.job = None;
                state.evaluated = Some(Arc::from(evaluated));
            }
            Vec::new()
        }
        Message::Surveyed(found) => {
            if let Some(found) = found {
                state.job = None;
                state.models.survey = Some(Arc::from(found));
            }
            Vec::new()
        }
        Message::Trained(done) => trained(state, done),
        Message::Listed(listing) => {
            files::listed(state, *listing);
            Vec::new()
        }
        Message::Imported(imported) => {
            let (session, path, added) = *imported;
            state.job = None;
            take_import(state, session, path, added)
        }
        Message::NotImported(why) => {
            state.job = None;
            say(state, Tone::Refused, why)
        }
        Message::MeasuredHere(measured) => here::take(state, measured),
        Message::Audited(digest) => audited(state, *digest),
        Message::Written(Ok(what)) => say(state, Tone::Done, what),
        Message::Written(Err(why)) => say(state, Tone::Refused, why),
        Message::JobFailed(kind) => job_failed(state, kind),
        Message::InputLost(why) => vec![Effect::Save(state.saved()), Effect::Abort(why)],
    }
}

/// A training ended: what it says is shown in the Models pane, whose list of the cache is read again.
fn trained(state: &mut State, done: Option<Result<Box<Training>, String>>) -> Vec<Effect> {
    match done {
        None => return Vec::new(),
        Some(Ok(training)) => {
            let text = format!("trained {}", training.trained.model);
            state.models.training = Some(Arc::from(training));
            say(state, Tone::Done, text);
        }
        Some(Err(why)) => {
            state.models.refused = Some(why.clone());
            say(state, Tone::Refused, why);
        }
    }
    state.job = None;
    let open = matches!(state.overlay, Overlay::Models(_)) && state.models.refused.is_none();
    if open { models::start(state) } else { Vec::new() }
}

/// A job of this kind came to no end of its own: whatever waits for it waits no longer.
fn job_failed(state: &mut State, kind: Job) -> Vec<Effect> {
    let what = match kind {
        Job::Read => {
            state.job = None;
            "the file was not read"
        }
        Job::List => {
            files::not_listed(state);
            "the folder was not listed"
        }
        Job::Write => "the chart was not written",
        Job::Evaluate => {
            state.job = None;
            "the models were not measured"
        }
        Job::Survey => {
            state.job = None;
            "the models were not measured"
        }
        Job::Train => {
            state.job = None;
            "nothing was trained"
        }
        Job::Audit => "your measurements were not audited",
        Job::Learn => {
            state.job = None;
            "nothing was learned from your measurements"
        }
        Job::MeasureHere => {
            state.job = None;
            "the kernel was not timed"
        }
    };
    say(state, Tone::Refused, format!("{what}: roofswap failed inside; please report it"))
}

/// A picked file was read: its rows stand among the others, its first kernel is selected.
fn take_import(state: &mut State, session: Session, path: PathBuf, added: Added) -> Vec<Effect> {
    let tone = if added.refused > 0 { Tone::Refused } else { Tone::Done };
    let more = match (added.refused, added.notices.len()) {
        (0, 0) => String::new(),
        (0, _) => ": ! has remarks".to_string(),
        (n, _) => format!(", {n} refused: ! lists them"),
    };
    let measured = added.kernels.is_empty();
    if measured {
        state.data.push(path);
    }
    state.notices.extend(added.notices);
    state.take_session(Arc::new(session));
    if let Some(first) = added.kernels.first() {
        let first = state.session.kernels[*first].id.clone();
        state.row_filter.clear();
        state.select_kernel(&first, None);
        // Every row was answered just now; only which of them are shown has changed.
        state.arrange();
    }
    state.picked.extend(added.kernels);
    let mut effects = say(state, tone, format!("{}{more}", added.summary));
    if measured {
        // What was found in fewer files is no longer the answer.
        state.audit = None;
        effects.push(Effect::Audit(state.session.clone(), state.data.clone()));
    }
    // Other registers change what was learned as other rows do.
    effects.extend(state.ask_to_learn());
    effects
}

/// What was learned from the rows that are still there is kept; where it was better than `ceilings` on GPUs and kernels left
/// out, and nobody chose a model, it answers from now on.
fn learned(state: &mut State, revision: Revision, lessons: Lessons) -> Vec<Effect> {
    state.job = None;
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
    let before = state.message.take().map(|(_, text)| text + "; ").unwrap_or_default();
    let now = if state.model_chosen {
        "`hybrid` has learned from your rows"
    } else {
        "`hybrid` answers: it was better on GPUs left out"
    };
    say(state, Tone::Done, format!("{before}{now}"))
}

/// Errors are said beside what the footer says of the loading; the rest waits in its overlay.
fn audited(state: &mut State, digest: Digest) -> Vec<Effect> {
    let errors = digest.count(Severity::Error);
    state.audit = Some(Arc::new(digest));
    if errors == 0 {
        return Vec::new();
    }
    let before = state.message.take().map(|(_, text)| text + "; ").unwrap_or_default();
    let key = state.keymap.key_of("audit").unwrap_or(":").to_string();
    say(state, Tone::Refused, format!("{before}the audit found {errors} errors: {key} lists them"))
}
