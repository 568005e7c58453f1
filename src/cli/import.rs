//! `roofswap import FILE... [-o PATH]`: whatever the files are, by their content.

use super::choices::FormatChoice;
use super::{Usage, import_kernels, import_measurements, output};
use crate::compiler::Architecture;
use crate::session::{Recognised, recognise_path};
use anyhow::Result;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap import report.ncu-rep -o runs.csv\n\
         Example: roofswap import build.log kernels.sm_90.cubin -o ~/.config/roofswap/kernels")]
pub(super) struct ImportArgs {
    /// Reports of profilers, tuners and benchmarks (ncu, nvprof, nsys, Kernel Tuner, NVBench, CUTLASS, mixbench …), or of
    /// compilers: `ptxas -v` (also within nvcc's output), `cuobjdump --dump-resource-usage`, cubins
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Measurements: write the rows into this CSV file instead of stdout, measured roofs as GPU files into this folder.
    /// Kernels: write one kernel file per kernel into this folder
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// The GPU of a report that names none
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
    /// The architecture of a compiler's report that names none, such as sm_89
    #[arg(long, value_name = "ARCH")]
    arch: Option<Architecture>,
    /// How to write the table of kernels
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run(args: &ImportArgs) -> Result<()> {
    let mut kernels: Vec<&Path> = Vec::new();
    let mut measurements: Vec<&Path> = Vec::new();
    let mut done_already = 0;
    for file in &args.files {
        match recognise_path(file) {
            Recognised::Canonical => {
                let how = "it needs no import: give it to `roofswap` or `roofswap predict` with --data";
                output::remark(format!("{}: is a measurement file; {how}", file.display()));
                done_already += 1;
            }
            Recognised::Report => measurements.push(file),
            Recognised::CompilerReport => kernels.push(file),
        }
    }
    let output = args.output.as_deref();
    match (measurements.is_empty(), kernels.is_empty()) {
        (false, false) => {
            let text = format!(
                "{} holds measurements and {} what a compiler says of kernels: they go to different places, so import them \
                 one after the other",
                measurements[0].display(),
                kernels[0].display()
            );
            Err(Usage(text).into())
        }
        (false, true) => import_measurements::run(&measurements, output, args.gpu.as_deref()),
        (true, true) if done_already > 0 => Err(Usage("nothing was imported".into()).into()),
        (true, _) => import_kernels::run(&kernels, output, args.arch, args.format.into()),
    }
}
