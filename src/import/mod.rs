//! Importers: what profilers, tuners and benchmarks write, turned into canonical rows. One file each, recognised by
//! content.
//!
//! To add one: a file here with a `pub(super) const IMPORTER: Importer`, and its name in [`IMPORTERS`].

mod ceilings;
mod cutlass;
mod decoded;
mod gemm_power;
mod given_problem;
mod kernel_name;
mod kernel_tuner;
mod lines;
mod memory_room;
mod mixbench;
mod ncu;
mod nsys;
mod nvbench;
mod nvprof;
mod opened;
mod overlay;
mod paper1;
mod read;
mod records;
mod roofs;
mod table_text;
#[cfg(test)]
mod tests;
mod tiled_matmul;

pub use decoded::decoded;
pub use given_problem::GivenProblem;
pub use opened::{FileFormat, OpenedFile, is_event_trace};
pub use overlay::{Overlay, overlays};
pub use read::{
    NAMES_NO_GPU, REPORTS, ReadAny, known_formats, read_any, read_bytes, read_opened, read_report,
};
pub use roofs::with_achieved;

use crate::catalogue::{Catalogue, NameError};
use crate::gpu::{AchievedRate, Gpu, GpuId};
use crate::measurement::{DESCRIBED, PackedRows, ReadError, RowError};
use crate::progress::Progress;
use std::collections::BTreeMap;
use std::io::{BufRead, Read, Seek, SeekFrom};

/// How many bytes of a file an importer sees to recognise it.
pub const HEAD: usize = 64 * 1024;

/// Every importer, the most particular first.
pub const IMPORTERS: &[Importer] = &[
    ncu::report::IMPORTER,
    ncu::page::IMPORTER,
    nvprof::IMPORTER,
    nsys::IMPORTER,
    cutlass::IMPORTER,
    gemm_power::IMPORTER,
    kernel_tuner::IMPORTER,
    mixbench::IMPORTER,
    nvbench::IMPORTER,
    tiled_matmul::IMPORTER,
    ceilings::IMPORTER,
    paper1::IMPORTER,
];

/// One format.
#[derive(Debug, Clone, Copy)]
pub struct Importer {
    /// As messages name it: `ncu CSV, raw page`.
    pub name: &'static str,
    /// Whether a file that starts like this is of this format; at most [`HEAD`] bytes.
    pub recognises: fn(&[u8]) -> bool,
    /// Reads the whole file; see [`Importer::import`].
    pub read: fn(&mut dyn BufRead, &ImportJob<'_>) -> Result<Imported, ReadError>,
}

/// One reading: its file, and how far it is.
#[derive(Debug, Clone, Copy)]
pub struct ImportJob<'a> {
    /// As messages name it.
    pub file: &'a str,
    /// The GPU that the user named, for reports that do not.
    pub gpu: Option<&'a str>,
    /// Bytes read so far, for a progress bar; the importer looks every few hundred rows whether it is cancelled.
    pub progress: &'a Progress,
}

impl<'a> ImportJob<'a> {
    /// A reading of this file, of which the user names no GPU.
    #[must_use]
    pub fn new(file: &'a str, progress: &'a Progress) -> Self {
        Self { file, gpu: None, progress }
    }

    /// Whether to stop.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }

    /// The error of a whole file.
    #[must_use]
    pub fn read_error(&self, message: impl Into<String>) -> ReadError {
        ReadError { file: self.file.to_string(), message: message.into() }
    }
}

/// What came out of a report.
#[derive(Debug, Clone, Default)]
pub struct Imported {
    /// Rows, in the order of the report.
    pub rows: PackedRows,
    /// Achieved ceilings that it measured.
    pub roofs: Vec<AchievedRoof>,
    /// The first refused rows, each with its line and reason.
    pub refused: Vec<RowError>,
    /// How many rows were refused in all.
    pub refused_count: usize,
    /// What the user should know: metrics that are missing, what was left out.
    pub remarks: Vec<String>,
}

/// Why a row is refused: the column to blame, and what is wrong with it.
type ImportRefusal = (String, String);

/// A refusal of a field: what stands there, shortened, and what was expected.
fn unexpected(column: &str, text: &str, expected: &str) -> ImportRefusal {
    let text: String = crate::text::clipped_text(text, 40);
    (column.to_string(), format!("`{text}`: expected {expected}"))
}

impl Imported {
    /// Counts a refused row, and describes it where it is among the first.
    fn add_refusal(&mut self, job: &ImportJob<'_>, line: u64, (column, message): ImportRefusal) {
        self.refused_count += 1;
        if self.refused.len() < DESCRIBED {
            self.refused.push(RowError { file: job.file.to_string(), line, column, message });
        }
    }

    /// Adds a remark once.
    fn remark(&mut self, text: String) {
        if self.remarks.len() < DESCRIBED && !self.remarks.contains(&text) {
            self.remarks.push(text);
        }
    }
}

/// An achieved ceiling of a GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct AchievedRoof {
    /// An id, an alias, or the name the driver gives.
    pub gpu: String,
    /// Which ceiling.
    pub of: AchievedRate,
    /// FLOP/s or byte/s.
    pub per_second: f64,
    /// File, and what in it.
    pub source: String,
}

/// By the GPU's place in the catalogue.
type Highest<'r> = BTreeMap<(GpuId, AchievedRate), &'r AchievedRoof>;

/// The roof that counts for each GPU (its place in the catalogue) and ceiling where several were measured: the highest, for
/// what was reached once can be reached. With it, what each roof that names no GPU of the catalogue says.
pub(super) fn highest<'r>(
    roofs: &'r [AchievedRoof],
    gpus: &Catalogue<Gpu>,
) -> (Highest<'r>, Vec<(&'r AchievedRoof, NameError)>) {
    let mut best: Highest<'r> = BTreeMap::new();
    let mut unknown = Vec::new();
    for roof in roofs {
        match gpus.position(&roof.gpu) {
            Ok(gpu) => {
                let known = best.entry((gpu, roof.of)).or_insert(roof);
                if roof.per_second > known.per_second {
                    *known = roof;
                }
            }
            Err(why) => unknown.push((roof, why)),
        }
    }
    (best, unknown)
}

/// The importer of a file that starts like this.
#[must_use]
pub fn recognise(head: &[u8]) -> Option<&'static Importer> {
    IMPORTERS.iter().find(|i| (i.recognises)(&head[..head.len().min(HEAD)]))
}

/// A reader that counts into [`ImportJob::progress`] and ends early once the job is cancelled.
pub struct CountedReader<'a, R> {
    inner: R,
    job: ImportJob<'a>,
}

impl<'a, R: Read> CountedReader<'a, R> {
    /// Counts what is read from `inner`.
    pub fn new(inner: R, job: ImportJob<'a>) -> Self {
        Self { inner, job }
    }
}

impl<R: Read> Read for CountedReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.job.is_cancelled() {
            return Err(std::io::Error::other("cancelled"));
        }
        let n = self.inner.read(buffer)?;
        self.job.progress.advance(n);
        Ok(n)
    }
}

impl<R: Seek> Seek for CountedReader<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.inner.seek(to)
    }
}
