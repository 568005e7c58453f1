//! An operator's prediction taken apart: the parts of both modelled times, what is kept of the source's, what would change it.

use super::hardware::Hardware;
use super::{OperatorTimes, modelled, parts_on};
use crate::catalogue::NumberOrigin;
use crate::gpu::Gpu;
use crate::kernel::{Operator, Work};
use crate::pair::Pair;
use crate::predict::barred::barred;
use crate::predict::breakdown::{Cause, FirstTime, MadeOf, POWER_LIMIT, TakenApart};
use crate::predict::{
    Amount, Caution, Doubt, Elasticity, Explanation, Factor, Floor, NextCeiling, Prediction, Provenance,
    Question,
};
use crate::roofline::{Bound, Component, Components, MachineNumbers, Spec, machine_of};
use crate::units::Seconds;
use std::sync::Arc;

/// The numbers of a GPU that the model takes.
const TAKEN: [Spec; 7] = [
    Spec::Sms,
    Spec::Clock,
    Spec::FlopsPerClock,
    Spec::XuLanes,
    Spec::L2Bandwidth,
    Spec::DramBandwidth,
    Spec::L2Size,
];

/// Everything that the arithmetic of one prediction used.
#[derive(Debug, Clone)]
pub(in crate::predict) struct KeptOperator {
    operator: Operator,
    work: Work,
    /// Source first.
    parts: Pair<OperatorTimes>,
    /// Seconds on the source, where one was timed at some size.
    timed: Option<f64>,
    /// Time on the target.
    time: Seconds,
    /// The target.
    hardware: Hardware,
    machine: MachineNumbers,
    /// Ids of the GPUs, source first.
    gpus: Pair<String>,
    /// What is said of the time on the source.
    start: FirstTime,
    /// Whether the source has all that the operator needs.
    source_runs_it: bool,
}

/// `None` where the question is about no operator, or a GPU that is asked about states no rate for its types.
fn kept_of(q: &Question<'_>, time: Seconds) -> Option<KeptOperator> {
    let operator = q.operator?;
    let on_gpu = |gpu: &Gpu| modelled(gpu, &operator, &q.work);
    let timed = q.timed().map(|time| time.0);
    // A source that was not timed need not have what the operator runs on.
    let untimed = || Some(OperatorTimes::NONE).filter(|_| timed.is_none());
    let parts = Pair::new(on_gpu(q.source.gpu).or_else(untimed)?, on_gpu(q.target.gpu)?);
    let hardware = Hardware::from_gpu(q.target.gpu, operator.types)?;
    Some(KeptOperator {
        operator,
        work: q.work,
        parts,
        timed,
        time,
        hardware,
        machine: machine_of(q.target.gpu, q.kernel),
        gpus: Pair::new(q.source.gpu, q.target.gpu).map(|gpu| gpu.existing().id.clone()),
        start: q.source_time.as_ref().map_or(FirstTime::Roof, FirstTime::of_source),
        source_runs_it: barred(q.kernel, q.source.gpu).is_none(),
    })
}

/// The whole prediction of this time on the target, so uncertain; `None` where the operators' model has nothing to say and others have to answer.
pub(in crate::predict) fn operator_prediction(
    q: &Question<'_>,
    time: Seconds,
    doubt: Doubt,
) -> Option<Prediction> {
    let kept = kept_of(q, time)?;
    Some(Prediction {
        time,
        bound_source: bound_by(&kept.parts.source),
        bound_target: bound_by(&kept.parts.target),
        efficiency: kept.timed.map(|timed| kept.parts.source.time / timed),
        factors: factors(q, &kept),
        cautions: operator_cautions(q, &kept),
        levels: None,
        doubt: Some(doubt),
        width: None,
        adjustments: Vec::new(),
        made_of: MadeOf::Components(Arc::new(kept)),
    })
}

impl TakenApart for KeptOperator {
    fn product(&self) -> (FirstTime, Seconds, Vec<(Cause, f64)>) {
        let Pair { source, target } = self.parts.map(|p| p.time);
        let limited = self.parts.map(|p| p.power_stretch());
        let Some(timed) = self.timed else {
            let (component, longest) = components(&self.parts.target).ranked()[0];
            let start =
                if component == Component::Fp { self.parts.target.full_clock.tensor } else { longest.0 };
            let others = (Cause::OtherComponents, self.time.0 / limited.target / start);
            let steps = [others].into_iter().chain(power_step(limited.target)).collect();
            return (FirstTime::Binding(component), Seconds(start), steps);
        };
        let full_clock = self.parts.map(|p| p.time / p.power_stretch());
        let model = Cause::OperatorModel(full_clock.map(Seconds));
        let kept = self.time.0 / (timed * target / source);
        let steps = [(model, full_clock.target / full_clock.source)]
            .into_iter()
            .chain(power_step(limited.target / limited.source))
            .chain([(Cause::SourceKept(Pair::new(timed / source, self.time.0 / target)), kept)])
            .collect();
        (self.start.clone(), Seconds(timed), steps)
    }

    fn explanation(&self) -> Explanation {
        let of_parts = self.parts.map(|p| components(&p));
        Explanation {
            components: of_parts,
            next: of_parts.map(|c| next_of(&c)),
            latency: Pair::same(None),
            // The limit of the answer itself: one question has one.
            launch_limited: self.parts.map(|p| bound_by(&p) == Some(Bound::Launch)),
            floors: self.parts.map(|p| Floor { time: Seconds(p.launch), origin: NumberOrigin::Derived }),
            elasticities: self.elasticities(),
            beside: None,
            measure: self.to_measure(),
        }
    }
}

impl KeptOperator {
    /// The target's numbers that move the prediction.
    fn elasticities(&self) -> Vec<Elasticity> {
        let with = |spec, factor| {
            let parts = parts_on(&self.hardware.scaled(spec, factor), &self.operator, &self.work)?;
            Some(parts.time / self.parts.target.time)
        };
        let of_spec =
            |spec: Spec| Elasticity::new(spec, self.machine.spec_value(spec), |factor| with(spec, factor));
        // Under a lower limit more of what draws power lowers the clock.
        let is_free = |spec: Spec| matches!(spec, Spec::DramBandwidth | Spec::L2Size);
        let settable =
            TAKEN.into_iter().filter(|spec| is_free(*spec) || self.machine.is_settable(Spec::Clock));
        Elasticity::fastest_first(settable.filter_map(of_spec))
    }

    fn to_measure(&self) -> Vec<String> {
        let Pair { source, target } = &self.gpus;
        let mut all = Vec::new();
        if self.timed.is_none() {
            let on = if self.source_runs_it { source.as_str() } else { "a GPU that runs it" };
            all.push(format!(
                "this operator on {on}: the prediction rests on the model alone, on no measured time"
            ));
        }
        all.push(format!("a few other sizes on {target}: its own rows correct every other prediction there"));
        all
    }
}

/// What a power limit makes of a time, where it does anything.
fn power_step(stretch: f64) -> Option<(Cause, f64)> {
    (stretch != 1.0).then_some((Cause::PowerLimit, stretch))
}

/// What limits an operator of these parts.
pub(in crate::predict) fn bound_by(parts: &OperatorTimes) -> Option<Bound> {
    if parts.launch > 0.5 * parts.time {
        return Some(Bound::Launch);
    }
    components(parts).binding().map(Bound::from)
}

fn components(parts: &OperatorTimes) -> Components {
    Components::of_times(&[
        (Component::Fp, parts.tensor),
        (Component::L2, parts.l2),
        (Component::Dram, parts.dram),
    ])
}

fn operator_cautions(q: &Question<'_>, kept: &KeptOperator) -> Vec<Caution> {
    let mut all = q.question_cautions(true);
    all.retain(|c| !matches!(c, Caution::AtomicsNotModelled | Caution::SourceModelled));
    if kept.timed.is_none() {
        all.push(Caution::NoMeasuredOperator);
    }
    all
}

fn factors(q: &Question<'_>, kept: &KeptOperator) -> Vec<Factor> {
    let mut all = Vec::with_capacity(7);
    if let Some(t) = q.source_time.as_ref().filter(|_| kept.timed.is_some()) {
        let from = Provenance::Stated(t.kind.origin(), t.source.clone());
        all.push(Factor::shared("source time", Amount::Time(t.time), from));
    }
    let Pair { source, target } = &kept.parts;
    let computed = |name, amounts: [Amount; 2], rule| {
        let [on_source, on_target] = amounts;
        if *source == OperatorTimes::NONE {
            Factor::of_target(name, on_target, Provenance::Modelled(rule))
        } else {
            Factor::computed(name, on_source, on_target, rule)
        }
    };
    let has_softmax = target.softmax > 0.0;
    for (name, of, rule) in PARTS.into_iter().filter(|(name, ..)| *name != SOFTMAX || has_softmax) {
        all.push(computed(name, [of(source), of(target)].map(|t| Amount::Time(Seconds(t))), rule));
    }
    let stretch = [source, target].map(OperatorTimes::power_stretch);
    if stretch.iter().any(|s| *s > 1.0) {
        let rule = "modelled time over that at full clock: what the limit leaves busy tensor cores";
        all.push(computed(POWER_LIMIT, stretch.map(Amount::Times), rule));
    }
    if kept.timed.is_some() {
        let rule =
            Provenance::Modelled("(measured / modelled on the source)^0.4; all of it on GPUs that are alike");
        let of_source = kept.time.0 / kept.parts.target.time;
        all.push(Factor::of_target("source correction", Amount::Times(of_source), rule));
    }
    all
}

/// A part of a modelled time: its name, how it is read, how it is made.
type OperatorPart = (&'static str, fn(&OperatorTimes) -> f64, &'static str);

const SOFTMAX: &str = "softmax";

const PARTS: [OperatorPart; 6] = [
    ("graph launches", |p| p.launch, "1.34 µs + 2240 clocks; further kernels of a graph cost less"),
    ("tensor", |p| p.tensor, "whole waves of tiles; of a product the best tile, at the power-limited clock"),
    (SOFTMAX, |p| p.softmax, "of the line above: what tensor cores wait for it"),
    ("L2", |p| p.l2, "operands and result over L2's rate"),
    ("DRAM", |p| p.dram, "what L2 does not keep over DRAM's rate"),
    (
        "modelled time",
        |p| p.time,
        "launches + p-norm of tensor and the longer of L2 and DRAM; of prefill, of all three",
    ),
];

fn next_of(components: &Components) -> Option<NextCeiling> {
    let ranked = components.ranked();
    let [(binding, first), (next, second)] = [ranked[0], ranked[1]];
    (second.0 > 0.0).then(|| NextCeiling { binding, next, away: first / second })
}
