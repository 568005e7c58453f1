//! How many blocks of a kernel an SM can hold, what limits them, and what would let one more in.
//!
//! The exact rules are those of NVIDIA's `cuda_occupancy.h` (source id `cuda-occupancy`): warps, registers with their
//! allocation unit and sub-partitions, shared memory with its unit and reserve, blocks. [`Rules::Study`] is the
//! simplified formula of paper 1, section 4.0.2, because its published tables are reproduced with it.

mod best_block;
mod block;
mod exact;
mod launch;
mod next_step;
mod sweep;

pub use best_block::{BestBlock, best_block, suggested_block};
pub use block::{BlockNeeds, Carveout, GlobalCaching};
pub use launch::{
    LaunchRefusal, StatedLaunch, Waves, bounded_registers, cluster_refusal, is_at_register_limit,
    launch_refusal, register_refusal, thread_refusal, waves,
};
pub use next_step::{Change, Lever, NextStep, needed_for_one_more, next_step};
pub use sweep::{Over, Stretch, sweep};

use crate::gpu::SmLimits;

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
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Study => "study",
        }
    }
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
    /// Named barriers (9.0 on).
    Barriers,
}

impl Resource {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 5] =
        [Self::Registers, Self::SharedMemory, Self::Warps, Self::Blocks, Self::Barriers];

    /// Those to show for these occupancies: barriers only where they count.
    pub fn shown(occupancies: &[Occupancy]) -> impl Iterator<Item = Self> + '_ {
        let counts = |r: &Self| *r != Self::Barriers || occupancies.iter().any(|o| o.by_barriers.is_some());
        Self::ALL.into_iter().filter(counts)
    }

    /// The word on screen and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warps => "warps",
            Self::Registers => "registers",
            Self::SharedMemory => "shared mem",
            Self::Blocks => "blocks",
            Self::Barriers => "barriers",
        }
    }
}

/// Resident blocks and every limit behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// Blocks that the barriers of an SM allow; `None` = no limit, as everywhere before 9.0.
    pub by_barriers: Option<u32>,
    /// Registers that one block gets, in whole allocation units.
    pub allocated_registers: u32,
    /// Shared memory that one block gets in bytes, reserve and allocation unit included.
    pub allocated_shared_memory: u32,
    /// What shared memory of one SM is set to, in bytes: the carveout.
    pub shared_memory_per_sm: u32,
    /// Partitioned global caching that is really in effect.
    pub global_caching: GlobalCaching,
    /// The smallest limit but for the barriers, which the reference applies after (rule 8).
    smallest_of_four: u32,
}

impl Occupancy {
    /// Completes what the limits found say: block slots, active blocks and warps.
    #[inline]
    fn from_limits(limits: &SmLimits, warps: u32, mut found: Self) -> Self {
        found.by_blocks = limits.blocks_per_sm;
        found.max_warps = limits.warps_per_sm();
        let unlimited = u32::MAX;
        let other = found.by_registers.unwrap_or(unlimited).min(found.by_shared_memory.unwrap_or(unlimited));
        found.smallest_of_four = found.by_warps.min(found.by_blocks).min(other);
        found.active_blocks = found.smallest_of_four.min(found.by_barriers.unwrap_or(unlimited));
        found.active_warps = found.active_blocks.saturating_mul(warps).min(found.max_warps);
        found
    }

    /// The same where the launch is refused for a reason that no limit shows (a cluster, a bound of the build): nothing is
    /// resident.
    #[must_use]
    pub fn refused(self) -> Self {
        Self { active_blocks: 0, active_warps: 0, ..self }
    }

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
            Resource::Barriers => self.by_barriers,
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

    /// `registers and warps`.
    #[must_use]
    pub fn limiter_words(&self) -> String {
        self.limiters().map(Resource::as_str).collect::<Vec<_>>().join(" and ")
    }

    /// `occupancy limit: registers and warps`.
    #[must_use]
    pub fn limit_text(&self) -> String {
        format!("occupancy limit: {}", self.limiter_words())
    }

    /// `occupancy limit: warps → registers`, where it is not the same there.
    #[must_use]
    pub fn limit_change_text(&self, there: &Self) -> Option<String> {
        let same = self.limiters().eq(there.limiters());
        (!same).then(|| format!("{} → {}", self.limit_text(), there.limiter_words()))
    }

    /// Whether NVIDIA's calculator flags this resource: as [`Occupancy::is_limiter`], but where barriers bind it keeps the
    /// flags of what was smallest before them.
    #[must_use]
    pub fn is_flagged(&self, resource: Resource) -> bool {
        match resource {
            Resource::Barriers => self.is_limiter(resource),
            _ => self.limit(resource) == Some(self.smallest_of_four),
        }
    }
}

/// Resident blocks of this kernel on one SM; 0 where the launch cannot start.
#[must_use]
#[inline]
pub fn occupancy(limits: &SmLimits, needs: BlockNeeds, rules: Rules) -> Occupancy {
    match rules {
        Rules::Exact => exact::exact(limits, &needs),
        Rules::Study => study(limits, &needs),
    }
}

/// Paper 1, section 4.0.2.
fn study(limits: &SmLimits, needs: &BlockNeeds) -> Occupancy {
    let over = |have: u32, need: u32| (need > 0).then(|| have / need);
    let allocated_registers = needs.regs_per_thread.saturating_mul(needs.threads);
    let found = Occupancy {
        by_warps: over(limits.threads_per_sm, needs.threads).unwrap_or(0),
        by_registers: over(limits.regs_per_sm, allocated_registers),
        by_shared_memory: over(limits.smem_per_sm, needs.smem()),
        allocated_registers,
        allocated_shared_memory: needs.smem(),
        shared_memory_per_sm: limits.smem_per_sm,
        ..Occupancy::default()
    };
    Occupancy::from_limits(limits, needs.threads.div_ceil(SmLimits::WARP).max(1), found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    fn limits(cc: &str) -> SmLimits {
        LimitsTable::shipped().unwrap().limits_at(cc.parse().unwrap()).unwrap()
    }

    fn needs(threads: u32, regs: u32, smem_static: u32, smem_dynamic: u32) -> BlockNeeds {
        BlockNeeds { threads, regs_per_thread: regs, smem_static, smem_dynamic, ..BlockNeeds::default() }
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
