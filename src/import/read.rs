//! From a file to rows: recognised by content, and read by its importer or as the canonical CSV.

use super::opened::{FileFormat, OpenedFile};
use super::{AchievedRoof, CountedReader, HEAD, IMPORTERS, ImportJob, Imported, Importer};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::measurement::{
    CanonicalRow, ReadError, ReadResult, TimingKind, other_columns_note, read_csv, read_packed_rows,
};
use crate::progress::Progress;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// What profilers call a GPU's compute capability, as an attribute of rows.
const CAPABILITY: &str = "compute_capability";

/// What came out of a file.
#[derive(Debug, Clone, Default)]
pub struct ReadAny {
    /// Rows and refused rows.
    pub read: ReadResult,
    /// Achieved ceilings that it states.
    pub roofs: Vec<AchievedRoof>,
    /// What the importer says of it.
    pub remarks: Vec<String>,
    /// The compute capabilities that rows without a GPU state; `None` where every row names its GPU.
    pub unnamed: Option<BTreeSet<String>>,
}

/// Reads a file in any format that is known. Kernels that the catalogue does not know are added to it by their name.
///
/// # Errors
/// [`ReadError`] if it cannot be opened, or the file as a whole is no such file.
pub fn read_any(
    path: &Path,
    kind: TimingKind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadAny, ReadError> {
    read_opened(OpenedFile::path(path)?, None, kind, gpus, kernels, &Progress::default())
}

/// [`read_any`] of a file that is open, for those who watch how far it is, or may cancel it; `gpu` is that of reports that
/// name none.
///
/// # Errors
/// [`ReadError`] as there, and if it was cancelled.
pub fn read_opened(
    opened: OpenedFile<'_>,
    gpu: Option<&str>,
    kind: TimingKind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
    progress: &Progress,
) -> Result<ReadAny, ReadError> {
    opened.check_room()?;
    let file = opened.file().to_string();
    let FileFormat::Report(_) = opened.format() else {
        let remarks = other_columns_note(opened.head()).into_iter().collect();
        let watched = CountedReader::new(opened, ImportJob::new(&file, progress));
        let read = read_csv(watched, &file, kind, gpus, kernels)?;
        return Ok(ReadAny { read, remarks, ..ReadAny::default() });
    };
    let mut imported = read_report(opened, &ImportJob { gpu, ..ImportJob::new(&file, progress) })?;
    imported.name_gpus(gpus);
    let unnamed = imported.unnamed();
    let mut read = read_packed_rows(std::mem::take(&mut imported.rows), &file, kind, gpus, kernels)?;
    read.refused_count += imported.refused_count;
    read.refused.splice(0..0, imported.refused);
    Ok(ReadAny { read, roofs: imported.roofs, remarks: imported.remarks, unnamed })
}

/// Finds the importer of an open report by what it contains, and reads it.
///
/// # Errors
/// [`ReadError`] if it is of no known format, or is damaged as a whole.
pub fn read_report(opened: OpenedFile<'_>, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    let FileFormat::Report(importer) = opened.format() else {
        return Err(job.read_error(unrecognised(&opened)));
    };
    let mut whole = BufReader::with_capacity(HEAD, CountedReader::new(opened, *job));
    importer.import(&mut whole, job)
}

/// [`read_report`] from any reader.
///
/// # Errors
/// [`ReadError`] as there, and if its first bytes cannot be read.
pub fn read_bytes(from: impl Read + Send, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
    read_report(OpenedFile::from_reader(from, job.file)?, job)
}

/// What to do about a file that no importer knows.
fn unrecognised(opened: &OpenedFile<'_>) -> String {
    match opened.format() {
        FileFormat::Canonical => {
            "is a measurement file already: --data of predict, rank and whatif takes it".into()
        }
        _ if opened.head().is_empty() => format!("is empty; expected {REPORTS}"),
        _ => format!("is of no known format; expected {REPORTS}"),
    }
}

/// The remark on a report whose GPU nobody named.
pub const NAMES_NO_GPU: &str = "the report names no GPU: say which it was, by --gpu ID of import and measure, by --from ID of other commands";

/// What importers read, for messages.
pub const REPORTS: &str = "a report of ncu, nsys, nvprof, CUTLASS, Kernel Tuner, mixbench or NVBench";

/// The formats that importers read, as a list for help.
#[must_use]
pub fn known_formats() -> String {
    IMPORTERS.iter().map(|i| i.name).collect::<Vec<_>>().join(", ")
}

impl Importer {
    /// Reads the whole file; what names no GPU is of the one that the user named.
    ///
    /// # Errors
    /// [`ReadError`] if the file is damaged as a whole.
    pub fn import(&self, from: &mut dyn BufRead, job: &ImportJob<'_>) -> Result<Imported, ReadError> {
        let mut read = (self.read)(from, job)?;
        read.fill_gpus(job.gpu);
        Ok(read)
    }
}

impl Imported {
    /// The compute capabilities that rows without a GPU state; `None` where every row names its GPU.
    #[must_use]
    pub fn unnamed(&self) -> Option<BTreeSet<String>> {
        if self.rows.gpus().iter().all(|name| !name.is_empty()) {
            return None;
        }
        let mut stated = BTreeSet::new();
        let mut rows = self.rows.reader();
        while let Some(row) = rows.next_row() {
            stated.extend(row.attributes.get(CAPABILITY).filter(|_| row.gpu.is_empty()).cloned());
        }
        Some(stated)
    }

    /// Gives rows and roofs without a GPU the one that the user named, or says that they have none.
    fn fill_gpus(&mut self, given: Option<&str>) {
        let roofs = self.roofs.iter_mut().map(|r| &mut r.gpu);
        let mut blank = self.rows.gpus_mut().chain(roofs).filter(|n| n.is_empty()).peekable();
        match given.filter(|g| !g.is_empty()) {
            Some(given) => blank.for_each(|name| given.clone_into(name)),
            None if blank.peek().is_some() => {
                drop(blank);
                self.remarks.push(NAMES_NO_GPU.into());
            }
            None => {}
        }
    }

    /// Replaces the names that drivers give by the catalogue's ids; a name that it does not know stays, with a remark.
    pub fn name_gpus(&mut self, gpus: &Catalogue<Gpu>) {
        let mut unknown = BTreeSet::new();
        let roofs = self.roofs.iter_mut().map(|r| &mut r.gpu);
        for name in self.rows.gpus_mut().chain(roofs).filter(|n| !n.is_empty()) {
            if let Some(known) = gpus.id_named(name) {
                name.clone_from(&gpus[known].id);
                continue;
            }
            let text = format!(
                "GPU `{name}` is not in the catalogue; its rows cannot be loaded until a file in gpus/ of the user's folder \
                 describes it"
            );
            unknown.insert(text);
        }
        unknown.into_iter().for_each(|text| self.remark(text));
        self.doubt_gpus(gpus);
    }

    /// Remarks on GPUs of another compute capability than the report states: somebody named the wrong one.
    fn doubt_gpus(&mut self, gpus: &Catalogue<Gpu>) {
        let doubt = |row: &CanonicalRow| {
            let stated = row.attributes.get(CAPABILITY)?;
            let gpu = &gpus[gpus.id_named(&row.gpu)?];
            let cc = gpu.cuda.compute_capability.to_string();
            (*stated != cc).then(|| {
                format!("it was made on compute capability {stated}, and {} has {cc}: another GPU?", gpu.id)
            })
        };
        if !self.rows.attributes().contains(CAPABILITY) {
            return;
        }
        let (mut doubts, mut rows) = (BTreeSet::new(), self.rows.reader());
        while let Some(row) = rows.next_row() {
            doubts.extend(doubt(row));
        }
        doubts.into_iter().for_each(|text| self.remark(text));
    }
}
