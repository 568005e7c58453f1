//! `roofswap app FILE`: a whole application from the trace of a profiler.

use super::changes::changed_gpus;
use super::choices::{FormatChoice, ThemeChoice};
use super::clocks::ClockArgs;
use super::import_measurements::with_bar;
use super::terminal::{fitted_to_screen, screen_width, shortened_on_screen};
use super::{Usage, load, named_gpus, output};
use crate::application::{
    Application, BoardSettings, ForecastSettings, GROUPS_LISTED, PartOfTrace, TargetForecast,
    application_board, application_chart, application_json, forecast, group_table, host_factor, kernels_json,
    kernels_on_target_table, kernels_on_targets_table, other_gpu_note, profile_next, profile_table,
    read_application, recorded_gpu_id, summary_table, target_json, target_table, unlisted_gpu,
};
use crate::calendar::utc_date;
use crate::gpu::GpuId;
use crate::import::ImportJob;
use crate::progress::Progress;
use crate::rank::{PriceBook, RankOrder, board_table};
use crate::report::{TableFormat, pretty_json};
use crate::session::{Session, Sources};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap app trace.json.gz\n\
         Example: roofswap app report.sqlite --range step --to h200,l40s --format json")]
pub(super) struct AppArgs {
    /// A trace of PyTorch or JAX (.json, .json.gz), an Nsight Systems export (nsys export --type sqlite), the CSV of
    /// `nsys stats`, or an ncu report of several kernels. `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The number of the GPU in the trace (default: the one with the most kernel time)
    #[arg(long, value_name = "N")]
    device: Option<u32>,
    /// Only what was launched in this marked range: its name (the one of median length), NAME:3 for the third, `step` for the
    /// repeating one
    #[arg(long, value_name = "NAME")]
    range: Option<String>,
    /// Target GPUs: where the application might run
    #[arg(long, value_name = "GPU", value_delimiter = ',')]
    to: Vec<String>,
    /// Change the targets, such as mem=+20%,l2=72MiB: each is predicted unchanged and changed
    #[arg(long, value_name = "CHANGES", requires = "to")]
    set: Option<String>,
    #[command(flatten)]
    clocks: ClockArgs,
    /// The GPU it ran on, for a file that does not name one
    #[arg(long, value_name = "GPU")]
    from: Option<String>,
    /// Time on the host as a factor of the recorded one, such as 1.3x
    #[arg(long, value_name = "FACTOR", default_value = "1.0x", value_parser = host_factor)]
    host: f64,
    /// Prices: a CSV with the columns gpu,usd_per_hour,provider,region,date, or a catalogue of gpuhunt or SkyPilot
    #[arg(long, value_name = "FILE", requires = "to")]
    prices: Option<PathBuf>,
    /// Draw the time on every GPU as stacked bars into this SVG file as well; `-` for stdout, without the tables
    #[arg(long, value_name = "FILE", requires = "to")]
    svg: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
    /// The time of every kernel on every target as well
    #[arg(long, requires = "to")]
    kernels: bool,
    /// How many groups of kernels a table shows
    #[arg(long, value_name = "N", default_value_t = GROUPS_LISTED)]
    top: usize,
    /// How to write it; JSON is one object
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

/// Columns of the table of groups that a narrow screen goes without, the first one first.
const GROUP_COLUMNS_LEFT_OUT: [&str; 7] =
    ["for", "DRAM", "FLOPs", "mean", "regs", "grid x block", "operator"];
/// The same of the table of targets.
const TARGET_COLUMNS_LEFT_OUT: [&str; 6] =
    ["idle", "at most", "predicted", "90 % of kernels", "speedup of kernels", "kernels"];

/// The same of the table of kernels on a target.
const KERNEL_COLUMNS_LEFT_OUT: [&str; 5] = ["share", "calls", "rests on", "operator", "limit"];

pub(super) fn run_app(args: &AppArgs) -> Result<()> {
    let forecast_count = write_application(args)?;
    if forecast_count == Some(0) {
        bail!("nothing could be predicted");
    }
    Ok(())
}

/// Writes the application; on how many targets it was predicted, `None` where nobody asks.
fn write_application(args: &AppArgs) -> Result<Option<usize>> {
    if args.clocks.is_typed() && args.to.is_empty() {
        let text = "--sm-clock, --mem-clock and --power-limit are settings of the targets: give --to GPU";
        return Err(Usage(text.into()).into());
    }
    let names = args.to.iter().chain(&args.from).map(String::as_str);
    let mut session = load::session_naming(&[], names, None)?;
    let application = read(&args.file, &PartOfTrace { device: args.device, range: args.range.clone() })?;
    if args.host != 1.0 && application.timeline.is_none() {
        return Err(Usage(format!("--host: {} has no time line", application.file)).into());
    }
    let source = source_gpu(&mut session, &application, args.from.as_deref())?;
    let (source, forecasts) = forecasts(&mut session, &application, source, args)?;
    let count = (!args.to.is_empty()).then_some(forecasts.len());
    let prices = load::price_book(args.prices.as_deref(), &session)?;
    if let Some(path) = &args.svg {
        picture(&session, &application, source, &forecasts, args, path)?;
        if output::is_stdout(path) {
            return Ok(count);
        }
    }
    let format: TableFormat = args.format.into();
    if format == TableFormat::Json {
        let target =
            |f| priced(&session, target_with_kernels(&session, &application, f, args.kernels), f, &prices);
        let targets = forecasts.iter().map(target).collect();
        let id = source.map(|at| session.gpus[at].id.as_str());
        let json = application_json(&application, id, targets);
        output::answer(pretty_json(&json).as_bytes())?;
        return Ok(count);
    }
    if !format.is_for_people() {
        application.remarks.iter().for_each(output::remark);
        let asked = match (forecasts.is_empty(), args.kernels) {
            (true, _) => group_table(&application, args.top, format),
            (false, true) => kernels_on_targets_table(&session, &application, &forecasts),
            (false, false) => target_table(&session, &application, &forecasts, format),
        };
        if !forecasts.is_empty() {
            let left_out = if args.kernels {
                "the targets' totals are written without --kernels"
            } else {
                "the kernels on each target are written with --kernels"
            };
            output::remark(format!(
                "csv is one table: {left_out}, the groups as recorded without --to, all of it by --format json"
            ));
        }
        output::answer(asked.render(format).as_bytes())?;
        return Ok(count);
    }
    let targets = target_table(&session, &application, &forecasts, format);
    let targets = fitted_to_screen(targets, format, &TARGET_COLUMNS_LEFT_OUT).render(format);
    let groups = group_table(&application, args.top, format);
    let groups = fitted_to_screen(groups, format, &GROUP_COLUMNS_LEFT_OUT);
    let groups = shortened_on_screen(groups, format, "kernel").render(format);
    let mut all = format!("{}\n{groups}", summary_table(&application).render(format));
    if !forecasts.is_empty() {
        all.push_str(&format!("\n{targets}"));
    }
    for forecast in forecasts.iter().filter(|_| args.kernels) {
        let table = kernels_on_target_table(&session, &application, forecast, args.top);
        let table = fitted_to_screen(table, format, &KERNEL_COLUMNS_LEFT_OUT);
        let table = shortened_on_screen(table, format, "kernel");
        all.push_str(&format!("\n{}", table.render(format)));
    }
    if let Some(forecast) = forecasts.iter().find(|forecast| Some(forecast.target) != source) {
        let next = profile_next(&application, forecast, 3);
        if !next.is_empty() {
            let table = profile_table(&session, &application, forecast.target, &next);
            all.push_str(&format!("\n{}", table.render(format)));
        }
    }
    if let (Some(source), false) = (source, prices.is_empty()) {
        let settings =
            BoardSettings { prices, order: RankOrder::PerfPerDollar, today: utc_date(SystemTime::now()) };
        let board = application_board(&session, &application, source, &forecasts, &settings);
        all.push_str(&format!("\n{}", board_table(&board, screen_width()).render(format)));
    }
    output::answer(all.as_bytes())?;
    Ok(count)
}

/// An entry of `targets`, with its kernels where they are asked for.
fn target_with_kernels(
    session: &Session,
    application: &Application,
    forecast: &TargetForecast,
    kernels: bool,
) -> Value {
    let mut json = target_json(session, forecast);
    if kernels {
        json["kernels"] = kernels_json(application, forecast);
    }
    json
}

/// With what a million windows cost there, where there is a price.
fn priced(session: &Session, mut json: Value, forecast: &TargetForecast, prices: &PriceBook) -> Value {
    if let Some(quote) = prices.quote(&session.gpus, forecast.target) {
        json["usd_per_million_runs"] = quote.usd_per_million_runs(forecast.time_range().value).into();
        let of_price = quote.cautions(utc_date(SystemTime::now()).as_deref());
        if let Some(cautions) = json["cautions"].as_array_mut() {
            cautions.extend(of_price.into_iter().map(Value::from));
        }
    }
    json
}

/// The source at the settings that were typed for it, and the predictions for `--to`; none where nobody asks, or where the kernels are of a GPU
/// that no model covers, which is said.
fn forecasts(
    session: &mut Session,
    application: &Application,
    source: Option<GpuId>,
    args: &AppArgs,
) -> Result<(Option<GpuId>, Vec<TargetForecast>)> {
    if args.to.is_empty() {
        return Ok((source, Vec::new()));
    }
    if let Some(why) = no_model(application) {
        output::remark(why);
        return Ok((source, Vec::new()));
    }
    let source = source.ok_or_else(|| unknown_source(session, application))?;
    let settings = ForecastSettings { host: args.host, ..ForecastSettings::default() };
    let mut targets = named_gpus::target_gpus(session, &args.to, None)?;
    targets.extend(changed_gpus(session, &targets, args.set.as_deref())?);
    let laid = args.clocks.laid(session, &targets, &Sources::from_gpu(source))?;
    let source = laid.sources.seen_from().unwrap_or(source);
    let all = forecast(session, application, source, &laid.targets, settings).map_err(Usage)?;
    Ok((Some(source), all))
}

/// The bar of the source as it was recorded above those of the targets.
fn picture(
    session: &Session,
    application: &Application,
    source: Option<GpuId>,
    forecasts: &[TargetForecast],
    args: &AppArgs,
    path: &Path,
) -> Result<()> {
    let mut all = Vec::new();
    if let Some(source) = source.filter(|s| !forecasts.iter().any(|f| f.target == *s)) {
        let own = forecast(session, application, source, &[source], ForecastSettings::default());
        all.extend(own.map_err(Usage)?);
    }
    all.extend(forecasts.iter().cloned());
    let chart = application_chart(session, application, &all);
    output::picture(&chart, args.theme.into(), path, [args.file.as_path()].into_iter())
}

/// The GPU that the kernels ran on: the one that was typed, else the one that the file names, a MIG slice beside those of the catalogue.
pub(super) fn source_gpu(
    session: &mut Session,
    application: &Application,
    typed: Option<&str>,
) -> Result<Option<GpuId>> {
    let recorded = recorded_gpu_id(&session.gpus, application);
    session.add_derived_gpus(recorded.as_deref())?;
    let recorded = recorded.and_then(|id| session.gpus.id_named(&id));
    let Some(name) = typed else { return Ok(recorded) };
    let named = session.gpus.position(name)?;
    if let Some(note) = other_gpu_note(&session.gpus, application, named) {
        output::remark(format!("--from {}: {note}", session.gpus[named].id));
    }
    Ok(Some(named))
}

/// The GPU that the kernels ran on, for a prediction.
///
/// # Errors
/// Where none can be: of kernels that no model covers, or of a GPU that nobody names.
pub(super) fn forecast_source(
    session: &mut Session,
    application: &Application,
    typed: Option<&str>,
) -> Result<GpuId> {
    if let Some(why) = no_model(application) {
        bail!("{why}");
    }
    source_gpu(session, application, typed)?.ok_or_else(|| unknown_source(session, application))
}

/// That no model covers these kernels.
fn no_model(application: &Application) -> Option<String> {
    let gpu = &application.gpu_name;
    application.is_amd().then(|| format!("no prediction: no model covers kernels of {gpu}"))
}

/// What to do where the GPU of the trace is not known.
fn unknown_source(session: &Session, application: &Application) -> anyhow::Error {
    let file = application.file_name();
    let why = match application.gpu_name.as_str() {
        "" => "names no GPU".to_string(),
        name => format!("its kernels ran on {}", unlisted_gpu(&session.gpus, name)),
    };
    Usage(format!("{file}: {why}: give --from GPU; `roofswap gpus` lists them")).into()
}

/// Reads the file, with a bar where it is large.
pub(super) fn read(path: &Path, part: &PartOfTrace) -> Result<Application> {
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    let (file, progress) = (path.display().to_string(), Progress::default());
    let recorded = with_bar(size, &ImportJob::new(&file, &progress), || read_application(path, &progress))?;
    recorded.application(part).map_err(|why| Usage(why).into())
}
