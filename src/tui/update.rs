//! The only place that changes the state: pure, without I/O, clock or randomness.

use super::message::{Effect, Message};
use super::prompt::Overlay;
use super::run::say;
use super::state::{State, Tone};
use super::{evaluation, keys, mouse};
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
        Message::Written(Ok(what)) => say(state, Tone::Done, what),
        Message::Written(Err(why)) => say(state, Tone::Refused, why),
        Message::InputLost(why) => vec![Effect::Save(state.saved()), Effect::Abort(why)],
    }
}
