//! What the board knows: the ranked GPUs, what they were ranked for, and how they are shown.

use super::filter::Filter;
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

/// What one word of the filter lets through.
enum FilterWord {
    /// The GPUs of a name, an architecture or a limit.
    Gpus(Vec<GpuId>),
    /// Every row: a limit that is still being typed hides nothing.
    Everything,
    /// Rows with these letters in their name.
    Letters(Filter),
}

impl FilterWord {
    fn read(word: &str, session: &Session) -> Self {
        match select_targets(&session.gpus, &[word.to_string()]) {
            Ok(gpus) => Self::Gpus(gpus),
            Err(_) if word.starts_with(['<', '>', '=']) => Self::Everything,
            Err(_) => Self::Letters(Filter::new(word)),
        }
    }

    fn fits_row(&self, row: &RankedRow) -> bool {
        match self {
            Self::Gpus(gpus) => gpus.contains(&row.gpu),
            Self::Everything => true,
            Self::Letters(letters) => letters.score(&[&row.name, &row.gpu_id]).is_some(),
        }
    }
}

impl RankedFor {
    /// What GPUs would be ranked for now.
    #[must_use]
    pub fn of_subject(session: &Session, subject: &Subject, selection: &Selection, prices: u64) -> Self {
        // Which targets are marked, and whether the predictions have several sources, changes nothing of the ranking.
        let selection = Selection { targets: Vec::new(), all_sources: false, ..selection.clone() };
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
        let targets = self.session.listed_gpus().collect();
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
        let mut rows: Vec<&RankedRow> = board.rows.iter().collect();
        self.order.sort(&mut rows);
        if self.reversed {
            rows.reverse();
        }
        let words: Vec<FilterWord> =
            self.filter.split_whitespace().map(|word| FilterWord::read(word, session)).collect();
        let one_each = self.each_architecture.then(|| each_architecture(&session.gpus));
        rows.retain(|row| {
            self.pins.contains(&row.gpu)
                || (words.iter().all(|word| word.fits_row(row))
                    && one_each.as_ref().is_none_or(|gpus| gpus.contains(&row.gpu)))
        });
        rows.sort_by_key(|row| !self.pins.contains(&row.gpu));
        rows
    }

    /// The row of a GPU.
    #[must_use]
    pub fn row_of(&self, gpu: GpuId) -> Option<&RankedRow> {
        self.board.as_ref()?.rows.iter().find(|row| row.gpu == gpu)
    }
}
