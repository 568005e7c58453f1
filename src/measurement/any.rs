//! A file of the user's, whatever its format: an importer's where one recognises it, else the canonical CSV.

use super::import::{Counted, HEAD, NeverCancelled, Roof, Strings, read_bytes, recognise};
use super::{Kind, ReadError, ReadResult, read_csv, read_rows};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use std::fs::File;
use std::io::{Cursor, Read};
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
    read_any_watched(path, kind, gpus, kernels, &NeverCancelled::default())
}

/// [`read_any`] for those who watch how far it is, or may cancel it.
///
/// # Errors
/// [`ReadError`] as there, and if it was cancelled.
pub fn read_any_watched(
    path: &Path,
    kind: Kind,
    gpus: &Catalogue<Gpu>,
    kernels: &mut Catalogue<Kernel>,
    strings: &Strings,
) -> Result<ReadAny, ReadError> {
    let file = path.display().to_string();
    let refuse = |message: String| ReadError { file: file.clone(), message };
    let mut opened = File::open(path).map_err(|e| refuse(format!("cannot be opened: {e}")))?;
    let meta = opened.metadata().map_err(|e| refuse(format!("cannot be read: {e}")))?;
    if meta.is_dir() {
        return Err(refuse("is a folder; give a CSV file".into()));
    }
    // Opened once: what a pipe has given does not come again.
    let mut head = Vec::new();
    let read = opened.by_ref().take(HEAD as u64).read_to_end(&mut head);
    read.map_err(|e| refuse(format!("cannot be read: {e}")))?;
    let known = recognise(&head).is_some();
    let whole = Cursor::new(head).chain(opened);
    if !known {
        let watched = Counted::new(whole, strings.job(&file));
        return read_csv(watched, &file, kind, gpus, kernels).map(ReadAny::of_rows);
    }
    let mut imported = read_bytes(whole, &strings.job(&file))?;
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
