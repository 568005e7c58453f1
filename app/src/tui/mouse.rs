//! Clicks focus and select, on a heading sort, on the footer press the key that stands there; the wheel scrolls.

use super::keys::key_pressed;
use super::message::Effect;
use super::pane::CellInside;
use super::panes::footer::key_at;
use super::panes::main_panel;
use super::state::DashboardState;

/// Lines that the wheel moves over a sheet.
const WHEEL_LINES: isize = 3;

/// A click on the footer presses the key that stands there; else it closes what is open, or focuses a pane and selects the line.
pub(super) fn mouse_clicked(state: &mut DashboardState, x: u16, y: u16) -> Vec<Effect> {
    let areas = state.areas();
    if areas.footer.contains((x, y).into()) {
        return key_at(state, x).map_or_else(Vec::new, |key| key_pressed(state, &key));
    }
    if !state.overlays.is_empty() {
        state.overlays.clear();
        return Vec::new();
    }
    let Some(pane) = areas.pane_at(x, y) else { return Vec::new() };
    state.focus_pane(pane);
    let area = areas.pane_area(pane);
    let inside = |at: u16, start: u16| at.checked_sub(start + 1).map(usize::from);
    if let (Some(column), Some(line)) = (inside(x, area.x), inside(y, area.y)) {
        main_panel(pane).click(CellInside { column, line }, area, state);
    }
    Vec::new()
}

/// The wheel scrolls what is open, else the list under the mouse.
pub(super) fn wheel_turned(state: &mut DashboardState, x: u16, y: u16, down: bool) -> Vec<Effect> {
    let by = if down { 1 } else { -1 };
    if let Some(mut open) = state.overlays.pop() {
        open.scroll_lines(by * WHEEL_LINES, state);
        state.overlays.push(open);
    } else if let Some(pane) = state.areas().pane_at(x, y) {
        main_panel(pane).scroll_lines(by, state);
    }
    Vec::new()
}
