//! The smallest change that puts more warps on an SM: of one resource where one is enough, else of several together.
//!
//! For each block size there is a fewest number of blocks that holds more warps than now; each resource must fall until it
//! lets that many in. Of all block sizes the step is the one that changes the fewest resources, then the one that changes
//! them least. Every resource falls monotonically in its limit, so that bisection finds the largest amount that still gains.

use super::{BlockNeeds, Carveout, Occupancy, Resource, Rules, occupancy};
use crate::gpu::SmLimits;
use std::fmt;

/// What of a kernel can be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lever {
    /// Registers per thread.
    Registers,
    /// Bytes of shared memory per block, the dynamic part first.
    SharedMemory,
    /// Bytes of shared memory per block, all of it dynamic: more than a compiler takes as static.
    DynamicSharedMemory,
    /// The carveout it prefers, in percent.
    Carveout,
    /// Threads per block, fewer.
    SmallerBlock,
    /// Threads per block, more.
    LargerBlock,
    /// Named barriers per block.
    Barriers,
}

/// One lever, and where it must be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// What changes.
    pub lever: Lever,
    /// What the kernel uses now.
    pub from: u32,
    /// What it must use for the gain: the nearest to `from` that will do.
    pub to: u32,
}

impl Change {
    /// The block after this change; shared memory falls in its dynamic part first.
    #[must_use]
    pub fn applied(&self, needs: BlockNeeds) -> BlockNeeds {
        match self.lever {
            Lever::Registers => BlockNeeds { regs_per_thread: self.to, ..needs },
            Lever::SharedMemory => with_smem(needs, self.to),
            Lever::DynamicSharedMemory => BlockNeeds { smem_static: 0, smem_dynamic: self.to, ..needs },
            Lever::Carveout => BlockNeeds { carveout: Carveout::Percent(self.to.min(100) as u8), ..needs },
            Lever::Barriers => BlockNeeds { barriers: self.to, ..needs },
            Lever::SmallerBlock | Lever::LargerBlock => BlockNeeds { threads: self.to, ..needs },
        }
    }

    /// How much of what there was changes: 0.25 from 32 to 24 or to 40.
    fn relative_change(&self) -> f64 {
        f64::from(self.to.abs_diff(self.from)) / f64::from(self.from.max(1))
    }
}

/// `37→32 regs`.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.lever {
            Lever::Registers => "regs",
            Lever::SharedMemory => "B smem",
            Lever::DynamicSharedMemory => "B dynamic smem",
            Lever::Carveout => "% carveout",
            Lever::SmallerBlock | Lever::LargerBlock => "thr",
            Lever::Barriers => "barriers",
        };
        write!(f, "{}→{} {unit}", self.from, self.to)
    }
}

/// What to change together, and what it brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextStep {
    /// The changes, the fewest that gain; never empty. Each is the smallest beside the others.
    pub changes: Vec<Change>,
    /// Blocks an SM then holds.
    pub blocks: u32,
    /// Warps an SM then holds.
    pub warps: u32,
}

impl NextStep {
    /// The block after all changes.
    #[must_use]
    pub fn applied(&self, needs: BlockNeeds) -> BlockNeeds {
        self.changes.iter().fold(needs, |needs, change| change.applied(needs))
    }

    fn cost(&self) -> (usize, f64) {
        (self.changes.len(), self.changes.iter().map(Change::relative_change).sum())
    }
}

/// `37→32 regs and 1024→768 thr: 2 blk`; where the blocks grow instead of getting more, the warps: `32→64 thr: 32 warps`.
impl fmt::Display for NextStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, change) in self.changes.iter().enumerate() {
            write!(f, "{}{change}", if i == 0 { "" } else { " and " })?;
        }
        if self.changes.iter().any(|c| c.lever == Lever::LargerBlock) {
            write!(f, ": {} warps", self.warps)
        } else {
            write!(f, ": {} blk", self.blocks)
        }
    }
}

fn with_smem(needs: BlockNeeds, bytes: u32) -> BlockNeeds {
    let smem_static = needs.smem_static.min(bytes);
    BlockNeeds { smem_static, smem_dynamic: bytes - smem_static, ..needs }
}

/// The smallest change that puts more warps on an SM; `None` where every warp slot is taken, or nothing helps.
#[must_use]
pub fn next_step(limits: &SmLimits, needs: BlockNeeds, rules: Rules) -> Option<NextStep> {
    let now = occupancy(limits, needs, rules);
    if now.active_warps >= now.max_warps || needs.threads == 0 {
        return None;
    }
    // A preference costs the kernel nothing.
    if let Some(step) = wider_carveout(limits, needs, rules, &now) {
        return Some(step);
    }
    // Larger blocks only where their slots are all taken: elsewhere they would take up what already limits.
    let larger = now.is_limiter(Resource::Blocks);
    let other_sizes = (1..=needs.most_threads(limits) / SmLimits::WARP).map(|warps| warps * SmLimits::WARP);
    std::iter::once(needs.threads)
        .chain(other_sizes.filter(|threads| *threads < needs.threads || (larger && *threads > needs.threads)))
        .filter_map(|threads| with_block(limits, BlockNeeds { threads, ..needs }, needs, rules, &now))
        .min_by(|a, b| a.cost().0.cmp(&b.cost().0).then(a.cost().1.total_cmp(&b.cost().1)))
}

/// The smallest larger carveout that alone puts more warps on an SM, where the kernel prefers one.
fn wider_carveout(limits: &SmLimits, needs: BlockNeeds, rules: Rules, now: &Occupancy) -> Option<NextStep> {
    let Carveout::Percent(percent) = needs.carveout else { return None };
    let from = u32::from(percent);
    let change = |to| Change { lever: Lever::Carveout, from, to };
    let then = |c: &Change| occupancy(limits, c.applied(needs), rules);
    let wider = (from + 1..=100).map(change).find(|c| then(c).active_warps > now.active_warps)?;
    let o = then(&wider);
    Some(NextStep { changes: vec![wider], blocks: o.active_blocks, warps: o.active_warps })
}

/// What else must change so that blocks of this size hold more warps than now.
fn with_block(
    limits: &SmLimits,
    sized: BlockNeeds,
    needs: BlockNeeds,
    rules: Rules,
    now: &Occupancy,
) -> Option<NextStep> {
    let warps = sized.threads.div_ceil(SmLimits::WARP);
    let blocks = now.active_warps / warps + 1;
    if blocks > limits.blocks_per_sm {
        return None;
    }
    let mut changes = Vec::new();
    if sized.threads != needs.threads {
        let lever = if sized.threads < needs.threads { Lever::SmallerBlock } else { Lever::LargerBlock };
        changes.push(Change { lever, from: needs.threads, to: sized.threads });
    }
    for resource in [Resource::SharedMemory, Resource::Registers, Resource::Barriers] {
        let change = lowered(limits, sized, rules, resource, blocks)?;
        if change.to != change.from {
            changes.insert(0, change);
        }
    }
    let step = NextStep { changes, blocks: 0, warps: 0 };
    let then = occupancy(limits, step.applied(needs), rules);
    (then.active_warps > now.active_warps).then_some(NextStep {
        blocks: then.active_blocks,
        warps: then.active_warps,
        ..step
    })
}

/// The most of this resource with which it lets so many blocks in: what there is, or less. `None` where none is little
/// enough.
fn lowered(
    limits: &SmLimits,
    needs: BlockNeeds,
    rules: Rules,
    resource: Resource,
    blocks: u32,
) -> Option<Change> {
    // 0 registers would be unknown ones, and 0 barriers no limit: neither is fewer.
    let (lever, from, least) = match resource {
        Resource::Registers => (Lever::Registers, needs.regs_per_thread, 1),
        Resource::SharedMemory => (Lever::SharedMemory, needs.smem(), 0),
        _ => (Lever::Barriers, needs.barriers, 1),
    };
    let change = |to| Change { lever, from, to };
    let lets_in = |to: u32| {
        let o = occupancy(limits, change(to).applied(needs), rules);
        o.limit(resource).is_none_or(|limit| limit >= blocks)
    };
    if lets_in(from) {
        return Some(change(from));
    }
    if !lets_in(least) {
        return None;
    }
    let (mut enough, mut too_much) = (least, from);
    while too_much - enough > 1 {
        let middle = enough + (too_much - enough) / 2;
        if lets_in(middle) {
            enough = middle;
        } else {
            too_much = middle;
        }
    }
    // What is left of static shared memory may be more than a compiler takes: only the dynamic one can opt in to so much.
    let is_static_too_large =
        lever == Lever::SharedMemory && needs.smem_static.min(enough) > limits.smem_per_block;
    let lever = if is_static_too_large { Lever::DynamicSharedMemory } else { lever };
    Some(Change { lever, from, to: enough })
}

/// How far this one resource must fall to have room for one block more than are resident now, whatever the others allow:
/// registers, shared memory and barriers to the most that will do, the block size to whole warps. Block slots cannot grow;
/// there the next larger block is named, which holds more warps in as many blocks.
#[must_use]
pub fn needed_for_one_more(
    limits: &SmLimits,
    needs: BlockNeeds,
    rules: Rules,
    resource: Resource,
) -> Option<Change> {
    let now = occupancy(limits, needs, rules);
    let warps = needs.threads.div_ceil(SmLimits::WARP);
    let lever = if resource == Resource::Blocks { Lever::LargerBlock } else { Lever::SmallerBlock };
    let sized = |to| Change { lever, from: needs.threads, to };
    match resource {
        Resource::Warps => {
            let largest = needs.threads.min(limits.threads_per_block + 1).saturating_sub(1) / SmLimits::WARP;
            let fits = |threads| occupancy(limits, BlockNeeds { threads, ..needs }, rules).by_warps;
            let smaller = (1..=largest).rev().map(|warps| warps * SmLimits::WARP);
            smaller.map(sized).find(|c| fits(c.to) > now.active_blocks)
        }
        Resource::Blocks => {
            // Only where the slots are all taken do larger blocks bring more warps.
            let taken = now.is_limiter(Resource::Blocks);
            let larger = warps.checked_add(1).filter(|_| taken)?;
            let held = larger.checked_mul(now.by_blocks).is_some_and(|w| w <= now.max_warps);
            let allowed = held && larger.saturating_mul(SmLimits::WARP) <= needs.most_threads(limits);
            let larger = Some(larger).filter(|_| allowed)?;
            Some(sized(larger * SmLimits::WARP))
        }
        _ => {
            let fewer = lowered(limits, needs, rules, resource, now.active_blocks + 1)?;
            (fewer.to < fewer.from).then_some(fewer)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    fn step(cc: &str, needs: BlockNeeds) -> Option<String> {
        let limits = LimitsTable::shipped().unwrap().limits_at(cc.parse().unwrap()).unwrap();
        next_step(&limits, needs, Rules::Exact).map(|s| s.to_string())
    }

    fn needs(threads: u32, regs_per_thread: u32, smem_dynamic: u32) -> BlockNeeds {
        BlockNeeds { threads, regs_per_thread, smem_dynamic, ..BlockNeeds::default() }
    }

    #[test]
    fn the_step_is_the_smallest_that_helps() {
        assert_eq!(step("7.5", needs(256, 70, 0)).as_deref(), Some("70→64 regs: 4 blk"));
        // 32 KiB of 100 KiB with 1 KiB reserve each: three blocks now, a fourth at 24 KiB.
        assert_eq!(step("8.9", needs(128, 32, 32_768)).as_deref(), Some("32768→24576 B smem: 4 blk"));
        assert_eq!(
            step("9.0", BlockNeeds { barriers: 16, ..needs(128, 32, 0) }).as_deref(),
            Some("16→12 barriers: 5 blk")
        );
    }

    #[test]
    fn shared_memory_that_no_compiler_takes_as_static_is_to_be_dynamic() {
        let with = |smem_static, smem_dynamic| {
            step("8.9", BlockNeeds { smem_static, ..needs(128, 32, smem_dynamic) })
        };
        assert_eq!(with(65_536, 0).as_deref(), Some("65536→50176 B dynamic smem: 2 blk"));
        assert_eq!(with(0, 65_536).as_deref(), Some("65536→50176 B smem: 2 blk"), "it is dynamic already");
        assert_eq!(with(50_000, 0).as_deref(), Some("50000→33024 B smem: 3 blk"), "so little may be static");
    }

    #[test]
    fn a_carveout_too_small_is_widened_before_the_kernel_is_touched() {
        let narrow = BlockNeeds { carveout: Carveout::Percent(25), ..needs(128, 32, 4096) };
        // 25 % of 164 KiB is set to 64 KiB: 12 blocks of 5 KiB; 64.x % is set to 100 KiB, which holds all 16 that fit the warps.
        let said = step("8.0", narrow).unwrap();
        assert!(said.starts_with("25→") && said.ends_with("% carveout: 16 blk"), "{said}");
    }

    #[test]
    fn blocks_grow_where_their_slots_are_all_taken() {
        assert_eq!(step("8.6", needs(32, 32, 0)).as_deref(), Some("32→64 thr: 32 warps"));
    }

    #[test]
    fn two_resources_that_limit_at_once_fall_together() {
        // 8.9: two blocks by registers and by shared memory; a smaller block would need less of only the first.
        assert_eq!(
            step("8.9", needs(512, 64, 49_152)).as_deref(),
            Some("64→40 regs and 49152→33024 B smem: 3 blk")
        );
    }

    #[test]
    fn a_full_sm_has_no_next_step() {
        assert_eq!(step("7.0", needs(256, 32, 0)), None);
        assert_eq!(step("7.0", needs(0, 32, 0)), None);
    }

    #[test]
    fn each_resource_says_what_it_would_take() {
        let limits = LimitsTable::shipped().unwrap().limits_at("8.9".parse().unwrap()).unwrap();
        let tiled = needs(1024, 37, 8192);
        let said = |r| needed_for_one_more(&limits, tiled, Rules::Exact, r).map(|c| c.to_string());
        assert_eq!(said(Resource::Registers).as_deref(), Some("37→32 regs"));
        assert_eq!(said(Resource::Warps).as_deref(), Some("1024→768 thr"));
        assert_eq!(said(Resource::SharedMemory), None, "it has room already");
        assert_eq!(said(Resource::Blocks), None, "no larger block holds more");
    }
}
