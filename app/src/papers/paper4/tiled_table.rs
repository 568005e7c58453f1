//! Paper 4's Tables II and III beside ours.

use super::tiled::TiledRegression;
use crate::papers::page::is_rounded_to;
use crate::report::{Table, TableCell, TableColumn};

/// A table for people.
#[must_use]
pub fn regression_table(found: &TiledRegression) -> Table {
    let columns = [
        TableColumn::left("number"),
        TableColumn::right("ours"),
        TableColumn::right("published"),
        TableColumn::left("agrees"),
    ];
    let mut table = Table::new(columns.to_vec());
    table.title = format!(
        "Paper 4, Table {}: linear regression of the tiled kernel's {} on {} rows, tested on {}",
        found.target.table_number(),
        found.target.as_str(),
        found.rows.0,
        found.rows.1
    );
    for (name, ours, published) in found.named_numbers() {
        let decimals = published.split_once('.').map_or(0, |(_, d)| d.len());
        table.rows.push(vec![
            TableCell::text(name),
            TableCell::shown(ours, format!("{ours:.decimals$}")),
            TableCell::text(published),
            TableCell::Flag(is_rounded_to(ours, published)),
        ]);
    }
    table
}

/// The same for programs, in the columns of [`super::Paper4Report::record_table`].
#[must_use]
pub fn regression_records(found: &TiledRegression) -> Vec<Vec<TableCell>> {
    let row = |(name, ours, published): (String, f64, &'static str)| {
        let words =
            [found.target.table_number(), "rows, 80:20", found.target.as_str(), "linear", name.as_str()];
        let published = TableCell::maybe(published.parse::<f64>().ok(), TableCell::number);
        let empty = [TableCell::Null, TableCell::Null, TableCell::Null];
        let numbers = [TableCell::number(ours), published].into_iter().chain(empty);
        let tested = [TableCell::number(found.rows.1 as f64)];
        words.map(TableCell::text).into_iter().chain(numbers).chain(tested).collect()
    };
    found.named_numbers().map(row).collect()
}
