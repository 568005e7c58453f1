//! The component times of a prediction, what binds, what is next, and which numbers of the target move it.

use super::floor::Floor;
use crate::pair::{Pair, Side};
use crate::roofline::{Component, Components, Spec};
use crate::units::{Seconds, significant};

/// Below this an elasticity moves nothing worth reading.
const LEAST_ELASTICITY: f64 = 0.02;

/// How far a number is moved to see what it does to the time.
pub(super) const NUDGE: f64 = 1.02;

/// How much more of a number [`Elasticity::ten_percent`] asks about.
const TENTH: f64 = 1.1;

/// What a change of one of the target's numbers does to the predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elasticity {
    /// The number.
    pub spec: Spec,
    /// d ln T / d ln number: -0.8 means that 10 % more makes the kernel 8 % faster.
    pub value: f64,
    /// The target's number as the model takes it, SI.
    pub number: f64,
    /// The time with 10 % more of it, over the predicted one.
    pub ten_percent: f64,
}

impl Elasticity {
    /// Of this number of the target, by the time with so many times as much of it over the predicted one.
    pub(super) fn new(spec: Spec, number: f64, time: impl Fn(f64) -> Option<f64>) -> Option<Self> {
        Some(Self { spec, value: time(NUDGE)?.ln() / NUDGE.ln(), number, ten_percent: time(TENTH)? })
    }

    /// Those that move anything, what 10 % more of makes fastest first.
    pub(super) fn fastest_first(all: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut all: Vec<Self> = all.filter(|e| e.value.abs() >= LEAST_ELASTICITY).collect();
        all.sort_by(|a, b| a.ten_percent.total_cmp(&b.ten_percent));
        all
    }
}

/// What binds on one GPU, and what would bind next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NextCeiling {
    /// The longest component.
    pub binding: Component,
    /// The second longest.
    pub next: Component,
    /// How many times shorter the second is.
    pub away: f64,
}

/// The component times of a prediction, and what they say.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The time of every component, source first.
    pub components: Pair<Components>,
    /// What binds and what is next, source first; `None` where one component is all there is.
    pub next: Pair<Option<NextCeiling>>,
    /// How many times longer than its components a launch takes because its warps wait for loads and results, source first, where
    /// waiting alone takes longer than they do.
    pub latency: Pair<Option<f64>>,
    /// Whether most of the time is launch overhead, source first.
    pub launch_limited: Pair<bool>,
    /// What a launch costs, source first.
    pub floors: Pair<Floor>,
    /// The target's numbers that move the prediction, what 10 % more of makes fastest first.
    pub elasticities: Vec<Elasticity>,
    /// The other model of the family, and its time for the same question.
    pub beside: Option<(&'static str, Seconds)>,
    /// What to measure for a narrower interval, most useful first.
    pub measure: Vec<String>,
}

impl Explanation {
    /// `bound by LSU; next limit: shared, 2.09x below`; `bound by latency, 1.20× over LSU` where that is what stretches the
    /// roof; `bound by launch overhead; next limit: LSU` where that is most of the time. `None` where nothing takes time on this side.
    #[must_use]
    pub fn binding_words(&self, side: Side) -> Option<String> {
        let longest = self.components[side].binding()?.as_str();
        if self.launch_limited[side] {
            return Some(format!("bound by launch overhead; next limit: {longest}"));
        }
        let next = match self.next[side] {
            Some(n) => format!("next limit: {}, {}× below", n.next.as_str(), significant(n.away)),
            None => "it is the only component known".into(),
        };
        let binding = match self.latency[side] {
            Some(latency) => format!("latency, {}× over {longest}", significant(latency)),
            None => longest.to_string(),
        };
        Some(format!("bound by {binding}; {next}"))
    }
}
