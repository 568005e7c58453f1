//! The canonical CSV: one row per GPU, kernel and configuration; columns in any order; blank = unknown.
//!
//! A bad row is refused with file, line, column, value and what was expected; the good rows still load.

use super::line_guard::LineGuard;
use super::{Kind, Measurement};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::{Count, Kernel, Launch, Problem, Work};
use crate::units::Seconds;
use csv::{ByteRecord, ReaderBuilder};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// How many refused rows are described; the rest are only counted.
const DESCRIBED: usize = 100;

/// The longest time of one launch that is believed: eleven days.
const LONGEST_MS: f64 = 1e9;

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

/// Opens and reads a file; see [`read_csv`].
///
/// # Errors
/// [`ReadError`] if it cannot be opened or is no canonical CSV.
pub fn read_path(
    path: &Path,
    kind: Kind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadResult, ReadError> {
    let file = path.display().to_string();
    let refuse = |message: String| ReadError { file: file.clone(), message };
    let opened = std::fs::File::open(path).map_err(|e| refuse(format!("cannot be opened: {e}")))?;
    let meta = opened.metadata().map_err(|e| refuse(format!("cannot be read: {e}")))?;
    if meta.is_dir() {
        return Err(refuse("is a folder; give a CSV file".into()));
    }
    read_csv(opened, &file, kind, gpus, kernels)
}

/// Reads canonical rows. Kernels that the catalogue does not know are added to it by their name.
///
/// # Errors
/// [`ReadError`] if it is no text, or its header lacks `gpu`, `kernel` or `time_ms`; rows before the fault are lost then,
/// because a file that breaks in the middle is not to be trusted silently.
pub fn read_csv(
    reader: impl Read,
    file: &str,
    kind: Kind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadResult, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let mut csv = ReaderBuilder::new().flexible(true).from_reader(LineGuard::new(reader));
    let header = csv.byte_headers().map_err(|e| refuse(plain_words(&e)))?.clone();
    let columns = Columns::find(&header).map_err(refuse)?;
    let mut parser = RowParser {
        columns,
        kind,
        gpus,
        kernels,
        words: HashMap::new(),
        problems: HashMap::new(),
        unknown_gpus: 0,
    };
    let mut result = ReadResult::default();
    let mut record = ByteRecord::new();
    while csv.read_byte_record(&mut record).map_err(|e| refuse(plain_words(&e)))? {
        let row = if record.len() == header.len() {
            parser.row(&record)
        } else {
            Err(("row".to_string(), wrong_width(&record, header.len())))
        };
        match row {
            Ok(row) => result.rows.push(row),
            Err((column, message)) => {
                result.refused_count += 1;
                if result.refused.len() < DESCRIBED {
                    let line = record.position().map_or(0, csv::Position::line);
                    result.refused.push(RowError { file: file.to_string(), line, column, message });
                }
            }
        }
    }
    Ok(result)
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

/// Where each known column stands.
struct Columns {
    by_name: HashMap<&'static str, usize>,
    counts: Vec<(Count, usize)>,
}

const KNOWN: [&str; 13] = [
    "gpu",
    "kernel",
    "problem",
    "variant",
    "dtype",
    "block",
    "grid",
    "regs_per_thread",
    "smem_static_bytes",
    "smem_dynamic_bytes",
    "time_ms",
    "time_std_ms",
    "trials",
];

impl Columns {
    fn find(header: &ByteRecord) -> Result<Self, String> {
        // A byte-order mark in front of the first name is no part of it.
        let names: Vec<String> = header
            .iter()
            .map(|n| String::from_utf8_lossy(n).trim().trim_start_matches('\u{feff}').to_string())
            .collect();
        let place = |name: &str| names.iter().position(|n| n == name);
        if let Some(twice) = names.iter().enumerate().find(|(i, n)| !n.is_empty() && place(n) != Some(*i)) {
            return Err(format!("column `{}` stands twice; keep one", twice.1));
        }
        let by_name: HashMap<_, _> =
            KNOWN.into_iter().chain(["source"]).filter_map(|n| place(n).map(|i| (n, i))).collect();
        for needed in ["gpu", "kernel", "time_ms"] {
            if !by_name.contains_key(needed) {
                let seen: String = names.join(",").chars().take(80).collect();
                return Err(format!(
                    "no column `{needed}`; expected a canonical CSV whose first line names gpu, kernel, problem, time_ms … \
                     (found: {seen})"
                ));
            }
        }
        let counts = Count::ALL.into_iter().filter_map(|c| place(c.name()).map(|i| (c, i))).collect();
        Ok(Self { by_name, counts })
    }
}

type Refusal = (String, String);

struct RowParser<'a> {
    columns: Columns,
    kind: Kind,
    gpus: &'a Catalogue<Gpu>,
    kernels: &'a mut Catalogue<Kernel>,
    /// Words that repeat from row to row are kept once.
    words: HashMap<Vec<u8>, Arc<str>>,
    problems: HashMap<(usize, Vec<u8>), Arc<Problem>>,
    /// How many rows named a GPU that is not in the catalogue.
    unknown_gpus: usize,
}

impl RowParser<'_> {
    fn row(&mut self, record: &ByteRecord) -> Result<Measurement, Refusal> {
        let time = self
            .number(record, "time_ms")?
            .ok_or_else(|| refusal("time_ms", "is blank; expected milliseconds"))?;
        if time <= 0.0 {
            return Err(refusal("time_ms", format!("{time}: expected more than 0")));
        }
        if time > LONGEST_MS {
            return Err(refusal("time_ms", format!("{time}: expected milliseconds below 1e9")));
        }
        let gpu = self.gpu(record)?;
        let kernel = self.kernel(record)?;
        let problem = self.problem(record, kernel)?;
        let block = self.dimensions(record, "block")?;
        let grid = self.dimensions(record, "grid")?;
        let launch = block
            .zip(grid)
            .map(|(b, grid)| Launch { block: b.map(|v| v.min(u64::from(u32::MAX)) as u32), grid });
        let mut work = Work::default();
        for (count, i) in &self.columns.counts {
            work = work.with(*count, number_at(record, *i, count.name())?);
        }
        let variant = self.word(record, "variant")?;
        let source = self.word(record, "source")?;
        let whole = |name| self.number(record, name).map(|v| v.map(|v| v.min(f64::from(u32::MAX)) as u32));
        Ok(Measurement {
            regs_per_thread: whole("regs_per_thread")?,
            smem_static: whole("smem_static_bytes")?,
            smem_dynamic: whole("smem_dynamic_bytes")?,
            trials: whole("trials")?,
            time_std: self.number(record, "time_std_ms")?.map(Seconds::from_millis),
            time: Seconds::from_millis(time),
            kind: self.kind,
            gpu,
            kernel,
            problem,
            variant,
            launch,
            work,
            source,
        })
    }

    fn bytes<'r>(&self, record: &'r ByteRecord, column: &str) -> &'r [u8] {
        self.columns.by_name.get(column).and_then(|i| record.get(*i)).unwrap_or_default()
    }

    fn text<'r>(&self, record: &'r ByteRecord, column: &str) -> Result<&'r str, Refusal> {
        utf8(self.bytes(record, column), column)
    }

    fn word(&mut self, record: &ByteRecord, column: &str) -> Result<Arc<str>, Refusal> {
        let bytes = self.bytes(record, column);
        if let Some(known) = self.words.get(bytes) {
            return Ok(known.clone());
        }
        let word: Arc<str> = utf8(bytes, column)?.into();
        self.words.insert(bytes.to_vec(), word.clone());
        Ok(word)
    }

    fn number(&self, record: &ByteRecord, column: &str) -> Result<Option<f64>, Refusal> {
        self.columns.by_name.get(column).map_or(Ok(None), |i| number_at(record, *i, column))
    }

    fn gpu(&mut self, record: &ByteRecord) -> Result<usize, Refusal> {
        let name = self.text(record, "gpu")?;
        if let Some(known) = self.gpus.get(name) {
            return Ok(known);
        }
        // The search for near names is for those who will read them.
        let described = self.unknown_gpus < DESCRIBED;
        self.unknown_gpus += 1;
        let near = if described { self.gpus.position(name).err() } else { None };
        Err(near.map_or_else(|| refusal("gpu", "unknown GPU"), |e| refusal("gpu", e)))
    }

    fn kernel(&mut self, record: &ByteRecord) -> Result<usize, Refusal> {
        let name = self.text(record, "kernel")?;
        if name.is_empty() {
            return Err(refusal("kernel", "is blank; expected a name"));
        }
        if let Some(known) = self.kernels.get(name) {
            return Ok(known);
        }
        if !name.contains(char::is_alphanumeric) {
            return Err(refusal("kernel", format!("`{}`: expected a name with letters", clip(name))));
        }
        let dtype = self.text(record, "dtype")?;
        self.kernels
            .insert(Kernel::from_measurements(name, dtype))
            .map(|()| self.kernels.entries().len() - 1)
            .map_err(|e| refusal("kernel", e))
    }

    fn problem(&mut self, record: &ByteRecord, kernel: usize) -> Result<Arc<Problem>, Refusal> {
        let bytes = self.bytes(record, "problem");
        let key = (kernel, bytes.to_vec());
        if let Some(known) = self.problems.get(&key) {
            return Ok(known.clone());
        }
        let recorded = Problem::parse_recorded(utf8(bytes, "problem")?).map_err(|e| refusal("problem", e))?;
        let full = self.kernels.entries()[kernel].problem(&recorded).map_err(|e| refusal("problem", e))?;
        let problem = Arc::new(full);
        self.problems.insert(key, problem.clone());
        Ok(problem)
    }

    /// `256`, `16x16`, `16x16x1`; blank = unknown.
    fn dimensions(&self, record: &ByteRecord, column: &str) -> Result<Option<[u64; 3]>, Refusal> {
        let text = self.text(record, column)?;
        if text.is_empty() {
            return Ok(None);
        }
        let mut out = [1; 3];
        let parts: Vec<&str> = text.split('x').collect();
        let expected = || refusal(column, format!("`{}`: expected 256, 16x16 or 16x16x1", clip(text)));
        if parts.len() > 3 {
            return Err(expected());
        }
        for (slot, part) in out.iter_mut().zip(parts) {
            *slot = part.trim().parse().ok().filter(|v| *v > 0).ok_or_else(expected)?;
        }
        Ok(Some(out))
    }
}

fn number_at(record: &ByteRecord, i: usize, column: &str) -> Result<Option<f64>, Refusal> {
    let text = utf8(record.get(i).unwrap_or_default(), column)?;
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
    number.map(Some).ok_or_else(|| {
        refusal(column, format!("`{}`: expected a number of at least 0, or blank", clip(text)))
    })
}

fn utf8<'a>(bytes: &'a [u8], column: &str) -> Result<&'a str, Refusal> {
    std::str::from_utf8(bytes)
        .map(str::trim)
        .map_err(|_| refusal(column, "is not UTF-8; save the file as UTF-8"))
}

fn refusal(column: &str, why: impl std::fmt::Display) -> Refusal {
    (column.to_string(), why.to_string())
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}
