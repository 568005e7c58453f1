//! Operators of tensor libraries: a time from the hardware, drawn to what the source took.
//!
//! | part | formula |
//! |---|---|
//! | launch | 1.34 µs + 2240 clocks for the first kernel of a graph, less for further ones (`families.rs`) |
//! | tensor | the best of a set of tiles and splits: whole waves, depth, operands taken in; at a power-limited clock |
//! | L2 | operands and result over its bandwidth |
//! | DRAM | what does not stay in L2 of this GPU |
//! | model M | launch + (tensor^p + max(L2, DRAM)^p)^(1/p); of prefill, whose kernels follow one another, L2 and DRAM apart |
//! | time | T_t = M_t (T_s / M_s)^0.4; M_t where the source was not measured |
//!
//! A library picks another kernel on each GPU, so that neither a launch shape nor the time above a roof is carried over.
//! Constants: [`constants`]; how they were found, and the errors with whole GPUs held out: docs/models.md, "Operators".

mod attention;
mod constants;
mod explain;
mod families;
mod hardware;
mod product;
mod stream;

pub(super) use explain::{bound_by, operator_prediction};

use super::{ModelRefusal, Subject, sound};
use crate::gpu::Gpu;
use crate::kernel::{Instance, Operator, OperatorKind, OperatorSizes, Work};
use crate::pair::Pair;
use crate::units::{Hertz, Seconds};
use constants::{BELIEVED, NODE_CLOCKS, NODE_SECONDS, RESIDENT_BELOW, RESIDENT_UP_TO};
use hardware::Hardware;

/// The times of an operator's parts on one GPU, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OperatorTimes {
    /// The kernels of a graph.
    pub(super) launch: f64,
    /// Tensor cores, or what stands for them.
    pub(super) tensor: f64,
    /// What of `tensor` is softmax, where it is told apart.
    pub(super) softmax: f64,
    /// L2.
    pub(super) l2: f64,
    /// Device memory.
    pub(super) dram: f64,
    /// All of it.
    pub(super) time: f64,
    /// What of it no power limit changes.
    pub(super) full_clock: FullClockTimes,
}

/// Times of an operator at the clock that no power limit lowers, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FullClockTimes {
    /// Tensor cores, or what stands for them.
    pub(super) tensor: f64,
    /// All of it.
    pub(super) time: f64,
}

/// A factor that three digits show.
const SEEN: f64 = 1.005;

impl OperatorTimes {
    /// Of a GPU that has no rate for the operator.
    const NONE: Self = Self::new(0.0, [0.0; 3], 0.0);

    /// Of these tensor, L2 and DRAM seconds behind a launch, and all of it, at full clock.
    const fn new(launch: f64, [tensor, l2, dram]: [f64; 3], time: f64) -> Self {
        let full_clock = FullClockTimes { tensor, time };
        Self { launch, tensor, softmax: 0.0, l2, dram, time, full_clock }
    }

    /// Tensor, L2 and DRAM seconds behind a launch, as the p-norm says of tensor cores and memory. What comes from DRAM streams through L2: the
    /// longer of the two is the time of both.
    fn streamed(launch: f64, parts: [f64; 3], p: f64) -> Self {
        let [tensor, l2, dram] = parts;
        Self::new(launch, parts, launch + overlapped([tensor, l2.max(dram)], p))
    }

    /// The same of kernels that follow one another, where some bytes pass L2 while others pass DRAM: the p-norm of all three.
    fn one_after_another(launch: f64, parts: [f64; 3], p: f64) -> Self {
        Self::new(launch, parts, launch + overlapped(parts, p))
    }

    /// Of these tensor seconds under a power limit, and those at full clock.
    fn limited([limited, full]: [f64; 2], times: impl Fn(f64) -> Self) -> Self {
        let under_limit = times(limited);
        if limited == full { under_limit } else { Self { full_clock: times(full).full_clock, ..under_limit } }
    }

    /// How many times longer the power limit of the board makes all of it; 1 where that is not seen in three digits.
    pub(super) fn power_stretch(&self) -> f64 {
        if self.time > SEEN * self.full_clock.time { self.time / self.full_clock.time } else { 1.0 }
    }
}

/// The modelled time of an operator on this GPU; `None` where the GPU states no rate for its types.
pub(super) fn modelled(gpu: &Gpu, operator: &Operator, work: &Work) -> Option<OperatorTimes> {
    let hardware = Hardware::from_gpu(gpu, operator.types)?;
    let parts = parts_on(&hardware, operator, work)?;
    (parts.time.is_finite() && parts.time > 0.0).then_some(parts)
}

/// The modelled time of what was timed as an operator, whatever it took; `None` where it is none, or the GPU states no rate for its types.
#[must_use]
pub fn operator_time(gpu: &Gpu, subject: &Subject) -> Option<Seconds> {
    modelled_seconds(gpu, subject.instance.operator.as_ref(), &subject.instance.work).map(Seconds)
}

/// The SM clock that the power limit of the board leaves this GPU while what was timed as an operator runs; `None` where it is none, or the GPU states no rate
/// for its types.
#[must_use]
pub fn operator_clock(gpu: &Gpu, instance: &Instance) -> Option<Hertz> {
    let parts = modelled(gpu, instance.operator.as_ref()?, &instance.work)?;
    let is_slowed = parts.tensor > parts.full_clock.tensor;
    let share = if is_slowed { parts.full_clock.tensor / parts.tensor } else { 1.0 };
    Some(Hertz(share * gpu.boost_clock.value.0))
}

/// What the launches of an operator's kernels under a CUDA graph cost, whatever the GPU states of a launch; `None` as of [`operator_time`].
#[must_use]
pub fn graph_launch_time(gpu: &Gpu, subject: &Subject) -> Option<Seconds> {
    let operator = subject.instance.operator.as_ref()?;
    modelled(gpu, operator, &subject.instance.work).map(|parts| Seconds(parts.launch))
}

/// [`modelled`] in seconds alone; `None` where the kernel is no operator.
pub(super) fn modelled_seconds(gpu: &Gpu, operator: Option<&Operator>, work: &Work) -> Option<f64> {
    operator.and_then(|operator| modelled(gpu, operator, work)).map(|parts| parts.time)
}

fn parts_on(hardware: &Hardware, operator: &Operator, work: &Work) -> Option<OperatorTimes> {
    let Operator { types, sizes } = *operator;
    Some(match sizes {
        OperatorSizes::Product(sizes) => product::product_parts(hardware, types, sizes),
        OperatorSizes::Attention(sizes) if types.kind == OperatorKind::AttentionDecode => {
            attention::decode_parts(hardware, types, sizes)
        }
        OperatorSizes::Attention(sizes) => attention::prefill_parts(hardware, types, sizes),
        OperatorSizes::Stream => stream::stream_parts(hardware, work)?,
    })
}

/// The time on the target from both modelled times and the time on the source, all in seconds. `alike`: the share of what differs from board to board that
/// is the same on both, 0 to 1: of that, all of measured over modelled holds.
///
/// # Errors
/// [`ModelRefusal::OutOfRange`] where the result is no time.
pub(super) fn carried(
    times: Pair<f64>,
    timed: Option<f64>,
    alike: f64,
    model: &'static str,
) -> Result<Seconds, ModelRefusal> {
    let off = timed.map_or(0.0, |timed| (timed / times.source).ln());
    let kept = ((BELIEVED + alike * (1.0 - BELIEVED)) * off).exp();
    sound(Seconds(times.target * kept), model)
}

/// A time carried from one size to another on the same GPU: on the same GPU all of measured over modelled holds.
pub(super) fn resized_operator(
    gpu: &Gpu,
    [there, here]: [(&Operator, &Work); 2],
    timed: Seconds,
) -> Option<(Seconds, f64)> {
    let [there, here] = [there, here].map(|(operator, work)| modelled(gpu, operator, work));
    let ratio = here?.time / there?.time;
    Some((Seconds(timed.0 * ratio), ratio))
}

/// One kernel of a graph, in seconds.
fn node_time(hardware: &Hardware) -> f64 {
    NODE_SECONDS + NODE_CLOCKS / hardware.clock
}

/// (a^p + b^p + …)^(1/p).
fn overlapped<const N: usize>(parts: [f64; N], p: f64) -> f64 {
    let longest = parts.into_iter().fold(0.0, f64::max);
    if longest <= 0.0 {
        return 0.0;
    }
    longest * parts.map(|part| (part / longest).powf(p)).iter().sum::<f64>().powf(1.0 / p)
}

/// The share of so many bytes, used again and again, that L2 does not keep.
fn missing_share(hardware: &Hardware, bytes: f64) -> f64 {
    let filled = bytes / hardware.l2_size;
    ((filled - RESIDENT_BELOW) / (RESIDENT_UP_TO - RESIDENT_BELOW)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests;
