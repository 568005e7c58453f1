//! Where the user's files live (XDG), and how a file is written: beside, then renamed.

use etcetera::{BaseStrategy, choose_base_strategy};
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

/// The user's folder with `gpus/`, `kernels/` and `keymap.toml`: `$ROOFSWAP_CONFIG`, else `~/.config/roofswap`.
#[must_use]
pub fn user_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("ROOFSWAP_CONFIG").filter(|f| !f.is_empty()) {
        return Some(folder.into());
    }
    choose_base_strategy().ok().map(|s| s.config_dir().join("roofswap"))
}

/// The file that remembers the selection: `$ROOFSWAP_STATE`, else `~/.local/state/roofswap/state.toml`.
#[must_use]
pub fn state_file() -> Option<PathBuf> {
    if let Some(file) = std::env::var_os("ROOFSWAP_STATE").filter(|f| !f.is_empty()) {
        return Some(file.into());
    }
    let strategy = choose_base_strategy().ok()?;
    Some(strategy.state_dir().unwrap_or_else(|| strategy.cache_dir()).join("roofswap/state.toml"))
}

/// The folder of what can be made again: `$ROOFSWAP_CACHE`, else `~/.cache/roofswap`.
#[must_use]
pub fn cache_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("ROOFSWAP_CACHE").filter(|f| !f.is_empty()) {
        return Some(folder.into());
    }
    choose_base_strategy().ok().map(|s| s.cache_dir().join("roofswap"))
}

/// Writes a whole file: to a temporary name in the same folder, then renamed, so that nobody ever sees half of it and a
/// failure leaves what was there. A link stays a link; a device or a pipe (`/dev/null`, `/dev/fd/3`) is written into,
/// because it must not be replaced by a file.
///
/// # Errors
/// The I/O error, its text naming what could not be done.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() && there.permissions().readonly() => Err(Error::new(
            ErrorKind::PermissionDenied,
            "is read-only; make it writable or give another name",
        )),
        Ok(there) if !there.is_file() && !there.is_dir() => std::fs::write(path, bytes),
        // What a link points to is replaced, not the link.
        Ok(_) => write_beside(&std::fs::canonicalize(path)?, bytes),
        Err(_) => write_beside(path, bytes),
    }
}

fn write_beside(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "is a folder; give a file name"));
    }
    if !folder.is_dir() {
        let message = format!("folder {} does not exist; create it first", folder.display());
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    let mut file = tempfile::Builder::new().prefix(".roofswap-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|e| e.error)?;
    relax_permissions(path);
    Ok(())
}

/// Temporary files are private; a written chart should be as readable as any new file.
#[cfg(unix)]
fn relax_permissions(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // The file is whole already; a file system without permissions is no reason to fail.
    let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn relax_permissions(_: &Path) {}

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
}
