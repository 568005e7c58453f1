//! What takes longer than a frame or touches files: reading and auditing measurements, writing charts, remembering the selection.

use super::message::Message;
use crate::audit::{Sheet, audit, read_file};
use crate::chart::{ChartSpec, Theme, render_svg, suggested_size};
use crate::config::{Saved, state_file, write_whole};
use crate::report::audit::Digest;
use crate::session::Session;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;

/// Runs jobs on threads; the answer of a cancelled or overtaken one is dropped.
#[derive(Debug)]
pub struct Worker {
    answers: Sender<Message>,
    /// Counts loads and cancellations: an answer of an older count is stale.
    generation: Arc<AtomicU64>,
}

impl Worker {
    /// A worker that answers into this channel.
    #[must_use]
    pub fn new(answers: Sender<Message>) -> Self {
        Self { answers, generation: Arc::default() }
    }

    /// Drops the answers of what is running.
    pub fn cancel(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Runs `job` on its own thread and sends what it says and returns, unless it was cancelled meanwhile.
    fn spawn(&self, job: impl FnOnce(&dyn Fn(String)) -> Message + Send + 'static) {
        let mine = self.generation.load(Ordering::SeqCst);
        let (answers, generation) = (self.answers.clone(), self.generation.clone());
        std::thread::spawn(move || {
            let current = || generation.load(Ordering::SeqCst) == mine;
            // A closed channel means the dashboard has gone: nobody waits for the answer.
            let send = |message| {
                if current() {
                    answers.send(message).unwrap_or(())
                }
            };
            let work = || job(&|progress| send(Message::Progress(progress)));
            let message = catch_unwind(AssertUnwindSafe(work));
            send(message.unwrap_or_else(|_| {
                Message::Written(Err("a job failed inside the program; please report it".into()))
            }));
        });
    }

    /// Reads the user's measurement files on top of this session, and audits them; a newer load overtakes an older one.
    pub fn load(&self, session: Arc<Session>, files: Vec<PathBuf>) {
        self.cancel();
        let (known, audited) = (session.clone(), files.clone());
        self.spawn(move |progress| load(&session, &files, progress));
        self.spawn(move |_| Message::Audited(Box::new(audit_files(&known, &audited))));
    }

    /// Draws a chart into a file that does not exist yet.
    pub fn export(&self, path: PathBuf, spec: ChartSpec, theme: Theme) {
        self.spawn(move |_| Message::Written(export(&path, &spec, theme)));
    }
}

fn load(session: &Session, files: &[PathBuf], progress: &dyn Fn(String)) -> Message {
    let mut session = session.clone();
    let (mut notices, mut rows, mut refused) = (Vec::new(), 0, 0);
    for file in files {
        progress(format!("reading {} …", file.display()));
        match session.add_data(file) {
            Ok((added, errors, count)) => {
                rows += added;
                refused += count;
                notices.extend(errors.iter().map(ToString::to_string));
            }
            Err(e) => {
                refused += 1;
                notices.push(e.to_string());
            }
        }
    }
    let summary = match refused {
        0 => format!("{rows} measured rows loaded"),
        n => format!("{rows} measured rows loaded, {n} refused: ! lists them"),
    };
    Message::Loaded(Box::new((session, notices, summary)))
}

/// What the audit finds in these files together; one that cannot be read is among the notices already.
fn audit_files(session: &Session, files: &[PathBuf]) -> Digest {
    let mut sheet = Sheet::new(&session.gpus, &session.kernels);
    for file in files {
        let _ = read_file(file, &mut sheet);
    }
    let findings = audit(&sheet);
    Digest::of(&sheet, &findings)
}

fn export(path: &Path, spec: &ChartSpec, theme: Theme) -> Result<String, String> {
    let name = path.display();
    if path.exists() {
        return Err(format!("{name} exists; nothing was written; type another name"));
    }
    let bytes = render_svg(spec, theme, suggested_size(spec)).map_err(|e| format!("{name}: {e}"))?;
    write_whole(path, &bytes).map_err(|e| format!("{name} was not written: {e}"))?;
    Ok(format!("wrote {name}"))
}

/// Writes the state file; a selection that cannot be remembered is no reason to fail on the way out.
pub fn save(saved: &Saved) {
    let Some(file) = state_file() else { return };
    if let Some(folder) = file.parent() {
        let _ = std::fs::create_dir_all(folder);
    }
    let _ = write_whole(&file, saved.to_text().as_bytes());
}
