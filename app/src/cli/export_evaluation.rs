//! `roofswap export evaluation --data FILE... --protocol PROTOCOL --view VIEW -o FILE.svg`.

use super::Usage;
use super::evaluate::{MEASURING, ProtocolChoice, scope, session_of_rows_only, use_stated, what_to_do};
use super::question::QuestionArgs;
use super::training::watched_as;
use crate::chart::{ChartSpec, distribution_chart, evaluation_chart, groups_chart};
use crate::evaluate::{EvaluationSetup, EvaluationWorld, Protocol};
use crate::gpu::Ceilings;
use crate::progress::Progress;
use crate::report::evaluation::{EvaluationReport, ScoredGroup};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

/// What only this picture takes.
#[derive(Debug, Args)]
pub(super) struct EvaluationArgs {
    /// What is held out in `evaluation` (default: new-gpu)
    #[arg(long, value_enum)]
    protocol: Option<ProtocolChoice>,
    /// What `evaluation` shows (default: scatter)
    #[arg(long, value_enum)]
    view: Option<EvaluationView>,
    /// Use only the rows of --data for kernel data, as `evaluate --rows-only` does
    #[arg(long, requires = "data")]
    rows_only: bool,
    /// Use the roofs in the files of --data, such as gpu_metrics.json, as `evaluate --ceilings sustained` does
    #[arg(long, requires = "data", conflicts_with = "ceilings")]
    sustained: bool,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum EvaluationView {
    /// Predicted over measured times
    #[default]
    Scatter,
    /// How many predictions are how far off
    Distribution,
    /// Errors of each pair of GPUs
    Pairs,
    /// Errors of each kernel
    Kernels,
}

impl EvaluationArgs {
    /// Whether any of it was typed.
    pub(super) fn is_typed(&self) -> bool {
        self.protocol.is_some() || self.view.is_some() || self.rows_only || self.sustained
    }

    /// The picture: one model on the rows of the files given, or the shipped ones.
    pub(super) fn chart_spec(&self, question: &QuestionArgs) -> Result<ChartSpec> {
        let [settings] = question.settings()?[..] else {
            return Err(Usage("a picture shows one model: give at most one --model".into()).into());
        };
        let [sources, targets, kernels] = question.limits()?;
        let mut session =
            if self.rows_only { session_of_rows_only(&question.data)? } else { question.loaded_session()? };
        if self.sustained {
            use_stated(&mut session)?;
        }
        let setup = EvaluationSetup {
            protocol: self.protocol.map_or(Protocol::default(), Into::into),
            ceilings: if self.sustained { Ceilings::Achieved } else { settings.ceilings },
            rules: settings.rules,
            scope: scope(&session, &sources, &targets, &kernels)?,
            forgets_doubts: true,
            shipped: Some(session.calibration().shipped()),
            ..EvaluationSetup::default()
        };
        let store = session.rows_to_evaluate();
        let progress = Progress::default();
        let outcomes = watched_as(MEASURING, &progress, || {
            session.evaluate(&store, &setup, &[settings.model], &progress)
        })
        .context("cancelled")?;
        let ceilings = if self.sustained { "sustained" } else { setup.ceilings.as_str() };
        let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store: &store };
        let report = EvaluationReport { world, setup: &setup, ceilings, outcomes: &outcomes };
        if let Some(why) = report.picture_refusal() {
            bail!("{why}; {}", what_to_do(&setup, &outcomes));
        }
        let outcome = &outcomes[0];
        let scored =
            |groups: Vec<ScoredGroup>| groups.into_iter().map(|g| (g.name, g.score)).collect::<Vec<_>>();
        Ok(match self.view.unwrap_or_default() {
            EvaluationView::Scatter => evaluation_chart(outcome, &setup, ceilings),
            EvaluationView::Distribution => distribution_chart(outcome, &setup, ceilings),
            EvaluationView::Pairs => {
                groups_chart(outcome, "pair", &scored(report.per_pair(outcome)), &setup, ceilings)
            }
            EvaluationView::Kernels => {
                groups_chart(outcome, "kernel", &scored(report.per_kernel(outcome)), &setup, ceilings)
            }
        })
    }
}
