//! The numbers a prediction is made of, each with its unit and its source.

use crate::catalogue::{NumberOrigin, Sourced};
use crate::pair::Pair;
use crate::roofline::Spec;
use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Hertz, Intensity, Seconds, significant};
use std::fmt;
use std::sync::Arc;

/// A number with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// A duration.
    Time(Seconds),
    /// Arithmetic.
    Flops(Flops),
    /// Data.
    Bytes(Bytes),
    /// Arithmetic throughput.
    Rate(FlopsPerSecond),
    /// Data throughput.
    Bandwidth(BytesPerSecond),
    /// A frequency.
    Clock(Hertz),
    /// FLOPs per byte.
    Intensity(Intensity),
    /// A plain number.
    Ratio(f64),
    /// A factor the time is multiplied by.
    Times(f64),
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(v) => v.fmt(f),
            Self::Flops(v) => v.fmt(f),
            Self::Bytes(v) => v.fmt(f),
            Self::Rate(v) => v.fmt(f),
            Self::Bandwidth(v) => v.fmt(f),
            Self::Clock(v) => v.fmt(f),
            Self::Intensity(v) => v.fmt(f),
            Self::Ratio(v) => f.pad(&significant(*v)),
            Self::Times(v) => f.pad(&format!("× {}", significant(*v))),
        }
    }
}

impl Amount {
    /// The bare number in SI units.
    #[must_use]
    pub fn si_value(&self) -> f64 {
        match self {
            Self::Time(v) => v.0,
            Self::Flops(v) => v.0,
            Self::Bytes(v) => v.0,
            Self::Rate(v) => v.0,
            Self::Bandwidth(v) => v.0,
            Self::Clock(v) => v.0,
            Self::Intensity(v) => v.0,
            Self::Ratio(v) | Self::Times(v) => *v,
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
        | Spec::PowerShare
        | Spec::LsuLanes
        | Spec::GlobalPerClock
        | Spec::SharedPerClock
        | Spec::IssuePerClock
        | Spec::AluLanes
        | Spec::XuLanes
        | Spec::Fp64Lanes => Amount::Ratio(value),
    }
}

/// The same in words: a count of whole things has no digits behind the point.
#[must_use]
pub fn in_words(spec: Spec, value: f64) -> String {
    match amount(spec, value) {
        Amount::Ratio(share) if spec == Spec::PowerShare => {
            format!("{} % of peak", significant(100.0 * share))
        }
        Amount::Ratio(v) if v.fract() == 0.0 && v < 1e6 => format!("{v}"),
        Amount::Bytes(size) => size.as_capacity(),
        other => other.to_string(),
    }
}

/// Where a factor's number comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Provenance {
    /// A number of a spec or a measurement, with its source's id.
    Stated(NumberOrigin, Arc<str>),
    /// A count of the kernel's work, with its source's id; what was done with it is said elsewhere.
    Counted(NumberOrigin, Arc<str>),
    /// Computed here, by this rule.
    Modelled(&'static str),
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated(origin, source) if source.is_empty() => f.write_str(origin.as_str()),
            Self::Stated(origin, source) => write!(f, "{}: {source}", origin.as_str()),
            Self::Counted(origin, source) if source.is_empty() => write!(f, "count {}", origin.as_str()),
            Self::Counted(origin, source) => write!(f, "count {}: {source}", origin.as_str()),
            Self::Modelled(rule) => write!(f, "modelled: {rule}"),
        }
    }
}

/// One number of a prediction, on either side.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// What it is.
    pub name: &'static str,
    /// The number on the source side or the only one.
    pub source: Option<Amount>,
    /// The number on the target side.
    pub target: Option<Amount>,
    /// Where the numbers come from: source side first.
    pub from: Pair<Option<Provenance>>,
}

impl Factor {
    /// A number that belongs to the kernel, not to a GPU.
    pub(super) fn shared(name: &'static str, amount: Amount, from: Provenance) -> Self {
        Self { name, source: Some(amount), target: None, from: Pair::new(Some(from), None) }
    }

    /// A number of the target alone.
    pub(crate) fn of_target(name: &'static str, amount: Amount, from: Provenance) -> Self {
        Self { name, source: None, target: Some(amount), from: Pair::new(None, Some(from)) }
    }

    /// The same specification on both GPUs.
    pub(super) fn of_both_gpus<T: Copy>(
        name: &'static str,
        unit: fn(T) -> Amount,
        source: &Sourced<T>,
        target: &Sourced<T>,
    ) -> Self {
        let stated = |s: &Sourced<T>| Some(Provenance::Stated(s.origin, s.source.clone()));
        Self {
            name,
            source: Some(unit(source.value)),
            target: Some(unit(target.value)),
            from: Pair::new(stated(source), stated(target)),
        }
    }

    /// The same computed number on both GPUs.
    pub(super) fn computed(name: &'static str, source: Amount, target: Amount, rule: &'static str) -> Self {
        Self {
            name,
            source: Some(source),
            target: Some(target),
            from: Pair::new(Some(Provenance::Modelled(rule)), None),
        }
    }
}
