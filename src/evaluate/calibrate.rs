//! The fit of intervals: every model, with either rates and rules, on the published figures that several GPUs timed.

use super::metrics::score;
use super::run::evaluate;
use super::setup::{EvaluationSetup, EvaluationWorld};
use crate::answer::{IntervalCalibration, LearnedModels};
use crate::catalogue::{Catalogue, FileError};
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::Kernel;
use crate::measurement::Store;
use crate::occupancy::Rules;
use crate::predict::MODELS;
use crate::progress::Progress;
use std::sync::Arc;

/// The published figures, and what they are about.
#[derive(Debug, Clone)]
pub struct PublishedFigures {
    /// Every GPU.
    pub gpus: Arc<Catalogue<Gpu>>,
    /// Every kernel.
    pub kernels: Catalogue<Kernel>,
    /// The figures.
    pub store: Store,
}

impl PublishedFigures {
    /// The calibration by every configuration of these figures, each part of it fitted when a question first needs it.
    ///
    /// # Errors
    /// [`FileError`] where `specs/intervals.toml` does not parse (a test reads it).
    pub fn into_calibration(self) -> Result<IntervalCalibration, FileError> {
        IntervalCalibration::with_lesson(move |ceilings, rules| self.learned_models(ceilings, rules))
    }

    fn learned_models(&self, ceilings: Ceilings, rules: Rules) -> LearnedModels {
        let Self { gpus, kernels, store } = self;
        let setup = EvaluationSetup { ceilings, rules, on_one_thread: true, ..EvaluationSetup::default() };
        let world = EvaluationWorld { gpus, kernels, store };
        let outcomes = evaluate(world, &setup, &MODELS, &Progress::default()).expect("nobody cancels it");
        let mut learned = LearnedModels::default();
        for (model, outcome) in MODELS.ids().zip(&outcomes) {
            // The intervals of these trials were made without their target.
            let held = score(outcome.trials.iter()).and_then(|s| s.coverage_90_percent);
            learned.add_trials(model, &outcome.trials, held.map(|percent| percent / 100.0));
        }
        learned
    }
}
