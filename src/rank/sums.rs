//! A run in sums: the launches of all its kernels on one GPU, added one after the other.

use super::part::PartAnswer;
use crate::roofline::Bound;
use crate::units::{Joules, Seconds};

/// What launches come to. A sum is unknown as soon as one launch has not what it is of.
#[derive(Debug, Clone)]
pub(super) struct RunSums {
    /// Seconds.
    time: Option<f64>,
    /// Lower and upper ends of intervals, in seconds.
    ends: [Option<f64>; 2],
    /// Joules.
    energy: Option<f64>,
    /// Seconds times occupancy.
    occupied: Option<f64>,
    /// Seconds by what limits them.
    by_limit: Vec<(Bound, f64)>,
    /// Whether one does not fit the memory, and whether one is not known to.
    memory: [bool; 2],
    rests_on_measurement: bool,
}

impl Default for RunSums {
    fn default() -> Self {
        let none = Some(0.0);
        Self {
            time: none,
            ends: [none; 2],
            energy: none,
            occupied: none,
            by_limit: Vec::new(),
            memory: [false; 2],
            rests_on_measurement: true,
        }
    }
}

impl RunSums {
    /// Adds so many launches of a kernel.
    pub(super) fn add(&mut self, answer: &PartAnswer, calls: Option<f64>) {
        let add = |sum: &mut Option<f64>, of_launch: Option<f64>| {
            *sum = sum.zip(of_launch.zip(calls)).map(|(sum, (value, calls))| sum + value * calls);
        };
        let time = answer.time.map(|t| t.0);
        add(&mut self.time, time);
        for (at, end) in self.ends.iter_mut().enumerate() {
            add(end, answer.ends.map(|ends| ends[at].0));
        }
        add(&mut self.energy, time.zip(answer.power).map(|(t, p)| t * p.0));
        add(&mut self.occupied, time.zip(answer.occupancy).map(|(t, o)| t * o));
        if let (Some(limit), Some(time), Some(calls)) = (answer.limit, time, calls) {
            match self.by_limit.iter_mut().find(|(known, _)| *known == limit) {
                Some((_, sum)) => *sum += time * calls,
                None => self.by_limit.push((limit, time * calls)),
            }
        }
        self.memory[0] |= answer.fits_memory == Some(false);
        self.memory[1] |= answer.fits_memory.is_none();
        self.rests_on_measurement &= answer.rests_on_measurement;
    }

    pub(super) fn time(&self) -> Option<Seconds> {
        self.time.map(Seconds)
    }

    pub(super) fn ends(&self) -> [Option<Seconds>; 2] {
        self.ends.map(|end| end.map(Seconds))
    }

    pub(super) fn energy(&self) -> Option<Joules> {
        self.energy.map(Joules)
    }

    /// The limit that the largest share of the time has.
    pub(super) fn largest_limit(&self) -> Option<Bound> {
        self.by_limit.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(limit, _)| *limit)
    }

    /// The mean over the time.
    pub(super) fn mean_occupancy(&self) -> Option<f64> {
        self.occupied.zip(self.time).map(|(occupied, time)| occupied / time)
    }

    /// `Some(false)` where one does not fit, `None` where one is not known.
    pub(super) fn fits_memory(&self) -> Option<bool> {
        match self.memory {
            [true, _] => Some(false),
            [_, true] => None,
            _ => Some(true),
        }
    }

    pub(super) fn rests_on_measurement(&self) -> bool {
        self.rests_on_measurement
    }
}
