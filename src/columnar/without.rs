//! What a build without the feature `fleet` says of tables.

use super::{ColumnCell, ColumnFormat, ColumnShape, TableForm};
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};

const BUILD: &str =
    "this build has no Parquet and Arrow: build one with `cargo install roofswap --features fleet`";

/// The rows of a table file as the text of a CSV.
///
/// # Errors
/// Always: the feature was left out.
pub fn text_of_file(form: TableForm, _: File) -> std::result::Result<Box<dyn Read + Send>, String> {
    Err(format!("is {}; {BUILD}, or give the rows as CSV", form.as_str()))
}

/// The rows of a table as the text of a CSV, from a reader that cannot go back.
///
/// # Errors
/// Always: the feature was left out.
pub fn text_of_stream<'a>(
    form: TableForm,
    _: impl Read + Send + 'a,
) -> std::result::Result<Box<dyn Read + Send + 'a>, String> {
    Err(format!("is {}; {BUILD}, or give the rows as CSV", form.as_str()))
}

/// Writes rows as columns; a build without the feature has none.
pub struct NoColumns<W> {
    never: std::convert::Infallible,
    out: std::marker::PhantomData<W>,
}

impl<W: Write + Send> NoColumns<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// Always: the feature was left out.
    pub fn start(_: W, format: ColumnFormat, _: &[ColumnShape]) -> Result<Self> {
        Err(Error::new(ErrorKind::Unsupported, format!("--format {}: {BUILD}", format.as_str())))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// None.
    pub fn write_row(&mut self, _: impl Iterator<Item = ColumnCell>) -> Result<()> {
        match self.never {}
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// None.
    pub fn finish(self) -> Result<()> {
        let _ = self.out;
        match self.never {}
    }
}
