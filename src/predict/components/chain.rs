//! From the source's time to the predicted one, one factor after another: their product is the prediction, exactly.
//!
//! Between the two bodies stand roof_t/roof_s, what is kept of the efficiency, and the time above the roof, which goes
//! with other rates. roof_t/roof_s is told number by number: the share of one number of the GPU is what changing it from the source's to
//! the target's does to ln roof, averaged over every order in which the numbers can be changed (Shapley 1953), so that no
//! order is preferred and the shares add up. 2^11 roofs, worked out only where somebody asks.

use super::Answered;
use super::sides::QuestionSides;
use super::transfer::LaunchRoof;
use crate::pair::{Pair, Side};
use crate::predict::breakdown::{Cause, FirstTime};
use crate::predict::floor::capped_floor;
use crate::roofline::{Component, MachineNumbers, Spec};
use crate::units::Seconds;

/// Numbers that move the roof by less are told together.
const LEAST_SHARE: f64 = 0.01;

/// Latency that stretches a roof by less is told with them.
pub(super) const LEAST_LATENCY: f64 = 1.01;

/// Two factors that take the time so many times down and up again are told as one.
const UNDOES: f64 = 2.0;

/// The first time of a prediction, and every factor; `timed`: what is said of a time on the source.
pub(super) fn product(
    sides: &QuestionSides,
    a: &Answered,
    timed: FirstTime,
) -> (FirstTime, Seconds, Vec<(Cause, f64)>) {
    let mut links = Links::default();
    let (start, from) = match (a.start.body, sides.timed) {
        (Some(_), Some(time)) if a.same => {
            links.to(Cause::SameGpu, time, a.time.0);
            return (timed, Seconds(time), links.0);
        }
        (Some(body), Some(time)) => {
            links.to(Cause::FloorOff(sides.floors.source.time, sides.floors.source.origin), time, body);
            across(sides, a, body, &mut links);
            (timed, time)
        }
        _ => {
            let (component, time) = from_binding(sides, a, &mut links);
            (FirstTime::Binding(component), time)
        }
    };
    // From the model's own body, not from the product so far: a factor that is wrong shows as a product that is.
    links.to(Cause::FloorOn(sides.floors.target.time, sides.floors.target.origin), a.body, a.time.0);
    (start, Seconds(from), links.0)
}

/// Whether the launch is most of this side's time.
pub(super) fn is_limited_by_launch(sides: &QuestionSides, answered: &Answered, side: Side) -> bool {
    let floors = sides.floors.map(|floor| floor.time.0);
    let launching = sides.launching;
    match side {
        Side::Source => sides.on_source.is_some_and(|time| launching.is_limit(floors.source, time)),
        Side::Target => {
            launching.is_limit(capped_floor(sides.timed, floors.source, floors.target), answered.time.0)
        }
    }
}

/// From body to body: the roofs, then what is kept of the source's efficiency, then the time above the roof.
fn across(sides: &QuestionSides, a: &Answered, body: f64, links: &mut Links) {
    if a.carried.everything <= 0.0 {
        return links.to(Cause::AboveRoof, body, a.body);
    }
    roofs_across(sides, links);
    let c = a.carried;
    let both = Pair::new(c.source_efficiency, c.efficiency);
    let is_launch = is_limited_by_launch(sides, a, Side::Source);
    let kept = if is_launch { Cause::EfficiencyBesideLaunch(both) } else { Cause::Efficiency(both) };
    let [of_efficiency, of_rest] = [c.efficiency / c.source_efficiency, c.unheld / c.everything];
    let held = c.body / c.unheld;
    // An efficiency that is given up and comes back, as far above a roof that explains next to nothing, is told as one.
    if undo_each_other(of_efficiency, held) {
        return links.push(Cause::RateLimit, of_efficiency * of_rest * held);
    }
    if c.above > 0.0 && undo_each_other(of_efficiency, of_rest) {
        links.push(Cause::AboveRoof, of_efficiency * of_rest);
    } else {
        links.push(kept, of_efficiency);
        if of_rest != 1.0 {
            links.push(Cause::AboveRoof, of_rest);
        }
    }
    if held != 1.0 {
        links.push(Cause::RateLimit, held);
    }
}

/// Whether the second factor takes back what the first gave up.
fn undo_each_other(first: f64, second: f64) -> bool {
    first < 1.0 / UNDOES && second > UNDOES
}

/// roof_t/roof_s, number by number.
fn roofs_across(sides: &QuestionSides, links: &mut Links) {
    let reuse = sides.launching.reuse();
    let machines = Side::ALL.map(|side| sides.filled(side));
    let mut numbers = shares(&machines, |machine| machine.components(&sides.work, reuse).roof());
    numbers.sort_by(|x, y| y.1.abs().total_cmp(&x.1.abs()));
    let shown = numbers.iter().filter(|(_, ln)| ln.abs() >= LEAST_SHARE).count();
    for (spec, ln) in &numbers[..shown] {
        links.push(Cause::Number(*spec, machines.map(|machine| machine.spec_value(*spec))), ln.exp());
    }
    let latencies = sides.roofs.map(|roof| roof.latency);
    let latency = latencies.target / latencies.source;
    let stretches = latencies.iter().any(|l| *l >= LEAST_LATENCY);
    let told_together = numbers.len() - shown + usize::from(!stretches && latency != 1.0);
    if told_together > 0 {
        let rest: f64 = numbers[shown..].iter().map(|(_, ln)| ln).sum();
        links.push(Cause::OtherNumbers(told_together), rest.exp() * if stretches { 1.0 } else { latency });
    }
    if stretches {
        links.push(Cause::ExposedLatency(latencies), latency);
    }
    let tails = sides.roofs.map(|roof| roof.tail);
    if tails.iter().any(|t| *t > 1.0) {
        links.push(Cause::LastWave(tails), tails.target / tails.source);
    }
}

/// Without a time on the source: from the binding component of the target to its body.
fn from_binding(sides: &QuestionSides, a: &Answered, links: &mut Links) -> (Component, f64) {
    let (component, longest) = sides.components.target.ranked()[0];
    let LaunchRoof { tail, latency, .. } = sides.roofs.target;
    let stretches = latency >= LEAST_LATENCY;
    let told_apart = if stretches { latency } else { 1.0 };
    let power = sides.components.target.power_stretch();
    links.push(Cause::OtherComponents, a.roofs.target / tail / told_apart / power / longest.0);
    if power > 1.0 {
        links.push(Cause::PowerLimit, power);
    }
    if stretches {
        links.push(Cause::ExposedLatency(Pair::new(1.0, latency)), latency);
    }
    if tail > 1.0 {
        links.push(Cause::LastWave(Pair::new(1.0, tail)), tail);
    }
    links.push(Cause::UsualEfficiency(a.carried.efficiency), a.carried.efficiency);
    links.to(Cause::AboveRoof, a.carried.everything, a.body);
    (component, longest.0)
}

/// What each number that differs does to ln roof: its Shapley value; the values add up to ln(roof_t/roof_s).
fn shares(machines: &Pair<MachineNumbers>, roof: impl Fn(&MachineNumbers) -> f64) -> Vec<(Spec, f64)> {
    let Pair { source, target } = machines;
    let differ: Vec<Spec> = Spec::ALL.into_iter().filter(|spec| source.differs_in(*spec, target)).collect();
    let changed = |set: usize| {
        let taken = differ.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        roof(&taken.fold(*source, |machine, (_, spec)| machine.taking(*spec, target))).ln()
    };
    let values: Vec<f64> = (0..1_usize << differ.len()).map(changed).collect();
    let weights = weights(differ.len());
    let share = |i: usize| {
        let without = (0..values.len()).filter(|set| set >> i & 1 == 0);
        without.map(|set| weights[set.count_ones() as usize] * (values[set | 1 << i] - values[set])).sum()
    };
    differ.iter().enumerate().map(|(i, spec)| (*spec, share(i))).collect()
}

/// |S|! (m - |S| - 1)! / m! for every size of S: the share of orders in which exactly S comes before a number.
fn weights(m: usize) -> Vec<f64> {
    let factorial = |n: usize| (1..=n).map(|k| k as f64).product::<f64>();
    (0..m).map(|s| factorial(s) * factorial(m - s - 1) / factorial(m)).collect()
}

/// Factors while they are collected.
#[derive(Default)]
struct Links(Vec<(Cause, f64)>);

impl Links {
    fn push(&mut self, cause: Cause, factor: f64) {
        self.0.push((cause, factor));
    }

    fn to(&mut self, cause: Cause, from: f64, to: f64) {
        self.push(cause, to / from);
    }
}
