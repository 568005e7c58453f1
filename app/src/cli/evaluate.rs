//! `roofswap evaluate --data FILE... --protocol new-gpu --model MODEL`.

use super::choices::{FormatChoice, RulesChoice, ThemeChoice};
use super::named_gpus::gpus;
use super::question::{models, unused_ceilings};
use super::terminal::screen_width;
use super::training::watched_as;
use super::{Usage, load, output};
use crate::chart::evaluation_chart;
use crate::evaluate::{Asking, EvaluationSetup, EvaluationWorld, ModelOutcome, Protocol, TrialScope};
use crate::gpu::{Ceilings, GpuId};
use crate::import::AchievedRoof;
use crate::kernel::listed_names;
use crate::learn::learners::Table6Model;
use crate::measurement::Store;
use crate::predict::{BASELINES, ModelId, model_position};
use crate::progress::Progress;
use crate::report::TableFormat;
use crate::report::evaluation::EvaluationReport;
use crate::session::Session;
use crate::train::RegressorRecipe;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

/// What the bar of an evaluation is called; its steps are configurations.
pub(super) const MEASURING: &str = "evaluating the models";

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap evaluate --data my-times.csv --protocol new-gpu --model components,efficiency-transfer"
)]
pub(super) struct EvaluateArgs {
    /// Measurement files, of any format that is recognised (default: the shipped figures)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// What is held out
    #[arg(long, value_enum, default_value = "new-gpu")]
    protocol: ProtocolChoice,
    /// Models, or `all`, and linear, ridge, lasso, svr, forest, boosting, nearest, which are fitted to the rows of other GPUs;
    /// same-time and plain-roofline always stand beside them
    #[arg(long, value_name = "MODEL", value_delimiter = ',')]
    model: Vec<String>,
    /// Only from these source GPUs
    #[arg(long, alias = "source", value_name = "GPU", value_delimiter = ',')]
    from: Vec<String>,
    /// Only onto these target GPUs
    #[arg(long, alias = "target", value_name = "GPU", value_delimiter = ',')]
    to: Vec<String>,
    /// Only these kernels
    #[arg(long, value_name = "KERNEL")]
    kernel: Vec<String>,
    /// `all`: every GPU that timed a configuration is a source of one prediction, instead of one prediction per pair
    #[arg(long, value_enum, default_value = "pairs")]
    sources: SourcesChoice,
    /// Rows of each target that are known: they correct the other predictions there and are not scored
    #[arg(long, value_name = "N", default_value = "0")]
    known_rows: usize,
    /// Use only the rows for kernel data: no formulas, no shipped registers
    #[arg(long, requires = "data")]
    rows_only: bool,
    /// Occupancy arithmetic
    #[arg(long, value_enum, default_value = "exact")]
    rules: RulesChoice,
    /// Ceilings of the roofline [default: peak]
    #[arg(long, value_enum)]
    ceilings: Option<StatedCeilings>,
    /// Source of the prediction intervals (`components`)
    #[arg(long, value_enum, default_value = "shipped")]
    intervals: IntervalsChoice,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
    /// Draw predicted over measured of the first model into this SVG file as well; `-` for stdout, without the table
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum IntervalsChoice {
    /// The shipped errors on other families of kernels: the intervals of `predict`
    Shipped,
    /// The other rows of these files
    Own,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ProtocolChoice {
    /// No measurement on the target is used
    #[value(name = "new-gpu")]
    Gpu,
    /// The largest size on each GPU is predicted from smaller ones there
    #[value(name = "new-size")]
    Size,
    /// No measurement of the kernel is used
    #[value(name = "new-kernel")]
    Kernel,
    /// Timed on the same GPU at other clocks
    #[value(name = "new-clocks")]
    Clocks,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SourcesChoice {
    /// One source at a time
    Pairs,
    /// All at once
    All,
}

impl From<ProtocolChoice> for Protocol {
    fn from(choice: ProtocolChoice) -> Self {
        match choice {
            ProtocolChoice::Gpu => Self::NewGpu,
            ProtocolChoice::Size => Self::NewSize,
            ProtocolChoice::Kernel => Self::NewKernel,
            ProtocolChoice::Clocks => Self::NewClocks,
        }
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum StatedCeilings {
    /// What the datasheet states
    #[default]
    Peak,
    /// Measured rates; a pair without is left out
    Achieved,
    /// What the files of --data state, such as gpu_metrics.json
    Sustained,
}

impl StatedCeilings {
    fn as_str(self) -> &'static str {
        match self {
            Self::Peak => "peak",
            Self::Achieved => "achieved",
            Self::Sustained => "sustained",
        }
    }
}

pub(super) fn run_evaluate(args: &EvaluateArgs) -> Result<()> {
    let asked = AskedModels::from_names(&args.model, args)?;
    let mut session =
        if args.rows_only { session_of_rows_only(&args.data)? } else { load::session(&args.data)? };
    let stated = args.ceilings.unwrap_or_default();
    let ceilings = if stated == StatedCeilings::Peak { Ceilings::Peak } else { Ceilings::Achieved };
    if stated == StatedCeilings::Sustained {
        use_stated(&mut session)?;
    } else if args.ceilings.is_some() {
        let named = asked.models[..asked.named].iter();
        named
            .copied()
            .find_map(|model| unused_ceilings(model, ceilings))
            .into_iter()
            .for_each(output::remark);
    }
    let setup = EvaluationSetup {
        on_one_thread: false,
        protocol: args.protocol.into(),
        ceilings,
        rules: args.rules.into(),
        scope: scope(&session, &args.from, &args.to, &args.kernel)?,
        shipped: (args.intervals == IntervalsChoice::Shipped).then(|| session.calibration().shipped()),
        asking: asking(args)?,
        lessons: None,
        forgets_doubts: true,
        known_cases: None,
    };
    let store = session.take_rows_to_evaluate();
    let progress = Progress::default();
    let outcomes = watched_as(MEASURING, &progress, || asked.outcomes(&session, &store, &setup, &progress))?;
    let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store: &store };
    let report = EvaluationReport { world, setup: &setup, ceilings: stated.as_str(), outcomes: &outcomes };
    let nothing = report.nothing_answered();
    let drawn = args.svg.as_deref().filter(|_| nothing.is_none());
    if let Some(file) = drawn {
        write_chart(&outcomes, &setup, args, file)?;
    }
    // Where nothing was asked there is nothing to show to people but the reason.
    let format: TableFormat = args.format.into();
    let is_empty = format.is_for_people() && outcomes.iter().all(|outcome| outcome.asked() == 0);
    if !is_empty && drawn.is_none_or(|file| file.as_os_str() != "-") {
        output::answer(report.render(format, screen_width()).as_bytes())?;
    }
    match nothing {
        Some(why) => bail!("{why}; {}", what_to_do(&setup, &outcomes)),
        None => Ok(()),
    }
}

/// A session that knows of kernels only what the rows of these files say.
pub(super) fn session_of_rows_only(data: &[PathBuf]) -> Result<ManuallyDrop<Session>> {
    let mut session = load::session(&[])?;
    session.forget_kernels();
    load::load_data(&mut session, data, None)?;
    Ok(session)
}

/// Where nothing could be evaluated: what would change it.
pub(super) fn what_to_do(setup: &EvaluationSetup, outcomes: &[ModelOutcome]) -> &'static str {
    if outcomes.iter().any(|o| o.asked() > 0) {
        return "the reasons stand beside the models in the table; --ceilings peak and --rules exact apply most often";
    }
    if !setup.scope.is_everything() {
        return "leave out one of the flags that choose GPUs and kernels, or give more files with --data";
    }
    match setup.protocol {
        Protocol::NewClocks => {
            "give the times of one GPU at other clocks too (columns sm_clock_mhz, mem_clock_mhz), with --data, or use --protocol new-gpu"
        }
        Protocol::NewSize => "give the times of a smaller size too, with --data, or use --protocol new-gpu",
        _ => "give the times of a second GPU too, with --data, or use --protocol new-size",
    }
}

/// Draws the first model that answered anything, and says which it is.
fn write_chart(
    outcomes: &[ModelOutcome],
    setup: &EvaluationSetup,
    args: &EvaluateArgs,
    file: &Path,
) -> Result<()> {
    let Some(outcome) = outcomes.iter().find(|o| !o.trials.is_empty()) else { return Ok(()) };
    let spec = evaluation_chart(outcome, setup, args.ceilings.unwrap_or_default().as_str());
    output::picture(&spec, args.theme.into(), file, args.data.iter().map(PathBuf::as_path))?;
    output::remark(format!(
        "the picture shows {} alone; the first --model is drawn, and `roofswap export evaluation` has more pictures",
        outcome.model
    ));
    Ok(())
}

/// What is compared: models, methods of paper 1 that are fitted to the rows, and the baselines.
struct AskedModels {
    /// The models asked for, then the baselines, each once.
    models: Vec<ModelId>,
    /// How many of them were asked for.
    named: usize,
    regressors: Vec<RegressorRecipe>,
}

/// The seed of what has chance in it.
const SEED: u64 = 1;

impl AskedModels {
    fn from_names(names: &[String], args: &EvaluateArgs) -> Result<Self> {
        let (fitted, plain): (Vec<String>, Vec<String>) =
            names.iter().cloned().partition(|name| Table6Model::named(name).is_some());
        let mut seen = BTreeSet::new();
        let fitted = fitted.iter().filter(|name| seen.insert(name.as_str()));
        let regressors: Vec<RegressorRecipe> = fitted
            .filter_map(|name| Some(RegressorRecipe { model: Table6Model::named(name)?, seed: SEED }))
            .collect();
        let beyond = Protocol::from(args.protocol) != Protocol::NewGpu || asking(args)? != Asking::default();
        if let Some(first) = regressors.first().filter(|_| beyond) {
            let text = format!(
                "{} predicts from one time on another GPU: leave it out, or use --protocol new-gpu without --sources all and --known-rows",
                first.model.id()
            );
            return Err(Usage(text).into());
        }
        let mut models =
            if plain.is_empty() && !regressors.is_empty() { Vec::new() } else { analytical(&plain)? };
        let named = models.len();
        for baseline in BASELINES {
            models.push(model_position(baseline)?);
        }
        let mut seen = BTreeSet::new();
        models.retain(|m| seen.insert(*m));
        Ok(Self { models, named, regressors })
    }

    /// The outcomes in the order asked: models, regressors, baselines.
    fn outcomes(
        &self,
        session: &Session,
        store: &Store,
        setup: &EvaluationSetup,
        progress: &Progress,
    ) -> Result<Vec<ModelOutcome>> {
        let found = session.evaluate(store, setup, &self.models, progress);
        let mut outcomes = found.context("cancelled")?;
        let fitted = session.evaluate_regressors(store, setup, &self.regressors, progress)?;
        outcomes.splice(self.named..self.named, fitted);
        Ok(outcomes)
    }
}

/// The models with these names that are not fitted to the rows.
fn analytical(names: &[String]) -> Result<Vec<ModelId>> {
    models(names).map_err(|why| {
        let fitted = Table6Model::ALL.map(Table6Model::id).join(", ");
        Usage(format!("{why}; the regressors are: {fitted}")).into()
    })
}

/// What is known beside one source.
fn asking(args: &EvaluateArgs) -> Result<Asking> {
    let asking = Asking { all_sources: args.sources == SourcesChoice::All, known_rows: args.known_rows };
    if asking != Asking::default() && Protocol::from(args.protocol) != Protocol::NewGpu {
        let (given, apply, them) = match (asking.all_sources, asking.known_rows > 0) {
            (true, true) => ("--sources all and --known-rows", "apply", "them"),
            (true, false) => ("--sources all", "applies", "it"),
            _ => ("--known-rows", "applies", "it"),
        };
        let text =
            format!("{given} {apply} to --protocol new-gpu only: drop {them}, or use --protocol new-gpu");
        return Err(Usage(text).into());
    }
    Ok(asking)
}

/// Makes the ceilings that the files state the achieved ones.
pub(super) fn use_stated(session: &mut Session) -> Result<()> {
    if session.roofs.is_empty() {
        let text = "sustained ceilings: no file of --data states any; give gpu_metrics.json too, or take other ceilings";
        return Err(Usage(text.into()).into());
    }
    session.use_stated_ceilings()?;
    for roof in &session.roofs {
        let same = |other: &&AchievedRoof| {
            other.of == roof.of && session.gpus.id_named(&other.gpu) == session.gpus.id_named(&roof.gpu)
        };
        let higher = session.roofs.iter().filter(same).any(|other| other.per_second > roof.per_second);
        output::remark(format!(
            "{} {:?}: {:.2} G/s by {}{}",
            roof.gpu,
            roof.of,
            roof.per_second / 1e9,
            roof.source,
            if higher { "; a higher one counts" } else { "" }
        ));
    }
    Ok(())
}

/// What is looked at: these sources, targets and kernels, or all where none is named.
pub(super) fn scope(
    session: &Session,
    sources: &[String],
    targets: &[String],
    kernels: &[String],
) -> Result<TrialScope> {
    let places = |names: &[String]| -> Result<Option<BTreeSet<GpuId>>> {
        if names.is_empty() { Ok(None) } else { Ok(Some(gpus(session, names)?.into_iter().collect())) }
    };
    let named = kernels.iter().flat_map(|list| listed_names(list)).filter(|_| kernels != ["all"]);
    let kernels = named.map(|name| session.find_kernel(name)).collect::<Result<BTreeSet<_>, _>>()?;
    Ok(TrialScope {
        sources: places(sources)?,
        targets: places(targets)?,
        kernels: (!kernels.is_empty()).then_some(kernels),
        configs: None,
    })
}
