//! Every model on the rows to evaluate, and on the questions among them that are like the one in hand; which one is used,
//! and why.

use super::trained::ModelVerdict;
use crate::answer::{AnswerTrials, TrialPlaces};
use crate::evaluate::like::{Like, LikeQuestion, groups, narrowest, too_few};
use crate::evaluate::{
    EvaluationSetup, EvaluationWorld, ModelOutcome, Progress, Protocol, Score, evaluate, score,
};
use crate::measurement::{Store, TimingKind};
use crate::predict::{BASELINES, CORRECTIONS_HELP, HYBRID, MODELS, ModelId, Predictor};
use crate::units::significant;

/// What a survey asks.
#[derive(Debug, Clone, Default)]
pub struct SurveyOf {
    /// How it is evaluated.
    pub setup: EvaluationSetup,
    /// The question in hand.
    pub wanted: LikeQuestion,
    /// The model in use, by its place.
    pub used: ModelId,
    /// Whether a person chose it; else it is the default one.
    pub chosen: bool,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Survey {
    /// What was held out.
    pub protocol: Protocol,
    /// Whose rows: how many, and whether they are the user's.
    pub rows: String,
    /// The questions like the one in hand, in words.
    pub like: String,
    /// Why those are not closer to it.
    pub too_few: Option<String>,
    /// Every model, in the order of [`MODELS`].
    pub models: Vec<Surveyed>,
}

impl Survey {
    /// The questions like the one in hand, and why they are no closer to it.
    #[must_use]
    pub fn like_with_reason(&self) -> String {
        let reason = self.too_few.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        format!("{}{reason}", self.like)
    }
}

/// One model.
#[derive(Debug, Clone, Default)]
pub struct Surveyed {
    /// Its place in [`MODELS`].
    pub model: ModelId,
    /// Over every question.
    pub overall: Option<Score>,
    /// Over those like the one in hand.
    pub of_like: Option<Score>,
    /// The most frequent reason it gave for no answer.
    pub refused: Option<String>,
    /// Whether it is used, and why.
    pub verdict: ModelVerdict,
}

/// With more rows than these, models are judged one after the other.
const MANY: usize = 100_000;

/// Measures every model on these rows; `None` if it was cancelled.
#[must_use]
pub fn survey(world: EvaluationWorld<'_>, of: &SurveyOf, progress: &Progress) -> Option<Survey> {
    // What models said of a million rows is most of what is in memory: two of them then, that in use and one beside it.
    let at_once = if world.store.len() > MANY { 1 } else { MODELS.len() };
    let mut setup = EvaluationSetup { forgets_doubts: true, ..of.setup.clone() };
    let evaluated = |models: &[ModelId], setup: &EvaluationSetup| {
        let models: Vec<&dyn Predictor> = models.iter().map(|m| MODELS[*m]).collect();
        evaluate(world, setup, &models, progress)
    };
    let used = evaluated(&[of.used], &setup)?.pop()?;
    setup.known_cases = Some(used.trials.cases());
    let groups = groups(world, of.wanted);
    let like = narrowest(&groups, &used);
    let too_few = too_few(&groups, &like, &used);
    let mut models = vec![surveyed(of.used, &used, of, &used, &like)];
    let others: Vec<ModelId> = MODELS.ids().filter(|m| *m != of.used).collect();
    for some in others.chunks(at_once) {
        let outcomes = evaluated(some, &setup)?;
        models.extend(some.iter().zip(&outcomes).map(|(at, o)| surveyed(*at, o, of, &used, &like)));
    }
    models.sort_by_key(|surveyed| surveyed.model.index());
    Some(Survey {
        protocol: of.setup.protocol,
        rows: rows_in_words(world.store),
        like: like.words.clone(),
        too_few,
        models,
    })
}

/// `12 rows of yours and 1 typed kernel`, `56 shipped figures`.
fn rows_in_words(store: &Store) -> String {
    let count = |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    if store.rows().all(|r| r.kind() != TimingKind::Measured) {
        return count(store.len(), "shipped figure", "shipped figures");
    }
    let typed = store.rows().filter(|r| r.is_typed()).count();
    let of_files = count(store.len() - typed, "row of yours", "rows of yours");
    match typed {
        0 => of_files,
        typed => format!("{of_files} and {}", count(typed, "typed kernel", "typed kernels")),
    }
}

fn surveyed(
    at: ModelId,
    outcome: &ModelOutcome,
    of: &SurveyOf,
    used: &ModelOutcome,
    like: &Like,
) -> Surveyed {
    let trials = &outcome.trials;
    let of_like: TrialPlaces =
        trials.iter().enumerate().filter(|(_, t)| like.has(t)).map(|(place, _)| place).collect();
    let most = outcome.refused.iter().max_by_key(|(_, n)| **n);
    let refused = most.map(|(why, n)| format!("{why} ({n} of {})", outcome.asked()));
    let score_of_like = score(trials.chosen(of_like.iter()));
    let own = OwnTrials { trials, of_like: &of_like };
    let verdict = verdict(at, own, refused.as_deref(), of, used, like);
    Surveyed { model: at, overall: score(outcome.trials.iter()), of_like: score_of_like, refused, verdict }
}

/// What a model answered, and the places of what is like the question in hand.
#[derive(Clone, Copy)]
struct OwnTrials<'a> {
    trials: &'a AnswerTrials,
    of_like: &'a TrialPlaces,
}

/// Whether a model is used, and why: compared with the one in use on the questions that both answered.
fn verdict(
    at: ModelId,
    OwnTrials { trials, of_like }: OwnTrials<'_>,
    refused: Option<&str>,
    of: &SurveyOf,
    of_used: &ModelOutcome,
    like: &Like,
) -> ModelVerdict {
    let id = MODELS[of.used].id();
    if at == of.used {
        let chosen = match of.used == ModelId::default() {
            true if !of.chosen => "the default",
            false if !of.chosen && id == HYBRID => CORRECTIONS_HELP,
            _ => "chosen",
        };
        let error = score(trials.chosen(of_like.iter()))
            .map_or("nothing measured to judge it by".into(), |s| {
                format!("MAPE {} % on {} cases", significant(s.errors.mape_percent), s.errors.n)
            });
        return ModelVerdict { used: true, why: format!("{chosen}: {error}") };
    }
    let no = |why: String| ModelVerdict { used: false, why };
    if of_like.is_empty() {
        return no(
            refused.map_or_else(|| "no case to judge it by".into(), |why| format!("not applicable: {why}"))
        );
    }
    // Trials come in the order of their places, in every outcome of one evaluation.
    let theirs = of_used.trials.iter().enumerate().filter(|(_, t)| like.has(t));
    let mut theirs = theirs.map(|(place, t)| (t.asked_place(), place)).peekable();
    let (mut both, mut theirs_of_both) = (TrialPlaces::default(), TrialPlaces::default());
    for (place, own) in of_like.iter().zip(trials.chosen(of_like.iter())) {
        let asked = own.asked_place();
        while theirs.next_if(|(other, _)| *other < asked).is_some() {}
        if let Some((_, other)) = theirs.next_if(|(other, _)| *other == asked) {
            both.insert(place);
            theirs_of_both.insert(other);
        }
    }
    let other = score(of_used.trials.chosen(theirs_of_both.iter()));
    let (own, other) = (score(trials.chosen(both.iter())), other);
    let (Some(own), Some(other)) = (own, other) else {
        return no(format!("no case that {id} covers too"));
    };
    let [own_error, other_error] = [own, other].map(|s| s.errors.mape_percent);
    let numbers = format!(
        "{} vs {} % on the {} cases both cover",
        significant(own_error),
        significant(other_error),
        both.len()
    );
    let baseline = if BASELINES.contains(&MODELS[at].id()) { "a baseline; " } else { "" };
    if own_error == other_error {
        return no(format!("{baseline}the same as {id}: {numbers}"));
    }
    no(if own_error < other_error {
        format!("{baseline}better than {id}: {numbers}; --model {} takes it", MODELS[at].id())
    } else {
        format!("{baseline}worse than {id}: {numbers}")
    })
}
