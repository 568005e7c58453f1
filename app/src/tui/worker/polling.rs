//! Files that are looked at once a second: whoever runs a profiler in the other window sees the row move.

use crate::tui::message::Message;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// How often the files are looked at.
const PERIOD: Duration = Duration::from_secs(1);

/// What a file looked like: when it was written, and how long it is.
type FileStamp = Option<(SystemTime, u64)>;

/// The files that are looked at, by one thread for as long as anybody listens.
#[derive(Debug, Default)]
pub(super) struct FileWatch {
    files: Arc<Mutex<Vec<PathBuf>>>,
    started: Mutex<bool>,
}

impl FileWatch {
    /// Looks at these files from now on; a change is told once the file has been still for a period.
    pub(super) fn watch_files(&self, files: Vec<PathBuf>, answers: &Sender<Message>) {
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = files;
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *started, true) {
            let (files, answers) = (self.files.clone(), answers.clone());
            std::thread::spawn(move || poll_files(&files, &answers));
        }
    }
}

fn stamp(file: &Path) -> FileStamp {
    let meta = std::fs::metadata(file).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

fn poll_files(files: &Mutex<Vec<PathBuf>>, answers: &Sender<Message>) {
    let look = || -> Vec<(PathBuf, FileStamp)> {
        let files = files.lock().unwrap_or_else(PoisonError::into_inner).clone();
        files.into_iter().map(|file| (file.clone(), stamp(&file))).collect()
    };
    let mut told = look();
    let mut before = told.clone();
    loop {
        std::thread::sleep(PERIOD);
        let now = look();
        let same_files = now.iter().map(|f| &f.0).eq(told.iter().map(|f| &f.0));
        if !same_files {
            told.clone_from(&now);
        }
        // A file that is still being written changes again before the next look; one that is gone for a moment is no news.
        let whole = now.iter().all(|(_, stamp)| stamp.is_some());
        if now != told && now == before && whole {
            told.clone_from(&now);
            if answers.send(Message::FilesChanged).is_err() {
                return;
            }
        }
        before = now;
    }
}
