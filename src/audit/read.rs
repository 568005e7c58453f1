//! Reads files into a sheet: canonical CSVs, reports that importers know, calibration files, compiler logs, told apart by
//! content.

use super::rows::{RowNumbers, SheetRow};
use super::sheet::{AuditSheet, DataFile};
use super::{ReachedCeiling, compiled};
use crate::catalogue::CatalogueEntry;
use crate::compiler;
use crate::import::{self, FileFormat, ImportJob, OpenedFile};
use crate::kernel::Problem;
use crate::measurement::{
    CanonicalTable, CellRefusal, DESCRIBED, LineGuard, Number, PackedRows, ReadError, RowError, WorkOfLaunch,
    check_lengths, dimensions, header_names, is_shape, numbered_shape, parsed_number, parsed_time,
    shape_and_number, wrong_width_text,
};
use crate::progress::Progress;
use csv::{ReaderBuilder, StringRecord};
use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetKind {
    /// Measurements: this many good rows.
    Data(usize),
    /// This many ceilings.
    Calibration(usize),
    /// This many kernels.
    CompilerLog(usize),
}

/// Opens and reads a file, see [`read_opened`].
///
/// # Errors
/// [`ReadError`] if it cannot be opened or is nothing the audit knows.
pub fn read_file(path: &Path, sheet: &mut AuditSheet<'_>) -> Result<SheetKind, ReadError> {
    read_opened(OpenedFile::path(path)?, sheet)
}

/// [`read_opened`] of any reader; `file` is how findings name it.
///
/// # Errors
/// [`ReadError`] as there.
pub fn read_text(
    reader: impl Read + Send,
    file: &str,
    sheet: &mut AuditSheet<'_>,
) -> Result<SheetKind, ReadError> {
    read_opened(OpenedFile::from_reader(reader, file)?, sheet)
}

/// Reads a canonical CSV row by row, a compiler log as a whole, and everything else as its importer does.
///
/// # Errors
/// [`ReadError`] if it is none of them; nothing is added then but rows before a fault in the middle.
pub fn read_opened(opened: OpenedFile<'_>, sheet: &mut AuditSheet<'_>) -> Result<SheetKind, ReadError> {
    opened.check_room()?;
    let file = opened.file().to_string();
    match opened.format() {
        FileFormat::Canonical => read_data(opened, &file, sheet),
        FileFormat::Report(_) => read_report(opened, &file, sheet),
        FileFormat::Unknown if compiler::ReportFormat::from_bytes(opened.head()).is_some() => {
            read_log(opened, &file, sheet)
        }
        FileFormat::Unknown => {
            let looked_for = "expected a canonical CSV (gpu,kernel,problem,time_ms …), a report that `roofswap import` reads, \
                              a calibration file (JSON or NAME=value lines, such as sustained_bandwidth_gbps) or a ptxas -v log";
            let head = String::from_utf8_lossy(opened.head());
            let seen: String = crate::text::clipped_text(head.lines().next().unwrap_or_default(), 80);
            let message = match seen.trim() {
                "" => format!("is empty; {looked_for}"),
                seen => format!("is of no known format: {looked_for} (found: {seen})"),
            };
            Err(ReadError { file, message })
        }
    }
}

fn read_log(opened: OpenedFile<'_>, file: &str, sheet: &mut AuditSheet<'_>) -> Result<SheetKind, ReadError> {
    let size = opened.size();
    let report = compiler::read_from(opened, size, file, None)
        .map_err(|e| ReadError { file: format!("{}{}", e.file, e.place), message: e.message })?;
    let found = compiled::compiled_kernels(&report);
    let count = found.len();
    sheet.compiled.extend(found);
    Ok(SheetKind::CompilerLog(count))
}

/// Reads what a profiler, tuner or benchmark wrote, as the canonical CSV that `roofswap import` makes of it: its lines are
/// those that findings name. Roofs that it measured are calibrations.
fn read_report(
    opened: OpenedFile<'_>,
    file: &str,
    sheet: &mut AuditSheet<'_>,
) -> Result<SheetKind, ReadError> {
    let imported = import::read_report(opened, &ImportJob::new(file, &Progress::default()))?;
    let room = DESCRIBED.saturating_sub(sheet.refused.len());
    sheet.refused.extend(imported.refused.iter().take(room).cloned());
    sheet.refused_count += imported.refused_count;
    let roofs: Vec<ReachedCeiling> =
        imported.roofs.iter().filter_map(|roof| ReachedCeiling::from_roof(roof, file, sheet.gpus)).collect();
    let count = roofs.len();
    sheet.calibrations.extend(roofs);
    if imported.rows.is_empty() {
        return Ok(SheetKind::Calibration(count));
    }
    take_rows(imported.rows, &format!("{file} (as imported)"), sheet)
}

/// Takes in rows of an importer as the lines of a canonical CSV.
fn take_rows(rows: PackedRows, file: &str, sheet: &mut AuditSheet<'_>) -> Result<SheetKind, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    check_lengths(&rows).map_err(refuse)?;
    let table = CanonicalTable::new(&rows);
    let names = header_names(table.header().map(str::as_bytes)).map_err(refuse)?;
    let mut records = DataRecords::new(file, &names, sheet);
    let mut line = 2;
    for row in rows {
        records.take(&table.fields(&row).collect(), line, sheet);
        line += table.line_count(&row);
    }
    Ok(SheetKind::Data(records.good))
}

/// Where the columns that the audit understands stand in one file.
struct Places {
    /// In the order of [`TEXTS`].
    texts: [Option<usize>; TEXTS.len()],
    source: Option<usize>,
    numbers: Vec<(Number, usize)>,
}

const TEXTS: [&str; 7] = ["gpu", "kernel", "problem", "variant", "dtype", "block", "grid"];

impl Places {
    fn from_header(names: &[String]) -> Self {
        let places: HashMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
        let place = |name| places.get(name).copied();
        Self {
            texts: TEXTS.map(place),
            source: place("source"),
            numbers: Number::ALL.iter().filter_map(|n| Some((*n, place(n.column())?))).collect(),
        }
    }
}

fn read_data(reader: impl Read, file: &str, sheet: &mut AuditSheet<'_>) -> Result<SheetKind, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let plain = |e: csv::Error| match e.kind() {
        csv::ErrorKind::Io(io) => io.to_string(),
        _ => e.to_string(),
    };
    let mut csv = ReaderBuilder::new().flexible(true).from_reader(LineGuard::new(reader));
    let header = csv.headers().map_err(|e| refuse(plain(e)))?.clone();
    let names = header_names(header.iter().map(str::as_bytes)).map_err(refuse)?;
    let mut records = DataRecords::new(file, &names, sheet);
    let mut record = StringRecord::new();
    while csv.read_record(&mut record).map_err(|e| refuse(plain(e)))? {
        let line = record.position().map_or(0, csv::Position::line);
        records.take(&record, line, sheet);
    }
    Ok(SheetKind::Data(records.good))
}

/// The records of one file on their way into a sheet.
struct DataRecords {
    /// As findings name it.
    file: String,
    /// Its place among the sheet's files.
    number: usize,
    /// How many fields a record must have.
    width: usize,
    places: Places,
    /// How many rows were taken in.
    good: usize,
    /// The numbers of the row being read.
    packed: Vec<u8>,
}

impl DataRecords {
    fn new(file: &str, names: &[String], sheet: &mut AuditSheet<'_>) -> Self {
        let columns = columns(sheet, names);
        let number = sheet.files.len();
        sheet.files.push(DataFile { name: file.to_string(), columns, has_source_keys: false });
        Self {
            file: file.to_string(),
            number,
            width: names.len(),
            places: Places::from_header(names),
            good: 0,
            packed: Vec::new(),
        }
    }

    /// Adds the record's row, or counts it as refused.
    fn take(&mut self, record: &StringRecord, line: u64, sheet: &mut AuditSheet<'_>) {
        let mut packed = std::mem::take(&mut self.packed);
        match self.checked_row(record, line, sheet, &mut packed) {
            Ok(row) => {
                sheet.rows.push(&row);
                sheet.records.push(record.iter());
                let source = self.places.source.and_then(|place| record.get(place));
                sheet.files[self.number].has_source_keys |= source.is_some_and(|text| text.contains('='));
                self.good += 1;
            }
            Err(CellRefusal { column, message }) => {
                sheet.refused_count += 1;
                if sheet.refused.len() < DESCRIBED {
                    sheet.refused.push(RowError { file: self.file.clone(), line, column, message });
                }
            }
        }
        self.packed = packed;
    }

    fn checked_row<'s>(
        &self,
        record: &StringRecord,
        line: u64,
        sheet: &mut AuditSheet<'_>,
        packed: &'s mut Vec<u8>,
    ) -> Result<SheetRow<'s>, CellRefusal> {
        let (found, expected) = (record.len(), self.width);
        if found != expected {
            let takes_in_lines = record.iter().any(|cell| cell.contains('\n'));
            let message = wrong_width_text(found, expected, takes_in_lines);
            return Err(CellRefusal::new("row", message));
        }
        sheet_row(sheet, &self.places, record, self.number, line, packed)
    }
}

/// The places of these columns among those of all files, new ones at the end.
fn columns(sheet: &mut AuditSheet<'_>, names: &[String]) -> Vec<usize> {
    let mut known: HashMap<String, usize> =
        sheet.columns.iter().enumerate().map(|(i, name)| (name.clone(), i)).collect();
    let mut place = |name: &String| {
        *known.entry(name.clone()).or_insert_with(|| {
            sheet.columns.push(name.clone());
            sheet.columns.len() - 1
        })
    };
    names.iter().map(&mut place).collect()
}

fn sheet_row<'s>(
    sheet: &mut AuditSheet<'_>,
    places: &Places,
    record: &StringRecord,
    file: usize,
    line: u64,
    packed: &'s mut Vec<u8>,
) -> Result<SheetRow<'s>, CellRefusal> {
    let [gpu, kernel, problem, variant, dtype, block, grid] =
        places.texts.map(|place| place.and_then(|i| record.get(i)).unwrap_or("").trim());
    let (mut time_ms, mut numbers) = (f64::NAN, Vec::new());
    for (column, i) in &places.numbers {
        let field = record.get(*i).unwrap_or("").trim().as_bytes();
        if *column == Number::Time {
            parsed_time(field)?;
            time_ms = parsed_number(field, *column)?.unwrap_or(f64::NAN);
        } else {
            numbers.extend(parsed_number(field, *column)?.map(|value| (*column, value)));
        }
    }
    for (name, text) in [("gpu", gpu), ("kernel", kernel)] {
        if text.is_empty() {
            return Err(CellRefusal::new(name, "is blank; expected a name"));
        }
    }
    let saturated = |side| u32::try_from(side).unwrap_or(u32::MAX);
    let shape = |text: &str, column| {
        dimensions(text.as_bytes(), column).map(|read| read.map(|sides| sides.map(saturated)))
    };
    let (block, grid) = (shape(block, "block")?, shape(grid, "grid")?);
    let gpu = known(sheet, gpu, true);
    let kernel = known(sheet, kernel, false);
    let problem = problem_word(sheet, kernel, problem)?;
    let [variant, dtype] = [variant, dtype].map(|text| sheet.words.intern(text));
    let counted = |column| match column {
        Number::Time => Some(time_ms),
        _ => numbers.iter().find(|(known, _)| *known == column).map(|(_, value)| *value),
    };
    let work = WorkOfLaunch::from_numbers(counted);
    let problem = problem_of_work(sheet, [gpu, kernel, problem, variant], work)?;
    Ok(SheetRow {
        file,
        line,
        gpu,
        kernel,
        problem,
        variant,
        dtype,
        block,
        grid,
        time_ms,
        numbers: RowNumbers::packed(&mut numbers, packed),
    })
}

/// The word of a GPU or kernel: its id where the catalogue knows the name.
fn known(sheet: &mut AuditSheet<'_>, name: &str, is_gpu: bool) -> super::Word {
    let name = if is_gpu { name } else { sheet.kernels.nickname_of(name).unwrap_or(name) };
    if is_gpu {
        let place = sheet.gpus.id_named(name);
        let word = sheet.words.intern(place.map_or(name, |gpu| sheet.gpus[gpu].id()));
        sheet.gpu_of.extend(place.map(|gpu| (word, gpu)));
        word
    } else {
        let place = sheet.kernels.id_named(name);
        let word = sheet.words.intern(place.map_or(name, |kernel| sheet.kernels[kernel].id()));
        sheet.kernel_of.extend(place.map(|kernel| (word, kernel)));
        word
    }
}

/// The problem of a launch shape with the number of its work, as every other command has it.
fn problem_of_work(
    sheet: &mut AuditSheet<'_>,
    [gpu, kernel, problem, variant]: [super::Word; 4],
    work: Option<WorkOfLaunch>,
) -> Result<super::Word, CellRefusal> {
    let Some(work) = work.filter(|_| is_shape(sheet.words.text(problem))) else { return Ok(problem) };
    let (shape, stated) = shape_and_number(sheet.words.text(problem));
    let key = [gpu, kernel, sheet.words.intern(&shape), variant];
    let number = sheet.works.work_number(key, stated, work);
    if number == stated.unwrap_or(1) {
        return Ok(problem);
    }
    problem_word(sheet, kernel, &numbered_shape(&shape, number))
}

/// The sizes, completed where the kernel's file can, so that two spellings of one size are one; refused where they are no problem of
/// their kernel, as by every other command.
fn problem_word(
    sheet: &mut AuditSheet<'_>,
    kernel: super::Word,
    text: &str,
) -> Result<super::Word, CellRefusal> {
    let written = sheet.words.intern(text);
    let of = sheet.kernel_of.get(&kernel).map(|i| &sheet.kernels[*i]).filter(|k| k.has_formulas());
    let is_known = match of {
        Some(_) => sheet.problems.contains_key(&(kernel, written)),
        None => sheet.plain_problems.contains(written),
    };
    if is_known {
        return Ok(written);
    }
    let refused = |e| CellRefusal::new("problem", e);
    let recorded = Problem::parse_recorded(text).map_err(refused)?;
    let completed = of.map_or(Ok(None), |k| k.completed_recorded(&recorded)).map_err(refused)?;
    let full = completed.map_or_else(|| recorded.with_sizes(), Ok).map_err(refused)?;
    let shown = full.to_string();
    let word = sheet.words.intern(&shown);
    // There may be as many sizes as rows: those of kernels without formulas are read again when they are asked for.
    if of.is_none() && Problem::parse_recorded(&shown).is_ok_and(|again| again == full) {
        sheet.plain_problems.insert(word);
    } else {
        sheet.problems.insert((kernel, word), full);
    }
    Ok(word)
}
