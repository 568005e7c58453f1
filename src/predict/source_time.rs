//! The time on the source: measured, published, or an estimate that is marked as one.

use super::barred::barred;
use super::components::is_launch_limited;
use super::components::{ResizedTime, resized, unmeasured};
use super::floor::LaunchCost;
use super::operators::{modelled as modelled_operator, resized_operator};
use super::side::QuestionSide;
use super::source::{SourceKind, SourceTime};
use super::subject::Subject;
use super::visible::Visible;
use super::{Caution, Interval, body, components};
use crate::gpu::{Ceilings, GpuId};
use crate::kernel::{Kernel, RunsAs, Work};
use crate::measurement::{Measurement, NearRow};
use crate::occupancy::Rules;
use crate::pair::Pair;
use crate::units::Seconds;

/// What the time on the source is looked up and scaled by.
#[derive(Debug, Clone, Copy)]
pub(super) struct SourceQuestion<'a, 's> {
    pub(super) kernel: &'a Kernel,
    pub(super) subject: &'a Subject,
    /// The work asked for, counters included.
    pub(super) work: &'a Work,
    /// The source's place in the catalogue.
    pub(super) at: GpuId,
    /// The source at the size asked for.
    pub(super) side: &'a QuestionSide<'a>,
    /// What a launch costs on the source.
    pub(super) launch: LaunchCost,
    pub(super) store: Visible<'s>,
    pub(super) rules: Rules,
}

/// How many sizes of an operator say what another one takes: a library picks its kernel by the shape, and one size alone tells of its own.
/// Of 1, 3, 4, 8 and 16 (docs/models.md, "Sizes that were not measured").
const SIZES_OF_OPERATOR: usize = 8;

/// How far apart, in ln of their numbers, sizes count as the same one.
const SAME_SIZE: f64 = 1e-3;

/// Half the width of a 90 % interval of such a mean, in standard deviations of what the sizes give (ln), and what is added to these: of sizes
/// that agree, and of one alone, less by the square of how many weigh. Of 1,860 sizes left out of operators on eight GPUs
/// (docs/models.md).
const HALF_WIDTH: f64 = 2.7;
const AGREEING: f64 = 0.02;
const ALONE: f64 = 0.15;

/// How much of what a roof bends between two sizes, beside the work on the SMs, is doubt: whether buffers stay in L2 is known of neither.
const BEND_DOUBT: f64 = 0.5;

/// The row of this very configuration; else the nearest sizes scaled to this one as `components` does: of an operator the mean of several, of
/// a kernel the nearest, or between two of them interpolated; else, where nobody timed the kernel on this GPU, its roof and the usual efficiency.
pub(super) fn source_time(asked: SourceQuestion<'_, '_>) -> Option<SourceTime> {
    let SourceQuestion { subject, at, store, .. } = asked;
    let exact = subject.config.and_then(|c| store.row_on(c, at));
    if let Some(row) = exact {
        return Some(SourceTime {
            time: row.time,
            work_scaled: row.time,
            kind: row.kind().into(),
            source: row.source().text().into(),
            cautions: Vec::new(),
            extrapolation: Some(1.0),
            distance: 0.0,
            spread: None,
            bend: 0.0,
            in_body: 1.0,
            trials: 0.0,
        });
    }
    if asked.kernel.runs_as == RunsAs::Operator {
        return of_near_sizes(asked).or_else(|| modelled(asked));
    }
    let [near, far] = store.nearest_sizes(subject.kernel, &subject.problem, &subject.variant, at);
    let of_near = near.and_then(|row| scaled(asked, row));
    let of_both = of_near.as_ref().zip(far.and_then(|row| scaled(asked, row)));
    of_both.and_then(|(near, far)| interpolated(near, &far)).or(of_near).or_else(|| modelled(asked))
}

/// What one measured size gives for another, and what it weighs beside others.
struct GivenTime {
    weight: f64,
    time: SourceTime,
}

/// The mean of what the nearest sizes of an operator give, in ln and by the inverse square of how far they are.
fn of_near_sizes(asked: SourceQuestion<'_, '_>) -> Option<SourceTime> {
    let SourceQuestion { subject, at, store, .. } = asked;
    let given_by = |near: NearRow<'_>| {
        let weight = near.distance.max(SAME_SIZE).powi(-2);
        Some(GivenTime { weight, time: scaled(asked, near.row)? })
    };
    let near = store.near_sizes(subject.kernel, &subject.problem, &subject.variant, at, SIZES_OF_OPERATOR);
    let given: Vec<GivenTime> = near.into_iter().filter_map(given_by).collect();
    let mut nearest = given.first()?.time.clone();
    let weight: f64 = given.iter().map(|g| g.weight).sum();
    // As many equally near ones would have this weight.
    let sizes = weight.powi(2) / given.iter().map(|g| g.weight.powi(2)).sum::<f64>();
    let mean = |of: fn(&SourceTime) -> Seconds| {
        let ln: f64 = given.iter().map(|g| g.weight * of(&g.time).0.ln()).sum();
        Seconds((ln / weight).exp())
    };
    let (time, work_scaled) = (mean(|t| t.time), mean(|t| t.work_scaled));
    let squares = given.iter().map(|g| g.weight * (g.time.time / time).ln().powi(2));
    let deviation =
        (squares.sum::<f64>() / weight + AGREEING.powi(2) + (ALONE / sizes.powi(2)).powi(2)).sqrt();
    if let ([_, _, ..], Some(Caution::NearestSize(size))) = (&given[..], nearest.cautions.first()) {
        nearest.cautions[0] = Caution::NearSizes { nearest: size.clone(), sizes: given.len() };
    }
    Some(SourceTime { time, work_scaled, spread: Some(HALF_WIDTH * deviation), ..nearest })
}

/// Between the times that two measured sizes give, linear in ln of time over ln of the roof: equal to each row at its own size. `None`
/// where the roof of the size asked for is not between theirs.
fn interpolated(near: &SourceTime, far: &SourceTime) -> Option<SourceTime> {
    let [from_near, from_far] = [near, far].map(|t| t.extrapolation.map(f64::ln));
    let of_far = from_near? / (from_near? - from_far?);
    if !(0.0..=1.0).contains(&of_far) {
        return None;
    }
    let [near_size, far_size] = [near, far].map(|t| match t.cautions.first() {
        Some(Caution::NearestSize(size)) => Some(size.clone()),
        _ => None,
    });
    let apart = (near.time / far.time).ln().abs();
    let between = |near: Seconds, far: Seconds| Seconds(near.0.powf(1.0 - of_far) * far.0.powf(of_far));
    let mut cautions = near.cautions.clone();
    *cautions.first_mut()? = Caution::BetweenSizes([near_size?, far_size?]);
    Some(SourceTime {
        time: between(near.time, far.time),
        work_scaled: between(near.work_scaled, far.work_scaled),
        cautions,
        bend: 2.0 * of_far * (1.0 - of_far) * apart,
        ..near.clone()
    })
}

/// Whether a size can be scaled by this work.
fn has_counts(work: &Work) -> bool {
    work.flops().is_some() || work.dram().is_some()
}

/// Both sizes by the kernel's formulas, or both by what was counted: a counter of one size over a formula of the other is no ratio of sizes.
fn scaled(asked: SourceQuestion<'_, '_>, row: &Measurement) -> Option<SourceTime> {
    let SourceQuestion { kernel, subject, side, launch, rules, .. } = asked;
    let floor = launch.floor.time;
    let there = kernel.instance(&row.problem, row.variant()).ok()?;
    let there_side = QuestionSide::new(kernel, &there, side.gpu, Some(row), Some(row), rules);
    // A kernel of one's own has no formulas: what was counted of both sizes is the ratio then.
    let counted_there = row.work();
    let (formulas, counted) =
        (Pair::new(&there.work, &subject.instance.work), Pair::new(&counted_there, asked.work));
    let is_counted = |works: Pair<&Work>| has_counts(works.source) && has_counts(works.target);
    let works = if is_counted(counted) && !has_counts(formulas.source) { counted } else { formulas };
    let of_operator = there.operator.zip(subject.instance.operator).and_then(|(there, here)| {
        resized_operator(side.gpu, [(&there, works.source), (&here, works.target)], row.time)
    });
    let is_by_operator = of_operator.is_some();
    let by_components = || resized(kernel, Pair::new(&there_side, side), works, launch, row.time);
    let whole = |(time, ratio)| ResizedTime { time, ratio, bend: 0.0, in_body: 1.0 };
    let ResizedTime { time, ratio, bend, in_body } = of_operator.map(whole).or_else(by_components)?;
    let mut cautions = vec![Caution::NearestSize(row.problem.clone())];
    if !is_by_operator && is_launch_limited(launch.timing, floor.0, time.0) {
        cautions.push(Caution::FloorApplied { gpu: side.gpu.id.as_str().into(), floor });
    }
    let roofs = works.map(|work| body(side.gpu, kernel, work, Ceilings::Peak));
    let by_roofline = roofs.known().map(|roofs| Seconds(row.time.0 * (roofs.target / roofs.source)));
    Some(SourceTime {
        time,
        work_scaled: by_roofline.filter(|t| t.0.is_finite() && t.0 > 0.0).unwrap_or(time),
        kind: SourceKind::Estimated,
        source: row.source().text().into(),
        cautions,
        extrapolation: Some(ratio),
        distance: subject.problem.distance(&row.problem),
        spread: None,
        bend: BEND_DOUBT * in_body * bend,
        in_body,
        trials: Interval::of_trials(row.time, row.time_std().unwrap_or(Seconds(0.0))).factor.ln(),
    })
}

/// What the model gives on the source; `None` where the counts give no roof, or the GPU lacks what the kernel needs.
fn modelled(asked: SourceQuestion<'_, '_>) -> Option<SourceTime> {
    if barred(asked.kernel, asked.side.gpu).is_some() {
        return None;
    }
    let operator = asked.subject.instance.operator;
    let of_operator =
        operator.and_then(|o| modelled_operator(asked.side.gpu, &o, asked.work)).map(|m| Seconds(m.time));
    let by_roof = || unmeasured(asked.kernel, asked.side, asked.work, asked.launch);
    let time = of_operator.or_else(by_roof)?;
    Some(SourceTime::of_model(time, components::ID, vec![Caution::SourceModelled]))
}
