//! `hybrid`: the time of `ceilings`, corrected by what pairs of other GPUs taught about its errors on this kernel.
//!
//! T = T_ceilings exp(0.5 r), r = boosted trees of ln(measured / T_ceilings) over the question's shares and ratios
//! ([`super::feature_names`]). It abstains, and says so, where nothing was learned, where what was learned is no better on GPUs (or
//! kernels) left out, and where the question lies outside of what it was learned from; the answer is then that of `ceilings`.
//! The lesson never saw a row of the target GPU.

use super::ceilings::{self, Cause, Explanation, Step, feature_names};
use super::lesson::Abstains;
use super::{Amount, Caution, Factor, Prediction, Predictor, Provenance, Question, Refusal, Told, Width};
use crate::units::Seconds;

/// The model.
pub(super) struct Hybrid;

/// As typed.
pub const ID: &str = "hybrid";

const RULE: &str = "half of what boosted trees learned of `ceilings`' errors on other GPUs";

impl Predictor for Hybrid {
    fn id(&self) -> &'static str {
        ID
    }

    fn summary(&self) -> &'static str {
        "T_ceilings x exp(r/2), r learned from your rows of other GPUs; `ceilings` itself where that is no better"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn is_corrected(&self) -> bool {
        true
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, Refusal> {
        let mut prediction = ceilings::CeilingsModel.predict(q)?;
        match residual(q)? {
            Ok((factor, width)) => {
                prediction.time = Seconds(prediction.time.0 * factor);
                prediction.width = Some(width);
                let amount = Amount::Times(factor);
                prediction.factors.push(Factor::of_target(
                    "learned residual",
                    amount,
                    Provenance::Modelled(RULE),
                ));
            }
            Err(why) => prediction.cautions.push(Caution::Abstains(why)),
        }
        Ok(prediction)
    }

    fn explain(&self, q: &Question<'_>) -> Option<Explanation> {
        let mut explanation = ceilings::CeilingsModel.explain(q)?;
        if let Ok((factor, _)) = residual(q).ok()? {
            let last = explanation.chain.steps.last().map_or(explanation.chain.from, |step| step.time);
            let lesson = q.lesson.map_or((0, 0), |lesson| (lesson.pairs, lesson.gpus.len()));
            let (cause, time) = (Cause::Residual(lesson.0, lesson.1), Seconds(last.0 * factor));
            explanation.chain.steps.push(Step { cause, factor, time });
        }
        Some(explanation)
    }

    fn told(&self, q: &Question<'_>) -> Result<Told, Refusal> {
        let Some(lesson) = q.lesson.filter(|_| askable(q).is_ok()) else {
            return ceilings::CeilingsModel.told(q);
        };
        let (told, features) = ceilings::told_with_features(q)?;
        Ok(match lesson.factor(&features, feature_names) {
            Ok((factor, width)) => Told { time: Seconds(told.time.0 * factor), width: Some(width), ..told },
            Err(_) => told,
        })
    }

    fn time(&self, q: &Question<'_>) -> Result<Seconds, Refusal> {
        self.told(q).map(|told| told.time)
    }
}

/// What the time of `ceilings` is multiplied by, or why by nothing.
fn residual(q: &Question<'_>) -> Result<Result<(f64, Width), Abstains>, Refusal> {
    let Some(lesson) = q.lesson else { return Ok(Err(Abstains::NothingLearned)) };
    if let Err(why) = askable(q) {
        return Ok(Err(why));
    }
    let (_, features) = ceilings::told_with_features(q)?;
    Ok(lesson.factor(&features, feature_names))
}

/// Whether the residual of this question means anything: of another GPU, from a time that somebody measured at this size.
fn askable(q: &Question<'_>) -> Result<(), Abstains> {
    if q.source.gpu.id == q.target.gpu.id {
        return Err(Abstains::SameGpu);
    }
    let timed = q.source_time.as_ref().is_some_and(|t| t.extrapolation == Some(1.0));
    if timed { Ok(()) } else { Err(Abstains::NotTimed) }
}

/// The numbers that a residual is learned from, and ln(measured / predicted) of `ceilings`' time; `None` where the question has
/// no answer, or none from a measured time.
#[must_use]
pub fn residual_features(q: &Question<'_>, measured: Seconds) -> Option<(Vec<f64>, Told, f64)> {
    askable(q).ok()?;
    let (told, features) = ceilings::told_with_features(q).ok()?;
    let ln = (measured / told.time).ln();
    (ln.is_finite() && features.iter().all(|x| x.is_finite())).then_some((features, told, ln))
}
