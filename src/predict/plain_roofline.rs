//! `plain-roofline`: the kernel runs at its roof, on the target, whatever it did elsewhere.
//!
//! T_t = max(F / C_t, D / B_t), with F FLOPs, D compulsory DRAM bytes, C FP32 ceiling, or the
//! dense tensor one where the FLOPs are tensor cores' (FLOP/s), B DRAM bandwidth (B/s).
//! Refuses where atomics, one after another on one address or in one line of L2, take longer than that.
//! Assumes perfect overlap and no launch cost: a lower bound wherever the counts are right and DRAM is really used.
//! Reference: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.

use super::breakdown::MadeOf;
use super::{
    Amount, Caution, Factor, ModelRefusal, Prediction, Predictor, Provenance, Question, bound_on, sound,
};
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::{Count, Kernel, VectorPrecision, Work};
use crate::roofline::{L2_PORT_BYTES_PER_CLOCK, atomic_clocks, compute_roof, pipe_of};
use crate::units::Seconds;

/// As typed.
pub(super) const ID: &str = "plain-roofline";

/// The model.
pub(super) struct PlainRoofline;

/// The time at the roof, max(F/C, D/B); what nobody counted takes no time, and nothing counted at all gives nothing.
#[must_use]
pub fn body(gpu: &Gpu, kernel: &Kernel, work: &Work, ceilings: Ceilings) -> Option<Seconds> {
    let roof = compute_roof(gpu, kernel, VectorPrecision::Single, ceilings).value;
    let compute = work.flops().map(|f| f / roof);
    let memory = work.dram().map(|d| d / gpu.bandwidth(ceilings).value);
    match (compute, memory) {
        (Some(c), Some(m)) => Some(c.max(m)),
        (one, other) => one.or(other),
    }
}

/// [`body`] of a launch of so few blocks that SMs stay without one: those that have one alone compute, and move what their ports to L2 take.
/// Reads and writes each have a port, so that no such launch is faster.
#[must_use]
pub fn under_filled_body(
    gpu: &Gpu,
    kernel: &Kernel,
    work: &Work,
    ceilings: Ceilings,
    busy_sms: u64,
) -> Option<Seconds> {
    let busy = busy_sms as f64;
    let share = busy / f64::from(gpu.sms.value);
    let roof = compute_roof(gpu, kernel, VectorPrecision::Single, ceilings).value;
    let compute = work.flops().map(|f| (f / roof).0 / share);
    let ports = 2.0 * L2_PORT_BYTES_PER_CLOCK * busy * gpu.boost_clock.value.0;
    let memory = work.dram().map(|d| d.0 / gpu.bandwidth(ceilings).value.0.min(ports));
    compute.into_iter().chain(memory).reduce(f64::max).map(Seconds)
}

/// [`body`] on the target, or why there is none.
pub(super) fn body_on_target(q: &Question<'_>, model: &'static str) -> Result<Seconds, ModelRefusal> {
    q.target.feasible(&q.work)?;
    let body = body(q.target.gpu, q.kernel, &q.work, q.ceilings).ok_or(ModelRefusal::NoWork { model })?;
    match binding_atomics(q.target.gpu, &q.work, body) {
        Some(time) => Err(ModelRefusal::AtomicsBind { model, time }),
        None if body.0 == 0.0 => Err(ModelRefusal::NoWork { model }),
        None => Ok(body),
    }
}

/// The time of atomics at the boost clock ([`atomic_clocks`]); `None` where that is not longer than `body`.
pub(super) fn binding_atomics(gpu: &Gpu, work: &Work, body: Seconds) -> Option<Seconds> {
    let time = Seconds(atomic_clocks(work) / gpu.boost_clock.value.0);
    Some(time).filter(|time| *time > body)
}

/// FLOPs, bytes and the target's two times: the first links of a chain that needs no measurement.
pub(super) fn work_factors(q: &Question<'_>) -> Vec<Factor> {
    let gpu = q.target.gpu;
    let compute = compute_roof(gpu, q.kernel, VectorPrecision::Single, q.ceilings);
    let bandwidth = gpu.bandwidth(q.ceilings);
    let named = if pipe_of(q.kernel).pipe.is_tensor() { "tensor ceiling" } else { "FP32 ceiling" };
    let mut factors = Vec::with_capacity(8);
    if let Some(flops) = q.work.flops() {
        factors.push(Factor::shared("FLOPs", Amount::Flops(flops), q.counted(Count::Flops)));
        let stated = Provenance::Stated(compute.origin, compute.source.clone());
        factors.push(Factor::of_target(named, Amount::Rate(compute.value), stated));
        let time = Amount::Time(flops / compute.value);
        factors.push(Factor::of_target("compute time", time, Provenance::Modelled("FLOPs / ceiling")));
    }
    if let Some(bytes) = q.work.dram() {
        factors.push(Factor::shared("DRAM bytes", Amount::Bytes(bytes), q.counted(Count::DramBytes)));
        let stated = Provenance::Stated(bandwidth.origin, bandwidth.source.clone());
        factors.push(Factor::of_target("DRAM bandwidth", Amount::Bandwidth(bandwidth.value), stated));
        let time = Amount::Time(bytes / bandwidth.value);
        factors.push(Factor::of_target("memory time", time, Provenance::Modelled("bytes / bandwidth")));
    }
    factors
}

/// Cautions of a model that knows only what the target states.
pub(super) fn target_cautions(q: &Question<'_>) -> Vec<Caution> {
    let mut cautions = q.question_cautions(false);
    if q.fits_l2(q.target.gpu) {
        cautions.push(Caution::FitsL2(q.target.gpu.id.as_str().into()));
    }
    cautions
}

impl Predictor for PlainRoofline {
    fn id(&self) -> &'static str {
        ID
    }

    fn method_summary(&self) -> &'static str {
        "T_t = max(FLOPs / C_t, bytes / B_t): at the roof, no launch cost, no measurement"
    }

    fn needs_source(&self) -> bool {
        false
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, ModelRefusal> {
        let time = self.predicted_time(q)?;
        Ok(Prediction {
            time,
            bound_source: bound_on(q.source.gpu, q.kernel, &q.work, q.ceilings),
            bound_target: bound_on(q.target.gpu, q.kernel, &q.work, q.ceilings),
            efficiency: None,
            factors: work_factors(q),
            cautions: target_cautions(q),
            levels: None,
            doubt: None,
            width: None,
            adjustments: Vec::new(),
            made_of: MadeOf::roof_times(time, Vec::new()),
        })
    }

    fn predicted_time(&self, q: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        sound(body_on_target(q, self.id())?, self.id())
    }
}
