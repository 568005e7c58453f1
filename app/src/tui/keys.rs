//! What a key means: in what lies over the panes, and otherwise in the panes. Which key runs what stands in the keymap.

use super::action::{Action, TextEdit};
use super::dispatch::{ask_export, copy_shown, export_pane, run_action};
use super::key_names::typed_char;
use super::message::Effect;
use super::pane::{ChartOffer, OverlayPanel, Reaction};
use super::state::{DashboardState, Tone};
use super::text::LONGEST_TYPED;
use tui_input::InputRequest;

/// Keys that hold wherever nothing is typed.
const ANYWHERE: &str = "any";
/// Keys of everything that lies over the panes and takes no text.
const OVER_PANES: &str = "overlay";
/// Keys of everything that takes text.
pub const TYPING: &str = "text";

/// Something open, taken out of the state while it acts on it.
pub type OpenPanel = Box<dyn OverlayPanel<DashboardState>>;

/// A key was pressed.
pub(super) fn key_pressed(state: &mut DashboardState, key: &str) -> Vec<Effect> {
    state.former_point = None;
    match state.overlays.pop() {
        None => key_in_panes(state, key),
        Some(open) if open.takes_text() => key_while_typing(state, open, key),
        Some(open) => key_while_reading(state, open, key),
    }
}

/// Text was pasted: into the open line, or nowhere.
pub(super) fn text_pasted(state: &mut DashboardState, text: &str) -> Vec<Effect> {
    let Some(mut open) = state.overlays.pop() else { return Vec::new() };
    let mut effects = Vec::new();
    if open.takes_text() {
        for c in text.chars().filter(|c| !c.is_control()).take(LONGEST_TYPED) {
            effects.extend(open.edit_text(InputRequest::InsertChar(c), state));
        }
    }
    state.overlays.push(open);
    effects
}

/// The keys that run this action in something open over the panes, else in the focused pane.
#[must_use]
pub fn keys_in<'a>(state: &'a DashboardState, open: Option<&OpenPanel>, action: Action) -> Vec<&'a str> {
    let places: &[&str] = match open {
        Some(open) if open.takes_text() => &[open.key_context(), TYPING],
        Some(open) => &[open.key_context(), OVER_PANES, ANYWHERE],
        None => &[state.place(), ANYWHERE],
    };
    state.keymap.keys_of(action.id(), places)
}

/// The action of a key in the first of these contexts that has one.
fn bound_action(state: &DashboardState, contexts: &[&str], key: &str) -> Option<Action> {
    state.keymap.action(contexts, key).and_then(Action::from_id)
}

fn key_in_panes(state: &mut DashboardState, key: &str) -> Vec<Effect> {
    match bound_action(state, &[state.place(), ANYWHERE], key) {
        Some(action) => run_action(state, action),
        None => {
            let help = state.key_for(Action::Help);
            let text = format!("{key} does nothing here; {help} shows the keys");
            state.say(Tone::Refused, text)
        }
    }
}

/// What becomes of something open after it acted.
fn follow_reaction(state: &mut DashboardState, open: OpenPanel, reaction: Reaction) -> Vec<Effect> {
    match reaction {
        Reaction::Passed => {
            state.overlays.push(open);
            Vec::new()
        }
        Reaction::Done(effects) => {
            state.overlays.push(open);
            effects
        }
        Reaction::Close(effects) => effects,
        Reaction::Run(action) => run_action(state, action),
        Reaction::Export(pane) => export_pane(state, pane),
    }
}

/// A key where text is typed: an edit, an action, or a letter.
fn key_while_typing(state: &mut DashboardState, mut open: OpenPanel, key: &str) -> Vec<Effect> {
    state.message = None;
    let contexts = [open.key_context(), TYPING];
    let bound = state.keymap.action(&contexts, key).map(str::to_string);
    let edit = bound.as_deref().and_then(TextEdit::from_id).map(TextEdit::input_request);
    let letter = || typed_char(key).filter(|_| bound.is_none()).map(InputRequest::InsertChar);
    if let Some(request) = edit.or_else(letter) {
        let effects = open.edit_text(request, state);
        state.overlays.push(open);
        return effects;
    }
    match bound.as_deref().and_then(Action::from_id) {
        // Help lies over it, and what was typed is there again below.
        Some(action @ (Action::Quit | Action::Suspend | Action::Help)) => {
            state.overlays.push(open);
            run_action(state, action)
        }
        Some(action) => {
            let reaction = open.handle_action(action, state);
            follow_reaction(state, open, reaction)
        }
        None => follow_reaction(state, open, Reaction::Passed),
    }
}

/// A key over a sheet: its own, one of those that change what it shows, or one that closes it: Esc, `q`, the key that
/// opened it. Any other does nothing, which is said.
fn key_while_reading(state: &mut DashboardState, mut open: OpenPanel, key: &str) -> Vec<Effect> {
    state.message = None;
    let contexts = [open.key_context(), OVER_PANES, ANYWHERE];
    let Some(action) = bound_action(state, &contexts, key) else { return idle_key(state, open, key) };
    match open.handle_action(action, state) {
        Reaction::Passed => general_action(state, open, action, key),
        reaction => follow_reaction(state, open, reaction),
    }
}

/// A key that does nothing over a sheet.
fn idle_key(state: &mut DashboardState, open: OpenPanel, key: &str) -> Vec<Effect> {
    state.overlays.push(open);
    let close = state.key_for(Action::Cancel);
    let text = format!("{key} does nothing here; {close} closes this");
    state.say(Tone::Refused, text)
}

/// What an action means over any sheet.
fn general_action(state: &mut DashboardState, open: OpenPanel, action: Action, key: &str) -> Vec<Effect> {
    match action {
        Action::Quit | Action::Suspend => {
            let effects = run_action(state, action);
            state.overlays.push(open);
            effects
        }
        Action::Export => match open.chart_offer(state) {
            ChartOffer::Nothing => {
                state.overlays.push(open);
                state.say(Tone::Refused, "nothing to export: no chart is open")
            }
            offer => {
                state.overlays.push(open);
                ask_export(state, offer)
            }
        },
        Action::CopyRow | Action::CopyCommand => {
            let effects = copy_shown(state, action, open.opened_by());
            state.overlays.push(open);
            effects
        }
        live if open.lets_through(live) => {
            let effects = run_action(state, live);
            state.overlays.push(open);
            effects
        }
        Action::Help if open.opened_by() != Some(Action::Help) => {
            state.overlays.push(open);
            run_action(state, Action::Help)
        }
        Action::Cancel => Vec::new(),
        own if open.opened_by() == Some(own) => Vec::new(),
        _ => idle_key(state, open, key),
    }
}
