//! `roofswap measure`: how long the suite's kernels take on the GPU at hand.
//!
//! Per configuration: the answer of one launch is compared with the CPU reference; then launches to warm up; then trials of
//! launches back to back between two events, on the same buffers (warm) and on copies of them taken in turn, so many that
//! none is in L2 any more when its turn comes again (cold). Clocks, power, temperature and utilisation are sampled while
//! launches run, in every other trial, and a sample counts only if launches were still running after it. Every trial is
//! kept.

mod check;
mod document;
mod plan;
mod rows;
mod run;
mod timing;

pub use check::{DriverDifference, occupancy_difference};
pub(crate) use document::about_mark;
pub use document::{Document, DocumentError, about_text};
pub use plan::{ConfigEstimate, MeasurePlan, PlanError, Planned, plan};
pub use rows::{RunMachine, row_key};
pub use run::{Ended, RunOutcome, RunSetup, RunWatch, Skipped, measure};
pub use timing::{CaseTiming, TimedOutcome, timed_runs};

use crate::units::Seconds;

/// How much is done per configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasureOptions {
    /// Trials per timing.
    pub trials: usize,
    /// Launches of a trial, where the budget allows.
    pub most_launches: usize,
    /// Fewest launches of a trial that is not cut short by the budget.
    pub usual_launches: usize,
    /// Fewest launches of a trial at all.
    pub least_launches: usize,
    /// Time of all trials of one timing, about.
    pub budget: Seconds,
    /// Launches before the first trial.
    pub warm_up: usize,
    /// What buffers are filled from.
    pub seed: u64,
    /// Whether each configuration is launched and checked once and not timed: what a profiler is to look at.
    pub launch_once: bool,
}

impl Default for MeasureOptions {
    fn default() -> Self {
        Self {
            trials: 10,
            most_launches: 100,
            usual_launches: 50,
            least_launches: 5,
            budget: Seconds(2.0),
            warm_up: 10,
            seed: 1,
            launch_once: false,
        }
    }
}

impl MeasureOptions {
    /// Launches of a trial where one takes this long.
    #[must_use]
    pub fn launches(&self, one: Seconds) -> usize {
        let fit = self.budget.0 / (self.trials as f64 * one.0.max(1e-9));
        // Up to twice the budget is spent on the usual number; beyond that there are fewer, and the rows say how many.
        let wanted = if 2.0 * fit >= self.usual_launches as f64 {
            fit.max(self.usual_launches as f64)
        } else {
            2.0 * fit
        };
        (wanted as usize).clamp(self.least_launches, self.most_launches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trials_have_fifty_to_a_hundred_launches_until_the_budget_is_gone() {
        let launches = |ms| MeasureOptions::default().launches(Seconds::from_millis(ms));
        assert_eq!([launches(0.001), launches(2.0), launches(3.0), launches(7.9)], [100, 100, 66, 50]);
        assert_eq!([launches(16.0), launches(1000.0)], [25, 5]);
    }
}
