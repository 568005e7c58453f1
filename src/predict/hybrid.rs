//! `hybrid`: the time of `components`, corrected by what pairs of other GPUs taught about its errors on this kernel.
//!
//! T = T_components exp(0.5 r), r = boosted trees of ln(measured / T_components) over the question's shares and ratios
//! ([`super::feature_names`]). It abstains, and says so, where nothing was learned, where what was learned is no better on GPUs (or
//! kernels) left out, and where the question lies outside of what it was learned from; the answer is then that of `components`.
//! The lesson never saw a row of the target GPU. On a GPU with numbers changed, which nobody built, the correction is that of the
//! GPU it is based on.

use super::breakdown::Cause;
use super::components::{self, feature_names};
use super::lesson::Abstains;
use super::{Caution, ModelRates, ModelRefusal, Prediction, Predictor, Question, TimeEstimate, Width};
use crate::units::Seconds;

/// The model.
pub(super) struct HybridModel;

/// As typed.
pub const ID: &str = "hybrid";

impl Predictor for HybridModel {
    fn id(&self) -> &'static str {
        ID
    }

    fn method_summary(&self) -> &'static str {
        "T_components x exp(r/2), r learned from your rows of other GPUs; `components` itself where that is no better"
    }

    fn needs_source(&self) -> bool {
        true
    }

    // Trees see shares of components, which change with a number: what they add to the base GPU's time is held.
    fn model_of_changes(&self) -> Option<&'static str> {
        Some(components::ID)
    }

    fn is_corrected(&self) -> bool {
        true
    }

    fn rates(&self) -> ModelRates {
        ModelRates::Sustained
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, ModelRefusal> {
        let mut prediction = components::ComponentsModel.predict(q)?;
        match residual(q)? {
            Ok((factor, width)) => {
                let (pairs, gpus) = q.lesson.map_or((0, 0), |lesson| (lesson.pairs, lesson.gpus.len()));
                prediction.multiply(Cause::Residual(pairs, gpus), factor);
                prediction.width = Some(width);
            }
            Err(why) => prediction.cautions.push(Caution::Abstains(why)),
        }
        Ok(prediction)
    }

    fn estimate(&self, q: &Question<'_>) -> Result<TimeEstimate, ModelRefusal> {
        let Some(lesson) = q.lesson.filter(|_| askable(q).is_ok()) else {
            return components::ComponentsModel.estimate(q);
        };
        let (found, features) = components::estimate_with_features(q)?;
        Ok(match lesson.time_factor(&features, feature_names) {
            Ok((factor, width)) => {
                TimeEstimate { time: Seconds(found.time.0 * factor), width: Some(width), ..found }
            }
            Err(_) => found,
        })
    }

    fn predicted_time(&self, q: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        self.estimate(q).map(|found| found.time)
    }
}

/// What the time of `components` is multiplied by, or why by nothing.
fn residual(q: &Question<'_>) -> Result<Result<(f64, Width), Abstains>, ModelRefusal> {
    let Some(lesson) = q.lesson else { return Ok(Err(Abstains::NothingLearned)) };
    if let Err(why) = askable(q) {
        return Ok(Err(why));
    }
    let (_, features) = components::estimate_with_features(q)?;
    Ok(lesson.time_factor(&features, feature_names))
}

/// Whether the residual of this question means anything: of another GPU, from a time that somebody measured at this size.
fn askable(q: &Question<'_>) -> Result<(), Abstains> {
    if q.source.gpu.id == q.target.gpu.id {
        return Err(Abstains::SameGpu);
    }
    let timed = q.source_time.as_ref().is_some_and(|t| t.extrapolation == Some(1.0));
    if timed { Ok(()) } else { Err(Abstains::NotTimed) }
}

/// The numbers that a residual is learned from, and ln(measured / predicted) of `components`' time; `None` where the question has
/// no answer, or none from a measured time.
#[must_use]
pub fn residual_features(q: &Question<'_>, measured: Seconds) -> Option<(Vec<f64>, TimeEstimate, f64)> {
    askable(q).ok()?;
    let (found, features) = components::estimate_with_features(q).ok()?;
    let ln = (measured / found.time).ln();
    (ln.is_finite() && features.iter().all(|x| x.is_finite())).then_some((features, found, ln))
}
