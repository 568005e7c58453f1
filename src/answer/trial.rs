//! One prediction of an evaluation, beside what was measured.

use crate::gpu::GpuId;
use crate::kernel::{Information, KernelId};
use crate::pair::Pair;
use serde::{Deserialize, Serialize};

/// The row that a trial is to predict, in the order in which trials come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetRow {
    config: u32,
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

/// A number that may be unknown, in the room of a number: an evaluation of a million rows keeps tens of millions of them.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct TrialNumber(f64);

impl TrialNumber {
    /// Nobody knows it.
    pub const UNKNOWN: Self = Self(f64::NAN);

    /// The number, where it is known.
    #[must_use]
    pub fn known(self) -> Option<f64> {
        (!self.0.is_nan()).then_some(self.0)
    }
}

impl Default for TrialNumber {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl From<Option<f64>> for TrialNumber {
    fn from(number: Option<f64>) -> Self {
        number.map_or(Self::UNKNOWN, Self)
    }
}

impl PartialEq for TrialNumber {
    fn eq(&self, other: &Self) -> bool {
        self.known() == other.known()
    }
}

impl std::fmt::Debug for TrialNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.known().fmt(f)
    }
}

/// A model's word against a measurement it has not seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerTrial {
    /// The configuration: its place in the order of the store that is evaluated.
    pub config: u32,
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
    pub source_time: TrialNumber,
    /// What was measured on the target, in seconds.
    pub measured: f64,
    /// What the model said, in seconds.
    pub predicted: f64,
    /// The 90 % interval as a factor, predicted ÷ and × it; 0 where there is none.
    pub interval: f64,
    /// Whether counts or shapes came from a row of a third GPU.
    pub borrowed: bool,
    /// How uncertain the model called it beside others of its answers, in ln; `None` where it cannot say.
    pub doubt: TrialNumber,
    /// How wide the interval is in doubts by the model's own errors, where it is not by those of the shipped families.
    pub width: TrialNumber,
    /// How much the source says about the target beside other sources.
    pub weight: f64,
}

impl AnswerTrial {
    /// The configuration's place as an index.
    #[must_use]
    pub fn config_index(&self) -> usize {
        self.config as usize
    }

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
        self.doubt.known().filter(|doubt| *doubt > 0.0).unwrap_or(1.0)
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
            // A store holds fewer than 2^32 configurations.
            config: u32::try_from(config).unwrap_or(u32::MAX),
            kernel,
            source,
            target,
            rows: Pair::same(0),
            information: Information::default(),
            source_time: TrialNumber::UNKNOWN,
            measured: 0.0,
            predicted: 0.0,
            interval: 0.0,
            borrowed: false,
            doubt: TrialNumber::UNKNOWN,
            width: TrialNumber::UNKNOWN,
            weight: 0.0,
        }
    }

    #[cfg(test)]
    pub(crate) fn of_pair(source: usize, target: usize) -> Self {
        let gpus = Pair::new(source, target).map(GpuId::from_index);
        Self { measured: 1.0, predicted: 1.0, weight: 1.0, ..Self::unanswered(0, KernelId::default(), gpus) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_is_small() {
        // Tens of millions of them stand in memory at a million rows (docs/fleet.md).
        assert_eq!(std::mem::size_of::<AnswerTrial>(), 80);
        let known = [None, Some(0.0), Some(-1.5), Some(f64::INFINITY)];
        assert_eq!(known.map(|number| TrialNumber::from(number).known()), known);
    }
}
