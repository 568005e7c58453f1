//! `roofswap reproduce paper1|paper4|power --data FOLDER|FILE...`.

use super::choices::FormatChoice;
use super::{Usage, load, output};
use crate::report::reproduction::table;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap reproduce paper1 --data predict-kernel-perf/data")]
pub(super) struct ReproduceArgs {
    /// Whose tables
    #[arg(value_enum)]
    paper: Paper,
    /// The paper's folder of raw files, or files: runs_*_final.csv (or a canonical CSV) and gpu_metrics.json
    #[arg(long, value_name = "FOLDER|FILE", num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
    #[command(flatten)]
    picture: super::reproduce_gemm::PictureArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Paper {
    /// Cross-GPU performance prediction: Tables 3, 4 and 5
    Paper1,
    /// GEMM on Ada Lovelace: Tables IV, V and VI, and what its models are worth with problems held out
    Paper4,
    /// Our own power model: its fit to time and power over clock settings, with GPUs and kernels held out
    Power,
}

pub(super) fn run(args: &ReproduceArgs) -> Result<()> {
    match args.paper {
        Paper::Paper1 => {}
        Paper::Paper4 => return super::reproduce_gemm::paper4(&args.data, args.format, &args.picture),
        Paper::Power => return super::reproduce_gemm::power(&args.data, args.format),
    }
    let files = files(&args.data)?;
    let session = load::session(&[])?;
    let (experiments, read) = session.reproduce_paper1(&files)?;
    for (file, any) in files.iter().zip(&read) {
        output::refused(&any.read.refused, any.read.refused_count);
        if any.read.refused_count > 0 {
            output::remark(format!("{}: {} rows refused", file.display(), any.read.refused_count));
        }
    }
    output::answer(table(&experiments).render(args.format.into()).as_bytes())
}

/// The files given; of a folder its `runs_*.csv` and `gpu_metrics.json`, by name: the paper used no other.
fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in given {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let entries =
            std::fs::read_dir(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let used =
            |name: &str| name == "gpu_metrics.json" || (name.starts_with("runs_") && name.ends_with(".csv"));
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|e| e.path())
            .filter(|p| p.file_name().is_some_and(|n| used(&n.to_string_lossy())))
            .collect();
        found.sort();
        if found.is_empty() {
            let text = format!(
                "{}: has no runs_*.csv and no gpu_metrics.json; name the files instead",
                path.display()
            );
            return Err(Usage(text).into());
        }
        all.extend(found);
    }
    Ok(all)
}
