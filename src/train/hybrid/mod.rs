//! What rows of other GPUs teach about the errors of `components`: the lessons of the model `hybrid`.
//!
//! | step | rule |
//! |---|---|
//! | rows | pairs of GPUs on which the same configuration was measured, none of them the GPU that is new; at most 4,000, by the hash of what they are and not of how long they took |
//! | whose | a kernel's own pairs; kernels with fewer than 300 are learned together |
//! | target | ln(measured / `components`), from shares and ratios without names ([`crate::predict::feature_names`]) |
//! | model | 120 boosted trees of depth 3, rate 0.05, each on half of the rows |
//! | check | every GPU (three or more), and every kernel of those learned together, left out in turn (more than 8 GPUs in 8 groups, more than 20 kernels in 20); used only where the mean gain in MAPE exceeds its standard error and no group loses more than its own error bar; a fit without kernels has at most 1,000 pairs |
//! | interval | the 90 % point of those checks' errors over doubt |
//!
//! The numbers were chosen with whole GPUs left out of four data sets: see docs/models.md, "Hybrid".

mod lesson;
mod pairs;
mod trainer;

use crate::catalogue::Catalogue;
use crate::cores;
use crate::evaluate::EvaluationWorld;
use crate::evaluate::like::LikeQuestion;
use crate::gpu::{Gpu, GpuId, board_place};
use crate::kernel::KernelId;
use crate::learn::folds::spread_groups;
use crate::learn::{LearnError, Progress};
use crate::predict::Lessons;
pub use trainer::HybridRecipe;

use lesson::LessonPool;
use pairs::TimedPairs;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A kernel with fewer pairs is learned together with others like it.
const ENOUGH_PAIRS: usize = 300;

/// GPUs are hidden in at most so many groups, where more were measured: a lesson for one of them has seen none of its group.
/// With a lesson for each GPU, checked on each other one, learning would grow with their square.
const MOST_GPU_FOLDS: usize = 8;

/// What is hidden from lessons, and the kernels that each is for.
type HiddenOfPool = BTreeMap<BTreeSet<GpuId>, Vec<KernelId>>;

/// Which questions lessons are wanted for; `None` = about all.
#[derive(Debug, Clone, Default)]
pub struct WantedLessons {
    /// Kernels.
    pub kernels: Option<BTreeSet<KernelId>>,
    /// Target GPUs, measured or not.
    pub targets: Option<BTreeSet<GpuId>>,
}

impl WantedLessons {
    /// For questions about this kernel and target, whatever their source.
    #[must_use]
    pub fn of_question(question: &LikeQuestion) -> Self {
        Self {
            kernels: question.kernel.map(|one| [one].into()),
            targets: question.target.map(|one| [one].into()),
        }
    }
}

/// Learns from the user's rows of this world; published ones teach nothing.
///
/// The same rows and seed give the same lessons, whatever the number of threads.
///
/// # Errors
/// [`LearnError::Cancelled`]; the data are checked before.
pub fn lessons(
    world: EvaluationWorld<'_>,
    wanted: &WantedLessons,
    seed: u64,
    progress: &Progress,
) -> Result<Lessons, LearnError> {
    let all = TimedPairs::from_world(world);
    let gpu_folds = spread_groups(&all.gpus, MOST_GPU_FOLDS);
    let mut lessons = Lessons::new(all.gpus.clone());
    let planned = plan_pools(&all, wanted, &hidden_sets(&lessons, wanted, world.gpus, &all.gpus, &gpu_folds));
    // Features of a kernel are found once, before its lessons.
    let kernels: BTreeSet<KernelId> = planned.keys().flatten().copied().collect();
    let kernels: Vec<KernelId> = kernels.into_iter().collect();
    cores::run(kernels.len(), &|at| {
        all.of_kernel(kernels[at]);
    });
    let pool = |(kernels, hidden): (&Vec<KernelId>, &HiddenOfPool)| LessonPool {
        pairs: kernels.iter().flat_map(|kernel| all.of_kernel(*kernel)).collect(),
        hidden: hidden.keys().cloned().collect(),
        gpu_folds: &gpu_folds,
    };
    progress.expect(planned.iter().map(|planned| pool(planned).fit_count()).sum());
    let pools: Vec<(&Vec<KernelId>, &HiddenOfPool)> = planned.iter().collect();
    let made = cores::try_collect(pools.len(), |at| pool(pools[at]).learn(world, seed, progress))?;
    for ((hidden, kernels), lesson) in planned.values().flatten().zip(made.into_iter().flatten()) {
        let Some(lesson) = lesson.map(Arc::new) else { continue };
        for kernel in kernels {
            if hidden.is_empty() {
                lessons.insert(*kernel, None, lesson.clone());
            }
            hidden.iter().for_each(|gpu| lessons.insert(*kernel, Some(*gpu), lesson.clone()));
        }
    }
    Ok(lessons)
}

/// The sets of GPUs to hide, each in a lesson of its own; the empty one for targets nobody measured.
fn hidden_sets(
    lessons: &Lessons,
    wanted: &WantedLessons,
    gpus: &Catalogue<Gpu>,
    measured: &BTreeSet<GpuId>,
    gpu_folds: &[BTreeSet<GpuId>],
) -> BTreeSet<BTreeSet<GpuId>> {
    let hidden: BTreeSet<Option<GpuId>> = match &wanted.targets {
        Some(targets) => targets.iter().map(|t| lessons.hidden_for(board_place(gpus, *t))).collect(),
        None => measured.iter().map(|t| lessons.hidden_for(*t)).chain([None]).collect(),
    };
    let fold = |gpu: GpuId| gpu_folds.iter().find(|fold| fold.contains(&gpu)).cloned();
    hidden.into_iter().map(|gpu| gpu.and_then(fold).unwrap_or_default()).collect()
}

/// Which kernels are learned together, and for whom: for each pool, what is hidden from whose lessons.
fn plan_pools(
    all: &TimedPairs<'_>,
    wanted: &WantedLessons,
    hidden_sets: &BTreeSet<BTreeSet<GpuId>>,
) -> BTreeMap<Vec<KernelId>, HiddenOfPool> {
    let asked = |kernel: &KernelId| wanted.kernels.as_ref().is_none_or(|some| some.contains(kernel));
    let mut planned: BTreeMap<Vec<KernelId>, HiddenOfPool> = BTreeMap::new();
    for hidden in hidden_sets {
        let (enough, few): (Vec<KernelId>, Vec<KernelId>) =
            all.kernels().partition(|kernel| all.pair_count(*kernel, hidden) >= ENOUGH_PAIRS);
        let asked_few: Vec<KernelId> = few.iter().copied().filter(asked).collect();
        let mut add = |pool: Vec<KernelId>, kernels: Vec<KernelId>| {
            planned.entry(pool).or_default().entry(hidden.clone()).or_default().extend(kernels);
        };
        enough.into_iter().filter(asked).for_each(|kernel| add(vec![kernel], vec![kernel]));
        if !asked_few.is_empty() {
            add(few, asked_few);
        }
    }
    planned
}
