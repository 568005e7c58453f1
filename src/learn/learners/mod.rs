//! Regressors that the papers use: least squares, ridge and lasso, support vectors, nearest rows, stacks. They fit and
//! answer as the trees of `learn` do.

mod linear;
mod nearest;
mod stack;
mod svr;
mod table_6;

use crate::learn::{
    LearnError, LearnedModel, LearningTable, Parameters, Progress, Regressor, RegressorKind, TrainingRows,
    TreeModel,
};
use linear::LinearFunction;
use nearest::Nearest;
use serde::{Deserialize, Serialize};
use stack::{Stack, StackParts};
use svr::Svr;
pub use table_6::Table6Model;

/// A kind of model with its parameters; defaults of nothing, the papers state them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Learner {
    /// Least squares.
    Linear,
    /// Least squares with a penalty on squared coefficients.
    Ridge {
        /// Weight of the penalty.
        alpha: f64,
    },
    /// Least squares (half its mean) with a penalty on the coefficients' sizes.
    Lasso {
        /// Weight of the penalty.
        alpha: f64,
    },
    /// Support vector regression with a Gaussian kernel.
    Svr {
        /// Bound of each coefficient.
        c: f64,
        /// Errors up to it are free, in the target's unit.
        epsilon: f64,
        /// The kernel's 1 / length².
        gamma: Gamma,
    },
    /// Mean of the nearest rows.
    Nearest {
        /// How many.
        k: usize,
    },
    /// A forest or boosted trees.
    Trees(Regressor),
    /// A last model over what base models say of rows they have not seen.
    Stack {
        /// The base models.
        bases: Vec<Learner>,
        /// The last one: its columns are the bases' predictions.
        last: Box<Learner>,
        /// In how many parts the rows (or groups) are held out.
        folds: usize,
    },
}

/// The Gaussian kernel's 1 / length².
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Gamma {
    /// 1 / (columns x variance of all numbers of the table), scikit-learn's 'scale'.
    Scale,
    /// This number.
    Value(f64),
}

/// What a [`Learner`] learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum LearnerModel {
    /// A linear function.
    Line(LinearFunction),
    /// Support vectors.
    Svr(Svr),
    /// The rows themselves.
    Nearest(Nearest),
    /// Trees.
    Trees(TreeModel),
    /// Bases and a last model.
    Stack(Stack<LearnerModel>),
}

impl RegressorKind for Learner {
    type Model = LearnerModel;

    fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Ridge { .. } => "ridge",
            Self::Lasso { .. } => "lasso",
            Self::Svr { .. } => "svr",
            Self::Nearest { .. } => "nearest",
            Self::Trees(trees) => trees.name(),
            Self::Stack { .. } => "stack",
        }
    }

    fn steps(&self) -> usize {
        match self {
            Self::Trees(trees) => trees.steps(),
            Self::Stack { bases, last, folds } => {
                bases.iter().map(Self::steps).sum::<usize>() * (folds + 1) + last.steps()
            }
            _ => 1,
        }
    }

    fn check_parameters(&self, width: usize) -> Result<(), LearnError> {
        let checked = Parameters(self.name());
        match self {
            Self::Linear => Ok(()),
            Self::Ridge { alpha } | Self::Lasso { alpha } => checked.not_negative("alpha", *alpha),
            Self::Svr { c, epsilon, gamma } => {
                checked.positive("C", *c)?;
                checked.not_negative("epsilon", *epsilon)?;
                if let Gamma::Value(gamma) = gamma { checked.positive("gamma", *gamma) } else { Ok(()) }
            }
            Self::Nearest { k } => checked.at_least("k", *k, 1),
            Self::Trees(trees) => trees.check_parameters(width),
            Self::Stack { bases, last, folds } => {
                checked.at_least("bases", bases.len(), 1)?;
                checked.at_least("folds", *folds, 2)?;
                bases.iter().try_for_each(|base| base.check_parameters(width))?;
                last.check_parameters(bases.len())
            }
        }
    }

    fn fit_model(
        &self,
        seed: u64,
        taught: TrainingRows<'_>,
        progress: &Progress,
    ) -> Result<LearnerModel, LearnError> {
        let TrainingRows { table, target, .. } = taught;
        let fitted = match self {
            Self::Linear => LearnerModel::Line(LinearFunction::ridge(0.0, table, target)),
            Self::Ridge { alpha } => LearnerModel::Line(LinearFunction::ridge(*alpha, table, target)),
            Self::Lasso { alpha } => {
                LearnerModel::Line(LinearFunction::lasso(*alpha, table, target, progress)?)
            }
            Self::Svr { c, epsilon, gamma } => {
                let gamma = inverse_square(*gamma, table);
                LearnerModel::Svr(Svr::fit_svr(*c, *epsilon, gamma, table, target, progress)?)
            }
            Self::Nearest { k } => LearnerModel::Nearest(nearest_rows(*k, table, target)?),
            Self::Trees(trees) => return Ok(LearnerModel::Trees(trees.fit_model(seed, taught, progress)?)),
            Self::Stack { bases, last, folds } => {
                let parts = StackParts { bases, last, folds: *folds };
                return Ok(LearnerModel::Stack(Stack::fit_stack(&parts, seed, taught, progress)?));
            }
        };
        progress.advance(1);
        Ok(fitted)
    }
}

impl LearnerModel {
    /// What a stack's last model multiplies the prediction of each base with; `None` for any other model.
    #[must_use]
    pub fn stack_weights(&self) -> Option<Vec<f64>> {
        let Self::Stack(stack) = self else { return None };
        let bases = stack.bases.len();
        let at_zero = stack.last.predict_row(&vec![0.0; bases]);
        let weight = |base: usize| {
            let mut unit = vec![0.0; bases];
            unit[base] = 1.0;
            stack.last.predict_row(&unit) - at_zero
        };
        Some((0..bases).map(weight).collect())
    }
}

impl LearnedModel for LearnerModel {
    fn is_finite(&self) -> bool {
        match self {
            Self::Line(line) => line.intercept.is_finite() && line.coefficients.iter().all(|c| c.is_finite()),
            Self::Svr(svr) => svr.intercept.is_finite() && svr.coefficients.iter().all(|c| c.is_finite()),
            Self::Stack(stack) => stack.last.is_finite() && stack.bases.iter().all(Self::is_finite),
            Self::Trees(trees) => trees.is_finite(),
            Self::Nearest(_) => true, // means of the target
        }
    }

    fn check_parts(&self, width: usize) -> Result<(), String> {
        let fits = match self {
            Self::Line(line) => line.coefficients.len() == width,
            Self::Svr(svr) => svr.width == width && svr.support.len() == width * svr.coefficients.len(),
            Self::Nearest(nearest) => nearest.is_of(width),
            Self::Trees(trees) => return trees.check_parts(width),
            Self::Stack(stack) => {
                stack.bases.iter().try_for_each(|base| base.check_parts(width))?;
                return stack.last.check_parts(stack.bases.len());
            }
        };
        if fits { Ok(()) } else { Err(format!("its parts are not of {width} columns")) }
    }

    fn predict_row(&self, row: &[f64]) -> f64 {
        match self {
            Self::Line(line) => line.predict_row(row),
            Self::Svr(svr) => svr.predict_row(row),
            Self::Nearest(nearest) => nearest.predict_row(row),
            Self::Trees(trees) => trees.predict_row(row),
            Self::Stack(stack) => stack.predict_row(row),
        }
    }

    fn predict_rows(&self, rows: &[f64], width: usize) -> Vec<f64> {
        match self {
            Self::Trees(trees) => trees.predict_rows(rows, width),
            Self::Stack(stack) => stack.predict_rows(rows, width),
            _ => rows.chunks_exact(width).map(|row| self.predict_row(row)).collect(),
        }
    }

    fn importances(&self) -> Option<&[f64]> {
        if let Self::Trees(trees) = self { trees.importances() } else { None }
    }
}

/// The kernel's gamma for this table; 1 where all its numbers are equal, as in scikit-learn.
fn inverse_square(gamma: Gamma, table: &LearningTable) -> f64 {
    if let Gamma::Value(gamma) = gamma {
        return gamma;
    }
    let count = (table.len() * table.width()) as f64;
    let mean = table.rows().flatten().map(|v| v / count).sum::<f64>();
    let variance = table.rows().flatten().map(|v| (v - mean).powi(2) / count).sum::<f64>();
    if variance > 0.0 { 1.0 / (table.width() as f64 * variance) } else { 1.0 }
}

fn nearest_rows(k: usize, table: &LearningTable, target: &[f64]) -> Result<Nearest, LearnError> {
    if k > table.len() {
        let why = format!("the mean of {k} neighbours");
        return Err(LearnError::TooFew { what: "rows", found: table.len(), needed: k, why });
    }
    let rows = table.rows().flatten().copied().collect();
    Ok(Nearest { k, width: table.width(), rows, targets: target.to_vec() })
}
