//! A file of the user's, whatever its format: an importer's where one recognises it, else the canonical CSV.

use super::import::{Counted, Roof, Strings, read_opened as import};
use super::opened::{Format, Opened};
use super::{Kind, ReadError, ReadResult, read_csv, read_rows};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
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
    read_opened(Opened::path(path)?, kind, gpus, kernels, &Strings::default())
}

/// [`read_any`] of a file that is open, for those who watch how far it is, or may cancel it.
///
/// # Errors
/// [`ReadError`] as there, and if it was cancelled.
pub fn read_opened(
    opened: Opened<'_>,
    kind: Kind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
    strings: &Strings,
) -> Result<ReadAny, ReadError> {
    let file = opened.file().to_string();
    let Format::Report(_) = opened.format() else {
        let watched = Counted::new(opened, strings.job(&file));
        let read = read_csv(watched, &file, kind, gpus, kernels)?;
        return Ok(ReadAny { read, ..ReadAny::default() });
    };
    let mut imported = import(opened, &strings.job(&file))?;
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
