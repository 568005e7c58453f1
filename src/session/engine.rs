//! What is derived from the facts of one revision, when it is first asked for. Nobody resets it: another revision has an
//! engine of its own, and what depends on typed clocks is kept by them.

use crate::answer::{Corrections, IntervalCalibration};
use crate::predict::Lessons;
use std::sync::{Arc, OnceLock};

/// Derived values of one revision.
#[derive(Debug, Default)]
pub(super) struct Engine {
    /// How wide intervals are: from the shipped figures alone, so that it outlives the user's rows.
    pub(super) calibration: Arc<IntervalCalibration>,
    /// What the user's rows say of the models.
    pub(super) corrections: Corrections,
    /// What `hybrid` learned from the user's rows; empty until somebody has taught it.
    pub(super) lessons: OnceLock<Arc<Lessons>>,
}

impl Engine {
    /// Nothing derived yet but the intervals.
    pub(super) fn new(calibration: Arc<IntervalCalibration>) -> Self {
        Self { calibration, ..Self::default() }
    }

    /// That of another revision.
    pub(super) fn of_other_facts(&self) -> Self {
        Self::new(self.calibration.clone())
    }
}
