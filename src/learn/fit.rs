//! Fits a recipe, after the checks of what it is given.

use super::error::LearnError;
use super::fitted::{Fitted, Outputs};
use super::kind::{LearnedModel, RegressorKind, TrainingRows};
use super::recipe::Recipe;
use super::scaler::Scaler;
use super::table::LearningTable;
use crate::progress::Progress;

/// Most rows of a training table: places of nodes are 32 bits.
const MOST_ROWS: usize = 1 << 31;

impl<K: RegressorKind> Recipe<K> {
    /// Checks the parameters for a table of `width` columns.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn check_width(&self, width: usize) -> Result<(), LearnError> {
        self.regressor.check_parameters(width)
    }

    /// Fits it to one target value per row.
    ///
    /// # Errors
    /// Parameters outside their range, a target that is not one finite number per row, too few rows, numbers that
    /// overflow, or a cancelled progress.
    pub fn fit_model(
        &self,
        table: &LearningTable,
        target: &[f64],
        progress: &Progress,
    ) -> Result<Fitted<K>, LearnError> {
        self.fit_one(table, "target", target, None, progress)
    }

    /// The same, but a stack inside holds out whole groups (one number per row), never rows beside their twins.
    ///
    /// # Errors
    /// As [`Recipe::fit_model`], and groups that are not one per row.
    pub fn fit_grouped(
        &self,
        table: &LearningTable,
        target: &[f64],
        groups: &[usize],
        progress: &Progress,
    ) -> Result<Fitted<K>, LearnError> {
        if groups.len() != table.len() {
            return Err(LearnError::Length { what: "groups".into(), found: groups.len(), rows: table.len() });
        }
        self.fit_one(table, "target", target, Some(groups), progress)
    }

    /// Fits one model per named target.
    ///
    /// # Errors
    /// As [`Recipe::fit_model`], naming the target; no targets, or two of one name.
    pub fn fit_many(
        &self,
        table: &LearningTable,
        targets: &[(String, Vec<f64>)],
        progress: &Progress,
    ) -> Result<Outputs<K>, LearnError> {
        if targets.is_empty() {
            let why = "a model of several outputs".into();
            return Err(LearnError::TooFew { what: "targets", found: 0, needed: 1, why });
        }
        for (column, (name, _)) in targets.iter().enumerate() {
            if let Some(first) = targets[..column].iter().position(|(n, _)| n == name) {
                return Err(LearnError::TwiceNamed { column, first, name: name.clone() });
            }
        }
        let fit = |(name, target): &(String, Vec<f64>)| {
            Ok((name.clone(), self.fit_one(table, name, target, None, progress)?))
        };
        Ok(Outputs::new(targets.iter().map(fit).collect::<Result<_, LearnError>>()?))
    }

    fn fit_one(
        &self,
        table: &LearningTable,
        name: &str,
        target: &[f64],
        groups: Option<&[usize]>,
        progress: &Progress,
    ) -> Result<Fitted<K>, LearnError> {
        self.check_width(table.width())?;
        table.check_target(name, target)?;
        if table.len() < 2 || table.len() > MOST_ROWS {
            let (why, needed) =
                if table.len() < 2 { ("learning", 2) } else { ("at most 2^31 rows; learning", 2) };
            return Err(LearnError::TooFew { what: "rows", found: table.len(), needed, why: why.into() });
        }
        progress.check_cancelled()?;
        progress.expect(self.regressor.steps());
        let scaler = self.scaled.then(|| Scaler::new(table));
        let scaled = scaler.as_ref().map(|s| s.scaled_table(table)).transpose()?;
        let taught = TrainingRows { table: scaled.as_ref().unwrap_or(table), target, groups };
        let model = self.regressor.fit_model(self.seed, taught, progress)?;
        if !model.is_finite() {
            let what = "its coefficients are not finite".into();
            return Err(LearnError::Overflow { model: self.regressor.name(), what });
        }
        Ok(Fitted::new(table.names().to_vec(), self.clone(), scaler, model))
    }
}
