//! The canonical CSV: one row per GPU, kernel and configuration; columns in any order; blank = unknown.
//!
//! A bad row is refused with file, line, column, value and what was expected; the good rows still load.

use super::cells::RowRefusal;
use super::chunks::{Chunk, Chunks};
use super::columns::RecordColumns;
use super::draft::{LineDraft, RowDraft};
use super::new_kernels::{NewKernels, NewName};
use super::records::{Record, each_record};
use super::row::RowParser;
use super::side_by_side::{in_order, workers};
use super::told_apart::WorksOfRows;
use super::{DESCRIBED, Measurement, TimingKind};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::{Kernel, KernelId};
use csv::{ByteRecord, ReaderBuilder};
use std::collections::BTreeMap;
use std::io::Read;

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
    /// What the rows call kernels whose name is another one.
    pub renamed: BTreeMap<Box<str>, KernelId>,
    /// How many rows have the launch shape of one before them, and were told from it by what they counted.
    pub told_apart: usize,
}

/// Reads canonical rows. Kernels that the catalogue does not know are added to it by their name.
///
/// # Errors
/// [`ReadError`] if it is no text, or its header lacks `gpu`, `kernel` or `time_ms`; rows before the fault are lost then,
/// because a file that breaks in the middle is not to be trusted silently.
pub fn read_csv(
    reader: impl Read + Send,
    file: &str,
    kind: TimingKind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadResult, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let RowLines { first, chunks, lines } = RowLines::open(reader, DESCRIBED).map_err(refuse)?;
    let mut parser = RowParser::new(file, kind, gpus, kernels);
    let part = lines.read_part(&mut parser, &first);
    let mut whole = ParsedCsv::new(kernels);
    if chunks.ended() {
        whole.take(part);
        return Ok(whole.into_result());
    }
    let known = whole.kernels.catalogue().clone();
    let worker = |_| {
        let (mut parser, lines) = (RowParser::new(file, kind, gpus, &known), &lines);
        move |chunk: &Chunk| lines.read_part(&mut parser, chunk)
    };
    whole.take(part);
    in_order(chunks, (0..workers()).map(worker).collect(), |part| whole.take(part))
        .map_err(|e| refuse(e.to_string()))?;
    Ok(whole.into_result())
}

/// Reads canonical rows and hands them over some thousand at a time, every refused one described: of a file larger than
/// memory nothing is kept but its kernels, which are in the catalogue before their rows are handed over.
///
/// # Errors
/// [`ReadError`] as in [`read_csv`], after the rows before the fault were handed over; and what `take` fails with.
pub fn stream_csv<E>(
    reader: impl Read + Send,
    file: &str,
    kind: TimingKind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
    mut take: impl FnMut(&mut Catalogue<Kernel>, ReadResult) -> Result<(), E>,
) -> Result<Result<(), E>, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let RowLines { mut first, mut chunks, lines } = RowLines::open(reader, usize::MAX).map_err(refuse)?;
    let known = kernels.clone();
    let mut parser = RowParser::new(file, kind, gpus, &known);
    let mut whole = ParsedCsv { described: usize::MAX, ..ParsedCsv::new(kernels) };
    loop {
        whole.take(lines.read_part(&mut parser, &first));
        let block = std::mem::take(&mut whole.result);
        if let Err(why) = take(whole.kernels.catalogue_mut(), block) {
            return Ok(Err(why));
        }
        if chunks.ended() || !chunks.next(&mut first).map_err(|e| refuse(e.to_string()))? {
            return Ok(Ok(()));
        }
    }
}

/// A file of canonical rows whose header was read.
struct RowLines<R> {
    /// The lines that were read with the header.
    first: Chunk,
    /// The rest.
    chunks: Chunks<R>,
    lines: LineForm,
}

impl<R: Read> RowLines<R> {
    fn open(reader: R, described: usize) -> Result<Self, String> {
        let (mut chunks, mut first) = (Chunks::new(reader), Chunk::default());
        chunks.next(&mut first).map_err(|e| e.to_string())?;
        let header = cut_header(&mut first);
        let columns = RecordColumns::from_header(&header)?;
        Ok(Self { first, chunks, lines: LineForm { columns, width: header.len(), described } })
    }
}

/// The header, which is taken off the first chunk.
fn cut_header(first: &mut Chunk) -> ByteRecord {
    let mut header = ByteRecord::new();
    let mut csv = ReaderBuilder::new().has_headers(false).from_reader(first.bytes.as_slice());
    // There is no error in bytes that were read already; a file of nothing has a header of nothing.
    csv.read_byte_record(&mut header).unwrap_or(false);
    let (end, line) = (csv.position().byte(), csv.position().line());
    first.bytes.drain(..usize::try_from(end).unwrap_or(0));
    first.line = line;
    header
}

/// What came out of a chunk.
pub(super) struct CsvPart {
    read: ReadResult,
    new_names: Vec<NewName>,
}

/// How the lines of a file become rows.
struct LineForm {
    columns: RecordColumns,
    /// Cells of a line.
    width: usize,
    /// How many refused rows of a chunk are described.
    described: usize,
}

impl LineForm {
    fn read_part(&self, parser: &mut RowParser<'_>, chunk: &Chunk) -> CsvPart {
        let Self { columns, width, described } = self;
        let mut read = ReadResult::default();
        each_record(chunk, |record| {
            let row = if record.len() == *width {
                parser.next_row(&LineDraft { columns, record })
            } else {
                Err(RowRefusal::new("row", wrong_width(record, *width)))
            };
            match row {
                Ok(row) => read.rows.push(row),
                Err(refusal) => add_refusal(&mut read, parser.file(), record.line, refusal, *described),
            }
        });
        let new_names = parser.new_names(&mut read.rows);
        read.renamed = parser.renamed();
        CsvPart { read, new_names }
    }
}

/// What becomes of these drafts; `more` is put behind the reason of a refused one.
pub(super) fn parsed_rows<D: RowDraft>(
    parser: &mut RowParser<'_>,
    drafts: impl Iterator<Item = D>,
    more: impl Fn(&D) -> String,
) -> CsvPart {
    let mut read = ReadResult::default();
    for draft in drafts {
        match parser.next_row(&draft) {
            Ok(row) => read.rows.push(row),
            Err(mut refusal) => {
                refusal.message += &more(&draft);
                add_refusal(&mut read, parser.file(), draft.line_number(), refusal, DESCRIBED);
            }
        }
    }
    let new_names = parser.new_names(&mut read.rows);
    read.renamed = parser.renamed();
    CsvPart { read, new_names }
}

fn add_refusal(
    read: &mut ReadResult,
    file: &str,
    line: u64,
    RowRefusal { column, message }: RowRefusal,
    described: usize,
) {
    read.refused_count += 1;
    if read.refused.len() < described {
        read.refused.push(RowError { file: file.to_string(), line, column, message });
    }
}

/// All that came out of a file so far.
pub(super) struct ParsedCsv<'a> {
    pub(super) result: ReadResult,
    kernels: NewKernels<'a>,
    works: WorksOfRows,
    /// How many refused rows are described.
    described: usize,
}

impl<'a> ParsedCsv<'a> {
    pub(super) fn new(kernels: &'a mut Catalogue<Kernel>) -> Self {
        let kernels = NewKernels::new(kernels);
        Self { result: ReadResult::default(), kernels, works: WorksOfRows::default(), described: DESCRIBED }
    }

    /// What came out of the whole file; names of its kernels are apart from each other.
    pub(super) fn into_result(mut self) -> ReadResult {
        self.kernels.cut_labels_apart();
        self.result.rows.shrink_to_fit();
        self.result
    }

    pub(super) fn take(&mut self, CsvPart { mut read, new_names }: CsvPart) {
        let places: Vec<_> = new_names.iter().map(|name| self.kernels.kernel_id(name)).collect();
        let (result, known) = (&mut self.result, self.kernels.known());
        result.refused_count += read.refused_count;
        result.renamed.append(&mut read.renamed);
        let room = self.described - result.refused.len();
        result.refused.extend(read.refused.into_iter().take(room));
        for row in &mut read.rows {
            if let Some(place) = row.kernel.index().checked_sub(known) {
                row.kernel = places[place];
            }
            result.told_apart += usize::from(self.works.tell_apart(row));
        }
        if result.rows.is_empty() {
            result.rows = read.rows;
            return;
        }
        // Grows by a quarter instead of doubling: the rows are most of what is in memory.
        if result.rows.capacity() - result.rows.len() < read.rows.len() {
            result.rows.reserve_exact(read.rows.len() + result.rows.len() / 4);
        }
        result.rows.append(&mut read.rows);
    }
}

/// That a record has not as many fields as the header; one that goes on over lines has a quotation mark that nobody closed.
pub(crate) fn wrong_width_text(found: usize, expected: usize, takes_in_lines: bool) -> String {
    let why = match found > expected {
        _ if takes_in_lines => UNCLOSED_QUOTE,
        true => "a value with a comma stands in quotation marks, and decimals have a point",
        false => "is it cut off?",
    };
    format!("the row has {found} fields, the header {expected}; {why}")
}

/// What is said of a field that nobody closed.
pub(crate) const UNCLOSED_QUOTE: &str = "a quotation mark opens here and is not closed; close it";

/// Why a record has not as many fields as the header.
fn wrong_width(record: &Record<'_>, expected: usize) -> String {
    let takes_in_lines = record.cells().flatten().any(|b| *b == b'\n');
    wrong_width_text(record.len(), expected, takes_in_lines)
}
