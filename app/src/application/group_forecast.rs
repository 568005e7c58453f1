//! A group of kernels on a target: its time with an interval, and what that rests on.

use crate::roofline::Bound;
use crate::units::{Hertz, Seconds};

/// The time of messages between GPUs on another GPU is this factor off either way. Assumed: their links and their library's choices are not known.
pub(super) const COMMUNICATION_WITHIN: f64 = 2.0;

/// A time with the interval around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeRange {
    /// The time.
    pub value: Seconds,
    /// Lower end.
    pub low: Seconds,
    /// Upper end.
    pub high: Seconds,
}

impl TimeRange {
    pub(super) fn exactly(value: Seconds) -> Self {
        Self { value, low: value, high: value }
    }

    /// This time, a factor off either way.
    pub(super) fn within(value: Seconds, factor: f64) -> Self {
        Self { value, low: value * factor.recip(), high: value * factor }
    }

    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// The larger of ln(high / time) and ln(time / low).
    #[must_use]
    pub fn half_width(&self) -> f64 {
        let ends = [self.high / self.value, self.value / self.low].map(f64::ln);
        ends.into_iter().filter(|w| w.is_finite()).fold(0.0, f64::max)
    }
}

/// What a group's time rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForecastBasis {
    /// Source and target are the same GPU.
    Measured,
    /// An answer of the model of tensor operators.
    Operator,
    /// An answer from its counts and launch.
    Counts,
    /// Between the ratios of bandwidth and arithmetic.
    Ratios,
    /// The same, of a kernel that cannot start there as it was recorded.
    CannotStart,
    /// As recorded.
    Unchanged,
}

impl ForecastBasis {
    /// As tables and JSON have it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Operator => "operator model",
            Self::Counts => "counts",
            Self::Ratios => "between bandwidth and compute ratio",
            Self::CannotStart => "cannot start there",
            Self::Unchanged => "unchanged",
        }
    }

    /// Whether a prediction stands behind it.
    #[must_use]
    pub fn is_predicted(self) -> bool {
        matches!(self, Self::Measured | Self::Operator | Self::Counts)
    }
}

/// Why no model answers for a group on a target.
#[derive(Debug, Clone)]
pub(super) enum NoAnswer {
    /// It does not start there as it was recorded.
    CannotStart(String),
    /// No model gives a time.
    NotModelled(String),
}

impl From<String> for NoAnswer {
    fn from(why: String) -> Self {
        Self::NotModelled(why)
    }
}

/// A group on a target.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupForecast {
    /// Time of a launch.
    pub time: TimeRange,
    /// What it rests on.
    pub basis: ForecastBasis,
    /// What limits it there, where a prediction says so.
    pub limit: Option<Bound>,
    /// Whether it took so long on the source that its limit is not what takes its time.
    pub far_below_roof: bool,
    /// The SM clock that the power limit leaves it there, where that is a lower one.
    pub clock_at_limit: Option<Hertz>,
    /// Why no prediction stands behind it.
    pub reason: Option<String>,
}

/// `a / b`; 1 where that is no number.
pub(super) fn ratio_or_one(a: Seconds, b: Seconds) -> f64 {
    let ratio = a / b;
    if ratio.is_finite() { ratio } else { 1.0 }
}
