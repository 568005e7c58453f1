//! A model that has seen data: it predicts, says which columns mattered, and can be saved.

use super::boosting::Boosting;
use super::error::LearnError;
use super::forest::Forest;
use super::linear::Line;
use super::nearest::Nearest;
use super::recipe::{Gamma, Recipe, Regressor};
use super::scaler::Scaler;
use super::stack::{Parts, Stack};
use super::svr::Svr;
use super::table::Table;
use crate::progress::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A fitted model, with the names of the columns it was trained on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Read")]
pub struct Fitted {
    names: Vec<String>,
    recipe: Recipe,
    scaler: Option<Scaler>,
    model: Model,
}

/// A model as it was read, before its parts are known to fit together.
#[derive(Deserialize)]
struct Read {
    names: Vec<String>,
    recipe: Recipe,
    scaler: Option<Scaler>,
    model: Model,
}

impl TryFrom<Read> for Fitted {
    type Error = String;

    fn try_from(Read { names, recipe, scaler, model }: Read) -> Result<Self, String> {
        if scaler.as_ref().is_some_and(|s| s.width() != names.len()) {
            return Err(format!("the scaling is not of {} columns", names.len()));
        }
        model.check(names.len())?;
        Ok(Self { names, recipe, scaler, model })
    }
}

/// One fitted model per output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outputs(Vec<(String, Fitted)>);

/// What was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum Model {
    Line(Line),
    Svr(Svr),
    Forest(Forest),
    Boosting(Boosting),
    Nearest(Nearest),
    Stack(Stack),
}

/// Rows that a thread predicts at once: all of them go down one tree before the next is fetched. The answers do not depend
/// on it.
const BLOCKS: std::ops::RangeInclusive<usize> = 256..=8192;

impl Fitted {
    pub(super) fn new(names: Vec<String>, recipe: Recipe, scaler: Option<Scaler>, model: Model) -> Self {
        Self { names, recipe, scaler, model }
    }

    /// The columns it was trained on, in order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// What it was made by.
    #[must_use]
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The answers for all rows, in order.
    ///
    /// # Errors
    /// Columns that are not those of the training; numbers so large that an answer is not finite.
    pub fn predict(&self, table: &Table) -> Result<Vec<f64>, LearnError> {
        table.has_columns(&self.names)?;
        let width = table.width();
        let shared = table.len().div_ceil(4 * rayon::current_num_threads());
        let block = shared.clamp(*BLOCKS.start(), *BLOCKS.end());
        let predicted: Vec<Vec<f64>> =
            table.values().par_chunks(block * width).map(|rows| self.answers(rows, width)).collect();
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
                let scaled: Vec<f64> = rows.chunks_exact(width).flat_map(|row| scaler.row(row)).collect();
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
            Some(scaler) => self.model.predict_row(&scaler.row(row)),
            None => self.model.predict_row(row),
        }
    }

    /// Share of the squared error that each column's splits saved in training, summing to 1; none for a model without trees.
    #[must_use]
    pub fn importances(&self) -> Option<Vec<(String, f64)>> {
        let shares = match &self.model {
            Model::Forest(forest) => &forest.importances,
            Model::Boosting(boosting) => &boosting.importances,
            _ => return None,
        };
        Some(self.names.iter().cloned().zip(shares.iter().copied()).collect())
    }
}

impl Outputs {
    pub(super) fn new(models: Vec<(String, Fitted)>) -> Self {
        Self(models)
    }

    /// The models by output, in the order they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Fitted)> {
        self.0.iter().map(|(name, fitted)| (name.as_str(), fitted))
    }

    /// The model of this output.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Fitted> {
        self.iter().find(|(n, _)| *n == name).map(|(_, fitted)| fitted)
    }
}

impl Model {
    pub(super) fn fit(
        regressor: &Regressor,
        seed: u64,
        (table, target, groups): (&Table, &[f64], Option<&[usize]>),
        progress: &Progress,
    ) -> Result<Self, LearnError> {
        let fitted = match regressor {
            Regressor::Linear => Self::Line(Line::ridge(0.0, table, target)),
            Regressor::Ridge { alpha } => Self::Line(Line::ridge(*alpha, table, target)),
            Regressor::Lasso { alpha } => Self::Line(Line::lasso(*alpha, table, target, progress)?),
            Regressor::Svr { c, epsilon, gamma } => {
                let gamma = length(*gamma, table);
                Self::Svr(Svr::fit((*c, *epsilon, gamma), table, target, progress)?)
            }
            Regressor::Nearest { k } => Self::Nearest(nearest(*k, table, target)?),
            Regressor::Forest(p) => return Ok(Self::Forest(Forest::fit(p, seed, table, target, progress)?)),
            Regressor::Boosting(p) => {
                return Ok(Self::Boosting(Boosting::fit(p, seed, table, target, progress)?));
            }
            Regressor::Stack { bases, last, folds } => {
                let parts = Parts { bases, last, folds: *folds };
                return Ok(Self::Stack(Stack::fit(&parts, seed, (table, target, groups), progress)?));
            }
        };
        progress.advance(1);
        Ok(fitted)
    }

    /// Whether its own numbers are finite, so that it answers at all.
    pub(super) fn is_finite(&self) -> bool {
        match self {
            Self::Line(line) => line.intercept.is_finite() && line.coefficients.iter().all(|c| c.is_finite()),
            Self::Svr(svr) => svr.intercept.is_finite() && svr.coefficients.iter().all(|c| c.is_finite()),
            Self::Stack(stack) => stack.last.is_finite() && stack.bases.iter().all(Self::is_finite),
            Self::Forest(_) | Self::Boosting(_) | Self::Nearest(_) => true, // means of the target
        }
    }

    /// Whether it answers rows of this width; refuses parts that do not fit together.
    fn check(&self, width: usize) -> Result<(), String> {
        let fits = match self {
            Self::Line(line) => line.coefficients.len() == width,
            Self::Svr(svr) => svr.width == width && svr.support.len() == width * svr.coefficients.len(),
            Self::Forest(forest) => forest.is_of(width),
            Self::Boosting(boosting) => boosting.is_of(width),
            Self::Nearest(nearest) => nearest.is_of(width),
            Self::Stack(stack) => {
                stack.bases.iter().try_for_each(|base| base.check(width))?;
                return stack.last.check(stack.bases.len());
            }
        };
        if fits { Ok(()) } else { Err(format!("its parts are not of {width} columns")) }
    }

    /// The answers for rows behind each other, each of `width` numbers: to the last bit those of [`Model::predict_row`].
    pub(super) fn predict_rows(&self, rows: &[f64], width: usize) -> Vec<f64> {
        match self {
            Self::Forest(forest) => forest.predict_rows(rows, width),
            Self::Boosting(boosting) => boosting.predict_rows(rows, width),
            Self::Stack(stack) => stack.predict_rows(rows, width),
            _ => rows.chunks_exact(width).map(|row| self.predict_row(row)).collect(),
        }
    }

    pub(super) fn predict_row(&self, row: &[f64]) -> f64 {
        match self {
            Self::Line(line) => line.predict_row(row),
            Self::Svr(svr) => svr.predict_row(row),
            Self::Forest(forest) => forest.predict_row(row),
            Self::Boosting(boosting) => boosting.predict_row(row),
            Self::Nearest(nearest) => nearest.predict_row(row),
            Self::Stack(stack) => stack.predict_row(row),
        }
    }
}

/// The kernel's gamma for this table; 1 where all its numbers are equal, as in scikit-learn.
fn length(gamma: Gamma, table: &Table) -> f64 {
    let Gamma::Scale = gamma else {
        let Gamma::Value(gamma) = gamma else { return 1.0 };
        return gamma;
    };
    let count = (table.len() * table.width()) as f64;
    let mean = table.rows().flatten().map(|v| v / count).sum::<f64>();
    let variance = table.rows().flatten().map(|v| (v - mean).powi(2) / count).sum::<f64>();
    if variance > 0.0 { 1.0 / (table.width() as f64 * variance) } else { 1.0 }
}

fn nearest(k: usize, table: &Table, target: &[f64]) -> Result<Nearest, LearnError> {
    if k > table.len() {
        let why = format!("the mean of {k} neighbours");
        return Err(LearnError::TooFew { what: "rows", found: table.len(), needed: k, why });
    }
    let rows = table.rows().flatten().copied().collect();
    Ok(Nearest { k, width: table.width(), rows, targets: target.to_vec() })
}
