//! A file of the user's, whatever its format: an importer's where one recognises it, else the canonical CSV.

use super::import::{HEAD, NeverCancelled, Roof, recognise};
use super::{Kind, ReadError, ReadResult, read_path, read_rows};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// What came out of a file.
#[derive(Debug, Clone, Default)]
pub struct ReadAny {
    /// Rows and refused rows.
    pub read: ReadResult,
    /// Achieved ceilings that it states.
    pub roofs: Vec<Roof>,
    /// What the importer says of it.
    pub remarks: Vec<String>,
}

/// Reads a file in any format that is known. Kernels that the catalogue does not know are added to it by their name.
///
/// # Errors
/// [`ReadError`] if it cannot be opened, or the file as a whole is no such file.
pub fn read_any(
    path: &Path,
    kind: Kind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
) -> Result<ReadAny, ReadError> {
    let file = path.display().to_string();
    let Some(mut reader) = std::fs::File::open(path).ok().map(|f| BufReader::with_capacity(HEAD, f)) else {
        // It says why.
        return read_path(path, kind, gpus, kernels).map(ReadAny::of_rows);
    };
    // A folder opens and cannot be read; the canonical reader says so.
    let importer = reader.fill_buf().ok().and_then(recognise);
    let Some(importer) = importer else { return read_path(path, kind, gpus, kernels).map(ReadAny::of_rows) };
    let strings = NeverCancelled::default();
    let mut imported = importer.import(&mut reader, &strings.job(&file))?;
    imported.name_gpus(gpus);
    let mut read = if imported.rows.is_empty() {
        ReadResult::default()
    } else {
        read_rows(&imported.rows, &file, kind, gpus, kernels)?
    };
    read.refused_count += imported.refused_count;
    read.refused.splice(0..0, imported.refused);
    Ok(ReadAny { read, roofs: imported.roofs, remarks: imported.remarks })
}

impl ReadAny {
    fn of_rows(read: ReadResult) -> Self {
        Self { read, ..Self::default() }
    }
}
