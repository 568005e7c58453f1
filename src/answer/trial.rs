//! One prediction of an evaluation, beside what was measured.

use crate::gpu::GpuId;
use crate::kernel::{Information, KernelId};
use crate::pair::Pair;

/// The row that a trial is to predict, in the order in which trials come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetRow {
    config: usize,
    gpu: GpuId,
    row: u16,
}

/// The question that a trial answers: the row to predict, and the row it is predicted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrialPlace {
    target: TargetRow,
    source: GpuId,
    source_row: u16,
}

/// A model's word against a measurement it has not seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerTrial {
    /// The configuration: its place in the order of the store that is evaluated.
    pub config: usize,
    /// The kernel's place in its catalogue.
    pub kernel: KernelId,
    /// The source GPU's place.
    pub source: GpuId,
    /// The target GPU's place.
    pub target: GpuId,
    /// Which of the configuration's rows are source and target: a GPU may have been timed at several clocks.
    pub rows: Pair<u16>,
    /// How much was counted of the kernel.
    pub information: Information,
    /// The time measured on the source in this configuration, in seconds.
    pub source_time: Option<f64>,
    /// What was measured on the target, in seconds.
    pub measured: f64,
    /// What the model said, in seconds.
    pub predicted: f64,
    /// The 90 % interval as a factor, predicted ÷ and × it; 0 where there is none.
    pub interval: f64,
    /// Whether counts or shapes came from a row of a third GPU.
    pub borrowed: bool,
    /// How uncertain the model called it beside others of its answers, in ln; `None` where it cannot say.
    pub doubt: Option<f64>,
    /// How wide the interval is in doubts by the model's own errors, where it is not by those of the shipped families.
    pub width: Option<f64>,
    /// How much the source says about the target beside other sources.
    pub weight: f64,
}

impl AnswerTrial {
    /// The row that is predicted: of a GPU timed at several clocks the one at these.
    #[must_use]
    pub fn target_row(&self) -> TargetRow {
        TargetRow { config: self.config, gpu: self.target, row: self.rows.target }
    }

    /// Which question this is, the same in every model's trials of one evaluation.
    #[must_use]
    pub fn asked_place(&self) -> TrialPlace {
        TrialPlace { target: self.target_row(), source: self.source, source_row: self.rows.source }
    }

    /// |ln(measured / predicted)|: what intervals are made of.
    #[must_use]
    pub fn residual(&self) -> f64 {
        (self.measured / self.predicted).ln().abs()
    }

    /// [`AnswerTrial::residual`] in units of the answer's doubt, where the model has one.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.residual() / self.unit()
    }

    /// What a score is in units of: the answer's doubt, where the model has any. On the GPU that was timed it has none.
    #[must_use]
    pub fn unit(&self) -> f64 {
        self.doubt.filter(|doubt| *doubt > 0.0).unwrap_or(1.0)
    }

    /// The interval's factor, where there is one.
    #[must_use]
    pub fn error_factor(&self) -> Option<f64> {
        (self.interval > 0.0).then_some(self.interval)
    }

    /// Whether the interval holds the measured time.
    #[must_use]
    pub fn held(&self) -> Option<bool> {
        /// A time on the very edge is inside, however its last digit was rounded.
        const EDGE: f64 = 1.0 + 1e-12;
        let ratio = self.ratio();
        self.error_factor().map(|f| ratio.max(ratio.recip()) <= f * EDGE)
    }

    /// Predicted over measured.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.predicted / self.measured
    }

    /// A question that nobody has answered, source and target in this order.
    pub(crate) fn unanswered(config: usize, kernel: KernelId, Pair { source, target }: Pair<GpuId>) -> Self {
        Self {
            config,
            kernel,
            source,
            target,
            rows: Pair::same(0),
            information: Information::default(),
            source_time: None,
            measured: 0.0,
            predicted: 0.0,
            interval: 0.0,
            borrowed: false,
            doubt: None,
            width: None,
            weight: 0.0,
        }
    }

    #[cfg(test)]
    pub(crate) fn of_pair(source: usize, target: usize) -> Self {
        let gpus = Pair::new(source, target).map(GpuId::from_index);
        Self { measured: 1.0, predicted: 1.0, weight: 1.0, ..Self::unanswered(0, KernelId::default(), gpus) }
    }
}
