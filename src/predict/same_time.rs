//! `same-time`: the target takes as long as the source. The baseline that every model must beat.
//!
//! T_t = T_s. No assumption about the GPUs at all. Where only another size was timed on the source, T_s is that time scaled by
//! the ratio of roofline times, as for every model.

use super::breakdown::MadeOf;
use super::{
    Amount, Factor, ModelRates, ModelRefusal, Prediction, Predictor, Provenance, Question, bound_on, sound,
};
use crate::predict::{SourceKind, SourceTime};
use crate::units::Seconds;

/// As typed.
pub(super) const ID: &str = "same-time";

/// The baseline.
pub(super) struct SameTime;

impl Predictor for SameTime {
    fn id(&self) -> &'static str {
        ID
    }

    fn method_summary(&self) -> &'static str {
        "T_t = T_s, scaled with the roofline where only another size was measured: the baseline every model must beat"
    }

    fn needs_source(&self) -> bool {
        true
    }

    fn takes_source_time(&self) -> bool {
        true
    }

    fn rates(&self) -> ModelRates {
        ModelRates::Unused
    }

    fn predict(&self, q: &Question<'_>) -> Result<Prediction, ModelRefusal> {
        let time = self.predicted_time(q)?;
        let known = needed_source(q, self.id())?;
        Ok(Prediction {
            time,
            bound_source: bound_on(q.source.gpu, q.kernel, &q.work, q.ceilings),
            bound_target: bound_on(q.target.gpu, q.kernel, &q.work, q.ceilings),
            efficiency: None,
            factors: vec![source_factor(known)],
            cautions: q.question_cautions(true),
            levels: None,
            doubt: None,
            width: None,
            adjustments: Vec::new(),
            made_of: MadeOf::source_times(known, Vec::new()),
        })
    }

    fn predicted_time(&self, q: &Question<'_>) -> Result<Seconds, ModelRefusal> {
        q.target.feasible(&q.work)?;
        sound(needed_source(q, self.id())?.work_scaled, self.id())
    }
}

/// The source time, or why there is none.
pub(super) fn needed_source<'q>(
    q: &'q Question<'_>,
    model: &'static str,
) -> Result<&'q SourceTime, ModelRefusal> {
    q.source.feasible(&q.work)?;
    q.source_time.as_ref().ok_or_else(|| ModelRefusal::NoSourceTime { model, gpu: q.source.gpu.id.clone() })
}

/// The first link of every chain that starts from a time.
pub(super) fn source_factor(known: &SourceTime) -> Factor {
    let from = match (known.kind, known.extrapolation) {
        (SourceKind::Measured | SourceKind::Published, _) => {
            Provenance::Stated(known.kind.origin(), known.source.clone())
        }
        (SourceKind::Estimated, Some(_)) => {
            Provenance::Modelled("nearest measured size x ratio of roofline times")
        }
        (SourceKind::Estimated, None) => Provenance::Modelled("roof and typical efficiency on the source"),
    };
    Factor::shared("source time", Amount::Time(known.work_scaled), from)
}
