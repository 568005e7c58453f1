//! Both roofs of one kernel, source and target: which counts and peaks the ceilings of paper 2 are made of.

use super::{ModelRefusal, Provenance, Question};
use crate::catalogue::Sourced;
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::{Count, Mix, Operations, Rewritten, VectorPrecision};
use crate::pair::{Pair, Side};
use crate::roofline::{Arithmetic, KernelRoof, Level, Peaks, Traffic, kernel_roof, vector_rate};
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond};

/// The kernel-specific roofs of source and target.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelRoofs {
    /// The width of the arithmetic.
    pub precision: VectorPrecision,
    /// Peak or achieved, the same on both sides.
    pub ceilings: Ceilings,
    /// Source and target.
    pub roofs: Pair<KernelRoof>,
}

/// Everything behind [`KernelRoofs`].
pub(super) struct RoofParts<'q> {
    pub(super) precision: VectorPrecision,
    /// Whether arithmetic of the other width runs as well.
    pub(super) mixed_widths: bool,
    pub(super) ceilings: Ceilings,
    /// The GPU for whose sake peak stands in for achieved.
    pub(super) fell_back: Option<&'q Gpu>,
    /// Source and target; they differ where two listings were read.
    pub(super) arithmetic: Pair<Arithmetic>,
    pub(super) traffic: Traffic,
    pub(super) rates: Pair<PeakRates>,
    /// What two listings say, where they fit the target.
    pub(super) rewritten: Option<&'q Rewritten>,
    pub(super) roofs: Pair<KernelRoof>,
}

/// One GPU's peaks with where they come from.
pub(super) struct PeakRates {
    pub(super) fma: Sourced<FlopsPerSecond>,
    pub(super) dram: Sourced<BytesPerSecond>,
    pub(super) l2: Sourced<BytesPerSecond>,
    pub(super) l1: Sourced<BytesPerSecond>,
    pub(super) shared: Sourced<BytesPerSecond>,
}

impl PeakRates {
    /// Every rate the ceilings need.
    fn from_gpu(
        gpu: &Gpu,
        precision: VectorPrecision,
        ceilings: Ceilings,
        model: &'static str,
    ) -> Result<Self, ModelRefusal> {
        let lacks = |what: &'static str, key: &'static str| ModelRefusal::NoRate {
            model,
            gpu: gpu.id.clone(),
            what,
            key,
        };
        Ok(Self {
            fma: vector_rate(gpu, precision, ceilings)
                .ok_or_else(|| lacks("FP64 rate", "compute.fp64_achieved_gflops"))?
                .clone(),
            dram: gpu.bandwidth(ceilings).clone(),
            l2: gpu.l2_bandwidth_or_derived().clone(),
            l1: gpu.l1_bandwidth(ceilings).ok_or_else(|| lacks("L1 bandwidth", "cache.l1_gb_per_s"))?,
            shared: gpu
                .shared_bandwidth()
                .ok_or_else(|| lacks("shared-memory bandwidth", "cache.shared_bytes_per_clock_per_sm"))?,
        })
    }

    fn peaks(&self) -> Peaks {
        Peaks {
            fma: self.fma.value,
            dram: self.dram.value,
            l2: self.l2.value,
            l1: self.l1.value,
            shared: self.shared.value,
        }
    }

    /// The bandwidth of this level.
    pub(super) fn bandwidth_at(&self, level: Level) -> &Sourced<BytesPerSecond> {
        match level {
            Level::Dram => &self.dram,
            Level::L2 => &self.l2,
            Level::L1 => &self.l1,
            Level::Shared => &self.shared,
        }
    }
}

/// The roofs of both sides, or what is missing for them.
///
/// # Errors
/// [`ModelRefusal`] that names every count nobody made, or the rate nobody knows.
pub fn kernel_roofs(q: &Question<'_>) -> Result<KernelRoofs, ModelRefusal> {
    let parts = RoofParts::from_question(q, super::projection::ID)?;
    Ok(KernelRoofs { precision: parts.precision, ceilings: parts.ceilings, roofs: parts.roofs })
}

impl<'q> RoofParts<'q> {
    pub(super) fn from_question(q: &'q Question<'_>, model: &'static str) -> Result<Self, ModelRefusal> {
        let counted = CountedWork::from_question(q, model)?;
        let CountedWork { precision, operations, .. } = counted;
        let (ceilings, fell_back) = usable(q, precision);
        let rates = Pair {
            source: PeakRates::from_gpu(q.source.gpu, precision, ceilings, model)?,
            target: PeakRates::from_gpu(q.target.gpu, precision, ceilings, model)?,
        };
        let arithmetic =
            Arithmetic { operations, flops: counted.flops, active_threads: counted.active_threads };
        let rewritten = q.translation().map(|t| t.rewritten_at(precision));
        let on_target = rewritten.map_or(arithmetic, |r| Arithmetic {
            operations: r.applied(&operations),
            flops: Flops(arithmetic.flops.0 * r.rewrite_factor()),
            ..arithmetic
        });
        let arithmetic = Pair::new(arithmetic, on_target);
        let roofs =
            Side::ALL.map(|side| kernel_roof(&arithmetic[side], &counted.traffic, &rates[side].peaks()));
        Ok(Self {
            precision,
            mixed_widths: counted.mixed_widths,
            ceilings,
            fell_back,
            traffic: counted.traffic,
            arithmetic,
            rates,
            rewritten,
            roofs,
        })
    }
}

/// Peak and achieved are never mixed: where one GPU has no achieved rate of this width or of its DRAM, both use peak.
fn usable<'q>(q: &'q Question<'_>, precision: VectorPrecision) -> (Ceilings, Option<&'q Gpu>) {
    if q.ceilings_asked == Ceilings::Peak {
        return (Ceilings::Peak, None);
    }
    let reached = |gpu: &Gpu| match precision {
        VectorPrecision::Single => gpu.fp32_achieved.is_some(),
        VectorPrecision::Double => gpu.fp64_achieved.is_some(),
    };
    let without =
        [q.source.gpu, q.target.gpu].into_iter().find(|g| !reached(g) || g.bandwidth_achieved.is_none());
    (if without.is_some() { Ceilings::Peak } else { Ceilings::Achieved }, without)
}

/// What is counted of the kernel.
struct CountedWork {
    precision: VectorPrecision,
    mixed_widths: bool,
    operations: Operations,
    flops: Flops,
    active_threads: f64,
    traffic: Traffic,
}

impl CountedWork {
    fn from_question(q: &Question<'_>, model: &'static str) -> Result<Self, ModelRefusal> {
        let mix = q.mix();
        let (precision, mixed_widths) = precision(q, &mix, model)?;
        let mut missing: Vec<&'static str> = Vec::new();
        let mut need = |count: Count| {
            let value = q.work.get(count);
            if value.is_none() {
                missing.push(count.name());
            }
            value.unwrap_or_default()
        };
        let flops = need(Count::Flops);
        let through = [Count::DramBytes, Count::L2Bytes, Count::L1Bytes].map(|c| Bytes(need(c)));
        let wavefronts = match q.work.get(Count::SmemWavefronts) {
            Some(counted) => counted,
            None if uses_no_shared_memory(q) => 0.0,
            None => need(Count::SmemWavefronts),
        };
        // Without FLOPs there is no compute ceiling, and nothing it would be made of is needed.
        let computes = q.work.flops().is_none_or(|f| f.0 > 0.0);
        let active_threads = if computes { need(Count::ActiveThreadsPerInst) } else { 32.0 };
        let counted = mix.operations_at(precision).filter(|o| o.total() > 0.0);
        if computes && counted.is_none() {
            missing.extend(match precision {
                VectorPrecision::Single => ["fp32_fma", "fp32_add", "fp32_mul"],
                VectorPrecision::Double => ["fp64_fma", "fp64_add", "fp64_mul"],
            });
        }
        if !missing.is_empty() {
            return Err(ModelRefusal::NoCounts { model, missing: missing.join(", ") });
        }
        if flops <= 0.0 && through.iter().all(|b| b.0 <= 0.0) && wavefronts <= 0.0 {
            return Err(ModelRefusal::NoWork { model });
        }
        let shared = mix.shared_bytes.unwrap_or(f64::INFINITY).min(128.0 * wavefronts);
        Ok(Self {
            precision,
            mixed_widths,
            operations: counted.unwrap_or_default(),
            flops: Flops(flops),
            active_threads,
            traffic: Traffic::from_bytes(through, Bytes(shared), wavefronts),
        })
    }
}

/// Whether the launch is known to ask for no shared memory.
fn uses_no_shared_memory(q: &Question<'_>) -> bool {
    q.shared_memory() == Some(0)
}

/// The width by the kernel's element type; where nobody stated one, by what was counted. Also whether both widths work.
fn precision(
    q: &Question<'_>,
    mix: &Mix,
    model: &'static str,
) -> Result<(VectorPrecision, bool), ModelRefusal> {
    let works = |p: VectorPrecision| mix.operations_at(p).is_some_and(|o| o.total() > 0.0);
    let both = VectorPrecision::ALL.into_iter().all(works);
    if let Some(stated) = VectorPrecision::ALL.into_iter().find(|p| p.dtype() == q.kernel.dtype) {
        return Ok((stated, both));
    }
    if !q.kernel.dtype.is_empty() && !both && !VectorPrecision::ALL.into_iter().any(works) {
        let dtype = crate::text::clipped_text(&q.kernel.dtype, 20);
        return Err(ModelRefusal::OtherWidth { model, dtype });
    }
    // The one that takes longer at the source's peaks.
    let gpu = q.source.gpu;
    let seconds = |p: VectorPrecision| {
        let peak = match p {
            VectorPrecision::Single => Some(gpu.fp32_peak.value),
            VectorPrecision::Double => gpu.fp64_peak.as_ref().map(|r| r.value),
        };
        mix.operations_at(p).map_or(0.0, |o| o.flops() / peak.map_or(1.0, |r| r.0))
    };
    let double = seconds(VectorPrecision::Double) > seconds(VectorPrecision::Single);
    Ok((if double { VectorPrecision::Double } else { VectorPrecision::Single }, both))
}

/// `achieved | peak` of a rate as a link of the chain has it.
pub(super) fn stated<T>(rate: &Sourced<T>) -> Option<Provenance> {
    Some(Provenance::Stated(rate.origin, rate.source.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::shipped_sources;
    use crate::gpu::{LimitsTable, load_shipped};

    #[test]
    fn a_missing_rate_is_asked_for_in_one_file() {
        let (gpus, _) = load_shipped(&shipped_sources().unwrap(), &LimitsTable::shipped().unwrap());
        let mut gpu = gpus.entry_named("titan-v").unwrap().clone();
        gpu.shared_bytes_per_clock = None;
        let rates = PeakRates::from_gpu(&gpu, VectorPrecision::Single, Ceilings::Peak, "projection");
        let said = rates.err().unwrap().to_string();
        assert_eq!(said.matches("GPU file").count(), 1, "{said}");
    }
}
