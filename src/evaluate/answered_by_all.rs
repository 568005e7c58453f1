//! The trials that every model has: models that refuse different questions are compared on what all of them answered.

use super::setup::ModelOutcome;
use crate::answer::TrialPlaces;

/// For each outcome, in their order, the places among its trials of those whose questions every one of them answered. A model
/// that answered nothing at all takes nothing from the others.
#[must_use]
pub fn answered_by_all(outcomes: &[ModelOutcome]) -> Vec<TrialPlaces> {
    // Trials come by configuration, target and source, in every outcome of one evaluation.
    let answering = || outcomes.iter().filter(|o| !o.trials.is_empty());
    let Some(fewest) = answering().min_by_key(|o| o.trials.len()) else {
        return vec![TrialPlaces::default(); outcomes.len()];
    };
    let mut common = TrialPlaces::all_below(fewest.trials.len());
    for outcome in answering() {
        let mut rest = outcome.trials.iter().map(|t| t.asked_place()).peekable();
        let mut of_fewest = fewest.trials.reader();
        let mut has = |place: &usize| {
            let asked = of_fewest.trial(*place).asked_place();
            while rest.next_if(|other| *other < asked).is_some() {}
            rest.peek() == Some(&asked)
        };
        common = common.iter().filter(|place| has(place)).collect();
    }
    let of = |outcome: &ModelOutcome| -> TrialPlaces {
        let mut left = fewest.trials.chosen(common.iter()).map(|t| t.asked_place()).peekable();
        let asked = outcome.trials.iter().enumerate();
        asked.filter(|(_, t)| left.next_if_eq(&t.asked_place()).is_some()).map(|(place, _)| place).collect()
    };
    outcomes.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::AnswerTrial;

    fn outcome(places: &[(usize, usize, usize)]) -> ModelOutcome {
        let trial = |(config, target, source): &(usize, usize, usize)| AnswerTrial {
            config: u32::try_from(*config).unwrap(),
            ..AnswerTrial::of_pair(*source, *target)
        };
        ModelOutcome { model: "", trials: places.iter().map(trial).collect(), refused: Default::default() }
    }

    #[test]
    fn only_what_every_model_answered_is_kept_in_every_one() {
        let all = [
            outcome(&[(0, 1, 2), (0, 2, 1), (1, 1, 2), (4, 1, 2)]),
            outcome(&[(0, 2, 1), (1, 1, 2), (3, 1, 2), (4, 1, 2)]),
            outcome(&[(0, 1, 2), (0, 2, 1), (4, 1, 2), (5, 1, 2)]),
        ];
        for (outcome, places) in all.iter().zip(answered_by_all(&all)) {
            let places: Vec<_> = outcome
                .trials
                .chosen(places.iter())
                .map(|t| (t.config_index(), t.target.index(), t.source.index()))
                .collect();
            assert_eq!(places, [(0, 2, 1), (4, 1, 2)]);
        }
        let silent = answered_by_all(&[outcome(&[(0, 1, 2)]), outcome(&[])])
            .iter()
            .map(TrialPlaces::len)
            .collect::<Vec<_>>();
        assert_eq!(silent, [1, 0], "who says nothing takes nothing");
        assert!(answered_by_all(&[]).is_empty());
    }
}
