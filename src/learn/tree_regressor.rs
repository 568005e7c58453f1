//! The regressors made of trees.

use super::boosting::{Boosting, BoostingParameters};
use super::error::LearnError;
use super::forest::{Forest, ForestParameters};
use super::kind::{LearnedModel, Parameters, RegressorKind, TrainingRows};
use super::tree::OutlinedNode;
use crate::progress::Progress;
use serde::{Deserialize, Serialize};

/// A kind of model with its parameters. Defaults of the parameter structs are scikit-learn's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Regressor {
    /// Random forest.
    Forest(ForestParameters),
    /// Gradient boosting of trees under squared error.
    Boosting(BoostingParameters),
}

impl RegressorKind for Regressor {
    type Model = TreeModel;

    fn name(&self) -> &'static str {
        match self {
            Self::Forest(_) => "forest",
            Self::Boosting(_) => "boosting",
        }
    }

    fn steps(&self) -> usize {
        match self {
            Self::Forest(p) => p.trees,
            Self::Boosting(p) => p.rounds,
        }
    }

    fn check_parameters(&self, width: usize) -> Result<(), LearnError> {
        let checked = Parameters(self.name());
        match self {
            Self::Forest(p) => p.check_ranges(checked),
            Self::Boosting(p) => p.check_ranges(checked, width),
        }
    }

    fn fit_model(
        &self,
        seed: u64,
        taught: TrainingRows<'_>,
        progress: &Progress,
    ) -> Result<TreeModel, LearnError> {
        let TrainingRows { table, target, .. } = taught;
        Ok(match self {
            Self::Forest(p) => TreeModel::Forest(Forest::fit_trees(p, seed, table, target, progress)?),
            Self::Boosting(p) => TreeModel::Boosting(Boosting::fit_trees(p, seed, table, target, progress)?),
        })
    }
}

/// Trees that have seen data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum TreeModel {
    /// A random forest.
    Forest(Forest),
    /// Boosted trees.
    Boosting(Boosting),
}

impl LearnedModel for TreeModel {
    fn is_finite(&self) -> bool {
        true // means of the target
    }

    fn check_parts(&self, width: usize) -> Result<(), String> {
        let fits = match self {
            Self::Forest(forest) => forest.is_of(width),
            Self::Boosting(boosting) => boosting.is_of(width),
        };
        if fits { Ok(()) } else { Err(format!("its parts are not of {width} columns")) }
    }

    fn predict_row(&self, row: &[f64]) -> f64 {
        match self {
            Self::Forest(forest) => forest.predict_row(row),
            Self::Boosting(boosting) => boosting.predict_row(row),
        }
    }

    fn predict_rows(&self, rows: &[f64], width: usize) -> Vec<f64> {
        match self {
            Self::Forest(forest) => forest.predict_rows(rows, width),
            Self::Boosting(boosting) => boosting.predict_rows(rows, width),
        }
    }

    fn outlined(&self, tree: usize, splits: usize) -> Vec<OutlinedNode> {
        match self {
            Self::Forest(forest) => forest.outlined(tree, splits),
            Self::Boosting(_) => Vec::new(), // each tree answers what the earlier ones left
        }
    }

    fn importances(&self) -> Option<&[f64]> {
        Some(match self {
            Self::Forest(forest) => &forest.importances,
            Self::Boosting(boosting) => &boosting.importances,
        })
    }
}
