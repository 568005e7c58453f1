//! Rows of a table for programs, written one by one: a million rows need the memory of one.

use super::cell::TableCell;
use super::column::{Align, TableColumn};
use crate::columnar::{ColumnCell, ColumnFormat, ColumnKind, ColumnShape, ColumnWriter};
use crate::text::{harmless_json, harmless_line};
use serde_json::{Map, Value};
use std::io::{Result, Write};

/// How rows are written for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFormat {
    /// An array of objects, keys in the order of the columns; numbers in full precision.
    Json,
    /// A header and rows; an absent value is empty, a list is joined with `; `.
    Csv,
}

/// Writes header and rows, each as it comes.
///
/// # Errors
/// What the writer fails with.
pub fn write_rows<R: AsRef<[TableCell]>>(
    out: impl Write,
    columns: &[TableColumn],
    format: StreamFormat,
    rows: impl IntoIterator<Item = R>,
) -> Result<()> {
    let mut stream = TableStream::new(out, columns, format);
    rows.into_iter().try_for_each(|row| stream.write_row(row.as_ref()))?;
    stream.finish()
}

/// How records of any number are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFormat {
    /// As text.
    Text(StreamFormat),
    /// As columns for a data engine.
    Columns(ColumnFormat),
}

/// The column that numbers rows: the one whose numbers are whole.
pub(super) const ROW: &str = "row";

/// Records that are written one by one, in any format: texts in columns that stand left, numbers in those that stand right.
pub struct RecordStream<'a, W: Write + Send>(RecordSink<'a, W>);

enum RecordSink<'a, W: Write + Send> {
    Text(TableStream<'a, W>),
    Columns(Box<ColumnWriter<W>>),
}

impl<'a, W: Write + Send> RecordStream<'a, W> {
    /// Writes what stands before the first record.
    ///
    /// # Errors
    /// What the writer fails with, and where the build has not the format.
    pub fn start(out: W, columns: &'a [TableColumn], format: RecordFormat) -> Result<Self> {
        let shape = |column: &TableColumn| {
            let kind = match column.align {
                _ if column.name == ROW => ColumnKind::Whole,
                Align::Left => ColumnKind::Text,
                Align::Right => ColumnKind::Number,
            };
            ColumnShape { name: column.name, kind }
        };
        Ok(Self(match format {
            RecordFormat::Text(format) => {
                let mut stream = TableStream::new(out, columns, format);
                stream.start()?;
                RecordSink::Text(stream)
            }
            RecordFormat::Columns(format) => {
                let shapes: Vec<ColumnShape> = columns.iter().map(shape).collect();
                RecordSink::Columns(Box::new(ColumnWriter::start(out, format, &shapes)?))
            }
        }))
    }

    /// Writes a record.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_record(&mut self, cells: &[TableCell]) -> Result<()> {
        match &mut self.0 {
            RecordSink::Text(stream) => stream.write_row(cells),
            RecordSink::Columns(writer) => writer.write_row(cells.iter().map(column_cell)),
        }
    }

    /// Writes what stands behind the last record.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn finish(self) -> Result<()> {
        match self.0 {
            RecordSink::Text(stream) => stream.finish(),
            RecordSink::Columns(writer) => writer.finish(),
        }
    }
}

/// A cell of a data engine: words as in a CSV, numbers in full precision.
fn column_cell(cell: &TableCell) -> ColumnCell {
    match cell {
        TableCell::Number { value, .. } if value.is_finite() => ColumnCell::Number(*value),
        TableCell::Number { .. } | TableCell::Null => ColumnCell::Null,
        words => match harmless_line(&words.for_csv()) {
            blank if blank.is_empty() => ColumnCell::Null,
            text => ColumnCell::Text(text),
        },
    }
}

/// A table for programs that is being written; nothing of it before its first row or its end.
pub struct TableStream<'a, W: Write> {
    out: W,
    columns: &'a [TableColumn],
    format: StreamFormat,
    started: bool,
    rows: usize,
}

impl<'a, W: Write> TableStream<'a, W> {
    /// A table with these columns.
    pub const fn new(out: W, columns: &'a [TableColumn], format: StreamFormat) -> Self {
        Self { out, columns, format, started: false, rows: 0 }
    }

    /// Writes what stands before the first row, unless it was written.
    fn start(&mut self) -> Result<()> {
        match (std::mem::replace(&mut self.started, true), self.format) {
            (true, _) => Ok(()),
            (false, StreamFormat::Json) => self.out.write_all(b"["),
            (false, StreamFormat::Csv) => self.write_record(self.columns.iter().map(|c| c.name.to_string())),
        }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_row(&mut self, row: &[TableCell]) -> Result<()> {
        self.start()?;
        self.rows += 1;
        if self.format == StreamFormat::Csv {
            return self.write_record(row.iter().map(|cell| harmless_line(&cell.for_csv())));
        }
        let pairs = self.columns.iter().zip(row).map(|(c, cell)| (c.name.to_string(), cell.for_json()));
        let object = Value::Object(pairs.collect::<Map<_, _>>());
        let before = if self.rows == 1 { "\n  " } else { ",\n  " };
        let text = harmless_json(&format!("{object:#}")).replace('\n', "\n  ");
        self.out.write_all(before.as_bytes())?;
        self.out.write_all(text.as_bytes())
    }

    /// Writes what stands behind the last row.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn finish(mut self) -> Result<()> {
        self.start()?;
        match (self.format, self.rows) {
            (StreamFormat::Csv, _) => {}
            (StreamFormat::Json, 0) => self.out.write_all(b"]\n")?,
            (StreamFormat::Json, _) => self.out.write_all(b"\n]\n")?,
        }
        self.out.flush()
    }

    fn write_record(&mut self, fields: impl Iterator<Item = String>) -> Result<()> {
        let mut line = csv::Writer::from_writer(Vec::new());
        line.write_record(fields.collect::<Vec<_>>())?;
        let line = line.into_inner().map_err(|e| e.into_error())?;
        self.out.write_all(&line)
    }
}
