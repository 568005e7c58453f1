//! Rows that an importer made, through the same checks as those of a file.

use super::canonical::{attribute_names, clean_text, written_dimensions};
use super::cells::{RowRefusal, as_number, as_time, refused_dimensions};
use super::csv::{ParsedCsv, parsed_rows};
use super::draft::{RowDraft, TextColumn};
use super::line_guard::LONGEST_LINE;
use super::measured::NumberPlace;
use super::row::RowParser;
use super::{CanonicalRow, Number, PackedRows, ReadError, ReadResult, TimingKind};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::units::Seconds;
use std::borrow::Cow;
use std::sync::Arc;

/// Rows of an importer. A row's line is that of this file where its source states one (`log.csv:4`); else its place among `rows`, the
/// first is 1, and a refused one's reason says its source. Kernels that the catalogue does not know are added to it by their name.
///
/// # Errors
/// [`ReadError`] if they make no file: a row with a name or text of more than 1 MiB.
pub fn read_rows(
    rows: &[CanonicalRow],
    file: &str,
    kind: TimingKind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadResult, ReadError> {
    read_packed_rows(rows.iter().cloned().collect(), file, kind, gpus, kernels)
}

/// [`read_rows`] of packed rows that nobody needs any longer: they are given up as they are read, so that a table does not stand in
/// memory twice.
///
/// # Errors
/// [`ReadError`] as there.
pub fn read_packed_rows(
    rows: PackedRows,
    file: &str,
    kind: TimingKind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadResult, ReadError> {
    let attributes = AttributeColumn::checked_columns(&rows, file)?;
    let known = kernels.clone();
    let mut parser = RowParser::new(file, kind, gpus, &known);
    let mut whole = ParsedCsv::new(kernels);
    let mut drafts =
        rows.into_iter().enumerate().map(|(i, row)| HandedRow::new(row, i, file, &attributes)).peekable();
    while drafts.peek().is_some() {
        let some = drafts.by_ref().take(AT_ONCE);
        whole.take(parsed_rows(&mut parser, some, HandedRow::source_words));
    }
    Ok(whole.into_result())
}

/// Rows whose texts stand together in memory.
const AT_ONCE: usize = 4096;

/// No file has lines longer than this, and no report does.
pub(crate) fn check_lengths(rows: &PackedRows) -> Result<(), String> {
    let (length, place) = rows.longest();
    if length <= LONGEST_LINE {
        return Ok(());
    }
    let what = "is longer than 1 MiB; expected a report with one launch or metric per line";
    Err(format!("row {} {what}", place + 1))
}

/// A further column of the rows: as they call it, and as a file would.
struct AttributeColumn {
    key: String,
    name: Arc<str>,
}

impl AttributeColumn {
    /// Those of rows that make a file.
    fn checked_columns(rows: &PackedRows, file: &str) -> Result<Vec<Self>, ReadError> {
        check_lengths(rows).map_err(|message| ReadError { file: file.to_string(), message })?;
        let names = attribute_names(rows).into_iter();
        Ok(names.map(|(key, name)| Self { key, name: name.into() }).collect())
    }
}

/// A row that an importer filled.
struct HandedRow<'r> {
    row: CanonicalRow,
    /// Its line in the file, where its source states one.
    line: Option<u64>,
    place: u64,
    attributes: &'r [AttributeColumn],
    /// In the order of [`TextColumn`], where a text is not clean as it stands.
    cleaned: [Option<String>; 6],
}

impl<'r> HandedRow<'r> {
    fn new(row: CanonicalRow, place: usize, file: &str, attributes: &'r [AttributeColumn]) -> Self {
        let stated = row.source.strip_prefix(file).and_then(|rest| rest.strip_prefix(':'));
        let line = stated.and_then(|line| line.parse().ok());
        let cleaned = row_texts(&row).map(|text| match clean_text(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(text) => Some(text),
        });
        Self { row, line, place: place as u64 + 1, attributes, cleaned }
    }

    /// Where a refused row comes from, to be put behind the reason; blank where its line says so.
    fn source_words(&self) -> String {
        let is_said = self.line.is_some() || self.row.source.is_empty();
        if is_said { String::new() } else { format!(" ({})", self.row.source) }
    }
}

/// In the order of [`TextColumn`].
fn row_texts(row: &CanonicalRow) -> [&str; 6] {
    [&row.gpu, &row.kernel, &row.problem, &row.variant, &row.dtype, &row.source].map(String::as_str)
}

impl RowDraft for HandedRow<'_> {
    fn line_number(&self) -> u64 {
        self.line.unwrap_or(self.place)
    }

    fn text_of(&self, column: TextColumn) -> &[u8] {
        let place = column as usize;
        self.cleaned[place].as_deref().unwrap_or(row_texts(&self.row)[place]).as_bytes()
    }

    fn launch_time(&self) -> Result<Seconds, RowRefusal> {
        as_time(self.row.get(Number::Time).map(|ms| as_number(ms, Number::Time)).transpose()?)
    }

    fn block_shape(&self) -> Result<Option<[u64; 3]>, RowRefusal> {
        checked_shape(self.row.block, "block")
    }

    fn grid_shape(&self) -> Result<Option<[u64; 3]>, RowRefusal> {
        checked_shape(self.row.grid, "grid")
    }

    fn each_number(&self, mut take: impl FnMut(Number, NumberPlace, f64)) -> Result<(), RowRefusal> {
        for (column, value) in self.row.numbers.iter().filter(|(n, _)| *n != Number::Time) {
            take(column, NumberPlace::column_place(column), as_number(value, column)?);
        }
        Ok(())
    }

    fn each_attribute(&self, mut take: impl FnMut(&Arc<str>, &[u8])) {
        for column in self.attributes {
            if let Some(text) = self.row.attributes.get(&column.key) {
                take(&column.name, clean_text(text).as_bytes());
            }
        }
    }
}

fn checked_shape(shape: Option<[u64; 3]>, column: &str) -> Result<Option<[u64; 3]>, RowRefusal> {
    match shape {
        Some(sizes) if sizes.contains(&0) => Err(refused_dimensions(&written_dimensions(sizes), column)),
        shape => Ok(shape),
    }
}
