//! An operator's prediction taken apart: the parts of both modelled times, what is kept of the source's, what would change it.

use super::hardware::Hardware;
use super::{OperatorAnswer, Parts, carried, modelled, parts_on};
use crate::catalogue::Origin;
use crate::gpu::Gpu;
use crate::kernel::Operator;
use crate::predict::{
    Amount, Begin, Caution, Cause, Chain, Elasticity, Explanation, Factor, Floor, NextCeiling, Prediction,
    Provenance, Question, Refusal, Step,
};
use crate::roofline::{Bound, Component, Components, Spec};
use crate::units::Seconds;

/// How far a number is moved to see what it does to the time.
const NUDGE: f64 = 1.02;

/// How much more of a number [`Elasticity::ten_percent`] asks about.
const TENTH: f64 = 1.1;

/// Below this an elasticity moves nothing worth reading.
const LEAST_ELASTICITY: f64 = 0.02;

/// The numbers of a GPU that the model takes.
const TAKEN: [Spec; 6] =
    [Spec::Sms, Spec::Clock, Spec::FlopsPerClock, Spec::L2Bandwidth, Spec::DramBandwidth, Spec::L2Size];

/// Both modelled times of a question about an operator.
struct BothEnds {
    operator: Operator,
    parts: [Parts; 2],
    timed: Option<f64>,
    answer: OperatorAnswer,
}

/// `None` where the question is about no operator, or one of the GPUs states no rate for its types.
fn both_ends(q: &Question<'_>, model: &'static str) -> Option<Result<BothEnds, Refusal>> {
    let operator = q.operator?;
    let on = |gpu: &Gpu| modelled(gpu, &operator, &q.work);
    let parts = [on(q.source.gpu)?, on(q.target.gpu)?];
    if let Err(why) = q.target.feasible(&q.work) {
        return Some(Err(why));
    }
    let timed = q.source_time.as_ref().filter(|t| t.extrapolation.is_some()).map(|t| t.time.0);
    let other = q.source.gpu.architecture != q.target.gpu.architecture;
    let answer = carried(parts.map(|p| p.time), timed, other, model);
    Some(answer.map(|answer| BothEnds { operator, parts, timed, answer }))
}

/// The whole prediction; `None` where the operators' model has nothing to say and others have to answer.
pub(in crate::predict) fn operator_prediction(
    q: &Question<'_>,
    model: &'static str,
) -> Option<Result<Prediction, Refusal>> {
    let ends = both_ends(q, model)?;
    Some(ends.map(|ends| Prediction {
        time: ends.answer.time,
        bound_source: bound_by(&ends.parts[0]),
        bound_target: bound_by(&ends.parts[1]),
        efficiency: ends.timed.map(|timed| ends.parts[0].time / timed),
        factors: factors(q, &ends),
        cautions: cautions(q, &ends),
        levels: None,
        doubt: Some(ends.answer.doubt),
        width: None,
    }))
}

fn bound_by(parts: &Parts) -> Option<Bound> {
    if parts.launch > 0.5 * parts.time {
        return Some(Bound::Launch);
    }
    components(parts).binding().map(Bound::from)
}

fn components(parts: &Parts) -> Components {
    Components::of_times(&[
        (Component::Fp, parts.tensor),
        (Component::L2, parts.l2),
        (Component::Dram, parts.dram),
    ])
}

fn cautions(q: &Question<'_>, ends: &BothEnds) -> Vec<Caution> {
    let mut all = q.cautions(true);
    all.retain(|c| !matches!(c, Caution::AtomicsNotModelled | Caution::SourceModelled));
    if ends.timed.is_none() {
        all.push(Caution::NoMeasurement);
    }
    all
}

fn factors(q: &Question<'_>, ends: &BothEnds) -> Vec<Factor> {
    let mut all = Vec::with_capacity(7);
    if let Some(t) = q.source_time.as_ref().filter(|_| ends.timed.is_some()) {
        let from = Provenance::Stated(t.kind.origin(), t.source.clone());
        all.push(Factor::shared("source time", Amount::Time(t.time), from));
    }
    let [source, target] = &ends.parts;
    for (name, of, rule) in PARTS {
        let [source, target] = [of(source), of(target)].map(|t| Amount::Time(Seconds(t)));
        all.push(Factor::computed(name, source, target, rule));
    }
    let rule = Provenance::Modelled("(measured / modelled on the source)^0.4");
    all.push(Factor::of_target("kept of the source", Amount::Times(ends.answer.kept), rule));
    all
}

/// A part of a modelled time: its name, how it is read, how it is made.
type Part = (&'static str, fn(&Parts) -> f64, &'static str);

const PARTS: [Part; 5] = [
    ("graph launches", |p| p.launch, "nodes x (1.53 µs + 2550 clocks)"),
    ("tensor", |p| p.tensor, "best tile and split, whole waves, power-limited clock"),
    ("L2", |p| p.l2, "operands and result over L2's rate"),
    ("DRAM", |p| p.dram, "what L2 does not keep over DRAM's rate"),
    ("modelled time", |p| p.time, "launches + p-norm of tensor, L2, DRAM"),
];

/// The prediction taken apart; `None` where the operators' model has nothing to say.
pub(in crate::predict) fn operator_explanation(q: &Question<'_>, model: &'static str) -> Option<Explanation> {
    let ends = both_ends(q, model)?.ok()?;
    let of_parts = ends.parts.map(|p| components(&p));
    Some(Explanation {
        chain: chain(&ends),
        components: of_parts,
        next: of_parts.map(|c| next_of(&c)),
        floors: ends.parts.map(|p| Floor { time: Seconds(p.launch), origin: Origin::Derived }),
        elasticities: elasticities(q, &ends),
        beside: None,
        measure: to_measure(q, &ends),
    })
}

fn next_of(components: &Components) -> Option<NextCeiling> {
    let ranked = components.ranked();
    let [(binding, first), (next, second)] = [ranked[0], ranked[1]];
    (second.0 > 0.0).then(|| NextCeiling { binding, next, away: first / second })
}

fn chain(ends: &BothEnds) -> Chain {
    let [source, target] = ends.parts.map(|p| p.time);
    let Some(timed) = ends.timed else {
        let (component, longest) = components(&ends.parts[1]).ranked()[0];
        let step = Step { cause: Cause::OtherComponents, factor: target / longest.0, time: ends.answer.time };
        return Chain { begin: Begin::Binding(component), from: longest, steps: vec![step] };
    };
    let ratio = target / source;
    let modelled = Step {
        cause: Cause::OperatorModel([source, target].map(Seconds)),
        factor: ratio,
        time: Seconds(timed * ratio),
    };
    let kept = ends.answer.time.0 / modelled.time.0;
    let drawn = Step { cause: Cause::SourceKept(timed / source), factor: kept, time: ends.answer.time };
    Chain { begin: Begin::SourceTime, from: Seconds(timed), steps: vec![modelled, drawn] }
}

fn elasticities(q: &Question<'_>, ends: &BothEnds) -> Vec<Elasticity> {
    let Some(hardware) = Hardware::of(q.target.gpu, ends.operator.types) else { return Vec::new() };
    let with = |spec, factor| {
        let parts = parts_on(&hardware.scaled(spec, factor), &ends.operator, &q.work)?;
        Some(parts.time / ends.parts[1].time)
    };
    let machine = crate::roofline::machine_of(q.target.gpu, q.kernel);
    let of_spec = |spec: Spec| {
        let value = with(spec, NUDGE)?.ln() / NUDGE.ln();
        Some(Elasticity { spec, value, number: machine.get(spec), ten_percent: with(spec, TENTH)? })
    };
    let mut all: Vec<Elasticity> =
        TAKEN.into_iter().filter_map(of_spec).filter(|e| e.value.abs() >= LEAST_ELASTICITY).collect();
    all.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    all
}

fn to_measure(q: &Question<'_>, ends: &BothEnds) -> Vec<String> {
    let (source, target) = (&q.source.gpu.id, &q.target.gpu.id);
    let mut all = Vec::new();
    if ends.timed.is_none() {
        all.push(format!("this operator on {source}: without any time the model alone answers"));
    }
    all.push(format!("a few other sizes on {target}: its own rows correct every other prediction there"));
    all
}
