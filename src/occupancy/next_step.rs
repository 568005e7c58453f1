//! The smallest single change that lets one more block in.

use super::{BlockNeeds, Occupancy, Resource, Rules, occupancy};
use crate::gpu::Limits;
use std::fmt;

/// A change of one resource and what it brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextStep {
    /// Which resource must drop.
    pub resource: Resource,
    /// What the kernel uses now.
    pub from: u32,
    /// What it may use at most for the gain.
    pub to: u32,
    /// Blocks it then has.
    pub blocks: u32,
}

impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.resource {
            Resource::Registers => "regs",
            Resource::SharedMemory => "B smem",
            Resource::Warps | Resource::Blocks => "thr",
            Resource::Barriers => "barriers",
        };
        write!(f, "{}→{} {unit}: {} blk", self.from, self.to, self.blocks)
    }
}

/// The smallest relative drop of registers, shared memory or block size that raises the occupancy, if any one alone does.
#[must_use]
pub fn next_step(limits: &Limits, needs: BlockNeeds, rules: Rules) -> Option<NextStep> {
    let now = occupancy(limits, needs, rules);
    let better = |o: &Occupancy| o.active_blocks > now.active_blocks && o.active_warps >= now.active_warps;
    let steps = [
        registers(limits, needs, rules, &better),
        smem(limits, needs, rules, &better),
        block(limits, needs, rules, &now),
    ];
    let cost = |s: &NextStep| 1.0 - f64::from(s.to) / f64::from(s.from);
    steps.into_iter().flatten().min_by(|a, b| cost(a).total_cmp(&cost(b)))
}

fn registers(
    limits: &Limits,
    needs: BlockNeeds,
    rules: Rules,
    better: &dyn Fn(&Occupancy) -> bool,
) -> Option<NextStep> {
    (1..needs.regs_per_thread.min(256)).rev().find_map(|to| {
        let o = occupancy(limits, BlockNeeds { regs_per_thread: to, ..needs }, rules);
        let (resource, from) = (Resource::Registers, needs.regs_per_thread);
        better(&o).then_some(NextStep { resource, from, to, blocks: o.active_blocks })
    })
}

/// Shared memory per block falls in whole units; dynamic memory stands for all of it.
fn smem(
    limits: &Limits,
    needs: BlockNeeds,
    rules: Rules,
    better: &dyn Fn(&Occupancy) -> bool,
) -> Option<NextStep> {
    let from = needs.smem_static.saturating_add(needs.smem_dynamic);
    let now = occupancy(limits, needs, rules).active_blocks;
    // One block more means an equal share of the SM for now + 1 blocks.
    let share = limits.smem_per_sm / (now + 1) / limits.smem_unit * limits.smem_unit;
    let to = share.checked_sub(limits.smem_reserved)?;
    let o = occupancy(limits, BlockNeeds { smem_static: 0, smem_dynamic: to, ..needs }, rules);
    (to < from && better(&o)).then_some(NextStep {
        resource: Resource::SharedMemory,
        from,
        to,
        blocks: o.active_blocks,
    })
}

/// A smaller block counts only if more warps become resident.
fn block(limits: &Limits, needs: BlockNeeds, rules: Rules, now: &Occupancy) -> Option<NextStep> {
    let mut to =
        needs.threads.min(limits.threads_per_block + Limits::WARP).div_ceil(Limits::WARP).saturating_sub(1)
            * Limits::WARP;
    while to > 0 {
        let o = occupancy(limits, BlockNeeds { threads: to, ..needs }, rules);
        if o.active_warps > now.active_warps {
            let (resource, from) = (Resource::Warps, needs.threads);
            return Some(NextStep { resource, from, to, blocks: o.active_blocks });
        }
        to -= Limits::WARP;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    #[test]
    fn the_step_is_the_smallest_that_helps() {
        let limits = LimitsTable::shipped().unwrap().get("7.5".parse().unwrap()).unwrap();
        let needs = BlockNeeds { threads: 256, regs_per_thread: 70, ..BlockNeeds::default() };
        let step = next_step(&limits, needs, Rules::Exact).unwrap();
        assert_eq!((step.resource, step.to, step.blocks), (Resource::Registers, 64, 4));
        let one_less = BlockNeeds { regs_per_thread: 65, ..needs };
        assert_eq!(occupancy(&limits, one_less, Rules::Exact).active_blocks, 3, "65 would not do");
    }

    #[test]
    fn a_full_sm_has_no_next_step() {
        let limits = LimitsTable::shipped().unwrap().get("7.0".parse().unwrap()).unwrap();
        let needs = BlockNeeds { threads: 256, regs_per_thread: 32, ..BlockNeeds::default() };
        assert_eq!(next_step(&limits, needs, Rules::Exact), None);
    }
}
