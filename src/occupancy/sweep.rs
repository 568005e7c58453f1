//! Occupancy over one resource of the block, all others kept: where it stays the same, and where it changes.

use super::{BlockNeeds, Occupancy, Rules, occupancy};
use crate::gpu::SmLimits;

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
    pub fn swept_value(self, needs: &BlockNeeds) -> u32 {
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
    pub fn most(self, limits: &SmLimits) -> u32 {
        match self {
            Self::Block => limits.threads_per_block,
            Self::Registers => limits.regs_per_thread,
            Self::SharedMemory => limits.smem_opt_in,
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

/// Every stretch from the least value to `most`, in order and without a gap.
#[must_use]
pub fn sweep(limits: &SmLimits, needs: BlockNeeds, rules: Rules, over: Over, most: u32) -> Vec<Stretch> {
    let at = |value: u32| {
        let Occupancy { active_warps, active_blocks, .. } = occupancy(limits, over.set(needs, value), rules);
        let bounded = over == Over::Block && value > needs.most_threads(limits);
        if bounded { (0, 0) } else { (active_blocks, active_warps) }
    };
    let mut out: Vec<Stretch> = Vec::new();
    let mut from = over.least();
    while from <= most {
        let now = at(from);
        let to = match over {
            // The warps rise and fall; blocks of as many warps are the same but for the study's formula.
            Over::Block if rules == Rules::Exact => from.next_multiple_of(SmLimits::WARP).min(most),
            Over::Block => from,
            _ => last_like(from, most, |value| at(value) == now),
        };
        let (active_blocks, active_warps) = now;
        match out.last_mut().filter(|s| (s.active_blocks, s.active_warps) == now) {
            Some(same) => same.to = to,
            None => out.push(Stretch { from, to, active_warps, active_blocks }),
        }
        let Some(next) = to.checked_add(1) else { break };
        from = next;
    }
    out
}

/// The last value up to `most` that is like the first; what is not like it never is again, since more registers or shared
/// memory never let more blocks in.
fn last_like(first: u32, most: u32, is_like: impl Fn(u32) -> bool) -> u32 {
    let (mut like, mut unlike) = (first, most.saturating_add(1));
    while unlike - like > 1 {
        let middle = like + (unlike - like) / 2;
        if is_like(middle) {
            like = middle;
        } else {
            unlike = middle;
        }
    }
    like
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    #[test]
    fn registers_fall_in_steps_of_eight() {
        let limits = LimitsTable::shipped().unwrap().limits_at("8.9".parse().unwrap()).unwrap();
        let needs = BlockNeeds { threads: 256, ..BlockNeeds::default() };
        let steps = sweep(&limits, needs, Rules::Exact, Over::Registers, 255);
        let (first, last) = (steps[0], steps[steps.len() - 1]);
        // 40 registers fill the 48 warps: 6 blocks of 8 warps.
        assert_eq!((first.from, first.to, first.active_warps), (1, 40, 48));
        assert_eq!((last.from, last.to, last.active_blocks), (129, 255, 1));
        assert!(steps.windows(2).all(|w| w[0].to + 1 == w[1].from));
    }
}
