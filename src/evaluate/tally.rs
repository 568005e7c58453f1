//! What a model answered and what it refused, while an evaluation runs.

use crate::answer::AnswerTrial;
use crate::predict::ModelRefusal;
use std::collections::BTreeMap;

/// Questions without an answer, by reason.
pub type Refused = BTreeMap<String, usize>;

/// One model's answers so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) trials: Vec<AnswerTrial>,
    refused: Refused,
}

impl Tally {
    /// Counts a question that could not be put.
    pub(super) fn count_refusal(&mut self, why: &str) {
        match self.refused.get_mut(why) {
            Some(n) => *n += 1,
            None => drop(self.refused.insert(why.to_string(), 1)),
        }
    }

    /// Counts a refusal under its reason, without the numbers that differ from question to question.
    pub(super) fn refuse_for(&mut self, why: &ModelRefusal) {
        self.count_refusal(&reason(why));
    }

    pub(super) fn take(&mut self, part: Self) {
        self.trials.extend(part.trials);
        for (why, n) in part.refused {
            *self.refused.entry(why).or_default() += n;
        }
    }

    pub(super) fn into_refused(self) -> Refused {
        self.refused
    }
}

/// A refusal without the numbers that differ from question to question.
pub(super) fn reason(why: &ModelRefusal) -> String {
    match why {
        ModelRefusal::CannotLaunch { gpu, .. } => format!("cannot launch on {gpu}"),
        ModelRefusal::DoesNotFit { gpu, .. } => format!("does not fit the memory of {gpu}"),
        ModelRefusal::NotCompiled { gpu, .. } => format!("not compiled for {gpu}"),
        ModelRefusal::LacksFeature { gpu, feature, .. } => format!("{gpu} lacks {}", feature.as_str()),
        ModelRefusal::NoCount { missing, .. } => format!("not counted: {missing}"),
        ModelRefusal::NoCounts { missing, .. } => format!("not counted: {missing}"),
        ModelRefusal::NoRate { what, gpu, .. } => format!("no {what} of {gpu} is known"),
        ModelRefusal::NoWork { .. } => "neither FLOPs nor DRAM bytes are known".into(),
        ModelRefusal::NoSourceTime { gpu, .. } => format!("no time on {gpu}"),
        ModelRefusal::AtomicsBind { .. } => "same-address atomics bind".into(),
        other => other.to_string(),
    }
}
