//! From the source's time to the predicted one, one factor after another: their product is the prediction, exactly.
//!
//! Between the two bodies stand roof_t/roof_s, what is kept of the efficiency, and how far the SM side alone is believed to be
//! slow. roof_t/roof_s is told number by number: the share of one number of the GPU is what changing it from the source's to
//! the target's does to ln roof, averaged over every order in which the numbers can be changed (Shapley 1953), so that no
//! order is preferred and the shares add up. 2^10 roofs, worked out only where somebody asks.

use super::sides::Sides;
use super::{Answered, lite};
use crate::catalogue::Origin;
use crate::predict::{Amount, Question};
use crate::roofline::{Component, Machine, Spec, joined};
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
    /// What lies above the roof slows the SM side alone: how far that is believed, 0 to 1.
    SmSide(f64),
    /// `ceilings-lite`: the time above the roof goes with the width of the SMs.
    AboveRoof,
    /// The launch is added again.
    FloorOn(Seconds, Origin),
    /// What so many pairs of so many other GPUs taught about this model's errors.
    Residual(usize, usize),
    /// An operator's modelled time: source, target.
    OperatorModel([Seconds; 2]),
    /// Measured over modelled on the source, of which a part is kept.
    SourceKept(f64),
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
            Self::SmSide(_) => "SM side alone",
            Self::AboveRoof => "above the roof",
            Self::FloorOn(..) => "launch floor on",
            Self::Residual(..) => "learned residual",
            Self::OperatorModel(_) => "operator model",
            Self::SourceKept(_) => "kept of the source",
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
            Self::OperatorModel(both) => both.map(|v| Some(Amount::Time(v))),
            Self::SourceKept(v) => [Some(Amount::Ratio(v)), None],
            Self::UsualEfficiency(v) | Self::SmSide(v) => [None, Some(Amount::Ratio(v))],
            Self::OtherNumbers(_) | Self::OtherComponents | Self::AboveRoof | Self::Residual(..) => {
                [None, None]
            }
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
            Self::OtherComponents => f.write_str("their 4-norm: not wholly overlapped"),
            Self::LastWave([1.0, target]) => write!(f, "roof × {}", significant(target)),
            Self::LastWave([source, target]) => {
                write!(f, "roof × {} → × {}", significant(source), significant(target))
            }
            Self::Efficiency([source, target]) => {
                write!(f, "measured over roof {} → {}", significant(source), significant(target))
            }
            Self::UsualEfficiency(_) => f.write_str("of the kernels that were timed"),
            Self::SmSide(belief) => {
                write!(f, "slow SMs alone: believed to {:.0} %", 100.0 * belief)
            }
            Self::AboveRoof => f.write_str("goes with the width of the SMs"),
            Self::Residual(pairs, gpus) => {
                write!(f, "half of what {pairs} pairs of {gpus} other GPUs taught")
            }
            Self::OperatorModel([source, target]) => write!(f, "modelled {source} → {target}"),
            Self::SourceKept(off) => {
                write!(f, "measured over modelled {}: drawn to 1, another library kernel", significant(off))
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

/// The chain of a prediction of this family.
pub(super) fn chain(q: &Question<'_>, sides: &Sides, a: &Answered) -> Chain {
    let mut links = Links::default();
    let (begin, from) = match (a.start.body, sides.timed) {
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

/// From body to body: the roofs, then what is kept of the source's efficiency.
fn across(q: &Question<'_>, sides: &Sides, a: &Answered, body: f64, links: &mut Links) {
    let tails = if a.lite { [1.0; 2] } else { [0, 1].map(|at| sides.roofs[at].tail) };
    let ratio = a.roofs[1] / a.roofs[0];
    let roof = |machine: &Machine| {
        if a.lite {
            return lite::roof(machine, &q.work);
        }
        let [memory, sm] = machine.components(&q.work).sides();
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
