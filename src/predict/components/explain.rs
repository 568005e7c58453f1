//! Why a prediction of `components` is what it is: factor by factor, every component, what binds, what is next, which numbers
//! move it.

use super::chain::{LEAST_LATENCY, is_limited_by_launch, product};
use super::sides::QuestionSides;
use super::wave_shape::launch_limit;
use super::{Answered, answer_cautions, answered, missing};
use crate::catalogue::NumberOrigin;
use crate::kernel::Count;
use crate::pair::{Pair, Side};
use crate::predict::breakdown::{Cause, FirstTime, MadeOf, POWER_LIMIT, TakenApart};
use crate::predict::component_times::{Elasticity, Explanation, NUDGE, NextCeiling};
use crate::predict::{Amount, Doubt, Factor, Floor, Prediction, Provenance, Question};
use crate::roofline::{Bound, Component, Components, Spec};
use crate::units::Seconds;
use std::sync::Arc;

/// Everything that the arithmetic of one prediction used.
#[derive(Debug, Clone)]
struct UsedArithmetic {
    sides: QuestionSides,
    answered: Answered,
    /// The counts behind components that nobody made.
    missing: Vec<Count>,
    /// Ids of the GPUs that exist, source first: those can be measured.
    gpus: Pair<String>,
    /// What is said of the time on the source.
    timed: FirstTime,
    /// Whether that is scaled from another size.
    is_scaled: bool,
}

/// Everything a prediction shows; it keeps what it was made of.
pub(super) fn prediction(
    q: &Question<'_>,
    sides: QuestionSides,
    answered: Answered,
    doubt: Doubt,
) -> Prediction {
    let bound = |side: Side| {
        let of_roof = || launch_limit(&sides.components[side], &sides.roofs[side]);
        if is_limited_by_launch(&sides, &answered, side) { Some(Bound::Launch) } else { of_roof() }
    };
    Prediction {
        time: answered.time,
        bound_source: bound(Side::Source),
        bound_target: bound(Side::Target),
        efficiency: answered.start.body.map(|body| answered.roofs.source / body).filter(|e| *e > 0.0),
        factors: factors(q, &sides, &answered),
        cautions: answer_cautions(q, &answered),
        levels: None,
        doubt: Some(doubt),
        width: None,
        adjustments: Vec::new(),
        made_of: MadeOf::Components(Arc::new(UsedArithmetic::of_question(q, sides, answered))),
    }
}

impl TakenApart for UsedArithmetic {
    fn product(&self) -> (FirstTime, Seconds, Vec<(Cause, f64)>) {
        product(&self.sides, &self.answered, self.timed.clone())
    }

    fn explanation(&self) -> Explanation {
        self.explanation_of_sides()
    }
}

impl UsedArithmetic {
    fn of_question(q: &Question<'_>, sides: QuestionSides, answered: Answered) -> Self {
        let time = q.source_time.as_ref();
        let scale = time.and_then(|t| t.extrapolation);
        Self {
            sides,
            answered,
            missing: missing(&q.work),
            gpus: Pair::new(q.source.gpu, q.target.gpu).map(|gpu| gpu.existing().id.clone()),
            timed: time.map_or(FirstTime::Roof, FirstTime::of_source),
            is_scaled: scale.is_some_and(|scale| (scale - 1.0).abs() > 1e-9),
        }
    }

    fn explanation_of_sides(&self) -> Explanation {
        let (sides, base) = (&self.sides, &self.answered);
        Explanation {
            components: sides.components,
            next: sides.components.map(|c| next(&c)),
            latency: sides.roofs.map(|roof| Some(roof.latency).filter(|_| roof.latency_binds)),
            launch_limited: Side::ALL.map(|side| is_limited_by_launch(sides, base, side)),
            floors: sides.floors,
            elasticities: elasticities(sides, base),
            beside: None,
            measure: self.to_measure(),
        }
    }

    /// What would tell more about this kernel, most useful first.
    fn to_measure(&self) -> Vec<String> {
        let Self { sides, answered, gpus: Pair { source, target }, .. } = self;
        let mut all = Vec::new();
        let is_timed = answered.start.body.is_some();
        if !is_timed {
            all.push(format!("this kernel on {source}: without a time its efficiency is the typical one"));
        } else if answered.start.own < 0.5 {
            all.push(format!("a larger size on {source}: the time of this one is mostly launch overhead"));
        }
        let names: Vec<&str> = self.missing.iter().map(|count| count.name()).collect();
        if is_timed && !names.is_empty() {
            all.push(format!("counters on {source} (ncu): {}", names.join(", ")));
        }
        if self.is_scaled {
            all.push(format!("this very size on {source}: its time is scaled from another"));
        }
        let floor_counts = answered.time.0 < 3.0 * sides.floors.target.time.0;
        if floor_counts && sides.floors.target.origin == NumberOrigin::Assumed {
            all.push(format!("an empty launch on {target}'s host (launch overhead assumed)"));
        }
        all.push(format!(
            "a few other kernels on {target}: its own rows correct every other prediction there"
        ));
        all
    }
}

/// The target's numbers that move the prediction.
fn elasticities(sides: &QuestionSides, base: &Answered) -> Vec<Elasticity> {
    // The very GPU that was timed gives its own time; what one number does to it is asked of the model.
    let unnudged = answered(&sides.with_target_nudged(Spec::Clock, 1.0)).ok().map(|a| a.time);
    let times = |spec: Spec, factor: f64| {
        let nudged = answered(&sides.with_target_nudged(spec, factor)).ok()?;
        Some(nudged.time / unnudged.unwrap_or(base.time))
    };
    let machine = &sides.machines.target;
    let of = |spec: Spec| Elasticity::new(spec, machine.spec_value(spec), |factor| times(spec, factor));
    // The time above a roof goes with all rates of an SM, those too whose work the kernel has no count of.
    let is_used = |spec: &Spec| {
        let nudged = sides.with_target_nudged(*spec, NUDGE).components.target;
        let moves = |c: &Component| nudged.component_time(*c) != sides.components.target.component_time(*c);
        matches!(spec, Spec::Sms | Spec::Clock) || Component::ALL.iter().any(moves)
    };
    let used = Spec::ALL.into_iter().filter(|spec| machine.is_settable(*spec) && is_used(spec));
    Elasticity::fastest_first(used.filter_map(of))
}

fn next(components: &Components) -> Option<NextCeiling> {
    let ranked = components.ranked();
    let [(binding, first), (next, second)] = [ranked[0], ranked[1]];
    (second.0 > 0.0).then(|| NextCeiling { binding, next, away: first / second })
}

/// Whose the launch floor is, and of what.
fn floor_from(floor: Floor) -> Provenance {
    let of = match floor.origin {
        NumberOrigin::Measured => "shortest that several kernels reach on that host",
        NumberOrigin::Published => "a launch, as the GPU's file states it for that host",
        NumberOrigin::Derived => "launches on other GPUs",
        NumberOrigin::Assumed => "launches on other hosts, or set; none measured there",
    };
    Provenance::Stated(floor.origin, of.into())
}

/// Where the count that keeps a component busy comes from.
fn count_from(q: &Question<'_>, component: Component) -> Provenance {
    if component == Component::L2 && q.work.get(Count::L2Bytes).is_none() {
        return Provenance::Modelled("DRAM bytes used: L2 bytes not counted");
    }
    if component == Component::Dram && q.work.get(Count::DramBytes).is_none() {
        return Provenance::Modelled("L2 bytes used, as far as they fit the time: DRAM bytes not counted");
    }
    let count = match component {
        Component::Atomics if q.work.get(Count::AtomicLineSectors).is_some() => Count::AtomicLineSectors,
        other => other.component_count(),
    };
    match q.counted(count) {
        Provenance::Stated(origin, source) => Provenance::Counted(origin, source),
        other => other,
    }
}

/// Every number between the two times.
fn factors(q: &Question<'_>, sides: &QuestionSides, a: &Answered) -> Vec<Factor> {
    let mut all = Vec::with_capacity(18);
    if let Some(t) = q.source_time.as_ref().filter(|_| a.start.body.is_some()) {
        let from = Provenance::Stated(t.kind.origin(), t.source.clone());
        all.push(Factor::shared("source time", Amount::Time(t.time), from));
    }
    let floors = sides.floors.map(|floor| Amount::Time(floor.time));
    all.push(Factor {
        name: "launch overhead",
        source: Some(floors.source),
        target: Some(floors.target),
        from: sides.floors.map(|floor| Some(floor_from(floor))),
    });
    let components = sides.components;
    for component in Component::ALL {
        if components.iter().any(|c| c.takes_time(component)) {
            let Pair { source, target } = components.map(|c| c.component_time(component));
            let count = count_from(q, component);
            let factor = Factor::computed(
                component.as_str(),
                Amount::Time(source),
                Amount::Time(target),
                "count / rate",
            );
            all.push(Factor { from: Pair::new(Some(count), factor.from.source.clone()), ..factor });
        }
    }
    let latencies = sides.roofs.map(|roof| roof.latency);
    if latencies.iter().any(|l| *l >= LEAST_LATENCY) {
        let Pair { source, target } = latencies.map(Amount::Times);
        let rule = "warps wait for loads and results: too few others on the SM fill the wait";
        all.push(Factor::computed("exposed latency", source, target, rule));
    }
    let Pair { source, target } = sides.roofs.map(|roof| roof.tail);
    if source > 1.0 || target > 1.0 {
        all.push(Factor::computed(
            "tail effect",
            Amount::Times(source),
            Amount::Times(target),
            "fullest SM over average SM, on the pipes of the SMs",
        ));
    }
    let stretch = components.map(|c| c.power_stretch());
    if stretch.iter().any(|s| *s > 1.0) {
        let Pair { source, target } = stretch.map(Amount::Times);
        all.push(Factor::computed(
            POWER_LIMIT,
            source,
            target,
            "sustained FP rate by watts per lane, fitted to rates: board power in watts is another fit",
        ));
    }
    if a.carried.everything > 0.0 {
        let Pair { source, target } = a.roofs.map(|r| Amount::Time(Seconds(r)));
        all.push(Factor::computed(
            "roof",
            source,
            target,
            "combined limit (p-norm of the limits, p = 10) x tail",
        ));
        let [source, target] = [a.carried.source_efficiency, a.carried.efficiency].map(Amount::Times);
        let rule = if sides.source_build.by_library {
            "time over roof, shrunk towards a library's typical 1.2"
        } else {
            "time over roof, shrunk towards the typical 1.05"
        };
        all.push(Factor::computed("time over roof", source, target, rule));
    }
    if a.carried.above > 0.0 {
        let rule = Provenance::Modelled("scales with the rates of the SMs");
        all.push(Factor::of_target("time above the roof", Amount::Time(Seconds(a.carried.above)), rule));
    }
    all
}
