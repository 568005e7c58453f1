//! Occupancy on source and target, and its curves where the pane fills the screen.

mod curves;
mod view;

use crate::chart::{ChartSides, ChartSpec, Curve, OccupancyView, occupancy_chart};
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::pane::{ChartOffer, Hint, Panel, Reaction, lines_moved};
use crate::tui::selection::next_in_ring;
use crate::tui::state::DashboardState;
pub use curves::shows_curves;
use curves::{curve_spec, has_room_for_curves};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use view::draw_occupancy;

/// The pane.
#[derive(Debug)]
pub struct OccupancyPane;

impl Panel<DashboardState> for OccupancyPane {
    fn key_context(&self) -> &'static str {
        Pane::Occupancy.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => state.zoom = !state.zoom,
            Action::Left => choose_curve(state, -1),
            Action::Right => choose_curve(state, 1),
            other => match lines_moved(other, state.focused_lines()) {
                // Two pages hold the table; single steps choose the kernel, as elsewhere.
                Some(by @ (-1 | 1)) if matches!(other, Action::Up | Action::Down) => state.move_row(by),
                Some(by) => state.table_end = by > 0,
                None => return Reaction::Passed,
            },
        }
        Reaction::Done(Vec::new())
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_occupancy(buffer, area, state, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        let label = state.kernel().label();
        let (what, spec) = if shows_curves(state) {
            (format!("{}-curve-{label}", state.curve.as_str()), curve_spec(state, state.curve))
        } else {
            (format!("occupancy-{label}"), occupancy_spec(state))
        };
        ChartOffer::Chart(state.chart_name(&what), Box::new(spec))
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        if !shows_curves(state) {
            let zoom = match (state.zoom, has_room_for_curves(state)) {
                (true, _) => "back",
                (false, true) => "curves",
                (false, false) => "zoom",
            };
            return vec![
                Hint { actions: &[Action::Zoom], text: zoom },
                Hint { actions: &[Action::PageDown], text: "more lines" },
                Hint { actions: &[Action::Export], text: "export" },
            ];
        }
        vec![
            Hint { actions: &[Action::Left, Action::Right], text: "curve" },
            Hint { actions: &[Action::SizeFinerDown, Action::SizeFinerUp], text: "finer size" },
            Hint { actions: &[Action::Zoom], text: "back" },
            Hint { actions: &[Action::Export], text: "export" },
        ]
    }
}

fn choose_curve(state: &mut DashboardState, by: isize) {
    if shows_curves(state) {
        state.curve = next_in_ring(&Curve::ALL, state.curve, by);
    }
}

/// The occupancy of the selected row.
fn occupancy_spec(state: &DashboardState) -> ChartSpec {
    occupancy_chart(&OccupancyView {
        gpus: state.pair(),
        kernel: state.kernel(),
        problem: &state.size_of(state.selected),
        answer: state.answer(),
        further: &state.further_targets(),
        show: ChartSides::Both,
    })
}
