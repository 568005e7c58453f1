//! Texts of cautions that say more than their variant.

use crate::catalogue::ElementType;
use crate::gpu::Ceilings;
use crate::kernel::{Count, Problem, VectorPrecision};
use crate::text::counted;
use crate::units::{Bytes, Seconds, significant};
use std::sync::Arc;

/// That a working set fits in the L2 of the target: so many bytes of so many, which nobody stated where they are assumed.
pub(super) fn fits_target_l2_text(gpu: &str, sizes: [Bytes; 2], is_assumed: bool) -> String {
    let [used, l2] = sizes.map(|bytes| bytes.as_capacity());
    let rest = if is_assumed {
        "taken to stay there between launches; if it does not, state the working set"
    } else {
        "larger sizes gain less"
    };
    format!("{gpu} ({used} of {l2}): the working set fits in L2 on the target; {rest}")
}

/// That a power limit in watts lowers the SM clock, from and to hertz.
pub(super) fn capped_text(gpu: &str, limit: f64, clocks: [f64; 2]) -> String {
    let [from, to] = clocks.map(|hz| hz / 1e6);
    format!(
        "{gpu} ({limit:.0} W, SM {from:.0} to {to:.0} MHz): the power limit lowers the SM clock under this load (modelled)"
    )
}

/// That it lowers the FP32 rate to this share.
pub(super) fn rate_capped_text(gpu: &str, limit: f64, share: f64) -> String {
    let percent = 100.0 * share;
    format!(
        "{gpu} ({limit:.0} W, {percent:.0} %): the power limit lowers the FP32 rate at this SM clock (modelled)"
    )
}

/// That it does nothing.
pub(super) fn unused_limit_text(gpu: &str, limit: f64) -> String {
    format!(
        "{gpu} ({limit:.0} W): the power limit is above what this kernel draws (modelled): it does not change the time"
    )
}

/// `l2_bytes, lsu_warp_insts`.
pub(super) fn names(counts: &[Count]) -> String {
    counts.iter().map(|c| c.name()).collect::<Vec<_>>().join(", ")
}

pub(super) fn nearest_size_text(problem: &Problem) -> String {
    format!("scaled as `components` does from the measured size {problem}")
}

pub(super) fn near_sizes_text(nearest: &Problem, sizes: usize) -> String {
    format!("the mean of what {sizes} measured sizes near it give, the nearest {nearest}")
}

pub(super) fn between_sizes_text([near, far]: &[Arc<Problem>; 2]) -> String {
    format!("interpolated between the measured sizes {near} and {far}")
}

pub(super) fn other_sizes_text(gpus: usize) -> String {
    let word = if gpus == 1 { "GPU" } else { "GPUs" };
    format!("scaled from measured times of other sizes on {gpus} {word}")
}

pub(super) fn launch_bound_text(gpu: &str) -> String {
    format!("{gpu}: under 10 µs, launch overhead may be most of it (overheads of 1.4–9 µs were measured)")
}

pub(super) fn measured_unused_text(gpu: &str, time: Seconds) -> String {
    format!(
        "{gpu}: measured there, {time}, but predicted from another GPU as asked; name {gpu} as the source to start from the measured time"
    )
}

pub(super) fn dispatch_seen_text(shortest: Seconds) -> String {
    format!("short launches take {shortest} or more whatever their work: read as a framework's dispatch")
}

pub(super) fn borrowed_registers_text(gpu: &str, major: u8, minor: u8, spills: bool) -> String {
    let spills = if spills { ", whose build spills" } else { "" };
    format!("{gpu}: registers of its compute capability unknown; using those of {major}.{minor}{spills}")
}

pub(super) fn unfit_listings_text(from: &str, to: &str) -> String {
    format!("the listings are code for {from} and {to}, which these GPUs do not run: not applied")
}

pub(super) fn not_compared_text(at: &str, time: Seconds) -> String {
    format!("clocks: measured {time} with {at}: not compared; set the target's clocks to compare")
}

pub(super) fn target_rows_text(factor: f64, rows: usize) -> String {
    format!("rows measured on the target: × {factor:.3} (from {})", counted(rows, "row"))
}

pub(super) fn missing_counts_text(missing: &[Count]) -> String {
    let listed = names(missing);
    if *missing == [Count::GlobalAtomicRequests] {
        return format!("counters missing: {listed}; assumed 0; `ncu --set full` counts them");
    }
    let is_missing = |count: Count| missing.contains(&count);
    let accesses = [Count::GlobalWarpInsts, Count::SmemWavefronts];
    let is_estimated = is_missing(Count::DramBytes) && !is_missing(Count::L2Bytes)
        || is_missing(Count::LsuWarpInsts) && !accesses.into_iter().all(is_missing);
    let others = if is_estimated { "estimated from other counters or ignored" } else { "ignored" };
    let used = match is_missing(Count::L2Bytes) && !is_missing(Count::DramBytes) {
        true if missing.len() == 1 => "L2 bytes assumed equal to DRAM bytes".to_string(),
        true => format!("L2 bytes assumed equal to DRAM bytes, the other limits are {others}"),
        false => format!("those limits are {others}"),
    };
    format!("counters missing: {listed}; {used}; profile with `ncu --set full` to count them")
}

/// From so many times its roof on the counts of a kernel may be in another unit.
const UNITS_IN_DOUBT: f64 = 10.0;

pub(super) fn far_below_roof_text(gpu: &str, ratio: f64) -> String {
    let advice = if ratio < UNITS_IN_DOUBT {
        "more of what limits its roof gains little"
    } else {
        "check the units of the counts"
    };
    format!("{gpu}: far below its roof ({}×); counters do not explain why: {advice}", significant(ratio))
}

pub(super) fn fallen_back_text(gpu: &str) -> String {
    format!("no achieved ceilings for {gpu}: {} ceilings used on both GPUs", Ceilings::Peak.as_str())
}

pub(super) fn above_roof_text(
    gpu: &str,
    ratio: f64,
    in_l2: bool,
    tensor_type: Option<ElementType>,
) -> String {
    let cause = match tensor_type {
        Some(input) => {
            format!("faster than its vector pipes; where tensor cores did it, say --pipe tensor-{input}")
        }
        None if in_l2 => "its working set fits in L2: cache-resident, DRAM does not bind".into(),
        None => "look at the FLOP and byte counts, the boost clock and sparsity".into(),
    };
    format!("measured point lies {}× above its roof on {gpu}: {cause}", significant(ratio))
}

pub(super) fn both_widths_text(precision: VectorPrecision) -> String {
    format!("both FP32 and FP64 arithmetic run: the compute ceiling is that of {}", precision.as_str())
}

pub(super) fn rewritten_text(least: f64, most: f64) -> String {
    let shown = |f: f64| if f.is_finite() { significant(f) } else { "any".into() };
    format!(
        "FLOPs on the target from two listings, each block counted once; with other block counts, × {} to × {}; --block-counts gives them",
        shown(least),
        shown(most)
    )
}

pub(super) fn other_clocks_text(gpu: &str, rows: usize, all: usize) -> String {
    let (of, were) = (counted(all, "row"), if rows == 1 { "was" } else { "were" });
    format!(
        "clocks: {rows} of {of} on {gpu} {were} measured at clocks other than those set; each is compared with the model at \
         its own clocks"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_is_one() {
        assert!(other_clocks_text("l4", 1, 1).starts_with("clocks: 1 of 1 row on l4 was measured at clocks"));
        assert!(
            other_clocks_text("l4", 2, 3).starts_with("clocks: 2 of 3 rows on l4 were measured at clocks")
        );
    }
}
