//! What is evaluated on and how, what came of it.

use super::parallel::JudgedItems;
use super::protocol::{Protocol, TrialScope};
use super::tally::Refused;
use crate::answer::{AnswerTrials, AskedCases, ShippedErrors};
use crate::catalogue::Catalogue;
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::Kernel;
use crate::measurement::Store;
use crate::occupancy::Rules;
use crate::predict::{Lessons, MODELS, ModelRates, Predictor, model_position};
use std::sync::Arc;

/// What is evaluated on.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationWorld<'a> {
    /// Every GPU.
    pub gpus: &'a Catalogue<Gpu>,
    /// Every kernel.
    pub kernels: &'a Catalogue<Kernel>,
    /// The rows: sources, targets and the truth.
    pub store: &'a Store,
}

/// How it is evaluated.
#[derive(Debug, Clone, Default)]
pub struct EvaluationSetup {
    /// What is held out.
    pub protocol: Protocol,
    /// Ceilings of the roofline.
    pub ceilings: Ceilings,
    /// Occupancy arithmetic.
    pub rules: Rules,
    /// Which trials are looked at.
    pub scope: TrialScope,
    /// The shipped errors, for models that say how uncertain an answer is: their intervals are then those of `predict`,
    /// made from other families of kernels than the one in question. `None` = every interval is made from these trials.
    pub shipped: Option<Arc<ShippedErrors>>,
    /// What is known beside one source; only for a new GPU.
    pub asking: Asking,
    /// What `hybrid` learned, each lesson without what its trials hold out; `None` = nothing.
    pub lessons: Option<Arc<Lessons>>,
    /// On the thread that asks alone, and not on all cores.
    pub on_one_thread: bool,
    /// Whether doubts are forgotten once the trials have their intervals: who shows an evaluation asks for no more.
    pub forgets_doubts: bool,
    /// The questions of an evaluation of the same rows that stands beside this one: those that are the same are shared with it.
    pub known_cases: Option<Arc<AskedCases>>,
}

impl EvaluationSetup {
    /// So many questions to these models.
    pub(super) fn items(&self, count: usize, models: &[&dyn Predictor]) -> JudgedItems {
        let known_cases = self.known_cases.clone();
        JudgedItems { count, models: models.len(), on_one_thread: self.on_one_thread, known_cases }
    }
}

/// One model's trials, and what it refused.
#[derive(Debug, Clone)]
pub struct ModelOutcome {
    /// The model's id.
    pub model: &'static str,
    /// What it said beside what was measured, by configuration, target and source.
    pub trials: AnswerTrials,
    /// Questions without an answer, by reason.
    pub refused: Refused,
}

impl ModelOutcome {
    /// The rates that its times rest on, in the words of a prediction; `chosen` is the word for the roofs that were asked for. `None`
    /// for a model that uses none, as those that are fitted to rows.
    #[must_use]
    pub fn rates_words(&self, chosen: &str) -> Option<String> {
        match MODELS[model_position(self.model).ok()?].rates() {
            ModelRates::Chosen => Some(format!("{chosen} roofs")),
            ModelRates::Unused => None,
            rates @ ModelRates::Sustained => Some(rates.words(Ceilings::default())),
        }
    }

    /// Questions put to it.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.trials.len() + self.refused.values().sum::<usize>()
    }
}

/// What is known beside one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asking {
    /// Every other GPU that timed the configuration is a source, and all of them make one prediction per row.
    pub all_sources: bool,
    /// How many rows of each target are known.
    pub known_rows: usize,
}

impl Asking {
    /// What is added to the protocol's sentence; nothing where nothing is.
    #[must_use]
    pub fn sentence(self) -> String {
        let known = match self.known_rows {
            0 => String::new(),
            n => format!("; but for {n} rows of it, which correct the rest and are not scored"),
        };
        let sources = if self.all_sources { "; all sources at once" } else { "" };
        format!("{known}{sources}")
    }
}
