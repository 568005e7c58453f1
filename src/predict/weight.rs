//! How much one source says about one target, beside other sources.
//!
//! weight = near x own x size, and the combined time is exp(Σ w ln T / Σ w):
//!
//! | part | value |
//! |---|---|
//! | near | 1 for the same compute capability, 1/2 for another one of the same architecture, 1/4 for any other GPU |
//! | own | the share of the source's time that is the kernel's and not its launch: 1 - (T0/T)^12, behind a framework's dispatch 1 - (T0/T)^1.5; at least 0.1 |
//! | size | 1 where this very size was timed, 1/2 where its time is scaled from another (assumed: nobody measured this half) |
//!
//! A source without a measurement at any size weighs nothing. One rule for everything. Each step away halves, because on tuned
//! GEMM and convolutions (five GPUs) the root mean square of ln(measured / predicted) is 0.22 within a compute capability,
//! 0.30 within an architecture and 0.37 elsewhere. With each target left out in turn, the others chose 1, 1, 1/6 or
//! 1, 1/2, 1/6, which is within 1.2 points of error of this.

use super::components::launch_share;
use super::{Question, SourceKind};
use crate::gpu::Gpu;
use crate::measurement::LaunchTiming;
use crate::units::Seconds;

/// The least that a timed source weighs for its distance from the launch floor.
const LEAST_OWN: f64 = 0.1;

/// What a time that is scaled from another size weighs beside one of this size.
const SCALED: f64 = 0.5;

/// The weight of this question's source; 0 where the kernel was measured there at no size.
#[must_use]
pub fn weight(q: &Question<'_>) -> f64 {
    let Some(timed) = &q.source_time else { return 0.0 };
    if timed.extrapolation.is_none() {
        return 0.0;
    }
    let size = if timed.kind == SourceKind::Estimated { SCALED } else { 1.0 };
    near(q.source.gpu, q.target.gpu) * own(timed.time, q.floors.source.time, q.timing) * size
}

fn near(source: &Gpu, target: &Gpu) -> f64 {
    if source.cuda.compute_capability == target.cuda.compute_capability {
        1.0
    } else if source.architecture == target.architecture {
        0.5
    } else {
        0.25
    }
}

fn own(time: Seconds, floor: Seconds, timing: LaunchTiming) -> f64 {
    let own = 1.0 - launch_share(timing, floor.0, time.0);
    own.max(LEAST_OWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_on_its_floor_weighs_a_tenth_of_one_far_above() {
        let of = |time, timing| own(Seconds(time), Seconds(1e-6), timing);
        assert_eq!(of(1e-6, LaunchTiming::BackToBack), 0.1);
        assert_eq!(of(0.5e-6, LaunchTiming::Dispatched), 0.1);
        assert!((of(2e-6, LaunchTiming::Dispatched) - (1.0 - 0.125_f64.sqrt())).abs() < 1e-12);
        assert!((of(2e-6, LaunchTiming::BackToBack) - (1.0 - 1.0 / 4096.0)).abs() < 1e-12);
    }
}
