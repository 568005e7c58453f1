//! A question in numbers without names: what a learned residual looks at.
//!
//! Every number is a share, a ratio or a logarithm of one, so that no GPU, kernel or size is recognised by its digits. Numbers of
//! the GPUs themselves (bandwidths, SMs, clocks, target over source) are left out on purpose: a handful of GPUs differ in so many
//! of them that a model takes them for names, and with whole GPUs left out it was worse with them (docs/models.md, "Hybrid").

use super::sides::QuestionSides;
use super::wave_shape::waves_on;
use super::{doubted, ends};
use crate::kernel::Count;
use crate::pair::Pair;
use crate::predict::{ModelRefusal, Question, QuestionSide, TimeEstimate};
use crate::roofline::{Component, Components, Spec};

/// A component below this share of its roof adds nothing to it; all such are alike.
const LEAST_SHARE: f64 = 0.02;

/// The names of the numbers that a lesson looks at, in their order.
#[must_use]
pub fn feature_names() -> Vec<String> {
    let shares = SIDES.into_iter().flat_map(|side| {
        Component::OF_FORMULAS.into_iter().map(move |c| format!("{} share, {side}", c.as_str()))
    });
    let of_sides = ["floor share", "waves", "occupancy", "working set over L2", "intensity over ridge"];
    let of_sides = of_sides.into_iter().flat_map(|what| SIDES.map(|side| format!("{what}, {side}")));
    let of_pair = [
        "efficiency",
        "efficiency carried over",
        "roof, target over source",
        "same efficiency over time added",
        "registers unknown",
    ];
    shares.chain(of_sides).chain(of_pair.map(String::from)).collect()
}

const SIDES: [&str; 2] = ["source", "target"];

/// The model's answer, and the numbers of this question in the order of [`feature_names`], all finite. What nobody knows is written as the number
/// that says nothing: one wave, full occupancy.
///
/// # Errors
/// [`ModelRefusal`] where the model has no roof for it.
pub(in crate::predict) fn estimate_with_features(
    q: &Question<'_>,
) -> Result<(TimeEstimate, Vec<f64>), ModelRefusal> {
    let sides = QuestionSides::new(q)?;
    let ends = ends(&sides);
    let (answered, doubt) = doubted(q, &sides, &ends)?;
    let Pair { source: source_roof, target: target_roof } = answered.roofs;
    let timed = sides.timed.unwrap_or(source_roof);
    let body = answered.start.body.unwrap_or(source_roof);
    let carried = answered.carried;
    let readings = if carried.above > 0.0 { (carried.everything / carried.added).ln() } else { 0.0 };
    let mut all: Vec<f64> = sides.components.iter().flat_map(shares).collect();
    let floors = sides.floors.map(|f| f.time.0);
    all.extend([floors.source / timed, floors.target / answered.time.0].map(|share| share.min(1.0)));
    all.extend([&q.source, &q.target].map(waves));
    all.extend([&q.source, &q.target].map(occupancy));
    let touched = q.work.get(Count::WorkingSetBytes).or(q.work.get(Count::DramBytes)).unwrap_or(0.0);
    all.extend(sides.machines.map(|m| bounded(touched / m.spec_value(Spec::L2Size))));
    all.extend(sides.components.iter().map(over_ridge));
    all.extend([
        bounded(body / source_roof),
        super::CARRIED * answered.start.own,
        bounded(target_roof / source_roof),
        bounded_ln(readings),
        f64::from(u8::from(doubt.build > 0.0)),
    ]);
    Ok((TimeEstimate::of_question(q, answered.time, Some(doubt)), all))
}

/// ln of each component's share of the roof.
fn shares(components: &Components) -> [f64; Component::OF_FORMULAS.len()] {
    let roof = components.roof();
    Component::OF_FORMULAS.map(|c| (components.component_time(c).0 / roof).clamp(LEAST_SHARE, 1.0).ln())
}

/// ln of the waves; 0, one wave, where they are unknown.
fn waves(side: &QuestionSide<'_>) -> f64 {
    waves_on(side.gpu, side.launch, side.stated_occupancy()).map_or(0.0, |w| w.clamp(0.05, 100.0).ln())
}

/// ln of the occupancy; 0, full, where it is unknown.
fn occupancy(side: &QuestionSide<'_>) -> f64 {
    side.stated_occupancy().map_or(0.0, |o| o.fraction().max(0.02).ln())
}

/// ln of arithmetic time over memory time: operational intensity over the ridge point.
fn over_ridge(components: &Components) -> f64 {
    let time = |c| components.component_time(c).0;
    bounded(time(Component::Fp) / time(Component::Dram).max(time(Component::L2)))
}

/// ln of a ratio within a hundred on either side of 1; what is no number at all (nothing over nothing) is the middle.
fn bounded(ratio: f64) -> f64 {
    if ratio.is_nan() { 0.0 } else { ratio.clamp(0.01, 100.0).ln() }
}

/// A logarithm within that of a hundred.
fn bounded_ln(ln: f64) -> f64 {
    bounded(ln.exp())
}
