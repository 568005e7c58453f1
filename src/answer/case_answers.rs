//! What one model said of an evaluation's questions, in columns.

use super::cases::small_place;
use super::column::SparseColumn;
use super::trial::{AnswerTrial, TrialNumber};

/// Which case each answer is of: no room is taken as long as every case has one.
#[derive(Debug, Clone, Default)]
pub(super) struct CasePlaces {
    count: usize,
    /// None where the answer at a place is that of the case at this place.
    listed: Option<Vec<u32>>,
}

impl CasePlaces {
    #[inline]
    pub(super) fn case_at(&self, answer: usize) -> usize {
        self.listed.as_ref().map_or(answer, |cases| cases[answer] as usize)
    }

    fn push(&mut self, case: usize) {
        if case != self.count || self.listed.is_some() {
            self.list().push(small_place(case));
        }
        self.count += 1;
    }

    /// Puts others behind these, whose cases stand at these places among all.
    fn append(&mut self, others: &Self, places: &[u32]) {
        (0..others.count).for_each(|answer| self.push(places[others.case_at(answer)] as usize));
    }

    /// Moves the case of this answer to an earlier one; the first that moves decides that all are listed.
    pub(super) fn move_down(&mut self, from: usize, to: usize) {
        if from != to {
            let case = small_place(self.case_at(from));
            self.list()[to] = case;
        }
    }

    pub(super) fn truncate(&mut self, count: usize) {
        self.listed.iter_mut().for_each(|cases| cases.truncate(count));
        self.count = count;
    }

    fn list(&mut self) -> &mut Vec<u32> {
        let count = self.count;
        self.listed.get_or_insert_with(|| (0..count).map(small_place).collect())
    }
}

/// What one model said of cases: which, the time, its doubt.
#[derive(Debug, Clone)]
pub struct CaseAnswers {
    pub(super) cases: CasePlaces,
    pub(super) predicted: Vec<f64>,
    pub(super) intervals: SparseColumn<f64>,
    /// None where the model has none.
    pub(super) doubts: SparseColumn<TrialNumber>,
    /// None where the model has none.
    pub(super) widths: SparseColumn<TrialNumber>,
}

impl Default for CaseAnswers {
    fn default() -> Self {
        Self {
            cases: CasePlaces::default(),
            predicted: Vec::new(),
            intervals: SparseColumn::new(0.0),
            doubts: SparseColumn::new(TrialNumber::UNKNOWN),
            widths: SparseColumn::new(TrialNumber::UNKNOWN),
        }
    }
}

impl CaseAnswers {
    /// Puts the answer of this trial behind the others; its question stands at this place.
    pub fn push(&mut self, case: usize, trial: &AnswerTrial) {
        let place = self.len();
        self.intervals.set(place, trial.interval);
        self.doubts.set(place, trial.doubt);
        self.widths.set(place, trial.width);
        self.predicted.push(trial.predicted);
        self.cases.push(case);
    }

    /// Puts others behind these, whose cases stand at these places among all.
    pub fn append(&mut self, others: &Self, places: &[u32]) {
        let length = self.len();
        self.intervals.append(length, &others.intervals);
        self.doubts.append(length, &others.doubts);
        self.widths.append(length, &others.widths);
        self.predicted.extend_from_slice(&others.predicted);
        self.cases.append(&others.cases, places);
    }

    /// Forgets how uncertain the model called its answers, which nobody asks for once they have their intervals.
    pub(super) fn forget_doubts(&mut self) {
        let Self { doubts, widths, .. } = Self::default();
        (self.doubts, self.widths) = (doubts, widths);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.predicted.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.predicted.is_empty()
    }
}
