//! `roofswap reproduce all --data FOLDER`: every published number that can be made of the files below it, on one page.

use super::choices::FormatChoice;
use super::figures::{needs_folder, write_figures};
use super::reproduce_gemm::{PictureArgs, paper4_figures, regressions};
use super::training::watched;
use super::{Usage, load, output};
use crate::learn::{LearnError, Progress};
use crate::papers::figure::PaperFigure;
use crate::papers::hardware::{gpu_numbers, occupancy_numbers};
use crate::papers::page::{
    PublishedNumber, analytical_numbers, conclusion_numbers, equation_page_numbers, gemm_numbers,
    learned_numbers, page_table, regression_numbers,
};
use crate::papers::paper1::{
    FigureModel, GpuPairs, MODELS, analytical_pairs_of_files, forest_pairs, model_figures, raw_files,
    reproduce_files, run_suite,
};
use crate::papers::paper4::tiled::tiled_files;
use crate::papers::paper4::{reproduce_published, tiled_conclusions, tiled_figures};
use crate::session::Session;
use crate::text::unreadable;
use anyhow::{Context, Result, anyhow};
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

/// Numbers and figures while they are made.
#[derive(Default)]
struct Page {
    numbers: Vec<PublishedNumber>,
    /// What could not be made, and why.
    missing: Vec<String>,
    figures: Vec<PaperFigure>,
}

/// What one paper's files gave.
type NumbersAndFigures = (Vec<PublishedNumber>, Vec<PaperFigure>);

impl Page {
    fn add(&mut self, what: &str, needs: &str, made: Option<Result<NumbersAndFigures>>) {
        match made {
            Some(Ok((numbers, figures))) => {
                self.numbers.extend(numbers);
                self.figures.extend(figures);
            }
            Some(Err(why)) => self.missing.push(format!("{what}: {why:#}")),
            None => self.missing.push(format!("{what}: {needs} was not found below --data")),
        }
    }
}

/// What cannot be made of any file.
const NEVER: [&str; 3] = [
    "paper 2, Table 2 and figures 4 to 9: its times and counters stand in pictures alone",
    "paper 3, Tables 2 and 3: its data were never published; `train paper3` prints them beside the forest of your rows",
    "paper 5 prints formulas and no table: `predict --model first-principles`",
];

pub(super) fn run_reproduce_all(
    given: &[PathBuf],
    seeds: u8,
    format: FormatChoice,
    picture: &PictureArgs,
) -> Result<()> {
    if let Some(folder) = &picture.svg {
        needs_folder(folder, "`reproduce all`")?;
    }
    let (files, draws) = (found_files(given)?, picture.svg.is_some());
    let session = load::session(&[])?;
    let mut page = Page { numbers: gpu_numbers(session.stock_gpus()), ..Page::default() };
    let paper1 = (!files.paper1.is_empty()).then_some(&files.paper1);
    let needs = "runs_*_final.csv with gpu_metrics.json";
    page.add("paper 1, Tables 3 to 5", needs, paper1.map(|f| analytical(&session, f, draws)));
    page.add("paper 1, Table 6", needs, paper1.map(|f| learned(f, seeds, draws)));
    page.numbers.extend(occupancy_numbers(&session)?);
    let tiled = (!files.tiled.is_empty()).then(|| tiled(&session, &files.tiled));
    page.add("paper 4, Tables II and III", "execution_times_all.csv or power_usage_results_all.csv", tiled);
    let cutlass = (!files.cutlass.is_empty()).then(|| cutlass(&session, &files.cutlass));
    page.add("paper 4, Tables IV to VI", "cutlass_sgemm*.csv", cutlass);
    if files.is_empty() {
        return Err(Usage(format!("nothing can be reproduced: {}", page.missing.join("; "))).into());
    }
    if let Some(folder) = &picture.svg {
        write_figures(&page.figures, folder, picture.theme.into(), given)?;
    }
    page.missing.extend(NEVER.map(String::from));
    output::answer(page_table(&page.numbers, page.missing).render(format.into()).as_bytes())
}

fn analytical(session: &Session, files: &[PathBuf], draws: bool) -> Result<NumbersAndFigures> {
    let numbers = analytical_numbers(&reproduce_files(session, files)?.0);
    let pairs = if draws { analytical_pairs_of_files(session, files)? } else { Vec::new() };
    Ok((numbers, model_figures(FigureModel::Analytical, &pairs)))
}

fn learned(files: &[PathBuf], seeds: u8, draws: bool) -> Result<NumbersAndFigures> {
    let pairs = GpuPairs::new(&raw_files(files)?)?;
    let (models, progress) = ((0..MODELS.len()).collect::<Vec<_>>(), Progress::default());
    let made = watched(&progress, || {
        let cells = run_suite(&pairs, &models, usize::from(seeds), &progress)?;
        let predicted = if draws { forest_pairs(&pairs, &progress)? } else { Vec::new() };
        Ok::<_, LearnError>((cells, predicted))
    });
    let (cells, predicted) = made?;
    Ok((learned_numbers(&cells), model_figures(FigureModel::Forest, &predicted)))
}

fn tiled(session: &Session, files: &[PathBuf]) -> Result<NumbersAndFigures> {
    let (rows, _) = tiled_files(files)?;
    let regressions = regressions(&rows)?;
    let conclusions = tiled_conclusions(session, &rows)?;
    let numbers = regressions.iter().flat_map(regression_numbers).chain(conclusion_numbers(&conclusions));
    Ok((numbers.collect(), rows.iter().flat_map(tiled_figures).collect()))
}

fn cutlass(session: &Session, files: &[PathBuf]) -> Result<NumbersAndFigures> {
    let rows = super::reproduce_gemm::gemm_measurements(session, files)?;
    let progress = Progress::default();
    let made = watched(&progress, || reproduce_published(&rows, &progress))?;
    let numbers = gemm_numbers(&made.tables).into_iter().chain(equation_page_numbers(&made.predictions));
    Ok((numbers.collect(), paper4_figures(&[], &made)))
}

/// The papers' files among these and below these folders.
fn found_files(given: &[PathBuf]) -> Result<PaperFiles> {
    let mut files = PaperFiles::default();
    for path in given {
        std::fs::metadata(path).map_err(|why| anyhow!("{}: {}", path.display(), unreadable(&why)))?;
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
    fn is_empty(&self) -> bool {
        self.paper1.is_empty() && self.tiled.is_empty() && self.cutlass.is_empty()
    }

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
