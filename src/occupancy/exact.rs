//! The arithmetic of the hardware and of NVIDIA's `cuda_occupancy.h`, rules 1 to 7.
//!
//! Every allocation unit is a power of two (a test of the limits says so), so rounding is a mask; five 32-bit divisions
//! remain. Needs beyond anything that can launch saturate.

use super::{BlockNeeds, Carveout, GlobalCaching, Occupancy};
use crate::gpu::Limits;

/// Resident blocks and every limit behind them, exactly.
#[inline]
pub(super) fn exact(limits: &Limits, needs: &BlockNeeds) -> Occupancy {
    let warps = needs.threads.div_ceil(Limits::WARP).max(1);
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

fn round_up(value: u32, power_of_two: u32) -> u32 {
    let mask = power_of_two - 1;
    value.saturating_add(mask) & !mask
}

/// Rule 1, and rule 7 for warps: with partitioned caching each half SM holds whole blocks.
fn by_warps(limits: &Limits, needs: &BlockNeeds, warps: u32, caching: GlobalCaching) -> u32 {
    if needs.threads == 0 || needs.threads > limits.threads_per_block {
        0
    } else if caching == GlobalCaching::Off {
        limits.warps_per_sm() / warps
    } else {
        limits.warps_per_sm() / 2 / warps * 2
    }
}

struct Registers {
    blocks: Option<u32>,
    allocated: u32,
    caching: GlobalCaching,
}

/// Rules 2, 3 and 7: registers are handed out per warp in whole units, by each sub-partition on its own.
fn registers(limits: &Limits, needs: &BlockNeeds, warps: u32) -> Registers {
    let asked = if limits.global_caching { needs.global_caching } else { GlobalCaching::Off };
    let per_warp = round_up(needs.regs_per_thread.saturating_mul(Limits::WARP), limits.reg_unit_per_warp);
    let allocated = per_warp.saturating_mul(warps);
    let said = |blocks, caching| Registers { blocks, allocated, caching };
    if per_warp == 0 {
        return said(None, asked);
    }
    let parts = limits.sub_partitions;
    if !launches(limits, needs, per_warp, warps, parts) {
        return said(Some(0), asked);
    }
    let warps_of = |parts: u32| limits.regs_per_sm / parts / per_warp * parts;
    if asked != GlobalCaching::Off {
        let halves = warps_of(parts) / 2 / warps * 2;
        if halves > 0 || asked == GlobalCaching::Strict {
            return said(Some(halves), asked);
        }
    }
    // What four sub-partitions could not hold, 6.0 with its two refuses too.
    if parts < 4 && (!launches(limits, needs, per_warp, warps, 4) || warps_of(4) < warps) {
        return said(Some(0), GlobalCaching::Off);
    }
    said(Some(warps_of(parts) / warps), GlobalCaching::Off)
}

/// The launch test of rule 2: it reckons as if registers were handed to all sub-partitions at once.
fn launches(limits: &Limits, needs: &BlockNeeds, per_warp: u32, warps: u32, parts: u32) -> bool {
    needs.regs_per_thread <= limits.regs_per_thread
        && per_warp.saturating_mul(round_up(warps, parts)) <= limits.regs_per_block
}

struct SharedMemory {
    blocks: Option<u32>,
    allocated: u32,
    per_sm: u32,
}

/// Rules 4 and 5.
fn shared_memory(limits: &Limits, needs: &BlockNeeds) -> SharedMemory {
    let allocated = round_up(needs.smem().saturating_add(limits.smem_reserved), limits.smem_unit);
    let most = if needs.opt_in { limits.smem_opt_in } else { limits.smem_per_block };
    let preferred = preferred(limits, needs.carveout);
    if allocated > most + limits.smem_reserved {
        return SharedMemory { blocks: Some(0), allocated, per_sm: preferred };
    }
    // A preference that does not hold one block gives way.
    let per_sm = match limits.carveout {
        Some(sizes) if preferred < allocated => sizes.holding(allocated),
        _ => preferred,
    };
    let blocks = (allocated > 0).then(|| per_sm / allocated);
    SharedMemory { blocks, allocated, per_sm }
}

/// Rule 5: shared memory per SM that the kernel prefers.
fn preferred(limits: &Limits, carveout: Carveout) -> u32 {
    match (limits.carveout, carveout) {
        (Some(sizes), Carveout::Percent(percent)) => {
            sizes.holding(u32::from(percent.min(100)) * limits.smem_per_sm / 100)
        }
        _ => limits.smem_per_sm,
    }
}

/// Rule 6.
fn by_barriers(limits: &Limits, needs: &BlockNeeds) -> Option<u32> {
    limits.barrier_pool.filter(|_| needs.barriers > 0).map(|pool| pool / needs.barriers)
}
