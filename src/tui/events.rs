//! From terminal events to messages: keys get the names that keymaps use.

use super::message::Message;
use ratatui::crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use std::sync::mpsc::Sender;

/// Reads events on a thread of its own until nobody listens any more or the terminal is gone.
pub(super) fn listen(sender: Sender<Message>) {
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if let Some(message) = message(event)
                && sender.send(message).is_err()
            {
                return;
            }
        }
        // The terminal is gone: leave as if asked to, so that the selection is remembered.
        let _ = sender.send(Message::Key("ctrl-c".into()));
    });
}

fn message(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key_name(key).map(Message::Key),
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
        KeyCode::Char(' ') => "space".to_string(),
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
