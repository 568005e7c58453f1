//! What a model answered and what it refused, while an evaluation runs.

use crate::answer::{AnswerTrial, AnswerTrials, AskedCases, CaseAnswers, CollectedCases};
use crate::predict::ModelRefusal;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Questions without an answer, by reason.
pub type Refused = BTreeMap<String, usize>;

/// What every model answered so far.
#[derive(Debug, Clone)]
pub(super) struct Tallies {
    cases: CollectedCases,
    models: Vec<ModelTally>,
}

/// One model's answers so far.
#[derive(Debug, Clone, Default)]
struct ModelTally {
    answers: CaseAnswers,
    refused: Refused,
}

/// What one model answered, and what it refused.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) trials: AnswerTrials,
    pub(super) refused: Refused,
}

impl Tallies {
    /// Of this many models, before any question.
    pub(super) fn new(models: usize) -> Self {
        Self::beside(None, models)
    }

    /// The same, beside an evaluation of the same rows that asked these.
    pub(super) fn beside(known: Option<Arc<AskedCases>>, models: usize) -> Self {
        Self { cases: CollectedCases::beside(known), models: vec![ModelTally::default(); models] }
    }

    /// Counts a question that could not be put to any model.
    pub(super) fn count_refusal(&mut self, why: &str) {
        self.models.iter_mut().for_each(|model| model.count_refusal(why));
    }

    /// What the models say of one question, in their order: a trial, or a refusal that counts.
    pub(super) fn take_answers(
        &mut self,
        answers: impl Iterator<Item = Result<AnswerTrial, Option<ModelRefusal>>>,
    ) {
        let case = self.cases.len();
        for (model, answer) in self.models.iter_mut().zip(answers) {
            match answer {
                Ok(trial) => {
                    if self.cases.len() == case {
                        self.cases.push(&trial);
                    }
                    model.answers.push(case, &trial);
                }
                Err(why) => why.iter().for_each(|why| model.count_refusal(&reason(why))),
            }
        }
    }

    /// Puts a part behind this one.
    pub(super) fn take(&mut self, part: Self) {
        let places = self.cases.append(&part.cases.into_cases());
        for (model, part) in self.models.iter_mut().zip(part.models) {
            model.answers.append(&part.answers, &places);
            for (why, n) in part.refused {
                *model.refused.entry(why).or_default() += n;
            }
        }
    }

    /// Each model's own, in their order.
    pub(super) fn into_models(self) -> Vec<Tally> {
        let cases = self.cases.into_cases();
        let tally = |ModelTally { answers, refused }| Tally {
            trials: AnswerTrials::new(cases.clone(), answers),
            refused,
        };
        self.models.into_iter().map(tally).collect()
    }
}

impl ModelTally {
    fn count_refusal(&mut self, why: &str) {
        match self.refused.get_mut(why) {
            Some(n) => *n += 1,
            None => drop(self.refused.insert(why.to_string(), 1)),
        }
    }
}

/// A refusal without the numbers that differ from question to question.
pub(super) fn reason(why: &ModelRefusal) -> String {
    match why {
        ModelRefusal::CannotLaunch { gpu, .. } => format!("cannot launch on {gpu}"),
        ModelRefusal::RefusedSource { gpu, .. } => format!("cannot launch on {gpu}, where it was timed"),
        ModelRefusal::DoesNotFit { gpu, .. } => format!("does not fit the memory of {gpu}"),
        ModelRefusal::NotCompiled { gpu, .. } => format!("not compiled for {gpu}"),
        ModelRefusal::LacksFeature { gpu, feature, .. } => format!("{gpu} lacks {}", feature.as_str()),
        ModelRefusal::ImpossibleSource { gpu, feature, .. } => {
            format!("{gpu} lacks {} of its own times", feature.as_str())
        }
        ModelRefusal::NoCount { missing, .. } => format!("not counted: {missing}"),
        ModelRefusal::NoCounts { missing, .. } => format!("not counted: {missing}"),
        ModelRefusal::NoRate { what, gpu, .. } => format!("no {what} of {gpu} is known"),
        ModelRefusal::NoWork { .. } | ModelRefusal::NeitherTimeNorWork { .. } => {
            "neither FLOPs nor DRAM bytes are known".into()
        }
        ModelRefusal::NoSourceTime { gpu, .. } => format!("no time on {gpu}"),
        ModelRefusal::AtomicsBind { .. } => "same-address atomics bind".into(),
        other => other.to_string(),
    }
}
