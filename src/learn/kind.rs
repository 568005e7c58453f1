//! What a kind of model must bring: its parameters checked, a fit, and answers. Trees are here; other kinds may stand anywhere.

use super::error::LearnError;
use super::table::LearningTable;
use super::tree::OutlinedNode;
use crate::progress::Progress;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;

/// Rows to learn from.
#[derive(Debug, Clone, Copy)]
pub struct TrainingRows<'a> {
    /// The features.
    pub table: &'a LearningTable,
    /// One number per row.
    pub target: &'a [f64],
    /// One number per row; rows of one group are never on both sides of a fold. `None`: each row is its own.
    pub groups: Option<&'a [usize]>,
}

/// A kind of model with its parameters, before it has seen data.
pub trait RegressorKind: fmt::Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync {
    /// What it becomes.
    type Model: LearnedModel;

    /// What it is called in messages.
    fn name(&self) -> &'static str;

    /// How many steps a progress counts while it is fitted.
    fn steps(&self) -> usize;

    /// Checks the parameters for a table of `width` columns.
    ///
    /// # Errors
    /// The first parameter outside its range.
    fn check_parameters(&self, width: usize) -> Result<(), LearnError>;

    /// Learns from these rows; parameters, rows and target are checked already.
    ///
    /// # Errors
    /// Too few rows for this kind, or a cancelled progress.
    fn fit_model(
        &self,
        seed: u64,
        taught: TrainingRows<'_>,
        progress: &Progress,
    ) -> Result<Self::Model, LearnError>;
}

/// What was learned.
pub trait LearnedModel: fmt::Debug + Clone + PartialEq + Serialize + DeserializeOwned + Send + Sync {
    /// Whether its own numbers are finite, so that it answers at all.
    fn is_finite(&self) -> bool;

    /// Refuses parts that do not fit together, or do not answer rows of this width.
    ///
    /// # Errors
    /// What does not fit, in words.
    fn check_parts(&self, width: usize) -> Result<(), String>;

    /// The answer for one row.
    fn predict_row(&self, row: &[f64]) -> f64;

    /// The answers for rows behind each other, each of `width` numbers: to the last bit those of
    /// [`LearnedModel::predict_row`].
    fn predict_rows(&self, rows: &[f64], width: usize) -> Vec<f64> {
        rows.chunks_exact(width).map(|row| self.predict_row(row)).collect()
    }

    /// The first `splits` levels of a tree; empty for a model that is no forest.
    fn outlined(&self, _tree: usize, _splits: usize) -> Vec<OutlinedNode> {
        Vec::new()
    }

    /// Share of the squared error that each column's splits saved in training; none for a model without trees.
    fn importances(&self) -> Option<&[f64]> {
        None
    }
}

/// Checks of the parameters of the model of this name.
#[derive(Debug, Clone, Copy)]
pub struct Parameters(pub &'static str);

impl Parameters {
    /// Refuses a parameter unless `ok`, saying what was expected of it.
    ///
    /// # Errors
    /// [`LearnError::Parameter`].
    pub fn require(
        self,
        ok: bool,
        parameter: &'static str,
        value: String,
        expected: &str,
    ) -> Result<(), LearnError> {
        let expected = expected.to_owned();
        if ok { Ok(()) } else { Err(LearnError::Parameter { model: self.0, parameter, value, expected }) }
    }

    /// Requires a finite number above 0.
    ///
    /// # Errors
    /// [`LearnError::Parameter`].
    pub fn positive(self, parameter: &'static str, value: f64) -> Result<(), LearnError> {
        let ok = value.is_finite() && value > 0.0;
        self.require(ok, parameter, value.to_string(), "a finite number above 0")
    }

    /// Requires a finite number of at least 0.
    ///
    /// # Errors
    /// [`LearnError::Parameter`].
    pub fn not_negative(self, parameter: &'static str, value: f64) -> Result<(), LearnError> {
        let ok = value.is_finite() && value >= 0.0;
        self.require(ok, parameter, value.to_string(), "a finite number, 0 or above")
    }

    /// Requires a count of at least `least`.
    ///
    /// # Errors
    /// [`LearnError::Parameter`].
    pub fn at_least(self, parameter: &'static str, value: usize, least: usize) -> Result<(), LearnError> {
        self.require(value >= least, parameter, value.to_string(), &format!("at least {least}"))
    }

    /// Requires a share above 0 and at most 1.
    ///
    /// # Errors
    /// [`LearnError::Parameter`].
    pub fn check_share(self, parameter: &'static str, value: f64) -> Result<(), LearnError> {
        let ok = value > 0.0 && value <= 1.0;
        self.require(ok, parameter, value.to_string(), "above 0 and at most 1")
    }
}
