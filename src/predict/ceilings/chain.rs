//! From the source's time to the predicted one, one factor after another: their product is the prediction, exactly.
//!
//! Between the two bodies stand roof_t/roof_s, what is kept of the efficiency, and the time above the roof, which goes
//! with other rates. roof_t/roof_s is told number by number: the share of one number of the GPU is what changing it from the source's to
//! the target's does to ln roof, averaged over every order in which the numbers can be changed (Shapley 1953), so that no
//! order is preferred and the shares add up. 2^11 roofs, worked out only where somebody asks.

use super::sides::Sides;
use super::Answered;
use crate::catalogue::Origin;
use crate::predict::{Amount, Question};
use crate::roofline::{Component, Machine, Spec};
use crate::units::{Bytes, BytesPerSecond, Hertz, Seconds, significant};
use std::fmt;

/// Numbers that move the roof by less are told together.
const LEAST_SHARE: f64 = 0.01;

/// Where a chain begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Begin {
    /// The time on the source, timed or scaled from a timed size.
    SourceTime,
    /// Nobody timed the kernel there: the time of the component that binds on the target.
    Binding(Component),
}

/// Why the time changes at one link of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cause {
    /// The launch is taken off: what is left is the kernel's body.
    FloorOff(Seconds, Origin),
    /// One number of the GPU: source, target.
    Number(Spec, [f64; 2]),
    /// So many numbers that move it by less than 1 % each.
    OtherNumbers(usize),
    /// The components beside the binding one.
    OtherComponents,
    /// A last wave that is not full stretches the roof: source, target.
    LastWave([f64; 2]),
    /// Measured over roof: of the source, and as far as it is believed on the target.
    Efficiency([f64; 2]),
    /// Nobody timed it: the usual measured over roof.
    UsualEfficiency(f64),
    /// The time above the roof goes with the rates of the SMs, and not with the roof.
    AboveRoof,
    /// The very GPU that was timed: nothing changes.
    SameGpu,
    /// The launch is added again.
    FloorOn(Seconds, Origin),
    /// What so many pairs of so many other GPUs taught about this model's errors.
    Residual(usize, usize),
}

/// One link of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Why.
    pub cause: Cause,
    /// What the time is multiplied by.
    pub factor: f64,
    /// The time after it.
    pub time: Seconds,
}

/// A prediction as a product.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// What the first time is.
    pub begin: Begin,
    /// The first time.
    pub from: Seconds,
    /// Every factor, in order; the last time is the prediction.
    pub steps: Vec<Step>,
}

impl Cause {
    /// What changes, in a few words.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            Self::FloorOff(..) => "launch floor off",
            Self::Number(spec, _) => spec.word(),
            Self::OtherNumbers(_) => "other numbers",
            Self::OtherComponents => "other components",
            Self::LastWave(_) => "last wave",
            Self::Efficiency(_) => "efficiency kept",
            Self::UsualEfficiency(_) => "usual efficiency",
            Self::AboveRoof => "time above the roof",
            Self::SameGpu => "same GPU",
            Self::FloorOn(..) => "launch floor on",
            Self::Residual(..) => "learned residual",
        }
    }

    /// The numbers behind it, source first.
    #[must_use]
    pub fn numbers(&self) -> [Option<Amount>; 2] {
        match *self {
            Self::FloorOff(floor, _) => [Some(Amount::Time(floor)), None],
            Self::FloorOn(floor, _) => [None, Some(Amount::Time(floor))],
            Self::Number(spec, both) => both.map(|v| Some(amount(spec, v))),
            Self::LastWave(both) => both.map(|v| Some(Amount::Times(v))),
            Self::Efficiency(both) => both.map(|v| Some(Amount::Ratio(v))),
            Self::UsualEfficiency(v) => [None, Some(Amount::Ratio(v))],
            Self::OtherNumbers(_)
            | Self::OtherComponents
            | Self::AboveRoof
            | Self::SameGpu
            | Self::Residual(..) => [None, None],
        }
    }
}

/// What stands behind it: `80 → 46`, `3.61 µs, the shortest launch timed`.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let floor = |origin: Origin| match origin {
            Origin::Measured => "the shortest launch timed",
            Origin::Published => "published",
            Origin::Derived => "derived: launches elsewhere",
            Origin::Assumed => "assumed: none was timed here",
        };
        match *self {
            Self::FloorOff(time, origin) | Self::FloorOn(time, origin) => {
                write!(f, "{time}, {}", floor(origin))
            }
            Self::Number(spec, [source, target]) => {
                write!(f, "{} → {}", in_words(spec, source), in_words(spec, target))
            }
            Self::OtherNumbers(n) => write!(f, "{n} more, under 1 % each"),
            Self::OtherComponents => f.write_str("their 6-norm: not wholly overlapped; and the power limit"),
            Self::LastWave([1.0, target]) => write!(f, "roof × {}", significant(target)),
            Self::LastWave([source, target]) => {
                write!(f, "roof × {} → × {}", significant(source), significant(target))
            }
            Self::Efficiency([source, target]) => {
                write!(f, "measured over roof {} → {}", significant(source), significant(target))
            }
            Self::UsualEfficiency(_) => f.write_str("of the kernels that were timed"),
            Self::AboveRoof => f.write_str("goes with the rates of the SMs, not with the roof"),
            Self::SameGpu => f.write_str("the measured time, at the same clocks"),
            Self::Residual(pairs, gpus) => {
                write!(f, "half of what {pairs} pairs of {gpus} other GPUs taught")
            }
        }
    }
}

/// A number of a GPU with its unit.
#[must_use]
pub fn amount(spec: Spec, value: f64) -> Amount {
    match spec {
        Spec::Clock => Amount::Clock(Hertz(value)),
        Spec::L2Bandwidth | Spec::DramBandwidth => Amount::Bandwidth(BytesPerSecond(value)),
        Spec::L2Size => Amount::Bytes(Bytes(value)),
        Spec::Sms
        | Spec::PowerShare
        | Spec::FlopsPerClock
        | Spec::LsuLanes
        | Spec::GlobalPerClock
        | Spec::SharedPerClock
        | Spec::IssuePerClock => Amount::Ratio(value),
    }
}

/// The same in words: a count of whole things has no digits behind the point.
#[must_use]
pub fn in_words(spec: Spec, value: f64) -> String {
    match amount(spec, value) {
        Amount::Ratio(v) if v.fract() == 0.0 && v < 1e6 => format!("{v}"),
        other => other.to_string(),
    }
}

/// The chain of a prediction.
pub(super) fn chain(q: &Question<'_>, sides: &Sides, a: &Answered) -> Chain {
    let mut links = Links::default();
    let (begin, from) = match (a.start.body, sides.timed) {
        (Some(_), Some(timed)) if a.same => {
            links.to(Cause::SameGpu, timed, a.time.0);
            return links.chain(Begin::SourceTime, timed);
        }
        (Some(body), Some(timed)) => {
            links.to(Cause::FloorOff(sides.floors[0].time, sides.floors[0].origin), timed, body);
            across(q, sides, a, body, &mut links);
            (Begin::SourceTime, timed)
        }
        _ => {
            let (component, time) = from_binding(sides, a, &mut links);
            (Begin::Binding(component), time)
        }
    };
    // From the model's own body, not from the product so far: a factor that is wrong shows as a product that is.
    links.to(Cause::FloorOn(sides.floors[1].time, sides.floors[1].origin), a.body, a.time.0);
    links.chain(begin, from)
}

/// From body to body: the roofs, then what is kept of the source's efficiency, then the time above the roof.
fn across(q: &Question<'_>, sides: &Sides, a: &Answered, body: f64, links: &mut Links) {
    if a.carried.everything <= 0.0 {
        return links.to(Cause::AboveRoof, body, a.body);
    }
    roofs_across(q, sides, links);
    let c = a.carried;
    let kept = Cause::Efficiency([c.source_efficiency, c.efficiency]);
    links.push(kept, c.efficiency / c.source_efficiency);
    if c.above > 0.0 {
        links.to(Cause::AboveRoof, c.everything, c.body);
    }
}

/// roof_t/roof_s, number by number.
fn roofs_across(q: &Question<'_>, sides: &Sides, links: &mut Links) {
    let reused = sides.launching.reuses_buffers();
    let machines = [0, 1].map(|at| sides.filled(at));
    let mut numbers = shares(&machines, |machine| machine.components(&q.work, reused).roof());
    numbers.sort_by(|x, y| y.1.abs().total_cmp(&x.1.abs()));
    let shown = numbers.iter().filter(|(_, ln)| ln.abs() >= LEAST_SHARE).count();
    for (spec, ln) in &numbers[..shown] {
        links.push(Cause::Number(*spec, machines.map(|machine| machine.get(*spec))), ln.exp());
    }
    if shown < numbers.len() {
        let rest: f64 = numbers[shown..].iter().map(|(_, ln)| ln).sum();
        links.push(Cause::OtherNumbers(numbers.len() - shown), rest.exp());
    }
    let tails = sides.roofs.map(|roof| roof.tail);
    if tails.iter().any(|t| *t > 1.0) {
        links.push(Cause::LastWave(tails), tails[1] / tails[0]);
    }
}

/// Without a time on the source: from the binding component of the target to its body.
fn from_binding(sides: &Sides, a: &Answered, links: &mut Links) -> (Component, f64) {
    let (component, longest) = sides.components[1].ranked()[0];
    let tail = sides.roofs[1].tail;
    links.push(Cause::OtherComponents, a.roofs[1] / tail / longest.0);
    if tail > 1.0 {
        links.push(Cause::LastWave([1.0, tail]), tail);
    }
    links.push(Cause::UsualEfficiency(a.carried.efficiency), a.carried.efficiency);
    links.to(Cause::AboveRoof, a.carried.everything, a.body);
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

    /// The running times.
    fn chain(self, begin: Begin, from: f64) -> Chain {
        let mut now = from;
        let mut steps: Vec<Step> = Vec::with_capacity(self.0.len());
        for (cause, factor) in self.0 {
            now *= factor;
            steps.push(Step { cause, factor, time: Seconds(now) });
        }
        Chain { begin, from: Seconds(from), steps }
    }
}
