//! Loads the session, and says on stderr what was refused while loading.

use super::output;
use crate::config::user_folder;
use crate::session::Session;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// What ships, the user's folder, and these measurement files. Bad rows and bad user files are reported and left out.
///
/// # Errors
/// A measurement file that cannot be read at all.
pub(super) fn session(data: &[PathBuf]) -> Result<Session> {
    let mut session =
        Session::load(user_folder().as_deref()).context("a table inside the program is damaged")?;
    output::remarks(&session.problems, session.problems.len());
    for path in data {
        let (added, refused, count) = session.add_data(path)?;
        output::remarks(&refused, count);
        if count > 0 {
            output::remark(format!("{}: {added} rows loaded, {count} refused", path.display()));
        }
    }
    Ok(session)
}
