//! The list of all commands, filtered while typing.

use super::frame::sheet;
use crate::tui::action::Action;
use crate::tui::filter::Filter;
use crate::tui::layout::page_start;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{OverlayPanel, Panel, Reaction, lines_moved};
use crate::tui::state::State;
use crate::tui::text::{LONGEST_TYPED, clip, edit_line};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use tui_input::{Input, InputRequest};

/// Lines that a page key moves.
const PAGE: usize = 10;

/// The open palette.
#[derive(Debug, Clone, Default)]
pub struct CommandPalette {
    /// The filter.
    input: Input,
    /// The chosen line.
    cursor: usize,
}

impl CommandPalette {
    fn move_cursor(&mut self, by: isize) {
        let last = matching_actions(self.input.value()).len().saturating_sub(1);
        self.cursor = self.cursor.saturating_add_signed(by).min(last);
    }
}

impl Panel<State> for CommandPalette {
    fn context(&self) -> &'static str {
        "palette"
    }

    fn handle_action(&mut self, action: Action, _: &mut State) -> Reaction {
        match action {
            Action::Pick => match matching_actions(self.input.value()).get(self.cursor) {
                Some(chosen) => Reaction::Run(*chosen),
                None => Reaction::Close(Vec::new()),
            },
            Action::Cancel => Reaction::Close(Vec::new()),
            other => match lines_moved(other, PAGE) {
                Some(by) => {
                    self.move_cursor(by);
                    Reaction::Done(Vec::new())
                }
                None => Reaction::Passed,
            },
        }
    }

    fn draw(&self, buffer: &mut Buffer, body: Rect, state: &State, look: Look<'_>) {
        draw_palette(self, buffer, body, state, look);
    }

    fn scroll_lines(&mut self, by: isize, _: &mut State) {
        self.move_cursor(by);
    }
}

impl OverlayPanel<State> for CommandPalette {
    fn clone_box(&self) -> Box<dyn OverlayPanel<State>> {
        Box::new(self.clone())
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn edit_text(&mut self, request: InputRequest, _: &mut State) -> Vec<Effect> {
        self.cursor = 0;
        edit_line(&mut self.input, request, LONGEST_TYPED);
        Vec::new()
    }
}

/// The commands that fit what is typed, the best first.
#[must_use]
pub fn matching_actions(typed: &str) -> Vec<Action> {
    let texts = |action: &Action| (*action, vec![action.id().replace('_', " "), action.doc().to_string()]);
    Filter::new(typed).ranked(Action::ALL.iter().map(texts))
}

fn draw_palette(palette: &CommandPalette, buffer: &mut Buffer, body: Rect, state: &State, look: Look<'_>) {
    let (typed, cursor) = (palette.input.value(), palette.cursor);
    let found = matching_actions(typed);
    let height = (found.len() as u16 + 3).clamp(4, body.height.min(20));
    let area = body.centered(Constraint::Length(body.width.min(90)), Constraint::Length(height));
    let inside = sheet(buffer, area, "Commands", " Enter runs, Esc closes ", look);
    let line_at =
        |i: u16| Rect { x: inside.x + 1, y: inside.y + i, width: inside.width.saturating_sub(1), height: 1 };
    if inside.height == 0 {
        return;
    }
    Line::from(vec![
        Span::styled(": ", look.key()),
        Span::raw(typed.to_string()),
        Span::styled("_", look.dim()),
    ])
    .render(line_at(0), buffer);
    let page = usize::from(inside.height) - 1;
    let start = page_start(cursor, page);
    for (i, action) in found.iter().enumerate().skip(start).take(page) {
        let key = state.keymap.key_of(action.id()).unwrap_or("");
        let text = format!("{key:<10} {}", clip(action.doc(), usize::from(inside.width).saturating_sub(13)));
        let style = if i == cursor { look.selection() } else { look.text() };
        Line::styled(text, style).render(line_at((i - start) as u16 + 1), buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_finds_commands_by_letters_in_order() {
        assert_eq!(matching_actions("swap")[0], Action::Swap);
        assert_eq!(matching_actions("copy com")[0], Action::CopyCommand);
        assert_eq!(matching_actions("").len(), Action::ALL.len());
        assert!(matching_actions("zzzz").is_empty());
    }
}
