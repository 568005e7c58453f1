//! A regressor fitted without what it is asked about: whole GPUs, whole kernels, the largest sizes.

use super::columns::column_names;
use super::pairs::RegressorPair;
use crate::cores;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::learn::folds::spread_groups;
use crate::learn::learners::{Learner, Table6Model};
use crate::learn::prepare::{MedianImputer, with_known_columns};
use crate::learn::{Fitted, LearnError, LearningTable, Progress, Recipe, RowFold};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// GPUs and kernels are held out in at most so many groups, where more were measured.
pub(super) const MOST_GPU_GROUPS: usize = 8;
const MOST_KERNEL_GROUPS: usize = 20;

/// A regressor that has seen pairs, with what fills the gaps of its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FittedRegressor {
    imputer: MedianImputer,
    fitted: Fitted<Learner>,
    scale: RegressorScale,
}

/// Whether columns and time are taken as they are, as the paper does, or as logarithms, with columns scaled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum RegressorScale {
    Raw,
    Logarithms,
}

impl RegressorScale {
    /// No column is below 0.
    fn scaled_value(self, value: f64) -> f64 {
        if self == Self::Logarithms { value.ln_1p() } else { value }
    }
}

/// Which regressor, with which seed, on which scale.
#[derive(Debug, Clone, Copy)]
pub(super) struct RegressorPlan {
    pub(super) model: Table6Model,
    pub(super) seed: u64,
    pub(super) scale: RegressorScale,
}

impl RegressorPlan {
    /// Fits it to these pairs.
    pub(super) fn fit(
        self,
        pairs: &[&RegressorPair],
        progress: &Progress,
    ) -> Result<FittedRegressor, LearnError> {
        let scale = self.scale;
        let rows = with_known_columns(pairs.iter().map(|pair| scaled_row(pair, scale)).collect());
        let imputer = MedianImputer::fit_medians(&column_names(), &rows)?;
        let target: Vec<f64> = pairs.iter().map(|pair| pair.target_ms()).collect();
        let target = if scale == RegressorScale::Logarithms {
            target.into_iter().map(f64::ln).collect()
        } else {
            target
        };
        let scaled = scale == RegressorScale::Logarithms;
        let recipe = Recipe { regressor: self.model.learner(), scaled, seed: self.seed };
        let fitted = recipe.fit_model(&imputer.fill(&rows)?, &target, progress)?;
        Ok(FittedRegressor { imputer, fitted, scale })
    }

    /// Measured and predicted times in ms of what each fold holds out, in one order.
    pub(super) fn held_out_times(
        self,
        pairs: &[RegressorPair],
        folds: &[RowFold],
        progress: &Progress,
    ) -> Result<HeldOutTimes, LearnError> {
        let one = |fold: &RowFold| {
            progress.check_cancelled()?;
            let of = |places: &[usize]| places.iter().map(|at| &pairs[*at]).collect::<Vec<_>>();
            let asked = of(&fold.test);
            let fitted = self.fit(&of(&fold.train), &progress.aside())?;
            progress.advance(1);
            Ok::<_, LearnError>(HeldOutTimes {
                places: fold.test.clone(),
                measured: asked.iter().map(|pair| pair.target_ms()).collect(),
                predicted: fitted.predicted_ms(&asked)?,
            })
        };
        let parts: Vec<HeldOutTimes> = cores::try_collect(folds.len(), |at| one(&folds[at]))?;
        let mut all = HeldOutTimes::default();
        for part in parts {
            all.places.extend(part.places);
            all.measured.extend(part.measured);
            all.predicted.extend(part.predicted);
        }
        Ok(all)
    }
}

impl FittedRegressor {
    /// Times in ms; a linear model may say less than 0.
    pub(super) fn predicted_ms(&self, pairs: &[&RegressorPair]) -> Result<Vec<f64>, LearnError> {
        let rows: Vec<Vec<Option<f64>>> = pairs.iter().map(|pair| scaled_row(pair, self.scale)).collect();
        let said = self.fitted.predict(&self.imputer.fill(&rows)?)?;
        let is_log = self.scale == RegressorScale::Logarithms;
        Ok(said.into_iter().map(|v| if is_log { v.exp() } else { v }).collect())
    }

    /// The pairs as it sees them, for importances.
    pub(super) fn filled_table(&self, pairs: &[&RegressorPair]) -> Result<LearningTable, LearnError> {
        self.imputer.fill(&pairs.iter().map(|pair| scaled_row(pair, self.scale)).collect::<Vec<_>>())
    }

    pub(super) fn fitted(&self) -> &Fitted<Learner> {
        &self.fitted
    }
}

fn scaled_row(pair: &RegressorPair, scale: RegressorScale) -> Vec<Option<f64>> {
    pair.values.iter().map(|value| value.map(|v| scale.scaled_value(v))).collect()
}

/// Times of what was held out, in ms.
#[derive(Debug, Clone, Default)]
pub(super) struct HeldOutTimes {
    /// Places of the pairs.
    pub(super) places: Vec<usize>,
    pub(super) measured: Vec<f64>,
    pub(super) predicted: Vec<f64>,
}

/// Every target GPU in turn: trained on pairs that it has no part in.
pub(super) fn gpu_folds(pairs: &[RegressorPair], fewest: usize) -> Vec<RowFold> {
    let targets: BTreeSet<GpuId> = pairs.iter().map(|pair| pair.trial.target).collect();
    let fold = |group: BTreeSet<GpuId>| {
        let which = |keep: &dyn Fn(&RegressorPair) -> bool| places_where(pairs, keep);
        RowFold {
            name: String::new(),
            train: which(&|pair| pair.is_free_of(&group)),
            test: which(&|pair| group.contains(&pair.trial.target)),
        }
    };
    let folds = spread_groups(&targets, MOST_GPU_GROUPS).into_iter().map(fold);
    folds.filter(|fold| fold.train.len() >= fewest).collect()
}

/// Every kernel in turn; its time on the source is known, as in the paper.
pub(super) fn kernel_folds(pairs: &[RegressorPair], fewest: usize) -> Vec<RowFold> {
    let kernels: BTreeSet<KernelId> = pairs.iter().map(|pair| pair.trial.kernel).collect();
    let fold = |group: BTreeSet<KernelId>| RowFold {
        name: String::new(),
        train: places_where(pairs, &|pair| !group.contains(&pair.trial.kernel)),
        test: places_where(pairs, &|pair| group.contains(&pair.trial.kernel)),
    };
    let folds = spread_groups(&kernels, MOST_KERNEL_GROUPS).into_iter().map(fold);
    folds.filter(|fold| fold.train.len() >= fewest).collect()
}

/// The largest size of each kernel, from the smaller ones.
pub(super) fn size_folds(pairs: &[RegressorPair], fewest: usize) -> Vec<RowFold> {
    let fold = RowFold {
        name: String::new(),
        train: places_where(pairs, &|pair| !pair.is_largest),
        test: places_where(pairs, &|pair| pair.is_largest),
    };
    let enough = fold.train.len() >= fewest && !fold.test.is_empty();
    enough.then_some(fold).into_iter().collect()
}

fn places_where(pairs: &[RegressorPair], keep: &dyn Fn(&RegressorPair) -> bool) -> Vec<usize> {
    pairs.iter().enumerate().filter(|(_, pair)| keep(pair)).map(|(at, _)| at).collect()
}
