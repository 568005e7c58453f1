//! The curves beside the limits in the zoomed occupancy: as many as have room, the chosen one first.
//!
//! ```text
//! ▸ occupancy % / block size          occupancy % / registers
//! 100┤──────┐                         100┤────────┐
//!    │╌╌╌╌╌┐└───S                        │╌╌╌╌┐   S──┐
//!   0┤                                  0┤    T╌╌╌   └────
//! ```

use crate::chart::{ChartSides, ChartSpec, Curve, CurveView, curve_chart};
use crate::tui::canvas;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::clipped_text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// The least room in which a curve can be read.
pub(super) const LEAST: (u16, u16) = (34, 9);

/// The narrowest numbers beside a curve: names in full and two columns.
pub(super) const LEAST_TABLE: u16 = 42;

/// Columns between the numbers and the curves.
pub(super) const GAP: u16 = 2;

/// What lies around the numbers and curves: the frame, and above and below it the first and the last line of the screen.
const AROUND: (u16, u16) = (2, 4);

/// Whether the screen has room for a curve beside the numbers of the zoomed occupancy.
pub(super) fn has_room_for_curves(state: &DashboardState) -> bool {
    let (width, height) = state.size;
    width >= LEAST_TABLE + GAP + LEAST.0 + AROUND.0 && height >= LEAST.1 + AROUND.1
}

/// Whether the zoomed occupancy shows its curves.
#[must_use]
pub fn shows_curves(state: &DashboardState) -> bool {
    state.zoomed() == Some(Pane::Occupancy) && has_room_for_curves(state)
}

/// One curve of the selected row, as the zoomed pane and the export draw it.
#[must_use]
pub fn curve_spec(state: &DashboardState, curve: Curve) -> ChartSpec {
    let (gpus, kernel, answer) = (state.pair(), state.kernel(), state.answer());
    let row = &state.rows[state.selected];
    let (problem, variant) = (&*row.problem, &*row.variant);
    curve_chart(&CurveView { gpus, kernel, problem, variant, answer, show: ChartSides::Both }, curve)
}

/// Draws the curves that have room.
pub(super) fn draw_curves(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    for (curve, cell) in placed(area, state.curve) {
        let (mark, style) = if curve == state.curve { ("▸ ", look.focus()) } else { ("  ", look.title()) };
        let title =
            clipped_text(&format!("{mark}{}", curve.title()), usize::from(cell.width.saturating_sub(1)));
        buffer.set_string(cell.x, cell.y, title, style);
        let chart = Rect { y: cell.y + 1, height: cell.height - 1, width: cell.width - 1, ..cell };
        let spec = curve_spec(state, curve);
        if spec.marks.is_empty() {
            buffer.set_stringn(chart.x, chart.y, "  not known", usize::from(chart.width), look.caution());
        } else {
            canvas::draw_chart(buffer, chart, &spec, look);
        }
    }
}

/// Which curves are shown, and where: a grid of up to two columns. Where not all have room, the chosen one comes first.
fn placed(area: Rect, chosen: Curve) -> Vec<(Curve, Rect)> {
    let columns = (area.width / LEAST.0).min(2);
    let rows = (area.height / LEAST.1).min(if columns == 2 { 2 } else { 4 });
    let room = usize::from(columns * rows);
    if room == 0 {
        return Vec::new();
    }
    let first = if room >= Curve::ALL.len() { Curve::ALL[0] } else { chosen };
    let order = Curve::ALL.into_iter().cycle().skip_while(move |c| *c != first);
    let (width, height) = (area.width / columns, area.height / rows);
    let cell =
        |i: u16| Rect { x: area.x + i % columns * width, y: area.y + i / columns * height, width, height };
    order.take(room.min(Curve::ALL.len())).zip(0..).map(|(curve, i)| (curve, cell(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_comes_up_whatever_the_room() {
        for (w, h) in [(40, 20), (70, 36), (110, 46), (150, 56), (34, 9), (10, 3)] {
            let area = Rect::new(0, 0, w, h);
            for chosen in Curve::ALL {
                let shown = placed(area, chosen);
                assert!(
                    shown.is_empty() == (w < 34) && (shown.is_empty() || shown.iter().any(|s| s.0 == chosen))
                );
                assert!(shown.iter().all(|(_, r)| r.intersection(area) == *r), "{w}x{h}");
            }
        }
        assert_eq!(placed(Rect::new(0, 0, 110, 46), Curve::Size).len(), 4);
        assert_eq!(placed(Rect::new(0, 0, 40, 20), Curve::Size).len(), 2);
    }
}
