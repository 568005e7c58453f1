//! Which rows and GPUs are shown, in which order, and where the cursors stand.

use super::board_filter::{BoardFilter, lettered_parts};
use super::filter::Filter;
use super::layout::{Areas, Pane, areas};
use super::selection::Sort;
use super::state::DashboardState;
use crate::gpu::{Gpu, GpuId};
use ratatui::layout::Rect;
use std::cmp::Reverse;

/// Lines of the predictions that are no rows: the border and the heading.
const AROUND_ROWS: u16 = 3;

impl DashboardState {
    /// Filters and sorts the rows; the selected row stays selected if it is still shown.
    pub(super) fn arrange(&mut self) {
        let mut shown = self.filtered_rows();
        if self.sort.0 != Sort::Kernel {
            self.sort_rows(&mut shown);
        }
        if self.sort.1 {
            // What has no number stays last in either direction.
            let finite = |r: &usize| self.sort.0 == Sort::Kernel || self.sort_key(*r).is_finite();
            let numbers = shown.partition_point(finite);
            shown[..numbers].reverse();
        }
        self.own_rows_first(&mut shown);
        self.shown = shown;
        self.workload.on_fold &= self.fold_line().is_some();
        self.pending.errors_are_old = true;
        if !self.shown.contains(&self.selected)
            && let Some(first) = self.shown.first().copied()
        {
            self.select_row(first);
        }
    }

    /// The rows that fit the filter, the best first where they stand by name.
    fn filtered_rows(&self) -> Vec<usize> {
        let filter = Filter::new(&self.row_filter);
        if filter.is_empty() {
            return (0..self.rows.len()).collect();
        }
        let scored = (0..self.rows.len()).filter_map(|row| Some((self.filter_score(&filter, row)?, row)));
        let mut scored: Vec<(u32, usize)> = scored.collect();
        // Unless a column was chosen to sort by.
        if self.sort.0 == Sort::Kernel {
            scored.sort_by_key(|(score, _)| Reverse(*score));
        }
        scored.into_iter().map(|(_, row)| row).collect()
    }

    fn filter_score(&self, filter: &Filter, row: usize) -> Option<u32> {
        let kernel = self.kernel_of(row);
        filter.score(&[kernel.label(), &kernel.id, &self.size_of(row)])
    }

    /// Sorts by numbers; while rows are still predicted, the order stays what it was.
    fn sort_rows(&self, shown: &mut [usize]) {
        if self.pending.missing > 0 {
            let mut places = vec![usize::MAX; self.rows.len()];
            self.shown.iter().enumerate().for_each(|(place, row)| {
                if let Some(kept) = places.get_mut(*row) {
                    *kept = place;
                }
            });
            shown.sort_by_key(|row| places[*row]);
            // The direction is turned over afterwards.
            if self.sort.1 {
                shown.reverse();
            }
            return;
        }
        shown.sort_by(|a, b| self.sort_key(*a).total_cmp(&self.sort_key(*b)).then(a.cmp(b)));
    }

    /// The number that a row is sorted by; infinite where it has none.
    fn sort_key(&self, row: usize) -> f64 {
        let Some(figures) = self.figures_of(row) else { return f64::INFINITY };
        let key = match self.sort.0 {
            Sort::Kernel => None,
            Sort::Source => figures.source.map(|t| t.0),
            Sort::Predicted => figures.predicted.map(|t| t.0),
            Sort::Speedup => figures.speedup.map(|s| -s),
            Sort::Error => figures.error_percent.map(|e| -e.abs()),
        };
        key.unwrap_or(f64::INFINITY)
    }

    /// Filters the GPUs; the cursor stays on its GPU if that is still shown.
    pub(super) fn arrange_gpus(&mut self) {
        let under = self.gpus.get(self.gpu_cursor).copied();
        let parts = lettered_parts(&self.gpu_filter);
        let limits = BoardFilter::read(&self.gpu_filter, &self.session);
        let score = |gpu: &Gpu| parts.iter().filter_map(|part| gpu_score(part, gpu)).max();
        let entries = self.session.listed_gpus().map(|gpu| (gpu, &self.session.gpus[gpu]));
        let within = entries.filter(|(at, _)| {
            limits.is_within_limits(*at, self.ranked.prices.quote(&self.session.gpus, *at))
        });
        let scored = within.filter_map(|(place, gpu)| Some((score(gpu)?, place)));
        let mut scored: Vec<(u32, GpuId)> = scored.collect();
        scored.sort_by_key(|(score, _)| Reverse(*score));
        self.gpus = scored.into_iter().map(|(_, place)| place).collect();
        self.gpu_cursor = self.gpus.iter().position(|g| Some(*g) == under).unwrap_or(0);
    }

    /// The list of GPUs shows a target that was chosen elsewhere.
    pub(super) fn show_target_in_list(&mut self) {
        if self.focus != Pane::Gpus {
            let place = self.gpus.iter().position(|gpu| *gpu == self.target());
            self.gpu_cursor = place.unwrap_or(self.gpu_cursor);
        }
    }

    /// Moves the cursor of the GPUs.
    pub(super) fn move_gpu(&mut self, by: isize) {
        let last = self.gpus.len().saturating_sub(1) as isize;
        self.gpu_cursor = (self.gpu_cursor as isize).saturating_add(by).clamp(0, last) as usize;
    }

    /// Moves the cursor over the lines of the table.
    pub(super) fn move_row(&mut self, by: isize) {
        let Some(last) = self.table_lines().checked_sub(1) else { return };
        let line = (self.cursor_line() as isize).saturating_add(by).clamp(0, last as isize);
        self.go_to_line(line as usize);
        self.readout = None;
    }

    /// Selects the next kernel shown, or the one before: the fold is stepped over.
    pub(super) fn step_kernel(&mut self, by: isize) {
        self.move_row(by);
        if self.workload.on_fold {
            let line = self.cursor_line();
            self.move_row(by);
            // Nothing lies behind it.
            if self.cursor_line() == line {
                self.move_row(-by);
            }
        }
    }

    /// Where the panes lie now.
    #[must_use]
    pub fn areas(&self) -> Areas {
        areas(Rect::new(0, 0, self.size.0, self.size.1), self.arrangement())
    }

    /// Lines inside the border of the pane with the keyboard.
    #[must_use]
    pub fn focused_lines(&self) -> usize {
        self.lines_of_pane(self.focus)
    }

    /// Lines inside a pane.
    pub(super) fn lines_of_pane(&self, pane: Pane) -> usize {
        usize::from(self.areas().pane_area(pane).height.saturating_sub(2).max(1))
    }

    /// Lines inside a sheet over the panes that is as high as it can be.
    pub(super) fn lines_of_sheet(&self) -> usize {
        usize::from(self.size.1.saturating_sub(4).max(1))
    }

    /// Rows on one page of the predictions.
    #[must_use]
    pub fn predictions_page(&self) -> usize {
        rows_in(self.areas().pane_area(Pane::Predictions))
    }
}

/// Rows on one page of predictions in this area.
#[must_use]
pub fn rows_in(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(AROUND_ROWS)).max(1)
}

fn gpu_score(filter: &Filter, gpu: &Gpu) -> Option<u32> {
    let capability = gpu.cuda.compute_capability.to_string();
    filter.score(&[&gpu.id, &gpu.name, &gpu.architecture.to_string(), &capability])
}
