//! `efficiency-transfer` (paper 1, Algorithm 1): the share of the occupancy-scaled roof that a kernel reaches is taken
//! from the source to the target.
//!
//! FLOPs > 0: η = (F/T_s) / (O_s R_s), T_t = F / (η O_t R_t), R = min(C, I B), I = F/D.
//! FLOPs = 0: η = (D/T_s) / (O_s B_s), T_t = D / (η O_t B_t).
//! F FLOPs; D DRAM bytes; T seconds; O occupancy (active over maximum warps); C FP32 ceiling, FLOP/s; B DRAM bandwidth, B/s.
//!
//! Assumes that η stays the same and that time falls linearly with occupancy; on the study's three sound GPUs both
//! together are worse than assuming the same time (models.md, section 2), which is why the baseline stands beside it.

use super::same_time::{needed_source, source_factor};
use super::{Amount, Caution, Factor, Prediction, Predictor, Provenance, Question, Refusal, bound_on, sound};
use crate::kernel::Count;
use crate::units::{Bytes, Flops, FlopsPerSecond, Seconds};

/// The model.
pub(super) struct EfficiencyTransfer;

impl Predictor for EfficiencyTransfer {
    fn id(&self) -> &'static str {
        "efficiency-transfer"
    }

    fn summary(&self) -> &'static str {
        "T_t = T_s (R_s O_s)/(R_t O_t): efficiency and occupancy carried over (paper 1, Algorithm 1)"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, Refusal> {
        q.target.feasible(&q.work)?;
        let known = needed_source(q, self.id())?;
        let missing = |missing| Refusal::NoCount { model: self.id(), missing };
        let flops = q.work.flops().ok_or(missing(Count::Flops.name()))?;
        let bytes = q.work.dram().ok_or(missing(Count::DramBytes.name()))?;
        let chain = Chain::new(q, flops, bytes).ok_or(Refusal::NoWork { model: self.id() })?;
        let (o_s, o_t) = occupancies(q);
        let reached = chain.work / known.time.0;
        let efficiency = reached / (o_s * chain.roof_source);
        let time = sound(Seconds(chain.work / (efficiency * o_t * chain.roof_target)), self.id())?;
        let cautions = Self::cautions(q, chain.by_bytes);
        let mut factors = vec![source_factor(known)];
        factors.extend(chain.factors);
        let occupancy = [Amount::Ratio(o_s), Amount::Ratio(o_t)];
        factors.push(Factor::computed(
            "occupancy",
            occupancy[0],
            occupancy[1],
            "active warps / maximum warps",
        ));
        factors.push(Factor::shared(
            "efficiency kept",
            Amount::Ratio(efficiency),
            Provenance::Modelled("achieved / (occupancy x roof) on the source"),
        ));
        factors.push(times("roof ratio", chain.roof_source / chain.roof_target));
        factors.push(times("occupancy ratio", o_s / o_t));
        Ok(Prediction {
            time,
            bound_source: bound_on(q.source.gpu, &q.work, q.ceilings),
            bound_target: bound_on(q.target.gpu, &q.work, q.ceilings),
            efficiency: Some(efficiency),
            factors,
            cautions,
        })
    }
}

impl EfficiencyTransfer {
    /// What Algorithm 1 does not see.
    fn cautions(q: &Question<'_>, by_bytes: bool) -> Vec<Caution> {
        let mut all = q.cautions(true);
        let (source, target) = (q.source.gpu, q.target.gpu);
        if by_bytes {
            all.push(Caution::NoFlops);
        }
        if q.source.stated_occupancy().is_none() {
            all.push(Caution::OccupancyUnknown);
        }
        if q.fits_l2(source) != q.fits_l2(target) {
            let fits = if q.fits_l2(source) { source } else { target };
            all.push(Caution::FitsL2(fits.id.as_str().into()));
        }
        all
    }
}

/// Work and roofs in one unit: FLOPs and FLOP/s, or bytes and B/s where there are no FLOPs.
struct Chain {
    work: f64,
    roof_source: f64,
    roof_target: f64,
    by_bytes: bool,
    factors: Vec<Factor>,
}

impl Chain {
    /// `None` where the kernel has neither FLOPs nor bytes.
    fn new(q: &Question<'_>, flops: Flops, bytes: Bytes) -> Option<Self> {
        let (source, target) = (q.source.gpu, q.target.gpu);
        let (b_s, b_t) = (source.bandwidth(q.ceilings), target.bandwidth(q.ceilings));
        let (c_s, c_t) = (source.compute(q.ceilings), target.compute(q.ceilings));
        let bandwidths = Factor::both("DRAM bandwidth", Amount::Bandwidth, b_s, b_t);
        let moved = Factor::shared("DRAM bytes", Amount::Bytes(bytes), q.counted(Count::DramBytes));
        if flops.0 <= 0.0 {
            let factors = vec![moved, bandwidths];
            let (roof_source, roof_target) = (b_s.value.0, b_t.value.0);
            return (bytes.0 > 0.0).then_some(Self {
                work: bytes.0,
                roof_source,
                roof_target,
                by_bytes: true,
                factors,
            });
        }
        // Without traffic the intensity is infinite and arithmetic binds.
        let intensity = flops / bytes;
        let roof = |c: f64, b: f64| c.min(b * intensity.0);
        let (roof_source, roof_target) = (roof(c_s.value.0, b_s.value.0), roof(c_t.value.0, b_t.value.0));
        let rate = |r| Amount::Rate(FlopsPerSecond(r));
        let factors = vec![
            Factor::shared("FLOPs", Amount::Flops(flops), q.counted(Count::Flops)),
            moved,
            Factor::shared(
                "intensity",
                Amount::Intensity(intensity),
                Provenance::Modelled("FLOPs / DRAM bytes"),
            ),
            Factor::both("FP32 ceiling", Amount::Rate, c_s, c_t),
            bandwidths,
            Factor::computed(
                "roof",
                rate(roof_source),
                rate(roof_target),
                "min(ceiling, intensity x bandwidth)",
            ),
        ];
        Some(Self { work: flops.0, roof_source, roof_target, by_bytes: false, factors })
    }
}

/// Occupancy on both sides; 1 and 1 where the block is unknown, so that they cancel.
fn occupancies(q: &Question<'_>) -> (f64, f64) {
    match (q.source.stated_occupancy(), q.target.stated_occupancy()) {
        (Some(s), Some(t)) if s.active_blocks > 0 && t.active_blocks > 0 => (s.fraction(), t.fraction()),
        _ => (1.0, 1.0),
    }
}

fn times(name: &'static str, ratio: f64) -> Factor {
    Factor::of_target(name, Amount::Times(ratio), Provenance::Modelled("source / target"))
}
