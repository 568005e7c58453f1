//! The border that all panes share.

use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::text::clip;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Widget};

/// The frame of a pane: its number and name, what it says beside that, and whether it has the keyboard. Returns the inside.
pub(super) fn pane_frame(
    buffer: &mut Buffer,
    area: Rect,
    state: &State,
    pane: Pane,
    beside: &str,
    look: Look<'_>,
) -> Rect {
    let focused = state.focus == pane;
    let (border, title) = if focused { (look.focus(), look.focus()) } else { (look.border(), look.title()) };
    // A heavy border tells the focus apart without colour.
    let kind = if focused { BorderType::Thick } else { BorderType::Plain };
    let mut text = format!(" {} ", pane.title());
    if !beside.is_empty() {
        text.push_str(&format!("─ {beside} "));
    }
    let line = Line::styled(clip(&text, usize::from(area.width.saturating_sub(2))), title);
    let block = Block::bordered().border_type(kind).border_style(border).title(line);
    let inside = block.inner(area);
    block.render(area, buffer);
    inside
}
