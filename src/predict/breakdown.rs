//! A prediction as a product: the first time times every factor is the predicted time, whatever the model and however the
//! answer was corrected or combined.

use super::component_times::Explanation;
use super::factor::{Amount, Factor, amount, in_words};
use super::source::{SourceKind, SourceTime};
use crate::catalogue::NumberOrigin;
use crate::pair::Pair;
use crate::roofline::{Component, Spec};
use crate::units::{Seconds, significant};
use std::fmt;
use std::sync::Arc;

/// What a power limit takes, as a step and among the numbers.
pub(super) const POWER_LIMIT: &str = "power limit";

/// What the first time of a breakdown is.
#[derive(Debug, Clone, PartialEq)]
pub enum FirstTime {
    /// The time on the source, timed or scaled from a timed size.
    SourceTime {
        /// How it is known.
        kind: SourceKind,
        /// Whether the kernel was timed there, at this size or another.
        is_timed: bool,
        /// Where its row says it comes from.
        source: Arc<str>,
    },
    /// The kernel was not measured there: the time of the component that binds on the target.
    Binding(Component),
    /// The model needs no time on the source: the time at the target's roof.
    Roof,
}

/// Why the time changes at one step of a breakdown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cause {
    /// The launch is taken off: what is left is the kernel's body.
    FloorOff(Seconds, NumberOrigin),
    /// One number of the GPU: source, target.
    Number(Spec, Pair<f64>),
    /// So many numbers that move it by less than 1 % each.
    OtherNumbers(usize),
    /// The components beside the binding one.
    OtherComponents,
    /// The power limit lowers the clock.
    PowerLimit,
    /// A last wave that is not full stretches the roof: source, target.
    LastWave(Pair<f64>),
    /// Warps wait for loads and results and too few others of the SM fill the wait: source, target.
    ExposedLatency(Pair<f64>),
    /// Measured over roof: of the source, and as far as it is believed on the target.
    Efficiency(Pair<f64>),
    /// The same where the launch is most of the source's time: what is left of that time is too little to set beside a roof.
    EfficiencyBesideLaunch(Pair<f64>),
    /// It was not measured: the usual measured over roof.
    UsualEfficiency(f64),
    /// The time above the roof goes with the rates of the SMs, and not with the roof alone.
    AboveRoof,
    /// No launch gains more, or loses more, than what differs between the two GPUs allows; boards of one architecture stand in their order.
    RateLimit,
    /// The very GPU that was timed, at the same clocks: nothing changes.
    SameGpu,
    /// The launch is added again.
    FloorOn(Seconds, NumberOrigin),
    /// `hybrid`: a correction fitted to so many pairs of so many other GPUs.
    Residual(usize, usize),
    /// `efficiency-transfer`: the roof on the source over that on the target.
    RoofRatio,
    /// `efficiency-transfer`: the occupancy on the source over that on the target.
    OccupancyRatio,
    /// `projection`: the middle of the times at the memory levels, over the source's time.
    MemoryLevels,
    /// `first-principles`: what a launch costs is added.
    LaunchOverhead(Seconds),
    /// So many measured rows of the target correct the model.
    TargetRows(usize),
    /// The launch on the target is changed.
    EditedLaunch,
    /// So many sources are combined into one time.
    CombinedSources(usize),
    /// An operator's modelled time: source, target.
    OperatorModel(Pair<Seconds>),
    /// Measured over modelled on the source, and what of it is taken for the target.
    SourceKept(Pair<f64>),
}

/// One factor of a breakdown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Why the time changes.
    pub cause: Cause,
    /// What the time is multiplied by.
    pub factor: f64,
    /// The time after it.
    pub time: Seconds,
}

/// A prediction taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown<'p> {
    /// What the first time is.
    pub start: FirstTime,
    /// The first time.
    pub from: Seconds,
    /// Every factor, in order; the time after the last one is the prediction.
    pub steps: Vec<Step>,
    /// Every number the prediction was made of, with its source.
    pub numbers: &'p [Factor],
    /// The times of the components and what moves them, of a model that has components.
    pub components: Option<Explanation>,
}

/// What a prediction was made of, kept so that it can be taken apart without asking the question again.
#[derive(Debug, Clone)]
pub(super) enum MadeOf {
    /// A first time, and what it was multiplied by.
    Product {
        /// What the first time is.
        start: FirstTime,
        /// The first time.
        from: Seconds,
        /// Why, and by what.
        factors: Vec<(Cause, f64)>,
    },
    /// The component times of both sides: their factors are worked out when somebody asks.
    Components(Arc<dyn TakenApart>),
}

/// What a model keeps of a question to take its answer apart.
pub(super) trait TakenApart: fmt::Debug + Send + Sync {
    /// The first time, and every factor up to the model's own time.
    fn product(&self) -> (FirstTime, Seconds, Vec<(Cause, f64)>);
    /// The components and what moves them.
    fn explanation(&self) -> Explanation;
}

impl MadeOf {
    /// The time on the source, scaled by the ratio of work where another size was timed, times these factors.
    pub(super) fn source_times(time: &SourceTime, factors: Vec<(Cause, f64)>) -> Self {
        Self::Product { start: FirstTime::of_source(time), from: time.work_scaled, factors }
    }

    /// The time at the target's roof, times these factors.
    pub(super) fn roof_times(from: Seconds, factors: Vec<(Cause, f64)>) -> Self {
        Self::Product { start: FirstTime::Roof, from, factors }
    }
}

impl FirstTime {
    /// The time on the source.
    pub(super) fn of_source(time: &SourceTime) -> Self {
        let is_timed = time.rests_on_measurement();
        Self::SourceTime { kind: time.kind, is_timed, source: time.source.clone() }
    }
}

impl MadeOf {
    /// The predicted time as a product: what the model made it of, then these adjustments.
    pub(super) fn breakdown<'p>(
        &self,
        adjustments: &[(Cause, f64)],
        predicted: Seconds,
        numbers: &'p [Factor],
    ) -> Breakdown<'p> {
        let (start, from, mut factors) = match self {
            Self::Product { start, from, factors } => (start.clone(), *from, factors.clone()),
            Self::Components(kept) => kept.product(),
        };
        factors.extend(adjustments);
        let steps = running_times(from, factors, predicted);
        Breakdown { start, from, steps, numbers, components: self.explanation() }
    }

    /// The components and what moves them; `None` for a model that has none.
    pub(super) fn explanation(&self) -> Option<Explanation> {
        match self {
            Self::Product { .. } => None,
            Self::Components(kept) => Some(kept.explanation()),
        }
    }
}

/// The time after every factor. The last one is the predicted time to the last digit.
fn running_times(from: Seconds, factors: Vec<(Cause, f64)>, predicted: Seconds) -> Vec<Step> {
    let mut now = from.0;
    let mut steps: Vec<Step> = Vec::with_capacity(factors.len());
    for (cause, factor) in factors {
        now *= factor;
        steps.push(Step { cause, factor, time: Seconds(now) });
    }
    if let Some(last) = steps.last_mut().filter(|last| (last.time / predicted - 1.0).abs() < 1e-9) {
        last.time = predicted;
    }
    steps
}

impl Cause {
    /// What changes, in a few words.
    #[must_use]
    pub fn words(&self) -> &'static str {
        match self {
            Self::FloorOff(..) => "subtract launch overhead",
            Self::Number(spec, _) => spec.as_str(),
            Self::OtherNumbers(_) => "other numbers",
            Self::OtherComponents => "other components",
            Self::PowerLimit => POWER_LIMIT,
            Self::LastWave(_) => "tail effect",
            Self::ExposedLatency(_) => "exposed latency",
            Self::Efficiency(_) | Self::EfficiencyBesideLaunch(_) => "efficiency",
            Self::UsualEfficiency(_) => "typical efficiency",
            Self::AboveRoof => "time above the roof",
            Self::RateLimit => "rate limit",
            Self::SameGpu => "same GPU",
            Self::FloorOn(..) => "add launch overhead",
            Self::Residual(..) => "learned residual",
            Self::RoofRatio => "roof ratio",
            Self::OccupancyRatio => "occupancy ratio",
            Self::MemoryLevels => "memory levels",
            Self::LaunchOverhead(_) => "launch overhead",
            Self::TargetRows(_) => "rows on the target",
            Self::EditedLaunch => "launch as changed",
            Self::CombinedSources(_) => "all sources",
            Self::OperatorModel(_) => "operator model",
            Self::SourceKept(_) => "source correction",
        }
    }

    /// The numbers behind it, source first.
    #[must_use]
    pub fn cause_amounts(&self) -> Pair<Option<Amount>> {
        match *self {
            Self::FloorOff(floor, _) => Pair::new(Some(Amount::Time(floor)), None),
            Self::FloorOn(floor, _) | Self::LaunchOverhead(floor) => {
                Pair::new(None, Some(Amount::Time(floor)))
            }
            Self::Number(spec, both) => both.map(|v| Some(amount(spec, v))),
            Self::LastWave(both) | Self::ExposedLatency(both) => both.map(|v| Some(Amount::Times(v))),
            Self::Efficiency(both) | Self::EfficiencyBesideLaunch(both) | Self::SourceKept(both) => {
                both.map(|v| Some(Amount::Ratio(v)))
            }
            Self::OperatorModel(both) => both.map(|v| Some(Amount::Time(v))),
            Self::UsualEfficiency(v) => Pair::new(None, Some(Amount::Ratio(v))),
            Self::OtherNumbers(_)
            | Self::OtherComponents
            | Self::PowerLimit
            | Self::AboveRoof
            | Self::RateLimit
            | Self::SameGpu
            | Self::Residual(..)
            | Self::RoofRatio
            | Self::OccupancyRatio
            | Self::MemoryLevels
            | Self::TargetRows(_)
            | Self::EditedLaunch
            | Self::CombinedSources(_) => Pair::new(None, None),
        }
    }
}

/// What stands behind it: `80 → 46`, `3.61 µs, shortest that several kernels reach in the data of this GPU`.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let floor = |origin: NumberOrigin| match origin {
            NumberOrigin::Measured => "shortest that several kernels reach in the data of this GPU",
            NumberOrigin::Published => "stated by the GPU's file",
            NumberOrigin::Derived => "derived: launches elsewhere",
            NumberOrigin::Assumed => "assumed or set: not measured on this GPU",
        };
        match *self {
            Self::FloorOff(time, origin) | Self::FloorOn(time, origin) => {
                write!(f, "{time}, {}", floor(origin))
            }
            Self::Number(spec, Pair { source, target }) => {
                write!(f, "{} → {}", in_words(spec, source), in_words(spec, target))
            }
            Self::OtherNumbers(n) => write!(f, "{n} more, under 1 % each"),
            Self::OtherComponents => f.write_str("their p-norm: not wholly overlapped"),
            Self::PowerLimit => f.write_str("FLOP rate that it sustains under this load (modelled)"),
            Self::LastWave(Pair { source: 1.0, target }) => write!(f, "roof × {}", significant(target)),
            Self::ExposedLatency(Pair { source, target }) => write!(
                f,
                "warps wait for loads and results: roof × {} → × {}",
                significant(source),
                significant(target)
            ),
            Self::LastWave(Pair { source, target }) => {
                write!(f, "roof × {} → × {}", significant(source), significant(target))
            }
            Self::Efficiency(Pair { source, target }) => {
                write!(f, "{:.0} % of roof → {:.0} %", 100.0 / source, 100.0 / target)
            }
            Self::EfficiencyBesideLaunch(Pair { target, .. }) => {
                write!(f, "launch, which is most of the time → {:.0} % of roof", 100.0 / target)
            }
            Self::UsualEfficiency(_) => f.write_str("of measured kernels"),
            Self::AboveRoof => f.write_str("scales with the rates of the SMs, not with the roof alone"),
            Self::RateLimit => f.write_str("limited to what differs between the two GPUs"),
            Self::SameGpu => f.write_str("the measured time, at the same clocks"),
            Self::Residual(pairs, gpus) => {
                write!(f, "half of the correction learned from {pairs} pairs on {gpus} other GPUs")
            }
            Self::OperatorModel(Pair { source, target }) => write!(f, "modelled {source} → {target}"),
            Self::SourceKept(Pair { source, target }) => write!(
                f,
                "measured over modelled {} → {}: in part, as the library's kernel is another",
                significant(source),
                significant(target)
            ),
            Self::RoofRatio => f.write_str("source over target"),
            Self::OccupancyRatio => f.write_str("source over target"),
            Self::MemoryLevels => f.write_str("middle of the times at DRAM, L2 and L1"),
            Self::LaunchOverhead(time) => write!(f, "{time} per launch are added"),
            Self::EditedLaunch => f.write_str("waves, resident warps, element type, by `components`"),
            Self::TargetRows(1) => f.write_str("1 measured row of other runs there"),
            Self::TargetRows(rows) => write!(f, "{rows} measured rows of other runs there"),
            Self::CombinedSources(1) => f.write_str("the only source that has a time"),
            Self::CombinedSources(sources) => write!(f, "weighted geometric mean of {sources} sources"),
        }
    }
}
