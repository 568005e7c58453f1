//! Draws the state and changes nothing.

use super::layout::{Areas, Pane, SMALLEST, areas};
use super::look::{Look, ascii};
use super::panes::{gpus, header, occupancy, overlays, predictions, roofline};
use super::prompt::Overlay;
use super::state::State;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Paragraph, Widget, Wrap};

/// Draws one frame.
pub fn view(frame: &mut Frame<'_>, state: &State) {
    let screen = frame.area();
    let look = Look(state.theme());
    if screen.width < SMALLEST.0 || screen.height < SMALLEST.1 {
        let text = format!(
            "roofswap needs {}x{}, this is {}x{}",
            SMALLEST.0, SMALLEST.1, screen.width, screen.height
        );
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), screen);
        return;
    }
    let areas = areas(screen, state.zoom.then_some(state.focus));
    let buffer = frame.buffer_mut();
    header::view(buffer, areas.header, state, look);
    panes(buffer, &areas, state, look);
    header::footer(buffer, areas.footer, state, look);
    let body = Rect { y: screen.y + 1, height: screen.height - 2, ..screen };
    overlays::view(buffer, body, state, look);
    let cursor = match &state.overlay {
        Overlay::Prompt { kind, input } => {
            let x = kind.label().len() + input.visual_cursor();
            Some((areas.footer.x + (x as u16).min(areas.footer.width - 1), areas.footer.y))
        }
        _ => None,
    };
    if state.ascii {
        to_ascii(buffer, screen);
    }
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

fn panes(buffer: &mut Buffer, areas: &Areas, state: &State, look: Look<'_>) {
    for pane in Pane::ALL {
        let area = areas.of(pane);
        if area.area() == 0 {
            continue;
        }
        match pane {
            Pane::Gpus => gpus::view(buffer, area, state, look),
            Pane::Roofline => roofline::view(buffer, area, state, look),
            Pane::Occupancy => occupancy::view(buffer, area, state, look),
            Pane::Predictions => predictions::view(buffer, area, state, look),
        }
    }
}

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

/// Text in at most `width` columns, its end marked if it was cut.
pub(super) fn clip(text: &str, width: usize) -> String {
    use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
    if text.len() <= width || text.width() <= width {
        return text.to_string();
    }
    let mut used = 0;
    let mut out = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

fn to_ascii(buffer: &mut Buffer, screen: Rect) {
    for position in screen.positions() {
        let cell = &mut buffer[position];
        if !cell.symbol().is_ascii() {
            let replacement = ascii(cell.symbol());
            cell.set_symbol(replacement);
        }
    }
}
