//! `roofswap metrics KERNEL --gpu GPU`, `roofswap metrics --data FILE...`.

use super::asked_config::AskedConfig;
use super::choices::FormatChoice;
use super::output::NOT_KEPT;
use super::terminal::text_on_screen;
use super::{Usage, load, named_gpus, output, question, training};
use crate::evaluate::EvaluationWorld;
use crate::gpu::GpuId;
use crate::learn::Progress;
use crate::measurement::Store;
use crate::predict::Subject;
use crate::report::metrics::{
    LaunchesOverview, NamedRow, OnGpu, metric_cells, of_kernel, overview_table, row_columns,
};
use crate::report::{TableFormat, write_rows};
use crate::session::Session;
use crate::train::cache::ModelCache;
use crate::train::paper3::{
    Facts, LaunchMetrics, MetricFormulas, Paper3, ReferenceLaunch, SpeedUpForest, launches, metrics,
};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap metrics saxpy --gpu rtx-2080-ti --size n=2^20\n\
    Paper 3's formulas: max percentage of blocks = blocks per SM x SMs / blocks x 100; blocks per SM = min(registers, shared \
    memory, threads of an SM over those of a block), fractions kept; occupancy = blocks per SM x warps / most warps; branch \
    divergence = (most - least iterations in a warp) / iterations of the warp x 100; CGMA = instructions / DRAM bytes; \
    shared-memory utilisation = 1024 x blocks / problem size; global-memory reduction = DRAM bytes of one thread - DRAM bytes \
    / threads of the grid. The exact form uses the occupancy calculator, idle lanes, FLOPs per element moved, and shared \
    memory held by the resident blocks over that of an SM.")]
pub(super) struct MetricsArgs {
    /// A kernel of the catalogue: its metrics in both forms
    #[arg(required_unless_present = "data")]
    kernel: Option<String>,
    /// GPUs, or `all`; needed with a kernel
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    gpu: Vec<String>,
    /// Its sizes such as n=1024 (default: the smallest measured one)
    #[arg(long, value_name = "KEY=N", requires = "kernel", allow_hyphen_values = true)]
    size: Option<String>,
    /// Its code variant, where its file's formulas read one
    #[arg(long, value_name = "KEY=N;…", requires = "kernel")]
    variant: Option<String>,
    /// Measurement files: without a kernel, the metrics of every launch in them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// Predict the speedup of this launch over the reference by paper 3's forest, trained on the rows of --data
    #[arg(long, requires = "kernel", requires = "data")]
    speedup: bool,
    /// Which formulas, for measured launches
    #[arg(long, value_enum, default_value = "exact")]
    formulas: FormulasChoice,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

impl MetricsArgs {
    /// Of one launch whose speedup is asked for.
    pub(super) fn for_speed_up(kernel: String, gpus: Vec<String>, data: Vec<PathBuf>) -> Self {
        Self {
            kernel: Some(kernel),
            gpu: gpus,
            size: None,
            variant: None,
            data,
            speedup: true,
            formulas: FormulasChoice::Exact,
            format: FormatChoice::Table,
        }
    }

    /// The same at this size, in this code variant.
    pub(super) fn sized(self, size: Option<String>, variant: Option<String>) -> Self {
        Self { size, variant, ..self }
    }

    /// The subject of the one kernel it names, and what must be said of its variant.
    pub(super) fn subject(&self, session: &Session, name: &str) -> Result<(Subject, Vec<String>)> {
        let asked =
            AskedConfig { size: self.size.as_deref(), variant: self.variant.as_deref(), source: None };
        asked.subject(session, session.kernels.position(name)?)
    }
}

/// `--formulas`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum FormulasChoice {
    /// The tool's own occupancy and counts
    Exact,
    /// As paper 3 writes them
    Paper,
}

impl From<FormulasChoice> for MetricFormulas {
    fn from(choice: FormulasChoice) -> Self {
        match choice {
            FormulasChoice::Exact => Self::Exact,
            FormulasChoice::Paper => Self::Paper,
        }
    }
}

pub(super) fn run_metrics(args: &MetricsArgs) -> Result<()> {
    question::size_is_read(args.size.as_deref())?;
    let mut session = load::session_naming(&args.data, args.gpu.iter().map(String::as_str), None)?;
    let format: TableFormat = args.format.into();
    let Some(name) = &args.kernel else { return write_launches(&mut session, args, format) };
    let (title, mut all) = launch_on_gpus(&session, name, args)?;
    let notes = if args.speedup { ask_forest(&session, args, &mut all)?.notes } else { Vec::new() };
    let mut table =
        if format.is_for_people() { overview_table(&title, &all) } else { of_kernel(&title, &all) };
    table.notes.extend(notes);
    output::answer(text_on_screen(&table, format).as_bytes())
}

/// Every measured launch; for programs none of them is kept.
fn write_launches(session: &mut Session, args: &MetricsArgs, format: TableFormat) -> Result<()> {
    let store = session.take_rows_to_evaluate();
    let mut rows = measured(session, &store, args)?.peekable();
    if rows.peek().is_none() {
        let text = "no measured launch on these GPUs: leave --gpu out, or give other files with --data";
        return Err(Usage(text.into()).into());
    }
    let Some(format) = format.for_programs() else {
        let mut overview = LaunchesOverview::new(args.formulas.into());
        rows.try_for_each(|row| overview.add_launch(&row)).context(NOT_KEPT)?;
        return output::streamed_answer(|out| overview.write(format, out));
    };
    let columns = row_columns();
    output::streamed_answer(|out| write_rows(out, &columns, format, rows.map(|row| metric_cells(&row))))
}

/// One kernel's launch on every GPU asked for, with a title.
pub(super) fn launch_on_gpus(
    session: &Session,
    name: &str,
    args: &MetricsArgs,
) -> Result<(String, Vec<OnGpu>)> {
    if args.gpu.is_empty() {
        let text = "no --gpu: give one GPU or several, for example --gpu rtx-2080-ti, or --gpu all";
        return Err(Usage(text.into()).into());
    }
    let gpus = named_gpus::gpus(session, &args.gpu)?;
    let (subject, remarks) = args.subject(session, name)?;
    remarks.into_iter().for_each(output::remark);
    let kernel = &session.kernels[subject.kernel];
    let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store: &session.store };
    let on = |gpu: &GpuId| {
        let row = subject.config.and_then(|c| session.store.row_on(c, *gpu));
        let id = session.gpus[*gpu].id.clone();
        match Facts::from_row(world, &subject, *gpu, row) {
            Ok(f) => Ok(OnGpu {
                gpu: id,
                exact: metrics(&f, MetricFormulas::Exact),
                paper: metrics(&f, MetricFormulas::Paper),
                speed_up: None,
            }),
            Err(why) => Err(Usage(format!(
                "{} on {id}: no metrics, because {}; give a size or variant that launches, or rows with block and grid \
                 by --data",
                kernel.id,
                why.as_str()
            ))),
        }
    };
    let all = gpus.iter().map(on).collect::<Result<Vec<_>, _>>()?;
    Ok((format!("Paper 3's metrics of {} {}", kernel.label(), kernel.short_problem(&subject.problem)), all))
}

/// What paper 3's forest was asked about, and what must be said of its answers.
pub(super) struct AskedForest {
    pub(super) reference: ReferenceLaunch,
    pub(super) notes: Vec<String>,
}

/// Asks paper 3's forest for the speedup of each launch.
pub(super) fn ask_forest(session: &Session, args: &MetricsArgs, all: &mut [OnGpu]) -> Result<AskedForest> {
    let formulas: MetricFormulas = args.formulas.into();
    let (cache, progress) = (ModelCache::of_user(), Progress::default());
    let trainer = Paper3 { formulas, ..Paper3::default() };
    let made = training::watched(&progress, || session.trained_model(&trainer, cache.as_ref(), &progress))?;
    let forest = SpeedUpForest::from_made(&made)?;
    let trained = &made.trained;
    let mut notes: Vec<String> = trained.notes.first().cloned().into_iter().collect();
    notes.push(format!(
        "trained on {} launches of {} on {}",
        trained.rows,
        trained.kernels.join(", "),
        trained.gpus.join(", ")
    ));
    for on in all {
        let of_launch = if formulas == MetricFormulas::Paper { &on.paper } else { &on.exact };
        let said = forest.speed_up(of_launch)?;
        if !trained.gpus.contains(&on.gpu) {
            notes.push(format!("{}: no row of this GPU was trained on", on.gpu));
        }
        if !said.outside.is_empty() {
            let columns = said.outside.join(", ");
            notes.push(format!(
                "{}: outside what was trained on, a forest does not reach there: {columns}",
                on.gpu
            ));
        }
        if !said.filled.is_empty() {
            let columns = said.filled.join(", ");
            notes.push(format!("{}: unknown, filled with the median of the rows: {columns}", on.gpu));
        }
        on.speed_up = Some(said);
    }
    Ok(AskedForest { reference: forest.reference, notes })
}

/// Every launch of the files given, on the GPUs given.
fn measured<'a>(
    session: &'a Session,
    store: &'a Store,
    args: &MetricsArgs,
) -> Result<impl Iterator<Item = NamedRow> + 'a> {
    let gpus = if args.gpu.is_empty() { None } else { Some(named_gpus::gpus(session, &args.gpu)?) };
    let world = EvaluationWorld { gpus: &session.gpus, kernels: &session.kernels, store };
    let wanted = launches(world, args.formulas.into())
        .filter(move |l| gpus.as_ref().is_none_or(|some| some.contains(&l.gpu)));
    Ok(wanted.map(move |l| name(session, store, l)))
}

fn name(session: &Session, store: &Store, of: LaunchMetrics) -> NamedRow {
    let config = store.config(of.config);
    let kernel = &session.kernels[config.kernel];
    let gpu = session.gpus[of.gpu].id.clone();
    let problem = config.problem.to_string();
    NamedRow { names: [gpu, kernel.id.clone(), problem, config.variant_words()], of }
}
