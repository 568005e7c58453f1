//! Where the user's files live (XDG), and how a file is written: beside, then renamed.

use crate::catalogue::{FileError, user_folder};
use etcetera::{BaseStrategy, choose_base_strategy};
use std::fs::Permissions;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

/// What our temporary files begin with.
const TEMPORARY: &str = ".roofswap-";

/// A temporary file this old belongs to a program that was killed while it wrote.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// Folders with more entries are not looked through for abandoned files.
const MOST_ENTRIES: usize = 10_000;

/// The file that remembers the selection: `$ROOFSWAP_STATE`, else `~/.local/state/roofswap/state.toml`.
#[must_use]
pub fn state_file() -> Option<PathBuf> {
    if let Some(file) = std::env::var_os("ROOFSWAP_STATE").filter(|f| !f.is_empty()) {
        return Some(file.into());
    }
    let strategy = choose_base_strategy().ok()?;
    Some(strategy.state_dir().unwrap_or_else(|| strategy.cache_dir()).join("roofswap/state.toml"))
}

/// The prices that count where no others are given: `prices.csv` in the user's folder; `None` where there is no such file.
#[must_use]
pub fn user_prices() -> Option<PathBuf> {
    user_folder().map(|folder| folder.join("prices.csv")).filter(|file| file.is_file())
}

/// The folder of what can be made again: `$ROOFSWAP_CACHE`, else `~/.cache/roofswap`.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("ROOFSWAP_CACHE").filter(|f| !f.is_empty()) {
        return Some(folder.into());
    }
    choose_base_strategy().ok().map(|s| s.cache_dir().join("roofswap"))
}

/// The TOML files of a folder of the user's, by name; none where there is no folder.
///
/// # Errors
/// [`FileError`] where there is one that cannot be read.
pub fn toml_files(folder: &Path) -> std::result::Result<Vec<PathBuf>, FileError> {
    let refused = |e: Error| FileError {
        file: folder.display().to_string(),
        line: None,
        message: format!("cannot be read: {e}; nothing in it is loaded"),
    };
    let entries = match std::fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(refused)?,
    };
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect();
    files.sort();
    Ok(files)
}

/// How many links may lead to each other; more are a loop.
const MOST_LINKS: usize = 40;

/// Writes a whole file: to a temporary name in the same folder, then renamed, so that nobody ever sees half of it and a
/// failure leaves what was there. A link stays a link, also one that leads to nothing yet; a device or a pipe
/// (`/dev/null`, `/dev/fd/3`) is written into, because it must not be replaced by a file. What is replaced keeps its
/// permissions; a new file has those that the process gives to new files (its umask).
///
/// # Errors
/// The I/O error, its text naming what could not be done.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole_with(path, |file| file.write_all(bytes))
}

/// [`write_whole`] of what is written as it comes, so that none of it is kept.
///
/// # Errors
/// As there, and what `content` gives.
pub fn write_whole_with(path: &Path, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() && there.permissions().readonly() => Err(Error::new(
            ErrorKind::PermissionDenied,
            "is read-only; make it writable or give another name",
        )),
        Ok(there) if !there.is_file() && !there.is_dir() => content(&mut std::fs::File::create(path)?),
        // What a link points to is replaced, not the link.
        Ok(there) => write_beside(&std::fs::canonicalize(path)?, content, Some(there.permissions())),
        Err(_) => write_beside(&end_of_links(path)?, content, None),
    }
}

/// Where a link leads that leads to nothing yet; any other path is its own end.
fn end_of_links(path: &Path) -> Result<PathBuf> {
    let mut end = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&end) else { return Ok(end) };
        end = end.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(Error::new(
        ErrorKind::InvalidInput,
        "is a link that leads back to itself; remove it or give another name",
    ))
}

fn write_beside(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> Result<()>,
    replaced: Option<Permissions>,
) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "is a folder; give a file name"));
    }
    if !folder.is_dir() {
        let message = format!("folder {} does not exist; create it first", folder.display());
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    remove_abandoned(folder);
    let mut file = temporary_file(folder, replaced.is_none())?;
    content(&mut file)?;
    if let Some(permissions) = replaced {
        // The file is whole already; a file system without permissions is no reason to fail.
        let _ = file.as_file().set_permissions(permissions);
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    sync_folder(folder)
}

/// Removes temporary files that a killed program left in this folder long ago; those of others that write now stay.
fn remove_abandoned(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(MOST_ENTRIES);
    for entry in entries.filter(|e| e.file_name().to_string_lossy().starts_with(TEMPORARY)) {
        let age = entry
            .metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)
            .and_then(|m| m.modified().ok()?.elapsed().ok());
        if age.is_some_and(|age| age > ABANDONED) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A temporary file: as a new file of this process would be, or private until it gets other permissions.
fn temporary_file(folder: &Path, as_new: bool) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    if as_new {
        use std::os::unix::fs::PermissionsExt;
        // The system takes away what the umask forbids.
        builder.permissions(Permissions::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = as_new;
    builder.tempfile_in(folder)
}

/// Waits until the folder's new entry is on the disk; without that a new name may be gone after a loss of power.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> Result<()> {
    match std::fs::File::open(folder).and_then(|opened| opened.sync_all()) {
        // Some file systems cannot do it, and some folders may be written into but not read.
        Err(e) if cannot_sync(e.kind()) => Ok(()),
        done => done,
    }
}

#[cfg(unix)]
fn cannot_sync(why: ErrorKind) -> bool {
    matches!(why, ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied)
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("chart.svg");
        write_whole(&file, b"first").unwrap();
        write_whole(&file, b"second").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"second");
        assert!(write_whole(folder.path(), b"x").unwrap_err().to_string().contains("folder"));
        let missing = folder.path().join("none/chart.svg");
        assert!(write_whole(&missing, b"x").unwrap_err().to_string().contains("does not exist"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays behind");
    }

    #[test]
    fn what_a_killed_program_left_is_removed_after_a_day_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - 2 * ABANDONED;
        for (name, is_old) in [(".roofswap-aB3x9z", true), (".roofswap-cD4y0w", false), ("notes.toml", true)]
        {
            let file = std::fs::File::create(folder.path().join(name)).unwrap();
            if is_old {
                file.set_modified(old).unwrap();
            }
        }
        write_whole(&folder.path().join("rows.csv"), b"rows").unwrap();
        let mut left: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, [".roofswap-cD4y0w", "notes.toml", "rows.csv"]);
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_named_and_one_that_is_not_there_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(toml_files(&folder.path().join("none")), Ok(Vec::new()));
        std::fs::write(folder.path().join("gpus"), "").unwrap();
        let why = toml_files(&folder.path().join("gpus")).unwrap_err().to_string();
        assert!(
            why.contains("gpus: cannot be read: ") && why.ends_with("; nothing in it is loaded"),
            "{why}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn what_is_replaced_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("rows.csv");
        for mode in [0o600, 0o664, 0o640] {
            std::fs::write(&file, "before").unwrap();
            std::fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            write_whole(&file, b"after").unwrap();
            let there = std::fs::metadata(&file).unwrap().permissions().mode() & 0o777;
            assert_eq!((std::fs::read(&file).unwrap().as_slice(), there), (&b"after"[..], mode));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_followed_and_a_loop_is_refused() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let [first, second, end] = ["first", "second", "end.csv"].map(|name| folder.path().join(name));
        symlink("second", &first).unwrap();
        symlink(&end, &second).unwrap();
        write_whole(&first, b"rows").unwrap();
        assert_eq!(std::fs::read(&end).unwrap(), b"rows");
        assert!(std::fs::symlink_metadata(&first).unwrap().is_symlink());
        std::fs::remove_file(&end).unwrap();
        symlink("first", &end).unwrap();
        let why = write_whole(&first, b"rows").unwrap_err().to_string();
        assert!(why.contains("leads back to itself"), "{why}");
        assert!(std::fs::symlink_metadata(&first).unwrap().is_symlink());
    }
}
