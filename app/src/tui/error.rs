//! What can go wrong with the dashboard itself.

use crate::catalogue::FileError;
use crate::config::ThemeError;
use std::io;

/// Everything that can keep the dashboard from starting or running.
#[derive(Debug, thiserror::Error)]
pub enum TuiError {
    /// The terminal could not be set up, read or written.
    #[error("terminal: {0}")]
    Terminal(#[from] io::Error),
    /// A shipped keymap or theme is wrong.
    #[error(transparent)]
    Theme(#[from] FileError),
    /// A theme that does not exist was asked for.
    #[error(transparent)]
    UnknownTheme(#[from] ThemeError),
}
