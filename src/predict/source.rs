//! A time on the source, and how it is known.

use super::Caution;
use crate::catalogue::NumberOrigin;
use crate::gpu::Gpu;
use crate::measurement::TimingKind;
use crate::units::Seconds;

/// How the source time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// The user's own measurement.
    Measured,
    /// A published figure.
    Published,
    /// Scaled from another size, or a model's.
    Estimated,
}

impl SourceKind {
    /// The word in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Published => "published",
            Self::Estimated => "estimated",
        }
    }

    /// How far a number that was timed so is to be trusted.
    #[must_use]
    pub fn origin(self) -> NumberOrigin {
        match self {
            Self::Measured => NumberOrigin::Measured,
            Self::Published => NumberOrigin::Published,
            Self::Estimated => NumberOrigin::Assumed,
        }
    }

    /// The mark on screen: ● was timed, ~ is an estimate.
    #[must_use]
    pub fn mark(self) -> char {
        if self == Self::Estimated { '~' } else { '●' }
    }
}

impl From<TimingKind> for SourceKind {
    fn from(kind: TimingKind) -> Self {
        match kind {
            TimingKind::Measured => Self::Measured,
            TimingKind::Published => Self::Published,
        }
    }
}

/// A time on the source.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceTime {
    /// Time per launch.
    pub time: Seconds,
    /// The same for the models that know nothing but the roofline: where another size was timed, that time by the ratio of
    /// roofline times.
    pub work_scaled: Seconds,
    /// How it is known.
    pub kind: SourceKind,
    /// Where the row says it comes from; empty for an estimate.
    pub source: std::sync::Arc<str>,
    /// What must be said about it.
    pub cautions: Vec<Caution>,
    /// Work at the asked size over work at the timed size, as the roofline counts it; 1 where it was timed. `None` where
    /// no timed size stands behind it.
    pub extrapolation: Option<f64>,
    /// How far the nearest timed size is ([`crate::kernel::Problem::distance`]); 0 where it was timed, or none was.
    pub distance: f64,
    /// Half the width of a 90 % interval, in ln, for a roof that does not grow as the work does, or two sizes that do not agree.
    pub bend: f64,
    /// Half the width, in ln, of the 90 % interval of the trials behind another size; 0 where the row states none, or is of this size.
    pub trials: f64,
    /// How far an error of the time without its launch goes into the time, 0 to 1: a launch takes as long at every size.
    pub in_body: f64,
    /// Half the width of its own 90 % interval in ln, where several sizes say how far apart they are; `None` elsewhere.
    pub spread: Option<f64>,
}

impl SourceTime {
    /// What this model says, where nobody timed the kernel at any size.
    #[must_use]
    pub fn of_model(time: Seconds, model: &str, cautions: Vec<Caution>) -> Self {
        Self {
            time,
            work_scaled: time,
            kind: SourceKind::Estimated,
            source: model.into(),
            cautions,
            extrapolation: None,
            distance: 0.0,
            bend: 0.0,
            in_body: 1.0,
            trials: 0.0,
            spread: None,
        }
    }

    /// Whether somebody timed the kernel there, at this size or another.
    #[must_use]
    pub const fn rests_on_measurement(&self) -> bool {
        self.extrapolation.is_some()
    }

    /// The time, where somebody timed the kernel there, at this size or another.
    #[must_use]
    pub fn timed(&self) -> Option<Seconds> {
        self.rests_on_measurement().then_some(self.time)
    }

    /// The time, where it was measured or published at this very size.
    #[must_use]
    pub fn timed_at_size(&self) -> Option<Seconds> {
        (self.kind != SourceKind::Estimated && self.extrapolation == Some(1.0)).then_some(self.time)
    }

    /// The least and the most that the kernel can take on the second GPU, where this size was timed on the first and both are one board at
    /// other settings: [`Gpu::time_range_on`].
    #[must_use]
    pub fn time_range(&self, timed_on: &Gpu, other: &Gpu) -> Option<[Seconds; 2]> {
        let time = self.timed_at_size()?;
        Some(timed_on.time_range_on(other)?.map(|ratio| time * ratio))
    }
}
