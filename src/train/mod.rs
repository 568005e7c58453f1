//! Recipes of learned models: which rows, features and target make which model, and the cache of trained ones.
//!
//! ```text
//! rows ─> Trainer (one file or folder per model) ─> Made ─> cache
//!                                                    └─> Trained: what tables and screens say of it
//! ```

pub mod cache;
mod hybrid;
mod learned;
mod made;
pub mod paper3;
mod regressors;
mod survey;
mod trained;
mod trainer;

pub use hybrid::{HybridRecipe, WantedLessons, lessons};
pub use learned::{TrainableModel, learned, shortened};
pub use made::{Made, TrainError};
pub use regressors::{RegressorRecipe, regressor_outcome};
pub use survey::{Survey, SurveyOf, Surveyed, survey};
pub use trained::{Errors, ModelVerdict, Trained, TrainedImportance};
pub use trainer::Trainer;

use crate::learn::learners::Table6Model;

/// Everything that can be trained with its usual options, in the order it is listed.
#[must_use]
pub fn trainers(seed: u64) -> Vec<Box<dyn Trainer>> {
    let paper3 = paper3::Paper3 { seed, ..paper3::Paper3::default() };
    let mut all: Vec<Box<dyn Trainer>> = vec![Box::new(HybridRecipe { seed }), Box::new(paper3)];
    for model in Table6Model::ALL {
        all.push(Box::new(RegressorRecipe { model, seed }));
    }
    all
}

/// The recipe of this id with its usual options.
///
/// # Errors
/// [`TrainError::Unknown`], listing all.
pub fn trainer(id: &str, seed: u64) -> Result<Box<dyn Trainer>, TrainError> {
    let known = trainers(seed).iter().map(|t| t.id()).collect::<Vec<_>>().join(", ");
    let found = trainers(seed).into_iter().find(|t| t.id() == id);
    found.ok_or_else(|| TrainError::Unknown { typed: crate::text::clipped_text(id, 60), known })
}
