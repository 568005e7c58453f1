//! `roofswap reproduce paper4 --data FILE...`: paper 4's tables, II and III from the tiled kernel's two files; `roofswap reproduce power`: the power model's fit.

use super::choices::{FormatChoice, ThemeChoice};
use super::figures::{is_picture, write_figures};
use super::training::watched;
use super::{Usage, load, output};
use crate::learn::Progress;
use crate::measurement::Measurement;
use crate::papers::figure::PaperFigure;
use crate::papers::paper4::conclusions::{Conclusion, conclusion_records, conclusions_table};
use crate::papers::paper4::tiled::{TiledRegression, TiledRows, regress, tiled_files};
use crate::papers::paper4::{
    Paper4, Paper4Report, prediction_figures, regression_records, regression_table, reproduce_tables,
    tiled_conclusions, tiled_figures,
};
use crate::papers::power::{fit_power, study_table};
use crate::report::{TableCell, TableFormat};
use crate::session::Session;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Pictures.
#[derive(Debug, Args)]
pub(super) struct PictureArgs {
    /// Of paper 4: all tables, or the correlation matrix alone
    #[arg(long, value_enum)]
    view: Option<GemmView>,
    /// Draw every figure that the files give into this folder as well; of paper 4 also FILE.svg, the correlation matrix alone (`-` for
    /// stdout, without the tables)
    #[arg(long, value_name = "FOLDER")]
    pub(super) svg: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    pub(super) theme: ThemeChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GemmView {
    /// Tables IV to VI, and held-out problems
    Tables,
    /// The correlation matrix
    Correlations,
}

impl PictureArgs {
    /// Refuses what only the CUTLASS runs have: the correlation matrix.
    fn is_of_runs_alone(&self) -> Result<()> {
        let matrix = self.svg.as_deref().filter(|path| is_picture(path)).map(|_| "--svg FILE");
        match self.view.map(|_| "--view").or(matrix) {
            Some(flag) => {
                let text = format!("{flag} is of the CUTLASS runs, and none is among --data: leave it out");
                Err(Usage(text).into())
            }
            None => Ok(()),
        }
    }

    /// What only paper 4 takes of it, if it was typed.
    pub(super) fn typed(&self) -> Option<&'static str> {
        self.view.map(|_| "--view")
    }
}

pub(super) fn paper4(files: &[PathBuf], format: FormatChoice, picture: &PictureArgs) -> Result<()> {
    let (tiled, runs) = tiled_files(files)?;
    let session = load::session(&[])?;
    let found =
        TiledFound { regressions: regressions(&tiled)?, conclusions: tiled_conclusions(&session, &tiled)? };
    if runs.is_empty() {
        picture.is_of_runs_alone()?;
        if let Some(folder) = &picture.svg {
            let figures: Vec<PaperFigure> = tiled.iter().flat_map(tiled_figures).collect();
            write_figures(&figures, folder, picture.theme.into(), files)?;
        }
        return output::answer(found.alone(format.into()).as_bytes());
    }
    let rows = gemm_measurements(&session, &runs)?;
    let progress = Progress::default();
    let made = watched(&progress, || reproduce_tables(&session, &rows, &progress))?;
    let report = Paper4Report::new(&made);
    if let Some(path) = &picture.svg {
        if is_picture(path) {
            let inputs = files.iter().map(PathBuf::as_path);
            output::picture(&report.chart(), picture.theme.into(), path, inputs)?;
        } else {
            write_figures(&paper4_figures(&tiled, &made), path, picture.theme.into(), files)?;
        }
        if output::is_stdout(path) {
            return Ok(());
        }
    }
    let text = match picture.view.unwrap_or(GemmView::Tables) {
        GemmView::Tables => found.with_report(&report, format.into()),
        GemmView::Correlations => report.correlations().render(format.into()),
    };
    output::answer(text.as_bytes())
}

/// Figures 2 to 9 as far as these files give them.
pub(super) fn paper4_figures(tiled: &[TiledRows], made: &Paper4) -> Vec<PaperFigure> {
    let matrix = PaperFigure { paper: 4, figure: "6".into(), chart: Paper4Report::new(made).chart() };
    let of_runs = prediction_figures(&made.predictions).into_iter().chain([matrix]);
    tiled.iter().flat_map(tiled_figures).chain(of_runs).collect()
}

/// What the tiled kernel's two files give.
struct TiledFound {
    regressions: Vec<TiledRegression>,
    conclusions: Vec<Conclusion>,
}

impl TiledFound {
    /// Tables II and III and the conclusions, where no CUTLASS run was given.
    fn alone(&self, format: TableFormat) -> String {
        if format.is_for_people() {
            return self.texts(format).join("\n");
        }
        let mut table = Paper4Report::record_columns();
        table.rows = self.records();
        table.render(format)
    }

    /// All tables: for people one below the other, for programs one array of records.
    fn with_report(&self, report: &Paper4Report<'_>, format: TableFormat) -> String {
        if format.is_for_people() {
            return self
                .texts(format)
                .into_iter()
                .chain([report.render(format)])
                .collect::<Vec<_>>()
                .join("\n");
        }
        let mut table = report.record_table();
        table.rows.extend(self.records());
        table.render(format)
    }

    fn texts(&self, format: TableFormat) -> Vec<String> {
        let conclusions = (!self.conclusions.is_empty()).then(|| conclusions_table(&self.conclusions));
        let tables = self.regressions.iter().map(regression_table).chain(conclusions);
        tables.map(|t| t.render(format)).collect()
    }

    fn records(&self) -> Vec<Vec<TableCell>> {
        let conclusions = self.conclusions.iter().flat_map(conclusion_records);
        self.regressions.iter().flat_map(regression_records).chain(conclusions).collect()
    }
}

/// Tables II and III of the files of the tiled kernel.
pub(super) fn regressions(tiled: &[TiledRows]) -> Result<Vec<TiledRegression>> {
    let progress = Progress::default();
    Ok(tiled.iter().map(|rows| regress(rows, &progress)).collect::<Result<_, _>>()?)
}

pub(super) fn power(files: &[PathBuf], format: FormatChoice) -> Result<()> {
    let session = load::session(&[])?;
    let rows = gemm_measurements(&session, files)?;
    let progress = Progress::default();
    let fit = watched(&progress, || fit_power(&session, &rows, &progress))?;
    let table = study_table(&fit.study, &fit.learned, &fit.checked, &fit.model, session.stock_gpus());
    output::answer(table.render(format.into()).as_bytes())
}

pub(super) fn gemm_measurements(session: &Session, files: &[PathBuf]) -> Result<Vec<Measurement>> {
    if let Some(folder) = files.iter().find(|f| f.is_dir()) {
        return Err(Usage(format!("{}: is a folder; name its CSV files", folder.display())).into());
    }
    let (rows, all) = session.rows_of_files(files)?;
    for (file, any) in files.iter().zip(&all) {
        output::refused(&any.read.refused, any.read.refused_count);
        any.remarks.iter().for_each(|r| output::remark(format!("{}: {r}", file.display())));
    }
    Ok(rows)
}
