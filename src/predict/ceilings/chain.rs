//! From the source's time to the predicted one, one factor after another: their product is the prediction, exactly.
//!
//! Between the two bodies stand roof_t/roof_s, what is kept of the efficiency, and how far the SM side alone is believed to be
//! slow. roof_t/roof_s is told number by number: the share of one number of the GPU is what changing it from the source's to
//! the target's does to ln roof, averaged over every order in which the numbers can be changed (Shapley 1953), so that no
//! order is preferred and the shares add up. 2^10 roofs, worked out only where somebody asks.

use super::sides::Sides;
use super::{Answered, lite};
use crate::predict::breakdown::{Cause, Start};
use crate::roofline::{Component, Machine, Spec, joined};
use crate::units::Seconds;

/// Numbers that move the roof by less are told together.
const LEAST_SHARE: f64 = 0.01;

/// The first time of a prediction of this family, and every factor; `timed`: what is said of a time on the source.
pub(super) fn product(sides: &Sides, a: &Answered, timed: Start) -> (Start, Seconds, Vec<(Cause, f64)>) {
    let mut links = Links::default();
    let (start, from) = match (a.start.body, sides.timed) {
        (Some(body), Some(time)) => {
            links.to(Cause::FloorOff(sides.floors[0].time, sides.floors[0].origin), time, body);
            across(sides, a, body, &mut links);
            (timed, time)
        }
        _ => {
            let (component, time) = from_binding(sides, a, &mut links);
            (Start::Binding(component), time)
        }
    };
    // From the model's own body, not from the product so far: a factor that is wrong shows as a product that is.
    links.to(Cause::FloorOn(sides.floors[1].time, sides.floors[1].origin), a.body, a.time.0);
    (start, Seconds(from), links.0)
}

/// From body to body: the roofs, then what is kept of the source's efficiency.
fn across(sides: &Sides, a: &Answered, body: f64, links: &mut Links) {
    let tails = if a.lite { [1.0; 2] } else { [0, 1].map(|at| sides.roofs[at].tail) };
    let ratio = a.roofs[1] / a.roofs[0];
    let roof = |machine: &Machine| {
        if a.lite {
            return lite::roof(machine, &sides.work);
        }
        let [memory, sm] = machine.components(&sides.work).sides();
        joined(memory, sm)
    };
    let mut numbers = shares(&sides.machines, roof);
    numbers.sort_by(|x, y| y.1.abs().total_cmp(&x.1.abs()));
    let told = numbers.iter().filter(|(_, ln)| ln.abs() >= LEAST_SHARE).count();
    for (spec, ln) in &numbers[..told] {
        links.push(Cause::Number(*spec, [0, 1].map(|at| sides.machines[at].get(*spec))), ln.exp());
    }
    if told < numbers.len() {
        let rest: f64 = numbers[told..].iter().map(|(_, ln)| ln).sum();
        links.push(Cause::OtherNumbers(numbers.len() - told), rest.exp());
    }
    if tails.iter().any(|t| *t > 1.0) {
        links.push(Cause::LastWave(tails), tails[1] / tails[0]);
    }
    match a.carried {
        Some(c) => {
            links.push(
                Cause::Efficiency([c.source_efficiency, c.efficiency]),
                c.efficiency / c.source_efficiency,
            );
            if c.belief > 0.0 {
                links.push(Cause::SmSide(c.belief), c.body() / c.everything);
            }
        }
        None => links.push(Cause::AboveRoof, a.body / (body * ratio)),
    }
}

/// Without a time on the source: from the binding component of the target to its body.
fn from_binding(sides: &Sides, a: &Answered, links: &mut Links) -> (Component, f64) {
    let all = sides.components[1];
    let (component, longest) = if a.lite { all.only(Component::LITE) } else { all }.ranked()[0];
    let tail = if a.lite { 1.0 } else { sides.roofs[1].tail };
    links.push(Cause::OtherComponents, a.roofs[1] / tail / longest.0);
    if tail > 1.0 {
        links.push(Cause::LastWave([1.0, tail]), tail);
    }
    let usual = a.carried.map_or(super::USUAL, |c| c.efficiency);
    links.push(Cause::UsualEfficiency(usual), usual);
    if let Some(c) = a.carried.filter(|c| c.belief > 0.0) {
        links.push(Cause::SmSide(c.belief), c.body() / c.everything);
    }
    (component, longest.0)
}

/// What each number that differs does to ln roof: its Shapley value; the values add up to ln(roof_t/roof_s).
fn shares(machines: &[Machine; 2], roof: impl Fn(&Machine) -> f64) -> Vec<(Spec, f64)> {
    let [source, target] = machines;
    let differ: Vec<Spec> =
        Spec::ALL.into_iter().filter(|s| source.get(*s).to_bits() != target.get(*s).to_bits()).collect();
    let changed = |set: usize| {
        let taken = differ.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1);
        roof(&taken.fold(*source, |machine, (_, spec)| machine.with(*spec, target.get(*spec)))).ln()
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
