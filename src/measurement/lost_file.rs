//! The error of a temporary file that was written and cannot be read back.

use std::io::Error;
use std::panic::resume_unwind;
use std::path::PathBuf;

/// A temporary file of an evaluation or an audit was written and cannot be read back, as where a network drive went away. Without its
/// values there is no answer, and they are looked up in the midst of sorting and summing: it unwinds as the payload of
/// [`std::panic::resume_unwind`], which prints nothing, up to whoever began the work and tells it from a fault of the program by
/// `downcast`.
#[derive(Debug, thiserror::Error)]
#[error(
    "a temporary file (without a name, in {}) cannot be read back: {why}; set TMPDIR to a folder of another disk and run it again",
    folder.display()
)]
pub struct LostTemporaryFile {
    folder: PathBuf,
    why: Error,
}

impl LostTemporaryFile {
    /// Unwinds with this error.
    pub fn unwind(why: Error) -> ! {
        resume_unwind(Box::new(Self { folder: std::env::temp_dir(), why }))
    }
}
