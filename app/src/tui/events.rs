//! From terminal events to messages: keys get the names that keymaps use.

use super::background::LateAnswer;
use super::key_names::{BLANK, INTERRUPT};
use super::message::Message;
use super::terminal::give_back;
use ratatui::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// How long the loop may take to leave once a signal asked for it.
const FORCE_AFTER: Duration = Duration::from_secs(2);

/// Reads events on a thread of its own until nobody listens any more; however that thread ends, the loop hears of it.
pub(super) fn listen(sender: Sender<Message>, mut late: LateAnswer) {
    std::thread::spawn(move || {
        let _end = SaysWhenLost(sender.clone());
        while let Ok(event) = event::read() {
            let message = if late.takes(&event) {
                late.take_is_light().then_some(Message::LightBackground)
            } else {
                message(event)
            };
            if let Some(message) = message
                && sender.send(message).is_err()
            {
                return;
            }
        }
    });
}

/// Tells the loop that no key will come any more, also while a panic unwinds.
struct SaysWhenLost(Sender<Message>);

impl Drop for SaysWhenLost {
    fn drop(&mut self) {
        // A closed channel means that the loop has ended already.
        let _ = self.0.send(Message::InputLost("the terminal cannot be read any more".into()));
    }
}

/// Turns the signals that end a program into an orderly leave, and those of the shell's job control into messages. Whoever
/// asked to end it is heard even where nobody reads messages.
#[cfg(unix)]
pub(super) fn listen_for_signals(sender: Sender<Message>, asked_to_end: Arc<AtomicBool>) {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    let known = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGCONT];
    // Without handlers the dashboard still works; only a kill would be rough.
    let Ok(mut signals) = signal_hook::iterator::Signals::new(known) else { return };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let message = match signal {
                SIGTSTP => Message::Suspend,
                SIGCONT => Message::Resumed,
                _ => {
                    asked_to_end.store(true, Ordering::SeqCst);
                    leave_by_force_later(signal);
                    Message::Leave
                }
            };
            if sender.send(message).is_err() {
                return;
            }
        }
    });
}

/// Gives the terminal back and ends, should the loop not have done so in good time.
#[cfg(unix)]
fn leave_by_force_later(signal: i32) {
    std::thread::spawn(move || {
        std::thread::sleep(FORCE_AFTER);
        give_back();
        std::process::exit(128 + signal);
    });
}

#[cfg(not(unix))]
pub(super) fn listen_for_signals(_: Sender<Message>, _: Arc<AtomicBool>) {}

fn message(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => match key_name(key)? {
            name if name == INTERRUPT => Some(Message::Leave),
            name => Some(Message::Key(name)),
        },
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Resize(w, h) => Some(Message::Resize(w, h)),
        Event::Mouse(m) => match m.kind {
            MouseEventKind::Down(MouseButton::Left) => Some(Message::Click(m.column, m.row)),
            MouseEventKind::ScrollDown => Some(Message::Wheel(m.column, m.row, true)),
            MouseEventKind::ScrollUp => Some(Message::Wheel(m.column, m.row, false)),
            _ => None,
        },
        _ => None,
    }
}

/// `q`, `Q`, `ctrl-c`, `left`, `shift-tab`, `f1`.
fn key_name(key: KeyEvent) -> Option<String> {
    let name = match key.code {
        KeyCode::Char(' ') => BLANK.to_string(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "enter".into(),
        KeyCode::Esc => "esc".into(),
        KeyCode::Tab => "tab".into(),
        KeyCode::BackTab => return Some("shift-tab".into()),
        KeyCode::Backspace => "backspace".into(),
        KeyCode::Delete => "delete".into(),
        KeyCode::Left => "left".into(),
        KeyCode::Right => "right".into(),
        KeyCode::Up => "up".into(),
        KeyCode::Down => "down".into(),
        KeyCode::Home => "home".into(),
        KeyCode::End => "end".into(),
        KeyCode::PageUp => "pageup".into(),
        KeyCode::PageDown => "pagedown".into(),
        KeyCode::F(n) => format!("f{n}"),
        _ => return None,
    };
    // Shift is already in the character.
    Some(if key.modifiers.contains(KeyModifiers::CONTROL) {
        format!("ctrl-{}", name.to_lowercase())
    } else if key.modifiers.contains(KeyModifiers::ALT) {
        format!("alt-{name}")
    } else {
        name
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_get_the_names_of_the_keymap() {
        let named = |code, modifiers| key_name(KeyEvent::new(code, modifiers));
        assert_eq!(named(KeyCode::Char('Q'), KeyModifiers::SHIFT).as_deref(), Some("Q"));
        assert_eq!(named(KeyCode::Char('c'), KeyModifiers::CONTROL).as_deref(), Some("ctrl-c"));
        assert_eq!(named(KeyCode::BackTab, KeyModifiers::SHIFT).as_deref(), Some("shift-tab"));
        assert_eq!(named(KeyCode::CapsLock, KeyModifiers::NONE), None);
    }
}
