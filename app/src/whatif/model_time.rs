//! What a model says of a kernel on a changed GPU.

use crate::roofline::Bound;
use crate::units::Seconds;

/// What a model says of one kernel on one GPU.
#[derive(Clone, Copy)]
pub(super) struct ModelTime {
    pub(super) time: Seconds,
    pub(super) limit: Option<Bound>,
    /// The ends of its interval over the time.
    pub(super) ends: Option<[f64; 2]>,
}

impl ModelTime {
    /// The same with an interval no narrower than that of this time, over each.
    pub(super) fn no_narrower_than(self, other: Option<Self>) -> Self {
        let both = self.ends.zip(other.and_then(|other| other.ends));
        let wider = both.map(|([low, high], [least, most])| [low.min(least), high.max(most)]);
        Self { ends: wider.or(self.ends), ..self }
    }
}
