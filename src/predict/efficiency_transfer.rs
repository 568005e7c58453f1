//! `efficiency-transfer` (paper 1, Algorithm 1): the share of the occupancy-scaled roof that a kernel reaches is taken
//! from the source to the target.
//!
//! FLOPs > 0: η = (F/T_s) / (O_s R_s), T_t = F / (η O_t R_t), R = min(C, I B), I = F/D.
//! FLOPs = 0: η = (D/T_s) / (O_s B_s), T_t = D / (η O_t B_t).
//! F FLOPs; D DRAM bytes; T seconds; O occupancy (active over maximum warps); C FP32 ceiling, FLOP/s; B DRAM bandwidth, B/s.
//!
//! Assumes that η stays the same and that time falls linearly with occupancy; on the study's three sound GPUs both
//! together are worse than assuming the same time (models.md, section 2), which is why the baseline stands beside it.

use super::breakdown::{Cause, MadeOf};
use super::same_time::{needed_source, source_factor};
use super::{
    Amount, Caution, Factor, ModelRefusal, Prediction, Predictor, Provenance, Question, bound_on, sound,
};
use crate::gpu::Gpu;
use crate::kernel::Count;
use crate::units::{Bytes, Flops, FlopsPerSecond, Seconds};

/// The model.
pub(super) struct EfficiencyTransfer;

impl Predictor for EfficiencyTransfer {
    fn id(&self) -> &'static str {
        "efficiency-transfer"
    }

    fn method_summary(&self) -> &'static str {
        "T_t = T_s (R_s O_s)/(R_t O_t): efficiency and occupancy carried over (paper 1, Algorithm 1)"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn takes_source_time(&self) -> bool {
        true
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, ModelRefusal> {
        let chain = Chain::new(q, self.id())?;
        let time = chain.target_time(self.id())?;
        let (o_s, o_t) = chain.occupancies;
        let known = needed_source(q, self.id())?;
        let mut factors = vec![source_factor(known)];
        factors.extend(chain.factors(q));
        let occupancy = [Amount::Ratio(o_s), Amount::Ratio(o_t)];
        factors.push(Factor::computed(
            "occupancy",
            occupancy[0],
            occupancy[1],
            "active warps / maximum warps",
        ));
        factors.push(Factor::shared(
            "efficiency",
            Amount::Ratio(chain.efficiency()),
            Provenance::Modelled("achieved / (occupancy x roof) on the source"),
        ));
        let ratios =
            [(Cause::RoofRatio, chain.roof_source / chain.roof_target), (Cause::OccupancyRatio, o_s / o_t)];
        factors.extend(ratios.iter().map(|(cause, ratio)| times(cause.words(), *ratio)));
        let made_of = MadeOf::source_times(known, ratios.to_vec());
        Ok(Prediction {
            time,
            bound_source: bound_on(q.source.gpu, q.kernel, &q.work, q.ceilings),
            bound_target: bound_on(q.target.gpu, q.kernel, &q.work, q.ceilings),
            efficiency: Some(chain.efficiency()),
            factors,
            cautions: Self::transfer_cautions(q, chain.by_bytes()),
            levels: None,
            doubt: None,
            width: None,
            adjustments: Vec::new(),
            made_of,
        })
    }

    fn predicted_time(&self, q: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        Chain::new(q, self.id())?.target_time(self.id())
    }
}

impl EfficiencyTransfer {
    /// What Algorithm 1 does not see.
    fn transfer_cautions(q: &Question<'_>, by_bytes: bool) -> Vec<Caution> {
        let mut all = q.question_cautions(true);
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

/// The numbers of Algorithm 1. Work and roofs have one unit: FLOPs and FLOP/s, or bytes and B/s where there are no FLOPs.
struct Chain {
    flops: Flops,
    bytes: Bytes,
    source_time: Seconds,
    roof_source: f64,
    roof_target: f64,
    occupancies: (f64, f64),
}

impl Chain {
    fn new(q: &Question<'_>, model: &'static str) -> Result<Self, ModelRefusal> {
        q.target.feasible(&q.work)?;
        let source_time = needed_source(q, model)?.work_scaled;
        let missing = |missing| ModelRefusal::NoCount { model, missing };
        let flops = q.work.flops().ok_or(missing(Count::Flops.name()))?;
        let bytes = q.work.dram().ok_or(missing(Count::DramBytes.name()))?;
        if flops.0 <= 0.0 && bytes.0 <= 0.0 {
            return Err(ModelRefusal::NoWork { model });
        }
        let roof = |gpu: &Gpu| {
            let (c, b) = (gpu.compute(q.ceilings).value.0, gpu.bandwidth(q.ceilings).value.0);
            // Without traffic the intensity is infinite and arithmetic binds.
            if flops.0 > 0.0 { c.min(b * (flops / bytes).0) } else { b }
        };
        let (roof_source, roof_target) = (roof(q.source.gpu), roof(q.target.gpu));
        Ok(Self { flops, bytes, source_time, roof_source, roof_target, occupancies: occupancies(q) })
    }

    /// Whether there are no FLOPs, so that bandwidth alone is carried over.
    fn by_bytes(&self) -> bool {
        self.flops.0 <= 0.0
    }

    fn work(&self) -> f64 {
        if self.by_bytes() { self.bytes.0 } else { self.flops.0 }
    }

    /// η: the share of the occupancy-scaled roof that the source reached.
    fn efficiency(&self) -> f64 {
        let reached = self.work() / self.source_time.0;
        reached / (self.occupancies.0 * self.roof_source)
    }

    fn target_time(&self, model: &'static str) -> Result<Seconds, ModelRefusal> {
        let rate = self.efficiency() * self.occupancies.1 * self.roof_target;
        sound(Seconds(self.work() / rate), model)
    }

    /// Where work and roofs come from.
    fn factors(&self, q: &Question<'_>) -> Vec<Factor> {
        let (source, target) = (q.source.gpu, q.target.gpu);
        let (b_s, b_t) = (source.bandwidth(q.ceilings), target.bandwidth(q.ceilings));
        let bandwidths = Factor::of_both_gpus("DRAM bandwidth", Amount::Bandwidth, b_s, b_t);
        let moved = Factor::shared("DRAM bytes", Amount::Bytes(self.bytes), q.counted(Count::DramBytes));
        if self.by_bytes() {
            return vec![moved, bandwidths];
        }
        let (c_s, c_t) = (source.compute(q.ceilings), target.compute(q.ceilings));
        let rate = |r| Amount::Rate(FlopsPerSecond(r));
        vec![
            Factor::shared("FLOPs", Amount::Flops(self.flops), q.counted(Count::Flops)),
            moved,
            Factor::shared(
                "intensity",
                Amount::Intensity(self.flops / self.bytes),
                Provenance::Modelled("FLOPs / DRAM bytes"),
            ),
            Factor::of_both_gpus("FP32 ceiling", Amount::Rate, c_s, c_t),
            bandwidths,
            Factor::computed(
                "roof",
                rate(self.roof_source),
                rate(self.roof_target),
                "min(ceiling, intensity x bandwidth)",
            ),
        ]
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
