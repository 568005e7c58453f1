//! The block size with the most threads per SM for the same registers and shared memory per block.

use super::{BlockNeeds, Occupancy, Rules, occupancy};
use crate::gpu::SmLimits;

/// A block size and what it brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestBlock {
    /// Threads per block.
    pub threads: u32,
    /// The occupancy it reaches.
    pub occupancy: Occupancy,
}

impl BestBlock {
    /// Threads per SM.
    const fn resident_threads(&self) -> u32 {
        self.threads * self.occupancy.active_blocks
    }

    /// The fewest blocks that fill a GPU of so many SMs.
    #[must_use]
    pub fn min_grid(&self, sms: u32) -> u64 {
        u64::from(sms) * u64::from(self.occupancy.active_blocks)
    }
}

/// Rule 9, as NVIDIA's calculator suggests one: from the largest multiple of a warp down, the first with the most threads
/// per SM. `None` where no block size can launch.
#[must_use]
pub fn best_block(limits: &SmLimits, needs: BlockNeeds, rules: Rules) -> Option<BestBlock> {
    let mut best: Option<BestBlock> = None;
    for warps in (1..=needs.most_threads(limits) / SmLimits::WARP).rev() {
        let threads = warps * SmLimits::WARP;
        let this =
            BestBlock { threads, occupancy: occupancy(limits, BlockNeeds { threads, ..needs }, rules) };
        if this.resident_threads() > best.as_ref().map_or(0, BestBlock::resident_threads) {
            best = Some(this);
        }
        if best.as_ref().map(BestBlock::resident_threads) == Some(limits.threads_per_sm) {
            break;
        }
    }
    best
}

/// The block size to suggest for a block of these needs: its own where no other one has more threads per SM, else that of rule 9.
#[must_use]
pub fn suggested_block(limits: &SmLimits, needs: BlockNeeds, rules: Rules) -> Option<BestBlock> {
    let best = best_block(limits, needs, rules)?;
    let own = BestBlock { threads: needs.threads, occupancy: occupancy(limits, needs, rules) };
    Some(if own.resident_threads() < best.resident_threads() { best } else { own })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    #[test]
    fn a_block_that_fills_an_sm_is_suggested_as_it_is() {
        let limits = LimitsTable::shipped().unwrap().limits_at("8.9".parse().unwrap()).unwrap();
        let suggested = |threads| {
            let needs = BlockNeeds { threads, regs_per_thread: 32, ..BlockNeeds::default() };
            suggested_block(&limits, needs, Rules::Exact).map(|b| (b.threads, b.occupancy.active_blocks))
        };
        assert_eq!([suggested(256), suggested(64)], [Some((256, 6)), Some((64, 24))]);
        assert_eq!([suggested(32), suggested(1024)], [Some((768, 2)); 2]);
    }

    #[test]
    fn the_largest_of_the_best_is_suggested() {
        let limits = LimitsTable::shipped().unwrap().limits_at("8.9".parse().unwrap()).unwrap();
        let best = |regs| {
            let needs = BlockNeeds { threads: 32, regs_per_thread: regs, ..BlockNeeds::default() };
            best_block(&limits, needs, Rules::Exact).map(|b| (b.threads, b.occupancy.active_warps))
        };
        // 1,024 threads are two thirds of the 1,536 slots; 768 fill them.
        assert_eq!(best(32), Some((768, 48)));
        // 40 registers hold 48 warps as well.
        assert_eq!(best(37), Some((768, 48)));
        assert_eq!(best(64), Some((1024, 32)));
        assert_eq!(best(256), Some((256, 8)), "8 warps of 8,192 registers are all there are");
        assert_eq!(best(300), None);
    }

    #[test]
    fn the_grid_that_fills_a_gpu_has_every_sm_full() {
        let limits = LimitsTable::shipped().unwrap().limits_at("7.0".parse().unwrap()).unwrap();
        let needs = BlockNeeds { regs_per_thread: 32, ..BlockNeeds::default() };
        assert_eq!(best_block(&limits, needs, Rules::Exact).map(|b| b.min_grid(80)), Some(160));
    }
}
