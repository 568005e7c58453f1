//! What is said of a measured point, and of code that a kernel's name says is for other GPUs.

use crate::catalogue::ElementType;
use crate::gpu::Gpu;
use crate::kernel::{Kernel, Launch, Work};
use crate::measurement::{Measurement, Number};
use crate::pair::Pair;
use crate::predict::{BusySms, Caution, Question, body, under_filled_body};
use crate::roofline::{ABOVE_STATED_CLOCK, Pipe, pipe_of, tensor_type_in_reach};
use crate::units::{Flops, Seconds, significant};

/// A time that was measured on a GPU, with the work and the launch.
pub(super) struct MeasuredPoint<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) time: Seconds,
    pub(super) work: Work,
    pub(super) launch: Option<Launch>,
}

/// That a measured point lies above the roof of the SMs that have a block.
pub(super) fn above_roof(q: &Question<'_>, point: &MeasuredPoint<'_>) -> Option<Caution> {
    let MeasuredPoint { gpu, time, work, launch } = point;
    // A board may run above its stated clock: of FLOPs alone a little more than their roof is no wonder.
    let most = if work.dram().is_some() { 1.0 } else { ABOVE_STATED_CLOCK };
    let of = u64::from(gpu.sms.value);
    let busy = launch.map(|launch| launch.block_count()).filter(|blocks| (1..of).contains(blocks));
    let of_all = body(gpu, q.kernel, work, q.ceilings)?;
    let of_few = busy.and_then(|busy| under_filled_body(gpu, q.kernel, work, q.ceilings, busy));
    let ratio = Some(of_few.unwrap_or(of_all) / *time).filter(|ratio| *ratio > most)?;
    // What lies below the roof of the whole GPU is none of its caches or tensor cores.
    let busy_sms = busy.filter(|_| of_all / *time <= most).map(|busy| BusySms { busy, of });
    let share = busy.map_or(1.0, |busy| busy as f64 / of as f64);
    let rate = |flops: Flops| Flops(flops.0 / share) / *time;
    let tensor_type = work.flops().and_then(|flops| tensor_type_in_reach(gpu, q.kernel, rate(flops)));
    Some(Caution::AboveRoof {
        gpu: gpu.id.as_str().into(),
        ratio,
        in_l2: q.fits_l2(gpu),
        tensor_type,
        busy_sms,
    })
}

/// That a time of which neither the FLOPs nor their type are known is taken for one of the FP32 lanes, where tensor cores are another ratio apart;
/// nothing where a row of this configuration states that tensor cores did nothing.
pub(super) fn unstated_type<'r>(
    q: &Question<'_>,
    mut rows: impl Iterator<Item = &'r Measurement>,
) -> Option<Caution> {
    let is_open =
        q.kernel.dtype.is_empty() && q.work.flops().is_none() && pipe_of(q.kernel).pipe == Pipe::Fp32;
    let gpus = Pair::new(q.source.gpu, q.target.gpu);
    if !is_open || q.kernel.states_pipe() || q.source_time.is_none() || gpus.source.id == gpus.target.id {
        return None;
    }
    if rows.any(|row| row.number(Number::PipeTensor) == Some(0.0)) {
        return None;
    }
    let tensor = Pipe::Tensor { input: ElementType::Fp16, accumulate: ElementType::Fp32 };
    let ratio = |pipe: Pipe| Some(pipe.peak(gpus.target)?.value.0 / pipe.peak(gpus.source)?.value.0);
    let (on_lanes, on_tensor_cores) = (ratio(Pipe::Fp32)?, ratio(tensor)?);
    let is_apart = (on_tensor_cores / on_lanes).ln().abs() > APART.ln();
    is_apart.then(|| {
        let [on_lanes, on_tensor_cores] = [on_lanes, on_tensor_cores].map(significant);
        let ratios = format!(
            "the target's FP32 rate is {on_lanes}× the source's, that of its tensor cores {on_tensor_cores}×"
        );
        let text =
            format!("dtype not stated, FP32 assumed: {ratios}; if the kernel runs on those, state its dtype");
        Caution::Arithmetic(text.into())
    })
}

/// How many times further apart two GPUs must be in the rates of their tensor cores than in those of their lanes for that to be said.
const APART: f64 = 1.5;

/// That the code which a kernel's name states does not run on one of these GPUs.
pub(super) fn named_code_cautions(kernel: &Kernel, gpus: Pair<&Gpu>) -> Vec<Caution> {
    let Some(code) = kernel.named_code() else { return Vec::new() };
    let runs = |gpu: &Gpu| {
        let cc = gpu.cuda.compute_capability;
        code.runs_on((cc.major, cc.minor))
    };
    let id = |gpu: &Gpu| gpu.id.as_str().into();
    if !runs(gpus.source) {
        return vec![Caution::NamedCodeOfSource { gpu: id(gpus.source), code }];
    }
    let is_other = !runs(gpus.target);
    is_other.then(|| Caution::NamedCodeOfTarget { gpu: id(gpus.target), code }).into_iter().collect()
}
