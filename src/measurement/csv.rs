//! The canonical CSV: one row per GPU, kernel and configuration; columns in any order; blank = unknown.
//!
//! A bad row is refused with file, line, column, value and what was expected; the good rows still load.

use super::columns::Columns;
use super::line_guard::LineGuard;
use super::read_ahead::each_record;
use super::row::{Refusal, RowParser};
use super::{Kind, Measurement};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use csv::{ByteRecord, ReaderBuilder};
use std::io::Read;

/// How many refused rows are described; the rest are only counted.
pub(super) const DESCRIBED: usize = 100;

/// Bytes asked of the file at once.
const BUFFER: usize = 128 * 1024;

/// Why a whole file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct ReadError {
    /// As named.
    pub file: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// Why one row was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {column}: {message}")]
pub struct RowError {
    /// As named.
    pub file: String,
    /// The first is 1.
    pub line: u64,
    /// The column to blame.
    pub column: String,
    /// The value, what was expected, what to do.
    pub message: String,
}

/// What came out of a file.
#[derive(Debug, Clone, Default)]
pub struct ReadResult {
    /// The good rows.
    pub rows: Vec<Measurement>,
    /// The first refused rows.
    pub refused: Vec<RowError>,
    /// How many rows were refused in all.
    pub refused_count: usize,
}

/// Reads canonical rows. Kernels that the catalogue does not know are added to it by their name.
///
/// # Errors
/// [`ReadError`] if it is no text, or its header lacks `gpu`, `kernel` or `time_ms`; rows before the fault are lost then,
/// because a file that breaks in the middle is not to be trusted silently.
pub fn read_csv(
    reader: impl Read + Send,
    file: &str,
    kind: Kind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadResult, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let mut csv =
        ReaderBuilder::new().flexible(true).buffer_capacity(BUFFER).from_reader(LineGuard::new(reader));
    let header = csv.byte_headers().map_err(|e| refuse(plain_words(&e)))?.clone();
    let columns = Columns::find(&header).map_err(refuse)?;
    let mut parser = RowParser::new(&columns, (file, kind), gpus, kernels);
    let mut result = ReadResult::default();
    each_record(csv, |record| {
        let line = record.position().map_or(0, csv::Position::line);
        let row = if record.len() == header.len() {
            parser.row(record, line)
        } else {
            Err(Refusal::new("row", wrong_width(record, header.len())))
        };
        match row {
            Ok(row) => push(&mut result.rows, row),
            Err(Refusal { column, message }) => {
                result.refused_count += 1;
                if result.refused.len() < DESCRIBED {
                    result.refused.push(RowError { file: file.to_string(), line, column, message });
                }
            }
        }
    })
    .map_err(|e| refuse(plain_words(&e)))?;
    result.rows.shrink_to_fit();
    Ok(result)
}

/// Grows by a quarter instead of doubling: the rows are most of what is in memory.
fn push(rows: &mut Vec<Measurement>, row: Measurement) {
    if rows.len() == rows.capacity() {
        rows.reserve_exact(16 + rows.len() / 4);
    }
    rows.push(row);
}

/// Why a record has not as many fields as the header.
fn wrong_width(record: &ByteRecord, expected: usize) -> String {
    let lines = record.as_slice().iter().filter(|b| **b == b'\n').count();
    let found = record.len();
    if lines > 0 {
        return format!(
            "a quotation mark opens here and takes in the next {lines} lines; close it (found {found} fields, the header has \
             {expected})"
        );
    }
    format!("the row has {found} fields, the header {expected}; is it cut off?")
}

/// The csv crate's error without its own position syntax.
fn plain_words(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Io(e) => e.to_string(),
        _ => error.to_string(),
    }
}
