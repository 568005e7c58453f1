//! Lessons of one pool of kernels: learned from their pairs, checked on groups they have not seen.

use super::pairs::TimedPair;
use crate::answer::conformal_width;
use crate::cores;
use crate::evaluate::EvaluationWorld;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::learn::folds::spread_groups;
use crate::learn::{BoostingParameters, Fitted, LearnError, LearningTable, Progress, Recipe, Regressor};
use crate::predict::{HeldOutCheck, Lesson, Taught, Width, feature_names};
use crate::stats;
use crate::text::first_names;
use std::collections::{BTreeMap, BTreeSet};

/// Most pairs that a model is trained on, and that a check scores.
const MOST_TRAINED: usize = 4_000;
/// The same where kernels are left out: such a fit only checks, and a pool of many kernels needs it for each of up to 20 groups in every
/// lesson. With 1,000 instead of 4,000 no error on seven data sets changed (whole GPUs left out).
const MOST_TRAINED_TO_CHECK_KERNELS: usize = 1_000;
const MOST_SCORED: usize = 1_000;

/// Fewer pairs teach nothing.
pub(super) const FEWEST: usize = 30;

/// Fewer groups are no check.
pub(super) const FEWEST_GROUPS: usize = 3;

/// Kernels are held out in at most so many groups: with one each, learning would grow with their square.
const MOST_KERNEL_FOLDS: usize = 20;

/// So many ids name a group.
const MOST_NAMED: usize = 3;

/// The share of a number's range that is left out at either end, and how far beyond the rest a question may lie.
const TAILS: f64 = 0.005;
const SLACK: f64 = 0.05;

/// GPUs and kernels that a fit has not seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HeldOutGroup {
    pub(super) gpus: BTreeSet<GpuId>,
    pub(super) kernels: BTreeSet<KernelId>,
}

impl HeldOutGroup {
    fn from_gpus(gpus: BTreeSet<GpuId>) -> Self {
        Self { gpus, kernels: BTreeSet::new() }
    }

    fn from_kernels(kernels: BTreeSet<KernelId>) -> Self {
        Self { gpus: BTreeSet::new(), kernels }
    }

    /// Both together.
    fn union(&self, other: &Self) -> Self {
        Self { gpus: &self.gpus | &other.gpus, kernels: &self.kernels | &other.kernels }
    }

    /// Whether a pair has no part in it.
    fn is_free_of(&self, p: &TimedPair) -> bool {
        !(self.gpus.contains(&p.source) || self.gpus.contains(&p.target) || self.kernels.contains(&p.kernel))
    }

    /// Whether a pair asks about it.
    fn is_asked_by(&self, p: &TimedPair) -> bool {
        self.gpus.contains(&p.target) || self.kernels.contains(&p.kernel)
    }

    /// The ids, a few of many.
    fn name(&self, world: EvaluationWorld<'_>) -> String {
        let gpus = self.gpus.iter().map(|gpu| world.gpus[*gpu].id.as_str());
        let kernels = self.kernels.iter().map(|k| world.kernels[*k].id.as_str());
        first_names(&gpus.chain(kernels).collect::<Vec<_>>(), MOST_NAMED)
    }
}

/// Kernels that are learned together, and the lessons wanted of them.
pub(super) struct LessonPool<'p> {
    /// In an order that depends on nothing but what they are.
    pub(super) pairs: Vec<&'p TimedPair>,
    /// What each lesson must not have seen.
    pub(super) hidden: Vec<BTreeSet<GpuId>>,
    /// The GPUs in groups: what is held out at once.
    pub(super) gpu_folds: &'p [BTreeSet<GpuId>],
}

/// One group of a lesson to be checked on.
struct PlannedCheck<'p> {
    group: HeldOutGroup,
    /// What the fit behind it has not seen: the group, and what is hidden from the lesson.
    unseen: HeldOutGroup,
    asked: Vec<&'p TimedPair>,
}

/// One lesson to be made.
struct PlannedLesson<'p> {
    hidden: HeldOutGroup,
    pairs: Vec<&'p TimedPair>,
    checks: Vec<PlannedCheck<'p>>,
}

/// Fits by what they have not seen. Two lessons that hide two GPUs need the same fit without both.
type Fits = BTreeMap<HeldOutGroup, Taught>;

impl<'p> LessonPool<'p> {
    /// How many fits its checks need.
    pub(super) fn fit_count(&self) -> usize {
        self.unseen_sets(&self.plan_lessons()).len()
    }

    /// Its lessons, in the order of `hidden`; `None` where pairs are too few, or of too few groups to be checked.
    pub(super) fn learn(
        &self,
        world: EvaluationWorld<'_>,
        seed: u64,
        progress: &Progress,
    ) -> Result<Vec<Option<Lesson>>, LearnError> {
        let planned = self.plan_lessons();
        let unseen: Vec<HeldOutGroup> = self.unseen_sets(&planned).into_iter().collect();
        let fit = |at: usize| {
            progress.check_cancelled()?;
            let taught = self.fit_without(&unseen[at], seed)?;
            progress.advance(1);
            Ok::<_, LearnError>((unseen[at].clone(), taught))
        };
        let fits: Fits = cores::try_collect(unseen.len(), fit)?.into_iter().collect();
        planned.iter().map(|lesson| self.checked_lesson(world, lesson, &fits, seed)).collect()
    }

    fn plan_lessons(&self) -> Vec<PlannedLesson<'p>> {
        self.hidden.iter().map(|hidden| self.plan_lesson(HeldOutGroup::from_gpus(hidden.clone()))).collect()
    }

    fn plan_lesson(&self, hidden: HeldOutGroup) -> PlannedLesson<'p> {
        let pairs = self.pairs_without(&hidden);
        let planned = |group: HeldOutGroup| {
            let asked: Vec<&TimedPair> = pairs.iter().copied().filter(|p| group.is_asked_by(p)).collect();
            let known = pairs.iter().filter(|p| group.is_free_of(p)).count();
            let unseen = hidden.union(&group);
            (known >= FEWEST && !asked.is_empty()).then_some(PlannedCheck { group, unseen, asked })
        };
        let enough = pairs.len() >= FEWEST;
        let checks = self.groups(&pairs).into_iter().filter(|_| enough).filter_map(planned).collect();
        PlannedLesson { hidden, pairs, checks }
    }

    /// What can be held out: GPUs and kernels of which there are enough.
    fn groups(&self, pairs: &[&TimedPair]) -> Vec<HeldOutGroup> {
        let targets: BTreeSet<GpuId> = pairs.iter().map(|p| p.target).collect();
        let kernels: BTreeSet<KernelId> = pairs.iter().map(|p| p.kernel).collect();
        let gpus = self.gpu_folds.iter().map(|fold| fold & &targets).filter(|fold| !fold.is_empty());
        let gpus: Vec<HeldOutGroup> = gpus.map(HeldOutGroup::from_gpus).collect();
        let kernels =
            spread_groups(&kernels, MOST_KERNEL_FOLDS).into_iter().map(HeldOutGroup::from_kernels).collect();
        [gpus, kernels].into_iter().filter(|g| g.len() >= FEWEST_GROUPS).flatten().collect()
    }

    fn unseen_sets(&self, planned: &[PlannedLesson<'_>]) -> BTreeSet<HeldOutGroup> {
        planned.iter().flat_map(|lesson| &lesson.checks).map(|check| check.unseen.clone()).collect()
    }

    fn pairs_without(&self, unseen: &HeldOutGroup) -> Vec<&'p TimedPair> {
        self.pairs.iter().copied().filter(|p| unseen.is_free_of(p)).collect()
    }

    fn fit_without(&self, unseen: &HeldOutGroup, seed: u64) -> Result<Taught, LearnError> {
        let most = if unseen.kernels.is_empty() { MOST_TRAINED } else { MOST_TRAINED_TO_CHECK_KERNELS };
        taught(&thinned(&self.pairs_without(unseen), most), Width { in_doubts: 0.0, rows: 0 }, seed)
    }

    /// A lesson with its checks; it may correct where they say that it is better.
    fn checked_lesson(
        &self,
        world: EvaluationWorld<'_>,
        planned: &PlannedLesson<'_>,
        fits: &Fits,
        seed: u64,
    ) -> Result<Option<Lesson>, LearnError> {
        let (mut checks, mut scores) = (Vec::new(), Vec::new());
        for PlannedCheck { group, unseen, asked } in &planned.checks {
            let Some(taught) = fits.get(unseen) else { continue };
            let asked = thinned(asked, MOST_SCORED);
            let left: Vec<f64> =
                asked.iter().map(|p| p.ln - taught.time_factor(&p.features).map_or(0.0, f64::ln)).collect();
            scores.extend(left.iter().zip(&asked).map(|(ln, p)| ln.abs() / p.doubt));
            let before: Vec<f64> = asked.iter().map(|p| p.ln).collect();
            let error = error_of_difference(&before, &left);
            let [without, with] = [before, left].map(mape);
            checks.push(HeldOutCheck {
                held_out: group.name(world),
                pairs: asked.len(),
                without,
                with,
                error,
            });
        }
        if checks.is_empty() {
            return Ok(None);
        }
        let gpus: BTreeSet<GpuId> = planned.pairs.iter().flat_map(|p| [p.source, p.target]).collect();
        let kernels: BTreeSet<KernelId> = planned.pairs.iter().map(|p| p.kernel).collect();
        let mut lesson = Lesson {
            pairs: planned.pairs.len().min(MOST_TRAINED),
            gpus: gpus.into_iter().map(|gpu| world.gpus[gpu].id.clone()).collect(),
            kernels: kernels.into_iter().map(|kernel| world.kernels[kernel].id.clone()).collect(),
            checks,
            taught: None,
        };
        if let Some(width) = width(scores).filter(|_| lesson.is_better()) {
            // What another lesson was checked with may be the very fit of this one.
            let fitted = fits.get(&planned.hidden).cloned();
            let taught = fitted.map_or_else(|| self.fit_without(&planned.hidden, seed), Ok)?;
            lesson.taught = Some(Taught { width, ..taught });
        }
        Ok(Some(lesson))
    }
}

/// At most so many, evenly from all of them: of several kernels none is left out.
fn thinned<'p>(pairs: &[&'p TimedPair], most: usize) -> Vec<&'p TimedPair> {
    pairs.iter().step_by(pairs.len().div_ceil(most).max(1)).copied().collect()
}

/// Boosted trees, and the ranges of what they saw.
fn taught(pairs: &[&TimedPair], width: Width, seed: u64) -> Result<Taught, LearnError> {
    let fitted = fitted(pairs, seed)?;
    let ranges = (0..feature_names().len()).map(|at| range(pairs.iter().map(|p| p.features[at]).collect()));
    Ok(Taught { fitted, ranges: ranges.collect(), width })
}

fn fitted(pairs: &[&TimedPair], seed: u64) -> Result<Fitted, LearnError> {
    let values = pairs.iter().flat_map(|p| p.features.iter().copied()).collect();
    let target: Vec<f64> = pairs.iter().map(|p| p.ln).collect();
    let regressor = Regressor::Boosting(BoostingParameters {
        rounds: 120,
        depth: 3,
        learning_rate: 0.05,
        subsample: 0.5,
        min_leaf: (pairs.len() / 200).max(5),
        monotone: Vec::new(),
    });
    // Its rounds are steps nobody waits for.
    Recipe { regressor, scaled: false, seed }.fit_model(
        &LearningTable::new(feature_names(), values)?,
        &target,
        &Progress::default(),
    )
}

/// The 0.5 % and 99.5 % points, a little widened.
fn range(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
    [at(TAILS) - SLACK, at(1.0 - TAILS) + SLACK]
}

/// The standard error of the difference of two MAPEs over the same pairs, in percent; 0 for fewer than two.
fn error_of_difference(before: &[f64], after: &[f64]) -> f64 {
    let percent = |ln: &f64| 100.0 * ((-ln).exp() - 1.0).abs();
    let differences: Vec<f64> = before.iter().zip(after).map(|(a, b)| percent(a) - percent(b)).collect();
    stats::standard_error(&differences).unwrap_or(0.0)
}

/// Mean |predicted / measured - 1| of these ln(measured / predicted), in percent.
fn mape(ln: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, n) =
        ln.into_iter().fold((0.0, 0usize), |(sum, n), ln| (sum + ((-ln).exp() - 1.0).abs(), n + 1));
    100.0 * sum / n as f64
}

/// The split-conformal 90 % point; `None` where there are too few.
fn width(scores: Vec<f64>) -> Option<Width> {
    let rows = scores.len();
    Some(Width { in_doubts: conformal_width(scores)?, rows })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::feature_names;

    /// One pair for every kernel, source and target.
    fn pairs(kernels: usize, gpus: usize) -> Vec<TimedPair> {
        let pair = |kernel: usize, source: usize, target: usize| TimedPair {
            kernel: KernelId::from_index(kernel),
            source: GpuId::from_index(source),
            target: GpuId::from_index(target),
            features: vec![0.0; feature_names().len()],
            ln: 0.0,
            doubt: 1.0,
        };
        (0..kernels)
            .flat_map(|k| {
                (0..gpus).flat_map(move |s| (0..gpus).filter(move |t| *t != s).map(move |t| (k, s, t)))
            })
            .map(|(k, s, t)| pair(k, s, t))
            .collect()
    }

    /// How many fits the lessons of all these GPUs need.
    fn fits(kernels: usize, gpus: usize) -> usize {
        let pairs = pairs(kernels, gpus);
        let gpu_folds = spread_groups(&(0..gpus).map(GpuId::from_index).collect(), 8);
        let mut hidden = gpu_folds.clone();
        hidden.push(BTreeSet::new());
        LessonPool { pairs: pairs.iter().collect(), hidden, gpu_folds: &gpu_folds }.fit_count()
    }

    #[test]
    fn fits_do_not_grow_with_the_square_of_kernels_or_gpus() {
        // Four GPUs: each pair of them hidden once, each of them alone, and 20 groups of kernels in each of five lessons.
        assert_eq!(fits(20, 4), 6 + 4 + 5 * 20);
        assert_eq!(fits(500, 4), fits(20, 4));
        // One kernel: pairs of groups of GPUs, and each group alone.
        assert_eq!(fits(1, 8), 28 + 8);
        assert_eq!(fits(1, 48), fits(1, 8));
    }
}
