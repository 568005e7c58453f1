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
    /// The same with an interval no narrower than that of this shorter time, over each, and no sooner.
    pub(super) fn no_narrower_than(self, other: Option<Self>) -> Self {
        let of_other = other.and_then(|other| Some((other.ends?, other.time / self.time)));
        let wider = self.ends.zip(of_other).map(|([low, high], ([least, most], shorter))| {
            [low.min(least).max(shorter * least), high.max(most)]
        });
        Self { ends: wider.or(self.ends), ..self }
    }
}
