//! Short names that the user gives to kernels: `aliases.toml` in the config folder.
//!
//! ```toml
//! "void cutlass::Kernel<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(T1::Params)" = "sgemm_128x128"
//! ```

use crate::catalogue::{FileError, SpecFile};
use std::collections::BTreeMap;

/// Names as profilers write them, and what the user calls them.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(transparent)]
pub struct Aliases(BTreeMap<String, String>);

impl Aliases {
    /// Reads an `aliases.toml`.
    ///
    /// # Errors
    /// [`FileError`] with the line of what does not fit.
    pub fn from_file(file: SpecFile<'_>) -> Result<Self, FileError> {
        let aliases: Self = file.parse()?;
        match aliases.0.iter().find(|(_, short)| !short.contains(char::is_alphanumeric)) {
            Some((name, short)) => {
                let name: String = crate::text::clipped_text(name, 40);
                Err(file
                    .file_error(None, format!("`{name}` = `{short}`: expected a short name with letters")))
            }
            None => Ok(aliases),
        }
    }

    /// Full and short names.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(full, short)| (full.as_str(), short.as_str()))
    }
}
