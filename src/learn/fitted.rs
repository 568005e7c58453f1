//! A model that has seen data: it predicts, says which columns mattered, and can be saved.

use super::error::LearnError;
use super::kind::{LearnedModel, RegressorKind};
use super::recipe::Recipe;
use super::scaler::Scaler;
use super::table::LearningTable;
use super::tree::OutlinedNode;
use super::tree_regressor::Regressor;
use crate::cores;
use serde::{Deserialize, Serialize};

/// A fitted model, with the names of the columns it was trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Read<K>", bound = "")]
pub struct Fitted<K: RegressorKind = Regressor> {
    names: Vec<String>,
    recipe: Recipe<K>,
    scaler: Option<Scaler>,
    model: K::Model,
}

/// A model as it was read, before its parts are known to fit together.
#[derive(Deserialize)]
#[serde(bound = "")]
struct Read<K: RegressorKind> {
    names: Vec<String>,
    recipe: Recipe<K>,
    scaler: Option<Scaler>,
    model: K::Model,
}

impl<K: RegressorKind> TryFrom<Read<K>> for Fitted<K> {
    type Error = String;

    fn try_from(Read { names, recipe, scaler, model }: Read<K>) -> Result<Self, String> {
        if scaler.as_ref().is_some_and(|s| s.width() != names.len()) {
            return Err(format!("the scaling is not of {} columns", names.len()));
        }
        model.check_parts(names.len())?;
        Ok(Self { names, recipe, scaler, model })
    }
}

/// One fitted model per output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Outputs<K: RegressorKind = Regressor>(Vec<(String, Fitted<K>)>);

/// Rows that a thread predicts at once: all of them go down one tree before the next is fetched. The answers do not depend
/// on it.
const BLOCKS: std::ops::RangeInclusive<usize> = 256..=8192;

impl<K: RegressorKind> Fitted<K> {
    pub(super) fn new(
        names: Vec<String>,
        recipe: Recipe<K>,
        scaler: Option<Scaler>,
        model: K::Model,
    ) -> Self {
        Self { names, recipe, scaler, model }
    }

    /// The columns it was trained on, in order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What it learned.
    #[must_use]
    pub fn model(&self) -> &K::Model {
        &self.model
    }

    /// What it was made by.
    #[must_use]
    pub fn recipe(&self) -> &Recipe<K> {
        &self.recipe
    }

    /// The answers for all rows, in order.
    ///
    /// # Errors
    /// Columns that are not those of the training; numbers so large that an answer is not finite.
    pub fn predict(&self, table: &LearningTable) -> Result<Vec<f64>, LearnError> {
        table.has_columns(&self.names)?;
        let width = table.width();
        let shared = table.len().div_ceil(4 * rayon::current_num_threads());
        let block = shared.clamp(*BLOCKS.start(), *BLOCKS.end());
        let blocks: Vec<&[f64]> = table.values().chunks(block * width).collect();
        let predicted: Vec<Vec<f64>> = cores::collect(blocks.len(), |at| self.answers(blocks[at], width));
        let predicted = predicted.concat();
        match predicted.iter().position(|v| !v.is_finite()) {
            Some(row) => {
                let model = self.recipe.regressor.name();
                Err(LearnError::Overflow { model, what: format!("row {row}: {}", predicted[row]) })
            }
            None => Ok(predicted),
        }
    }

    /// The answers for rows behind each other.
    fn answers(&self, rows: &[f64], width: usize) -> Vec<f64> {
        match &self.scaler {
            Some(scaler) => {
                let scaled: Vec<f64> =
                    rows.chunks_exact(width).flat_map(|row| scaler.scaled_row(row)).collect();
                self.model.predict_rows(&scaled, width)
            }
            None => self.model.predict_rows(rows, width),
        }
    }

    /// The answer for one row of the training's columns.
    ///
    /// # Panics
    /// Where the row has another number of columns.
    #[must_use]
    pub fn predict_row(&self, row: &[f64]) -> f64 {
        assert_eq!(row.len(), self.names.len(), "a row must have the columns of the training");
        self.answer(row)
    }

    fn answer(&self, row: &[f64]) -> f64 {
        match &self.scaler {
            Some(scaler) => self.model.predict_row(&scaler.scaled_row(row)),
            None => self.model.predict_row(row),
        }
    }

    /// The first `splits` levels of a tree of a forest; empty for any other model. Numbers are of the training table's columns
    /// where the recipe scales none.
    #[must_use]
    pub fn outlined(&self, tree: usize, splits: usize) -> Vec<OutlinedNode> {
        self.model.outlined(tree, splits)
    }

    /// Share of the squared error that each column's splits saved in training, summing to 1; none for a model without trees.
    #[must_use]
    pub fn importances(&self) -> Option<Vec<(String, f64)>> {
        let shares = self.model.importances()?;
        Some(self.names.iter().cloned().zip(shares.iter().copied()).collect())
    }
}

impl<K: RegressorKind> Outputs<K> {
    pub(super) fn new(models: Vec<(String, Fitted<K>)>) -> Self {
        Self(models)
    }

    /// The models by output, in the order they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Fitted<K>)> {
        self.0.iter().map(|(name, fitted)| (name.as_str(), fitted))
    }

    /// The model of this output.
    #[must_use]
    pub fn output_named(&self, name: &str) -> Option<&Fitted<K>> {
        self.iter().find(|(n, _)| *n == name).map(|(_, fitted)| fitted)
    }
}
