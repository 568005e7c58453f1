//! The models, and how wrong each one is on the figures that ship with the program.

use super::cell::Cell;
use super::table::{Column, Table};
use crate::evaluate::ErrorSummary;
use crate::predict::Predictor;

/// One row per model with its error over the shipped figures, where it has any.
#[must_use]
pub fn table(rows: &[(&dyn Predictor, Option<ErrorSummary>)]) -> Table {
    let mut table = Table::new(vec![
        Column::left("model"),
        Column::left("summary"),
        Column::left("needs_source_time"),
        Column::right("predictions"),
        Column::right("mape_percent"),
        Column::right("median_ape_percent"),
        Column::right("median_ratio"),
        Column::right("within_25_percent"),
    ]);
    let percent = |v: f64| Cell::shown(v, format!("{v:.1}"));
    for (model, error) in rows {
        let of = |f: fn(&ErrorSummary) -> f64| Cell::maybe(error.as_ref().map(f), percent);
        table.rows.push(vec![
            Cell::text(model.id()),
            Cell::text(model.summary()),
            Cell::Flag(model.needs_source()),
            Cell::maybe(error.as_ref(), |e| Cell::number(e.n as f64)),
            of(|e| e.mape_percent),
            of(|e| e.median_ape_percent),
            Cell::maybe(error.as_ref(), |e| Cell::shown(e.median_ratio, format!("{:.2}", e.median_ratio))),
            of(|e| e.within_25_percent),
        ]);
    }
    table.notes = vec![
        "the first one is the default".into(),
        "as `roofswap evaluate` measures it: over every ordered pair of GPUs in the shipped figures, nothing measured on \
         the target known, less what a model refuses".into(),
        "MAPE and median: absolute percentage error; ratio: median of predicted over measured, above 1 = too slow".into(),
    ];
    table
}

/// [`table`] for people.
#[must_use]
pub fn overview(rows: &[(&dyn Predictor, Option<ErrorSummary>)]) -> Table {
    table(rows).renamed(&[
        ("needs_source_time", "needs a time"),
        ("predictions", "n"),
        ("mape_percent", "MAPE %"),
        ("median_ape_percent", "median %"),
        ("median_ratio", "ratio"),
        ("within_25_percent", "within 25 %"),
    ])
}
