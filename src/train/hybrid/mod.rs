//! What rows of other GPUs teach about the errors of `components`: the lessons of the model `hybrid`.
//!
//! | step | rule |
//! |---|---|
//! | rows | pairs of GPUs that timed the same configuration, none of them the GPU (or kernel) that is new; at most 4,000, by the hash of what they are and not of how long they took |
//! | whose | a kernel's own pairs; kernels with fewer than 300 are learned together |
//! | target | ln(measured / `components`), from shares and ratios without names ([`crate::predict::feature_names`]) |
//! | model | 120 boosted trees of depth 3, rate 0.05, each on half of the rows |
//! | check | every GPU (three or more), and every kernel of those learned together, left out in turn; used only where the mean gain in MAPE exceeds its standard error and no group loses more than its own error bar |
//! | interval | the 90 % point of those checks' errors over doubt |
//!
//! The numbers were chosen with whole GPUs left out of four data sets: see docs/models.md, "Hybrid".

mod lesson;
mod pairs;
mod trainer;

use crate::evaluate::EvaluationWorld;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::learn::{LearnError, Progress};
use crate::predict::{Lesson, Lessons, WhatIsNew};
pub use trainer::HybridRecipe;

use lesson::learned;
use pairs::{TimedPair, TimedPairs};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A kernel with fewer pairs is learned together with others like it.
const ENOUGH_PAIRS: usize = 300;

/// Which questions lessons are wanted for; `None` = about all.
#[derive(Debug, Clone, Default)]
pub struct WantedLessons {
    /// Kernels.
    pub kernels: Option<BTreeSet<KernelId>>,
    /// Target GPUs, measured or not.
    pub targets: Option<BTreeSet<GpuId>>,
    /// What the lesson must not have seen.
    pub new: WhatIsNew,
}

/// What one lesson is made of: the kernels it may learn from, and what it must not have seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LessonPlan {
    pool: Vec<KernelId>,
    hidden: Option<GpuId>,
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
    let mut lessons = Lessons::new(wanted.new, all.gpus.clone());
    let mut plans: BTreeMap<LessonPlan, Vec<KernelId>> = BTreeMap::new();
    let asked = |kernel: &KernelId| wanted.kernels.as_ref().is_none_or(|some| some.contains(kernel));
    for kernel in all.kernels().filter(asked) {
        for hidden in hidden(&lessons, wanted, &all.gpus) {
            let pool = pool(&all, kernel, hidden, wanted.new);
            plans.entry(LessonPlan { pool, hidden }).or_default().push(kernel);
        }
    }
    progress.expect(plans.len());
    let one = |plan: &LessonPlan| {
        progress.check_cancelled()?;
        let known = |p: &&TimedPair| Some(p.source) != plan.hidden && Some(p.target) != plan.hidden;
        let pairs: Vec<&TimedPair> =
            plan.pool.iter().flat_map(|kernel| all.of_kernel(*kernel)).filter(known).collect();
        let lesson = learned(world, pairs, seed, progress)?;
        progress.advance(1);
        Ok::<_, LearnError>(lesson.map(Arc::new))
    };
    // Features of a kernel are reckoned once, before its lessons.
    let pools: BTreeSet<KernelId> = plans.keys().flat_map(|plan| plan.pool.iter().copied()).collect();
    pools.into_iter().collect::<Vec<_>>().into_par_iter().for_each(|kernel| {
        all.of_kernel(kernel);
    });
    let made: Vec<Option<Arc<Lesson>>> =
        plans.keys().collect::<Vec<_>>().into_par_iter().map(one).collect::<Result<_, _>>()?;
    for ((plan, kernels), lesson) in plans.iter().zip(made) {
        let Some(lesson) = lesson else { continue };
        kernels.iter().for_each(|kernel| lessons.insert(*kernel, plan.hidden, lesson.clone()));
    }
    Ok(lessons)
}

/// The GPUs to hide, each in a lesson of its own; `None` for targets nobody measured.
fn hidden(lessons: &Lessons, wanted: &WantedLessons, measured: &BTreeSet<GpuId>) -> BTreeSet<Option<GpuId>> {
    match &wanted.targets {
        Some(targets) => targets.iter().map(|t| lessons.hidden_for(*t)).collect(),
        None => measured.iter().map(|t| lessons.hidden_for(*t)).chain([None]).collect(),
    }
}

/// The kernels to learn from for one of them.
fn pool(all: &TimedPairs<'_>, kernel: KernelId, hidden: Option<GpuId>, new: WhatIsNew) -> Vec<KernelId> {
    let enough = |kernel: KernelId| all.pair_count(kernel, hidden) >= ENOUGH_PAIRS;
    let together = || all.kernels().filter(|k| !enough(*k));
    match new {
        WhatIsNew::Gpu if enough(kernel) => vec![kernel],
        WhatIsNew::Gpu => together().collect(),
        // A kernel with many pairs of its own has nothing in common with others that was seen to help.
        WhatIsNew::Kernel if enough(kernel) => Vec::new(),
        WhatIsNew::Kernel => together().filter(|k| *k != kernel).collect(),
    }
}
