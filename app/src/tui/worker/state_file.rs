//! The state file: written soon after what is remembered changed, so that a killed dashboard loses nothing, and once more on the way
//! out; beside what another dashboard has put there.

use crate::catalogue::read_limited;
use crate::config::{Saved, state_file, write_whole};
use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Changes in this time are written together.
const SOON: Duration = Duration::from_millis(300);

/// How often a lock that another dashboard holds is asked for before the file is written without it, and how long after the last time.
const TRIES: u32 = 100;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// What is to be written, and what was.
#[derive(Debug, Default)]
pub(super) struct StateFile(Arc<Mutex<Written>>);

#[derive(Debug, Default)]
struct Written {
    /// Waits to be written.
    pending: Option<Saved>,
    /// Typed kernels that were written from here: one of them that is gone was dropped by another dashboard.
    typed: Vec<String>,
    /// Whether there was a file before anything was written from here: without one there is no selection to keep.
    had_file: Option<bool>,
}

impl StateFile {
    fn lock(&self) -> MutexGuard<'_, Written> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes it in a moment, unless something newer is to be written then.
    pub(super) fn write_soon(&self, saved: Saved) {
        let is_awaited = self.lock().pending.replace(saved).is_some();
        if !is_awaited {
            let file = Self(self.0.clone());
            std::thread::spawn(move || {
                std::thread::sleep(SOON);
                let mut written = file.lock();
                if let Some(saved) = written.pending.take() {
                    written.write(saved);
                }
            });
        }
    }

    /// Writes it now.
    pub(super) fn write_now(&self, saved: Saved) {
        let mut written = self.lock();
        written.pending = None;
        written.write(saved);
    }
}

impl Written {
    /// Writes the file; a selection that cannot be remembered is no reason to fail.
    fn write(&mut self, mut saved: Saved) {
        let Some(file) = state_file() else { return };
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        // From here to the end no other dashboard reads or writes it.
        let _lock = lock_beside(&file);
        let in_file = read_limited(&file).map(|text| Saved::parse(&text)).unwrap_or_default();
        saved.keeps_selection &= *self.had_file.get_or_insert(in_file != Saved::default());
        saved.at_start.get_or_insert_default().typed.extend(self.typed.iter().cloned());
        let saved = saved.beside(&in_file);
        let _ = write_whole(&file, saved.to_text().as_bytes());
        self.typed = saved.typed;
    }
}

/// The lock that dashboards take while they read this file and write it anew, held until it is dropped: on a file of its own, for the other
/// one is replaced. `None` where none can be had: on file systems without locks, or from a dashboard that was stopped while it held it.
fn lock_beside(file: &Path) -> Option<File> {
    let lock = File::create(file.with_extension("lock")).ok()?;
    for _ in 0..TRIES {
        match lock.try_lock() {
            Ok(()) => return Some(lock),
            Err(std::fs::TryLockError::WouldBlock) => std::thread::sleep(BETWEEN_TRIES),
            Err(std::fs::TryLockError::Error(_)) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_dashboard_waits_until_another_has_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state.toml");
        let held = lock_beside(&file).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| lock_beside(&file).is_some());
            assert!(!waiting.is_finished());
            drop(held);
            assert!(waiting.join().unwrap());
        });
        assert!(!file.exists(), "the file itself is not touched");
    }
}
