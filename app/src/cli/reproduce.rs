//! `roofswap reproduce paper1 --data FOLDER|FILE...`: the analytical tables, and the learned models' Table 6; `paper4` and
//! `power` are in `reproduce_gemm`.

use super::choices::FormatChoice;
use super::figures::{needs_folder, write_figures};
use super::training::watched;
use super::{Usage, load, output};
use crate::learn::Progress;
use crate::papers::figure::PaperFigure;
use crate::papers::paper1::{self, ComparedCell, GpuPairs, MODELS, RawError, raw_files, run_suite as train};
use crate::report::{Table, TableFormat};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap reproduce paper1 --data predict-kernel-perf/data")]
pub(super) struct ReproduceArgs {
    /// Whose tables
    #[arg(value_enum)]
    paper: Paper,
    /// Paper 1: its folder of raw files, or files: runs_*_final.csv (or a canonical CSV) and gpu_metrics.json; paper 4: its
    /// CUTLASS runs; power: rows with power_w and clocks
    #[arg(long, value_name = "FOLDER|FILE", num_args = 1.., required = true)]
    data: Vec<PathBuf>,
    /// Which of its tables
    #[arg(long, value_enum, default_value = "all")]
    part: PaperPart,
    /// How many seeds the models with chance in them are trained with (Table 6)
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..))]
    seeds: u8,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
    #[command(flatten)]
    picture: super::reproduce_gemm::PictureArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Paper {
    /// Cross-GPU performance prediction: Tables 3 to 6
    Paper1,
    /// GEMM on Ada Lovelace: Tables IV, V and VI, and what its models are worth with problems held out
    Paper4,
    /// Every published number that the files below --data give, on one page: paper, table, published, ours, agrees
    All,
    /// Our own power model: its fit to time and power over clock settings, with GPUs and kernels held out
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PaperPart {
    /// Tables 3, 4 and 5: Algorithm 1
    Analytical,
    /// Table 6: the learned models
    Learned,
    /// Both; as CSV, which holds one table, Algorithm 1
    All,
}

pub(super) fn run_reproduce(args: &ReproduceArgs) -> Result<()> {
    let paper4 = matches!(args.paper, Paper::Paper4);
    if let Some(flag) = args.picture.typed().filter(|_| !paper4) {
        return Err(Usage(format!("{flag} belongs to `reproduce paper4`: leave it out")).into());
    }
    if args.picture.svg.is_some() && matches!(args.paper, Paper::Power) {
        return Err(Usage("--svg belongs to the papers: leave it out".into()).into());
    }
    if args.part != PaperPart::All && !matches!(args.paper, Paper::Paper1) {
        return Err(Usage("--part belongs to `reproduce paper1`: leave it out".into()).into());
    }
    match args.paper {
        Paper::Paper1 => {}
        Paper::Paper4 => return super::reproduce_gemm::paper4(&args.data, args.format, &args.picture),
        Paper::All => {
            return super::reproduce_all::run_reproduce_all(
                &args.data,
                args.seeds,
                args.format,
                &args.picture,
            );
        }
        Paper::Power => return super::reproduce_gemm::power(&args.data, args.format),
    }
    if let Some(folder) = &args.picture.svg {
        needs_folder(folder, "paper 1")?;
    }
    let files = files(&args.data)?;
    let mut written = Vec::new();
    if args.part != PaperPart::Learned {
        written.push(("analytical", analytical(&files)?));
    }
    if args.part != PaperPart::Analytical {
        match learned_models(&files, args.seeds) {
            Ok(figures) => written.push(("learned", paper1::figures_table(&figures))),
            // Rows in the canonical form have no Table 6; Algorithm 1 is answered all the same.
            Err(e) if args.part == PaperPart::All && e.downcast_ref() == Some(&RawError::NoRows) => {
                output::remark(e)
            }
            Err(e) if args.part == PaperPart::All => {
                output::answer(&render(&written, args.format.into()))?;
                return Err(e);
            }
            Err(e) => return Err(e),
        }
    }
    if let Some(folder) = &args.picture.svg {
        write_figures(&figures(args, &files)?, folder, args.picture.theme.into(), &files)?;
    }
    output::answer(&render(&written, args.format.into()))
}

/// Figures 1 and 3a of Algorithm 1, 2 and 3b of the forest.
fn figures(args: &ReproduceArgs, files: &[PathBuf]) -> Result<Vec<PaperFigure>> {
    let mut all = Vec::new();
    if args.part != PaperPart::Learned {
        let pairs = paper1::analytical_pairs_of_files(&*load::session(&[])?, files)?;
        all.extend(paper1::model_figures(paper1::FigureModel::Analytical, &pairs));
    }
    if args.part != PaperPart::Analytical {
        let (pairs, progress) = (GpuPairs::new(&raw_files(files)?)?, Progress::default());
        let predicted = watched(&progress, || paper1::forest_pairs(&pairs, &progress))?;
        all.extend(paper1::model_figures(paper1::FigureModel::Forest, &predicted));
    }
    Ok(all)
}

fn analytical(files: &[PathBuf]) -> Result<Table> {
    let session = load::session(&[])?;
    let (experiments, read) = paper1::reproduce_files(&session, files)?;
    for (file, any) in files.iter().zip(&read) {
        output::refused(&any.read.refused, any.read.refused_count);
        if any.read.refused_count > 0 {
            output::remark(format!("{}: {} rows refused", file.display(), any.read.refused_count));
        }
    }
    Ok(paper1::experiments_table(&experiments))
}

fn learned_models(files: &[PathBuf], seeds: u8) -> Result<Vec<ComparedCell>> {
    let pairs = GpuPairs::new(&raw_files(files)?)?;
    let (models, progress) = ((0..MODELS.len()).collect::<Vec<_>>(), Progress::default());
    Ok(watched(&progress, || train(&pairs, &models, usize::from(seeds), &progress))?)
}

/// The tables as bytes: below each other for people, by name in JSON; CSV holds the first, and a remark says so.
fn render(tables: &[(&str, Table)], format: TableFormat) -> Vec<u8> {
    match (format, tables) {
        (_, [(_, only)]) => only.render(format).into_bytes(),
        (TableFormat::Json, _) => {
            let parts =
                tables.iter().map(|(name, table)| format!("\"{name}\": {}", table.render(format).trim_end()));
            format!("{{{}}}\n", parts.collect::<Vec<_>>().join(",\n")).into_bytes()
        }
        (TableFormat::Csv, [(_, first), ..]) => {
            output::remark("CSV holds one table: --part learned prints Table 6");
            first.render(format).into_bytes()
        }
        _ => tables.iter().map(|(_, table)| table.render(format)).collect::<Vec<_>>().join("\n").into_bytes(),
    }
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
