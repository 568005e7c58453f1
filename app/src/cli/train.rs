//! `roofswap train MODEL --data FILE...`.

use super::choices::{FormatChoice, ThemeChoice};
use super::metrics::FormulasChoice;
use super::{Usage, load, output, training};
use crate::chart::{TreeText, importances_chart, tree_chart};
use crate::learn::Progress;
use crate::report::training::TrainingReport;
use crate::session::{Session, Training};
use crate::train::cache::ModelCache;
use crate::train::paper3::{Paper3, ReferenceLaunch, SpeedUpForest};
use crate::train::{TrainError, Trained, Trainer, trainer};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap train paper3 --data tuning.csv --reference slowest --svg importances.svg\n\
    \x20        roofswap train forest --data times.csv\n\
    A trained model is kept in the cache folder ($ROOFSWAP_CACHE, else ~/.cache/roofswap) beside what it was made from; it is \
    used again only for the same rows, recipe, seed and version. Ctrl-C ends a training and leaves what was there."
)]
pub(super) struct TrainArgs {
    /// What to train: hybrid, paper3, or a regressor of paper 1 to compare with (linear, ridge, lasso, svr, forest, boosting, nearest)
    model: String,
    /// Measurement files, of any format that is recognised
    #[arg(long, value_name = "FILE", num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    /// Seed of splits, search and regressor: the same one gives the same model
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// paper3: reference of the speedup (default: one thread, or the slowest where too few rows have such a reference)
    #[arg(long, value_enum)]
    reference: Option<ReferenceChoice>,
    /// paper3: which form of its metrics
    #[arg(long, value_enum)]
    formulas: Option<FormulasChoice>,
    /// paper3: candidates of the search (default: 50)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    trials: Option<u16>,
    /// Train even where the cache has it
    #[arg(long)]
    fresh: bool,
    /// Draw the importances into this SVG file as well; `-` for stdout, without the table
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// paper3: draw the first three splits of its first tree into this SVG file as well; `-` for stdout, without the table
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

/// `--reference`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ReferenceChoice {
    /// The slowest launch with one thread per block or one block
    OneThread,
    /// The slowest launch of all
    Slowest,
}

impl From<ReferenceChoice> for ReferenceLaunch {
    fn from(choice: ReferenceChoice) -> Self {
        match choice {
            ReferenceChoice::OneThread => Self::OneThread,
            ReferenceChoice::Slowest => Self::Slowest,
        }
    }
}

pub(super) fn run_train(args: &TrainArgs) -> Result<()> {
    // Slips in a name are answered before files are read.
    let trainer = chosen(args)?;
    for file in [&args.svg, &args.tree].into_iter().flatten() {
        output::is_no_input(file, args.data.iter().map(PathBuf::as_path))?;
    }
    let session = load::session(&args.data)?;
    let training = watched(&session, &*trainer, args.fresh)?;
    training.remarks().iter().for_each(output::remark);
    if let Some(file) = args.svg.as_deref() {
        write_chart(&training.trained, args.theme, file, args.data.iter().map(PathBuf::as_path))?;
    }
    if let Some(file) = &args.tree {
        write_tree(&session, args, &*trainer, &training.trained, file)?;
    }
    if [&args.svg, &args.tree].into_iter().flatten().any(|file| output::is_stdout(file)) {
        return Ok(());
    }
    output::answer(TrainingReport(&training.trained).render(args.format.into()).as_bytes())
}

/// The recipe with the options typed.
fn chosen(args: &TrainArgs) -> Result<Box<dyn Trainer>> {
    let usual = trainer(&args.model, args.seed)?;
    let typed =
        args.reference.is_some() || args.formulas.is_some() || args.trials.is_some() || args.tree.is_some();
    if usual.id() != "paper3" {
        if typed {
            let text = "--reference, --formulas, --trials and --tree are options of paper3: leave them out";
            return Err(Usage(text.into()).into());
        }
        return Ok(usual);
    }
    let plain = Paper3::default();
    Ok(Box::new(Paper3 {
        reference: args.reference.map(Into::into),
        formulas: args.formulas.map_or(plain.formulas, Into::into),
        trials: args.trials.map_or(plain.trials, usize::from),
        seed: args.seed,
    }))
}

/// Trains with a bar on stderr; Ctrl-C ends it, and nothing is written then.
fn watched(session: &Session, trainer: &dyn Trainer, fresh: bool) -> Result<Training> {
    let (cache, progress) = (ModelCache::of_user(), Progress::default());
    let work = || session.train(trainer, cache.as_ref(), fresh, &progress);
    match training::watched(&progress, work) {
        Err(why) if why.is_cancelled() => bail!("cancelled: nothing was written"),
        trained => Ok(trained?),
    }
}

/// A column's name that fits a cell of the picture.
fn short_column(name: &str) -> String {
    let short = match name {
        "problem_size" => "size",
        "threads_per_block" => "threads",
        "max_percentage_of_blocks" => "max blocks %",
        "branch_divergence_percent" => "divergence %",
        "shared_memory_utilization" => "shared",
        "global_memory_reduction_bytes" => "reduction B",
        other => other,
    };
    short.to_string()
}

/// Splits of the tree that are drawn one behind the other.
const DRAWN_SPLITS: usize = 3;

/// Draws the first tree of paper 3's forest.
fn write_tree(
    session: &Session,
    args: &TrainArgs,
    trainer: &dyn Trainer,
    trained: &Trained,
    file: &Path,
) -> Result<()> {
    let (cache, progress) = (ModelCache::of_user(), Progress::default());
    let made = training::watched(&progress, || session.trained_model(trainer, cache.as_ref(), &progress))?;
    let forest = SpeedUpForest::from_made(&made)?;
    let text = TreeText {
        title: "Paper 3, appendix A: the first tree of the forest".into(),
        subtitle: format!("{} rows of {}; {}", trained.rows, trained.gpus.join(", "), trained.recipe),
        answer: "speedup".into(),
        notes: vec![
            "the forest predicts the mean of all its trees; leaves below the last split are summed up".into(),
            format!("speedup over {}", forest.reference.sentence()),
        ],
    };
    let names: Vec<String> = forest.column_names().iter().map(|name| short_column(name)).collect();
    let spec = tree_chart(text, &forest.first_tree(DRAWN_SPLITS), &names);
    output::picture(&spec, args.theme.into(), file, args.data.iter().map(PathBuf::as_path))
}

fn write_chart<'a>(
    trained: &Trained,
    theme: ThemeChoice,
    file: &Path,
    inputs: impl Iterator<Item = &'a Path>,
) -> Result<()> {
    let Some(spec) = importances_chart(trained) else {
        let why = "this model cannot say which columns matter: leave --svg out".into();
        return Err(TrainError::Rows { model: "train", why, what_to_do: "train another model".into() }.into());
    };
    output::picture(&spec, theme.into(), file, inputs)
}
