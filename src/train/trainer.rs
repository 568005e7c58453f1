//! What can be trained: one trait, one recipe per model.

use super::cache::Stamp;
use super::made::{Made, TrainError};
use crate::evaluate::EvaluationWorld;
use crate::learn::{LearnError, Progress};

/// A recipe with its options: from the rows of a world to a trained model.
pub trait Trainer: Sync + Send {
    /// As typed: `paper3`.
    fn id(&self) -> &'static str;
    /// What it predicts, and by which method, in one line.
    fn recipe_summary(&self) -> &'static str;
    /// What it needs of the rows, in one line.
    fn needs(&self) -> &'static str;
    /// Whether it is a published method to compare with, which no prediction ever uses.
    fn is_comparison(&self) -> bool {
        false
    }
    /// What it would be trained on and how, without training: two equal stamps give equal models.
    ///
    /// # Errors
    /// [`TrainError`] where the rows are too few or lack what it needs.
    fn stamp(&self, world: EvaluationWorld<'_>) -> Result<Stamp, TrainError>;
    /// Trains it. The bytes are the fitted model, as only this recipe reads them.
    ///
    /// # Errors
    /// [`TrainError`] as for [`Trainer::stamp`], and where it was cancelled.
    fn train(&self, world: EvaluationWorld<'_>, progress: &Progress) -> Result<Made, TrainError>;
    /// Whether the bytes of a model are of this recipe's form: a file of the cache may be whole and of another build.
    ///
    /// # Errors
    /// [`LearnError::File`] with what does not decode.
    fn check_model(&self, made: &Made) -> Result<(), LearnError>;
}
