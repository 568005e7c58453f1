//! How wide the screen is, where the answer goes to one.

use crate::report::{Table, TableFormat};
use std::io::IsTerminal;

/// Characters of a line on the terminal that the answer goes to: `COLUMNS` where it is set, else what the terminal says;
/// `None` for a file or a pipe, which takes any width.
pub(super) fn screen_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let stated = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    stated.or_else(measured).filter(|width| *width > 0)
}

/// A table as wide as the screen at most, where it is one for the screen: these columns are left out in turn until it fits.
pub(super) fn fitted_to_screen(table: Table, format: TableFormat, least_needed: &[&str]) -> Table {
    match screen_width() {
        Some(width) if format == TableFormat::Table => table.fitted(width, least_needed),
        _ => table,
    }
}
