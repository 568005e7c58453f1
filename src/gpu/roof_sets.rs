//! Sets of rates that somebody measured on several GPUs and published together: laid over the catalogue by the name of the set.

use super::{Gpu, overlay};
use crate::catalogue::{Catalogue, FileError, SourceTable, SpecFile};
use include_dir::{Dir, include_dir};

static SETS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/ceilings");

/// Why a set cannot be laid.
#[derive(Debug, thiserror::Error)]
pub enum RoofSetError {
    /// There is no set of this name.
    #[error("--roofs {name}: no such set of measured rates; there is {known}")]
    Unknown {
        /// As it was typed.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A file of the set is damaged.
    #[error(transparent)]
    File(#[from] FileError),
}

/// The names of all sets, such as `euro-par-2024`.
#[must_use]
pub fn roof_set_names() -> Vec<&'static str> {
    SETS.dirs().filter_map(|d| d.path().file_name()?.to_str()).collect()
}

/// Lays the rates of a set over the GPUs they were measured on; returns the ids of these GPUs.
///
/// # Errors
/// [`RoofSetError`] where the set is unknown or damaged; the catalogue is unchanged then.
pub fn lay_roof_set(
    name: &str,
    sources: &SourceTable,
    gpus: &mut Catalogue<Gpu>,
) -> Result<Vec<String>, RoofSetError> {
    let known = || roof_set_names().join(", ");
    let set = SETS.dirs().find(|d| d.path().file_name().is_some_and(|n| n == name));
    let set = set.ok_or_else(|| RoofSetError::Unknown { name: name.into(), known: known() })?;
    let mut changed = gpus.clone();
    let mut laid = Vec::new();
    for file in set.files().filter(|f| f.path().extension().is_some_and(|e| e == "toml")) {
        let path = format!("assets/ceilings/{}", file.path().display());
        let text = file.contents_utf8().unwrap_or_default();
        overlay::apply(SpecFile { name: &path, text }, sources, &mut changed)?;
        laid.extend(file.path().file_stem().and_then(|s| s.to_str()).map(str::to_string));
    }
    *gpus = changed;
    Ok(laid)
}
