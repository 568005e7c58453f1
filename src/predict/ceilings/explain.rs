//! Why a prediction of `ceilings` is what it is: factor by factor, every component, what binds, what is next, which numbers
//! move it.

use super::chain::product;
use super::sides::Sides;
use super::{Answered, answered, cautions, lite};
use crate::catalogue::Origin;
use crate::kernel::Count;
use crate::predict::breakdown::{Cause, MadeOf, Start, TakenApart};
use crate::predict::component_times::{Elasticity, Explanation, NextCeiling};
use crate::predict::{Amount, Doubt, Factor, Floor, Prediction, Provenance, Question, Refusal};
use crate::roofline::{Bound, Component, Components, Spec};
use crate::units::Seconds;
use std::sync::Arc;

/// How far a number is moved to see what it does to the time.
const NUDGE: f64 = 1.02;

/// Below this an elasticity moves nothing worth reading.
const LEAST_ELASTICITY: f64 = 0.02;

/// How much more of a number [`Elasticity::ten_percent`] asks about.
const TENTH: f64 = 1.1;

/// Everything that the arithmetic of one prediction used.
#[derive(Debug, Clone)]
struct Kept {
    sides: Sides,
    answered: Answered,
    model: Model,
    /// Ids of the GPUs, source first.
    gpus: [String; 2],
    /// What is said of the time on the source.
    timed: Start,
    /// Whether that is scaled from another size.
    is_scaled: bool,
}

/// Everything a prediction shows; it keeps what it was made of.
pub(super) fn prediction(
    q: &Question<'_>,
    sides: Sides,
    answered: Answered,
    doubt: Option<Doubt>,
    model: Model,
) -> Prediction {
    let bound = |at: usize| {
        let floor = sides.floors[at].time;
        let launch = if at == 1 {
            answered.time.0 < 1.5 * floor.0
        } else {
            sides.timed.is_some_and(|t| t < 1.5 * floor.0)
        };
        if launch { Some(Bound::Launch) } else { looked_at(&sides, &answered)[at].binding().map(Bound::from) }
    };
    Prediction {
        time: answered.time,
        bound_source: bound(0),
        bound_target: bound(1),
        efficiency: answered.start.body.map(|body| answered.roofs[0] / body),
        factors: factors(q, &sides, &answered),
        cautions: cautions(q, &answered),
        levels: None,
        doubt,
        width: None,
        adjustments: Vec::new(),
        made_of: MadeOf::Components(Arc::new(Kept::of_question(q, sides, answered, model))),
    }
}

/// How a model of this family answers.
pub(super) type Model = fn(&Sides) -> Result<Answered, Refusal>;

impl TakenApart for Kept {
    fn product(&self) -> (Start, Seconds, Vec<(Cause, f64)>) {
        product(&self.sides, &self.answered, self.timed.clone())
    }

    fn explanation(&self) -> Explanation {
        self.explanation_of_sides()
    }
}

impl Kept {
    fn of_question(q: &Question<'_>, sides: Sides, answered: Answered, model: Model) -> Self {
        let time = q.source_time.as_ref();
        let scale = time.and_then(|t| t.extrapolation);
        Self {
            sides,
            answered,
            model,
            gpus: [q.source.gpu, q.target.gpu].map(|gpu| gpu.id.clone()),
            timed: time.map_or(Start::Roof, Start::of_source),
            is_scaled: scale.is_some_and(|scale| (scale - 1.0).abs() > 1e-9),
        }
    }

    fn explanation_of_sides(&self) -> Explanation {
        let (sides, base) = (&self.sides, &self.answered);
        let components = looked_at(sides, base);
        let other = if base.lite { answered(sides) } else { lite::lite(sides, super::ID) };
        let other_id = if base.lite { super::ID } else { lite::ID };
        Explanation {
            components,
            next: components.map(|c| next(&c)),
            floors: sides.floors,
            elasticities: elasticities(sides, base, self.model),
            beside: other.ok().filter(|o| o.lite != base.lite).map(|o| (other_id, o.time)),
            measure: self.to_measure(),
        }
    }

    /// What would tell more about this kernel, most useful first.
    fn to_measure(&self) -> Vec<String> {
        let Self { sides, answered, gpus: [source, target], .. } = self;
        let mut all = Vec::new();
        if answered.start.body.is_none() {
            all.push(format!(
                "this kernel on {source}: without any time its efficiency is only the usual one"
            ));
        } else if answered.start.carried < 0.5 * super::CARRIED {
            all.push(format!("a larger size on {source}: this one sits on its launch floor and says little"));
        }
        if answered.lite {
            let counts = Component::ALL.into_iter().map(Component::count);
            let names: Vec<&str> = counts.filter(|c| sides.work.get(*c).is_none()).map(Count::name).collect();
            all.push(format!("counters (ncu on {source}): nobody counted {}", names.join(", ")));
        }
        if self.is_scaled {
            all.push(format!("this very size on {source}: its time is scaled from another"));
        }
        let floor_counts = answered.time.0 < 3.0 * sides.floors[1].time.0;
        if floor_counts && sides.floors[1].origin == Origin::Assumed {
            all.push(format!("an empty launch on {target}'s host: its floor is assumed"));
        }
        all.push(format!(
            "a few other kernels on {target}: its own rows correct every other prediction there"
        ));
        all
    }
}

/// The components an answer looked at.
fn looked_at(sides: &Sides, a: &Answered) -> [Components; 2] {
    if a.lite { sides.components.map(|c| c.only(Component::LITE)) } else { sides.components }
}

/// The target's numbers that move the prediction, strongest first.
fn elasticities(sides: &Sides, base: &Answered, model: Model) -> Vec<Elasticity> {
    let times = |spec: Spec, factor: f64| {
        let nudged = model(&sides.with_target_nudged(spec, factor)).ok()?;
        Some(nudged.time / base.time)
    };
    let of = |spec: Spec| {
        let value = times(spec, NUDGE)?.ln() / NUDGE.ln();
        Some(Elasticity {
            spec,
            value,
            number: sides.machines[1].get(spec),
            ten_percent: times(spec, TENTH)?,
        })
    };
    let mut all: Vec<Elasticity> =
        Spec::ALL.into_iter().filter_map(of).filter(|e| e.value.abs() >= LEAST_ELASTICITY).collect();
    all.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    all
}

fn next(components: &Components) -> Option<NextCeiling> {
    let ranked = components.ranked();
    let [(binding, first), (next, second)] = [ranked[0], ranked[1]];
    (second.0 > 0.0).then(|| NextCeiling { binding, next, away: first / second })
}

/// Whose the launch floor is, and of what.
fn floor_from(floor: Floor) -> Provenance {
    let of = match floor.origin {
        Origin::Measured => "the shortest launch timed there",
        Origin::Published => "a launch on this GPU",
        Origin::Derived => "launches on other GPUs",
        Origin::Assumed => "launches of other hosts; none was timed there",
    };
    Provenance::Stated(floor.origin, of.into())
}

/// Where the count that keeps a component busy comes from.
fn count_from(q: &Question<'_>, component: Component) -> Provenance {
    if component == Component::L2 && q.work.get(Count::L2Bytes).is_none() {
        return Provenance::Modelled("DRAM bytes stand in: nobody counted those through L2");
    }
    match q.counted(component.count()) {
        Provenance::Stated(origin, source) => Provenance::Counted(origin, source),
        other => other,
    }
}

/// Every number between the two times.
fn factors(q: &Question<'_>, sides: &Sides, a: &Answered) -> Vec<Factor> {
    let mut all = Vec::with_capacity(18);
    if let Some(t) = q.source_time.as_ref().filter(|_| a.start.body.is_some()) {
        let from = Provenance::Stated(t.kind.origin(), t.source.clone());
        all.push(Factor::shared("source time", Amount::Time(t.time), from));
    }
    let floor = |at: usize| {
        let f = sides.floors[at];
        (Amount::Time(f.time), floor_from(f))
    };
    let [(source, source_from), (target, target_from)] = [floor(0), floor(1)];
    all.push(Factor {
        name: "launch floor",
        source: Some(source),
        target: Some(target),
        from: [Some(source_from), Some(target_from)],
    });
    let components = looked_at(sides, a);
    for component in Component::ALL {
        let [source, target] = components.map(|c| c.get(component));
        if source.0 > 0.0 || target.0 > 0.0 {
            let count = count_from(q, component);
            let factor = Factor::computed(
                component.word(),
                Amount::Time(source),
                Amount::Time(target),
                "count / rate",
            );
            all.push(Factor { from: [Some(count), factor.from[0].clone()], ..factor });
        }
    }
    let [source, target] = [0, 1].map(|at| sides.roofs[at].tail);
    if source > 1.0 || target > 1.0 {
        all.push(Factor::computed(
            "last wave",
            Amount::Times(source),
            Amount::Times(target),
            "ceil(waves) / waves, at most 1.6",
        ));
    }
    let [source, target] = a.roofs.map(|r| Amount::Time(Seconds(r)));
    let rule = if a.lite { "max(memory, FP)" } else { "4-norm of the components x last wave" };
    all.push(Factor::computed("roof", source, target, rule));
    if let Some(carried) = a.carried {
        let [source, target] = [carried.source_efficiency, carried.efficiency].map(Amount::Times);
        let rule = "body / roof, drawn to 1.1";
        all.push(Factor::computed("above the roof", source, target, rule));
        let modelled = Provenance::Modelled;
        all.push(Factor::of_target(
            "if all is as slow",
            Amount::Time(Seconds(carried.everything)),
            modelled("roof x above"),
        ));
        all.push(Factor::of_target(
            "if only the SMs are",
            Amount::Time(Seconds(carried.sm_only)),
            modelled("SM side slowed"),
        ));
        let rule = modelled("1 / (1 + ln² of how slow the SMs would be)");
        all.push(Factor::of_target("belief in the second", Amount::Ratio(carried.belief), rule));
    }
    all
}
