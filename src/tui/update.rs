//! The only place that changes the state: pure, without I/O, clock or randomness.

use super::message::{Effect, Message};
use super::prompt::Overlay;
use super::run::say;
use super::state::{State, Tone};
use super::{evaluation, files, keys, mouse};
use crate::session::{Added, Session};
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
            if matches!(state.overlay, Overlay::Evaluate(_)) { evaluation::start(state) } else { Vec::new() }
        }
        Message::Evaluated(evaluated) => {
            if let Some(evaluated) = evaluated {
                state.job = None;
                state.evaluated = Some(Arc::from(evaluated));
            }
            Vec::new()
        }
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
        Message::Written(Ok(what)) => say(state, Tone::Done, what),
        Message::Written(Err(why)) => say(state, Tone::Refused, why),
        Message::InputLost(why) => vec![Effect::Save(state.saved()), Effect::Abort(why)],
    }
}

/// A picked file was read: its rows stand among the others, its first kernel is selected.
fn take_import(state: &mut State, session: Session, path: PathBuf, added: Added) -> Vec<Effect> {
    let tone = if added.refused > 0 { Tone::Refused } else { Tone::Done };
    let more = match (added.refused, added.notices.len()) {
        (0, 0) => String::new(),
        (0, _) => ": ! has remarks".to_string(),
        (n, _) => format!(", {n} refused: ! lists them"),
    };
    let kernel = added.kernel.map(|k| session.kernels.entries()[k].id.clone());
    if added.kernel.is_none() {
        state.data.push(path);
    }
    state.notices.extend(added.notices);
    state.take_session(Arc::new(session));
    if let Some(kernel) = kernel {
        state.row_filter.clear();
        state.select_kernel(&kernel, None);
        state.predict_all();
    }
    say(state, tone, format!("{}{more}", added.summary))
}
