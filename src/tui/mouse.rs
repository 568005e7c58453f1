//! Clicks focus and select, the wheel scrolls.

use super::message::Effect;
use super::panes::main_panel;
use super::state::State;

/// Lines that the wheel moves over a sheet.
const WHEEL_LINES: isize = 3;

/// A click closes what is open; else it focuses a pane and selects the line.
pub(super) fn mouse_clicked(state: &mut State, x: u16, y: u16) -> Vec<Effect> {
    if !state.overlays.is_empty() {
        state.overlays.clear();
        return Vec::new();
    }
    let areas = state.areas();
    let Some(pane) = areas.pane_at(x, y) else { return Vec::new() };
    state.focus = pane;
    let area = areas.of(pane);
    let line = usize::from(y.saturating_sub(area.y + 1));
    main_panel(pane).click_line(line, area, state);
    Vec::new()
}

/// The wheel scrolls what is open, else the list under the mouse.
pub(super) fn wheel_turned(state: &mut State, x: u16, y: u16, down: bool) -> Vec<Effect> {
    let by = if down { 1 } else { -1 };
    if let Some(mut open) = state.overlays.pop() {
        open.scroll_lines(by * WHEEL_LINES, state);
        state.overlays.push(open);
    } else if let Some(pane) = state.areas().pane_at(x, y) {
        main_panel(pane).scroll_lines(by, state);
    }
    Vec::new()
}
