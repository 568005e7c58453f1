//! What a measured time says about another GPU: the arithmetic of `ceilings`, on plain numbers.

use crate::roofline::{Components, Machine, joined, rest};

/// How much of a source's efficiency, in ln, is believed to hold on the target: the rest is drawn to [`USUAL`].
pub const CARRIED: f64 = 0.8;

/// η of a kernel nobody timed: measured over roof, the middle of all kernels that were.
pub const USUAL: f64 = 1.1;

/// The largest factor by which a last, partly filled wave may stretch a roof.
const MOST_TAIL: f64 = 1.6;

/// The roof of a launch on one GPU, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roof {
    /// DRAM and L2.
    pub memory: f64,
    /// Everything on the SMs.
    pub sm: f64,
    /// ceil(v) / v for v waves, at most 1.6; 1 where waves are unknown. Both sides have it already.
    pub tail: f64,
    /// [`Machine::width`].
    pub width: f64,
}

impl Roof {
    /// The roof of these components, stretched by a last wave that is not full.
    #[must_use]
    #[inline]
    pub fn new(machine: &Machine, components: &Components, waves: Option<f64>) -> Self {
        let tail = waves.filter(|w| *w > 0.0).map_or(1.0, |w| (w.ceil() / w).min(MOST_TAIL));
        Self::of(machine, components, tail)
    }

    /// The same with the last wave's factor given.
    #[must_use]
    #[inline]
    pub fn of(machine: &Machine, components: &Components, tail: f64) -> Self {
        let [memory, sm] = components.sides().map(|side| side * tail);
        Self { memory, sm, tail, width: machine.width() }
    }

    /// Memory and SM side together.
    #[must_use]
    #[inline]
    pub fn whole(&self) -> f64 {
        joined(self.memory, self.sm)
    }
}

/// A body carried to another roof.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carried {
    /// η of the source: body over roof.
    pub source_efficiency: f64,
    /// η taken for the target.
    pub efficiency: f64,
    /// The body if what lies above the source's roof slows everything alike.
    pub everything: f64,
    /// The body if it slows the SM side alone.
    pub sm_only: f64,
    /// How far the second reading is believed, 0 to 1: 1/(1 + ln² x), where the SM side has to be x times as slow for it.
    pub belief: f64,
}

impl Carried {
    /// Nobody knows which, so both, weighted in ln.
    #[must_use]
    #[inline]
    pub fn body(&self) -> f64 {
        self.everything * (self.belief * (self.sm_only / self.everything).ln()).exp()
    }
}

/// Carries `body` seconds under `source` to `target`; `carried` is the share of ln η that is believed, 0 to 1.
#[must_use]
#[inline]
pub fn carry(source: &Roof, target: &Roof, body: f64, carried: f64) -> Carried {
    Habit::of(source, body, carried).under(target, target.whole())
}

/// How a kernel behaves under its source's roof: all of [`carry`] that is the same for every target.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habit {
    source_efficiency: f64,
    /// η taken for a target.
    pub(super) efficiency: f64,
    /// How many times as slow the SM side would have to be to explain the whole, and how far that is believed; `None`
    /// where there is nothing to explain.
    slower: Option<(f64, f64)>,
}

impl Habit {
    #[inline]
    pub(super) fn of(source: &Roof, body: f64, carried: f64) -> Self {
        let roof = source.whole();
        let source_efficiency = body / roof;
        let usual = USUAL.ln();
        let efficiency = (usual + carried * (source_efficiency.ln() - usual)).exp();
        let slower = (efficiency > 1.0 && source.sm > 0.0).then(|| {
            // The SM side slow enough to explain the whole.
            let slower = rest(roof * efficiency, source.memory) / source.sm;
            (slower, 1.0 / (1.0 + slower.ln().powi(2)))
        });
        Self { source_efficiency, efficiency, slower }
    }

    /// The same behaviour under another roof, whose [`Roof::whole`] is given.
    #[inline]
    pub(super) fn under(&self, target: &Roof, whole: f64) -> Carried {
        let Self { source_efficiency, efficiency, slower } = *self;
        let everything = whole * efficiency;
        let (sm_only, belief) = slower.map_or((everything, 0.0), |(slower, belief)| {
            (joined(target.memory, target.sm * slower), belief)
        });
        Carried { source_efficiency, efficiency, everything, sm_only, belief }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roof(memory: f64, sm: f64) -> Roof {
        Roof { memory, sm, tail: 1.0, width: 1.0 }
    }

    #[test]
    fn the_same_roof_gives_back_the_time_when_all_of_it_is_believed() {
        for (memory, sm, body) in [(1.0, 2.0, 5.0), (3.0, 0.0, 4.0), (0.0, 1.0, 0.5)] {
            let same = roof(memory, sm);
            assert!((carry(&same, &same, body, 1.0).body() / body - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn what_memory_does_not_explain_is_the_sm_side_in_one_of_both_readings() {
        // Twice as slow as a roof that memory and SMs share; the target's SMs are ten times as fast.
        let carried = carry(&roof(1.0, 1.0), &roof(1.0, 0.1), 2.0 * joined(1.0, 1.0), 1.0);
        assert!((carried.everything - 2.0 * joined(1.0, 0.1)).abs() < 1e-12);
        assert!(carried.sm_only < 1.01 && carried.sm_only >= 1.0);
    }

    #[test]
    fn nothing_believed_is_the_usual_efficiency() {
        let carried = carry(&roof(1.0, 1.0), &roof(2.0, 2.0), 100.0, 0.0);
        assert!((carried.everything / joined(2.0, 2.0) - USUAL).abs() < 1e-12);
    }
}
