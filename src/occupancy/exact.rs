//! The arithmetic of the hardware and of NVIDIA's `cuda_occupancy.h`, rules 1 to 7.
//!
//! This is the inner loop of every sweep, so it divides no integers: allocation units are powers of two (a test of the limits
//! says so), warps, register units and barriers are few enough for a table of reciprocals, and bytes of shared memory for
//! floats. Needs beyond anything that can launch saturate.

use super::{BlockNeeds, Carveout, GlobalCaching, Occupancy};
use crate::gpu::SmLimits;

/// Resident blocks and every limit behind them, exactly.
#[inline]
pub(super) fn exact(limits: &SmLimits, needs: &BlockNeeds) -> Occupancy {
    let warps = needs.threads.div_ceil(SmLimits::WARP).max(1);
    let registers = registers(limits, needs, warps);
    let shared = shared_memory(limits, needs);
    Occupancy::from_limits(
        limits,
        warps,
        Occupancy {
            by_warps: by_warps(limits, needs, warps, registers.caching),
            by_registers: registers.blocks,
            by_shared_memory: shared.blocks,
            by_barriers: by_barriers(limits, needs),
            allocated_registers: registers.allocated,
            allocated_shared_memory: shared.allocated,
            shared_memory_per_sm: shared.per_sm,
            global_caching: registers.caching,
            ..Occupancy::default()
        },
    )
}

/// The largest dividend of [`quotient`]; by more than it, the answer is 0.
const FEW: u32 = 512;

/// 2^20 / n, rounded up; nothing for n = 0.
static RECIPROCALS: [u32; FEW as usize + 2] = {
    let mut table = [0; FEW as usize + 2];
    let mut n = 1;
    while n <= FEW + 1 {
        table[n as usize] = (1_u32 << 20).div_ceil(n);
        n += 1;
    }
    table
};

/// The whole quotient of few things by any number; 0 by 0. Exact, because dividend x divisor stays below 2^20.
#[inline]
fn quotient(few: u32, by: u32) -> u32 {
    debug_assert!(few <= FEW, "{few} are too many");
    (few * RECIPROCALS[by.min(FEW + 1) as usize]) >> 20
}

#[inline]
fn round_up(value: u32, power_of_two: u32) -> u32 {
    let mask = power_of_two - 1;
    value.saturating_add(mask) & !mask
}

/// Rule 1, and rule 7 for warps: with partitioned caching each half SM holds whole blocks.
#[inline]
fn by_warps(limits: &SmLimits, needs: &BlockNeeds, warps: u32, caching: GlobalCaching) -> u32 {
    let halves = u32::from(caching != GlobalCaching::Off);
    let blocks = quotient(limits.warps_per_sm() >> halves, warps) << halves;
    if needs.threads.wrapping_sub(1) < limits.threads_per_block { blocks } else { 0 }
}

struct Registers {
    blocks: Option<u32>,
    allocated: u32,
    caching: GlobalCaching,
}

/// Rules 2, 3 and 7: registers are handed out per warp in whole units, by each sub-partition on its own.
#[inline]
fn registers(limits: &SmLimits, needs: &BlockNeeds, warps: u32) -> Registers {
    let asked = if limits.global_caching { needs.global_caching } else { GlobalCaching::Off };
    let parts = limits.sub_partitions;
    let per_warp = round_up(needs.regs_per_thread.saturating_mul(SmLimits::WARP), limits.reg_unit_per_warp);
    let allocated = per_warp.saturating_mul(warps);
    // The launch test counts as if registers were handed to all sub-partitions at once. What four sub-partitions could
    // not hold, 6.0 with its two refuses too.
    let launches = (needs.regs_per_thread <= limits.regs_per_thread)
        & (per_warp.saturating_mul(round_up(warps, parts.max(4))) <= limits.regs_per_block)
        & (parts >= 4 || warps_held(limits, per_warp, 4) >= warps);
    let held = warps_held(limits, per_warp, parts);
    let whole = if launches { quotient(held, warps) } else { 0 };
    let (blocks, caching) = with_caching(asked, launches, quotient(held / 2, warps) * 2, whole);
    let limited = per_warp > 0;
    Registers { blocks: limited.then_some(blocks), allocated, caching: if limited { caching } else { asked } }
}

/// Warps that the register file holds, split into so many parts.
#[inline]
fn warps_held(limits: &SmLimits, per_warp: u32, parts: u32) -> u32 {
    let units = |registers: u32| registers >> limits.reg_unit_per_warp.trailing_zeros();
    let of_part = units(limits.regs_per_sm) >> parts.trailing_zeros();
    quotient(of_part, units(per_warp)) * parts
}

/// Rule 7 for registers: whole blocks per half SM; given up where that leaves none, unless it is required.
fn with_caching(asked: GlobalCaching, launches: bool, halves: u32, whole: u32) -> (u32, GlobalCaching) {
    let gives_up = launches & (asked == GlobalCaching::On) & (halves == 0);
    let caching = if gives_up { GlobalCaching::Off } else { asked };
    let kept = if launches { halves } else { 0 };
    (if caching == GlobalCaching::Off { whole } else { kept }, caching)
}

struct SharedMemory {
    blocks: Option<u32>,
    allocated: u32,
    per_sm: u32,
}

/// Rules 4 and 5.
#[inline]
fn shared_memory(limits: &SmLimits, needs: &BlockNeeds) -> SharedMemory {
    let allocated = round_up(needs.smem().saturating_add(limits.smem_reserved), limits.smem_unit);
    let most = if needs.opt_in { limits.smem_opt_in } else { limits.smem_per_block };
    let fits = allocated <= most + limits.smem_reserved;
    let per_sm = match needs.carveout {
        Carveout::Default => limits.smem_per_sm,
        Carveout::Percent(percent) => {
            let preferred = u32::from(percent.min(100)) * limits.smem_per_sm / 100;
            // A preference that does not hold one block gives way.
            limits.carveout.holding(if fits { preferred.max(allocated) } else { preferred })
        }
    };
    let blocks = if fits { share_per_sm(per_sm, allocated) } else { 0 };
    SharedMemory { blocks: (allocated > 0).then_some(blocks), allocated, per_sm }
}

/// How often a block's shared memory goes into that of an SM. Both are far below 2^23, where a quotient of 32-bit floats
/// cannot round up to the next whole number; dividing integers takes twice as long.
#[inline]
fn share_per_sm(per_sm: u32, allocated: u32) -> u32 {
    (per_sm as f32 / allocated.max(1) as f32) as u32
}

/// Rule 6.
#[inline]
fn by_barriers(limits: &SmLimits, needs: &BlockNeeds) -> Option<u32> {
    limits.barrier_pool.filter(|_| needs.barriers > 0).map(|pool| quotient(pool, needs.barriers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quotient_by_reciprocals_is_the_quotient() {
        for few in 0..FEW {
            for by in (1..2 * FEW).chain([u32::MAX]) {
                assert_eq!(quotient(few, by), few / by, "{few} / {by}");
            }
        }
        assert_eq!(quotient(7, 0), 0);
    }

    #[test]
    fn the_share_by_floats_is_the_quotient() {
        for per_sm in (0..=256 * 1024).step_by(4096) {
            for allocated in (128..=256 * 1024).step_by(128) {
                assert_eq!(share_per_sm(per_sm, allocated), per_sm / allocated, "{per_sm} / {allocated}");
            }
        }
    }
}
