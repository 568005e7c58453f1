//! The questions of an evaluation: what was asked and measured stands once for all models. A million rows make millions of them.

use super::filed_list::{FiledList, ListReader};
use super::trial::{AnswerTrial, TrialNumber};
use crate::gpu::GpuId;
use crate::kernel::{Information, KernelId};
use crate::pair::Pair;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What the trials of one row to predict have in common, from whichever source.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct AskedTarget {
    measured: f64,
    config: u32,
    kernel: KernelId,
    gpu: GpuId,
    row: u16,
}

/// What a trial has of its question beside its target, whatever a model says.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct AskedCase {
    source_time: TrialNumber,
    target: u32,
    source: GpuId,
    source_row: u16,
    information: Information,
    borrowed: bool,
}

/// The questions of an evaluation that any model answered, in the order in which they were asked.
#[derive(Debug, Clone)]
pub struct AskedCases {
    targets: FiledList<AskedTarget>,
    last_target: AskedTarget,
    cases: FiledList<AskedCase>,
    /// How much each source says beside others; none where nobody asked for it.
    pub(super) weights: FiledList<f64>,
}

impl Default for AskedCases {
    fn default() -> Self {
        let target = AskedTarget::default();
        let (targets, cases) = (FiledList::new(target), FiledList::new(AskedCase::default()));
        Self { targets, last_target: target, cases, weights: FiledList::new(0.0) }
    }
}

impl AskedCases {
    /// Puts the question of this trial behind the others.
    pub fn push(&mut self, trial: &AnswerTrial) {
        let AnswerTrial { config, kernel, source, target, rows, information, .. } = *trial;
        let AnswerTrial { source_time, measured, borrowed, weight, .. } = *trial;
        let row = AskedTarget { measured, config, kernel, gpu: target, row: rows.target };
        if self.targets.len() == 0 || self.last_target != row {
            self.targets.push(row);
            self.last_target = row;
        }
        self.weights.push(weight);
        self.cases.push(AskedCase {
            source_time,
            target: small_place(self.targets.len() - 1),
            source,
            source_row: rows.source,
            information,
            borrowed,
        });
    }

    /// Puts others behind these.
    pub fn append(&mut self, others: &Self) {
        let first = small_place(self.targets.len());
        self.last_target = others.last_target;
        others.weights.iter().for_each(|weight| self.weights.push(weight));
        others.targets.iter().for_each(|target| self.targets.push(target));
        others.cases.iter().for_each(|case| {
            self.cases.push(AskedCase { target: case.target + first, ..case });
        });
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.len() == 0
    }

    /// The most values of one kind that stand in memory.
    #[cfg(test)]
    pub(super) fn in_memory(&self) -> usize {
        self.cases.in_memory().max(self.targets.in_memory())
    }

    /// Looks up questions, those that stand near each other one after another.
    pub(super) const fn reader(&self) -> CaseReader<'_> {
        CaseReader {
            targets: self.targets.reader(),
            cases: self.cases.reader(),
            weights: self.weights.reader(),
        }
    }
}

/// Questions that are looked up.
#[derive(Debug, Clone)]
pub(super) struct CaseReader<'a> {
    targets: ListReader<'a, AskedTarget>,
    cases: ListReader<'a, AskedCase>,
    weights: ListReader<'a, f64>,
}

impl CaseReader<'_> {
    /// The question at this place as a trial that nobody has answered.
    #[inline]
    pub(super) fn unanswered(&mut self, place: usize) -> AnswerTrial {
        let AskedCase { source_time, target, source, source_row, information, borrowed } =
            self.cases.value(place);
        let AskedTarget { measured, config, kernel, gpu, row } = self.targets.value(target as usize);
        AnswerTrial {
            rows: Pair::new(source_row, row),
            information,
            source_time,
            measured,
            borrowed,
            weight: self.weights.value(place),
            ..AnswerTrial::unanswered(config as usize, kernel, Pair::new(source, gpu))
        }
    }
}

/// Questions that come part by part; those of another evaluation of the same rows are shared with it, as long as they are the same and
/// in the same order.
#[derive(Debug, Clone, Default)]
pub struct CollectedCases {
    own: AskedCases,
    known: Option<KnownCases>,
}

/// The questions of another evaluation.
#[derive(Debug, Clone)]
struct KnownCases {
    cases: Arc<AskedCases>,
    /// Before this place every question of ours was found.
    next: usize,
}

impl CollectedCases {
    /// None so far, beside an evaluation that asked these.
    #[must_use]
    pub fn beside(known: Option<Arc<AskedCases>>) -> Self {
        Self { own: AskedCases::default(), known: known.map(|cases| KnownCases { cases, next: 0 }) }
    }

    /// How many there are of our own.
    #[must_use]
    pub fn len(&self) -> usize {
        self.own.len()
    }

    /// Whether there is none of our own.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Puts the question of this trial behind the others.
    pub fn push(&mut self, trial: &AnswerTrial) {
        self.give_up_known();
        self.own.push(trial);
    }

    /// Puts others behind these; the places at which they stand.
    pub fn append(&mut self, others: &AskedCases) -> Vec<u32> {
        if let Some(places) = self.known.as_mut().and_then(|known| known.places_of(others)) {
            return places;
        }
        self.give_up_known();
        let first = small_place(self.own.len());
        self.own.append(others);
        (first..small_place(self.own.len())).collect()
    }

    /// Copies what was shared: what is asked now was not asked there. Places stay as they are.
    fn give_up_known(&mut self) {
        if let Some(KnownCases { cases, next }) = self.known.take() {
            self.own = AskedCases::default();
            let mut asked = cases.reader();
            (0..next).for_each(|place| self.own.push(&asked.unanswered(place)));
        }
    }

    /// All of them.
    #[must_use]
    pub fn into_cases(self) -> Arc<AskedCases> {
        self.known.map_or_else(|| Arc::new(self.own), |known| known.cases)
    }
}

impl KnownCases {
    /// Where these questions stand, behind those that were found before; `None` where one of them does not.
    fn places_of(&mut self, others: &AskedCases) -> Option<Vec<u32>> {
        let mut next = self.next;
        let mut places = Vec::with_capacity(others.len());
        let (mut wanted, mut known) = (others.reader(), self.cases.reader());
        for place in 0..others.len() {
            let wanted = wanted.unanswered(place);
            next += (next..self.cases.len()).position(|place| known.unanswered(place) == wanted)?;
            places.push(small_place(next));
            next += 1;
        }
        self.next = next;
        Some(places)
    }
}

/// A case's place in the room of four bytes: 2^32 cases would be 80 GB of them.
pub(super) fn small_place(case: usize) -> u32 {
    u32::try_from(case).expect("an evaluation has fewer than 2^32 cases")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(number: usize) -> AnswerTrial {
        AnswerTrial {
            config: u32::try_from(number / 3).unwrap(),
            measured: number as f64,
            ..AnswerTrial::of_pair(number % 3, 4)
        }
    }

    fn cases(numbers: impl IntoIterator<Item = usize>) -> AskedCases {
        let mut all = AskedCases::default();
        numbers.into_iter().for_each(|number| all.push(&trial(number)));
        all
    }

    fn numbers(all: &AskedCases, places: &[u32]) -> Vec<usize> {
        let mut all = all.reader();
        places.iter().map(|place| all.unanswered(*place as usize).measured as usize).collect()
    }

    #[test]
    fn a_case_is_small() {
        // A hundred thousand of each stand in memory, the others in a file.
        assert_eq!([size_of::<AskedTarget>(), size_of::<AskedCase>()], [24, 24]);
    }

    #[test]
    fn what_another_evaluation_asked_is_shared_and_what_it_did_not_is_kept() {
        let known = Arc::new(cases(0..20));
        let mut same = CollectedCases::beside(Some(known.clone()));
        let places =
            [cases(0..4), cases([]), cases([6, 7, 11]), cases(12..20)].map(|part| same.append(&part));
        assert!(Arc::ptr_eq(&same.into_cases(), &known));
        assert_eq!(numbers(&known, &places.concat()), [0, 1, 2, 3, 6, 7, 11, 12, 13, 14, 15, 16, 17, 18, 19]);

        let mut other = CollectedCases::beside(Some(known.clone()));
        let places = [cases(0..4), cases([6, 90]), cases([7, 8])].map(|part| other.append(&part));
        let all = other.into_cases();
        assert_eq!(numbers(&all, &places.concat()), [0, 1, 2, 3, 6, 90, 7, 8]);
        assert!(!Arc::ptr_eq(&all, &known));
    }
}
