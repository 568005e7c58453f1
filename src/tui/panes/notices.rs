//! Import notes: what was refused while loading, and what else is to be known of the files.

use super::frame::{draw_lines, pane_frame};
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::pane::{Hint, Panel, Reaction};
use crate::tui::state::State;
use crate::tui::text::paragraph;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The pane.
#[derive(Debug)]
pub struct NotesPane;

impl Panel<State> for NotesPane {
    fn context(&self) -> &'static str {
        Pane::Notes.place()
    }

    fn handle_action(&mut self, action: Action, state: &mut State) -> Reaction {
        let scrolled = state.evidence_scroll[3].scroll_action(action);
        if scrolled { Reaction::Done(Vec::new()) } else { Reaction::Passed }
    }

    fn draw(&self, buffer: &mut Buffer, area: Rect, state: &State, look: Look<'_>) {
        let inside = pane_frame(buffer, area, state, Pane::Notes, &beside(state), look);
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let lines = notice_lines(state, usize::from(text.width), look);
        let top = state.evidence_scroll[3].first_line(lines.len(), usize::from(text.height));
        draw_lines(buffer, text, lines, top);
    }

    fn hints(&self, _: &State) -> Vec<Hint> {
        vec![Hint { actions: &[Action::PageDown, Action::PageUp], text: "scroll" }]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut State) {
        state.evidence_scroll[3].scroll_by(by);
    }
}

fn notice_lines(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    if state.notices.is_empty() {
        return vec![Line::styled("no import notes", look.dim())];
    }
    state.notices.iter().flat_map(|n| paragraph(n, width, look.text())).collect()
}

/// How many notes there are, and how many rows were refused.
fn beside(state: &State) -> String {
    match (state.notices.len(), state.refused_rows) {
        (0, _) => "none".into(),
        (notes, 0) => notes.to_string(),
        (notes, rows) => format!("{notes}, {rows} rows refused"),
    }
}
