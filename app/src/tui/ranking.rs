//! Ranks the GPUs anew whenever the question changes, on the worker; where the cursor of the board stands.

use super::asked_workload::AskedAbout;
use super::jobs::WorkerJob;
use super::layout::{DashboardView, Pane};
use super::message::Effect;
use super::ranked::{BoardQuestion, BoardRows, RankedApplication, RankedFor, RowPlace};
use super::state::DashboardState;
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
        // The GPU list of the home view shows what the selected kernel does on every GPU.
        let is_board = self.view == DashboardView::Board;
        let asked_about = if is_board { self.asked_about() } else { AskedAbout::Kernel };
        let rows = match (is_board, asked_about) {
            (false, _) | (_, AskedAbout::Application) => BoardRows::Gpus,
            _ => self.ranked.rows,
        };
        let mix = self.ranked.mix.clone().filter(|_| asked_about == AskedAbout::Mix);
        let application = self.asked_application().filter(|_| is_board);
        // Another number with the mix than without it.
        let changes = self.ranked.changes * 2 + u64::from(mix.is_some());
        let asked = RankedFor::of_subject(&self.session, subject, &self.selection, rows, changes)
            .with_application(application);
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
            rows,
            mix,
            application: self
                .application
                .application
                .clone()
                .filter(|_| asked_about == AskedAbout::Application)
                .map(|application| RankedApplication {
                    application,
                    source: self.application_source(),
                    settings: self.application.settings,
                }),
            prices: self.ranked.prices.clone(),
            today: self.ranked.today.clone(),
            asked,
        })))
    }

    /// The worker's rows, unless another question was put meanwhile.
    pub(super) fn take_board(&mut self, asked: &RankedFor, board: Result<Board, String>) {
        if self.ranked.asked.as_ref() == Some(asked) {
            self.jobs.end_job(WorkerJob::Rank);
            let (board, refused) = match board {
                Ok(board) => (Some(Arc::new(board)), None),
                Err(why) => (None, Some(why)),
            };
            (self.ranked.board, self.ranked.refused) = (board, refused);
        }
    }

    /// The rows of the board in the order shown.
    pub(super) fn board_places(&self) -> Vec<RowPlace> {
        self.ranked.shown_rows(&self.session).into_iter().map(RowPlace::of_row).collect()
    }

    /// The line of the board's cursor; the first one, which is the best, where nobody moved it or its row is not shown.
    #[must_use]
    pub fn board_cursor(&self, rows: &[RowPlace]) -> usize {
        let place = |place: &RowPlace| rows.iter().position(|row| row == place);
        self.ranked.cursor.as_ref().and_then(place).unwrap_or(0)
    }

    /// Moves the board's cursor.
    pub(super) fn move_on_board(&mut self, by: isize) {
        let rows = self.board_places();
        let last = rows.len().saturating_sub(1) as isize;
        let line = (self.board_cursor(&rows) as isize).saturating_add(by).clamp(0, last);
        self.ranked.cursor = rows.into_iter().nth(line as usize);
    }

    /// The row under the board's cursor.
    pub(super) fn row_on_board(&self) -> Option<RowPlace> {
        let rows = self.board_places();
        let line = self.board_cursor(&rows);
        rows.into_iter().nth(line)
    }
}
