//! Paper 4's Tables II and III beside ours.

use super::tiled::TiledRegression;
use crate::papers::page::is_rounded_to;
use crate::report::{Cell, Column, Table};

/// A table for people.
#[must_use]
pub fn regression_table(found: &TiledRegression) -> Table {
    let columns =
        [Column::left("number"), Column::right("ours"), Column::right("published"), Column::left("agrees")];
    let mut table = Table::new(columns.to_vec());
    table.title = format!(
        "Paper 4, Table {}: linear regression of the tiled kernel's {} on {} rows, tested on {}",
        found.target.table_number(),
        found.target.word(),
        found.rows.0,
        found.rows.1
    );
    for (name, ours, published) in found.numbers() {
        let decimals = published.split_once('.').map_or(0, |(_, d)| d.len());
        table.rows.push(vec![
            Cell::text(name),
            Cell::shown(ours, format!("{ours:.decimals$}")),
            Cell::text(published),
            Cell::Flag(is_rounded_to(ours, published)),
        ]);
    }
    table
}

/// The same for programs, in the columns of [`super::Report::records`].
#[must_use]
pub fn regression_records(found: &TiledRegression) -> Vec<Vec<Cell>> {
    let row = |(name, ours, published): (String, f64, &'static str)| {
        let words =
            [found.target.table_number(), "rows, 80:20", found.target.word(), "linear", name.as_str()];
        let published = Cell::maybe(published.parse::<f64>().ok(), Cell::number);
        let empty = [Cell::Null, Cell::Null, Cell::Null];
        let numbers = [Cell::number(ours), published].into_iter().chain(empty);
        let tested = [Cell::number(found.rows.1 as f64)];
        words.map(Cell::text).into_iter().chain(numbers).chain(tested).collect()
    };
    found.numbers().map(row).collect()
}
