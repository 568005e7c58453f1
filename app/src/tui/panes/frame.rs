//! The borders that all panes and all sheets over them share.

use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::clipped_text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::symbols::merge::MergeStrategy;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Widget};
use unicode_width::UnicodeWidthStr;

/// The frame of a pane: its number and name, what it says beside that, and whether it is focused. Returns the inside.
pub(super) fn pane_frame(
    buffer: &mut Buffer,
    area: Rect,
    state: &DashboardState,
    pane: Pane,
    beside: &str,
    look: Look<'_>,
) -> Rect {
    if area.height == 1 {
        return folded_frame(buffer, area, pane, beside, look);
    }
    let focused = state.focus == pane;
    let (border, title) = if focused { (look.focus(), look.focus()) } else { (look.border(), look.title()) };
    // On a border a style without a colour would take the border's.
    let title = title.fg(title.fg.unwrap_or(Color::Reset));
    // A heavy border tells the focus apart without colour.
    let kind = if focused { BorderType::Thick } else { BorderType::Plain };
    let mut text = format!(" {} ", pane.title());
    if !beside.is_empty() {
        text.push_str(&format!("─ {beside} "));
    }
    let line = Line::styled(clipped_text(&text, usize::from(area.width.saturating_sub(2))), title);
    let block = Block::bordered()
        .border_type(kind)
        .border_style(border)
        .merge_borders(MergeStrategy::Fuzzy)
        .title(line);
    let inside = block.inner(area);
    block.render(area, buffer);
    inside
}

/// A pane of which only the title is shown: a line of its own, and no inside.
fn folded_frame(buffer: &mut Buffer, area: Rect, pane: Pane, beside: &str, look: Look<'_>) -> Rect {
    let beside = if beside.is_empty() { String::new() } else { format!(" ─ {beside}") };
    let text = clipped_text(&format!("▸ {}{beside}", pane.title()), usize::from(area.width));
    Line::styled(text, look.title()).render(area, buffer);
    Rect { height: 0, ..area }
}

/// The frame of a sheet over the panes, with what its keys do at the foot. Returns the inside.
pub(super) fn sheet(buffer: &mut Buffer, area: Rect, title: &str, foot: &str, look: Look<'_>) -> Rect {
    Clear.render(area, buffer);
    let block = Block::bordered()
        .border_type(BorderType::Thick)
        .border_style(look.focus())
        .title(Line::styled(
            format!(" {} ", clipped_text(title, usize::from(area.width.saturating_sub(4)))),
            look.title(),
        ))
        .title_bottom(Line::styled(foot_in(foot, usize::from(area.width.saturating_sub(2))), look.dim()));
    let inside = block.inner(area);
    block.render(area, buffer);
    inside
}

/// What a foot says in so many columns: its last words are the way out, those before them give way.
fn foot_in(foot: &str, width: usize) -> String {
    let mut parts: Vec<&str> = foot.trim().split(", ").collect();
    while parts.len() > 1 && parts.join(", ").width() + 2 > width {
        parts.remove(parts.len() - 2);
    }
    if parts[0].is_empty() { String::new() } else { format!(" {} ", parts.join(", ")) }
}

/// Draws lines below each other, from `top` on, as many as there is room for.
pub(super) fn draw_lines(buffer: &mut Buffer, area: Rect, lines: Vec<Line<'static>>, top: usize) {
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(top)) {
        line.render(Rect { y, height: 1, ..area }, buffer);
    }
}
