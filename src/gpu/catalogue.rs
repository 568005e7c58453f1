//! The GPU catalogue: the files under `specs/gpus` that travel with the program, and those a user adds.

use super::{Gpu, LimitsTable, file, overlay};
use crate::catalogue::{Catalogue, FileError, SourceTable, SpecFile};
use include_dir::{Dir, include_dir};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/specs/gpus");

/// Reads the shipped GPUs, oldest architecture first; files that do not load are returned beside them.
#[must_use]
pub fn load_shipped(sources: &SourceTable, limits: &LimitsTable) -> (Catalogue<Gpu>, Vec<FileError>) {
    let mut gpus = Catalogue::new("GPU");
    let mut refused = Vec::new();
    for folder in SHIPPED.dirs() {
        for entry in folder.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml")) {
            let name = format!("specs/gpus/{}", entry.path().display());
            let text = entry.contents_utf8().unwrap_or_default();
            if let Err(e) = load_text(SpecFile { name: &name, text }, sources, limits, &mut gpus) {
                refused.push(e);
            }
        }
    }
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
