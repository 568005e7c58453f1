//! What the Models pane knows.

use crate::chart::{ChartSpec, importances_chart};
use crate::session::Training;
use crate::train::{Learned, Survey, Trained, trainers};
use std::sync::Arc;

/// The seed of everything that is trained here; `roofswap train --seed` takes others.
pub const SEED: u64 = 1;

/// The models measured and trained last.
#[derive(Debug, Clone, Default)]
pub struct ModelFindings {
    /// Every model's errors and what is in the cache, once the worker has them.
    pub survey: Option<Arc<(Survey, Vec<Learned>)>>,
    /// What was trained here last.
    pub training: Option<Arc<Training>>,
    /// Why the last training came to nothing.
    pub refused: Option<String>,
    /// The recipe that Enter trains, by its place.
    pub chosen: usize,
}

impl ModelFindings {
    /// The trained model whose importances are shown: the last one trained here, else a fresh one of the cache.
    #[must_use]
    pub fn told(&self) -> Option<&Trained> {
        let here = self.training.as_ref().map(|t| &t.trained);
        here.or_else(|| {
            let learned = &self.survey.as_ref()?.1;
            learned.iter().find(|l| l.state == "fresh").and_then(|l| l.trained.as_ref())
        })
    }
}

/// The id of the recipe that Enter trains.
#[must_use]
pub fn chosen_recipe(models: &ModelFindings) -> &'static str {
    trainers(SEED).get(models.chosen).map_or("", |t| t.id())
}

/// The importances of what was trained last, else of what is in the cache.
#[must_use]
pub fn importances_spec(models: &ModelFindings) -> Option<ChartSpec> {
    importances_chart(models.told()?)
}
