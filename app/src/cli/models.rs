//! `roofswap models [--data FILE... --protocol PROTOCOL --kernel K --from S --to T]`.

use super::choices::FormatChoice;
use super::evaluate::{MEASURING, ProtocolChoice};
use super::terminal::screen_width;
use super::training::watched_as;
use super::{learning, load, output};
use crate::evaluate::like::LikeQuestion;
use crate::evaluate::{ErrorSummary, EvaluationSetup, Protocol, score};
use crate::measurement::TimingKind;
use crate::predict::{MODELS, ModelId, model_position};
use crate::progress::Progress;
use crate::report::models::ModelsReport;
use crate::session::Session;
use crate::train::cache::ModelCache;
use crate::train::{SurveyOf, WantedLessons, learned, trainers};
use anyhow::{Context, Result};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap models --data runs.csv --kernel saxpy --from titan-v --to rtx-4070"
)]
pub(super) struct ModelsArgs {
    /// Measurement files to evaluate the models on (default: the shipped figures)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// What is new to the model
    #[arg(long, value_enum, default_value = "new-gpu")]
    protocol: ProtocolChoice,
    /// The kernel of your question: errors on kernels like it
    #[arg(long, value_name = "KERNEL")]
    kernel: Option<String>,
    /// The source GPU of your question
    #[arg(long, alias = "source", value_name = "GPU")]
    from: Option<String>,
    /// The target GPU of your question: errors onto GPUs like it
    #[arg(long, alias = "target", value_name = "GPU")]
    to: Option<String>,
    /// The model in use, which the others are compared with (default: components or hybrid, whichever is used)
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The seed of the learned models that are looked for in the cache
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run_models(args: &ModelsArgs) -> Result<()> {
    let chosen = args.model.as_deref().map(model_position).transpose()?;
    let names = args.from.iter().chain(&args.to).map(String::as_str);
    let session = load::session_naming(&args.data, names, None)?;
    let gpu = |name: &Option<String>| name.as_deref().map(|n| session.gpus.position(n)).transpose();
    let kernel = args.kernel.as_deref().map(|n| session.kernels.position(n)).transpose()?;
    let wanted = LikeQuestion { kernel, source: gpu(&args.from)?, target: gpu(&args.to)? };
    let protocol: Protocol = args.protocol.into();
    if protocol == Protocol::NewGpu || chosen.is_none() {
        // Which model is in use is what these rows teach; it is learned once and kept: the next command with them need not.
        learning::teach(&session, &WantedLessons::default())?;
    }
    let setup = EvaluationSetup {
        protocol,
        shipped: Some(session.calibration().shipped()),
        lessons: session.lessons_for(protocol),
        ..EvaluationSetup::default()
    };
    let of = SurveyOf {
        setup,
        wanted,
        used: chosen.unwrap_or_else(|| session.default_model_for(&WantedLessons::of_question(&wanted))),
        chosen: chosen.is_some(),
    };
    let progress = Progress::default();
    let survey = watched_as(MEASURING, &progress, || session.survey(&of, &progress)).context("cancelled")?;
    let entries = ModelCache::of_user().map(|cache| session.trained(&cache, args.seed)).unwrap_or_default();
    let learned = learned(&trainers(args.seed), entries);
    let report =
        ModelsReport { survey: &survey, learned: &learned, asked: wanted != LikeQuestion::default() };
    output::answer(report.render(args.format.into(), screen_width()).as_bytes())
}

/// Every model, in their order, on the shipped figures, each of their GPUs held out once; whatever the user's rows.
pub(super) fn errors(session: &Session) -> Result<Vec<Option<ErrorSummary>>> {
    let store = session.store.of_kind(TimingKind::Published);
    let every: Vec<ModelId> = MODELS.ids().collect();
    let (setup, progress) = (EvaluationSetup::default(), Progress::default());
    let evaluated = watched_as(MEASURING, &progress, || session.evaluate(&store, &setup, &every, &progress));
    let outcomes = evaluated.context("cancelled")?;
    Ok(outcomes.iter().map(|o| score(o.trials.iter()).map(|s| s.errors)).collect())
}
