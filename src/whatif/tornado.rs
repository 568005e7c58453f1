//! Which numbers matter: each a fifth less and a fifth more, predicted again.

use super::question::WhatIf;
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
}

impl WhatIf<'_> {
    /// Every number of the base a fifth less and a fifth more, over these changes; the largest effect first.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn tornado(&mut self, changes: &GpuChanges) -> Result<Vec<TornadoBar>, ChangeError> {
        let mut made: Vec<Gpu> = vec![self.made(changes)?];
        let mut asked: Vec<(GpuNumber, f64, [Option<usize>; 2])> = Vec::new();
        for number in varied_numbers() {
            let Some(value) = changes.value_on(self.base(), number) else { continue };
            let mut at = [None, None];
            for (place, factor) in at.iter_mut().zip([1.0 - FIFTH, 1.0 + FIFTH]) {
                let moved = changes.clone().with(number, ChangeAmount::To(value * factor));
                if let Ok(gpu) = self.made(&moved) {
                    *place = Some(made.len());
                    made.push(gpu);
                }
            }
            asked.push((number, value, at));
        }
        let times = self.times_on(made);
        let now = times[0].time;
        let bar = |(number, value, at): (GpuNumber, f64, [Option<usize>; 2])| {
            let [less, more] = at.map(|at| at.and_then(|at| times[at].time));
            let effect = |time: Option<Seconds>| time.zip(now).map_or(0.0, |(t, now)| (t / now - 1.0).abs());
            TornadoBar { number, value, less, more, effect: effect(less).max(effect(more)) }
        };
        let mut bars: Vec<TornadoBar> = asked.into_iter().map(bar).collect();
        bars.sort_by(|a, b| b.effect.total_cmp(&a.effect));
        Ok(bars)
    }
}

/// Numbers that follow from others are not moved on their own: the FP32 peak, and what bandwidth is made of.
fn varied_numbers() -> impl Iterator<Item = GpuNumber> {
    let follows = [GpuNumber::Fp32Peak, GpuNumber::BusBits, GpuNumber::DataRate];
    GpuNumber::ALL.into_iter().filter(move |number| !follows.contains(number))
}
