//! What is said of a trained model, whatever it is inside: the seam between recipes, the cache, `roofswap models` and the
//! Models pane.

use serde::{Deserialize, Serialize};

/// A trained model as tables and screens tell it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Trained {
    /// Its id: `paper3`.
    pub model: String,
    /// What it predicts, in one line.
    pub what: String,
    /// How it was made, in words: regressor, parameters, search.
    pub recipe: String,
    /// The seed of splits, search and regressor.
    pub seed: u64,
    /// Rows it was trained on.
    pub rows: usize,
    /// Ids of the GPUs behind them.
    pub gpus: Vec<String>,
    /// Ids of the kernels behind them.
    pub kernels: Vec<String>,
    /// Which columns matter, the most important first; empty where the model cannot say.
    pub importances: Vec<TrainedImportance>,
    /// What the importances by permutation are measured in: `points of MAPE`.
    pub importance_unit: String,
    /// How wrong it is, by what was held out.
    pub errors: Vec<Errors>,
    /// Whether predictions use it, and why.
    pub used: ModelVerdict,
    /// What the reader must know: references, rows left out, numbers filled in.
    pub notes: Vec<String>,
}

/// What one column is worth.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrainedImportance {
    /// The column.
    pub feature: String,
    /// Share of the squared error that its splits saved in training, 0 to 1.
    pub impurity: Option<f64>,
    /// How much the error on held-out rows rises when the column's values are dealt out to the wrong rows.
    pub permutation: Option<f64>,
    /// What a paper states for its own data.
    pub published: Option<f64>,
}

/// Errors of one protocol; what has no meaning there is absent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Errors {
    /// What was held out, and of which target, in words.
    pub protocol: String,
    /// Whose numbers: ours, or a paper's on other data.
    pub published: bool,
    /// Rows that were predicted.
    pub n: usize,
    /// Mean absolute percentage error.
    pub mape: Option<f64>,
    /// Median absolute percentage error.
    pub median_ape: Option<f64>,
    /// Mean absolute error, in the target's unit.
    pub mae: Option<f64>,
    /// Root of the mean squared error, in the target's unit.
    pub rmse: Option<f64>,
    /// Coefficient of determination.
    pub r2: Option<f64>,
    /// Explained variance.
    pub explained_variance: Option<f64>,
    /// How many of the 90 % intervals held, in percent.
    pub coverage: Option<f64>,
}

/// Whether predictions use a model.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModelVerdict {
    /// Whether they do.
    pub used: bool,
    /// Why, or why not.
    pub why: String,
}

impl Errors {
    /// The errors of these predictions; `truth` and `predicted` in one order.
    #[must_use]
    pub fn from_predictions(protocol: impl Into<String>, truth: &[f64], predicted: &[f64]) -> Self {
        use crate::learn::metrics;
        Self {
            protocol: protocol.into(),
            published: false,
            n: truth.len(),
            mape: metrics::mape(truth, predicted),
            median_ape: metrics::median_ape(truth, predicted),
            mae: metrics::mae(truth, predicted),
            rmse: metrics::rmse(truth, predicted),
            r2: metrics::r2(truth, predicted),
            explained_variance: metrics::explained_variance(truth, predicted),
            coverage: None,
        }
    }
}
