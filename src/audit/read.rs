//! Reads files into a sheet: canonical CSVs, reports that importers know, calibration files, compiler logs, told apart by
//! content.

use super::sheet::{DataFile, Row, Sheet};
use super::{calibration, compiled};
use crate::catalogue::Entry;
use crate::compiler::{self, Format};
use crate::kernel::Problem;
use crate::measurement::import::{self, NeverCancelled};
use crate::measurement::{DESCRIBED, LineGuard, Number, ReadError, RowError, write_csv};
use csv::{ReaderBuilder, StringRecord};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// How much of a file is looked at to tell what it is.
const HEAD: u64 = 64 * 1024;

/// The largest calibration file or compiler log that is read.
const LARGEST_TEXT: u64 = 32 << 20;

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Measurements: this many good rows.
    Data(usize),
    /// This many ceilings.
    Calibration(usize),
    /// This many kernels.
    CompilerLog(usize),
}

/// Opens and reads a file: what importers know through them, the rest as [`read_text`] does.
///
/// # Errors
/// [`ReadError`] if it cannot be opened or is nothing the audit knows.
pub fn read_file(path: &Path, sheet: &mut Sheet<'_>) -> Result<Kind, ReadError> {
    let file = path.display().to_string();
    let refuse = |message: String| ReadError { file: file.clone(), message };
    let opened = std::fs::File::open(path).map_err(|e| refuse(format!("cannot be opened: {e}")))?;
    if opened.metadata().map_err(|e| refuse(format!("cannot be read: {e}")))?.is_dir() {
        return Err(refuse("is a folder; give its files".into()));
    }
    let mut opened = opened;
    let mut head = Vec::new();
    let started = opened.by_ref().take(HEAD).read_to_end(&mut head);
    started.map_err(|e| refuse(format!("cannot be read: {e}")))?;
    let report = import::recognise(&head).is_some();
    if report && !is_ours(&head) {
        return read_report(path, &file, sheet);
    }
    let is_json = is_json(&String::from_utf8_lossy(&head));
    match read_text(head.as_slice().chain(opened), &file, sheet) {
        // Calibrations are JSON too, and nothing was added.
        Err(_) if report && is_json => read_report(path, &file, sheet),
        read => read,
    }
}

fn is_json(start: &str) -> bool {
    start.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '['])
}

/// Whether a file that starts like this is read by the audit itself, even where an importer knows it.
fn is_ours(head: &[u8]) -> bool {
    let start = String::from_utf8_lossy(head);
    let header = start.trim_start_matches('\u{feff}').lines().next().unwrap_or("");
    let has = |column: &str| header.split(',').any(|c| c.trim().trim_matches('"') == column);
    let canonical = has("gpu") && has("kernel") && has("time_ms");
    canonical || is_json(&start) || Format::of(head).is_some() || calibration::recognises(&start)
}

/// Reads what a profiler, tuner or benchmark wrote, as the canonical CSV that `roofswap import` makes of it: its lines are
/// those that findings name.
fn read_report(path: &Path, file: &str, sheet: &mut Sheet<'_>) -> Result<Kind, ReadError> {
    let imported = import::read_file(path, &NeverCancelled::default().job(file))?;
    let room = DESCRIBED.saturating_sub(sheet.refused.len());
    sheet.refused.extend(imported.refused.iter().take(room).cloned());
    sheet.refused_count += imported.refused_count;
    if imported.rows.is_empty() {
        return Err(ReadError { file: file.into(), message: "has no row that can be audited".into() });
    }
    read_data(write_csv(&imported.rows).as_slice(), &format!("{file} (as imported)"), sheet)
}

/// Reads a canonical CSV row by row, or a calibration file or compiler log as a whole, into the sheet.
///
/// # Errors
/// [`ReadError`] if it is none of them; nothing is added then but rows before a fault in the middle.
pub fn read_text(mut reader: impl Read, file: &str, sheet: &mut Sheet<'_>) -> Result<Kind, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let mut head = Vec::new();
    reader.by_ref().take(HEAD).read_to_end(&mut head).map_err(|e| refuse(format!("cannot be read: {e}")))?;
    let start = String::from_utf8_lossy(&head);
    let is_json = is_json(&start);
    let is_log = Format::of(&head).is_some();
    if !(is_json || is_log || calibration::recognises(&start)) {
        return read_data(head.as_slice().chain(reader), file, sheet);
    }
    let mut bytes = Vec::new();
    let whole = head.as_slice().chain(reader).take(LARGEST_TEXT + 1).read_to_end(&mut bytes);
    whole.map_err(|e| refuse(format!("cannot be read: {e}")))?;
    if bytes.len() as u64 > LARGEST_TEXT {
        return Err(refuse("is larger than 32 MiB; expected a calibration file or a compiler log".into()));
    }
    let text = String::from_utf8_lossy(&bytes);
    if is_log && !is_json {
        let report = compiler::read(&bytes, file, None)
            .map_err(|e| ReadError { file: format!("{}{}", e.file, e.place), message: e.message })?;
        let found = compiled::of(&report);
        let count = found.len();
        sheet.compiled.extend(found);
        return Ok(Kind::CompilerLog(count));
    }
    let found = calibration::read(&text, file, sheet.gpus, is_json).map_err(refuse)?;
    let count = found.len();
    sheet.calibrations.extend(found);
    Ok(Kind::Calibration(count))
}

/// Where the columns that the audit understands stand in one file.
struct Places {
    texts: HashMap<&'static str, usize>,
    numbers: Vec<(Number, usize)>,
}

const TEXTS: [&str; 8] = ["gpu", "kernel", "problem", "variant", "dtype", "block", "grid", "source"];

impl Places {
    fn find(names: &[String]) -> Result<Self, String> {
        let place = |name: &str| names.iter().position(|n| n == name);
        if let Some(twice) = names.iter().enumerate().find(|(i, n)| !n.is_empty() && place(n) != Some(*i)) {
            return Err(format!("column `{}` stands twice; keep one", twice.1));
        }
        let texts: HashMap<_, _> = TEXTS.into_iter().filter_map(|n| place(n).map(|i| (n, i))).collect();
        let numbers: Vec<_> = Number::ALL.iter().filter_map(|n| place(n.column()).map(|i| (*n, i))).collect();
        let has_time = numbers.iter().any(|(n, _)| *n == Number::Time);
        for (needed, there) in [
            ("gpu", texts.contains_key("gpu")),
            ("kernel", texts.contains_key("kernel")),
            ("time_ms", has_time),
        ] {
            if !there {
                let seen: String = names.join(",").chars().take(80).collect();
                return Err(format!(
                    "no column `{needed}`; expected a canonical CSV, a calibration file or a ptxas -v log (found: {seen})"
                ));
            }
        }
        Ok(Self { texts, numbers })
    }
}

fn read_data(reader: impl Read, file: &str, sheet: &mut Sheet<'_>) -> Result<Kind, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let plain = |e: csv::Error| match e.kind() {
        csv::ErrorKind::Io(io) => io.to_string(),
        _ => e.to_string(),
    };
    let mut csv = ReaderBuilder::new().flexible(true).from_reader(LineGuard::new(reader));
    let header = csv.headers().map_err(|e| refuse(plain(e)))?.clone();
    let names: Vec<String> =
        header.iter().map(|n| n.trim().trim_start_matches('\u{feff}').to_string()).collect();
    let places = Places::find(&names).map_err(refuse)?;
    let columns = names.iter().map(|n| column(sheet, n)).collect();
    let number = sheet.files.len();
    sheet.files.push(DataFile { name: file.to_string(), columns });
    let mut record = StringRecord::new();
    let mut good = 0;
    while csv.read_record(&mut record).map_err(|e| refuse(plain(e)))? {
        let line = record.position().map_or(0, csv::Position::line);
        let made = if record.len() == names.len() {
            row(sheet, &places, &record, number, line)
        } else {
            let message =
                format!("the row has {} fields, the header {}; is it cut off?", record.len(), names.len());
            Err(("row", message))
        };
        match made {
            Ok(row) => {
                sheet.rows.push(row);
                sheet.records.push(std::mem::take(&mut record));
                good += 1;
            }
            Err((column, message)) => {
                sheet.refused_count += 1;
                if sheet.refused.len() < DESCRIBED {
                    let column = column.to_string();
                    sheet.refused.push(RowError { file: file.to_string(), line, column, message });
                }
            }
        }
    }
    Ok(Kind::Data(good))
}

fn column(sheet: &mut Sheet<'_>, name: &str) -> usize {
    sheet.columns.iter().position(|c| c == name).unwrap_or_else(|| {
        sheet.columns.push(name.to_string());
        sheet.columns.len() - 1
    })
}

type Refusal = (&'static str, String);

fn row(
    sheet: &mut Sheet<'_>,
    places: &Places,
    record: &StringRecord,
    file: usize,
    line: u64,
) -> Result<Row, Refusal> {
    let text = |name| places.texts.get(name).and_then(|i| record.get(*i)).unwrap_or("").trim();
    let mut numbers = [f64::NAN; Number::ALL.len()];
    for (number, i) in &places.numbers {
        let field = record.get(*i).unwrap_or("").trim();
        if !field.is_empty() {
            let value = field.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
            numbers[*number as usize] = value.ok_or_else(|| {
                (number.column(), format!("`{}`: expected a number of at least 0, or blank", clip(field)))
            })?;
        }
    }
    let time = numbers[Number::Time as usize];
    if time.is_nan() || time <= 0.0 {
        return Err(("time_ms", "expected milliseconds above 0".into()));
    }
    for name in ["gpu", "kernel"] {
        if text(name).is_empty() {
            return Err((name, "is blank; expected a name".into()));
        }
    }
    let (block, grid) = (dimensions("block", text("block"))?, dimensions("grid", text("grid"))?);
    let gpu = known(sheet, text("gpu"), true);
    let kernel = known(sheet, text("kernel"), false);
    let problem = problem(sheet, kernel, text("problem"))?;
    let [variant, dtype, source] = ["variant", "dtype", "source"].map(|n| sheet.words.intern(text(n)));
    Ok(Row { file, line, gpu, kernel, problem, variant, dtype, source, block, grid, numbers })
}

/// The word of a GPU or kernel: its id where the catalogue knows the name.
fn known(sheet: &mut Sheet<'_>, name: &str, is_gpu: bool) -> super::Word {
    let (place, id) = if is_gpu {
        let place = sheet.gpus.get(name);
        (place, place.map(|i| sheet.gpus.entries()[i].id()))
    } else {
        let place = sheet.kernels.get(name);
        (place, place.map(|i| sheet.kernels.entries()[i].id()))
    };
    let word = sheet.words.intern(id.unwrap_or(name));
    if let Some(place) = place {
        let of = if is_gpu { &mut sheet.gpu_of } else { &mut sheet.kernel_of };
        of.insert(word, place);
    }
    word
}

/// The sizes, completed where the kernel's file can, so that two spellings of one size are one.
fn problem(sheet: &mut Sheet<'_>, kernel: super::Word, text: &str) -> Result<super::Word, Refusal> {
    let written = sheet.words.intern(text);
    if sheet.problems.contains_key(&(kernel, written)) {
        return Ok(written);
    }
    let recorded = Problem::parse_recorded(text).map_err(|e| ("problem", e.to_string()))?;
    let of = sheet.kernel_of.get(&kernel).map(|i| &sheet.kernels.entries()[*i]);
    let full = of.filter(|k| k.has_formulas()).and_then(|k| k.problem(&recorded).ok()).unwrap_or(recorded);
    let word = sheet.words.intern(&full.to_string());
    sheet.problems.insert((kernel, word), full);
    Ok(word)
}

fn dimensions(column: &'static str, text: &str) -> Result<Option<[u64; 3]>, Refusal> {
    if text.is_empty() {
        return Ok(None);
    }
    let mut out = [1; 3];
    let parts: Vec<&str> = text.split('x').collect();
    let expected = || (column, format!("`{}`: expected 256, 16x16 or 16x16x1", clip(text)));
    if parts.len() > 3 {
        return Err(expected());
    }
    for (slot, part) in out.iter_mut().zip(parts) {
        *slot = part.trim().parse().ok().filter(|v| *v > 0).ok_or_else(expected)?;
    }
    Ok(Some(out))
}

fn clip(text: &str) -> String {
    text.chars().take(40).collect()
}
