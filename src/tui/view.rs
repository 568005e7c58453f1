//! Draws the state and changes nothing.

use super::layout::{Areas, Pane, SMALLEST, areas};
use super::look::{Look, ascii};
use super::panes::{gpus, header, occupancy, overlays, predictions, roofline};
use super::prompt::Overlay;
use super::state::State;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Paragraph, Wrap};

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
    let areas = areas(screen, state.zoomed());
    let buffer = frame.buffer_mut();
    header::view(buffer, areas.header, state, look);
    panes(buffer, &areas, state, look);
    header::footer(buffer, areas.footer, state, look);
    let body = Rect { y: screen.y + 1, height: screen.height - 2, ..screen };
    overlays::view(buffer, body, state, look);
    let cursor = match &state.overlay {
        Overlay::Prompt { kind, input, .. } => {
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

fn to_ascii(buffer: &mut Buffer, screen: Rect) {
    for position in screen.positions() {
        let cell = &mut buffer[position];
        if !cell.symbol().is_ascii() {
            let replacement = ascii(cell.symbol());
            cell.set_symbol(replacement);
        }
    }
}
