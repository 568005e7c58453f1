//! The folder of the user's own files, which are laid over those that ship.

use etcetera::{BaseStrategy, choose_base_strategy};
use std::path::{Path, PathBuf};

/// The user's folder with `gpus/`, `kernels/` and `keymap.toml`: `$ROOFSWAP_CONFIG`, else `~/.config/roofswap`.
#[must_use]
pub fn user_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("ROOFSWAP_CONFIG").filter(|f| !f.is_empty()) {
        return Some(folder.into());
    }
    choose_base_strategy().ok().map(|s| s.config_dir().join("roofswap"))
}

/// What lies there under this name, as messages and examples name it: `~/.config/roofswap/gpus`.
#[must_use]
pub fn user_path_text(below: &str) -> String {
    let folder = user_folder().unwrap_or_else(|| PathBuf::from("~/.config/roofswap"));
    let home = choose_base_strategy().ok().map(|s| s.home_dir().to_path_buf());
    path_from_home(&folder.join(below), home.as_deref())
}

/// A path with `~` for the home folder.
fn path_from_home(path: &Path, home: Option<&Path>) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_folder_is_written_as_a_shell_reads_it() {
        let path = Path::new("/home/me/.config/roofswap/gpus");
        assert_eq!(path_from_home(path, Some(Path::new("/home/me"))), "~/.config/roofswap/gpus");
        assert_eq!(path_from_home(path, Some(Path::new("/home/you"))), "/home/me/.config/roofswap/gpus");
        assert_eq!(path_from_home(Path::new("/etc/gpus"), None), "/etc/gpus");
    }
}
