//! Which model with which parameters.

use super::tree_regressor::Regressor;
use serde::{Deserialize, Serialize};

/// A model before it has seen data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe<K = Regressor> {
    /// Kind and parameters.
    pub regressor: K,
    /// Whether columns are brought to mean 0 and deviation 1 inside the model.
    pub scaled: bool,
    /// The same seed gives the same model, byte by byte, whatever the number of threads.
    pub seed: u64,
}
