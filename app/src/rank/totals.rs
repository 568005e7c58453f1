//! What the kernels of a run come to on one GPU: their launches summed up, kernel by kernel.

use super::part::PartAnswer;
use crate::roofline::Bound;
use crate::units::{Joules, Seconds, Watts};
use std::collections::{HashMap, HashSet};

/// Sums over the launches of a run on one GPU; `None` once one kernel has no such number.
#[derive(Debug, Clone)]
pub(super) struct RunTotals {
    time: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    joules: Option<f64>,
    /// Occupancy times time.
    occupied: Option<f64>,
    fits_memory: Option<bool>,
    by_limit: Vec<(Bound, f64)>,
    /// Whether a measurement stands behind every kernel.
    pub(super) rests_on_measurement: bool,
    /// Whether every time is a measured one of this very GPU.
    pub(super) is_measured: bool,
    /// What must be said of kernels, each with the kernel's label.
    cautions: Vec<(String, String)>,
    /// The first kernel without a time, and why it has none.
    refusal: Option<(String, String)>,
    kernels: usize,
}

impl Default for RunTotals {
    /// Of a run without a launch.
    fn default() -> Self {
        Self {
            time: Some(0.0),
            low: Some(0.0),
            high: Some(0.0),
            joules: Some(0.0),
            occupied: Some(0.0),
            fits_memory: Some(true),
            by_limit: Vec::new(),
            rests_on_measurement: true,
            is_measured: true,
            cautions: Vec::new(),
            refusal: None,
            kernels: 0,
        }
    }
}

/// The sum; `None` where either has none.
fn sum_of(a: Option<f64>, b: Option<f64>) -> Option<f64> {
    Some(a? + b?)
}

/// `Some(false)` where one does not fit, `None` where one is not known.
fn both_fit(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

impl RunTotals {
    /// One kernel alone with so many launches.
    pub(super) fn of_kernel(label: &str, answer: &PartAnswer, calls: Option<f64>) -> Self {
        let mut totals = Self::default();
        totals.add_kernel(label, answer, calls);
        totals
    }

    /// Adds a kernel with so many launches.
    pub(super) fn add_kernel(&mut self, label: &str, answer: &PartAnswer, calls: Option<f64>) {
        let seconds = |per_launch: Option<Seconds>| Some(per_launch?.0 * calls?);
        let time = seconds(answer.time);
        let weighed = |weight: Option<f64>| Some(time? * weight?);
        self.time = sum_of(self.time, time);
        self.low = sum_of(self.low, seconds(answer.ends.map(|[low, _]| low)));
        self.high = sum_of(self.high, seconds(answer.ends.map(|[_, high]| high)));
        self.joules = sum_of(self.joules, weighed(answer.power.map(|watts| watts.0)));
        self.occupied = sum_of(self.occupied, weighed(answer.occupancy));
        self.fits_memory = both_fit(self.fits_memory, answer.fits_memory);
        self.add_limit(answer.limit, time);
        self.rests_on_measurement &= answer.rests_on_measurement;
        self.is_measured &= answer.is_measured;
        if answer.time.is_none() && self.refusal.is_none() {
            self.refusal = answer.cautions.first().map(|why| (label.to_string(), why.clone()));
        }
        self.cautions.extend(answer.cautions.iter().map(|text| (label.to_string(), text.clone())));
        self.kernels += 1;
    }

    /// Adds what other kernels come to.
    pub(super) fn add_totals(&mut self, other: &Self) {
        self.time = sum_of(self.time, other.time);
        self.low = sum_of(self.low, other.low);
        self.high = sum_of(self.high, other.high);
        self.joules = sum_of(self.joules, other.joules);
        self.occupied = sum_of(self.occupied, other.occupied);
        self.fits_memory = both_fit(self.fits_memory, other.fits_memory);
        other.by_limit.iter().for_each(|(limit, time)| self.add_limit(Some(*limit), Some(*time)));
        self.rests_on_measurement &= other.rests_on_measurement;
        self.is_measured &= other.is_measured;
        self.cautions.extend(other.cautions.iter().cloned());
        self.refusal = self.refusal.take().or_else(|| other.refusal.clone());
        self.kernels += other.kernels;
    }

    fn add_limit(&mut self, limit: Option<Bound>, time: Option<f64>) {
        let (Some(limit), Some(time)) = (limit, time) else { return };
        match self.by_limit.iter_mut().find(|(known, _)| *known == limit) {
            Some((_, sum)) => *sum += time,
            None => self.by_limit.push((limit, time)),
        }
    }

    /// The time of a run.
    pub(super) fn time(&self) -> Option<Seconds> {
        self.time.map(Seconds)
    }

    /// Lower and upper end of its interval: the kernels' errors are taken to go together.
    pub(super) fn ends(&self) -> [Option<Seconds>; 2] {
        [self.low, self.high].map(|end| end.map(Seconds))
    }

    /// Energy of a run.
    pub(super) fn energy(&self) -> Option<Joules> {
        self.joules.map(Joules)
    }

    /// Mean board power.
    pub(super) fn power(&self) -> Option<Watts> {
        Some(Watts(self.joules? / self.time?))
    }

    /// The mean over the time, 0 to 1.
    pub(super) fn occupancy(&self) -> Option<f64> {
        Some(self.occupied? / self.time?)
    }

    /// Whether every working set fits; `None` where one is not known and none is too large.
    pub(super) fn fits_memory(&self) -> Option<bool> {
        self.fits_memory
    }

    /// The limit that the largest share of the time has; `None` where a kernel has no time.
    pub(super) fn limit(&self) -> Option<Bound> {
        self.time?;
        self.by_limit.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(limit, _)| *limit)
    }

    /// What must be said of the kernels: with the label of the kernel, unless it is said of them all.
    pub(super) fn caution_texts(&self) -> Vec<String> {
        let mut kernels_of: HashMap<&str, usize> = HashMap::new();
        self.cautions.iter().for_each(|(_, text)| *kernels_of.entry(text).or_default() += 1);
        let mut said_of_all = HashSet::new();
        let text = |(label, text): &'_ (String, String)| {
            let is_of_all = kernels_of.get(text.as_str()) == Some(&self.kernels);
            match is_of_all {
                true => said_of_all.insert(text.clone()).then(|| text.clone()),
                false => Some(self.caution_text(label, text)),
            }
        };
        self.cautions.iter().filter_map(text).collect()
    }

    /// Why there is no time, with the kernel's label where there are several.
    pub(super) fn refusal(&self) -> Option<String> {
        self.refusal.as_ref().map(|(label, why)| self.caution_text(label, why))
    }

    fn caution_text(&self, label: &str, text: &str) -> String {
        if self.kernels == 1 { text.to_string() } else { format!("{label}: {text}") }
    }
}

/// What speedups are relative to.
#[derive(Debug, Default)]
pub(super) struct SourceBase {
    /// Time of a run on the source.
    pub(super) time: Option<Seconds>,
    /// Whether it was measured there, as it is.
    pub(super) is_measured: bool,
    /// Whether a measurement stands behind it.
    pub(super) rests_on_measurement: bool,
    /// Why there is none.
    pub(super) refusal: Option<String>,
}

impl SourceBase {
    /// Of this run there.
    pub(super) fn of_run(on_source: &RunTotals) -> Self {
        let RunTotals { is_measured, rests_on_measurement, .. } = *on_source;
        Self { time: on_source.time(), is_measured, rests_on_measurement, refusal: on_source.refusal() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(time: Option<f64>, limit: Bound) -> PartAnswer {
        PartAnswer {
            time: time.map(Seconds),
            ends: time.map(|t| [Seconds(t / 2.0), Seconds(t * 2.0)]),
            limit: Some(limit),
            occupancy: Some(0.5),
            fits_memory: Some(true),
            power: Some(Watts(100.0)),
            rests_on_measurement: true,
            is_measured: false,
            cautions: vec!["so".into()],
        }
    }

    #[test]
    fn sums_are_the_same_in_whatever_portions_they_are_made() {
        let parts = [(1.0, Bound::Dram, 4.0), (2.0, Bound::Compute, 1.0), (8.0, Bound::Compute, 1.0)];
        let added = |parts: &[(f64, Bound, f64)]| {
            let mut totals = RunTotals::default();
            for (time, limit, calls) in parts {
                totals.add_kernel("k", &answer(Some(*time), *limit), Some(*calls));
            }
            totals
        };
        let whole = added(&parts);
        let mut joined = added(&parts[..1]);
        joined.add_totals(&added(&parts[1..]));
        for totals in [&whole, &joined] {
            assert_eq!(totals.time(), Some(Seconds(14.0)));
            assert_eq!(totals.ends(), [Some(Seconds(7.0)), Some(Seconds(28.0))]);
            assert_eq!((totals.energy(), totals.power()), (Some(Joules(1400.0)), Some(Watts(100.0))));
            assert_eq!((totals.occupancy(), totals.limit()), (Some(0.5), Some(Bound::Compute)));
            assert_eq!(totals.caution_texts(), ["so"], "of all kernels it is said once");
        }
    }

    #[test]
    fn one_kernel_without_a_time_leaves_the_run_without_one() {
        let mut totals = RunTotals::of_kernel("a", &answer(Some(1.0), Bound::Dram), Some(1.0));
        assert_eq!(totals.caution_texts(), ["so"], "alone it needs no label");
        let unknown = PartAnswer { fits_memory: None, ..answer(None, Bound::Dram) };
        totals.add_kernel("b", &unknown, Some(1.0));
        assert_eq!((totals.time(), totals.power(), totals.fits_memory()), (None, None, None));
        assert_eq!(totals.limit(), None, "of a part of the run it would be read as the whole's");
        assert_eq!(totals.refusal().as_deref(), Some("b: so"));
        let other = PartAnswer { cautions: vec!["other".into()], ..answer(Some(1.0), Bound::Dram) };
        let mut two = RunTotals::of_kernel("a", &answer(Some(1.0), Bound::Dram), Some(1.0));
        two.add_kernel("b", &other, Some(1.0));
        assert_eq!(two.caution_texts(), ["a: so", "b: other"]);
        let too_large = PartAnswer { fits_memory: Some(false), ..answer(Some(1.0), Bound::Dram) };
        totals.add_kernel("c", &too_large, Some(1.0));
        assert_eq!(totals.fits_memory(), Some(false));
    }
}
