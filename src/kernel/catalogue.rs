//! The kernel catalogue: the files under `specs/kernels` that travel with the program, and those a user adds.

use super::{Kernel, ResourcesFile, file};
use crate::catalogue::{Catalogue, FileError, SourceTable, SpecFile, load_shipped_files};
use include_dir::{Dir, include_dir};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/specs/kernels");

/// Reads the shipped kernels, by name; files that do not load are returned beside them.
#[must_use]
pub fn load_shipped(sources: &SourceTable) -> (Catalogue<Kernel>, Vec<FileError>) {
    // None holds resources alone: each is parsed once.
    let read = |file: SpecFile<'_>| file::kernel_from_file(file, sources);
    let (mut kernels, refused) = load_shipped_files("kernel", "specs/kernels", SHIPPED.files(), read);
    kernels.sort_by_key(|k| k.id.clone());
    (kernels, refused)
}

/// Adds the kernel that this text describes, or replaces the one with the same id. A resources file is laid over the
/// kernel of that name instead, where there is one.
///
/// # Errors
/// [`FileError`] with the line to blame; the catalogue is unchanged then.
pub fn load_text(
    file: SpecFile<'_>,
    sources: &SourceTable,
    kernels: &mut Catalogue<Kernel>,
) -> Result<(), FileError> {
    let kernel = match ResourcesFile::recognise(file)? {
        Some(resources) => resources.over(file, sources, kernels)?,
        None => file::kernel_from_file(file, sources)?,
    };
    kernels.insert(kernel).map_err(|clash| file.clash(&clash))
}
