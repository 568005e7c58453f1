//! Ranks the GPUs anew whenever the question changes, on the worker; where the cursor of the board stands.

use super::jobs::WorkerJob;
use super::layout::{DashboardView, Pane};
use super::message::Effect;
use super::ranked::{BoardQuestion, RankedFor};
use super::state::DashboardState;
use crate::gpu::GpuId;
use crate::rank::Board;
use std::sync::Arc;

impl DashboardState {
    /// The question for the board, where one is on the screen and its rows answer another one.
    pub(super) fn ask_for_board(&mut self) -> Option<Effect> {
        let is_seen = match self.view {
            DashboardView::Board => true,
            DashboardView::Swap => self.areas().pane_area(Pane::Gpus).height > 2,
            _ => false,
        };
        if !is_seen {
            return None;
        }
        let subject = &self.rows[self.selected];
        let asked = RankedFor::of_subject(&self.session, subject, &self.selection, self.ranked.price_changes);
        if self.ranked.asked.as_ref() == Some(&asked) {
            return None;
        }
        self.ranked.asked = Some(asked.clone());
        // Shown only where it is what the reader waits for.
        let text = if self.ranked.board.is_none() && self.view == DashboardView::Board {
            "ranking the GPUs …"
        } else {
            ""
        };
        self.jobs.start_job(WorkerJob::Rank, text);
        Some(Effect::Rank(Box::new(BoardQuestion {
            session: self.session.clone(),
            subject: (**subject).clone(),
            selection: self.selection.clone(),
            prices: self.ranked.prices.clone(),
            today: self.ranked.today.clone(),
            asked,
        })))
    }

    /// The worker's rows, unless another question was put meanwhile.
    pub(super) fn take_board(&mut self, asked: &RankedFor, board: Board) {
        if self.ranked.asked.as_ref() == Some(asked) {
            self.jobs.end_job(WorkerJob::Rank);
            self.ranked.board = Some(Arc::new(board));
        }
    }

    /// The GPUs of the board in the order shown.
    pub(super) fn board_gpus(&self) -> Vec<GpuId> {
        self.ranked.shown_rows(&self.session).iter().map(|row| row.gpu).collect()
    }

    /// The line of the board's cursor; the target's, or the first, where its GPU is not shown.
    #[must_use]
    pub fn board_cursor(&self, gpus: &[GpuId]) -> usize {
        let place = |gpu: GpuId| gpus.iter().position(|g| *g == gpu);
        self.ranked.cursor.and_then(place).or_else(|| place(self.target())).unwrap_or(0)
    }

    /// Moves the board's cursor.
    pub(super) fn move_on_board(&mut self, by: isize) {
        let gpus = self.board_gpus();
        let last = gpus.len().saturating_sub(1) as isize;
        let line = (self.board_cursor(&gpus) as isize).saturating_add(by).clamp(0, last);
        self.ranked.cursor = gpus.get(line as usize).copied();
    }

    /// The GPU under the board's cursor.
    pub(super) fn gpu_on_board(&self) -> Option<GpuId> {
        let gpus = self.board_gpus();
        gpus.get(self.board_cursor(&gpus)).copied()
    }
}
