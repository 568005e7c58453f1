//! One lesson: learned from some pairs, checked on groups it has not seen.

use super::pairs::TimedPair;
use crate::answer::conformal_rank;
use crate::evaluate::EvaluationWorld;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::learn::{BoostingParameters, Fitted, LearnError, LearningTable, Progress, Recipe, Regressor};
use crate::predict::{HeldOutCheck, Lesson, Taught, Width, feature_names};
use crate::stats;
use std::collections::BTreeSet;

/// Most pairs that a model is trained on, and that a check scores.
const MOST_TRAINED: usize = 4_000;
const MOST_SCORED: usize = 1_000;

/// Fewer pairs teach nothing.
const FEWEST: usize = 30;

/// Fewer groups are no check.
const FEWEST_GROUPS: usize = 3;

/// The share of a number's range that is left out at either end, and how far beyond the rest a question may lie.
const TAILS: f64 = 0.005;
const SLACK: f64 = 0.05;

/// A group that is held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum HeldOutGroup {
    Gpu(GpuId),
    Kernel(KernelId),
}

impl HeldOutGroup {
    /// Whether a pair has no part in it.
    fn leaves(self, p: &TimedPair) -> bool {
        match self {
            Self::Gpu(gpu) => p.source != gpu && p.target != gpu,
            Self::Kernel(kernel) => p.kernel != kernel,
        }
    }

    /// Whether a pair asks about it.
    fn asks(self, p: &TimedPair) -> bool {
        match self {
            Self::Gpu(gpu) => p.target == gpu,
            Self::Kernel(kernel) => p.kernel == kernel,
        }
    }

    fn id(self, world: EvaluationWorld<'_>) -> String {
        match self {
            Self::Gpu(gpu) => world.gpus[gpu].id.clone(),
            Self::Kernel(kernel) => world.kernels[kernel].id.clone(),
        }
    }
}

/// The lesson of these pairs; `None` where they are too few, or of too few groups to be checked.
pub(super) fn learned(
    world: EvaluationWorld<'_>,
    pairs: Vec<&TimedPair>,
    seed: u64,
    progress: &Progress,
) -> Result<Option<Lesson>, LearnError> {
    let groups = groups(&pairs);
    if groups.is_empty() || pairs.len() < FEWEST {
        return Ok(None);
    }
    let (mut checks, mut scores) = (Vec::new(), Vec::new());
    for group in groups {
        let known: Vec<&TimedPair> = pairs.iter().copied().filter(|p| group.leaves(p)).collect();
        let asked: Vec<&TimedPair> = pairs.iter().copied().filter(|p| group.asks(p)).collect();
        if known.len() < FEWEST || asked.is_empty() {
            continue;
        }
        let (known, asked) = (thinned(&known, MOST_TRAINED), thinned(&asked, MOST_SCORED));
        let taught = taught(&known, Width { in_doubts: 0.0, rows: 0 }, seed, progress)?;
        let left: Vec<f64> =
            asked.iter().map(|p| p.ln - taught.time_factor(&p.features).map_or(0.0, f64::ln)).collect();
        scores.extend(left.iter().zip(&asked).map(|(ln, p)| ln.abs() / p.doubt));
        let before: Vec<f64> = asked.iter().map(|p| p.ln).collect();
        let error = error_of_difference(&before, &left);
        let [without, with] = [before, left].map(mape);
        checks.push(HeldOutCheck { held_out: group.id(world), pairs: asked.len(), without, with, error });
    }
    let gpus: BTreeSet<GpuId> = pairs.iter().flat_map(|p| [p.source, p.target]).collect();
    let kernels: BTreeSet<KernelId> = pairs.iter().map(|p| p.kernel).collect();
    let mut lesson = Lesson {
        pairs: pairs.len().min(MOST_TRAINED),
        gpus: gpus.into_iter().map(|gpu| world.gpus[gpu].id.clone()).collect(),
        kernels: kernels.into_iter().map(|kernel| world.kernels[kernel].id.clone()).collect(),
        checks,
        taught: None,
    };
    if let Some(width) = width(scores).filter(|_| lesson.is_better()) {
        lesson.taught = Some(taught(&thinned(&pairs, MOST_TRAINED), width, seed, progress)?);
    }
    Ok((!lesson.checks.is_empty()).then_some(lesson))
}

/// At most so many, evenly from all of them: of several kernels none is left out.
fn thinned<'p>(pairs: &[&'p TimedPair], most: usize) -> Vec<&'p TimedPair> {
    pairs.iter().step_by(pairs.len().div_ceil(most).max(1)).copied().collect()
}

/// What can be held out: GPUs and kernels of which there are enough.
fn groups(pairs: &[&TimedPair]) -> Vec<HeldOutGroup> {
    let gpus: BTreeSet<HeldOutGroup> = pairs.iter().map(|p| HeldOutGroup::Gpu(p.target)).collect();
    let kernels: BTreeSet<HeldOutGroup> = pairs.iter().map(|p| HeldOutGroup::Kernel(p.kernel)).collect();
    [gpus, kernels].into_iter().filter(|g| g.len() >= FEWEST_GROUPS).flatten().collect()
}

/// Boosted trees, and the ranges of what they saw.
fn taught(pairs: &[&TimedPair], width: Width, seed: u64, progress: &Progress) -> Result<Taught, LearnError> {
    let fitted = fitted(pairs, seed, progress)?;
    let ranges = (0..feature_names().len()).map(|at| range(pairs.iter().map(|p| p.features[at]).collect()));
    Ok(Taught { fitted, ranges: ranges.collect(), width })
}

fn fitted(pairs: &[&TimedPair], seed: u64, progress: &Progress) -> Result<Fitted, LearnError> {
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
    // Its rounds are steps nobody waits for; only the wish to end is passed on.
    progress.check_cancelled()?;
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
fn width(mut scores: Vec<f64>) -> Option<Width> {
    scores.sort_by(f64::total_cmp);
    let rank = conformal_rank(scores.len())?;
    Some(Width { in_doubts: scores[rank - 1], rows: scores.len() })
}
