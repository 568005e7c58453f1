//! What the board knows: the ranked GPUs, what they were ranked for, and how they are shown.

use super::asked_workload::{AskedAbout, AskedApplication};
use super::board_filter::BoardFilter;
use super::selection::Selection;
use crate::application::{Application, BoardSettings, ForecastSettings, application_board, forecast};
use crate::gpu::GpuId;
use crate::kernel::{BlockSize, KernelId, Problem};
use crate::predict::Subject;
use crate::progress::Progress;
use crate::rank::{
    Board, PriceBook, RankOrder, RankQuestion, RankedRow, block_rows, each_architecture_among, pareto_marks,
    variant_rows,
};
use crate::session::{Revision, Session};
use crate::workload::{MixFile, TypedKernel, Workload};
use std::collections::BTreeSet;
use std::sync::Arc;

/// GPUs that an application is forecast on before the worker looks whether it is still wanted.
const FORECAST_TOGETHER: usize = 32;

/// What GPUs are ranked for: another question is asked anew.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedFor {
    revision: Revision,
    kernel: KernelId,
    problem: Arc<Problem>,
    variant: Arc<str>,
    block: Option<BlockSize>,
    selection: Selection,
    rows: BoardRows,
    changes: u64,
    /// The application that is ranked instead of the kernel.
    application: Option<AskedApplication>,
}

/// What the rows of the board are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoardRows {
    /// Every GPU.
    #[default]
    Gpus,
    /// The measured variants of the kernel, on each target.
    Variants,
    /// Block sizes of the kernel, on each target.
    Blocks,
    /// The kernels of the mix, on each target.
    Kernels,
}

impl BoardRows {
    /// What the rows of a kernel's board may be, in the order of the key.
    pub const OF_KERNEL: [Self; 3] = [Self::Gpus, Self::Variants, Self::Blocks];
    /// What those of a mix may be.
    pub const OF_MIX: [Self; 2] = [Self::Gpus, Self::Kernels];

    /// One of them.
    #[must_use]
    pub fn singular(self) -> &'static str {
        self.as_str().trim_end_matches('s')
    }

    /// The word in titles.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gpus => "GPUs",
            Self::Variants => "variants",
            Self::Blocks => "block sizes",
            Self::Kernels => "kernels",
        }
    }
}

/// A row of the board, whatever its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowPlace {
    /// Its GPU.
    pub gpu: GpuId,
    /// Its variant or block.
    pub label: String,
}

impl RowPlace {
    /// The place of a row.
    #[must_use]
    pub fn of_row(row: &RankedRow) -> Self {
        Self { gpu: row.gpu, label: row.label.clone() }
    }
}

/// Kernels of a run that are ranked instead of the selected one.
#[derive(Debug)]
pub struct LoadedMix {
    /// Its name.
    pub name: String,
    /// The file, read: its kernels are looked up whenever it is ranked.
    pub mix: MixFile,
    /// Its typed kernels, which stand among the user's rows.
    pub kernels: Vec<TypedKernel>,
}

/// The board's part of the state.
#[derive(Debug, Clone, Default)]
pub struct RankedGpus {
    /// The rows last ranked.
    pub board: Option<Arc<Board>>,
    /// What the worker was asked for.
    pub asked: Option<RankedFor>,
    /// Why there are none.
    pub refused: Option<String>,
    /// What the rows are.
    pub rows: BoardRows,
    /// The mix that can be ranked instead of the selected kernel.
    pub mix: Option<Arc<LoadedMix>>,
    /// What the board and the What if view are to ask about, where it is loaded.
    pub asked_about: AskedAbout,
    /// The row under the cursor.
    pub cursor: Option<RowPlace>,
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
    /// How often prices or the mix changed.
    pub changes: u64,
    /// The day as `2026-11-21`.
    pub today: Option<String>,
}

/// An application with the GPU that it ran on, and how it is carried to others.
#[derive(Debug, Clone)]
pub struct RankedApplication {
    /// What was read.
    pub application: Arc<Application>,
    /// Where it ran.
    pub source: GpuId,
    /// How it is carried to other GPUs.
    pub settings: ForecastSettings,
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
    /// What the rows are.
    pub rows: BoardRows,
    /// The mix that is ranked instead of the kernel.
    pub mix: Option<Arc<LoadedMix>>,
    /// The application that is ranked instead of the kernel.
    pub application: Option<RankedApplication>,
    /// Prices by the hour.
    pub prices: PriceBook,
    /// The day.
    pub today: Option<String>,
    /// What it answers.
    pub asked: RankedFor,
}

impl RankedFor {
    /// What would be ranked for now.
    #[must_use]
    pub fn of_subject(
        session: &Session,
        subject: &Subject,
        selection: &Selection,
        rows: BoardRows,
        changes: u64,
    ) -> Self {
        // Which targets are marked changes nothing of a ranking of all GPUs.
        let targets = if rows == BoardRows::Gpus { Vec::new() } else { selection.targets.clone() };
        let selection = Selection { targets, ..selection.clone() };
        Self {
            revision: session.revision(),
            kernel: subject.kernel,
            problem: subject.problem.clone(),
            variant: subject.variant.clone(),
            block: subject.instance.block_size,
            selection,
            rows,
            changes,
            application: None,
        }
    }

    /// The same for an application.
    #[must_use]
    pub fn with_application(self, application: Option<AskedApplication>) -> Self {
        Self { application, ..self }
    }
}

impl BoardQuestion {
    /// All rows, best first, or why there are none; `None` once it is cancelled.
    #[must_use]
    pub fn rank_rows(&self, progress: &Progress) -> Option<Result<Board, String>> {
        if let Some(ranked) = &self.application {
            return self.rank_application(ranked, progress);
        }
        let Some(loaded) = &self.mix else {
            let workload = Workload::of_kernel(&self.session, self.subject.clone());
            return self.rank_workload(&self.session, &workload, progress);
        };
        // Typed kernels of a mix are known to this ranking alone.
        let mut session = (*self.session).clone();
        match loaded.mix.load_into(&mut session) {
            Ok(workload) => self.rank_workload(&session, &workload, progress),
            Err(why) => Some(Err(why.to_string())),
        }
    }

    /// The application on every GPU; those of a portion are forecast together.
    fn rank_application(
        &self,
        ranked: &RankedApplication,
        progress: &Progress,
    ) -> Option<Result<Board, String>> {
        let (session, source) = (&*self.session, ranked.source);
        let targets: Vec<GpuId> = session.listed_gpus().collect();
        progress.expect(targets.len());
        let mut forecasts = Vec::with_capacity(targets.len());
        for portion in targets.chunks(FORECAST_TOGETHER) {
            progress.check_cancelled().ok()?;
            match forecast(session, &ranked.application, source, portion, ranked.settings) {
                Ok(found) => forecasts.extend(found),
                Err(why) => return Some(Err(why)),
            }
            progress.advance(portion.len());
        }
        let (prices, today) = (self.prices.clone(), self.today.clone());
        let settings = BoardSettings { prices, today, order: RankOrder::default() };
        Some(Ok(application_board(session, &ranked.application, source, &forecasts, &settings)))
    }

    fn rank_workload(
        &self,
        session: &Session,
        workload: &Workload,
        progress: &Progress,
    ) -> Option<Result<Board, String>> {
        let Selection { source, settings, .. } = self.selection;
        let targets = match self.rows {
            BoardRows::Gpus => session.listed_gpus().collect(),
            _ => self.selection.targets.clone(),
        };
        let mut question = RankQuestion {
            settings,
            sources: self.selection.sources(),
            prices: self.prices.clone(),
            today: self.today.clone(),
            ..RankQuestion::new(session, workload, source, targets)
        };
        match self.rows {
            BoardRows::Gpus => {}
            BoardRows::Kernels => question.each_kernel = true,
            BoardRows::Variants => question.rows = variant_rows(session, &self.subject),
            BoardRows::Blocks => {
                let target = question.targets.first().copied().unwrap_or(source);
                let answer = session.answer(&self.subject, source, target, settings);
                match answer.needs_as_launched().filter(|_| answer.launch.target.is_some()) {
                    Some(needs) => question.rows = block_rows(&self.subject, needs.threads),
                    None => {
                        return Some(Err("launch shape unknown: its block and grid are not stated".into()));
                    }
                }
            }
        }
        if self.rows == BoardRows::Variants && question.rows.is_empty() {
            let kernel = session.kernels[self.subject.kernel].label();
            return Some(Err(format!("{kernel}: no variant was measured at {}", self.subject.problem)));
        }
        question.answer_watched(progress).ok().map(Ok)
    }
}

impl RankedGpus {
    /// Whether the rows stand the other way round than a command prints them: kernels of a run those that take most first, others the best.
    #[must_use]
    pub fn is_reversed(&self) -> bool {
        self.reversed != (self.rows == BoardRows::Kernels)
    }

    /// What the rows stand by: `energy per run`.
    #[must_use]
    pub fn order_in_words(&self) -> &'static str {
        match self.order {
            RankOrder::Time => "time",
            RankOrder::PerfPerWatt => "energy per run",
            RankOrder::PerfPerDollar if self.board.as_ref().is_none_or(|board| board.has_prices) => {
                "$ per run"
            }
            RankOrder::PerfPerDollar => "time × launch price",
        }
    }

    /// The rows shown, pinned ones first, each group in the order chosen.
    #[must_use]
    pub fn shown_rows(&self, session: &Session) -> Vec<&RankedRow> {
        let Some(board) = &self.board else { return Vec::new() };
        let mut rows: Vec<&RankedRow> = board.rows.iter().collect();
        self.order.sort(&mut rows);
        if self.reversed {
            self.order.reverse(&mut rows);
        }
        let chosen = self.chosen_rows(board, session);
        rows.retain(|row| self.is_pinned(row) || chosen.holds(row));
        rows.sort_by_key(|row| !self.is_pinned(row));
        rows
    }

    /// Whether this row stands first whatever the order: its GPU was pinned, and the rows are GPUs.
    #[must_use]
    pub fn is_pinned(&self, row: &RankedRow) -> bool {
        self.rows == BoardRows::Gpus && self.pins.contains(&row.gpu)
    }

    /// Of each of these rows whether no other one beats it: of GPUs among those shown, as `rank --to` finds it.
    #[must_use]
    pub fn pareto_marks(&self, shown: &[&RankedRow]) -> Vec<bool> {
        match self.rows {
            BoardRows::Gpus => pareto_marks(shown),
            _ => shown.iter().map(|row| row.is_pareto).collect(),
        }
    }

    /// How many rows the filter and the choice of one of each architecture leave: pinned ones that they do not are shown, and not counted.
    #[must_use]
    pub fn chosen_count(&self, session: &Session) -> usize {
        let Some(board) = &self.board else { return 0 };
        let chosen = self.chosen_rows(board, session);
        board.rows.iter().filter(|row| chosen.holds(row)).count()
    }

    /// What is shown of this board; one of each architecture is chosen among what the filter leaves.
    fn chosen_rows(&self, board: &Board, session: &Session) -> ChosenRows {
        let filter = BoardFilter::read(&self.filter, session);
        let is_each = self.each_architecture && self.rows == BoardRows::Gpus;
        let one_each = is_each.then(|| {
            let fitting: BTreeSet<GpuId> =
                board.rows.iter().filter(|row| filter.fits_row(row)).map(|row| row.gpu).collect();
            each_architecture_among(&session.gpus, |gpu| fitting.contains(&gpu))
        });
        ChosenRows { filter, one_each }
    }

    /// Why this filter of GPUs cannot be kept: a word of it is no limit, or it asks for prices and there are none.
    ///
    /// # Errors
    /// What was expected.
    pub fn check_filter(&self, typed: &str, session: &Session) -> Result<(), String> {
        let filter = BoardFilter::read(typed, session);
        if let Some(why) = filter.unread() {
            return Err(why.to_string());
        }
        match filter.asks_for_prices() && self.prices.gpu_count() == 0 {
            true => Err("no prices by the hour are loaded: `:prices FILE` reads them".into()),
            false => Ok(()),
        }
    }

    /// The same GPUs at other places of a catalogue.
    pub(super) fn renumber(&mut self, place: impl Fn(GpuId) -> GpuId) {
        self.pins = self.pins.iter().map(|gpu| place(*gpu)).collect();
        if let Some(cursor) = &mut self.cursor {
            cursor.gpu = place(cursor.gpu);
        }
    }

    /// The row of a GPU.
    #[must_use]
    pub fn row_of(&self, gpu: GpuId) -> Option<&RankedRow> {
        self.board.as_ref()?.rows.iter().find(|row| row.gpu == gpu)
    }
}

/// The rows that a filter leaves, and of those one GPU of each architecture where that is asked for.
struct ChosenRows {
    filter: BoardFilter,
    one_each: Option<Vec<GpuId>>,
}

impl ChosenRows {
    fn holds(&self, row: &RankedRow) -> bool {
        self.filter.fits_row(row) && self.one_each.as_ref().is_none_or(|gpus| gpus.contains(&row.gpu))
    }
}
