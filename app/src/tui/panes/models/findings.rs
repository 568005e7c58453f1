//! What the Models pane knows.

use crate::answer::Settings;
use crate::chart::{ChartSpec, importances_chart};
use crate::evaluate::Protocol;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::pair::Pair;
use crate::session::{Revision, Session, Training};
use crate::train::{Survey, TrainableModel, Trained, trainers};
use crate::tui::selection::Selection;
use std::sync::Arc;

/// The seed of everything that is trained here; `roofswap train --seed` takes others.
pub const SEED: u64 = 1;

/// The models measured and trained last.
#[derive(Debug, Clone, Default)]
pub struct ModelFindings {
    /// Every model's errors and what is in the cache, once the worker has them.
    pub survey: Option<Arc<(Survey, Vec<TrainableModel>)>>,
    /// What was trained here last.
    pub training: Option<Arc<Training>>,
    /// Why the last training came to nothing.
    pub refused: Option<String>,
    /// The recipe that Enter trains, by its place.
    pub chosen: usize,
    /// What the models were measured for last.
    pub asked: Option<EvidenceQuestion>,
}

/// What errors were asked for: another question is measured anew.
#[derive(Debug, Clone, PartialEq)]
pub struct EvidenceQuestion {
    /// The rows that are measured on.
    pub revision: Revision,
    /// What is held out.
    pub protocol: Protocol,
    /// The model in use, roofs, occupancy rules.
    pub settings: Settings,
    /// Whether every GPU with a measurement is a source.
    pub all_sources: bool,
    /// The kernel in question, where only cases like it count.
    pub kernel: Option<KernelId>,
    /// Source and target in question, likewise.
    pub pair: Option<Pair<GpuId>>,
    /// Whether a person chose the model.
    pub chosen: bool,
}

impl EvidenceQuestion {
    /// Of every kernel and pair.
    #[must_use]
    pub fn of_every_kernel(session: &Session, protocol: Protocol, selection: &Selection) -> Self {
        let Selection { settings, all_sources, .. } = *selection;
        let revision = session.revision();
        Self { revision, protocol, settings, all_sources, kernel: None, pair: None, chosen: false }
    }
}

impl ModelFindings {
    /// The trained model whose importances are shown: the last one trained here, else a fresh one of the cache.
    #[must_use]
    pub fn shown_model(&self) -> Option<&Trained> {
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

/// What Enter does, for the footer.
#[must_use]
pub fn chosen_training(models: &ModelFindings) -> &'static str {
    match chosen_recipe(models) {
        "hybrid" => "train hybrid",
        "paper3" => "train paper3",
        _ => "train",
    }
}

/// The importances of what was trained last, else of what is in the cache.
#[must_use]
pub fn importances_spec(models: &ModelFindings) -> Option<ChartSpec> {
    importances_chart(models.shown_model()?)
}
