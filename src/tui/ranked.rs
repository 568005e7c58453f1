//! What the board knows: the ranked GPUs, what they were ranked for, and how they are shown.

use super::selection::Selection;
use crate::gpu::GpuId;
use crate::kernel::{BlockSize, KernelId, Problem};
use crate::predict::Subject;
use crate::rank::{Board, PriceBook, RankOrder, RankQuestion, RankedRow, each_architecture, select_targets};
use crate::session::{Revision, Session};
use crate::workload::Workload;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What GPUs are ranked for: another question is asked anew.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedFor {
    revision: Revision,
    kernel: KernelId,
    problem: Arc<Problem>,
    variant: Arc<str>,
    block: Option<BlockSize>,
    selection: Selection,
    prices: u64,
}

/// The board's part of the state.
#[derive(Debug, Clone, Default)]
pub struct RankedGpus {
    /// The rows last ranked.
    pub board: Option<Arc<Board>>,
    /// What the worker was asked for.
    pub asked: Option<RankedFor>,
    /// The GPU under the cursor.
    pub cursor: Option<GpuId>,
    /// GPUs that stand first, whatever the order.
    pub pins: BTreeSet<GpuId>,
    /// What comes first.
    pub order: RankOrder,
    /// Whether the order is reversed.
    pub reversed: bool,
    /// What is shown: names, architectures, limits such as `<=300W`.
    pub filter: String,
    /// Whether one GPU of each architecture is shown, and no other.
    pub each_architecture: bool,
    /// Prices by the hour.
    pub prices: PriceBook,
    /// How often they changed.
    pub price_changes: u64,
    /// The day as `2026-11-21`.
    pub today: Option<String>,
}

/// A question for the worker.
#[derive(Debug, Clone)]
pub struct BoardQuestion {
    /// What is known.
    pub session: Arc<Session>,
    /// The kernel at its size.
    pub subject: Subject,
    /// Source and settings.
    pub selection: Selection,
    /// Prices by the hour.
    pub prices: PriceBook,
    /// The day.
    pub today: Option<String>,
    /// What it answers.
    pub asked: RankedFor,
}

impl RankedFor {
    /// What GPUs would be ranked for now.
    #[must_use]
    pub fn of_subject(session: &Session, subject: &Subject, selection: &Selection, prices: u64) -> Self {
        // Which targets are marked changes nothing of the ranking.
        let selection = Selection { targets: Vec::new(), ..selection.clone() };
        Self {
            revision: session.revision(),
            kernel: subject.kernel,
            problem: subject.problem.clone(),
            variant: subject.variant.clone(),
            block: subject.instance.block_size,
            selection,
            prices,
        }
    }
}

impl BoardQuestion {
    /// All GPUs, best first; `None` once it is cancelled.
    #[must_use]
    pub fn rank_gpus(&self, progress: &crate::progress::Progress) -> Option<Board> {
        let workload = Workload::of_kernel(&self.session, self.subject.clone());
        let targets = self.session.gpus.ids().collect();
        let question = RankQuestion {
            settings: self.selection.settings,
            prices: self.prices.clone(),
            today: self.today.clone(),
            ..RankQuestion::new(&self.session, &workload, self.selection.source, targets)
        };
        question.answer_watched(progress).ok()
    }
}

impl RankedGpus {
    /// The rows shown, pinned ones first, each group in the order chosen.
    #[must_use]
    pub fn shown_rows(&self, session: &Session) -> Vec<&RankedRow> {
        let Some(board) = &self.board else { return Vec::new() };
        let mut rows = board.rows.clone();
        self.order.sort(&mut rows);
        if self.reversed {
            rows.reverse();
        }
        let place = |row: &RankedRow| board.rows.iter().position(|r| r.gpu == row.gpu);
        let one_each = if self.each_architecture { each_architecture(&session.gpus) } else { Vec::new() };
        let shown = |row: &&RankedRow| {
            let pinned = self.pins.contains(&row.gpu);
            pinned
                || (self.fits_filter(session, row)
                    && (!self.each_architecture || one_each.contains(&row.gpu)))
        };
        let mut order: Vec<&RankedRow> =
            rows.iter().filter_map(|row| Some(&board.rows[place(row)?])).filter(shown).collect();
        order.sort_by_key(|row| !self.pins.contains(&row.gpu));
        order
    }

    /// Whether every word of the filter holds for a row: a limit, an architecture, or letters of the name.
    fn fits_filter(&self, session: &Session, row: &RankedRow) -> bool {
        self.filter.split_whitespace().all(|word| {
            let chosen = select_targets(&session.gpus, &[word.to_string()]);
            match chosen {
                Ok(gpus) => gpus.contains(&row.gpu),
                // A limit that is still being typed hides nothing.
                Err(_) if word.starts_with(['<', '>', '=']) => true,
                Err(_) => super::filter::Filter::new(word).score(&[&row.name, &row.gpu_id]).is_some(),
            }
        })
    }

    /// The row of a GPU.
    #[must_use]
    pub fn row_of(&self, gpu: GpuId) -> Option<&RankedRow> {
        self.board.as_ref()?.rows.iter().find(|row| row.gpu == gpu)
    }
}
