//! Which numbers matter: each a fifth less and a fifth more, predicted again.

use super::question::{WhatIf, made_of_base};
use crate::gpu::{ChangeAmount, ChangeError, Gpu, GpuChanges, GpuNumber};
use crate::units::Seconds;

/// How far a number is moved, either way.
const FIFTH: f64 = 0.2;

/// Effects below this share of the time are none that a reader needs.
const LEAST_EFFECT: f64 = 0.001;

/// A number and what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TornadoBar {
    /// Which number.
    pub number: GpuNumber,
    /// Its value with the changes that are made already, SI.
    pub value: f64,
    /// The time of a run with a fifth less of it; `None` where no such GPU can be or run it.
    pub less: Option<Seconds>,
    /// With a fifth more.
    pub more: Option<Seconds>,
    /// The larger of the two effects, as a share of the time: 0.17 = 17 %.
    pub effect: f64,
}

impl TornadoBar {
    /// Whether it matters at all.
    #[must_use]
    pub fn matters(&self) -> bool {
        self.effect >= LEAST_EFFECT
    }

    /// What the better of its two sides takes off this time, as a share of it; `None` where neither makes it faster.
    #[must_use]
    pub fn gain(&self, now: Seconds) -> Option<f64> {
        let gains = [self.less, self.more].into_iter().flatten().map(|time| 1.0 - time / now);
        let gain = gains.fold(0.0, f64::max);
        (gain >= LEAST_EFFECT).then_some(gain)
    }
}

/// A number and the changes that move it: a fifth less, a fifth more.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedNumber {
    number: GpuNumber,
    /// SI, with the changes that are made already.
    value: f64,
    /// The changes that move it.
    moved: [GpuChanges; 2],
}

impl MovedNumber {
    /// What the number does, where a run takes `now`, and so long with less and with more of it.
    fn tornado_bar(&self, now: Option<Seconds>, [less, more]: [Option<Seconds>; 2]) -> TornadoBar {
        let effect = |time: Option<Seconds>| time.zip(now).map_or(0.0, |(t, now)| (t / now - 1.0).abs());
        let effect = effect(less).max(effect(more));
        TornadoBar { number: self.number, value: self.value, less, more, effect }
    }
}

/// Every number of this base that a tornado moves, over these changes. Those that follow from others are not moved on their own: the
/// FP32 peak, and what bandwidth is made of.
#[must_use]
pub fn moved_numbers(base: &Gpu, changes: &GpuChanges) -> Vec<MovedNumber> {
    let follows = [GpuNumber::Fp32Peak, GpuNumber::BusBits, GpuNumber::DataRate];
    let moved = |number: GpuNumber| {
        let is_bandwidth = number == GpuNumber::Bandwidth;
        let value =
            if is_bandwidth { bandwidth_now(base, changes)? } else { changes.value_on(base, number)? };
        // The data rate follows from the bandwidth that is moved.
        let changes =
            if is_bandwidth { changes.clone().without(GpuNumber::DataRate) } else { changes.clone() };
        // What a launch costs is the kernel's own on each GPU: a share of it, where nobody set it.
        let is_of_kernel = number == GpuNumber::LaunchOverhead && changes.get(number).is_none();
        let amount = |factor: f64| {
            if is_of_kernel { ChangeAmount::By(factor) } else { ChangeAmount::To(value * factor) }
        };
        let by = |factor: f64| changes.clone().with(number, amount(factor));
        Some(MovedNumber { number, value, moved: [by(1.0 - FIFTH), by(1.0 + FIFTH)] })
    };
    GpuNumber::ALL.into_iter().filter(|number| !follows.contains(number)).filter_map(moved).collect()
}

/// The bandwidth with these changes: as it is set, else what the bus and the data rate make of the base's.
fn bandwidth_now(base: &Gpu, changes: &GpuChanges) -> Option<f64> {
    let set = changes.value_on(base, GpuNumber::Bandwidth)?;
    if changes.get(GpuNumber::Bandwidth).is_some() {
        return Some(set);
    }
    let ratio = |number| Some(changes.value_on(base, number)? / base.number(number)?);
    Some(set * ratio(GpuNumber::BusBits)? * ratio(GpuNumber::DataRate)?)
}

/// The largest gain over this time first, of the same gain the larger effect; those that do nothing in the order of [`GpuNumber::ALL`],
/// whatever rounding leaves of them.
fn sort_by_gain(bars: &mut [TornadoBar], now: Option<Seconds>) {
    let gain = |bar: &TornadoBar| now.and_then(|now| bar.gain(now)).unwrap_or(0.0);
    let effect = |bar: &TornadoBar| if bar.matters() { bar.effect } else { 0.0 };
    bars.sort_by(|a, b| gain(b).total_cmp(&gain(a)).then(effect(b).total_cmp(&effect(a))));
}

/// The GPUs of a tornado: one base with each of its numbers a fifth less and a fifth more, made once for every workload that is asked
/// about it.
#[derive(Debug, Clone)]
pub struct TornadoGpus {
    numbers: Vec<MovedNumber>,
    /// With the changes that are made already, then with each number moved.
    made: Vec<Gpu>,
    /// Where the GPUs of each number stand; none where no such GPU can be.
    places: Vec<[Option<usize>; 2]>,
}

impl TornadoGpus {
    /// Moves every number of this base, over these changes.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn new(base: &Gpu, changes: &GpuChanges) -> Result<Self, ChangeError> {
        let mut made = vec![made_of_base(base, changes)?];
        let numbers = moved_numbers(base, changes);
        let mut place = |changes: &GpuChanges| {
            made.push(made_of_base(base, changes).ok()?);
            Some(made.len() - 1)
        };
        let places =
            numbers.iter().map(|number| [place(&number.moved[0]), place(&number.moved[1])]).collect();
        Ok(Self { numbers, made, places })
    }
}

impl WhatIf<'_> {
    /// Every number of the base a fifth less and a fifth more, over these changes; the largest gain first.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn tornado(&mut self, changes: &GpuChanges) -> Result<Vec<TornadoBar>, ChangeError> {
        let moved = TornadoGpus::new(self.base(), changes)?;
        Ok(self.tornado_on(&moved))
    }

    /// The same on GPUs that were made of this base before.
    pub fn tornado_on(&mut self, moved: &TornadoGpus) -> Vec<TornadoBar> {
        let times = self.times_on(&moved.made);
        let now = times[0].time;
        let launch = self.launch_overhead_on(&moved.made[0]);
        let times_at = |places: &[Option<usize>; 2]| places.map(|place| place.and_then(|at| times[at].time));
        let bars = moved.numbers.iter().zip(&moved.places);
        let mut bars: Vec<TornadoBar> =
            bars.map(|(number, places)| number.tornado_bar(now, times_at(places))).collect();
        let of_launch = bars.iter_mut().find(|bar| bar.number == GpuNumber::LaunchOverhead);
        if let (Some(bar), Some(launch)) = (of_launch, launch) {
            bar.value = launch.0;
        }
        sort_by_gain(&mut bars, now);
        bars
    }
}
