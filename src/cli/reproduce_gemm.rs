//! `roofswap reproduce paper4 --data FILE...`: paper 4's tables, II and III from the tiled kernel's two files; `roofswap reproduce power`: the power model's fit.

use super::choices::{FormatChoice, ThemeChoice};
use super::training::watched;
use super::{Usage, load, output};
use crate::learn::Progress;
use crate::measurement::Measurement;
use crate::papers::paper4::tiled::{TiledRegression, TiledRows, regress, tiled_files};
use crate::papers::paper4::{Paper4Report, regression_records, regression_table, reproduce_tables};
use crate::papers::power::{fit_power, study_table};
use crate::report::TableFormat;
use crate::session::Session;
use anyhow::Result;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What only paper 4 takes.
#[derive(Debug, Args)]
pub(super) struct PictureArgs {
    /// Of paper 4: all tables, or the correlation matrix alone
    #[arg(long, value_enum)]
    view: Option<GemmView>,
    /// Of paper 4: draw the correlation matrix into this SVG file as well; `-` for stdout, without the tables
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Colours of the picture
    #[arg(long, value_enum, default_value = "light")]
    theme: ThemeChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GemmView {
    /// Tables IV to VI, and held-out problems
    Tables,
    /// The correlation matrix
    Correlations,
}

impl PictureArgs {
    /// What of it was typed, if anything.
    pub(super) fn typed(&self) -> Option<&'static str> {
        self.view.map(|_| "--view").or_else(|| self.svg.as_ref().map(|_| "--svg"))
    }
}

pub(super) fn paper4(files: &[PathBuf], format: FormatChoice, picture: &PictureArgs) -> Result<()> {
    let (tiled, files) = tiled_files(files)?;
    let found = regressions(&tiled)?;
    if files.is_empty() {
        if let Some(flag) = picture.typed() {
            let text = format!("{flag} is of the CUTLASS runs, and none is among --data; leave it away");
            return Err(Usage(text).into());
        }
        return output::answer(regressions_alone(&found, format.into()).as_bytes());
    }
    let session = load::session(&[])?;
    let rows = gemm_measurements(&session, &files)?;
    let progress = Progress::default();
    let made = watched(&progress, || reproduce_tables(&session, &rows, &progress))?;
    let report = Paper4Report { tables: &made.tables, lines: &made.lines, shared: &made.shared };
    if let Some(path) = &picture.svg {
        let chart = report.chart();
        output::picture(&chart, picture.theme.into(), path, files.iter().map(PathBuf::as_path))?;
        if path.as_os_str() == "-" {
            return Ok(());
        }
    }
    let text = match picture.view.unwrap_or(GemmView::Tables) {
        GemmView::Tables => with_regressions(&report, &found, format.into()),
        GemmView::Correlations => report.correlations().render(format.into()),
    };
    output::answer(text.as_bytes())
}

/// Tables II and III of the files of the tiled kernel.
pub(super) fn regressions(tiled: &[TiledRows]) -> Result<Vec<TiledRegression>> {
    let progress = Progress::default();
    Ok(tiled.iter().map(|rows| regress(rows, &progress)).collect::<Result<_, _>>()?)
}

/// Tables II and III, where no CUTLASS run was given.
fn regressions_alone(found: &[TiledRegression], format: TableFormat) -> String {
    if format.is_for_people() {
        return people(found, format).join("\n");
    }
    let mut table = Paper4Report::record_columns();
    table.rows = found.iter().flat_map(regression_records).collect();
    table.render(format)
}

/// All tables: for people one below the other, for programs one array of records.
fn with_regressions(report: &Paper4Report<'_>, found: &[TiledRegression], format: TableFormat) -> String {
    if format.is_for_people() {
        return people(found, format)
            .into_iter()
            .chain([report.render(format)])
            .collect::<Vec<_>>()
            .join("\n");
    }
    let mut table = report.record_table();
    table.rows.extend(found.iter().flat_map(regression_records));
    table.render(format)
}

fn people(found: &[TiledRegression], format: TableFormat) -> Vec<String> {
    found.iter().map(|f| regression_table(f).render(format)).collect()
}

pub(super) fn power(files: &[PathBuf], format: FormatChoice) -> Result<()> {
    let session = load::session(&[])?;
    let rows = gemm_measurements(&session, files)?;
    let progress = Progress::default();
    let fit = watched(&progress, || fit_power(&session, &rows, &progress))?;
    let table = study_table(&fit.study, (&fit.learned, &fit.checked), &fit.model, session.stock_gpus());
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
