//! Sizes at which a kernel that waits for memory really reads memory, and no cache.

use super::Session;
use crate::gpu::GpuId;
use crate::kernel::{Count, KernelId, Problem};
use crate::units::Bytes;

/// Working sets above so many L2 caches have nothing left in them: where the roofline's residency ends.
const OUT_OF_L2: f64 = 1.25;

impl Session {
    /// The size to compare GPUs at: [`Session::default_size_of`]; of a memory-bound kernel the smallest one, timed on the source
    /// before others, whose working set is too large for the L2 of every GPU involved; `other_l2` is the largest of GPUs that are made
    /// of those, 0 without any.
    #[must_use]
    pub fn streaming_size(
        &self,
        kernel: KernelId,
        variant: &str,
        source: GpuId,
        targets: &[GpuId],
        other_l2: Bytes,
    ) -> Problem {
        let usual = self.default_size_of(kernel, variant, Some(source));
        let of = &self.kernels[kernel];
        if of.known_category() != Some("memory") {
            return usual;
        }
        let l2 = |gpu: &GpuId| self.gpus[*gpu].l2_size.value.0;
        let largest = targets.iter().chain([&source]).map(l2).fold(other_l2.0, f64::max);
        let streams = |problem: &Problem| {
            let instance = of.instance(problem, variant).ok();
            let touched = instance.and_then(|i| i.work.get(Count::WorkingSetBytes));
            touched.is_some_and(|bytes| bytes >= OUT_OF_L2 * largest)
        };
        if streams(&usual) {
            return usual;
        }
        let timed_on_source = |problem: &Problem| {
            let config = self.store.config_id(kernel, problem, variant);
            config.is_some_and(|config| self.store.row_on(config, source).is_some())
        };
        let large: Vec<Problem> = self.sizes(kernel, variant).into_iter().filter(|p| streams(p)).collect();
        let timed = large.iter().find(|p| timed_on_source(p));
        timed.or(large.first()).cloned().unwrap_or(usual)
    }
}
