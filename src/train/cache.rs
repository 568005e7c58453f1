//! Trained models kept beside their recipe: files in the user's cache folder, written whole or not at all, and never trusted
//! further than their stamp and checksum. Whatever does not fit is trained again, and one line says why.

use super::made::{Made, TrainError};
use super::trained::Trained;
use crate::learn::LearnError;
use crate::learn::saved::{self, ModelOrigin};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The end of a model file's name.
const EXTENSION: &str = "model";
/// Larger files are no models of ours: reading one must not fill the memory.
const LARGEST: u64 = 1 << 30;

/// What a model is made from. Equal stamps give equal models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    /// The model's id, of letters and digits.
    pub model: String,
    /// Options and parameters, in words.
    pub recipe: String,
    /// The seed.
    pub seed: u64,
    /// Hash of everything that is trained on ([`saved::DataHash`]).
    pub data: String,
}

impl Stamp {
    /// The same as model files state it.
    fn origin(&self) -> ModelOrigin {
        let purpose = format!("{}: {}, seed {}", self.model, self.recipe, self.seed);
        ModelOrigin { purpose, recipes: Vec::new(), data: self.data.clone() }
    }

    /// One file per model and data: another recipe or seed replaces what is there.
    fn file_name(&self) -> String {
        format!("{}-{}.{EXTENSION}", self.model, self.data)
    }
}

/// A folder of trained models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelCache {
    folder: PathBuf,
}

/// How a model came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// It was in the cache, made from the same rows by the same recipe and version.
    FromCache(PathBuf),
    /// It was trained now.
    Trained {
        /// Why what was in the cache was not used; `None` where there was nothing.
        instead_of: Option<String>,
        /// Where it is kept now, or why it is not.
        kept: Result<PathBuf, String>,
    },
}

/// The state of a file of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CacheState {
    /// Made from the loaded rows, by this version.
    Fresh,
    /// Whole, but made from other rows than those that are loaded.
    OtherData,
    /// Made by another version or recipe.
    Stale(String),
    /// No model, or cut off or changed.
    Damaged(String),
}

impl CacheState {
    /// The word in tables.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::OtherData => "other data",
            Self::Stale(_) => "stale",
            Self::Damaged(_) => "damaged",
        }
    }

    /// Why it is not used; empty for nothing.
    #[must_use]
    pub fn why(&self) -> &str {
        match self {
            Self::Fresh | Self::OtherData => "",
            Self::Stale(why) | Self::Damaged(why) => why,
        }
    }
}

/// A file of the cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CachedModel {
    /// The file.
    pub path: PathBuf,
    /// When it was written, where the system tells.
    pub written: Option<SystemTime>,
    /// What it is good for.
    pub state: CacheState,
    /// What it says of itself, where it is whole.
    pub trained: Option<Trained>,
}

impl ModelCache {
    /// The cache in this folder, which need not exist yet.
    #[must_use]
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The user's: `models` in the cache folder; `None` where the system has no such place.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        crate::config::cache_folder().map(|f| Self::in_folder(f.join("models")))
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The model of this stamp; `Ok(None)` where there is none.
    ///
    /// # Errors
    /// Why the one that is there cannot be used: damaged, foreign or stale.
    pub fn trained_for(&self, stamp: &Stamp) -> Result<Option<Made>, LearnError> {
        let path = self.folder.join(stamp.file_name());
        let Some(bytes) = bytes_if_there(&path)? else { return Ok(None) };
        saved::decode(&bytes, &stamp.origin(), &path.display().to_string()).map(Some)
    }

    /// Keeps a model; returns its file.
    ///
    /// # Errors
    /// Why it could not be written; nothing is half-written then.
    pub fn put(&self, stamp: &Stamp, made: &Made) -> Result<PathBuf, String> {
        let path = self.folder.join(stamp.file_name());
        let refused = |e: &dyn std::fmt::Display| format!("{} was not written: {e}", path.display());
        let bytes = saved::encode(&stamp.origin(), made).map_err(|e| refused(&e))?;
        std::fs::create_dir_all(&self.folder).map_err(|e| refused(&e))?;
        crate::config::write_whole(&path, &bytes).map_err(|e| refused(&e))?;
        Ok(path)
    }

    /// The model of this stamp from the cache, else by `train`, which is then kept. A cache that cannot be written is no
    /// reason to fail: the model is there all the same.
    ///
    /// # Errors
    /// What `train` says.
    pub fn get_or_train(
        &self,
        stamp: &Stamp,
        train: impl FnOnce() -> Result<Made, TrainError>,
    ) -> Result<(Made, Came), TrainError> {
        let instead_of = match self.trained_for(stamp) {
            Ok(Some(made)) => return Ok((made, Came::FromCache(self.folder.join(stamp.file_name())))),
            Ok(None) => None,
            Err(why) => Some(why.to_string()),
        };
        self.train(stamp, instead_of, train)
    }

    /// Trains whatever is in the cache, and keeps the model there; `instead_of` says why, where something was.
    ///
    /// # Errors
    /// What `train` says.
    pub fn train(
        &self,
        stamp: &Stamp,
        instead_of: Option<String>,
        train: impl FnOnce() -> Result<Made, TrainError>,
    ) -> Result<(Made, Came), TrainError> {
        let made = train()?;
        let kept = self.put(stamp, &made);
        Ok((made, Came::Trained { instead_of, kept }))
    }

    /// Whether a file is there that may hold a model of this id, made from whatever rows.
    #[must_use]
    pub fn has_file_of(&self, model: &str) -> bool {
        let is_of_model = |path: PathBuf| {
            let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
            stem.rsplit_once('-').is_some_and(|(id, _)| id == model)
        };
        std::fs::read_dir(&self.folder).into_iter().flatten().flatten().any(|e| is_of_model(e.path()))
    }

    /// Every model file of the folder by name, beside the stamps that the loaded rows would have now.
    #[must_use]
    pub fn list(&self, wanted: &[Stamp]) -> Vec<CachedModel> {
        let files = std::fs::read_dir(&self.folder).into_iter().flatten().flatten().map(|e| e.path());
        let mut files: Vec<PathBuf> =
            files.filter(|p| p.extension().is_some_and(|e| e == EXTENSION)).collect();
        files.sort();
        files.into_iter().map(|path| entry(path, wanted)).collect()
    }
}

/// What is to be said of one file.
fn entry(path: PathBuf, wanted: &[Stamp]) -> CachedModel {
    let written = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
    let (state, trained) = match looked_into(&path, wanted) {
        Ok((state, trained)) => (state, Some(trained)),
        Err(state) => (state, None),
    };
    CachedModel { path, written, state, trained }
}

fn looked_into(path: &Path, wanted: &[Stamp]) -> Result<(CacheState, Trained), CacheState> {
    let file = path.display().to_string();
    let damaged = |e: &dyn std::fmt::Display| CacheState::Damaged(e.to_string());
    let bytes = bytes_if_there(path).map_err(|e| damaged(&e))?;
    let bytes = bytes.ok_or_else(|| CacheState::Damaged(format!("{file}: has just gone")))?;
    let stated = saved::origin(&bytes, &file).map_err(|e| damaged(&e))?;
    let whole: Result<Made, LearnError> = saved::decode(&bytes, &stated, &file);
    let made = match whole {
        Ok(made) => made,
        Err(why) if saved::is_stale(&why) => return Err(CacheState::Stale(why.to_string())),
        Err(why) => return Err(damaged(&why)),
    };
    let of_data = wanted.iter().find(|s| s.data == stated.data && s.model == made.trained.model);
    let state = match of_data {
        None => CacheState::OtherData,
        Some(stamp) if stamp.origin() == stated => CacheState::Fresh,
        Some(stamp) => {
            CacheState::Stale(format!("made as `{}`, wanted is `{}`", stated.purpose, stamp.origin().purpose))
        }
    };
    Ok((state, made.trained))
}

/// A whole file; `None` where there is none.
fn bytes_if_there(path: &Path) -> Result<Option<Vec<u8>>, LearnError> {
    let refused = |what: String| LearnError::File { file: path.display().to_string(), what };
    match std::fs::metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(refused(format!("cannot be read: {e}"))),
        Ok(there) if !there.is_file() => return Err(refused("is no file".into())),
        Ok(there) if there.len() > LARGEST => {
            return Err(refused(format!(
                "{} bytes: no model of this program is larger than 2^30",
                there.len()
            )));
        }
        Ok(_) => {}
    }
    std::fs::read(path).map(Some).map_err(|e| refused(format!("cannot be read: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(data: &str, seed: u64) -> Stamp {
        Stamp { model: "toy".into(), recipe: "plain".into(), seed, data: data.into() }
    }

    fn made(rows: usize) -> Made {
        let trained = Trained { model: "toy".into(), rows, ..Trained::default() };
        Made { trained, model: vec![1, 2, 3] }
    }

    #[test]
    fn a_kept_model_comes_back_for_its_own_stamp_only() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ModelCache::in_folder(folder.path().join("not/there/yet"));
        assert_eq!(cache.trained_for(&stamp("a", 1)).unwrap(), None);
        let (first, came) = cache.get_or_train(&stamp("a", 1), || Ok(made(5))).unwrap();
        assert!(matches!(came, Came::Trained { instead_of: None, kept: Ok(_) }) && first == made(5));
        let never = || unreachable!("it is in the cache");
        let (again, came) = cache.get_or_train(&stamp("a", 1), never).unwrap();
        assert!(matches!(came, Came::FromCache(_)) && again == made(5));
        let (_, came) = cache.get_or_train(&stamp("a", 2), || Ok(made(6))).unwrap();
        let Came::Trained { instead_of: Some(why), .. } = came else { panic!("{came:?}") };
        assert!(why.contains("stale"), "{why}");
        cache.get_or_train(&stamp("b", 2), || Ok(made(7))).unwrap();
        let states =
            |wanted: &[Stamp]| cache.list(wanted).into_iter().map(|e| e.state.as_str()).collect::<Vec<_>>();
        assert_eq!(states(&[stamp("a", 2)]), ["fresh", "other data"]);
        assert_eq!(states(&[stamp("a", 1), stamp("b", 2)]), ["stale", "fresh"]);
    }

    #[test]
    fn a_training_that_fails_keeps_nothing_and_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ModelCache::in_folder(folder.path());
        cache.put(&stamp("a", 1), &made(5)).unwrap();
        let cancelled = || Err(TrainError::Learn(LearnError::Cancelled));
        assert!(cache.get_or_train(&stamp("a", 2), cancelled).unwrap_err().is_cancelled());
        assert_eq!(cache.trained_for(&stamp("a", 1)).unwrap(), Some(made(5)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_file_or_no_model_is_listed_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("folder.model")).unwrap();
        std::fs::write(folder.path().join("text.model"), "hello").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "hello").unwrap();
        let why: Vec<String> = ModelCache::in_folder(folder.path())
            .list(&[])
            .iter()
            .map(|e| format!("{}: {}", e.state.as_str(), e.state.why()))
            .collect();
        assert!(why.len() == 2 && why[0].contains("is no file"), "{why:?}");
        assert!(why[1].starts_with("damaged: ") && why[1].contains("no model of this program"), "{why:?}");
    }
}
