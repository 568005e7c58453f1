//! What the models say of a group on every target: asked group by group, so that a group's own terms are worked out once.

use super::asked::{AskedGroups, GroupQuestion};
use super::group_forecast::{ForecastBasis, GroupForecast, TimeRange, ratio_or_one};
use crate::answer::{Settings, TargetsQuestion};
use crate::gpu::GpuId;
use crate::predict::{SourceKind, TimeEstimate};
use crate::units::Seconds;

/// In ln: a product that took more than twice or less than half of what the operator model gives for its own GPU runs as
/// another kernel than those the model is made of (odd alignments, tiny batches). Assumed.
const FAR_FROM_MODEL: f64 = std::f64::consts::LN_2;

/// A group with an answer, and how far, in ln, the operator model is from its recorded time, where that answered.
struct AnsweredGroup {
    forecast: GroupForecast,
    off: f64,
}

impl AnsweredGroup {
    /// Whether its recorded time is near what the operator model is made of.
    fn is_near_model(&self) -> bool {
        self.off <= FAR_FROM_MODEL
    }
}

/// On which GPUs groups are asked about, and how.
#[derive(Clone, Copy)]
pub(super) struct GroupTargets<'a> {
    pub(super) source: GpuId,
    pub(super) targets: &'a [GpuId],
    pub(super) settings: Settings,
}

/// That of the operator where it is near its model, else that of the kernel; where the library's own kernel cannot run there, the
/// operator may, and its reason says more.
fn nearer_answer(
    operator: Result<AnsweredGroup, String>,
    kernel: Result<AnsweredGroup, String>,
) -> Result<AnsweredGroup, String> {
    match (operator, kernel) {
        (Ok(near), _) if near.is_near_model() => Ok(near),
        (_, Ok(found)) | (Ok(found), Err(_)) => Ok(found),
        (Err(why), Err(_)) => Err(why),
    }
}

impl GroupTargets<'_> {
    /// On every target the answer that any kernel would get: that of the operator model where the recorded time is near what it is
    /// calibrated on, else that of a kernel with these counts and this launch. Or why there is none.
    pub(super) fn answers(
        self,
        asked: &AskedGroups,
        place: usize,
        mean: Seconds,
    ) -> Vec<Result<GroupForecast, String>> {
        let operators = asked.as_operator(place).map(|q| self.answers_of(&q, mean, ForecastBasis::Operator));
        let is_near =
            |answer: &Result<AnsweredGroup, String>| answer.as_ref().is_ok_and(AnsweredGroup::is_near_model);
        let as_kernel = || match asked.as_kernel(place) {
            Ok(question) => self.answers_of(&question, mean, ForecastBasis::Counts),
            Err(why) => self.targets.iter().map(|_| Err(why.clone())).collect(),
        };
        let answers = match operators {
            None => as_kernel(),
            Some(all) if all.iter().all(is_near) => all,
            Some(all) => {
                let both = all.into_iter().zip(as_kernel());
                both.map(|(operator, kernel)| nearer_answer(operator, kernel)).collect()
            }
        };
        answers.into_iter().map(|answer| answer.map(|found| found.forecast)).collect()
    }

    /// The answers to one question, scaled from the time of its row to the mean of the group.
    fn answers_of(
        self,
        asked: &GroupQuestion<'_>,
        mean: Seconds,
        basis: ForecastBasis,
    ) -> Vec<Result<AnsweredGroup, String>> {
        let GroupTargets { source, targets, settings } = self;
        let Some(first) = targets.first() else { return Vec::new() };
        // The time on the source is the same whatever the target.
        let of_source = asked.session.answer(asked.subject, source, *first, settings).source_time;
        let of_source = of_source.filter(|t| t.kind != SourceKind::Estimated).map(|t| t.time);
        let machines = asked.session.machines();
        let question = TargetsQuestion { subject: asked.subject, source, targets, settings };
        let estimates = asked.session.estimates_on(&machines, question);
        let answered = |estimate: TimeEstimate| {
            let on_source = of_source.ok_or("its time on the source was not taken")?;
            let interval = estimate.interval.ok_or("no interval is known for it")?;
            let time = TimeRange { value: estimate.time, low: interval.low, high: interval.high };
            let off = estimate.doubt.map_or(0.0, |doubt| 2.0 * doubt.efficiency);
            let time = time.scaled(ratio_or_one(mean, on_source));
            Ok(AnsweredGroup {
                forecast: GroupForecast { time, basis, limit: estimate.limit, reason: None },
                off,
            })
        };
        estimates.into_iter().map(|found| found.map_err(|why| why.to_string()).and_then(answered)).collect()
    }
}
