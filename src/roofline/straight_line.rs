//! Code without loops: what fetching it costs once it is longer than what the caches of an SM hold.
//!
//! A long run of instructions without a loop (a filter unrolled whole) is fetched once for every warp. Beyond what is cached near the
//! schedulers, a warp waits for every line of it, or the SM is supplied with fewer instructions than its schedulers could issue.
//! How much of the code that is: 0 up to the cached instructions, all of it from a third more.

use crate::catalogue::Sourced;
use crate::gpu::{Gpu, Sm};
use crate::kernel::{Count, Work};

/// How many times the cached instructions a run has of which nothing is found in the cache.
const ALL_MISSED: f64 = 4.0 / 3.0;

/// What one SM does with straight-line code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StraightLine {
    /// Instructions that are cached; infinite where nobody saw a limit.
    cached: f64,
    /// Cycles that fetching adds to an instruction of a warp beyond them.
    fetch_cycles: f64,
    /// Warp instructions per clock and SM beyond them; infinite where only the schedulers limit them.
    per_clock: f64,
}

impl StraightLine {
    /// That of this GPU.
    #[must_use]
    pub fn on_gpu(gpu: &Gpu) -> Self {
        let Sm { cached_insts, fetch_cycles, streamed_per_clock, .. } = &gpu.sm;
        let number = |n: &Option<Sourced<f64>>, none: f64| n.as_ref().map_or(none, |n| n.value);
        Self {
            cached: number(cached_insts, f64::INFINITY),
            fetch_cycles: number(fetch_cycles, 0.0),
            per_clock: number(streamed_per_clock, f64::INFINITY),
        }
    }

    /// The share of this work's instructions that are not found in the cache.
    #[inline]
    fn missed(&self, work: &Work) -> f64 {
        let Some(run) = work.get(Count::StraightLineInsts) else { return 0.0 };
        ((run / self.cached - 1.0) / (ALL_MISSED - 1.0)).clamp(0.0, 1.0)
    }

    /// Cycles that fetching adds to the mean instruction of a warp.
    #[must_use]
    #[inline]
    pub fn fetch_cycles(&self, work: &Work) -> f64 {
        if self.fetch_cycles > 0.0 { self.fetch_cycles * self.missed(work) } else { 0.0 }
    }

    /// The mean of warp instructions per clock that an SM issues of this work whose schedulers could issue `most`.
    #[must_use]
    #[inline]
    pub fn issued_per_clock(&self, most: f64, work: &Work) -> f64 {
        if self.per_clock >= most {
            return most;
        }
        let missed = self.missed(work);
        1.0 / ((1.0 - missed) / most + missed / self.per_clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(insts: f64) -> Work {
        Work::default().with(Count::StraightLineInsts, Some(insts))
    }

    #[test]
    fn short_code_and_loops_cost_nothing() {
        let sm = StraightLine { cached: 3072.0, fetch_cycles: 2.0, per_clock: 1.0 };
        for work in [run(3072.0), Work::default()] {
            assert_eq!((sm.fetch_cycles(&work), sm.issued_per_clock(4.0, &work)), (0.0, 4.0));
        }
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        near(sm.fetch_cycles(&run(3584.0)), 1.0);
        near(sm.fetch_cycles(&run(9000.0)), 2.0);
        near(sm.issued_per_clock(4.0, &run(3584.0)), 1.6);
        near(sm.issued_per_clock(4.0, &run(9000.0)), 1.0);
    }

    #[test]
    fn without_a_limit_the_schedulers_are_it() {
        let sm = StraightLine { cached: f64::INFINITY, fetch_cycles: 0.0, per_clock: f64::INFINITY };
        assert_eq!((sm.fetch_cycles(&run(1e6)), sm.issued_per_clock(4.0, &run(1e6))), (0.0, 4.0));
    }
}
