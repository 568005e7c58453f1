//! What one model said of an evaluation's questions, in columns.

use super::cases::small_place;
use super::filed_list::{FiledList, ListReader};
use super::trial::{AnswerTrial, TrialNumber};

/// Which case each answer is of: no room is taken as long as every case has one.
#[derive(Debug, Clone, Default)]
struct CasePlaces {
    count: usize,
    /// None where the answer at a place is that of the case at this place.
    listed: Option<FiledList<u32>>,
}

impl CasePlaces {
    fn push(&mut self, case: usize) {
        let count = self.count;
        if case != count && self.listed.is_none() {
            let mut before = FiledList::new(0);
            (0..count).for_each(|place| before.push(small_place(place)));
            self.listed = Some(before);
        }
        if let Some(listed) = &mut self.listed {
            listed.push(small_place(case));
        }
        self.count += 1;
    }
}

/// What one model said of cases: which, the time, its doubt.
#[derive(Debug, Clone)]
pub struct CaseAnswers {
    cases: CasePlaces,
    pub(super) predicted: FiledList<f64>,
    pub(super) intervals: FiledList<f64>,
    /// None where the model has none.
    pub(super) doubts: FiledList<TrialNumber>,
    /// None where the model has none.
    widths: FiledList<TrialNumber>,
}

impl Default for CaseAnswers {
    fn default() -> Self {
        Self {
            cases: CasePlaces::default(),
            predicted: FiledList::new(0.0),
            intervals: FiledList::new(0.0),
            doubts: FiledList::new(TrialNumber::UNKNOWN),
            widths: FiledList::new(TrialNumber::UNKNOWN),
        }
    }
}

impl CaseAnswers {
    /// Puts the answer of this trial behind the others; its question stands at this place.
    pub fn push(&mut self, case: usize, trial: &AnswerTrial) {
        self.cases.push(case);
        self.predicted.push(trial.predicted);
        self.intervals.push(trial.interval);
        self.doubts.push(trial.doubt);
        self.widths.push(trial.width);
    }

    /// Puts others behind these, whose cases stand at these places among all.
    pub fn append(&mut self, others: &Self, places: &[u32]) {
        let mut said = others.reader();
        for place in 0..others.len() {
            self.cases.push(places[said.case_at(place)] as usize);
        }
        others.predicted.iter().for_each(|time| self.predicted.push(time));
        others.intervals.iter().for_each(|factor| self.intervals.push(factor));
        others.doubts.iter().for_each(|doubt| self.doubts.push(doubt));
        others.widths.iter().for_each(|width| self.widths.push(width));
    }

    /// Forgets how uncertain the model called its answers, which nobody asks for once they have their intervals.
    pub(super) fn forget_doubts(&mut self) {
        let unknown = FiledList::repeated(TrialNumber::UNKNOWN, self.len());
        (self.doubts, self.widths) = (unknown.clone(), unknown);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks up answers, those that stand near each other one after another.
    pub(super) fn reader(&self) -> AnswerReader<'_> {
        AnswerReader {
            cases: self.cases.listed.as_ref().map(FiledList::reader),
            predicted: self.predicted.reader(),
            intervals: self.intervals.reader(),
            doubts: self.doubts.reader(),
            widths: self.widths.reader(),
        }
    }
}

/// Answers that are looked up.
#[derive(Debug, Clone)]
pub(super) struct AnswerReader<'a> {
    cases: Option<ListReader<'a, u32>>,
    predicted: ListReader<'a, f64>,
    intervals: ListReader<'a, f64>,
    doubts: ListReader<'a, TrialNumber>,
    widths: ListReader<'a, TrialNumber>,
}

impl AnswerReader<'_> {
    /// The place of the question that this answer is of.
    #[inline]
    pub(super) fn case_at(&mut self, answer: usize) -> usize {
        self.cases.as_mut().map_or(answer, |cases| cases.value(answer) as usize)
    }

    /// The answer at this place to this question.
    #[inline]
    pub(super) fn answered(&mut self, place: usize, question: AnswerTrial) -> AnswerTrial {
        AnswerTrial {
            predicted: self.predicted.value(place),
            interval: self.intervals.value(place),
            doubt: self.doubts.value(place),
            width: self.widths.value(place),
            ..question
        }
    }
}
