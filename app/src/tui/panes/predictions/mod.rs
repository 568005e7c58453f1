//! The table of predictions: one row per kernel and size.

mod names;
mod size_text;
mod view;

use crate::chart::{ChartSpec, PredictionRow, predictions_chart};
use crate::predict::MODELS;
use crate::tui::action::Action;
use crate::tui::arrange::rows_in;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::pane::{CellInside, ChartOffer, Hint, Panel, Reaction, lines_moved};
use crate::tui::selection::{Sort, next_in_ring};
use crate::tui::state::DashboardState;
use crate::tui::text::more_targets;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use view::{draw_predictions, sort_under};

/// The pane.
#[derive(Debug)]
pub struct PredictionsPane;

impl Panel<DashboardState> for PredictionsPane {
    fn key_context(&self) -> &'static str {
        Pane::Predictions.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick if state.workload.on_fold => state.toggle_fold(),
            Action::Pick => return Reaction::Run(Action::Explain),
            Action::Left => sort_by_next(state, -1),
            Action::Right => sort_by_next(state, 1),
            other => match lines_moved(other, state.predictions_page()) {
                Some(by) => state.move_row(by),
                None => return Reaction::Passed,
            },
        }
        Reaction::Done(Vec::new())
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_predictions(buffer, area, state, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        if state.pending.missing > 0 {
            return ChartOffer::Refused("the rows are still being predicted; try again in a moment".into());
        }
        ChartOffer::Chart(state.chart_name("predictions"), Box::new(predictions_spec(state)))
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        let fold = if state.workload.unfolded { "fold" } else { "unfold" };
        let pick = match (state.workload.on_fold, state.shows_explanation()) {
            (true, _) => fold,
            (false, true) => "close",
            (false, false) => "explain",
        };
        let mut hints = vec![Hint { actions: &[Action::Pick], text: pick }];
        if state.shows_explanation() {
            hints.push(Hint { actions: &[Action::ScrollDown], text: "scroll it" });
        }
        hints.extend([
            Hint { actions: &[Action::Filter], text: "filter" },
            Hint { actions: &[Action::SortNext], text: "sort" },
        ]);
        hints
    }

    fn click(&mut self, at: CellInside, area: Rect, state: &mut DashboardState) {
        let Some(line) = at.line.checked_sub(1) else {
            sort_by_heading(state, area, at.column);
            return;
        };
        let start = page_start(state.cursor_line(), rows_in(area), state.table_lines());
        if start + line < state.table_lines() {
            state.go_to_line(start + line);
        }
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        state.move_row(by);
    }
}

/// Sorts by the next column, or the one before.
pub fn sort_by_next(state: &mut DashboardState, by: isize) {
    state.sort.0 = next_in_ring(&Sort::ALL, state.sort.0, by);
    state.arrange();
}

/// A click on a heading sorts by its column; on the one that is sorted by already it reverses the order.
fn sort_by_heading(state: &mut DashboardState, area: Rect, column: usize) {
    let Some(sort) = sort_under(state, area, column) else { return };
    state.sort = if state.sort.0 == sort { (sort, !state.sort.1) } else { (sort, false) };
    state.arrange();
}

/// The most rows one chart can show legibly.
const MOST_ROWS: usize = 60;

/// The predictions that are shown.
fn predictions_spec(state: &DashboardState) -> ChartSpec {
    let row = |r: &usize| {
        let name = format!("{} {}", state.kernel_of(*r).label(), state.size_of(*r));
        state.figures_of(*r)?;
        Some(PredictionRow::new(name, &state.whole_answer(*r)))
    };
    let rows: Vec<PredictionRow> = state.shown.iter().take(MOST_ROWS).filter_map(row).collect();
    let subtitle = format!("{}, {}", MODELS[state.model_shown()].id(), state.answer().used());
    let mut chart = predictions_chart(&rows, state.pair(), &subtitle);
    if state.shown.len() > rows.len() {
        chart.notes.push(format!(
            "the first {} of {} rows; filter to see others",
            rows.len(),
            state.shown.len()
        ));
    }
    let further = state.selection.targets.len() - 1;
    if further > 0 {
        chart.notes.push(format!("… and {} on screen: their times are not drawn", more_targets(further)));
    }
    chart
}
