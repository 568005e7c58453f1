//! Sizes at which a kernel that waits for memory really reads memory, and no cache.

use super::Session;
use crate::gpu::GpuId;
use crate::kernel::{Count, KernelId, Problem};
use crate::measurement::TimingKind;
use crate::units::Bytes;

/// Working sets above so many L2 caches have nothing left in them: where the roofline's residency ends.
const OUT_OF_L2: f64 = 1.25;

/// The size that GPUs are compared at.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedSize {
    /// The size.
    pub problem: Problem,
    /// Whether the L2 of a GPU may hold a working set that is to come from DRAM: no larger size is known.
    pub may_stay_in_l2: bool,
    /// Whether it is the largest of those that the user timed on the source.
    pub is_largest_timed: bool,
}

impl Session {
    /// The size to compare GPUs at: [`Session::default_size_of`]; of a memory-bound kernel the smallest one, timed on the source
    /// before others, whose working set is too large for the L2 of every GPU involved; `other_l2` is the largest of GPUs that are made
    /// of those, 0 without any. Where none is large enough, the largest one. Of sizes that the user timed there no other one is taken.
    #[must_use]
    pub fn streaming_size(
        &self,
        kernel: KernelId,
        variant: &str,
        source: GpuId,
        targets: &[GpuId],
        other_l2: Bytes,
    ) -> ComparedSize {
        let large_enough = |problem| ComparedSize { problem, may_stay_in_l2: false, is_largest_timed: false };
        let usual = self.default_size_of(kernel, variant, Some(source));
        let of = &self.kernels[kernel];
        if of.known_category() != Some("memory") {
            return large_enough(usual);
        }
        let l2 = |gpu: &GpuId| self.gpus[*gpu].l2_size.value.0;
        let largest = targets.iter().chain([&source]).map(l2).fold(other_l2.0, f64::max);
        let touched = |problem: &Problem| {
            let instance = of.instance(problem, variant).ok();
            instance.and_then(|i| i.work.get(Count::WorkingSetBytes))
        };
        let streams = |problem: &Problem| touched(problem).is_some_and(|bytes| bytes >= OUT_OF_L2 * largest);
        if streams(&usual) {
            return large_enough(usual);
        }
        let row_on_source = |problem: &Problem| {
            let config = self.store.config_id(kernel, problem, variant);
            config.and_then(|config| self.store.row_on(config, source))
        };
        let timed_on_source = |problem: &Problem| row_on_source(problem).is_some();
        let is_users_own =
            |problem: &Problem| row_on_source(problem).is_some_and(|row| row.kind() == TimingKind::Measured);
        let mut sizes: Vec<Problem> = self.sizes(kernel, variant);
        let is_largest_timed = sizes.iter().any(is_users_own);
        if is_largest_timed {
            sizes.retain(is_users_own);
        }
        let large = || sizes.iter().filter(|p| streams(p));
        if let Some(problem) = large().find(|p| timed_on_source(p)).or_else(|| large().next()) {
            return large_enough(problem.clone());
        }
        let bytes = |problem: &&Problem| touched(problem).unwrap_or(0.0);
        let most = sizes.iter().max_by(|a, b| bytes(a).total_cmp(&bytes(b)));
        let may_stay_in_l2 = touched(&usual).is_some();
        ComparedSize { may_stay_in_l2, is_largest_timed, problem: most.cloned().unwrap_or(usual) }
    }
}
