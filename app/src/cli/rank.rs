//! `roofswap rank --from GPU --to all --kernel KERNEL`: which GPU is best for a kernel or a mix.

use super::changes::changed_gpus;
use super::choices::ThemeChoice;
use super::clocks::ClockArgs;
use super::launch_edits::LaunchArgs;
use super::learning::taught_model;
use super::named_gpus::{compared_source, only_source, source_of_application, sources_seen_from};
use super::predict_batch::opened_table;
use super::terminal::screen_width;
use super::training::watched_as;
use super::typed_kernel::TypedKernelArgs;
use super::workload::WorkloadArgs;
use super::{Usage, app, load, output};
use crate::answer::Settings;
use crate::application::{BoardSettings, ForecastSettings, PartOfTrace, application_board, forecast};
use crate::calendar::utc_date;
use crate::catalogue::Catalogue;
use crate::gpu::GpuId;
use crate::kernel::Kernel;
use crate::measurement::{TimingKind, stream_csv};
use crate::progress::Progress;
use crate::rank::{
    Board, RankOrder, RankQuestion, RowSubject, TableSums, block_rows, board_records, board_table,
    rank_chart, select_targets, variant_rows,
};
use crate::report::TableFormat;
use crate::session::{RowQuestions, Session, Sources};
use crate::train::WantedLessons;
use crate::units::Bytes;
use crate::workload::Workload;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap rank --kernel saxpy --size 2^28 --from v100-pcie-16gb --to l40s,h100-sxm5,h200 --prices prices.csv"
)]
pub(super) struct RankArgs {
    /// Source GPU: where it was timed, and what speedups are relative to; more GPUs behind it, or `all` that timed the kernel, are
    /// combined as by `predict`. Without it that of --data, whose rows of several GPUs are combined; without a time each GPU is
    /// predicted from the kernel's counts
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    from: Vec<String>,
    /// GPUs to rank: ids, `all`, an architecture such as `ada`, `each-architecture`, and limits such as `<=300W` or `>=24GB`
    #[arg(long, value_name = "GPU", value_delimiter = ',', default_value = "all")]
    to: Vec<String>,
    #[command(flatten)]
    workload: WorkloadArgs,
    /// Rank GPUs for a whole application: the trace of a profiler, as `roofswap app` reads it
    #[arg(long, value_name = "FILE", conflicts_with_all = BESIDE_APP)]
    app: Option<PathBuf>,
    /// Only what was launched in this marked range of the trace, as `roofswap app --range` takes it
    #[arg(long, value_name = "NAME")]
    range: Option<String>,
    /// Rank every measured variant of the kernel on these GPUs
    #[arg(long, conflicts_with_all = ["mix", "variant"])]
    variants: bool,
    /// Rank block sizes of the kernel on these GPUs: the same threads in other blocks
    #[arg(long, conflicts_with_all = ["mix", "variants", "app"])]
    blocks: bool,
    /// Rank GPUs for all rows of a table, each a launch timed on its own GPU: a canonical CSV, Parquet or Arrow (those two in builds
    /// with --features fleet) of any size; `-` for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = BESIDE_BATCH)]
    batch: Option<PathBuf>,
    /// Rank the kernels of the mix, each with all its launches in a run, on these GPUs
    #[arg(long, requires = "mix", conflicts_with_all = ["kernel", "variants", "blocks", "app"])]
    kernels: bool,
    /// Change the GPUs to rank, such as mem=+20%,l2=72MiB: each is ranked unchanged and changed
    #[arg(long, value_name = "CHANGES")]
    set: Option<String>,
    /// What comes first
    #[arg(long, value_enum, default_value = "time")]
    by: OrderChoice,
    /// Prices: a CSV with the columns gpu,usd_per_hour,provider,region,date, or a catalogue of gpuhunt or SkyPilot
    #[arg(long, value_name = "FILE")]
    prices: Option<PathBuf>,
    /// Only the first N rows
    #[arg(long, value_name = "N", value_parser = super::numbers::whole_number)]
    top: Option<u32>,
    /// The model (default: components or hybrid, as `roofswap models` says)
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    #[command(flatten)]
    launch: LaunchArgs,
    #[command(flatten)]
    typed: TypedKernelArgs,
    #[command(flatten)]
    clocks: ClockArgs,
    /// Measurement files
    #[arg(long, value_name = "FILE", num_args = 1..)]
    data: Vec<PathBuf>,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: super::choices::FormatChoice,
    /// Draw a bar per GPU into this SVG file as well; `-` for stdout, without the table
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
}

/// Flags that ask about something else than the rows of a table.
const BESIDE_BATCH: [&str; 11] = [
    "from",
    "kernel",
    "size",
    "variant",
    "mix",
    "TypedKernelArgs",
    "launch",
    "app",
    "variants",
    "blocks",
    "data",
];

/// Flags that ask about kernels, which an application is not asked about.
const BESIDE_APP: [&str; 9] =
    ["kernel", "mix", "variant", "variants", "size", "TypedKernelArgs", "launch", "model", "data"];

/// `--by`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum OrderChoice {
    /// Shortest time
    Time,
    /// Least energy per run; `energy` for short
    #[value(alias = "energy")]
    PerfPerWatt,
    /// Least money per run; `price` or `cost` for short
    #[value(aliases = ["price", "cost"])]
    PerfPerDollar,
}

impl From<OrderChoice> for RankOrder {
    fn from(choice: OrderChoice) -> Self {
        match choice {
            OrderChoice::Time => Self::Time,
            OrderChoice::PerfPerWatt => Self::PerfPerWatt,
            OrderChoice::PerfPerDollar => Self::PerfPerDollar,
        }
    }
}

pub(super) fn run_rank(args: &RankArgs) -> Result<()> {
    if args.range.is_some() && args.app.is_none() {
        return Err(Usage("--range is of a trace: give --app FILE".into()).into());
    }
    let names = args.to.iter().chain(&args.from).map(String::as_str);
    let from = compared_source(&args.from)?;
    let mut session = load::session_naming(&args.data, names, only_source(&args.from))?;
    let mut targets = select_targets(&session.gpus, &args.to)?;
    if let Some(file) = &args.app {
        return rank_application(args, &mut session, &targets, file);
    }
    if let Some(file) = &args.batch {
        targets.extend(changed_gpus(&mut session, &targets, args.set.as_deref())?);
        // Every row has a source of its own.
        let targets = args.clocks.laid(&mut session, &targets, &Sources::All)?.targets;
        return rank_table(args, &session, targets, file);
    }
    targets.extend(changed_gpus(&mut session, &targets, args.set.as_deref())?);
    let (workload, source) = args.workload.load(&mut session, &args.typed, from, &targets, Bytes(0.0))?;
    let workload = args.launch.edited_workload(&session, workload)?;
    let start = source.or(targets.first().copied()).unwrap_or_default();
    let sources = sources_seen_from(&session, &args.from, start)?;
    let beside = source.map_or_else(Sources::none, |_| sources.clone());
    let laid = args.clocks.laid(&mut session, &targets, &beside)?;
    let (targets, sources) = (laid.targets, if source.is_some() { laid.sources } else { sources });
    let start = sources.seen_from().unwrap_or(start);
    let prices = load::price_book(args.prices.as_deref(), &session)?;
    let mut rows = args.rows(&session, &workload)?;
    rows.extend(args.block_rows(&session, &workload, start, &targets)?);
    let mut asked = RankQuestion {
        sources,
        prices,
        today: utc_date(SystemTime::now()),
        order: args.by.into(),
        rows,
        each_kernel: args.kernels,
        is_without_source: source.is_none(),
        ..RankQuestion::new(&session, &workload, start, targets)
    };
    let kernels = workload.parts.iter().map(|part| part.subject.kernel).collect();
    let wanted =
        WantedLessons { kernels: Some(kernels), targets: Some(asked.targets.iter().copied().collect()) };
    asked.settings.model = taught_model(&session, args.model.as_deref(), &wanted)?;
    let progress = Progress::default();
    let board = watched_as("ranking", &progress, || asked.answer_watched(&progress)).context("cancelled")?;
    write_board(args, board)
}

/// Ranks GPUs for the application of a trace.
fn rank_application(args: &RankArgs, session: &mut Session, targets: &[GpuId], file: &Path) -> Result<()> {
    let mut targets = targets.to_vec();
    targets.extend(changed_gpus(session, &targets, args.set.as_deref())?);
    let part = PartOfTrace { range: args.range.clone(), ..PartOfTrace::default() };
    let application = app::read(file, &part)?;
    let source = app::forecast_source(session, &application, source_of_application(&args.from)?)?;
    let laid = args.clocks.laid(session, &targets, &Sources::from_gpu(source))?;
    let (targets, source) = (laid.targets, laid.sources.seen_from().unwrap_or(source));
    let forecasts = forecast(session, &application, source, &targets, ForecastSettings::default());
    let prices = load::price_book(args.prices.as_deref(), session)?;
    if matches!(args.by, OrderChoice::PerfPerWatt) {
        output::remark(
            "--by perf-per-watt: power of an application is not modelled (its idle time and copies are no kernels): ordered by time",
        );
    }
    let settings = BoardSettings { prices, order: args.by.into(), today: utc_date(SystemTime::now()) };
    let board = application_board(session, &application, source, &forecasts.map_err(Usage)?, &settings);
    write_board(args, board)
}

/// Ranks GPUs for all rows of a table.
fn rank_table(args: &RankArgs, session: &Session, targets: Vec<GpuId>, file: &Path) -> Result<()> {
    let opened = opened_table(file)?;
    let name = opened.file().to_string();
    let workload =
        Workload { name: name.clone(), parts: Vec::new(), run_seconds: None, is_run_assumed: false };
    let mut asked = RankQuestion {
        prices: load::price_book(args.prices.as_deref(), session)?,
        today: utc_date(SystemTime::now()),
        order: args.by.into(),
        ..RankQuestion::new(session, &workload, GpuId::default(), targets)
    };
    if let Some(model) = &args.model {
        asked.settings.model = crate::predict::model_position(model)?;
    }
    let questions = RowQuestions::new(session, asked.targets.clone(), vec![asked.settings]);
    let mut sums = TableSums::on_targets(asked.targets.len());
    let (mut kernels, kind) = (session.kernels.clone(), TimingKind::Measured);
    let never_fails = stream_csv(opened, &name, kind, &session.gpus, &mut kernels, |kernels, block| {
        let add = |kernels: &Catalogue<Kernel>, part| {
            sums.add_rows(&questions, kernels, part);
            Ok::<(), Infallible>(())
        };
        questions.for_each_part(kernels, block.rows, add)?.into_iter().for_each(output::remark);
        block.refused.iter().for_each(|refused| sums.leave_out(|| refused.to_string()));
        Ok::<(), Infallible>(())
    });
    let Ok(()) = never_fails?;
    if let Some(first) = &sums.first_left_out {
        let (without, rows) = (sums.left_out, sums.left_out + sums.rows);
        if sums.rows == 0 {
            bail!("{name}: none of {rows} rows can be ranked: {first}");
        }
        output::remark(format!("{without} of {rows} rows of {name} are left out; the first is {first}"));
    }
    write_board(args, asked.answer_sums(&sums))
}

/// Writes the board; an error where nothing on it could be predicted.
fn write_board(args: &RankArgs, mut board: Board) -> Result<()> {
    let nothing = board.rows.iter().all(|row| row.time.is_none());
    let why = board.rows.first().and_then(|row| row.cautions.first().cloned()).unwrap_or_default();
    if let Some(top) = args.top {
        board.rows.truncate(top as usize);
    }
    if let Some(path) = &args.svg {
        let inputs = args.data.iter().chain(&args.workload.mix).chain(&args.prices).map(PathBuf::as_path);
        output::picture(&rank_chart(&board), args.theme.into(), path, inputs)?;
        if output::is_stdout(path) {
            return Ok(());
        }
    }
    let format: TableFormat = args.format.into();
    let table = match format {
        TableFormat::Table => board_table(&board, screen_width()),
        TableFormat::Markdown => board_table(&board, None),
        TableFormat::Json | TableFormat::Csv => board_records(&board),
    };
    output::answer(table.render(format).as_bytes())?;
    if nothing {
        anyhow::bail!("nothing could be predicted: {why}");
    }
    Ok(())
}

impl RankArgs {
    /// Block sizes of the kernel, where they are asked for.
    fn block_rows(
        &self,
        session: &Session,
        workload: &Workload,
        source: GpuId,
        targets: &[GpuId],
    ) -> Result<Vec<RowSubject>> {
        let target = targets.first().copied().unwrap_or(source);
        let Some(subject) = workload.single().filter(|_| self.blocks) else { return Ok(Vec::new()) };
        let settings = Settings::default();
        let answer = session.answer(subject, source, target, settings);
        match answer.needs_as_launched().filter(|_| answer.launch.target.is_some()) {
            Some(needs) => Ok(block_rows(subject, needs.threads)),
            None => {
                let kernel = &session.kernels[subject.kernel].id;
                let text = format!("{kernel}: launch shape unknown: its block and grid are not stated");
                Err(Usage(text).into())
            }
        }
    }

    /// The measured variants of the kernel at this size, where they are asked for.
    fn rows(&self, session: &Session, workload: &Workload) -> Result<Vec<RowSubject>> {
        let Some(subject) = workload.single().filter(|_| self.variants) else { return Ok(Vec::new()) };
        let rows = variant_rows(session, subject);
        if rows.is_empty() {
            let of = &session.kernels[subject.kernel];
            let text = match of.short_problem(&subject.problem) {
                size if size.is_empty() => format!("{}: no variant was measured", of.id),
                size => format!("{}: no variant was measured at {size}; give another --size", of.id),
            };
            return Err(Usage(text).into());
        }
        Ok(rows)
    }
}
