//! What `predict --batch` answers: for every row of a table and every target a record, whatever became of the row.

use super::cell::TableCell;
use super::predictions::record_columns;
use super::table::TableColumn;
use crate::gpu::Gpu;
use crate::predict::{MODELS, ModelId};

/// The columns: the row's number in its table, and those of `predict --format csv`.
#[must_use]
pub fn row_columns() -> Vec<TableColumn> {
    [TableColumn::right(super::stream::ROW)].into_iter().chain(record_columns(false)).collect()
}

/// The record of a row that could not be asked about, but for its number: target, model and the reason.
#[must_use]
pub fn refused_cells(target: &Gpu, model: ModelId, why: &str) -> Vec<TableCell> {
    let cell = |column: TableColumn| match column.name {
        "gpu_target" => TableCell::text(&target.id),
        "model" => TableCell::text(MODELS[model].id()),
        "cautions" => TableCell::List(vec![why.to_string()]),
        _ => TableCell::Null,
    };
    record_columns(false).into_iter().map(cell).collect()
}

/// A record of the row with this number; the first row of a table is 1.
#[must_use]
pub fn numbered_cells(row: u64, mut record: Vec<TableCell>) -> Vec<TableCell> {
    record.insert(0, TableCell::number(row as f64));
    record
}
