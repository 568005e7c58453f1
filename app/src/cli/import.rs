//! `roofswap import FILE... [-o PATH]`: whatever the files are, by their content.

use super::choices::FormatChoice;
use super::{Usage, import_kernels, import_measurements, output};
use crate::catalogue::user_path_text;
use crate::compiler::CodeArchitecture;
use crate::import::{GivenProblem, OpenedFile, known_formats};
use crate::session::Recognised;
use crate::text::counted;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = format!(
    "Example: roofswap import report.ncu-rep -o runs.csv\n\
     Example: roofswap import build.log kernels.sm_90.cubin -o {}\n\n\
     Reports: {}; of compilers: ptxas -v, cuobjdump --dump-resource-usage, cubin",
    user_path_text("kernels"),
    known_formats()
))]
pub(super) struct ImportArgs {
    /// Reports of profilers, tuners and benchmarks (ncu, nvprof, nsys, Kernel Tuner, NVBench, CUTLASS, mixbench …), or of
    /// compilers: `ptxas -v` (also within nvcc's output), `cuobjdump --dump-resource-usage`, cubins. `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Measurements: write the rows into this CSV file instead of stdout (`-`), measured roofs as GPU files into this folder.
    /// Kernels: write one kernel file per kernel into this folder
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// The GPU of a report that names none
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
    /// The size of a kernel whose report states another, for all of its rows: n=2^20, or saxpy:n=2^20 for one kernel
    #[arg(long, value_name = "[KERNEL:]KEY=N")]
    problem: Vec<GivenProblem>,
    /// The architecture of a compiler's report that names none, such as sm_89
    #[arg(long, value_name = "ARCH")]
    arch: Option<CodeArchitecture>,
    /// How to write the table of a compiler's report [default: table]; measurements are always CSV
    #[arg(long, value_enum)]
    format: Option<FormatChoice>,
}

pub(super) fn run_import(args: &ImportArgs) -> Result<()> {
    let output = args.output.as_deref().filter(|target| !output::is_stdout(target));
    if let Some(target) = output {
        output::is_no_input(target, args.files.iter().map(PathBuf::as_path))?;
    }
    let SortedFiles { kernels, measurements, done_already, unopened } = sorted(&args.files);
    let unread = match (measurements.is_empty(), kernels.is_empty()) {
        (false, false) => {
            let text = format!(
                "{} holds measurements and {} what a compiler says of kernels: they go to different places, so import them \
                 one after the other",
                measurements[0].file(),
                kernels[0].file()
            );
            return Err(Usage(text).into());
        }
        (false, true) => {
            if args.format.is_some_and(|format| !matches!(format, FormatChoice::Csv)) {
                let text = "--format is for the table of a compiler's report; measurements are written as CSV: leave it out";
                return Err(Usage(text.into()).into());
            }
            unused(&[("--arch", args.arch.is_some())], "compilers' reports");
            import_measurements::run_import_measurements(
                measurements,
                output,
                args.gpu.as_deref(),
                &args.problem,
            )?
        }
        (true, true) if done_already > 0 => return Err(Usage("nothing was imported".into()).into()),
        (true, _) => {
            let given = [("--gpu", args.gpu.is_some()), ("--problem", !args.problem.is_empty())];
            unused(&given, "reports of measurements");
            let format = args.format.unwrap_or(FormatChoice::Table);
            import_kernels::run_import_kernels(kernels, output, args.arch, format.into())?
        }
    };
    match unopened + unread {
        0 => Ok(()),
        missing => {
            let of = counted(args.files.len(), "file");
            bail!("{missing} of {of} could not be read; the others were")
        }
    }
}

/// The files by what they hold.
#[derive(Default)]
struct SortedFiles {
    kernels: Vec<OpenedFile<'static>>,
    measurements: Vec<OpenedFile<'static>>,
    /// How many are measurement files, so that there is nothing to import.
    done_already: usize,
    /// How many cannot be opened.
    unopened: usize,
}

/// Opens the files; what cannot be opened is said.
fn sorted(files: &[PathBuf]) -> SortedFiles {
    let mut all = SortedFiles::default();
    for file in files {
        let opened = match OpenedFile::path(file) {
            Ok(opened) => opened,
            Err(why) => {
                output::remark(why);
                all.unopened += 1;
                continue;
            }
        };
        match Recognised::from_opened(&opened) {
            Recognised::Canonical => {
                let how = "it needs no import: give it to `roofswap` or `roofswap predict` with --data";
                output::remark(format!("{}: is a measurement file; {how}", opened.file()));
                all.done_already += 1;
            }
            Recognised::Report => all.measurements.push(opened),
            Recognised::CompilerReport => all.kernels.push(opened),
        }
    }
    all
}

/// Says which flags were given that mean nothing for these files.
fn unused(flags: &[(&str, bool)], of: &str) {
    for (flag, _) in flags.iter().filter(|(_, given)| *given) {
        output::remark(format!("{flag} is for {of} and was not used: there is none among these files"));
    }
}
