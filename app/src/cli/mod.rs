//! The command line: one file per command, and this one, which reads the arguments and turns errors into exit codes.
//!
//! Exit codes: 0 it worked, 1 it failed, 2 what was typed cannot be answered (an unknown name, a size of 0).
//! Only this room prints: answers on stdout, remarks and errors on stderr.

mod app;
mod asked_config;
mod asked_subjects;
mod audit;
mod changes;
mod check;
mod choices;
mod clocks;
mod coloured;
mod dashboard;
mod evaluate;
mod export;
mod export_evaluation;
mod figures;
mod gemm;
mod gpus;
mod here;
mod import;
mod import_kernels;
mod import_measurements;
mod kernels;
mod launch_edits;
mod learning;
mod load;
mod loop_work;
mod measure;
mod metrics;
mod models;
mod named_gpus;
mod numbers;
mod occupancy;
mod occupancy_batch;
mod output;
mod predict;
mod predict_batch;
mod predicted;
mod probe;
mod profiler_lines;
mod question;
mod rank;
mod reproduce;
mod reproduce_all;
mod reproduce_gemm;
mod sass;
mod shell;
mod speed_up;
mod terminal;
mod train;
mod training;
mod typed_arguments;
mod typed_kernel;
mod whatif;
mod whatif_format;
mod workload;

pub use dashboard::DashboardArgs;

use crate::catalogue::NameError;
use crate::config::ThemeError;
use crate::device::find_driver;
use crate::gpu::ChangeError;
use crate::gpu::{DerivedError, RoofSetError};
use crate::kernel::ProblemError;
use crate::measurement::LostTemporaryFile;
use crate::predict::UnknownModel;
use crate::rank::TargetError;
use crate::session::{SubjectError, TuneError};
use crate::train::TrainError;
use crate::workload::TypedKernelError;
use anyhow::Result;
use clap::{Parser, Subcommand};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use typed_arguments::{argument_error, with_negative_values};

/// `--version`: the program's with its commit, and that of the forms of JSON and CSV (`docs/json.md`).
const LONG_VERSION: &str =
    concat!(env!("CARGO_PKG_VERSION"), env!("ROOFSWAP_BUILT_FROM"), "\nschema_version 1");

/// What if this kernel ran on that GPU instead?
///
/// Rooflines, occupancy and predicted times, source and target GPU side by side. Without a command the dashboard opens.
#[derive(Debug, Parser)]
#[command(name = "roofswap", version, long_version = LONG_VERSION, args_conflicts_with_subcommands = true)]
#[command(
    after_help = "Example: roofswap predict --from titan-v --to rtx-4070 --kernel saxpy --size n=1048576"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    dashboard: dashboard::Flags,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the GPUs, or every number of one with its source
    Gpus(gpus::GpusArgs),
    /// List the kernels, or every formula of one with its source
    Kernels(kernels::KernelsArgs),
    /// Read reports of profilers, tuners, benchmarks (measurements) and compilers (registers, shared memory, spills)
    Import(import::ImportArgs),
    /// Blocks that fit an SM, what limits them, and the next step
    Occupancy(occupancy::OccupancyArgs),
    /// Predict times on other GPUs, from times on some or from none
    Predict(predict::PredictArgs),
    /// Rank GPUs for a kernel or a mix: time, energy, price
    Rank(rank::RankArgs),
    /// Change a GPU's numbers: effect on time, sensitivity, value needed for a goal
    Whatif(whatif::WhatIfArgs),
    /// Read listings of machine code: the mix of instructions, and what changes from one architecture to another
    Sass(sass::SassArgs),
    /// Draw a roofline, an occupancy, a predictions or an evaluation chart as SVG
    Export(export::ExportArgs),
    /// A whole application from a profiler's trace: its kernels, what the GPU did with its time
    App(app::AppArgs),
    /// Compare registers, shared memory, spills and occupancy of a build with a committed baseline
    Check(check::CheckArgs),
    /// Find what is wrong with measurements, and write a repaired copy
    Audit(audit::AuditArgs),
    /// Paper 3's metrics of a kernel, or of every measured launch
    Metrics(metrics::MetricsArgs),
    /// List the models and how wrong they are on the shipped figures
    Models(models::ModelsArgs),
    /// Train a learned model on your rows: errors by what is held out, importances
    Train(train::TrainArgs),
    /// Evaluate the models on your rows: held-out errors and coverage
    Evaluate(evaluate::EvaluateArgs),
    /// A matrix product on a GPU in FP32 without tensor cores: time, power, energy by tile, and which tile to take
    Gemm(gemm::GemmArgs),
    /// Reproduce a paper's published tables from its raw files
    Reproduce(reproduce::ReproduceArgs),
    /// Measure this machine's GPU: limits, clocks, achieved rates, as a GPU file
    Probe(probe::ProbeArgs),
    /// Time the suite's kernels on this machine's GPU, as a measurement file
    Measure(measure::MeasureArgs),
    /// Print the completion script of a shell
    Completions(shell::CompletionsArgs),
    /// Print the manual page
    Man(shell::ManArgs),
}

/// Something typed that cannot be answered, in words that say what to type instead.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// Reads the program's arguments and does what they ask; `open_dashboard` is called when no command is given.
pub fn run_command_line(open_dashboard: impl FnOnce(DashboardArgs) -> Result<()>) -> ExitCode {
    let cli = match Cli::try_parse_from(with_negative_values(std::env::args_os())) {
        Ok(cli) => cli,
        Err(wrong) => {
            if wrong.use_stderr() {
                output::remark(argument_error(&wrong.render().to_string()));
            } else {
                // Help and version. Where nobody listens there is nothing left to say.
                let _ = wrong.print();
            }
            return ExitCode::from(u8::try_from(wrong.exit_code()).unwrap_or(2));
        }
    };
    let done = catch_unwind(AssertUnwindSafe(|| run_command(cli, open_dashboard)));
    match done.unwrap_or_else(lost_file) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::remark(format!("error: {error:#}"));
            exit_code(&error)
        }
    }
}

/// The error of a temporary file that was lost while the work was done; whatever else unwinds is a fault of the program.
fn lost_file(payload: Box<dyn Any + Send>) -> Result<()> {
    match payload.downcast::<LostTemporaryFile>() {
        Ok(lost) => Err((*lost).into()),
        Err(fault) => resume_unwind(fault),
    }
}

fn run_command(cli: Cli, open_dashboard: impl FnOnce(DashboardArgs) -> Result<()>) -> Result<()> {
    match cli.command {
        None => dashboard::run_dashboard(cli.dashboard, open_dashboard),
        Some(Command::Gpus(args)) => gpus::run_gpus(&args),
        Some(Command::Kernels(args)) => kernels::run_kernels(&args),
        Some(Command::Import(args)) => import::run_import(&args),
        Some(Command::Occupancy(args)) => occupancy::run_occupancy(&args),
        Some(Command::Predict(args)) => predict::run_predict(&args),
        Some(Command::Rank(args)) => rank::run_rank(&args),
        Some(Command::Whatif(args)) => whatif::run_whatif(&args),
        Some(Command::Sass(args)) => sass::run_sass(&args),
        Some(Command::Export(args)) => export::run_export(&args),
        Some(Command::App(args)) => app::run_app(&args),
        Some(Command::Check(args)) => check::run_check(&args),
        Some(Command::Audit(args)) => audit::run_audit(&args),
        Some(Command::Metrics(args)) => metrics::run_metrics(&args),
        Some(Command::Models(args)) => models::run_models(&args),
        Some(Command::Train(args)) => train::run_train(&args),
        Some(Command::Evaluate(args)) => evaluate::run_evaluate(&args),
        Some(Command::Gemm(args)) => gemm::run_gemm(&args),
        Some(Command::Reproduce(args)) => reproduce::run_reproduce(&args),
        Some(Command::Probe(args)) => probe::run_probe(&args, find_driver),
        Some(Command::Measure(args)) => measure::run_measure(&args, find_driver),
        Some(Command::Completions(args)) => shell::completions(&args),
        Some(Command::Man(args)) => shell::man(&args),
    }
}

/// 2 where the user typed what does not exist, else 1.
fn exit_code(error: &anyhow::Error) -> ExitCode {
    let typed = error.chain().any(|e| {
        e.is::<Usage>()
            || e.is::<NameError>()
            || e.is::<ProblemError>()
            || e.is::<SubjectError>()
            || e.is::<UnknownModel>()
            || e.is::<ThemeError>()
            || e.is::<TuneError>()
            || e.is::<DerivedError>()
            || e.is::<TypedKernelError>()
            || e.is::<TargetError>()
            || e.is::<ChangeError>()
            || matches!(e.downcast_ref(), Some(TrainError::Unknown { .. }))
            || matches!(e.downcast_ref(), Some(RoofSetError::Unknown { .. }))
    });
    ExitCode::from(if typed { 2 } else { 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_an_example() {
        for command in Cli::command().get_subcommands() {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.starts_with("Example: roofswap "), "{}: {after:?}", command.get_name());
        }
    }
}
