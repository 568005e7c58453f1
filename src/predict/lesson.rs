//! What pairs of other GPUs taught about `components`' errors: a regressor of ln(measured / predicted), the ranges it has seen, and
//! how it did on GPUs and kernels it had not seen. Only data: `train` makes them, `hybrid` uses them.

use super::Width;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::learn::Fitted;
use crate::stats;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

/// How much of what was learned is believed, in ln. With whole GPUs left out, half was better than all of it in every family of
/// kernels (docs/models.md, "Hybrid").
const BELIEVED: f64 = 0.5;

/// An error bar in standard errors.
const ERROR_BAR: f64 = 2.0;

/// How many numbers of a question may lie outside the training's ranges: with two or more the residual was as often wrong as
/// right.
const MOST_OUTSIDE: usize = 1;

/// What rows corrections are learned from: pairs of GPUs, and groups enough to leave one out.
pub const CORRECTIONS_NEED: &str =
    "the same configurations on three GPUs beside the target, or on two for three kernels of few rows each";

/// Why `hybrid` is used without being asked for.
pub const CORRECTIONS_HELP: &str = "its corrections lower the error on GPUs or kernels left out";

/// The residual of one kernel (or of several with few rows each), learned without one GPU or kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// Pairs of GPUs and configurations it was learned from.
    pub pairs: usize,
    /// Ids of the GPUs behind them.
    pub gpus: Vec<String>,
    /// Ids of their kernels.
    pub kernels: Vec<String>,
    /// How it did on groups it had not seen.
    pub checks: Vec<HeldOutCheck>,
    /// `None` where that was no better than `components` alone.
    pub taught: Option<Taught>,
}

/// One group held out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOutCheck {
    /// The GPU's or kernel's id.
    pub held_out: String,
    /// Pairs scored.
    pub pairs: usize,
    /// MAPE of `components` in percent.
    pub without: f64,
    /// MAPE with the residual, in percent.
    pub with: f64,
    /// The standard error of the difference of both, over the group's pairs, in percent.
    pub error: f64,
}

/// What was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Taught {
    /// ln(measured / predicted) from [`super::feature_names`].
    pub fitted: Fitted,
    /// What each of them ranged over.
    pub ranges: Vec<[f64; 2]>,
    /// Half an interval, in doubts, from the groups held out.
    pub width: Width,
}

/// Why the residual says nothing here, so that the answer is that of `components`.
#[derive(Debug, Clone, PartialEq)]
pub enum Abstains {
    /// Nothing was learned of this kernel.
    NothingLearned,
    /// On groups it had not seen it was no better, or worse on one of them: mean MAPE without and with it, in percent.
    NotBetter([f64; 2]),
    /// The question lies outside of what it has seen, by these numbers.
    Outside(Arc<[String]>),
    /// This size was not measured on the source.
    NotTimed,
    /// Source and target are the same GPU.
    SameGpu,
}

impl fmt::Display for Abstains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hybrid: using `components`, ")?;
        match self {
            Self::NothingLearned => {
                write!(
                    f,
                    "no corrections for this kernel: they need measured rows (--data) of {CORRECTIONS_NEED}"
                )
            }
            Self::NotBetter([without, with]) => {
                let change = match with < without {
                    true => "lower the error on GPUs or kernels left out too little to rely on",
                    false => "do not lower the error on GPUs or kernels left out",
                };
                write!(f, "the corrections {change}: {without:.1} % without, {with:.1} % with them")
            }
            Self::Outside(names) => {
                write!(
                    f,
                    "outside the range of the rows the corrections were learned from: {}",
                    names.join("; ")
                )
            }
            Self::NotTimed => f.write_str("no measurement of this size on the source"),
            Self::SameGpu => f.write_str("source and target are the same GPU"),
        }
    }
}

impl Lesson {
    /// Mean MAPE over the groups held out, without and with the residual, in percent.
    #[must_use]
    pub fn errors(&self) -> Option<[f64; 2]> {
        let mean =
            |of: fn(&HeldOutCheck) -> f64| self.checks.iter().map(of).sum::<f64>() / self.checks.len() as f64;
        (!self.checks.is_empty()).then(|| [mean(|c| c.without), mean(|c| c.with)])
    }

    /// Whether the residual may be used: over the groups held out its mean gain is larger than the standard error of that
    /// mean, and no group loses more than its own error bar of two standard errors. A mean alone hides a GPU that it makes
    /// worse.
    #[must_use]
    pub fn is_better(&self) -> bool {
        let gains: Vec<f64> = self.checks.iter().map(|c| c.without - c.with).collect();
        let (Some(mean), Some(error)) = (stats::mean(&gains), stats::standard_error(&gains)) else {
            return false;
        };
        let loses = |c: &HeldOutCheck| c.with - c.without > ERROR_BAR * c.error;
        mean > error && !self.checks.iter().any(loses)
    }

    /// What the time of `components` is multiplied by, and how wide the interval is then.
    pub(super) fn time_factor(
        &self,
        features: &[f64],
        names: impl Fn() -> Vec<String>,
    ) -> Result<(f64, Width), Abstains> {
        let Some(taught) = &self.taught else {
            return Err(self.errors().map_or(Abstains::NothingLearned, Abstains::NotBetter));
        };
        taught.time_factor(features).map(|factor| (factor, taught.width)).ok_or_else(|| {
            let names = names();
            let outside = taught.outside(features);
            Abstains::Outside(outside.filter_map(|at| names.get(at).cloned()).collect())
        })
    }
}

impl Taught {
    /// What the time of `components` is multiplied by; `None` outside of what was learned from.
    #[must_use]
    pub fn time_factor(&self, features: &[f64]) -> Option<f64> {
        let within = self.outside(features).count() <= MOST_OUTSIDE;
        within.then(|| (BELIEVED * self.fitted.predict_row(features)).exp())
    }

    /// The places of numbers outside their range.
    fn outside(&self, features: &[f64]) -> impl Iterator<Item = usize> {
        let pairs = features.iter().zip(&self.ranges).enumerate();
        pairs.filter(|(_, (x, [low, high]))| !(low..=high).contains(x)).map(|(at, _)| at)
    }
}

/// The lessons that answer questions, by kernel and by the GPU that each has not seen.
#[derive(Debug, Clone, Default)]
pub struct Lessons {
    /// The GPUs that were measured.
    gpus: BTreeSet<GpuId>,
    all: HashMap<(KernelId, Option<GpuId>), Arc<Lesson>>,
}

impl Lessons {
    /// None yet, from rows of these GPUs.
    #[must_use]
    pub fn new(gpus: BTreeSet<GpuId>) -> Self {
        Self { gpus, all: HashMap::new() }
    }

    /// The GPU that a lesson for this target must not have seen, if any.
    #[must_use]
    pub fn hidden_for(&self, target: GpuId) -> Option<GpuId> {
        self.gpus.contains(&target).then_some(target)
    }

    /// Adds a lesson for questions about this kernel, learned without this GPU.
    pub fn insert(&mut self, kernel: KernelId, hidden: Option<GpuId>, lesson: Arc<Lesson>) {
        self.all.insert((kernel, hidden), lesson);
    }

    /// The lesson for this kernel that has seen nothing of this target.
    #[must_use]
    pub fn lesson_for(&self, kernel: KernelId, target: GpuId) -> Option<&Lesson> {
        self.all.get(&(kernel, self.hidden_for(target))).map(|lesson| &**lesson)
    }

    /// Every lesson with the kernel it is for and the GPU it has not seen.
    pub fn iter(&self) -> impl Iterator<Item = (KernelId, Option<GpuId>, &Lesson)> {
        self.all.iter().map(|((kernel, hidden), lesson)| (*kernel, *hidden, &**lesson))
    }

    /// Whether nothing was learned yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether any of them is used.
    #[must_use]
    pub fn any_used(&self) -> bool {
        self.any_used_for(None, None)
    }

    /// Whether any of them is used for one of these kernels on one of these targets; for every one where they are not named.
    #[must_use]
    pub fn any_used_for(
        &self,
        kernels: Option<&BTreeSet<KernelId>>,
        targets: Option<&BTreeSet<GpuId>>,
    ) -> bool {
        let unseen: Option<BTreeSet<Option<GpuId>>> =
            targets.map(|all| all.iter().map(|target| self.hidden_for(*target)).collect());
        self.iter().any(|(kernel, hidden, lesson)| {
            let is_of_kernel = kernels.is_none_or(|all| all.contains(&kernel));
            let is_of_target = unseen.as_ref().is_none_or(|all| all.contains(&hidden));
            lesson.taught.is_some() && is_of_kernel && is_of_target
        })
    }

    /// The kernels that any of them is used for, and all that there are lessons for.
    #[must_use]
    pub fn used_kernels(&self) -> (usize, usize) {
        let all: BTreeSet<KernelId> = self.iter().map(|(kernel, _, _)| kernel).collect();
        let taught = self.iter().filter(|(_, _, lesson)| lesson.taught.is_some());
        let used: BTreeSet<KernelId> = taught.map(|(kernel, _, _)| kernel).collect();
        (used.len(), all.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{BoostingParameters, LearningTable, Progress, Recipe, Regressor};

    fn lesson(errors: &[(f64, f64)]) -> Lesson {
        let check = |(without, with): &(f64, f64)| HeldOutCheck {
            held_out: String::new(),
            pairs: 100,
            without: *without,
            with: *with,
            error: 0.5,
        };
        let checks = errors.iter().map(check).collect();
        Lesson { pairs: 300, gpus: Vec::new(), kernels: Vec::new(), checks, taught: None }
    }

    #[test]
    fn a_residual_that_makes_one_group_worse_is_not_used() {
        assert!(lesson(&[(20.0, 17.0), (18.0, 16.0), (22.0, 18.0)]).is_better());
        assert!(lesson(&[(20.0, 17.0), (18.0, 18.9), (22.0, 18.0)]).is_better(), "within its error bar");
        assert!(!lesson(&[(20.0, 14.0), (18.0, 19.1), (22.0, 15.0)]).is_better(), "better on average only");
        assert!(!lesson(&[(20.0, 19.9), (18.0, 18.4), (22.0, 21.5)]).is_better(), "no more than chance");
        assert!(!lesson(&[(20.0, 10.0)]).is_better() && !lesson(&[]).is_better(), "one group is no check");
    }

    #[test]
    fn a_rise_is_not_called_a_gain() {
        let said = |errors| Abstains::NotBetter(errors).to_string();
        assert!(
            said([20.5, 21.4]).contains("do not lower the error on GPUs or kernels left out: 20.5 % without")
        );
        assert!(
            said([21.4, 20.5]).contains(
                "lower the error on GPUs or kernels left out too little to rely on: 21.4 % without"
            )
        );
    }

    #[test]
    fn what_was_learned_for_other_targets_is_not_used() {
        let regressor = Regressor::Boosting(BoostingParameters {
            rounds: 1,
            depth: 1,
            learning_rate: 0.1,
            subsample: 1.0,
            min_leaf: 1,
            monotone: Vec::new(),
        });
        let table = LearningTable::new(vec!["x".into()], vec![0.0, 1.0]).unwrap();
        let recipe = Recipe { regressor, scaled: false, seed: 1 };
        let taught = Taught {
            fitted: recipe.fit_model(&table, &[0.0, 0.1], &Progress::default()).unwrap(),
            ranges: Vec::new(),
            width: Width { in_doubts: 1.0, rows: 30 },
        };
        let [kernel, other] = [0, 1].map(KernelId::from_index);
        let [measured, unmeasured] = [0, 1].map(GpuId::from_index);
        let mut lessons = Lessons::new([measured].into());
        lessons.insert(kernel, None, Arc::new(Lesson { taught: Some(taught), ..lesson(&[]) }));
        lessons.insert(kernel, Some(measured), Arc::new(lesson(&[(20.0, 21.0)])));
        let is_used = |kernel, target| lessons.any_used_for(Some(&[kernel].into()), Some(&[target].into()));
        assert!(lessons.any_used() && is_used(kernel, unmeasured));
        assert!(!is_used(kernel, measured) && !is_used(other, unmeasured));
        assert!(lessons.any_used_for(None, Some(&[measured, unmeasured].into())));
    }
}
