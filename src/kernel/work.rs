//! What can be counted of a launch, and how a number of it is known.

use super::Formula;
use crate::catalogue::NumberOrigin;
use crate::units::{Bytes, Flops, Intensity};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One count of the work with where it comes from.
#[derive(Debug, Clone)]
pub struct CountFormula {
    /// The formula.
    pub formula: Formula,
    /// How far to trust it.
    pub origin: NumberOrigin,
    /// Source id.
    pub source: Arc<str>,
    /// A remark.
    pub note: Option<String>,
}

/// What can be counted of a launch; names are the canonical CSV's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Floating-point operations; a fused multiply-add counts two.
    Flops,
    /// Compulsory DRAM traffic in bytes.
    DramBytes,
    /// Distinct bytes touched.
    WorkingSetBytes,
    /// Bytes through L2.
    L2Bytes,
    /// Bytes through L1.
    L1Bytes,
    /// Global load and store warp instructions. One that touches several lines may count once for each: the kernel's file
    /// says so then.
    GlobalWarpInsts,
    /// Passes of global loads and stores through L1 where it is one memory with shared memory (compute capability 7.0 and later): the lines
    /// of 128 bytes that the lanes served at once touch, 32 of them for words of 4 bytes, 16 and 8 for 8 and 16.
    GlobalWavefronts,
    /// All warp instructions of the load/store unit.
    LsuWarpInsts,
    /// Shared-memory wavefronts of 128 bytes, conflicts included.
    SmemWavefronts,
    /// Warp instructions issued.
    WarpInstsIssued,
    /// Warp requests of global atomics, each of which may be on one address.
    GlobalAtomicRequests,
    /// Sectors of 32 bytes that atomics change in one line of 128 bytes, each time: of the line that most of them go to.
    AtomicLineSectors,
    /// Bytes of the sets of which single sectors are read or written in no order: a table that indices point into.
    ScatteredSetBytes,
    /// Active threads per warp instruction, at most 32; below it, branches diverge.
    ActiveThreadsPerInst,
    /// Loads that a block waits for one after another: rounds of load, barrier and compute.
    LoadRounds,
    /// Instructions of a warp that follow one another without a loop: the longest run of them.
    StraightLineInsts,
    /// Warp instructions of the FMA pipe: multiplications and additions of FP32, multiply-adds of integers.
    FmaWarpInsts,
    /// Warp instructions of the ALU pipe: integers, logic, comparisons.
    AluWarpInsts,
    /// Warp instructions of the XU pipe: special functions, conversions.
    XuWarpInsts,
    /// Warp instructions of the FP64 pipe.
    Fp64WarpInsts,
}

impl Count {
    /// All counts, in the order they are shown.
    pub const ALL: [Self; 20] = [
        Self::Flops,
        Self::DramBytes,
        Self::WorkingSetBytes,
        Self::L2Bytes,
        Self::L1Bytes,
        Self::GlobalWarpInsts,
        Self::GlobalWavefronts,
        Self::LsuWarpInsts,
        Self::SmemWavefronts,
        Self::WarpInstsIssued,
        Self::GlobalAtomicRequests,
        Self::AtomicLineSectors,
        Self::ScatteredSetBytes,
        Self::ActiveThreadsPerInst,
        Self::LoadRounds,
        Self::StraightLineInsts,
        Self::FmaWarpInsts,
        Self::AluWarpInsts,
        Self::XuWarpInsts,
        Self::Fp64WarpInsts,
    ];

    /// The column of the canonical CSV and the key of a kernel file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Flops => "flops",
            Self::DramBytes => "dram_bytes",
            Self::WorkingSetBytes => "working_set_bytes",
            Self::L2Bytes => "l2_bytes",
            Self::L1Bytes => "l1_bytes",
            Self::GlobalWarpInsts => "global_warp_insts",
            Self::GlobalWavefronts => "global_wavefronts",
            Self::LsuWarpInsts => "lsu_warp_insts",
            Self::SmemWavefronts => "smem_wavefronts",
            Self::WarpInstsIssued => "warp_insts_issued",
            Self::GlobalAtomicRequests => "global_atomic_requests",
            Self::AtomicLineSectors => "atomic_line_sectors",
            Self::ScatteredSetBytes => "scattered_set_bytes",
            Self::ActiveThreadsPerInst => "active_threads_per_inst",
            Self::LoadRounds => "load_rounds",
            Self::StraightLineInsts => "straight_line_insts",
            Self::FmaWarpInsts => "fma_warp_insts",
            Self::AluWarpInsts => "alu_warp_insts",
            Self::XuWarpInsts => "xu_warp_insts",
            Self::Fp64WarpInsts => "fp64_warp_insts",
        }
    }
}

/// The work of one launch; absent = nobody counted it. Kept as NaN: a million rows hold one each.
#[derive(Debug, Clone, Copy)]
pub struct Work([f64; Count::ALL.len()]);

impl Default for Work {
    fn default() -> Self {
        Self([f64::NAN; Count::ALL.len()])
    }
}

impl PartialEq for Work {
    fn eq(&self, other: &Self) -> bool {
        Count::ALL.into_iter().all(|c| self.get(c) == other.get(c))
    }
}

/// How much was counted of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Information {
    /// Every pipe of the SM and the bytes of DRAM.
    Full,
    /// FLOPs, bytes of DRAM, and some pipe or level beside them.
    Part,
    /// FLOPs and bytes of DRAM.
    FlopsAndBytes,
    /// FLOPs or bytes of DRAM, not both.
    OneCount,
    /// Nothing: a time alone.
    #[default]
    TimeAlone,
}

impl Information {
    /// The words in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "all counts",
            Self::Part => "some counts",
            Self::FlopsAndBytes => "FLOPs and bytes",
            Self::OneCount => "FLOPs or bytes",
            Self::TimeAlone => "time alone",
        }
    }
}

/// How many times more bytes of DRAM than all that formulas move are those of another kernel: caches that fetch too much, and writes that
/// read first, move up to twice.
const OF_ANOTHER_KERNEL: f64 = 2.5;

impl Work {
    /// How much was counted.
    #[must_use]
    pub fn information(&self) -> Information {
        const PIPES: [Count; 4] =
            [Count::GlobalWarpInsts, Count::LsuWarpInsts, Count::SmemWavefronts, Count::WarpInstsIssued];
        let has = |count: Count| self.get(count).is_some();
        let further = PIPES.into_iter().chain([Count::L2Bytes]).filter(|c| has(*c)).count();
        match (has(Count::Flops), has(Count::DramBytes), further) {
            (true, true, 0) => Information::FlopsAndBytes,
            (true, true, _) if PIPES.into_iter().all(has) => Information::Full,
            (false, false, 0) => Information::TimeAlone,
            (true, true, _) | (_, _, 1..) => Information::Part,
            _ => Information::OneCount,
        }
    }

    /// This count, if it was made.
    #[must_use]
    #[inline]
    pub fn get(&self, count: Count) -> Option<f64> {
        Some(self.0[count as usize]).filter(|v| !v.is_nan())
    }

    /// How many times longer lanes that idle make its arithmetic: 32 over the active threads of an instruction; 1 where nobody
    /// counted them.
    #[must_use]
    #[inline]
    pub fn active_lane_factor(&self) -> f64 {
        self.get(Count::ActiveThreadsPerInst).map_or(1.0, |t| 32.0 / t.clamp(1.0, 32.0))
    }

    /// The same work with one count set.
    #[must_use]
    pub fn with(mut self, count: Count, value: Option<f64>) -> Self {
        self.0[count as usize] = value.unwrap_or(f64::NAN);
        self
    }

    /// `other`'s counts where it has them, else this one's.
    #[must_use]
    pub fn overlaid(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine = if theirs.is_nan() { *mine } else { theirs };
        }
        self
    }

    /// What rows count, over these counts by a kernel's formulas. Where rows count more bytes of DRAM than the formulas move through L2, the
    /// rows are of another kernel of that name, and only they count.
    #[must_use]
    pub fn with_counts(self, counted: &Self) -> Self {
        let passed = self.get(Count::L2Bytes).zip(counted.get(Count::DramBytes));
        let is_of_another = passed.is_some_and(|(l2, dram)| dram > OF_ANOTHER_KERNEL * l2);
        if is_of_another { *counted } else { self.overlaid(counted) }
    }

    /// Floating-point operations.
    #[must_use]
    pub fn flops(&self) -> Option<Flops> {
        self.get(Count::Flops).map(Flops)
    }

    /// Compulsory DRAM traffic.
    #[must_use]
    pub fn dram(&self) -> Option<Bytes> {
        self.get(Count::DramBytes).map(Bytes)
    }

    /// Bytes through shared memory: wavefronts x 128.
    #[must_use]
    pub fn shared(&self) -> Option<Bytes> {
        self.get(Count::SmemWavefronts).map(|w| Bytes(128.0 * w))
    }

    /// Operational intensity at DRAM, where both counts exist and bytes move.
    #[must_use]
    pub fn intensity(&self) -> Option<Intensity> {
        let (flops, bytes) = (self.flops()?, self.dram()?);
        (bytes.0 > 0.0).then(|| flops / bytes)
    }
}
