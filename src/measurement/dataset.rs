//! What a dataset says of itself (`datasets/<name>/about.toml`).

use super::TimingKind;
use crate::catalogue::{FileError, SpecFile};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The part of an `about.toml` that the program uses; the rest is for readers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Dataset {
    /// What was measured, on what.
    pub title: String,
    /// Published figures or measurements of our own.
    pub kind: TimingKind,
    /// What its rows call their source.
    pub source: String,
    /// How many rows it has.
    pub rows: usize,
    /// What has to be known about it: under `all`, and by kernel.
    #[serde(default)]
    pub cautions: BTreeMap<String, Vec<String>>,
}

impl Dataset {
    /// Reads an `about.toml`.
    ///
    /// # Errors
    /// [`FileError`] with the line of what does not fit.
    pub fn from_file(file: SpecFile<'_>) -> Result<Self, FileError> {
        file.parse()
    }

    /// What has to be known about all of its rows.
    #[must_use]
    pub fn of_all(&self) -> &[String] {
        self.cautions.get("all").map_or(&[], Vec::as_slice)
    }

    /// What has to be known about its rows of this kernel alone.
    #[must_use]
    pub fn of_kernel(&self, kernel: &str) -> &[String] {
        self.cautions.get(kernel).filter(|_| kernel != "all").map_or(&[], Vec::as_slice)
    }
}
