//! The trials of an evaluation, kept small: what was asked and measured stands once for all models, what each said beside it in
//! columns. A million rows make tens of millions of trials.

use super::case_answers::{AnswerReader, CaseAnswers};
use super::cases::{AskedCases, CaseReader};
use super::filed_list::FiledList;
use super::known_rows::KnownCorrection;
use super::trial::{AnswerTrial, TrialNumber};
use std::sync::Arc;

/// The trials of one model, in the order of their questions.
#[derive(Debug, Clone, Default)]
pub struct AnswerTrials {
    cases: Arc<AskedCases>,
    answers: CaseAnswers,
}

impl AnswerTrials {
    /// What a model said of these cases.
    #[must_use]
    pub const fn new(cases: Arc<AskedCases>, answers: CaseAnswers) -> Self {
        Self { cases, answers }
    }

    /// The questions, for an evaluation that stands beside this one.
    #[must_use]
    pub fn cases(&self) -> Arc<AskedCases> {
        self.cases.clone()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Looks up trials, those that stand near each other one after another.
    #[must_use]
    pub fn reader(&self) -> TrialReader<'_> {
        TrialReader { cases: self.cases.reader(), answers: self.answers.reader() }
    }

    /// Every trial.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = AnswerTrial> + Clone + '_ {
        let mut reader = self.reader();
        (0..self.len()).map(move |place| reader.trial(place))
    }

    /// The trials at these places.
    pub fn chosen<'t>(
        &'t self,
        places: impl Iterator<Item = usize> + Clone + 't,
    ) -> impl Iterator<Item = AnswerTrial> + Clone + 't {
        let mut reader = self.reader();
        places.map(move |place| reader.trial(place))
    }

    /// Forgets how uncertain the model called its answers, which nobody asks for once they have their intervals.
    pub fn forget_doubts(&mut self) {
        self.answers.forget_doubts();
    }

    /// Keeps the trials that this says yes to.
    pub fn retain(&mut self, wanted: impl Fn(&AnswerTrial) -> bool) {
        let (mut kept, mut reader) = (CaseAnswers::default(), self.reader());
        for place in 0..self.len() {
            let trial = reader.trial(place);
            if wanted(&trial) {
                kept.push(reader.answers.case_at(place), &trial);
            }
        }
        self.answers = kept;
    }

    /// Gives every trial another interval, as a factor.
    pub fn set_intervals(&mut self, mut interval: impl FnMut(&AnswerTrial) -> f64) {
        let mut intervals = FiledList::new(0.0);
        self.iter().for_each(|trial| intervals.push(interval(&trial)));
        self.answers.intervals = intervals;
    }

    /// Corrects every trial by what known rows say of it: its predicted time, and how uncertain it is where the model said so.
    pub fn correct(&mut self, mut correction: impl FnMut(&AnswerTrial) -> Option<KnownCorrection>) {
        let (mut predicted, mut doubts) = (FiledList::new(0.0), FiledList::new(TrialNumber::UNKNOWN));
        for trial in self.iter() {
            let found = correction(&trial);
            predicted.push(found.map_or(trial.predicted, |found| trial.predicted * found.factor));
            let doubt = trial.doubt.known();
            doubts.push(found.map_or(trial.doubt, |found| doubt.map(|doubt| doubt * found.width).into()));
        }
        (self.answers.predicted, self.answers.doubts) = (predicted, doubts);
    }
}

/// Trials that are looked up.
#[derive(Debug, Clone)]
pub struct TrialReader<'a> {
    cases: CaseReader<'a>,
    answers: AnswerReader<'a>,
}

impl TrialReader<'_> {
    /// The trial at this place.
    ///
    /// # Panics
    /// Where there are not as many.
    #[must_use]
    #[inline]
    pub fn trial(&mut self, place: usize) -> AnswerTrial {
        let question = self.cases.unanswered(self.answers.case_at(place));
        self.answers.answered(place, question)
    }
}

impl FromIterator<AnswerTrial> for AnswerTrials {
    fn from_iter<I: IntoIterator<Item = AnswerTrial>>(trials: I) -> Self {
        let (mut cases, mut answers) = (AskedCases::default(), CaseAnswers::default());
        for trial in trials {
            answers.push(cases.len(), &trial);
            cases.push(&trial);
        }
        Self::new(Arc::new(cases), answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Information;
    use crate::pair::Pair;

    fn trial(number: usize) -> AnswerTrial {
        let doubt = (number % 3 == 2).then_some(number as f64);
        AnswerTrial {
            config: u32::try_from(number).unwrap(),
            rows: Pair::new(1, 2),
            information: Information::Part,
            source_time: Some(2.0).into(),
            predicted: number as f64,
            interval: if number > 1 { 1.5 } else { 0.0 },
            borrowed: number.is_multiple_of(2),
            doubt: doubt.into(),
            weight: if number > 3 { 0.5 } else { 0.0 },
            ..AnswerTrial::of_pair(3, 4)
        }
    }

    #[test]
    fn what_goes_in_comes_out() {
        let trials: Vec<AnswerTrial> = (0..9).map(trial).collect();
        let mut kept: AnswerTrials = trials.iter().copied().collect();
        assert_eq!(kept.iter().collect::<Vec<_>>(), trials);
        kept.retain(|t| t.config % 4 == 1);
        assert_eq!(kept.iter().collect::<Vec<_>>(), [trial(1), trial(5)]);
        kept.set_intervals(|t| t.predicted + 1.0);
        kept.correct(|_| Some(KnownCorrection { factor: 10.0, width: 0.5, rows: 1 }));
        let seen: Vec<(f64, f64)> = kept.iter().map(|t| (t.predicted, t.interval)).collect();
        assert_eq!(seen, [(10.0, 2.0), (50.0, 6.0)]);
        let doubts = |trials: &AnswerTrials| trials.iter().map(|t| t.doubt.known()).collect::<Vec<_>>();
        assert_eq!(doubts(&kept), [None, Some(2.5)], "surer where it said how sure it is");
        kept.retain(|_| false);
        assert!(kept.is_empty() && kept.iter().len() == 0);
    }

    #[test]
    fn parts_come_together_in_their_order() {
        let part = |numbers: &[usize]| {
            let (mut cases, mut answers) = (AskedCases::default(), CaseAnswers::default());
            for number in numbers {
                // Every question has its place; this model answers the odd ones.
                if number % 2 == 1 {
                    answers.push(cases.len(), &trial(*number));
                }
                cases.push(&trial(*number));
            }
            (cases, answers)
        };
        let (mut cases, mut answers) = part(&[0, 1, 2, 3]);
        let (more, said) = part(&[4, 5, 6, 7, 8]);
        answers.append(&said, &[4, 5, 6, 7, 8]);
        cases.append(&more);
        assert_eq!((cases.len(), answers.len()), (9, 4));
        let all = AnswerTrials::new(Arc::new(cases), answers);
        assert_eq!(all.iter().collect::<Vec<_>>(), [1, 3, 5, 7].map(trial));
    }

    #[test]
    fn of_many_trials_most_are_in_files() {
        let count = 300_000;
        let many = || (0..count).map(|number| AnswerTrial { config: number as u32 / 5, ..trial(number) });
        let mut kept: AnswerTrials = many().collect();
        // A value of each trial is in memory where its list has one: without files that would be all of them.
        let in_memory = |kept: &AnswerTrials| {
            let CaseAnswers { predicted, intervals, doubts, .. } = &kept.answers;
            [predicted.in_memory(), intervals.in_memory(), doubts.in_memory(), kept.cases.in_memory()]
        };
        assert!(in_memory(&kept).iter().all(|n| *n < 1 << 15), "{:?}", in_memory(&kept));
        assert!(kept.iter().eq(many()));
        kept.set_intervals(|t| t.predicted + 1.0);
        kept.retain(|t| t.predicted as usize % 3 != 1);
        let left = || many().filter(|t| t.predicted as usize % 3 != 1);
        assert!(kept.iter().eq(left().map(|t| AnswerTrial { interval: t.predicted + 1.0, ..t })));
        let some = [0, 199_999, 131_072, 7, 199_998];
        let all: Vec<f64> = left().map(|t| t.predicted).collect();
        assert!(kept.chosen(some.into_iter()).map(|t| t.predicted).eq(some.map(|place| all[place])));
        assert!(in_memory(&kept).iter().all(|n| *n < 1 << 15));
    }

    #[test]
    fn an_answer_is_small() {
        // Four cases a row and three answers each, at a million rows and more (docs/fleet.md).
        let plain: AnswerTrials =
            (0..4).map(|n| AnswerTrial { interval: 0.0, doubt: None.into(), ..trial(n) }).collect();
        let CaseAnswers { intervals, doubts, .. } = &plain.answers;
        assert!(intervals.is_free() && doubts.is_free(), "nobody said any");
        assert!(plain.cases.weights.is_free());
    }

    #[test]
    fn an_answer_keeps_its_case_where_others_are_not_answered() {
        let cases: AskedCases = (0..12).fold(AskedCases::default(), |mut cases, number| {
            cases.push(&trial(number));
            cases
        });
        // Parts of four cases: all answered, none, the last two, all.
        let mut answers = CaseAnswers::default();
        for (first, answered) in [(0u32, 0..4), (4, 4..4), (4, 6..8), (8, 8..12)] {
            let mut part = CaseAnswers::default();
            answered.for_each(|number| part.push(number - first as usize, &trial(number)));
            answers.append(&part, &[0, 1, 2, 3].map(|place| place + first));
        }
        let mut kept = AnswerTrials::new(Arc::new(cases), answers);
        let configs = |kept: &AnswerTrials| kept.iter().map(|t| t.config).collect::<Vec<_>>();
        assert_eq!(configs(&kept), [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]);
        assert!(kept.iter().all(|t| t.predicted == f64::from(t.config)));
        kept.retain(|t| t.config % 2 == 1);
        assert_eq!(configs(&kept), [1, 3, 7, 9, 11]);
    }
}
