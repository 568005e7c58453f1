//! What the models say of a group on every target: asked group by group, so that a group's own terms are worked out once.

use super::asked::{AskedGroups, GroupQuestion};
use super::group::KernelGroup;
use super::group_forecast::{ForecastBasis, GroupForecast, NoAnswer, TimeRange, ratio_or_one};
use crate::answer::{Answer, Settings, TargetsQuestion};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::Launch;
use crate::occupancy::{BlockNeeds, launch_refusal};
use crate::predict::{Caution, ModelRefusal, SourceKind, TimeEstimate, operator_time};
use crate::units::{Hertz, Seconds};
use std::iter;

/// In ln: a product that took more than twice or less than half of what the operator model gives for its own GPU runs as
/// another kernel than those the model is made of (odd alignments, tiny batches). Assumed.
const FAR_FROM_MODEL: f64 = std::f64::consts::LN_2;

/// On which GPUs groups are asked about, and how.
#[derive(Clone, Copy)]
pub(super) struct GroupTargets<'a> {
    pub(super) source: GpuId,
    pub(super) targets: &'a [GpuId],
    pub(super) settings: Settings,
}

impl GroupTargets<'_> {
    /// On every target the answer that any kernel would get: that of the operator model where the recorded time is near what it gives
    /// for the source, else that of a kernel with these counts and this launch. The source alone decides, so that no group changes its
    /// model with a target's clock; the other model stands in where the first gives no time on a target. Or why there is none.
    pub(super) fn answers(
        self,
        asked: &AskedGroups,
        place: usize,
        group: &KernelGroup,
        gpus: &Catalogue<Gpu>,
    ) -> Vec<Result<GroupForecast, NoAnswer>> {
        let mean = group.mean();
        let as_kernel = || match asked.as_kernel(place) {
            Ok(question) => self.answers_of(&question, mean, ForecastBasis::Counts),
            Err(why) => {
                let not_asked = |target: &GpuId| {
                    let refusal = refused_launch(group, &gpus[*target]);
                    Err(refusal.unwrap_or_else(|| NoAnswer::NotModelled(why.clone())))
                };
                self.targets.iter().map(not_asked).collect()
            }
        };
        let Some(operator) = asked.as_operator(place) else { return as_kernel() };
        let operators = self.answers_of(&operator, mean, ForecastBasis::Operator);
        let is_near = self.is_near_model(&operator, mean);
        if is_near && operators.iter().all(Result::is_ok) {
            return operators;
        }
        let both = operators.into_iter().zip(as_kernel());
        // Where neither gives a time, the operator's reason says more.
        let chosen = |(operator, kernel): (Result<_, NoAnswer>, Result<_, NoAnswer>)| match (operator, kernel)
        {
            (Ok(found), Err(_)) => Ok(found),
            (Ok(found), _) if is_near => Ok(found),
            (_, Ok(found)) => Ok(found),
            (Err(why), Err(_)) => Err(why),
        };
        both.map(chosen).collect()
    }

    /// Whether the recorded time is near what the operator model gives for the source.
    fn is_near_model(self, asked: &GroupQuestion<'_>, mean: Seconds) -> bool {
        let modelled = operator_time(&asked.session.gpus[self.source], asked.subject);
        modelled.is_some_and(|modelled| (mean / modelled).ln().abs() <= FAR_FROM_MODEL)
    }

    /// On every target the ends of the interval of a kernel of which nothing but a time is known, over its predicted time.
    pub(super) fn time_alone_ends(self, asked: &AskedGroups) -> Vec<Option<[f64; 2]>> {
        let Some(GroupQuestion { session, subject }) = asked.as_time_alone() else {
            return vec![None; self.targets.len()];
        };
        let GroupTargets { source, targets, settings } = self;
        let question = TargetsQuestion { subject, source, targets, settings };
        let estimates = session.estimates_on(&session.machines(), question).into_iter();
        let ends = |found: TimeEstimate| found.interval.map(|interval| interval.ends_over(found.time));
        estimates.map(|found| found.ok().and_then(ends)).collect()
    }

    /// The answers to one question, scaled from the time of its row to the mean of the group.
    fn answers_of(
        self,
        asked: &GroupQuestion<'_>,
        mean: Seconds,
        basis: ForecastBasis,
    ) -> Vec<Result<GroupForecast, NoAnswer>> {
        let GroupTargets { source, targets, settings } = self;
        let Some((first, others)) = targets.split_first() else { return Vec::new() };
        // The time on the source, and how far it is from its roof, are the same whatever the target.
        let on = |target: GpuId| asked.session.answer(asked.subject, source, target, settings);
        let answer = on(*first);
        let is_limited = |target: &GpuId| asked.session.gpus[*target].lowered_from().is_some();
        let (limited, plain): (Vec<GpuId>, Vec<GpuId>) = others.iter().partition(|at| is_limited(at));
        let of_whole = |answer: &Answer| (answer.estimate_or_refusal(), clock_at_limit(answer));
        let mut whole = limited.into_iter().map(|target| of_whole(&on(target)));
        let mut brief = Vec::new();
        if !plain.is_empty() {
            let question = TargetsQuestion { subject: asked.subject, source, targets: &plain, settings };
            brief = asked.session.estimates_on(&asked.session.machines(), question);
        }
        let mut brief = brief.into_iter().map(|found| (found, None));
        let of_others =
            others.iter().filter_map(|at| if is_limited(at) { whole.next() } else { brief.next() });
        let (estimates, clocks): (Vec<_>, Vec<_>) = iter::once(of_whole(&answer)).chain(of_others).unzip();
        let of_source = answer.source_time.filter(|t| t.kind != SourceKind::Estimated).map(|t| t.time);
        // Nothing is said of a roof where the target leaves the time as it is.
        let is_moved = |found: &TimeEstimate| Some(found.time) != of_source;
        let moved = targets.iter().zip(&estimates).find(|(_, found)| found.as_ref().is_ok_and(is_moved));
        let prediction = match moved {
            Some((target, _)) if target != first => on(*target).prediction,
            _ => answer.prediction,
        };
        let is_far = prediction.is_ok_and(|found| found.is_far_below_roof());
        let answered = |estimate: TimeEstimate, clock_at_limit: Option<Hertz>| {
            let not_modelled = |why: &str| NoAnswer::NotModelled(why.into());
            let far_below_roof = is_far && is_moved(&estimate);
            let on_source = of_source.ok_or_else(|| not_modelled("its time on the source was not taken"))?;
            let interval = estimate.interval.ok_or_else(|| not_modelled("no interval is known for it"))?;
            let time = TimeRange { value: estimate.time, low: interval.low, high: interval.high };
            let time = time.scaled(ratio_or_one(mean, on_source));
            let limit = estimate.limit;
            Ok(GroupForecast { time, basis, limit, far_below_roof, clock_at_limit, reason: None })
        };
        let refused = |why: ModelRefusal| match why.cannot_start() {
            true => NoAnswer::CannotStart(why.beside_its_gpu()),
            false => NoAnswer::NotModelled(why.to_string()),
        };
        let all = estimates.into_iter().zip(clocks);
        all.map(|(found, clock)| answered(found.map_err(refused)?, clock)).collect()
    }
}

/// The SM clock that its power limit leaves the target of this answer, where that is a lower one.
fn clock_at_limit(answer: &Answer) -> Option<Hertz> {
    let cautions = &answer.prediction.as_ref().ok()?.cautions;
    cautions.iter().find_map(|caution| match caution {
        Caution::PowerCapped { clocks: [_, left], .. } => Some(Hertz(*left)),
        _ => None,
    })
}

/// That the recorded block of a group without counts does not fit an SM of this GPU.
fn refused_launch(group: &KernelGroup, gpu: &Gpu) -> Option<NoAnswer> {
    let launch = Launch { block: group.block?, grid: group.grid?.map(u64::from) };
    let smem_dynamic = group.shared_bytes.unwrap_or(0);
    // Registers are those of another build.
    let needs = BlockNeeds { threads: launch.threads(), smem_dynamic, ..BlockNeeds::default() };
    let why = launch_refusal(&gpu.cuda.limits, needs, Some(&launch))?;
    Some(NoAnswer::CannotStart(why.to_string()))
}
