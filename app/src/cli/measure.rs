//! `roofswap measure [--kernel K,...] [--size small,...] [--gpu GPU] -o runs.csv`, and `--dry-run`.

use super::choices::FormatChoice;
use super::profiler_lines::profiler_lines;
use super::{Usage, here, load, output};
use crate::catalogue::user_path_text;
use crate::device::FindDriver;
use crate::device::driver::Driver;
use crate::device::measure::{
    MeasureOptions, MeasurePlan, PlanError, RunMachine, RunOutcome, RunSetup, RunWatch, Skipped, measure,
    plan,
};
use crate::device::suite::{SuiteKernel, paper3_suite, reference::reference, shipped_suite};
use crate::gpu::Gpu;
use crate::kernel::Problem;
use crate::measurement::{CanonicalRow, Number};
use crate::report::{Table, TableCell, TableColumn};
use crate::session::{MeasureFile, Session};
use crate::stats;
use crate::text::counted;
use crate::units::Seconds;
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use std::path::PathBuf;

/// The GPU that a dry run estimates times for where none is named.
const DRY_RUN_GPU: &str = "rtx-4070";

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap measure --size small,medium -o runs.csv\n\
    \x20        roofswap measure --suite paper3 -o paper3.csv && roofswap train paper3 --data paper3.csv\n\
    \x20        roofswap measure --suite paper3 --ncu > counters.sh && GPU=rtx-2080-ti sh counters.sh")]
pub(super) struct MeasureArgs {
    /// What is measured
    #[arg(long, value_enum, default_value = "catalogue")]
    suite: SuiteChoice,
    /// Only configurations of this problem, or of these keys of it, such as n=10000,t=32
    #[arg(long, value_name = "KEY=N")]
    problem: Option<Problem>,
    /// paper3: only the launches with one thread in all
    #[arg(long)]
    one_thread: bool,
    /// Launch and check each configuration once and time nothing: what a profiler is to look at
    #[arg(long, conflicts_with_all = ["output", "dry_run"])]
    launch_once: bool,
    /// Print the command lines that add counters with Nsight Compute, and measure nothing; needs no GPU
    #[arg(long, conflicts_with_all = ["output", "dry_run", "launch_once"])]
    ncu: bool,
    /// Kernels of the suite, by id (default: all)
    #[arg(long, alias = "kernels", value_name = "KERNEL", value_delimiter = ',')]
    kernel: Vec<String>,
    /// Sizes of the catalogue: small, medium, large, xlarge (default: all)
    #[arg(long, alias = "sizes", value_name = "SIZE", value_delimiter = ',')]
    size: Vec<String>,
    /// Which GPU of this machine: its number, UUID, name, or id in the catalogue; with --dry-run, the GPU of the catalogue to
    /// estimate times for [default there: rtx-4070]
    #[arg(long, alias = "on", value_name = "GPU")]
    gpu: Option<String>,
    /// The file; a run that was stopped goes on where the file ends
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["dry_run", "launch_once", "ncu"])]
    output: Option<PathBuf>,
    /// Print what would be measured and about how long it would take, and measure nothing; needs no GPU
    #[arg(long)]
    dry_run: bool,
    /// What buffers are filled from
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

/// `--suite`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SuiteChoice {
    /// The kernels of the catalogue at their named sizes
    Catalogue,
    /// Paper 3's kernels at 7 sizes and 9 blocks, and one thread in all: what `train paper3` learns from
    Paper3,
}

impl SuiteChoice {
    fn as_str(self) -> &'static str {
        match self {
            Self::Catalogue => "catalogue",
            Self::Paper3 => "paper3",
        }
    }

    fn kernels(self) -> Result<Vec<SuiteKernel>> {
        let shipped = shipped_suite()?;
        Ok(if self == Self::Paper3 { paper3_suite(&shipped) } else { shipped })
    }
}

/// The configurations that are asked for.
fn planned<'a>(
    args: &MeasureArgs,
    suite: &'a [SuiteKernel],
    session: &'a Session,
    options: &MeasureOptions,
) -> Result<MeasurePlan<'a>> {
    if args.suite == SuiteChoice::Paper3 && !args.size.is_empty() {
        let text =
            "--size names sizes of the catalogue: choose those of --suite paper3 with --problem n=10000";
        return Err(Usage(text.into()).into());
    }
    let mut found =
        plan(suite, &session.kernels, &args.kernel, &args.size, options).map_err(|e| match e {
            PlanError::Suite(e) => anyhow::Error::from(e),
            typed => Usage(typed.to_string()).into(),
        })?;
    let has_problem = |problem: &Problem| {
        args.problem.as_ref().is_none_or(|asked| {
            asked.pairs().iter().all(|(key, value)| problem.get(key.as_str()) == Some(value))
        })
    };
    found.configurations.retain(|c| (!args.one_thread || c.of.one_thread) && has_problem(&c.case.problem));
    if found.configurations.is_empty() {
        let text =
            "nothing of this suite is left: --problem and --one-thread choose among the lines of --dry-run";
        return Err(Usage(text.into()).into());
    }
    Ok(found)
}

pub(super) fn run_measure(args: &MeasureArgs, find: FindDriver) -> Result<()> {
    let options =
        MeasureOptions { seed: args.seed, launch_once: args.launch_once, ..MeasureOptions::default() };
    // Without a driver that is the one line that is said, whatever else would be.
    let driver = if args.dry_run || args.ncu { None } else { Some(find()?) };
    let session = load::session(&[])?;
    let suite = args.suite.kernels()?;
    let mut plan = planned(args, &suite, &session, &options)?;
    if args.ncu {
        return output::answer(profiler_lines(&plan.configurations, args.suite.as_str()).as_bytes());
    }
    let Some(driver) = driver else {
        let gpu = session.gpus.entry_named(args.gpu.as_deref().unwrap_or(DRY_RUN_GPU))?;
        return output::answer(dry(&plan, gpu, &options).render(args.format.into()).as_bytes());
    };
    let facts = here::gpu(&*driver, args.gpu.as_deref(), &session)?;
    let machine = session.machine(&facts, driver.version());
    say_machine(&session, &machine.gpu, facts.mig);
    let Some(path) = &args.output else {
        return launched_once(&*driver, facts.index, &mut plan, &machine, &options);
    };
    let file = MeasureFile::open_file(path, machine.clone(), options).map_err(anyhow::Error::msg)?;
    let all = plan.configurations.len();
    plan.configurations.retain(|c| !c.is_in(file.document()));
    let before = all - plan.configurations.len();
    if before > 0 {
        output::remark(format!(
            "{}: {before} configurations are there already, {} are left",
            path.display(),
            all - before
        ));
    }
    let limits = Session::limits_of(&facts);
    let progress = here::interruptible();
    let setup = RunSetup {
        machine: &machine,
        limits: limits.as_ref(),
        options: &options,
        reference,
        progress: &progress,
    };
    let mut keep = KeptRows { bar: here::bar(plan.configurations.len()), file };
    let mut device = driver.open_device(facts.index)?;
    let done = measure(&mut *device, &mut plan, setup, &mut keep);
    keep.bar.finish_and_clear();
    output::answer(
        row_table(keep.file.document().canonical_rows(), &machine.gpu).render(args.format.into()).as_bytes(),
    )?;
    told(&done?, path, &keep.file)
}

/// Launches and checks everything once, for a profiler that looks on.
fn launched_once(
    driver: &dyn Driver,
    index: usize,
    plan: &mut MeasurePlan<'_>,
    machine: &RunMachine,
    options: &MeasureOptions,
) -> Result<()> {
    let progress = here::interruptible();
    let setup = RunSetup { machine, limits: None, options, reference, progress: &progress };
    let mut device = driver.open_device(index)?;
    let done = measure(&mut *device, plan, setup, &mut NothingKept)?;
    for skipped in done.failed.iter().chain(&done.skipped) {
        output::remark(format!("error: {}: {}", skipped.name, skipped.why));
    }
    output::remark(format!("{} configurations launched once and checked; nothing was timed", done.timed));
    let missing = done.failed.len() + done.skipped.len();
    if missing == 0 { Ok(()) } else { bail!("{missing} configurations were not launched, or are wrong") }
}

/// No rows come of launches that are not timed.
struct NothingKept;

impl RunWatch for NothingKept {
    fn begins(&mut self, _: usize, _: usize, _: &str) {}

    fn take_rows(&mut self, _: Vec<CanonicalRow>) -> Result<(), String> {
        Ok(())
    }
}

/// Where rows go while the bar moves.
struct KeptRows {
    bar: ProgressBar,
    file: MeasureFile,
}

impl RunWatch for KeptRows {
    fn begins(&mut self, place: usize, _: usize, name: &str) {
        self.bar.set_position(place as u64);
        self.bar.set_message(name.to_string());
    }

    fn take_rows(&mut self, rows: Vec<CanonicalRow>) -> Result<(), String> {
        self.file.add_rows(rows)
    }
}

fn say_machine(session: &Session, gpu: &str, mig: bool) {
    if mig {
        output::remark(format!("{gpu} is a MIG slice: its times are its own, not those of the whole GPU"));
    }
    if session.gpus.id_named(gpu).is_none() {
        output::remark(format!(
            "{gpu} is not in the catalogue: its rows load once `roofswap probe -o {}` has described it",
            user_path_text("gpus/mine.toml")
        ));
    }
}

/// Says what was left out; fails where an answer was wrong, a launch refused, or an occupancy not ours.
fn told(done: &RunOutcome, path: &std::path::Path, file: &MeasureFile) -> Result<()> {
    done.remarks.iter().for_each(output::remark);
    let lines = |all: &[Skipped], what: &str| {
        all.iter().for_each(|s| output::remark(format!("{what}{}: {}", s.name, s.why)));
    };
    lines(&done.skipped, "");
    lines(&done.differences, "error: occupancy of ");
    lines(&done.failed, "error: ");
    if let Some(overhead) = stats::median(&mut done.overheads.clone()) {
        output::remark(format!(
            "trials that were sampled took {:+.2} % against the others (median)",
            100.0 * overhead
        ));
    }
    if !file.document().canonical_rows().is_empty() {
        output::remark(format!(
            "{}: {} rows, {} configurations timed now; described in {}",
            path.display(),
            file.document().canonical_rows().len(),
            done.timed,
            file.about().display()
        ));
    }
    if done.cancelled {
        bail!("cancelled; run the same command again to go on");
    }
    match (done.failed.len(), done.differences.len()) {
        (0, 0) => Ok(()),
        (failed, differ) => bail!(
            "{failed} configurations were not timed, {differ} have another occupancy than calculated; the rest is in {}",
            path.display()
        ),
    }
}

/// The plan, and about how long it takes on this GPU: estimated from roofs, not measured.
fn dry(plan: &MeasurePlan<'_>, gpu: &Gpu, options: &MeasureOptions) -> Table {
    let columns = ["configuration", "size"].map(TableColumn::left).into_iter();
    let numbers = ["memory", "launch", "launches", "takes"].map(TableColumn::right);
    let mut table = Table::new(columns.chain(numbers).collect());
    for c in &plan.configurations {
        let estimate = c.estimate(gpu, options);
        let options = c.options(options);
        let launches = options.launches(estimate.launch);
        table.rows.push(vec![
            TableCell::text(if c.of.one_thread { format!("{}, one thread", c.name()) } else { c.name() }),
            TableCell::text(&*c.case.size),
            TableCell::shown(
                c.case.moved_bytes() as f64,
                format!("{:.3} MB", c.case.moved_bytes() as f64 / 1e6),
            ),
            TableCell::shown(estimate.launch.millis(), estimate.launch.to_string()),
            TableCell::shown(launches as f64, format!("{} x {launches}", options.trials)),
            TableCell::shown(estimate.total().0, estimate.total().to_string()),
        ]);
    }
    let total = plan.estimate(gpu, options).0;
    table.title = format!(
        "{} on {}, about {:.1} minutes; nothing was measured",
        counted(plan.configurations.len(), "configuration"),
        gpu.name,
        total / 60.0
    );
    table.notes.push("Launch times are estimates: three times the roof, plus launch overhead; one thread 60 ns a byte. Each timing is done warm and cold, of one thread warm.".into());
    table.notes.push("Filling and checking are estimated for one CPU core: 0.5 GB/s and 0.3 G steps/s; compiling 0.15 s a source.".into());
    table
}

/// What stands in the file, warm and cold side by side.
fn row_table(rows: &[CanonicalRow], gpu: &str) -> Table {
    let left = ["kernel", "size", "timing"].map(TableColumn::left).into_iter();
    let right = ["time", "std_percent", "launches", "registers", "blocks_per_sm", "sm_clock_mhz", "power_w"]
        .map(TableColumn::right);
    let mut table = Table::new(left.chain(right).collect());
    table.title = format!("measured on {gpu}");
    for row in rows {
        let ms = row.get(Number::Time).unwrap_or(0.0);
        let attribute = |name: &str| {
            row.attributes.get(name).map_or(TableCell::Null, |text| match text.parse::<f64>() {
                Ok(number) => TableCell::number(number),
                Err(_) => TableCell::text(&**text),
            })
        };
        let rounded = |n: Number| TableCell::maybe(row.get(n), |v| TableCell::shown(v, format!("{v:.0}")));
        let std = row.get(Number::TimeStd).map(|std| 100.0 * std / ms);
        table.rows.push(vec![
            TableCell::text(&*row.kernel),
            TableCell::text(&*row.problem),
            attribute("timing"),
            TableCell::shown(ms, Seconds::from_millis(ms).to_string()),
            TableCell::maybe(std.filter(|s| s.is_finite()), |s| TableCell::shown(s, format!("{s:.2}"))),
            attribute("launches"),
            rounded(Number::RegsPerThread),
            attribute("driver_blocks_per_sm"),
            rounded(Number::SmClock),
            rounded(Number::Power),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::training::SIGNALS_IN_TESTS;
    use crate::device::driver::{ComputeMode, DeviceError, Driver, EntryFacts, Parameter};
    use crate::device::fake::{Fake, FakeEffect, small_gpu, that_runs_saxpy};
    use crate::evaluate::EvaluationWorld;
    use crate::kernel::Launch;
    use crate::train::paper3::{MetricFormulas, ReferenceLaunch, Samples};
    use std::path::Path;

    fn args(output: &Path, gpu: Option<&str>) -> MeasureArgs {
        MeasureArgs {
            suite: SuiteChoice::Catalogue,
            problem: None,
            one_thread: false,
            launch_once: false,
            ncu: false,
            kernel: vec!["saxpy".into()],
            size: vec!["small".into()],
            gpu: gpu.map(Into::into),
            output: Some(output.into()),
            dry_run: false,
            seed: 1,
            format: FormatChoice::Csv,
        }
    }

    fn one_gpu() -> Result<Box<dyn Driver>, DeviceError> {
        Ok(Box::new(that_runs_saxpy()))
    }

    fn two_gpus() -> Result<Box<dyn Driver>, DeviceError> {
        let second = crate::device::driver::GpuFacts { index: 1, uuid: "GPU-2".into(), ..small_gpu() };
        Ok(Box::new(Fake { gpus: vec![small_gpu(), second], ..that_runs_saxpy() }))
    }

    fn prohibited() -> Result<Box<dyn Driver>, DeviceError> {
        let closed = crate::device::driver::GpuFacts { compute_mode: ComputeMode::Prohibited, ..small_gpu() };
        Ok(Box::new(Fake { gpus: vec![closed], ..that_runs_saxpy() }))
    }

    #[test]
    fn a_run_writes_a_file_that_loads_and_the_next_one_adds_nothing() {
        let _no_signals = SIGNALS_IN_TESTS.read().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs.csv");
        run_measure(&args(&file, None), one_gpu).unwrap();
        let first = std::fs::read(&file).unwrap();
        let loaded = Session::load(None).unwrap().add_data(&file).unwrap();
        assert_eq!((loaded.rows, loaded.refused_count), (2, 0));
        let about = std::fs::read_to_string(folder.path().join("about.toml")).unwrap();
        assert!(about.contains("rows = 2") && about.contains("gpu = \"rtx-4070\""), "{about}");
        run_measure(&args(&file, Some("rtx-4070")), one_gpu).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), first);
    }

    /// Adds its vectors, in 20 µs or, with one thread, in 5 ms.
    fn adds() -> Result<Box<dyn Driver>, DeviceError> {
        let facts =
            EntryFacts { registers: 12, blocks_per_sm: 6, max_threads: 1024, ..EntryFacts::default() };
        let add: FakeEffect = |memory, parameters, _| {
            use Parameter::{Address as At, U32};
            let [At(a), At(b), At(c), U32(n)] = *parameters else { return };
            let (a, b) = (memory.f32s(a, n as usize), memory.f32s(b, n as usize));
            memory.set_f32s(c, &a.iter().zip(&b).map(|(a, b)| a + b).collect::<Vec<_>>());
        };
        let time = |_: &[Parameter], launch: Launch| if launch.threads() == 1 { 5e-3 } else { 20e-6 };
        Ok(Box::new(Fake::default().knowing("elementwise_add", facts, time, add)))
    }

    #[test]
    fn paper_3s_launches_are_measured_over_one_thread_and_load_as_launches_with_a_reference() {
        let _no_signals = SIGNALS_IN_TESTS.read().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs.csv");
        let paper3 = MeasureArgs {
            suite: SuiteChoice::Paper3,
            kernel: vec!["elementwise_add".into()],
            size: Vec::new(),
            problem: Some("n=10000".parse().unwrap()),
            ..args(&file, None)
        };
        // The scripted driver says six blocks per SM whatever the launch: the times are kept all the same.
        let differs = run_measure(&paper3, adds).unwrap_err().to_string();
        assert!(
            differs.starts_with("0 configurations were not timed, 8 have another occupancy"),
            "{differs}"
        );
        let mut session = Session::load(None).unwrap();
        let loaded = session.add_data(&file).unwrap();
        assert_eq!((loaded.rows, loaded.refused_count), (19, 0), "9 launches warm and cold, one thread warm");
        let once = MeasureArgs { output: None, launch_once: true, one_thread: true, ..paper3 };
        run_measure(&once, adds).unwrap();
        let world = EvaluationWorld {
            gpus: &session.gpus,
            kernels: &session.kernels,
            store: &session.rows_to_evaluate(),
        };
        let samples = Samples::from_world(world, ReferenceLaunch::OneThread, MetricFormulas::Exact);
        assert_eq!((samples.single_threads, samples.all.len()), (1, 9), "{:?}", samples.left_out);
        assert!(samples.all.iter().all(|s| (s.speedup - 250.0).abs() < 1.0), "{:?}", samples.all);
    }

    #[test]
    fn one_of_several_gpus_must_be_named_and_a_file_keeps_to_its_gpu() {
        let _no_signals = SIGNALS_IN_TESTS.read().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("runs.csv");
        let unnamed = run_measure(&args(&file, None), two_gpus).unwrap_err();
        assert!(
            unnamed.is::<Usage>() && unnamed.to_string().contains("1: NVIDIA GeForce RTX 4070 (GPU-2)"),
            "{unnamed}"
        );
        assert!(!file.exists());
        run_measure(&args(&file, Some("1")), two_gpus).unwrap();
        let other = run_measure(&args(&file, Some("0")), two_gpus).unwrap_err().to_string();
        assert!(other.contains("gpu_uuid is `GPU-2`"), "{other}");
    }

    #[test]
    fn a_gpu_that_nobody_may_use_is_said_in_one_line() {
        let _no_signals = SIGNALS_IN_TESTS.read().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let why =
            run_measure(&args(&folder.path().join("runs.csv"), None), prohibited).unwrap_err().to_string();
        assert!(why.contains("compute mode") && !why.contains('\n'), "{why}");
    }
}
