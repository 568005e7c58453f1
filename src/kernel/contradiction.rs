//! Counts of one launch that cannot both be true, whoever made them.

use super::{Count, Work};
use crate::units::significant;

/// Sectors, prefetches and rounding: counts nearer than this do not contradict each other.
const NEAR: f64 = 1.1;

/// Bytes of DRAM for a byte through L2 at most: it is read 64 bytes at a time, and L2 counts sectors of 32; 1.43 of a binary search on an H200.
const DRAM_PER_L2: f64 = 2.0 * NEAR;

/// Threads of a warp.
const WARP: f64 = 32.0;

/// Most wavefronts of one shared-memory instruction: every thread on a row of its own.
const MOST_WAVEFRONTS: f64 = 32.0;

/// Two counts, or one and what it can be at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountContradiction {
    /// The count that is too large.
    pub count: Count,
    /// Its value.
    pub value: f64,
    /// What it is measured by; the same where it is impossible by itself.
    pub against: Count,
    /// That one's value.
    pub limit: f64,
    /// Why both cannot be.
    pub why: &'static str,
    /// What `components` makes of it.
    pub done: &'static str,
}

/// Everything that contradicts itself in this work of a kernel of this element type.
///
/// `tensor`: whether the kernel is known to use tensor cores, whose instructions do more than two FLOPs per thread.
#[must_use]
pub fn contradictions(work: &Work, dtype: &str, tensor: bool) -> Vec<CountContradiction> {
    let on_its_own = "components takes each count as it stands; the longest component binds";
    let mut all = Vec::new();
    let mut check = |count: Count, against: Count, most: &dyn Fn(f64) -> f64, why, done| {
        let (Some(value), Some(limit)) = (work.get(count), work.get(against)) else { return };
        if value > most(limit) {
            all.push(CountContradiction { count, value, against, limit, why, done });
        }
    };
    let near = |limit: f64| NEAR * limit;
    let why = "DRAM brings at most two sectors of L2 for one that is asked for";
    check(Count::DramBytes, Count::L2Bytes, &|l2| DRAM_PER_L2 * l2, why, on_its_own);
    let narrow = matches!(dtype, "fp16" | "bf16");
    let per_thread = if narrow { 4.0 } else { 2.0 };
    if !tensor {
        let why = if narrow {
            "a warp instruction does at most 128 FLOPs, unless tensor cores do them"
        } else {
            "a warp instruction does at most 64 FLOPs"
        };
        let most = |issued: f64| NEAR * WARP * per_thread * issued;
        check(Count::Flops, Count::WarpInstsIssued, &most, why, on_its_own);
    }
    let why = "global loads and stores are among the LSU's";
    check(Count::GlobalWarpInsts, Count::LsuWarpInsts, &near, why, on_its_own);
    let why = "an instruction of the LSU makes at most 32 wavefronts";
    let most = |lsu: f64| MOST_WAVEFRONTS * lsu;
    check(Count::SmemWavefronts, Count::LsuWarpInsts, &most, why, on_its_own);
    let why = "a warp has 32 threads";
    let threads = Count::ActiveThreadsPerInst;
    check(threads, threads, &|_| WARP, why, "components uses 32");
    all
}

impl CountContradiction {
    /// `dram_bytes 2.00e9 against l2_bytes 1.00e9`, with what `of` says of each count's source.
    #[must_use]
    pub fn named(&self, of: impl Fn(Count) -> String) -> String {
        let one = |count: Count, value: f64| format!("{} {}{}", count.name(), significant(value), of(count));
        let first = one(self.count, self.value);
        if self.count == self.against {
            first
        } else {
            format!("{first} against {}", one(self.against, self.limit))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(counts: &[(Count, f64)], dtype: &str, tensor: bool) -> Vec<Count> {
        let work = counts.iter().fold(Work::default(), |w, (c, n)| w.with(*c, Some(*n)));
        contradictions(&work, dtype, tensor).iter().map(|c| c.count).collect()
    }

    #[test]
    fn each_pair_is_found_beyond_its_limit_and_not_at_it() {
        use Count::{ActiveThreadsPerInst, DramBytes, Flops, GlobalWarpInsts, L2Bytes, LsuWarpInsts};
        use Count::{SmemWavefronts, WarpInstsIssued};
        for (count, against, at, beyond) in [
            (DramBytes, L2Bytes, 2.1, 2.3),
            (Flops, WarpInstsIssued, 64.0, 80.0),
            (GlobalWarpInsts, LsuWarpInsts, 1.0, 1.2),
            (SmemWavefronts, LsuWarpInsts, 32.0, 33.0),
        ] {
            let with = |times: f64| found(&[(count, 1e6 * times), (against, 1e6)], "fp32", false);
            assert_eq!((with(at), with(beyond)), (Vec::new(), vec![count]), "{count:?}");
            assert_eq!(found(&[(count, 1e6)], "fp32", false), [], "alone nothing contradicts");
        }
        assert_eq!(found(&[(ActiveThreadsPerInst, 33.0)], "fp32", false), [ActiveThreadsPerInst]);
        assert_eq!(found(&[(SmemWavefronts, 1.0), (LsuWarpInsts, 0.0)], "fp32", false), [SmemWavefronts]);
    }

    #[test]
    fn half_precision_does_twice_as_much_and_tensor_cores_any_amount() {
        let counts = [(Count::Flops, 100.0), (Count::WarpInstsIssued, 1.0)];
        assert_eq!(found(&counts, "fp32", false), [Count::Flops]);
        assert_eq!(found(&counts, "fp16", false), []);
        let many = [(Count::Flops, 8192.0), (Count::WarpInstsIssued, 1.0)];
        assert_eq!((found(&many, "fp16", false), found(&many, "fp16", true)), (vec![Count::Flops], vec![]));
    }
}
