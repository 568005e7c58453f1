//! Learned models: a table of finite numbers and a target go in, a function of a row comes out.
//!
//! The way is recipe -> checked recipe -> fit -> predict. Whatever a model cannot work with (NaN, columns that are missing, one
//! row, a negative penalty) is an error before it starts, and nothing here panics on numbers. The same seed gives the same
//! bytes, whatever the number of threads. What the columns mean is the business of the room `train`.
//!
//! ```
//! use roofswap_engine::learn::{ForestParameters, Progress, Recipe, Regressor, LearningTable};
//!
//! let table = LearningTable::new(vec!["bytes".into(), "flops".into()], (0..40).map(f64::from).collect())?;
//! let target: Vec<f64> = table.rows().map(|row| 2.0 * row[0] + row[1]).collect();
//! let regressor = Regressor::Forest(ForestParameters { trees: 20, ..ForestParameters::default() });
//! let fitted = Recipe { regressor, scaled: false, seed: 1 }.fit_model(&table, &target, &Progress::default())?;
//! assert!((fitted.predict_row(&[20.0, 21.0]) - 61.0).abs() < 10.0);
//! # Ok::<(), roofswap_engine::learn::LearnError>(())
//! ```

mod boosting;
mod error;
mod fit;
mod fitted;
pub mod folds;
mod forest;
pub mod importance;
mod kind;
pub mod learners;
pub mod metrics;
pub mod prepare;
pub mod random;
mod recipe;
pub mod saved;
mod scaler;
pub mod search;
mod table;
mod tree;
mod tree_regressor;

pub use crate::progress::Progress;
pub use boosting::BoostingParameters;
pub use error::LearnError;
pub use fitted::{Fitted, Outputs};
pub use folds::RowFold;
pub use forest::{Features, ForestParameters};
pub use kind::{LearnedModel, Parameters, RegressorKind, TrainingRows};
pub use recipe::Recipe;
pub use table::LearningTable;
pub use tree::{OutlinedNode, OutlinedPart};
pub use tree_regressor::{Regressor, TreeModel};
