//! Occupancy over one resource of the block, all others kept: where it stays the same, and where it changes.

use super::{BlockNeeds, Occupancy, Rules, occupancy};
use crate::gpu::Limits;

/// What is varied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Threads per block.
    Block,
    /// Registers per thread.
    Registers,
    /// Shared memory per block in bytes.
    SharedMemory,
}

impl Over {
    /// The block with this much of it.
    #[must_use]
    pub fn set(self, needs: BlockNeeds, value: u32) -> BlockNeeds {
        match self {
            Self::Block => BlockNeeds { threads: value, ..needs },
            Self::Registers => BlockNeeds { regs_per_thread: value, ..needs },
            Self::SharedMemory => BlockNeeds { smem_static: 0, smem_dynamic: value, ..needs },
        }
    }

    /// How much of it the block has.
    #[must_use]
    pub fn of(self, needs: &BlockNeeds) -> u32 {
        match self {
            Self::Block => needs.threads,
            Self::Registers => needs.regs_per_thread,
            Self::SharedMemory => needs.smem(),
        }
    }

    /// The least that makes sense: 0 threads are no block, 0 registers are unknown ones.
    #[must_use]
    pub fn least(self) -> u32 {
        u32::from(self != Self::SharedMemory)
    }

    /// The most that a block may have.
    #[must_use]
    pub fn most(self, limits: &Limits) -> u32 {
        match self {
            Self::Block => limits.threads_per_block,
            Self::Registers => limits.regs_per_thread,
            Self::SharedMemory => limits.smem_opt_in,
        }
    }

    /// Between multiples of this nothing changes.
    fn unit(self, limits: &Limits, rules: Rules) -> u32 {
        match (rules, self) {
            (Rules::Study, Self::Block | Self::Registers) => 1,
            (_, Self::Block) => Limits::WARP,
            (_, Self::Registers) => limits.reg_unit_per_warp / Limits::WARP,
            (_, Self::SharedMemory) => limits.smem_unit,
        }
    }
}

/// A stretch over which blocks and warps stay the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Its first value.
    pub from: u32,
    /// Its last value.
    pub to: u32,
    /// Resident warps.
    pub active_warps: u32,
    /// Resident blocks.
    pub active_blocks: u32,
}

/// Every stretch from the least value to `most`, in order and without a gap. With the study's rules shared memory is read
/// at its allocation units only, so that an end may lie up to one unit off.
#[must_use]
pub fn sweep(limits: &Limits, needs: BlockNeeds, rules: Rules, over: Over, most: u32) -> Vec<Stretch> {
    let unit = over.unit(limits, rules).max(1);
    let mut out: Vec<Stretch> = Vec::new();
    let mut from = over.least();
    while from <= most {
        let to = if from.is_multiple_of(unit) { from } else { from.next_multiple_of(unit).min(most) };
        let Occupancy { active_warps, active_blocks, .. } = occupancy(limits, over.set(needs, to), rules);
        match out.last_mut().filter(|s| s.active_warps == active_warps && s.active_blocks == active_blocks) {
            Some(same) => same.to = to,
            None => out.push(Stretch { from, to, active_warps, active_blocks }),
        }
        from = to + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    #[test]
    fn registers_fall_in_steps_of_eight() {
        let limits = LimitsTable::shipped().unwrap().get("8.9".parse().unwrap()).unwrap();
        let needs = BlockNeeds { threads: 256, ..BlockNeeds::default() };
        let steps = sweep(&limits, needs, Rules::Exact, Over::Registers, 255);
        let (first, last) = (steps[0], steps[steps.len() - 1]);
        // 40 registers fill the 48 warps: 6 blocks of 8 warps.
        assert_eq!((first.from, first.to, first.active_warps), (1, 40, 48));
        assert_eq!((last.from, last.to, last.active_blocks), (129, 255, 1));
        assert!(steps.windows(2).all(|w| w[0].to + 1 == w[1].from));
    }
}
