//! A regressor of Table 6 in an evaluation: fitted anew without each target GPU, beside the models that need no fit.

use super::held_out::{MOST_GPU_GROUPS, RegressorScale};
use super::pairs::{PairsOfWorld, RegressorPair};
use super::recipe::{FEWEST_PAIRS, MOST_PAIRS, RegressorRecipe};
use crate::answer::{AnswerTrial, AnswerTrials, Residuals};
use crate::cores;
use crate::evaluate::{EvaluationSetup, EvaluationWorld, ModelOutcome, Refused};
use crate::gpu::GpuId;
use crate::learn::folds::spread_groups;
use crate::learn::{LearnError, Progress};
use std::collections::BTreeSet;

/// The trials of this regressor for targets that it has not seen; only `new-gpu` asks what it can say.
///
/// # Errors
/// [`LearnError::Cancelled`], or what the fit refuses.
pub fn regressor_outcome(
    world: EvaluationWorld<'_>,
    setup: &EvaluationSetup,
    recipe: RegressorRecipe,
    progress: &Progress,
) -> Result<ModelOutcome, LearnError> {
    let all = PairsOfWorld::new(world);
    let known = all.chosen(MOST_PAIRS);
    let groups = spread_groups(&all.targets(), MOST_GPU_GROUPS);
    progress.expect(groups.len());
    let part = |at: usize| {
        progress.check_cancelled()?;
        let part = outcome_of_group(&all, &known, &groups[at], recipe, progress);
        progress.advance(1);
        part
    };
    let parts: Vec<RegressorTrials> = cores::try_collect(groups.len(), part)?;
    let (mut trials, mut refused) = (Vec::new(), Refused::new());
    for part in parts {
        trials.extend(part.trials);
        for (trial, why) in part.refused {
            if setup.scope.has(trial.config_index(), trial.kernel, trial.source, trial.target) {
                *refused.entry(why).or_default() += 1;
            }
        }
    }
    trials.sort_by_key(AnswerTrial::asked_place);
    let mut trials: AnswerTrials = trials.into_iter().collect();
    let residuals = Residuals::from_trials(&trials, true);
    trials.retain(|t| setup.scope.has(t.config_index(), t.kernel, t.source, t.target));
    residuals.widen(&mut trials, |trial| setup.protocol.fold(trial));
    Ok(ModelOutcome { model: recipe.model.id(), trials, refused })
}

/// Answers onto some GPUs, and the questions without one.
#[derive(Default)]
struct RegressorTrials {
    trials: Vec<AnswerTrial>,
    refused: Vec<(AnswerTrial, String)>,
}

fn outcome_of_group(
    all: &PairsOfWorld<'_>,
    known: &[RegressorPair],
    group: &BTreeSet<GpuId>,
    recipe: RegressorRecipe,
    progress: &Progress,
) -> Result<RegressorTrials, LearnError> {
    let mut found = RegressorTrials::default();
    let mut asked: Vec<RegressorPair> = Vec::new();
    for place in all.places.iter().filter(|place| group.contains(&place.target())) {
        match all.pair(place) {
            Ok(pair) => asked.push(pair),
            Err(why) => found.refused.push((place.unanswered_trial(), why)),
        }
    }
    let taught: Vec<&RegressorPair> = known.iter().filter(|pair| pair.is_free_of(group)).collect();
    if taught.len() < FEWEST_PAIRS {
        let why = format!("fewer than {FEWEST_PAIRS} pairs of other GPUs to train on");
        found.refused.extend(asked.iter().map(|pair| (pair.trial, why.clone())));
        return Ok(found);
    }
    let fitted = recipe.plan(RegressorScale::Raw).fit(&taught, &progress.aside())?;
    let said = fitted.predicted_ms(&asked.iter().collect::<Vec<_>>())?;
    for (pair, milliseconds) in asked.iter().zip(said) {
        if milliseconds > 0.0 {
            found.trials.push(AnswerTrial { predicted: milliseconds / 1e3, ..pair.trial });
        } else {
            found.refused.push((pair.trial, "predicts a time of 0 or less".into()));
        }
    }
    Ok(found)
}
