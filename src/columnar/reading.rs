//! Tables as text: batches of records, one after another, each row a line.

use super::TableForm;
use super::cells::{CellText, write_quoted};
use arrow_array::RecordBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use std::fs::File;
use std::io::{BufReader, Error, ErrorKind, Read, Result, Seek, SeekFrom};
use std::sync::Arc;

/// Rows that are decoded at once.
const ROWS: usize = 4096;

/// Bytes of text that are made at once.
const TEXT: usize = 64 * 1024;

type Batches<'a> = Box<dyn Iterator<Item = std::result::Result<RecordBatch, ArrowError>> + Send + 'a>;

/// The rows of a table file as the text of a CSV, whose header ends without a line: the first row is on line 1.
///
/// # Errors
/// What is wrong with it.
pub fn text_of_file(form: TableForm, file: File) -> std::result::Result<Box<dyn Read + Send>, String> {
    let damaged = |why: &dyn std::fmt::Display| damaged(form, why);
    Ok(match form {
        TableForm::Parquet => {
            let (schema, batches) = parquet_batches(file).map_err(|e| damaged(&e))?;
            Box::new(TableText::new(form, &schema, batches))
        }
        TableForm::ArrowFile => {
            let reader = FileReader::try_new(BufReader::new(file), None).map_err(|e| damaged(&e))?;
            Box::new(TableText::new(form, &reader.schema(), Box::new(reader)))
        }
        TableForm::ArrowStream => text_of_stream(form, BufReader::new(file))?,
    })
}

/// The same from a reader that cannot go back. What stands at the end of a Parquet or Arrow file is needed first: such a
/// one is kept in a temporary file meanwhile.
///
/// # Errors
/// What is wrong with it.
pub fn text_of_stream<'a>(
    form: TableForm,
    mut from: impl Read + Send + 'a,
) -> std::result::Result<Box<dyn Read + Send + 'a>, String> {
    if form == TableForm::ArrowStream {
        let reader = StreamReader::try_new(from, None).map_err(|e| damaged(form, &e))?;
        return Ok(Box::new(TableText::new(form, &reader.schema(), Box::new(reader))));
    }
    let mut kept = || -> Result<File> {
        let mut file = tempfile::tempfile()?;
        std::io::copy(&mut from, &mut file)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    };
    let file = kept().map_err(|e| format!("cannot be kept in a temporary file: {e}"))?;
    text_of_file(form, file)
}

fn damaged(form: TableForm, why: &dyn std::fmt::Display) -> String {
    format!("begins like {} and cannot be read: {why}; is it cut off or damaged?", form.as_str())
}

/// The batches of a Parquet file. Its texts are views of its pages: a dictionary's word that a thousand rows share is kept once.
fn parquet_batches(
    file: File,
) -> std::result::Result<(SchemaRef, Batches<'static>), parquet::errors::ParquetError> {
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let found = ArrowReaderMetadata::load(&file, plain.clone())?;
    let views = ArrowReaderOptions::with_schema(plain, with_views(found.schema()));
    let metadata = ArrowReaderMetadata::try_new(found.metadata().clone(), views)?;
    let schema = metadata.schema().clone();
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
    Ok((schema, Box::new(builder.with_batch_size(ROWS).build()?)))
}

fn with_views(schema: &Schema) -> SchemaRef {
    let view = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View))
        }
        DataType::Binary | DataType::LargeBinary => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::BinaryView))
        }
        _ => field.clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(view).collect::<Vec<_>>()))
}

/// Batches as text, made while it is read.
struct TableText<'a> {
    form: TableForm,
    batches: Batches<'a>,
    batch: Option<RecordBatch>,
    /// The next row of the batch.
    row: usize,
    text: Vec<u8>,
    /// How much of the text has been handed out.
    taken: usize,
}

impl<'a> TableText<'a> {
    fn new(form: TableForm, schema: &Schema, batches: Batches<'a>) -> Self {
        let mut text = Vec::new();
        for (i, field) in schema.fields().iter().enumerate() {
            if i > 0 {
                text.push(b',');
            }
            write_quoted(field.name().as_bytes(), &mut text);
        }
        // An end of a record that counts as no line, so that rows are counted from 1.
        text.push(b'\r');
        Self { form, batches, batch: None, row: 0, text, taken: 0 }
    }

    /// Makes the next piece of text; none at the end.
    fn fill(&mut self) -> Result<()> {
        self.text.clear();
        self.taken = 0;
        let broken = |why: ArrowError, form| Error::new(ErrorKind::InvalidData, damaged(form, &why));
        while self.text.is_empty() {
            let Some(batch) = self.batch.take() else {
                let Some(next) = self.batches.next() else { return Ok(()) };
                (self.batch, self.row) = (Some(next.map_err(|e| broken(e, self.form))?), 0);
                continue;
            };
            self.row = write_rows(&batch, self.row, &mut self.text).map_err(|e| broken(e, self.form))?;
            if self.row < batch.num_rows() {
                self.batch = Some(batch);
            }
        }
        Ok(())
    }
}

/// Writes rows from this one on as lines, until there is enough text; the row that comes next.
fn write_rows(
    batch: &RecordBatch,
    first: usize,
    text: &mut Vec<u8>,
) -> std::result::Result<usize, ArrowError> {
    let columns = batch.columns().iter().map(CellText::from_column);
    let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
    let nulls: Vec<_> = batch.columns().iter().map(|c| c.logical_nulls()).collect();
    let mut word = String::new();
    for row in first..batch.num_rows() {
        for (i, (column, nulls)) in columns.iter().zip(&nulls).enumerate() {
            if i > 0 {
                text.push(b',');
            }
            if !nulls.as_ref().is_some_and(|n| n.is_null(row)) {
                column.write(row, &mut word, text)?;
            }
        }
        text.push(b'\n');
        if text.len() >= TEXT {
            return Ok(row + 1);
        }
    }
    Ok(batch.num_rows())
}

impl Read for TableText<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        if self.taken == self.text.len() && !buffer.is_empty() {
            self.fill()?;
        }
        let n = buffer.len().min(self.text.len() - self.taken);
        buffer[..n].copy_from_slice(&self.text[self.taken..self.taken + n]);
        self.taken += n;
        Ok(n)
    }
}
