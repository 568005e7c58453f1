//! The GPU catalogue: the files under `specs/gpus` that travel with the program, and those a user adds.

use super::{Gpu, LimitsTable, file, overlay};
use crate::catalogue::{Catalogue, FileError, SourceTable, SpecFile, load_shipped_files};
use include_dir::{Dir, include_dir};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/specs/gpus");

/// Reads the shipped GPUs, oldest architecture first; files that do not load are returned beside them.
#[must_use]
pub fn load_shipped(sources: &SourceTable, limits: &LimitsTable) -> (Catalogue<Gpu>, Vec<FileError>) {
    let files = SHIPPED.dirs().flat_map(Dir::files);
    // None is an overlay: each is parsed once.
    let read = |file: SpecFile<'_>| file::gpu_from_file(file, sources, limits);
    let (mut gpus, refused) = load_shipped_files("GPU", "specs/gpus", files, read);
    gpus.sort_by_key(|g| (g.cuda.compute_capability, g.launch_year, g.id.clone()));
    (gpus, refused)
}

/// Adds the GPU that this text describes, or replaces the one with the same id; a text with nothing but measured rates is
/// laid over the GPU it names ([`super::is_overlay`]).
///
/// # Errors
/// [`FileError`] with the line to blame; the catalogue is unchanged then.
pub fn load_text(
    file: SpecFile<'_>,
    sources: &SourceTable,
    limits: &LimitsTable,
    gpus: &mut Catalogue<Gpu>,
) -> Result<(), FileError> {
    if overlay::is_overlay(file.text) {
        return overlay::apply(file, sources, gpus);
    }
    let gpu = file::gpu_from_file(file, sources, limits)?;
    gpus.insert(gpu).map_err(|clash| file.clash(&clash))
}
