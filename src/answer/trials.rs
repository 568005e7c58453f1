//! The trials of an evaluation, kept small: what was asked and measured stands once for all models, what each said beside it in
//! columns. A million rows make tens of millions of trials.

use super::trial::{AnswerTrial, TrialNumber};
use crate::gpu::GpuId;
use crate::kernel::{Information, KernelId};
use crate::pair::Pair;
use std::sync::Arc;

/// What a trial has of its question and its measured time, whatever a model says.
#[derive(Debug, Clone, Copy, PartialEq)]
struct AskedCase {
    measured: f64,
    source_time: TrialNumber,
    config: u32,
    kernel: KernelId,
    gpus: Pair<GpuId>,
    rows: Pair<u16>,
    information: Information,
    borrowed: bool,
}

/// A column that takes no room as long as nothing but its filler stands in it.
#[derive(Debug, Clone)]
struct SparseColumn<T> {
    filler: T,
    values: Vec<T>,
}

impl<T: Copy + PartialEq> SparseColumn<T> {
    const fn new(filler: T) -> Self {
        Self { filler, values: Vec::new() }
    }

    /// The value of this place.
    #[inline]
    fn value(&self, place: usize) -> T {
        self.values.get(place).copied().unwrap_or(self.filler)
    }

    /// Sets the value of this place; those before it that nobody set are the filler.
    fn set(&mut self, place: usize, value: T) {
        if place >= self.values.len() {
            if value == self.filler {
                return;
            }
            self.values.resize(place, self.filler);
            self.values.push(value);
        } else {
            self.values[place] = value;
        }
    }

    /// Puts another column behind this one of `length` values.
    fn append(&mut self, length: usize, other: &Self) {
        if !other.values.is_empty() {
            self.values.resize(length, self.filler);
            self.values.extend_from_slice(&other.values);
        }
    }

    /// Keeps the first places of a column whose kept values were moved there.
    fn truncate(&mut self, length: usize) {
        self.values.truncate(length);
    }
}

/// The questions of an evaluation that any model answered, in the order in which they were asked.
#[derive(Debug, Clone)]
pub struct AskedCases {
    cases: Vec<AskedCase>,
    /// How much each source says beside others; none where nobody asked for it.
    weights: SparseColumn<f64>,
}

impl Default for AskedCases {
    fn default() -> Self {
        Self { cases: Vec::new(), weights: SparseColumn::new(0.0) }
    }
}

impl AskedCases {
    /// Puts the question of this trial behind the others.
    pub fn push(&mut self, trial: &AnswerTrial) {
        let AnswerTrial { config, kernel, source, target, rows, information, .. } = *trial;
        let AnswerTrial { source_time, measured, borrowed, weight, .. } = *trial;
        let gpus = Pair::new(source, target);
        self.weights.set(self.cases.len(), weight);
        self.cases.push(AskedCase {
            measured,
            source_time,
            config,
            kernel,
            gpus,
            rows,
            information,
            borrowed,
        });
    }

    /// Puts others behind these.
    pub fn append(&mut self, others: &Self) {
        self.weights.append(self.cases.len(), &others.weights);
        self.cases.extend_from_slice(&others.cases);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cases.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cases.is_empty()
    }

    /// The question at this place as a trial that nobody has answered.
    #[inline]
    fn unanswered(&self, place: usize) -> AnswerTrial {
        let AskedCase { measured, source_time, config, kernel, gpus, rows, information, borrowed } =
            self.cases[place];
        AnswerTrial {
            rows,
            information,
            source_time,
            measured,
            borrowed,
            weight: self.weights.value(place),
            ..AnswerTrial::unanswered(config as usize, kernel, gpus)
        }
    }
}

/// Which case each answer is of: no room is taken as long as every case has one.
#[derive(Debug, Clone, Default)]
struct CasePlaces {
    count: usize,
    /// None where the answer at a place is that of the case at this place.
    listed: Option<Vec<u32>>,
}

impl CasePlaces {
    #[inline]
    fn case_at(&self, answer: usize) -> usize {
        self.listed.as_ref().map_or(answer, |cases| cases[answer] as usize)
    }

    fn push(&mut self, case: usize) {
        if case != self.count || self.listed.is_some() {
            self.list().push(small_place(case));
        }
        self.count += 1;
    }

    /// Puts others behind these, whose cases begin at this place among all.
    fn append(&mut self, others: &Self, first_case: usize) {
        if first_case != self.count || self.listed.is_some() || others.listed.is_some() {
            let cases = (0..others.count).map(|answer| small_place(others.case_at(answer) + first_case));
            self.list().extend(cases);
        }
        self.count += others.count;
    }

    /// Moves the case of this answer to an earlier one; the first that moves decides that all are listed.
    fn move_down(&mut self, from: usize, to: usize) {
        if from != to {
            let case = small_place(self.case_at(from));
            self.list()[to] = case;
        }
    }

    fn truncate(&mut self, count: usize) {
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
    cases: CasePlaces,
    predicted: Vec<f64>,
    intervals: SparseColumn<f64>,
    /// None where the model has none.
    doubts: SparseColumn<TrialNumber>,
    /// None where the model has none.
    widths: SparseColumn<TrialNumber>,
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

    /// Puts others behind these, whose cases begin at this place among all.
    pub fn append(&mut self, others: &Self, first_case: usize) {
        let length = self.len();
        self.intervals.append(length, &others.intervals);
        self.doubts.append(length, &others.doubts);
        self.widths.append(length, &others.widths);
        self.predicted.extend_from_slice(&others.predicted);
        self.cases.append(&others.cases, first_case);
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

/// A case's place in the room of four bytes: 2^32 cases would be 160 GB of them.
fn small_place(case: usize) -> u32 {
    u32::try_from(case).expect("an evaluation has fewer than 2^32 cases")
}

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

    /// The trial at this place.
    ///
    /// # Panics
    /// Where there are not as many.
    #[must_use]
    #[inline]
    pub fn trial(&self, place: usize) -> AnswerTrial {
        AnswerTrial {
            predicted: self.answers.predicted[place],
            interval: self.answers.intervals.value(place),
            doubt: self.answers.doubts.value(place),
            width: self.answers.widths.value(place),
            ..self.cases.unanswered(self.answers.cases.case_at(place))
        }
    }

    /// Every trial.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = AnswerTrial> + Clone + '_ {
        (0..self.len()).map(|place| self.trial(place))
    }

    /// The trials at these places.
    pub fn chosen<'t>(&'t self, places: &'t [u32]) -> impl Iterator<Item = AnswerTrial> + Clone + 't {
        places.iter().map(|place| self.trial(*place as usize))
    }

    /// Keeps the trials that this says yes to.
    pub fn retain(&mut self, wanted: impl Fn(&AnswerTrial) -> bool) {
        let mut kept = 0;
        for place in 0..self.len() {
            if wanted(&self.trial(place)) {
                let answers = &mut self.answers;
                answers.cases.move_down(place, kept);
                answers.predicted[kept] = answers.predicted[place];
                answers.intervals.set(kept, answers.intervals.value(place));
                answers.doubts.set(kept, answers.doubts.value(place));
                answers.widths.set(kept, answers.widths.value(place));
                kept += 1;
            }
        }
        let CaseAnswers { cases, predicted, intervals, doubts, widths } = &mut self.answers;
        cases.truncate(kept);
        predicted.truncate(kept);
        intervals.truncate(kept);
        doubts.truncate(kept);
        widths.truncate(kept);
    }

    /// Gives every trial another interval, as a factor.
    pub fn set_intervals(&mut self, mut interval: impl FnMut(&AnswerTrial) -> f64) {
        for place in 0..self.len() {
            let interval = interval(&self.trial(place));
            self.answers.intervals.set(place, interval);
        }
    }

    /// Gives every trial another predicted time, in seconds.
    pub fn set_predicted(&mut self, mut predicted: impl FnMut(&AnswerTrial) -> f64) {
        for place in 0..self.len() {
            self.answers.predicted[place] = predicted(&self.trial(place));
        }
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
        kept.set_predicted(|t| t.predicted * 10.0);
        let seen: Vec<(f64, f64)> = kept.iter().map(|t| (t.predicted, t.interval)).collect();
        assert_eq!(seen, [(10.0, 2.0), (50.0, 6.0)]);
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
        answers.append(&said, cases.len());
        cases.append(&more);
        assert_eq!((cases.len(), answers.len()), (9, 4));
        let all = AnswerTrials::new(Arc::new(cases), answers);
        assert_eq!(all.iter().collect::<Vec<_>>(), [1, 3, 5, 7].map(trial));
    }

    #[test]
    fn a_case_and_an_answer_are_small() {
        // Four cases a row and three answers each, at a million rows and more (docs/fleet.md).
        assert_eq!(std::mem::size_of::<AskedCase>(), 40);
        let plain: AnswerTrials =
            (0..4).map(|n| AnswerTrial { interval: 0.0, doubt: None.into(), ..trial(n) }).collect();
        let CaseAnswers { intervals, doubts, .. } = &plain.answers;
        assert!(intervals.values.is_empty() && doubts.values.is_empty(), "nobody said any");
        assert!(plain.cases.weights.values.is_empty());
    }

    #[test]
    fn an_answer_keeps_its_case_where_others_are_not_answered() {
        let cases: AskedCases = (0..12).fold(AskedCases::default(), |mut cases, number| {
            cases.push(&trial(number));
            cases
        });
        // Parts of four cases: all answered, none, the last two, all.
        let mut answers = CaseAnswers::default();
        for (first, answered) in [(0, 0..4), (4, 4..4), (4, 6..8), (8, 8..12)] {
            let mut part = CaseAnswers::default();
            answered.for_each(|number| part.push(number - first, &trial(number)));
            answers.append(&part, first);
        }
        let mut kept = AnswerTrials::new(Arc::new(cases), answers);
        let configs = |kept: &AnswerTrials| kept.iter().map(|t| t.config).collect::<Vec<_>>();
        assert_eq!(configs(&kept), [0, 1, 2, 3, 6, 7, 8, 9, 10, 11]);
        assert!(kept.iter().all(|t| t.predicted == f64::from(t.config)));
        kept.retain(|t| t.config % 2 == 1);
        assert_eq!(configs(&kept), [1, 3, 7, 9, 11]);
    }
}
