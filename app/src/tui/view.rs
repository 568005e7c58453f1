//! Draws the state and changes nothing.

use super::layout::{Areas, Pane, SMALLEST, areas};
use super::look::{Look, ascii};
use super::panes::footer::{draw_footer, typed_part};
use super::panes::header::draw_header;
use super::panes::main_panel;
use super::state::DashboardState;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Paragraph, Wrap};

/// Draws one frame.
pub fn view(frame: &mut Frame<'_>, state: &DashboardState) {
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
    let areas = areas(screen, state.arrangement());
    let buffer = frame.buffer_mut();
    draw_header(buffer, areas.header, state, look);
    draw_panes(buffer, &areas, state, look);
    let body = Rect { y: screen.y + 1, height: screen.height - 2, ..screen };
    for overlay in &state.overlays {
        overlay.draw_pane(buffer, body, state, look);
    }
    draw_footer(buffer, areas.footer, state, look);
    let cursor = state.typed_line().map(|(label, input)| {
        let (_, x) = typed_part(&label, input, usize::from(areas.footer.width));
        (areas.footer.x + (x as u16).min(areas.footer.width - 1), areas.footer.y)
    });
    if state.ascii {
        to_ascii(buffer, screen);
    }
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

fn draw_panes(buffer: &mut Buffer, areas: &Areas, state: &DashboardState, look: Look<'_>) {
    // The focused one last: its border lies over those that it shares.
    let others = Pane::ALL.iter().copied().filter(|pane| *pane != state.focus);
    for pane in others.chain([state.focus]) {
        let area = areas.pane_area(pane);
        if area.area() > 0 {
            main_panel(pane).draw_pane(buffer, area, state, look);
        }
    }
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
