//! What a model says once per memory level: an interval of its own, not one of coverage.

use crate::gpu::Ceilings;
use crate::roofline::Level;
use crate::units::Seconds;

/// The times of one prediction at each memory level (paper 2: "an interval of performance to expect").
#[derive(Debug, Clone, PartialEq)]
pub struct LevelTimes {
    /// The time at each level that has a roof, slowest level first.
    pub at: Vec<(Level, Seconds)>,
    /// The shortest of them.
    pub low: Seconds,
    /// The longest.
    pub high: Seconds,
    /// The ceilings really in use; the model chooses them by the kernel's width.
    pub ceilings: Ceilings,
}

impl LevelTimes {
    /// From the times at each level; `None` where there is none.
    pub(super) fn from_times(at: Vec<(Level, Seconds)>, ceilings: Ceilings) -> Option<Self> {
        let times = || at.iter().map(|(_, time)| time.0);
        let (low, high) = (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max));
        let known = !at.is_empty();
        known.then_some(Self { low: Seconds(low), high: Seconds(high), ceilings, at })
    }

    /// The middle between the shortest and the longest.
    #[must_use]
    pub fn middle(&self) -> Seconds {
        // Half of each first: their sum may be beyond every number.
        Seconds(self.low.0 / 2.0 + self.high.0 / 2.0)
    }
}
