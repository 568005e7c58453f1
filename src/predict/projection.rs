//! `projection` (paper 2): the share of its own roof that a kernel reaches is taken from the source to the target, once for
//! each level of the memory hierarchy.
//!
//! Perf_t(mem) = Perf_s / R_s,mem(I_mem) x R_t,mem(I_mem), mem in {DRAM, L2, L1} (equation 9), as a time
//! T_t(mem) = T_s x (F_t / R_t,mem) / (F_s / R_s,mem). The three times span an interval; its middle is the answer, as in the
//! paper's figures ("the mean point of the projection interval").
//!
//! T seconds; F FLOPs; R_mem = min(B_mem I_mem, P) with the kernel's own ceilings: P from its mix of FMA, ADD and MUL and its
//! active threads, B_mem a harmonic mean over everything that traverses the level (see [`crate::roofline`]); I_mem = F over
//! the bytes through the level.
//!
//! Assumes that the bytes through each level stay the same (the paper finds this wrong where L2 sizes differ: LULESH, 20.3 %)
//! and that the target is as well filled as the source (wrong for small launches, paper section 5.3). F_t differs from F_s
//! only where two SASS listings say so (section 4.2).
//!
//! Reference: Van Lanker, Taboada, Brunet, Trahay, "Predicting GPU kernel's performance on upcoming architectures", Euro-Par
//! 2024 (hal-04614350). Its published mean errors: LULESH 20.3, miniMDock 10.2, Quicksilver 5.9 %.
//!
//! ```
//! use roofswap_engine::predict::{MODELS, model_position};
//!
//! assert_eq!(MODELS[model_position("projection")?].method_summary().split(':').next(), Some("T_t in the middle of T_s R_s/R_t at DRAM, L2, L1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::breakdown::{Cause, MadeOf};
use super::kernel_roofs::{RoofParts, stated};
use super::same_time::{needed_source, source_factor};
use super::{
    Amount, Caution, Factor, LevelTimes, ModelRefusal, Prediction, Predictor, Provenance, Question, sound,
};
use crate::kernel::{Count, VectorPrecision};
use crate::pair::{Pair, Side};
use crate::roofline::{Arithmetic, Bound, KernelRoof, Level, PROJECTED, projected};
use crate::units::Seconds;

/// As typed.
pub(super) const ID: &str = "projection";

/// The model.
pub(super) struct Projection;

impl Predictor for Projection {
    fn id(&self) -> &'static str {
        ID
    }

    fn method_summary(&self) -> &'static str {
        "T_t in the middle of T_s R_s/R_t at DRAM, L2, L1: the kernel's own ceilings (paper 2, equations 1-10)"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn takes_source_time(&self) -> bool {
        true
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, ModelRefusal> {
        let (parts, levels) = projection(q)?;
        let (known, time) = (needed_source(q, ID)?, sound(levels.middle(), ID)?);
        let made_of = MadeOf::source_times(known, vec![(Cause::MemoryLevels, time / known.work_scaled)]);
        Ok(Prediction {
            time,
            bound_source: bound(&parts, Side::Source),
            bound_target: bound(&parts, Side::Target),
            efficiency: None,
            factors: factors(q, &parts, &levels)?,
            cautions: projection_cautions(q, &parts),
            levels: Some(levels),
            doubt: None,
            width: None,
            adjustments: Vec::new(),
            made_of,
        })
    }

    fn predicted_time(&self, q: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        sound(projection(q)?.1.middle(), ID)
    }
}

/// Both roofs, and the target's times at every level that has one.
fn projection<'q>(q: &'q Question<'_>) -> Result<(RoofParts<'q>, LevelTimes), ModelRefusal> {
    q.target.feasible(&q.work)?;
    let known = needed_source(q, ID)?.work_scaled;
    let parts = RoofParts::from_question(q, ID)?;
    let Pair { source, target } = &parts.roofs;
    let at =
        |level: Level| projected(known, source.level(level), target.level(level)).map(|time| (level, time));
    let times: Vec<(Level, Seconds)> = PROJECTED.into_iter().filter_map(at).collect();
    let Some(levels) = LevelTimes::from_times(times, parts.ceilings) else {
        return Err(ModelRefusal::NoWork { model: ID });
    };
    Ok((parts, levels))
}

/// What binds at DRAM with the kernel's own ceilings.
fn bound(parts: &RoofParts<'_>, side: Side) -> Option<Bound> {
    let (roof, rates): (&KernelRoof, _) = (&parts.roofs[side], &parts.rates[side]);
    let memory = parts.traffic.dram / rates.dram.value;
    let compute = roof.compute.map(|c| parts.arithmetic[side].flops / c);
    match compute {
        Some(compute) if compute >= memory => Some(Bound::Compute),
        _ => (memory.0 > 0.0).then_some(Bound::Dram),
    }
}

fn projection_cautions(q: &Question<'_>, parts: &RoofParts<'_>) -> Vec<Caution> {
    let mut all = q.question_cautions(true);
    // Which ceilings can be used is this model's own matter: it looks at the width of the kernel.
    all.retain(|c| !matches!(c, Caution::CeilingsFellBack { .. }));
    all.extend(parts.fell_back.map(|g| Caution::CeilingsFellBack { gpu: g.id.as_str().into() }));
    if parts.arithmetic.source.flops.0 <= 0.0 {
        all.push(Caution::NoComputeCeiling);
    }
    if parts.mixed_widths {
        all.push(Caution::BothWidths(parts.precision));
    }
    let (source, target) = (q.source.gpu, q.target.gpu);
    if q.fits_l2(source) != q.fits_l2(target) {
        let fits = if q.fits_l2(source) { source } else { target };
        all.push(Caution::FitsL2(fits.id.as_str().into()));
    }
    all.extend(q.translation_caution());
    if let Some(r) = parts.rewritten.filter(|r| r.least < r.most) {
        all.push(Caution::Rewritten { least: r.least, most: r.most });
    }
    all
}

/// The chain: counts, ceilings, and the time at each level.
fn factors(
    q: &Question<'_>,
    parts: &RoofParts<'_>,
    levels: &LevelTimes,
) -> Result<Vec<Factor>, ModelRefusal> {
    let mut all = vec![source_factor(needed_source(q, ID)?)];
    all.extend(compute_factors(q, parts));
    for level in PROJECTED {
        all.extend(level_factors(q, parts, levels, level));
    }
    let spread = Amount::Times(levels.high.0 / levels.low.0);
    all.push(Factor::of_target("levels spread", spread, Provenance::Modelled("slowest / fastest level")));
    Ok(all)
}

fn compute_factors(q: &Question<'_>, parts: &RoofParts<'_>) -> Vec<Factor> {
    let Pair { source, target } = &parts.arithmetic;
    let flops = Factor::shared("FLOPs", Amount::Flops(source.flops), q.counted(Count::Flops));
    let (Some(c_s), Some(c_t)) = (parts.roofs.source.compute, parts.roofs.target.compute) else {
        return vec![flops];
    };
    let mut all = vec![flops];
    if let Some(r) = parts.rewritten {
        let rule = Provenance::Modelled("FLOPs of the target's SASS / the source's");
        all.push(Factor::of_target("SASS correction", Amount::Times(r.rewrite_factor()), rule));
        let rule = Provenance::Modelled("FLOPs x SASS correction");
        all.push(Factor::of_target("FLOPs on the target", Amount::Flops(target.flops), rule));
    }
    let share = |a: &Arithmetic| {
        Amount::Ratio(if a.operations.total() > 0.0 { a.operations.fma / a.operations.total() } else { 1.0 })
    };
    let Pair { source: r_s, target: r_t } = &parts.rates;
    all.extend([
        Factor::of_both_gpus(ceiling_name(parts), Amount::Rate, &r_s.fma, &r_t.fma),
        Factor {
            from: Pair::new(q.mix_from(), None),
            ..Factor::computed("FMA share", share(source), share(target), "")
        },
        Factor::shared(
            "active threads",
            Amount::Ratio(source.active_threads),
            q.counted(Count::ActiveThreadsPerInst),
        ),
        Factor::computed(
            "compute ceiling",
            Amount::Rate(c_s),
            Amount::Rate(c_t),
            "active threads / 32 x (FMA share x ceiling + rest x ceiling / 2)",
        ),
    ]);
    all
}

fn ceiling_name(parts: &RoofParts<'_>) -> &'static str {
    match parts.precision {
        VectorPrecision::Single => "FP32 ceiling",
        VectorPrecision::Double => "FP64 ceiling",
    }
}

/// Bytes, bandwidth, ceiling, intensity and time at one level.
fn level_factors(q: &Question<'_>, parts: &RoofParts<'_>, levels: &LevelTimes, level: Level) -> Vec<Factor> {
    let (counted, names) = match level {
        Level::Dram => (
            Count::DramBytes,
            ["DRAM bytes", "DRAM bandwidth", "DRAM ceiling", "DRAM intensity", "DRAM time"],
        ),
        Level::L2 => (Count::L2Bytes, ["L2 bytes", "L2 bandwidth", "L2 ceiling", "L2 intensity", "L2 time"]),
        _ => (Count::L1Bytes, ["L1 bytes", "L1 bandwidth", "L1 ceiling", "L1 intensity", "L1 time"]),
    };
    let Pair { source: r_s, target: r_t } = &parts.rates;
    let through = parts.traffic.through(level);
    let mut all = vec![
        Factor::shared(names[0], Amount::Bytes(through), q.counted(counted)),
        Factor {
            name: names[1],
            source: Some(Amount::Bandwidth(r_s.bandwidth_at(level).value)),
            target: Some(Amount::Bandwidth(r_t.bandwidth_at(level).value)),
            from: Pair::new(stated(r_s.bandwidth_at(level)), stated(r_t.bandwidth_at(level))),
        },
    ];
    let Pair { source: s, target: t } = parts.roofs.as_ref().map(|roof| *roof.level(level));
    if let (Some(b_s), Some(b_t)) = (s.bandwidth, t.bandwidth) {
        let rule = "bytes through the level / sum of bytes / bandwidth";
        all.push(Factor::computed(names[2], Amount::Bandwidth(b_s), Amount::Bandwidth(b_t), rule));
    }
    if let (Some(i_s), Some(i_t)) = (s.intensity, t.intensity) {
        let rule = "FLOPs / bytes through the level";
        all.push(Factor::computed(names[3], Amount::Intensity(i_s), Amount::Intensity(i_t), rule));
    }
    if let Some((_, time)) = levels.at.iter().find(|(l, _)| *l == level) {
        let rule = Provenance::Modelled("source time x time at the target's roof / at the source's");
        all.push(Factor::of_target(names[4], Amount::Time(*time), rule));
    }
    all
}
