//! The source under a power limit below its board's: the clock it ran at follows from the time it took.

use super::limited_target::load_at_limit;
use super::settings::Settings;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, Work};
use crate::pair::Pair;
use crate::power::{Load, gpu_at_limit};
use crate::predict::{MODELS, SourceTime, Subject, USUAL, Visible, question};
use crate::roofline::{BufferReuse, KernelArithmetic};
use crate::units::Seconds;

/// A kernel on a source.
#[derive(Clone, Copy)]
pub struct LimitedSource<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// At this size.
    pub subject: &'a Subject,
    /// Where it was timed, or is supposed to have been.
    pub source: GpuId,
    /// The rows.
    pub store: Visible<'a>,
    /// Model, ceilings, rules.
    pub settings: Settings,
}

impl LimitedSource<'_> {
    /// The source at the clock that its power limit left it, where that is another one than `gpu` has: what it asked of the board
    /// follows from the time that was measured, or is modelled, there.
    #[must_use]
    pub fn source_at_limit(&self, gpu: &Gpu) -> Option<Gpu> {
        let Settings { ceilings, rules, .. } = self.settings;
        let on = |gpu: &Gpu| {
            let pair = Pair::new((self.source, gpu), (self.source, gpu));
            let q = question(self.kernel, self.subject, pair, self.store, ceilings, rules);
            let blocks = q.source.launch.map(|l| l.block_count() as f64);
            Some((q.work, blocks, q.source_time.as_ref()?.time))
        };
        let limited = gpu_at_limit(gpu, |gpu| {
            let (work, blocks, time) = on(gpu)?;
            Some(self.load(&work, blocks, gpu, time))
        })?;
        let shown = on(gpu).map_or(0.0, |(work, _, time)| self.clock_shown(&work, gpu, time));
        let left = limited.boost_clock.value / gpu.boost_clock.value;
        Some(if shown > left { gpu.at_clock_share(shown.min(1.0)) } else { limited })
    }

    /// The share of its SM clock that this GPU needs for the FLOPs of lanes in this time, where it reaches no more of their rate than is usual: whatever
    /// the limit is thought to leave, it ran at that; 0 where tensor cores do them.
    fn clock_shown(&self, work: &Work, gpu: &Gpu, time: Seconds) -> f64 {
        let arithmetic = KernelArithmetic::from_kernel(self.kernel);
        if arithmetic.is_on_tensor_cores() {
            return 0.0;
        }
        let components = arithmetic.machine(gpu).components(work, BufferReuse::Never);
        USUAL * components.flops_at_peak() / time.0
    }

    /// What the kernel asks of this GPU in this time.
    fn load(&self, work: &Work, blocks: Option<f64>, gpu: &Gpu, time: Seconds) -> Load {
        load_at_limit(self.kernel, &self.subject.instance, work, blocks, gpu, time)
    }

    /// What a model that starts from no time says of the source itself, as it says it of a target: its targets are compared with that, so
    /// that a GPU is as fast as itself.
    #[must_use]
    pub fn time_by_model(&self, gpu: &Gpu) -> Option<SourceTime> {
        let time = self.time_under_limit(None, gpu)?;
        Some(SourceTime::of_model(time, MODELS[self.settings.model].id(), Vec::new()))
    }

    /// What the model makes of the time that was taken on the source as `timed` is, where the source is this GPU.
    #[must_use]
    pub fn time_at_settings(&self, timed: &Gpu, gpu: &Gpu) -> Option<Seconds> {
        self.time_under_limit(Some(timed), gpu)
    }

    /// The model's time on this GPU at the clock that its limit leaves it: from the one where the source was timed, else from itself.
    fn time_under_limit(&self, timed: Option<&Gpu>, gpu: &Gpu) -> Option<Seconds> {
        let Settings { ceilings, rules, model } = self.settings;
        let on = |gpu: &Gpu| {
            let pair = Pair::new(timed.unwrap_or(gpu), gpu).map(|gpu| (self.source, gpu));
            let q = question(self.kernel, self.subject, pair, self.store, ceilings, rules);
            let time = MODELS[model].predicted_time(&q).ok()?;
            let blocks = q.target.launch.map(|l| l.block_count() as f64);
            Some((time, self.load(&q.work, blocks, gpu, time)))
        };
        let limited = gpu_at_limit(gpu, |gpu| on(gpu).map(|(_, load)| load));
        Some(on(limited.as_ref().unwrap_or(gpu))?.0)
    }
}
