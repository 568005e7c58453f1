//! A hypothetical GPU kept as a file in the user's gpus folder: every command knows it from then on.

use crate::catalogue::{Catalogue, user_folder};
use crate::config::write_whole;
use crate::gpu::{Gpu, GpuChanges, hypothetical_text};
use std::path::{Path, PathBuf};

/// The longest id that is taken.
const LONGEST_ID: usize = 40;

/// What is kept: an id that no other GPU has, and the text of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuToSave {
    id: String,
    text: String,
}

/// Why a hypothetical GPU was not kept.
#[derive(Debug, thiserror::Error)]
pub enum SaveGpuError {
    /// Nothing is changed.
    #[error("nothing is changed: change a number first")]
    Unchanged,
    /// Not an id.
    #[error("id `{0}`: expected up to {LONGEST_ID} lower-case letters, digits and `-`, such as my-4070")]
    Id(String),
    /// The id, or another name, of a GPU that is there: the file would be refused each time it is read.
    #[error("id `{id}` is a name of {owner}, which exists; give another id, such as {id}-what-if")]
    Taken {
        /// As typed.
        id: String,
        /// The GPU that has it.
        owner: String,
    },
    /// There is nowhere to keep it.
    #[error("there is no configuration folder to keep it in: set HOME or XDG_CONFIG_HOME")]
    NoFolder,
    /// A file of that name is there.
    #[error("{0} exists; give another id, or remove it")]
    Exists(PathBuf),
    /// It could not be written.
    #[error("{path} was not written: {error}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

impl GpuToSave {
    /// A GPU like this one with these changes, under an id of its own.
    ///
    /// # Errors
    /// [`SaveGpuError`] for no changes, no id, and the id of another GPU.
    pub fn new(
        gpus: &Catalogue<Gpu>,
        base: &Gpu,
        changes: &GpuChanges,
        id: &str,
    ) -> Result<Self, SaveGpuError> {
        if changes.is_empty() {
            return Err(SaveGpuError::Unchanged);
        }
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        let is_id = id.bytes().all(fits) && id.bytes().any(|b| b != b'-') && id.len() <= LONGEST_ID;
        if !is_id {
            let shown = crate::text::harmless_line(&crate::text::clipped_text(id, LONGEST_ID));
            return Err(SaveGpuError::Id(shown));
        }
        if let Some(owner) = gpus.id_named(id) {
            let owner = gpus[owner].id.clone();
            return Err(SaveGpuError::Taken { id: id.to_string(), owner });
        }
        let name = format!("{}, {changes}", base.short_name());
        Ok(Self { id: id.to_string(), text: hypothetical_text(id, &name, &base.id, changes) })
    }

    /// Writes it into the gpus folder of the configuration, never over another file; where it was written.
    ///
    /// # Errors
    /// [`SaveGpuError`] where there is no folder, a file of this name, or no room.
    pub fn write_to_user_folder(&self) -> Result<PathBuf, SaveGpuError> {
        let folder = user_folder().ok_or(SaveGpuError::NoFolder)?.join("gpus");
        self.write_to_folder(&folder)
    }

    fn write_to_folder(&self, folder: &Path) -> Result<PathBuf, SaveGpuError> {
        let path = folder.join(format!("{}.toml", self.id));
        if path.exists() {
            return Err(SaveGpuError::Exists(path));
        }
        let written = std::fs::create_dir_all(folder).and_then(|()| write_whole(&path, self.text.as_bytes()));
        match written {
            Ok(()) => Ok(path),
            Err(error) => Err(SaveGpuError::Write { path, error }),
        }
    }

    /// What is said once it is written there.
    #[must_use]
    pub fn said_of_file(&self, path: &Path) -> String {
        format!("wrote {}: `{}` can be used in every command", path.display(), self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    fn to_save(id: &str, changes: &str) -> Result<GpuToSave, SaveGpuError> {
        let session = Session::load(None).unwrap();
        let base = session.gpus.entry_named("rtx-4070").unwrap();
        GpuToSave::new(&session.gpus, base, &changes.parse().unwrap(), id)
    }

    #[test]
    fn an_id_that_a_gpu_has_is_refused_before_anything_is_written() {
        for (id, changes, said) in [
            ("rtx-4080", "mem=+20%", "id `rtx-4080` is a name of rtx-4080"),
            ("rtx4080", "mem=+20%", "is a name of rtx-4080"),
            ("My GPU", "mem=+20%", "lower-case letters"),
            ("--", "mem=+20%", "lower-case letters"),
            ("", "mem=+20%", "lower-case letters"),
            ("mine", "", "nothing is changed"),
        ] {
            let why = to_save(id, changes).unwrap_err().to_string();
            assert!(why.contains(said), "{id}: {why}");
        }
    }

    #[test]
    fn what_is_written_loads_and_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let gpus = folder.path().join("gpus");
        let kept = to_save("my-4070", "mem=+20%,l2=72MiB").unwrap();
        let path = kept.write_to_folder(&gpus).unwrap();
        assert!(kept.said_of_file(&path).contains("`my-4070` can be used"));
        let session = Session::load(Some(folder.path())).unwrap();
        assert_eq!(session.problems, Vec::<String>::new());
        let made = session.gpus.entry_named("my-4070").unwrap();
        assert!(made.is_hypothetical() && (made.bandwidth_peak.value.0 / 504e9 - 1.2).abs() < 1e-3);
        assert!(matches!(kept.write_to_folder(&gpus), Err(SaveGpuError::Exists(_))));
    }
}
