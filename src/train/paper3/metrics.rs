//! Paper 3's seven metrics (section 3.2), nine numbers: each in the exact form and in the paper's own.
//!
//! | metric | exact here | the paper's formula |
//! |---|---|---|
//! | problem size, blocks, threads per block | as launched | the same |
//! | max percentage of blocks | resident blocks x SMs / blocks x 100, resident by NVIDIA's allocation rules | resident blocks = min(registers, shared memory, threads of an SM over those of a block), fractions kept, no limit of blocks |
//! | occupancy | resident warps / most warps of an SM | the same with fractional blocks: may exceed 1 |
//! | branch divergence | idle lanes of the issued instructions, 100 (1 - active threads / 32) | (most - least iterations of a warp's threads) / iterations of the warp x 100, of a grid-stride loop |
//! | CGMA | FLOPs / (DRAM bytes / bytes of an element) | `inst_executed` / `dram_bytes`, as its script counts |
//! | shared-memory utilisation | shared memory of the resident blocks / that of an SM | 1024 x blocks / problem size, of kernels that use shared memory |
//! | global-memory reduction | DRAM bytes of one thread - DRAM bytes / (blocks x threads) | the same |
//!
//! Neither percentage of blocks is cut at 100: a grid smaller than one wave fills the GPU many times over, and says so.

use super::facts::Facts;
use crate::gpu::SmLimits;

/// The nine numbers of the seven metrics, in the paper's order; names are the columns of a table.
pub const METRICS: [&str; 9] = [
    "problem_size",
    "blocks",
    "threads_per_block",
    "max_percentage_of_blocks",
    "occupancy",
    "branch_divergence_percent",
    "cgma",
    "shared_memory_utilization",
    "global_memory_reduction_bytes",
];

/// How a number is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// As it is.
    Exact,
    /// The true one is no higher: registers are unknown, and may allow fewer blocks.
    AtMost,
    /// The true one is no lower: nobody counted branches, and the launch alone leaves lanes idle.
    AtLeast,
    /// It rests on an assumption.
    Assumed,
}

/// One number of a launch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileMetric {
    /// `None` where nobody knows it.
    pub value: Option<f64>,
    /// How it is meant.
    pub sense: Sense,
    /// Where it comes from, or why it is unknown.
    pub from: &'static str,
}

/// Which formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricFormulas {
    /// The tool's own occupancy and counts.
    #[default]
    Exact,
    /// As the paper writes them.
    Paper,
}

impl MetricFormulas {
    /// The word on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Paper => "paper",
        }
    }
}

fn exact(value: f64, from: &'static str) -> ProfileMetric {
    known(Some(value), Sense::Exact, from)
}

fn unknown(why: &'static str) -> ProfileMetric {
    known(None, Sense::Exact, why)
}

fn known(value: Option<f64>, sense: Sense, from: &'static str) -> ProfileMetric {
    ProfileMetric { value: value.filter(|v| v.is_finite()), sense, from }
}

/// The nine numbers of [`METRICS`] of one launch.
#[must_use]
pub fn metrics(facts: &Facts, formulas: MetricFormulas) -> [ProfileMetric; 9] {
    let [blocks, threads] = [facts.blocks as f64, f64::from(facts.threads)];
    let (max_percentage, occupancy) = match formulas {
        MetricFormulas::Exact => resident_exact(facts),
        MetricFormulas::Paper => resident_paper(facts),
    };
    let [divergence, cgma, shared] = match formulas {
        MetricFormulas::Exact => [idle_lanes(facts), cgma_exact(facts), shared_exact(facts)],
        MetricFormulas::Paper => [tail_divergence(facts), cgma_paper(facts), shared_paper(facts)],
    };
    [
        problem_size(facts),
        exact(blocks, "launch"),
        exact(threads, "launch"),
        max_percentage,
        occupancy,
        divergence,
        cgma,
        shared,
        reduction(facts),
    ]
}

/// Elements, of the keys of the problem; where none says how many there are, the threads that were launched.
fn problem_size(f: &Facts) -> ProfileMetric {
    if f.size_is_threads {
        return known(Some(f.size), Sense::Assumed, "threads of the grid: the problem states no size");
    }
    exact(f.size, "product of the problem's sizes")
}

const NO_REGISTERS: &str = "registers unknown: as if they never limited";

/// Max percentage of blocks, and occupancy, by the exact rules.
fn resident_exact(f: &Facts) -> (ProfileMetric, ProfileMetric) {
    let (sense, from) = match f.registers {
        Some(_) => (Sense::Exact, "occupancy calculator"),
        None => (Sense::AtMost, NO_REGISTERS),
    };
    let resident = f64::from(f.occupancy.active_blocks) * f64::from(f.sms);
    let percentage = 100.0 * resident / f.blocks as f64;
    (known(Some(percentage), sense, from), known(Some(f.occupancy.fraction()), sense, from))
}

/// The same by paper 3, sections 3.2.2 and 3.2.3: fractions of blocks, and no limit of block slots.
fn resident_paper(f: &Facts) -> (ProfileMetric, ProfileMetric) {
    let per_block = |have: u32, need: f64| if need > 0.0 { f64::from(have) / need } else { f64::INFINITY };
    let threads = f64::from(f.threads);
    let by_registers = per_block(f.limits.regs_per_sm, f64::from(f.registers.unwrap_or(0)) * threads);
    let by_shared = per_block(f.limits.smem_per_sm, f64::from(f.shared));
    let resident = by_registers.min(by_shared).min(per_block(f.limits.threads_per_sm, threads));
    let warps = f64::from(f.threads.div_ceil(SmLimits::WARP));
    let (sense, from) = match f.registers {
        Some(_) => (Sense::Exact, "min of three fractions"),
        None => (Sense::AtMost, NO_REGISTERS),
    };
    let percentage = 100.0 * resident * f64::from(f.sms) / f.blocks as f64;
    let occupancy = resident * warps / f64::from(f.limits.warps_per_sm());
    (known(Some(percentage), sense, from), known(Some(occupancy), sense, from))
}

/// Lanes without a thread, or whose thread takes another branch, in percent of all lanes of the issued instructions.
fn idle_lanes(f: &Facts) -> ProfileMetric {
    let lanes = f64::from(SmLimits::WARP);
    if let Some(active) = f.active_threads {
        return exact(100.0 * (1.0 - active / lanes), "active threads per instruction");
    }
    let warps = f64::from(f.threads.div_ceil(SmLimits::WARP));
    let idle = 100.0 * (1.0 - f64::from(f.threads) / (warps * lanes));
    known(Some(idle), Sense::AtLeast, "empty lanes of the block; branches were not counted")
}

/// Paper 3, section 3.2.4, of `for (i = thread; i < n; i += threads of the grid)`: no two threads differ by more than one
/// iteration, and the border between them lies in one warp at most.
fn tail_divergence(f: &Facts) -> ProfileMetric {
    if !f.one_dimensional {
        return unknown("the paper's script covers one-dimensional loops only");
    }
    let from = "a grid-stride loop without further branches";
    known(Some(grid_stride_divergence(f.size, f.blocks, f.threads)), Sense::Assumed, from)
}

/// Differences of iterations within warps over all iterations, in percent, where `n` elements go to `blocks` x `threads`
/// threads in turn.
#[must_use]
pub fn grid_stride_divergence(n: f64, blocks: u64, threads: u32) -> f64 {
    let all = blocks as f64 * f64::from(threads);
    // The threads before this one run one iteration more than the others.
    let border = n % all;
    let in_block = border % f64::from(threads);
    let inside_a_warp = in_block % f64::from(SmLimits::WARP) > 0.0;
    if n > 0.0 && inside_a_warp { 100.0 / n } else { 0.0 }
}

const NO_WORK: &str = "FLOPs or DRAM bytes were not counted";

/// Computations per element moved to or from DRAM.
fn cgma_exact(f: &Facts) -> ProfileMetric {
    match f.flops.zip(f.dram_bytes.filter(|b| *b > 0.0)) {
        Some((flops, bytes)) => exact(flops / (bytes / f.element_bytes), "FLOPs and DRAM bytes"),
        None => unknown(NO_WORK),
    }
}

/// What the paper's `autoprofiler.py` divides: executed warp instructions by DRAM bytes.
fn cgma_paper(f: &Facts) -> ProfileMetric {
    match f.warp_instructions.zip(f.dram_bytes.filter(|b| *b > 0.0)) {
        Some((instructions, bytes)) => exact(instructions / bytes, "warp instructions and DRAM bytes"),
        None => unknown("warp instructions or DRAM bytes were not counted"),
    }
}

/// Shared memory that the resident blocks hold over that of an SM, 0 to 1.
fn shared_exact(f: &Facts) -> ProfileMetric {
    let o = &f.occupancy;
    if f.shared == 0 {
        return exact(0.0, "no shared memory is stated");
    }
    let held = f64::from(o.allocated_shared_memory) * f64::from(o.active_blocks);
    let (sense, from) = match f.registers {
        Some(_) => (Sense::Exact, "occupancy calculator"),
        None => (Sense::AtMost, NO_REGISTERS),
    };
    known(Some(held / f64::from(o.shared_memory_per_sm)), sense, from)
}

/// Paper 3, section 3.2.6. It says nothing of kernels without shared memory; they use none of it here.
fn shared_paper(f: &Facts) -> ProfileMetric {
    if f.shared == 0 {
        return exact(0.0, "no shared memory is stated");
    }
    exact(1024.0 * f.blocks as f64 / f.size, "1024 x blocks / problem size")
}

/// Paper 3, section 3.2.7, in bytes.
fn reduction(f: &Facts) -> ProfileMetric {
    let Some(bytes) = f.dram_bytes else { return unknown("DRAM bytes were not counted") };
    let each = bytes / (f.blocks as f64 * f64::from(f.threads));
    match f.one_thread_dram_bytes {
        Some(one) => exact(one - each, "DRAM bytes of both launches"),
        None => known(Some(bytes - each), Sense::Assumed, "one thread moves the same bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;
    use crate::occupancy::{BlockNeeds, Rules, occupancy};

    /// 10^6 elements on an RTX 2080 Ti, paper 3's GPU: 68 SMs of 1024 threads, 65,536 registers, 64 KiB.
    fn facts(blocks: u64, threads: u32, shared: u32) -> Facts {
        let limits = LimitsTable::shipped().unwrap().limits_at("7.5".parse().unwrap()).unwrap();
        let needs =
            BlockNeeds { threads, regs_per_thread: 32, smem_dynamic: shared, ..BlockNeeds::default() };
        Facts {
            size: 1e6,
            size_is_threads: false,
            one_dimensional: true,
            blocks,
            threads,
            registers: Some(32),
            shared,
            sms: 68,
            limits,
            occupancy: occupancy(&limits, needs, Rules::Exact),
            flops: Some(1e6),
            dram_bytes: Some(12e6),
            one_thread_dram_bytes: None,
            active_threads: None,
            warp_instructions: Some(437_500.0),
            element_bytes: 4.0,
        }
    }

    #[track_caller]
    fn assert_values(facts: &Facts, formulas: MetricFormulas, expected: [f64; 9]) {
        for ((metric, value), name) in metrics(facts, formulas).iter().zip(expected).zip(METRICS) {
            let ours = metric.value.unwrap();
            assert!((ours - value).abs() <= 1e-6 * value.abs(), "{name}: {ours}, by hand {value}");
        }
    }

    #[test]
    fn by_hand_where_both_forms_agree() {
        // 4 blocks of 8 warps fill an SM: 4 x 68 / 3907. 10^6 = 3906 x 256 + 64: the border is between two warps.
        let resident = [6.961_863_322, 1.0];
        let reduction = 12e6 - 12e6 / (3907.0 * 256.0);
        let exact = [1e6, 3907.0, 256.0, resident[0], resident[1], 0.0, 1.0 / 3.0, 0.0, reduction];
        assert_values(&facts(3907, 256, 0), MetricFormulas::Exact, exact);
        let paper = [exact[0], exact[1], exact[2], exact[3], 1.0, 0.0, 437_500.0 / 12e6, 0.0, reduction];
        assert_values(&facts(3907, 256, 0), MetricFormulas::Paper, paper);
    }

    #[test]
    fn by_hand_where_fractions_of_blocks_differ_from_blocks() {
        // 200 threads are 7 warps. Exact: 4 blocks, 28 of 32 warps. The paper's: 1024 / 200 = 5.12 blocks, 35.84 warps.
        // 4 KiB each: 4 x 4 KiB of 64 KiB; 1024 x 5000 / 10^6. 24 of 224 lanes are empty.
        let reduction = 12e6 - 12.0;
        let exact = [1e6, 5000.0, 200.0, 5.44, 0.875, 100.0 * 24.0 / 224.0, 1.0 / 3.0, 0.25, reduction];
        assert_values(&facts(5000, 200, 4096), MetricFormulas::Exact, exact);
        let paper = [1e6, 5000.0, 200.0, 6.9632, 1.12, 0.0, 437_500.0 / 12e6, 5.12, reduction];
        assert_values(&facts(5000, 200, 4096), MetricFormulas::Paper, paper);
    }

    #[test]
    fn only_a_border_inside_a_warp_diverges() {
        assert_eq!(grid_stride_divergence(1000.0, 4, 256), 0.1, "1000 = 31 warps and 8 threads");
        assert_eq!(grid_stride_divergence(992.0, 4, 256), 0.0, "31 whole warps");
        assert_eq!(grid_stride_divergence(2048.0, 4, 256), 0.0, "two rounds of everybody");
        assert_eq!(grid_stride_divergence(2050.0, 4, 256), 100.0 / 2050.0);
        // A block of 200: its last warp has 8 threads, and the border after them is no border inside a warp's work.
        assert_eq!(grid_stride_divergence(200.0, 2, 200), 0.0);
    }

    #[test]
    fn what_nobody_counted_is_unknown_and_what_rests_on_less_says_so() {
        let bare = Facts {
            flops: None,
            dram_bytes: None,
            registers: None,
            warp_instructions: None,
            one_dimensional: false,
            ..facts(5000, 200, 0)
        };
        let of = |formulas| metrics(&bare, formulas).map(|m| (m.value.is_some(), m.sense));
        let (yes, no) = (|sense| (true, sense), (false, Sense::Exact));
        let size = [yes(Sense::Exact); 3];
        let exact = [yes(Sense::AtMost), yes(Sense::AtMost), yes(Sense::AtLeast), no, yes(Sense::Exact), no];
        assert_eq!(of(MetricFormulas::Exact)[..3], size);
        assert_eq!(of(MetricFormulas::Exact)[3..], exact);
        assert_eq!(of(MetricFormulas::Paper)[5..], [no, no, yes(Sense::Exact), no]);
        let counted = Facts { active_threads: Some(24.0), ..bare };
        assert_eq!(metrics(&counted, MetricFormulas::Exact)[5], exact_of(25.0));
    }

    fn exact_of(value: f64) -> ProfileMetric {
        exact(value, "active threads per instruction")
    }

    #[test]
    fn a_measured_one_thread_launch_goes_before_the_assumption() {
        let f = Facts { one_thread_dram_bytes: Some(3.2e7), ..facts(5000, 200, 0) };
        let m = metrics(&f, MetricFormulas::Paper)[8];
        assert_eq!((m.value, m.sense), (Some(3.2e7 - 12.0), Sense::Exact));
    }
}
