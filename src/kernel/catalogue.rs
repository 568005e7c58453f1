//! The kernel catalogue: the files under `specs/kernels` that travel with the program, and those a user adds.

use super::{Kernel, ResourcesFile, file};
use crate::catalogue::{Catalogue, FileError, SourceTable, SpecFile};
use include_dir::{Dir, include_dir};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/specs/kernels");

/// Reads the shipped kernels, by name; files that do not load are returned beside them.
#[must_use]
pub fn load_shipped(sources: &SourceTable) -> (Catalogue<Kernel>, Vec<FileError>) {
    let mut kernels = Catalogue::new("kernel");
    let mut refused = Vec::new();
    for entry in SHIPPED.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml")) {
        let name = format!("specs/kernels/{}", entry.path().display());
        let text = entry.contents_utf8().unwrap_or_default();
        if let Err(e) = load_text(SpecFile { name: &name, text }, sources, &mut kernels) {
            refused.push(e);
        }
    }
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
