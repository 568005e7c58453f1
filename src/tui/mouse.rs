//! Clicks focus and select, the wheel scrolls.

use super::keys::scroll_overlay;
use super::layout::{Pane, page_start};
use super::message::Effect;
use super::panes::{gpus, predictions};
use super::prompt::Overlay;
use super::run::{move_gpu, move_row, screen_areas};
use super::state::State;

pub(super) fn click(state: &mut State, x: u16, y: u16) -> Vec<Effect> {
    if !matches!(state.overlay, Overlay::None) {
        state.overlay = Overlay::None;
        return Vec::new();
    }
    let areas = screen_areas(state);
    let Some(pane) = areas.pane_at(x, y) else { return Vec::new() };
    state.focus = pane;
    let area = areas.of(pane);
    let line = usize::from(y.saturating_sub(area.y + 1));
    match pane {
        Pane::Gpus => {
            let line = line.saturating_sub(usize::from(gpus::head_height(area)));
            let start = page_start(state.gpu_cursor, gpus::page(area));
            if start + line < state.gpus.len() {
                state.gpu_cursor = start + line;
            }
        }
        Pane::Predictions if line >= 1 => {
            let at = state.shown.iter().position(|r| *r == state.selected).unwrap_or(0);
            let start = page_start(at, predictions::page(area));
            if let Some(row) = state.shown.get(start + line - 1) {
                state.selected = *row;
            }
        }
        _ => {}
    }
    Vec::new()
}

pub(super) fn wheel(state: &mut State, x: u16, y: u16, down: bool) -> Vec<Effect> {
    if scroll_overlay(state, if down { 3 } else { -3 }) {
        return Vec::new();
    }
    let by = if down { 1 } else { -1 };
    match screen_areas(state).pane_at(x, y) {
        Some(Pane::Gpus) => move_gpu(state, by),
        Some(Pane::Predictions) => move_row(state, by),
        _ => {}
    }
    Vec::new()
}
