//! A finished evaluation as the dashboard shows it.

use crate::chart::{ChartSpec, distribution, evaluation_chart};
use crate::evaluate::{EvaluationSetup, EvaluationWorld, Progress, Score, score};
use crate::predict::{BASELINES, MODELS, ModelId, model_position};
use crate::report::evaluation::{EvaluationReport, ScoredGroup};
use crate::session::Session;
use crate::text::counted;

/// Everything the screen says of an evaluation.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// The model in use.
    pub model: &'static str,
    /// That in words, and how it was asked.
    pub subtitle: String,
    /// The model and the baselines: asked, and the score where anything was answered.
    pub models: Vec<(String, usize, Option<Score>)>,
    /// The same on the questions that all of them answered; empty where each answered the same ones.
    pub common: Vec<(String, Option<Score>)>,
    /// What is to be known of these names; empty for nothing.
    pub of_labels: &'static str,
    /// The model per kernel, worst first.
    pub kernels: Vec<ScoredGroup>,
    /// The model per pair of GPUs, worst first.
    pub pairs: Vec<ScoredGroup>,
    /// Classes of predicted over measured, with their share.
    pub distribution: Vec<String>,
    /// What was refused, by reason.
    pub refused: Vec<String>,
    /// Predicted over measured, or why there is nothing to draw.
    pub chart: Result<ChartSpec, String>,
}

impl Evaluated {
    /// Measures a model and the baselines on the rows of this session; `None` if it was cancelled.
    #[must_use]
    pub fn new(
        session: &Session,
        model: ModelId,
        setup: &EvaluationSetup,
        progress: &Progress,
    ) -> Option<Self> {
        let mut models = vec![model];
        models.extend(BASELINES.iter().filter_map(|id| model_position(id).ok()).filter(|m| *m != model));
        let store = session.rows_to_evaluate();
        let outcomes = session.evaluate(&store, setup, &models, progress)?;
        let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store: &store };
        let ceilings = setup.ceilings.as_str();
        let report = EvaluationReport { world, setup, ceilings, outcomes: &outcomes };
        let first = outcomes.first()?;
        let of_first = EvaluationReport { outcomes: std::slice::from_ref(first), ..report };
        let label = |model| setup.protocol.model_label(model);
        let rates = first.rates_words(ceilings).map_or_else(String::new, |rates| format!("{rates}, "));
        Some(Self {
            model: MODELS[model].id(),
            subtitle: format!(
                "{}{}; {rates}{} occupancy, {}",
                setup.protocol.sentence(),
                setup.asking.sentence(),
                setup.rules.as_str(),
                counted(store.len(), "row")
            ),
            models: outcomes.iter().map(|o| (label(o.model), o.asked(), score(o.trials.iter()))).collect(),
            common: report.on_common().into_iter().flatten().map(|(model, s)| (label(model), s)).collect(),
            of_labels: setup.protocol.of_labels().unwrap_or_default(),
            kernels: report.per_kernel(first),
            pairs: report.per_pair(first),
            distribution: distribution(first),
            refused: report.refusals(),
            chart: match of_first.picture_refusal() {
                None => Ok(evaluation_chart(first, setup, ceilings)),
                Some(why) => Err(why),
            },
        })
    }
}
