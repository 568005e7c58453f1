//! `roofswap reproduce all --data FOLDER`: every published number that can be made of the files below it, on one page.

use super::choices::FormatChoice;
use super::reproduce_gemm::regressions;
use super::training::watched;
use super::{Usage, load, output};
use crate::learn::Progress;
use crate::papers::page::{
    PublishedNumber, analytical_numbers, gemm_numbers, learned_numbers, page_table, regression_numbers,
};
use crate::papers::paper1::{GpuPairs, MODELS, raw_files, reproduce_files, run_suite as train};
use crate::papers::paper4::reproduce_tables;
use crate::papers::paper4::tiled::tiled_files;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// How deep folders are looked into.
const DEPTH: usize = 4;

/// The files of the papers, by what their names say.
#[derive(Debug, Default)]
struct PaperFiles {
    /// `runs_*_final.csv` and `gpu_metrics.json`.
    paper1: Vec<PathBuf>,
    /// The tiled kernel's two files.
    tiled: Vec<PathBuf>,
    /// The CUTLASS runs.
    cutlass: Vec<PathBuf>,
}

pub(super) fn run_reproduce_all(given: &[PathBuf], seeds: u8, format: FormatChoice) -> Result<()> {
    let files = found_files(given)?;
    let (mut numbers, mut missing) = (Vec::new(), Vec::new());
    let mut add = |what: &str, needs: &str, made: Option<Result<Vec<PublishedNumber>>>| match made {
        Some(Ok(some)) => numbers.extend(some),
        Some(Err(why)) => missing.push(format!("{what}: {why:#}")),
        None => missing.push(format!("{what}: {needs} was not found below --data")),
    };
    let paper1 = (!files.paper1.is_empty()).then_some(&files.paper1);
    let needs = "runs_*_final.csv with gpu_metrics.json";
    add("paper 1, Tables 3 to 5", needs, paper1.map(|f| analytical(f)));
    add("paper 1, Table 6", needs, paper1.map(|f| learned(f, seeds)));
    let tiled = (!files.tiled.is_empty()).then(|| tiled(&files.tiled));
    add("paper 4, Tables II and III", "execution_times_all.csv or power_usage_results_all.csv", tiled);
    let cutlass = (!files.cutlass.is_empty()).then(|| cutlass(&files.cutlass));
    add("paper 4, Tables IV to VI", "cutlass_sgemm*.csv", cutlass);
    if numbers.is_empty() {
        return Err(Usage(format!("nothing can be reproduced: {}", missing.join("; "))).into());
    }
    output::answer(page_table(&numbers, missing).render(format.into()).as_bytes())
}

fn analytical(files: &[PathBuf]) -> Result<Vec<PublishedNumber>> {
    Ok(analytical_numbers(&reproduce_files(&load::session(&[])?, files)?.0))
}

fn learned(files: &[PathBuf], seeds: u8) -> Result<Vec<PublishedNumber>> {
    let pairs = GpuPairs::new(&raw_files(files)?)?;
    let (models, progress) = ((0..MODELS.len()).collect::<Vec<_>>(), Progress::default());
    let figures = watched(&progress, || train(&pairs, &models, usize::from(seeds), &progress))?;
    Ok(learned_numbers(&figures))
}

fn tiled(files: &[PathBuf]) -> Result<Vec<PublishedNumber>> {
    let (rows, _) = tiled_files(files)?;
    Ok(regressions(&rows)?.iter().flat_map(regression_numbers).collect())
}

fn cutlass(files: &[PathBuf]) -> Result<Vec<PublishedNumber>> {
    let session = load::session(&[])?;
    let rows = super::reproduce_gemm::gemm_measurements(&session, files)?;
    let progress = Progress::default();
    let made = watched(&progress, || reproduce_tables(&session, &rows, &progress))?;
    Ok(gemm_numbers(&made.tables))
}

/// The papers' files among these and below these folders.
fn found_files(given: &[PathBuf]) -> Result<PaperFiles> {
    let mut files = PaperFiles::default();
    for path in given {
        if path.is_dir() {
            look_into(path, DEPTH, &mut files)?;
        } else {
            files.sort_in(path);
        }
    }
    Ok(files)
}

fn look_into(folder: &Path, depth: usize, files: &mut PaperFiles) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("{}: cannot be read", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if !path.is_dir() {
            files.sort_in(&path);
        } else if depth > 1 {
            look_into(&path, depth - 1, files)?;
        }
    }
    Ok(())
}

impl PaperFiles {
    fn sort_in(&mut self, path: &Path) {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let is_csv = name.ends_with(".csv");
        if name == "gpu_metrics.json" || (is_csv && name.starts_with("runs_")) {
            self.paper1.push(path.to_path_buf());
        } else if is_csv && (name.starts_with("execution_times") || name.starts_with("power_usage_results")) {
            self.tiled.push(path.to_path_buf());
        } else if is_csv && name.starts_with("cutlass_sgemm") {
            self.cutlass.push(path.to_path_buf());
        }
    }
}
