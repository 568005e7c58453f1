//! How many blocks of a kernel an SM can hold, what limits them, and what would let one more in.
//!
//! The exact rules are those of NVIDIA's `cuda_occupancy.h` (source id `cuda-occupancy`): warps, registers with their
//! allocation unit and sub-partitions, shared memory with its unit and reserve, blocks. [`Rules::Study`] is the
//! simplified formula of paper 1, section 4.0.2, because its published tables are reproduced with it.

mod next_step;

pub use next_step::{NextStep, next_step};

use crate::gpu::{Gpu, Limits};
use crate::kernel::Launch;

/// Which arithmetic to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rules {
    /// As the hardware and NVIDIA's calculator do it.
    #[default]
    Exact,
    /// Paper 1's formula: no allocation units, no reserve, no launch test.
    Study,
}

impl Rules {
    /// The word on screen and on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Study => "study",
        }
    }
}

/// What one block asks of an SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockNeeds {
    /// Threads per block.
    pub threads: u32,
    /// Registers per thread; 0 = unknown, treated as no limit.
    pub regs_per_thread: u32,
    /// Static shared memory in bytes.
    pub smem_static: u32,
    /// Dynamic shared memory in bytes.
    pub smem_dynamic: u32,
}

/// What can limit the number of resident blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Warp slots.
    Warps,
    /// The register file.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Block slots.
    Blocks,
}

impl Resource {
    /// All four, in the order they are shown.
    pub const ALL: [Self; 4] = [Self::Registers, Self::SharedMemory, Self::Warps, Self::Blocks];

    /// The word on screen and in exports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Registers => "registers",
            Self::SharedMemory => "shared mem",
            Self::Blocks => "blocks",
        }
    }
}

/// Resident blocks and every limit behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks resident on one SM.
    pub active_blocks: u32,
    /// Warps resident on one SM.
    pub active_warps: u32,
    /// Warps an SM can hold.
    pub max_warps: u32,
    /// Blocks that fit the warp slots.
    pub by_warps: u32,
    /// Blocks that fit the register file; `None` = no limit.
    pub by_registers: Option<u32>,
    /// Blocks that fit shared memory; `None` = no limit.
    pub by_shared_memory: Option<u32>,
    /// Block slots.
    pub by_blocks: u32,
}

impl Occupancy {
    /// Active warps over maximum warps, 0 to 1.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        f64::from(self.active_warps) / f64::from(self.max_warps)
    }

    /// How many blocks this resource allows; `None` = no limit.
    #[must_use]
    pub fn limit(&self, resource: Resource) -> Option<u32> {
        match resource {
            Resource::Warps => Some(self.by_warps),
            Resource::Registers => self.by_registers,
            Resource::SharedMemory => self.by_shared_memory,
            Resource::Blocks => Some(self.by_blocks),
        }
    }

    /// Whether this resource is (one of) the smallest.
    #[must_use]
    pub fn is_limiter(&self, resource: Resource) -> bool {
        self.limit(resource) == Some(self.active_blocks)
    }

    /// The limiting resources.
    pub fn limiters(&self) -> impl Iterator<Item = Resource> + '_ {
        Resource::ALL.into_iter().filter(|r| self.is_limiter(*r))
    }
}

/// Why a launch cannot start.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LaunchRefusal {
    /// Too many threads in a block.
    #[error("cannot launch: {threads} threads per block, at most {most}")]
    Threads {
        /// Asked for.
        threads: u32,
        /// Allowed.
        most: u32,
    },
    /// A thread needs more registers than one may have.
    #[error("cannot launch: {regs} registers per thread, at most {most}")]
    RegistersPerThread {
        /// Asked for.
        regs: u32,
        /// Allowed.
        most: u32,
    },
    /// A block needs more registers than one may have.
    #[error("cannot launch: {regs} registers x {threads} threads need {needed}, a block may have {most}")]
    Registers {
        /// Registers per thread.
        regs: u32,
        /// Threads per block.
        threads: u32,
        /// Registers of one block, in whole allocation units.
        needed: u64,
        /// Allowed.
        most: u32,
    },
    /// A block needs more shared memory than one may have.
    #[error("cannot launch: {needed} bytes of shared memory per block, at most {most}")]
    SharedMemory {
        /// Asked for.
        needed: u64,
        /// Allowed after opting in.
        most: u32,
    },
    /// A grid dimension is too large.
    #[error("cannot launch: {blocks} blocks along {axis}, at most {most}")]
    Grid {
        /// Blocks along the axis.
        blocks: u64,
        /// `x`, `y` or `z`.
        axis: char,
        /// Allowed.
        most: u64,
    },
}

/// Resident blocks of this kernel on one SM; 0 where the launch cannot start.
#[must_use]
pub fn occupancy(limits: &Limits, needs: BlockNeeds, rules: Rules) -> Occupancy {
    let warps = needs.threads.div_ceil(Limits::WARP).max(1);
    let (by_warps, by_registers, by_shared_memory) = match rules {
        Rules::Exact => {
            (by_warps(limits, needs, warps), by_registers(limits, needs, warps), by_smem(limits, needs))
        }
        Rules::Study => study(limits, needs),
    };
    let by_blocks = limits.blocks_per_sm;
    let smallest = by_warps
        .min(by_blocks)
        .min(by_registers.unwrap_or(u32::MAX))
        .min(by_shared_memory.unwrap_or(u32::MAX));
    Occupancy {
        active_blocks: smallest,
        active_warps: smallest.saturating_mul(warps).min(limits.warps_per_sm()),
        max_warps: limits.warps_per_sm(),
        by_warps,
        by_registers,
        by_shared_memory,
        by_blocks,
    }
}

/// Rule 1: warp slots.
fn by_warps(limits: &Limits, needs: BlockNeeds, warps: u32) -> u32 {
    if needs.threads == 0 || needs.threads > limits.threads_per_block {
        0
    } else {
        limits.warps_per_sm() / warps
    }
}

/// Rules 2 and 3: registers, handed out per warp in whole units, each sub-partition on its own.
fn by_registers(limits: &Limits, needs: BlockNeeds, warps: u32) -> Option<u32> {
    if needs.regs_per_thread == 0 {
        return None;
    }
    let count = |sub_partitions: u32| {
        let per_warp = regs_per_warp(limits, needs.regs_per_thread);
        let rounded = u64::from(warps).next_multiple_of(u64::from(sub_partitions));
        let launches = needs.regs_per_thread <= limits.regs_per_thread
            && per_warp * rounded <= u64::from(limits.regs_per_block);
        if !launches {
            return 0;
        }
        let warps_per_part = u64::from(limits.regs_per_sm / sub_partitions) / per_warp;
        (warps_per_part * u64::from(sub_partitions) / u64::from(warps)) as u32
    };
    // 6.0 has two sub-partitions but refuses what four could not hold.
    Some(if limits.sub_partitions < 4 && count(4) == 0 { 0 } else { count(limits.sub_partitions) })
}

fn regs_per_warp(limits: &Limits, regs_per_thread: u32) -> u64 {
    (u64::from(regs_per_thread) * u64::from(Limits::WARP))
        .next_multiple_of(u64::from(limits.reg_unit_per_warp))
}

/// Rule 4: shared memory with its reserve and unit; opting in to more than 48 KiB is allowed.
fn by_smem(limits: &Limits, needs: BlockNeeds) -> Option<u32> {
    let asked = smem_bytes(needs);
    let allocated = (asked + u64::from(limits.smem_reserved)).next_multiple_of(u64::from(limits.smem_unit));
    if asked > u64::from(limits.smem_opt_in) {
        return Some(0);
    }
    if allocated == 0 {
        return None;
    }
    Some((u64::from(limits.smem_per_sm) / allocated) as u32)
}

fn smem_bytes(needs: BlockNeeds) -> u64 {
    u64::from(needs.smem_static) + u64::from(needs.smem_dynamic)
}

/// Paper 1, section 4.0.2.
fn study(limits: &Limits, needs: BlockNeeds) -> (u32, Option<u32>, Option<u32>) {
    let over = |have: u32, need: u64| (need > 0).then(|| (u64::from(have) / need) as u32);
    let regs = u64::from(needs.regs_per_thread) * u64::from(needs.threads);
    let threads = over(limits.threads_per_sm, u64::from(needs.threads)).unwrap_or(0);
    (threads, over(limits.regs_per_sm, regs), over(limits.smem_per_sm, smem_bytes(needs)))
}

/// The first reason why this launch cannot start, if there is one.
#[must_use]
pub fn launch_refusal(limits: &Limits, needs: BlockNeeds, launch: Option<&Launch>) -> Option<LaunchRefusal> {
    const GRID: [(char, u64); 3] = [('x', 2_147_483_647), ('y', 65_535), ('z', 65_535)];
    if needs.threads > limits.threads_per_block {
        return Some(LaunchRefusal::Threads { threads: needs.threads, most: limits.threads_per_block });
    }
    if needs.regs_per_thread > limits.regs_per_thread {
        let (regs, most) = (needs.regs_per_thread, limits.regs_per_thread);
        return Some(LaunchRefusal::RegistersPerThread { regs, most });
    }
    let warps = needs.threads.div_ceil(Limits::WARP).max(1);
    if by_registers(limits, needs, warps) == Some(0) {
        let needed = regs_per_warp(limits, needs.regs_per_thread) * u64::from(warps).next_multiple_of(4);
        let (regs, threads, most) = (needs.regs_per_thread, needs.threads, limits.regs_per_block);
        return Some(LaunchRefusal::Registers { regs, threads, needed, most });
    }
    if by_smem(limits, needs) == Some(0) {
        return Some(LaunchRefusal::SharedMemory { needed: smem_bytes(needs), most: limits.smem_opt_in });
    }
    let grid = launch?.grid;
    let over = grid.iter().zip(GRID).find(|(blocks, (_, most))| *blocks > most);
    over.map(|(blocks, (axis, most))| LaunchRefusal::Grid { blocks: *blocks, axis, most })
}

/// How a grid falls on a GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waves {
    /// Blocks resident on the whole GPU at once.
    pub blocks_per_wave: u64,
    /// Blocks of the grid over blocks per wave.
    pub waves: f64,
    /// How full the last wave is, 0 to 1; 1 when it is full.
    pub tail: f64,
}

/// Waves of a grid of `blocks`; `None` where nothing fits.
#[must_use]
pub fn waves(gpu: &Gpu, occupancy: &Occupancy, blocks: u64) -> Option<Waves> {
    let blocks_per_wave = u64::from(gpu.sms.value) * u64::from(occupancy.active_blocks);
    if blocks_per_wave == 0 || blocks == 0 {
        return None;
    }
    let last = blocks % blocks_per_wave;
    let tail = if last == 0 { 1.0 } else { last as f64 / blocks_per_wave as f64 };
    Some(Waves { blocks_per_wave, waves: blocks as f64 / blocks_per_wave as f64, tail })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    fn limits(cc: &str) -> Limits {
        LimitsTable::shipped().unwrap().get(cc.parse().unwrap()).unwrap()
    }

    fn needs(threads: u32, regs: u32, smem_static: u32, smem_dynamic: u32) -> BlockNeeds {
        BlockNeeds { threads, regs_per_thread: regs, smem_static, smem_dynamic }
    }

    #[test]
    fn paper_4_table_1_comes_out() {
        let blocks =
            |t: u32| occupancy(&limits("8.9"), needs(t * t, 32, 0, 8 * t * t), Rules::Exact).active_blocks;
        assert_eq!([1, 4, 8, 16, 32].map(blocks), [24, 24, 24, 6, 1]);
    }

    #[test]
    fn rounded_registers_can_forbid_a_launch_that_plain_arithmetic_allows() {
        // 704 x 88 = 61,952 < 65,536, but 22 warps round up to 24 x 2,816 = 67,584.
        for (cc, l) in LimitsTable::shipped().unwrap().iter() {
            assert_eq!(occupancy(&l, needs(704, 88, 0, 0), Rules::Exact).active_blocks, 0, "{cc}");
            assert!(matches!(
                launch_refusal(&l, needs(704, 88, 0, 0), None),
                Some(LaunchRefusal::Registers { .. })
            ));
        }
        assert_eq!(occupancy(&limits("7.0"), needs(704, 88, 0, 0), Rules::Study).active_blocks, 1);
    }

    #[test]
    fn too_many_registers_per_thread_are_refused_in_their_own_words() {
        let refusal = launch_refusal(&limits("5.2"), needs(32, 256, 0, 0), None).unwrap();
        assert_eq!(refusal.to_string(), "cannot launch: 256 registers per thread, at most 255");
        assert!(launch_refusal(&limits("5.2"), needs(32, 255, 0, 0), None).is_none());
    }

    #[test]
    fn both_smallest_limits_are_limiters() {
        let o = occupancy(&limits("8.9"), needs(1024, 37, 8192, 0), Rules::Exact);
        assert_eq!((o.active_blocks, o.active_warps, o.max_warps), (1, 32, 48));
        assert_eq!(o.limiters().collect::<Vec<_>>(), [Resource::Registers, Resource::Warps]);
    }

    #[test]
    fn absurd_needs_do_not_overflow() {
        let l = limits("9.0");
        for n in [needs(0, 0, 0, 0), needs(u32::MAX, u32::MAX, u32::MAX, u32::MAX), needs(1, 1, u32::MAX, 1)]
        {
            for rules in [Rules::Exact, Rules::Study] {
                assert!(occupancy(&l, n, rules).fraction() <= 1.0);
            }
        }
    }
}
