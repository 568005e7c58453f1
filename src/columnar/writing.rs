//! Rows as columns: a batch is written when it is full, and nothing is kept of it.

use super::{ColumnCell, ColumnFormat, ColumnKind, ColumnShape};
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::io::{Error, Result, Write};
use std::sync::Arc;

/// Rows in a batch.
const ROWS: usize = 8192;

/// Rows in a row group of Parquet: what is kept until it is written.
const GROUP: usize = 16 * ROWS;

enum TableSink<W: Write + Send> {
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<StreamWriter<W>>),
}

enum ColumnBuilder {
    Text(StringBuilder),
    Number(Float64Builder),
    Whole(Int64Builder),
}

/// Writes rows as columns.
pub struct ColumnWriter<W: Write + Send> {
    sink: TableSink<W>,
    schema: SchemaRef,
    builders: Vec<ColumnBuilder>,
    rows: usize,
}

impl<W: Write + Send> ColumnWriter<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn start(out: W, format: ColumnFormat, columns: &[ColumnShape]) -> Result<Self> {
        let field = |column: &ColumnShape| {
            let kind = match column.kind {
                ColumnKind::Text => DataType::Utf8,
                ColumnKind::Number => DataType::Float64,
                ColumnKind::Whole => DataType::Int64,
            };
            Field::new(column.name, kind, true)
        };
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let sink = match format {
            ColumnFormat::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::ZSTD(ZstdLevel::default()))
                    .set_max_row_group_row_count(Some(GROUP))
                    .set_created_by(format!("roofswap {}", env!("CARGO_PKG_VERSION")))
                    .build();
                let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties));
                TableSink::Parquet(Box::new(writer.map_err(Error::from)?))
            }
            ColumnFormat::Arrow => {
                TableSink::Arrow(Box::new(StreamWriter::try_new(out, &schema).map_err(io_error)?))
            }
        };
        let builder = |column: &ColumnShape| match column.kind {
            ColumnKind::Text => ColumnBuilder::Text(StringBuilder::new()),
            ColumnKind::Number => ColumnBuilder::Number(Float64Builder::new()),
            ColumnKind::Whole => ColumnBuilder::Whole(Int64Builder::new()),
        };
        Ok(Self { sink, schema, builders: columns.iter().map(builder).collect(), rows: 0 })
    }

    /// Adds a row: a cell for each column, of the column's kind; one of another kind is left blank.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn write_row(&mut self, cells: impl Iterator<Item = ColumnCell>) -> Result<()> {
        let mut cells = cells;
        for builder in &mut self.builders {
            match (builder, cells.next().unwrap_or(ColumnCell::Null)) {
                (ColumnBuilder::Text(words), ColumnCell::Text(text)) => words.append_value(text),
                (ColumnBuilder::Number(numbers), ColumnCell::Number(n)) => numbers.append_value(n),
                (ColumnBuilder::Whole(numbers), ColumnCell::Number(n)) => numbers.append_value(n as i64),
                (ColumnBuilder::Text(words), _) => words.append_null(),
                (ColumnBuilder::Number(numbers), _) => numbers.append_null(),
                (ColumnBuilder::Whole(numbers), _) => numbers.append_null(),
            }
        }
        self.rows += 1;
        if self.rows == ROWS { self.write_batch() } else { Ok(()) }
    }

    fn write_batch(&mut self) -> Result<()> {
        let column = |builder: &mut ColumnBuilder| -> ArrayRef {
            match builder {
                ColumnBuilder::Text(words) => Arc::new(words.finish()),
                ColumnBuilder::Number(numbers) => Arc::new(numbers.finish()),
                ColumnBuilder::Whole(numbers) => Arc::new(numbers.finish()),
            }
        };
        let columns = self.builders.iter_mut().map(column).collect();
        self.rows = 0;
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(io_error)?;
        match &mut self.sink {
            TableSink::Parquet(writer) => writer.write(&batch).map_err(Error::from),
            TableSink::Arrow(writer) => writer.write(&batch).map_err(io_error),
        }
    }

    /// Writes what is left, and what stands at the end of a table.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.write_batch()?;
        }
        match self.sink {
            TableSink::Parquet(writer) => writer.close().map(drop).map_err(Error::from),
            TableSink::Arrow(mut writer) => writer.finish().map_err(io_error),
        }
    }
}

/// The writer's own error, where that is what stopped it: a pipe that nobody reads any more is told from the rest.
fn io_error(why: arrow_schema::ArrowError) -> Error {
    match why {
        arrow_schema::ArrowError::IoError(_, io) => io,
        other => Error::other(other),
    }
}
