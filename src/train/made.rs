//! What comes of a training, or why nothing does.

use super::trained::Trained;
use crate::learn::LearnError;

/// What comes of a training.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Made {
    /// What is said of it.
    pub trained: Trained,
    /// The fitted model, in a form of the recipe's own.
    pub model: Vec<u8>,
}

/// Why nothing was trained.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TrainError {
    /// The rows do not have what the recipe needs.
    #[error("{model}: {why}; {what_to_do}")]
    Rows {
        /// The model's id.
        model: &'static str,
        /// What is missing, with numbers.
        why: String,
        /// What to do.
        what_to_do: String,
    },
    /// The regressor refused, or it was cancelled.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// There is no such model.
    #[error("unknown model `{typed}`: what can be trained is: {known}")]
    Unknown {
        /// As typed.
        typed: String,
        /// What there is.
        known: String,
    },
}

impl TrainError {
    /// Whether somebody no longer wanted it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Learn(LearnError::Cancelled))
    }
}
