//! What takes longer than a frame or touches files: reading and auditing measurements, writing charts, remembering the selection.

use super::evaluated::Evaluated;
use super::files::{FileEntry, Listing, MOST_ENTRIES};
use super::lanes::Lane;
use super::message::{Job, Message};
use super::training;
use crate::audit::{Sheet, audit, read_file};
use crate::chart::{ChartSpec, Theme, render_svg, suggested_size};
use crate::config::{Saved, state_file, write_whole};
use crate::device::{FindDriver, find_driver};
use crate::evaluate::Setup;
use crate::import::Opened;
use crate::kernel::{KernelId, Problem};
use crate::measurement::told;
use crate::predict::ModelId;
use crate::progress::Progress;
use crate::report::audit::Digest;
use crate::session::Session;
use crate::train::SurveyOf;
use crate::train::cache::Cache;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf, absolute};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Runs jobs on threads; the answer of a cancelled or overtaken one is dropped.
#[derive(Debug)]
pub struct Worker {
    answers: Sender<Message>,
    /// For each kind of [`Job`]. Writing is never overtaken: what was written is said.
    lanes: [Lane; 9],
    /// How the GPU at hand is had.
    find: FindDriver,
}

impl Worker {
    /// A worker that answers into this channel.
    #[must_use]
    pub fn new(answers: Sender<Message>) -> Self {
        Self { answers, lanes: Default::default(), find: find_driver }
    }

    /// Stops what is being read and measured, and drops its answers.
    pub fn cancel(&self) {
        [Job::Read, Job::Evaluate, Job::Survey, Job::Train, Job::Learn, Job::MeasureHere]
            .into_iter()
            .for_each(|kind| self.lanes[kind as usize].cancel());
    }

    /// Runs `job` on a thread and sends what it says and returns, unless it was overtaken meanwhile.
    fn spawn(&self, kind: Job, job: impl FnOnce(&Watch<'_>) -> Message + Send + 'static) {
        let answers = self.answers.clone();
        let run = move |strings: &Progress| {
            let watch = Watch { answers: &answers, strings };
            let message = catch_unwind(AssertUnwindSafe(|| job(&watch)));
            watch.send(message.unwrap_or(Message::JobFailed(kind)));
        };
        let lane = &self.lanes[kind as usize];
        if kind == Job::Write { lane.after(run) } else { lane.instead(run) }
    }

    /// Reads the user's measurement files on top of this session, and audits them; a newer load overtakes an older one.
    pub fn load(&self, session: Arc<Session>, files: Vec<PathBuf>) {
        self.audit(session.clone(), files.clone());
        self.spawn(Job::Read, move |watch| load(&session, &files, watch));
    }

    /// Audits the user's measurement files; a newer audit overtakes an older one.
    pub fn audit(&self, session: Arc<Session>, files: Vec<PathBuf>) {
        self.spawn(Job::Audit, move |_| Message::Audited(Box::new(audit_files(&session, &files))));
    }

    /// Measures a model; a newer evaluation overtakes an older one, and leaves a load alone.
    pub fn evaluate(&self, session: Arc<Session>, model: ModelId, setup: Setup) {
        self.spawn(Job::Evaluate, move |watch| evaluate(&session, model, &setup, watch));
    }

    /// Learns from the rows of this session; a newer session's rows overtake an older one's.
    pub fn learn(&self, session: Arc<Session>) {
        self.spawn(Job::Learn, move |watch| learn(&session, watch));
    }

    /// Measures every model; a newer survey overtakes an older one, and leaves a training alone.
    pub fn survey(&self, session: Arc<Session>, of: SurveyOf) {
        self.spawn(Job::Survey, move |watch| training::survey(&session, &of, watch));
    }

    /// Trains a model; a newer training overtakes an older one.
    pub fn train(&self, session: Arc<Session>, model: &'static str) {
        self.spawn(Job::Train, move |watch| training::train(&session, model, watch));
    }

    /// Times a kernel on the GPU at hand; a newer one overtakes an older one.
    pub fn measure_here(
        &self,
        session: Arc<Session>,
        kernel: KernelId,
        problem: Arc<Problem>,
        prefer: Vec<String>,
    ) {
        let find = self.find;
        self.spawn(Job::MeasureHere, move |watch| {
            let progress = Progress::default();
            let shown = || {
                progress.cancelled.store(watch.is_cancelled(), Ordering::Relaxed);
                let done = progress.steps_done();
                let label = &session.kernels[kernel].label;
                Some(format!("timing {label} here: {done} of {} trials", Session::trials_here()))
            };
            let prefer: Vec<&str> = prefer.iter().map(String::as_str).collect();
            let measured = watch.looking(shown, || {
                let driver = find().map_err(|e| e.to_string())?;
                session.measure_here(&*driver, &prefer, kernel, &problem, &progress)
            });
            Message::MeasuredHere(measured.map(Box::new))
        });
    }

    /// Reads a picked file on top of this session.
    pub fn import(&self, session: Arc<Session>, path: PathBuf) {
        self.spawn(Job::Read, move |watch| {
            let mut session = (*session).clone();
            let read = watch.reading(&path, || {
                let added = session.add_file_watched(&path, watch.strings);
                session.arrange();
                added
            });
            match read {
                Ok(added) => Message::Imported(Box::new((session, path, added))),
                Err(why) => Message::NotImported(why),
            }
        });
    }

    /// Lists a folder.
    pub fn list(&self, folder: PathBuf) {
        self.spawn(Job::List, move |_| Message::Listed(Box::new(list(folder))));
    }

    /// Draws a chart into a file that does not exist yet.
    pub fn export(&self, path: PathBuf, spec: ChartSpec, theme: Theme) {
        self.spawn(Job::Write, move |_| Message::Written(export(&path, &spec, theme)));
    }
}

/// What leads from a running job to the dashboard.
pub(super) struct Watch<'a> {
    answers: &'a Sender<Message>,
    strings: &'a Progress,
}

impl Watch<'_> {
    pub(super) fn is_cancelled(&self) -> bool {
        self.strings.cancelled.load(Ordering::SeqCst)
    }

    /// Sends a message that is still wanted. A closed channel means the dashboard has gone: nobody waits for the answer.
    fn send(&self, message: Message) {
        if !self.is_cancelled() {
            self.answers.send(message).unwrap_or(());
        }
    }

    /// Runs `work` on another thread, and says what `shown` makes of its progress whenever that changes.
    pub(super) fn looking<T: Send>(
        &self,
        mut shown: impl FnMut() -> Option<String>,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        const LOOK: Duration = Duration::from_millis(40);
        let (done, is_done) = channel::<()>();
        let result = std::thread::scope(|scope| {
            let running = scope.spawn(move || {
                // Dropped at the end, also while a panic unwinds: nobody waits a whole look for a short job.
                let _done = done;
                work()
            });
            let mut said = None;
            while is_done.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let text = shown();
                if text != said {
                    text.iter().for_each(|text| self.send(Message::Progress(text.clone())));
                    said = text;
                }
            }
            running.join()
        });
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Runs `read`, which reads this file by our strings, and says how far it is.
    fn reading<T: Send>(&self, path: &Path, read: impl FnOnce() -> T + Send) -> T {
        let size = std::fs::metadata(path).map_or(0, |m| m.len());
        self.strings.done.store(0, Ordering::Relaxed);
        let shown = || {
            let (read, mb) = (self.strings.steps_done() as u64, |bytes: u64| bytes / 1_000_000);
            let far = format!("reading {}: {} of {} MB (Esc cancels)", path.display(), mb(read), mb(size));
            (mb(read) > 0).then_some(far)
        };
        self.looking(shown, read)
    }
}

/// Runs an evaluation, says how far it is, and stops it once it is not wanted.
fn evaluate(session: &Session, model: ModelId, setup: &Setup, watch: &Watch<'_>) -> Message {
    let progress = Progress::default();
    let shown = || {
        progress.cancelled.store(watch.is_cancelled(), Ordering::Relaxed);
        let done = progress.done.load(Ordering::Relaxed);
        (done > 0).then(|| format!("measuring the models: {done} configurations"))
    };
    let evaluated = watch.looking(shown, || Evaluated::new(session, model, setup, &progress));
    Message::Evaluated(evaluated.map(Box::new))
}

/// Learns for every kernel and target, and says how far it is; one that was cancelled has learned nothing.
fn learn(session: &Session, watch: &Watch<'_>) -> Message {
    let progress = Progress::default();
    let shown = || {
        if watch.is_cancelled() {
            progress.cancel();
        }
        let [done, total] = [&progress.done, &progress.total].map(|n| n.load(Ordering::Relaxed));
        (done > 0).then(|| format!("learning from your rows: {done} of {total}"))
    };
    let learned = watch.looking(shown, || session.learn_and_keep(Cache::of_user().as_ref(), &progress));
    Message::Learned(session.revision(), Box::new(learned.unwrap_or_default()))
}

fn load(session: &Session, files: &[PathBuf], watch: &Watch<'_>) -> Message {
    let mut session = session.clone();
    let (mut notices, mut rows, mut refused) = (Vec::new(), 0, 0);
    for file in files {
        watch.send(Message::Progress(format!("reading {} …", file.display())));
        match watch
            .reading(file, || Opened::path(file).and_then(|opened| session.add_opened(opened, watch.strings)))
        {
            Ok(loaded) => {
                rows += loaded.rows;
                refused += loaded.refused_count;
                notices.extend(told(&loaded.refused).into_iter().map(|(_, text)| text));
                notices.extend(loaded.remarks);
            }
            Err(e) => {
                refused += 1;
                notices.push(e.to_string());
            }
        }
    }
    session.arrange();
    let summary = match refused {
        0 => format!("{rows} measured rows loaded"),
        n => format!("{rows} measured rows loaded, {n} refused: ! lists them"),
    };
    Message::Loaded(Box::new((session, notices, summary)))
}

/// The readable entries of a folder, as many as a person can use.
fn list(asked: PathBuf) -> Listing {
    // Also what cannot be read has a full name, so that there is a way up from it.
    let full = std::fs::canonicalize(&asked).or_else(|_| absolute(&asked));
    let folder = full.unwrap_or_else(|_| asked.clone());
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) => {
            let remark = format!("cannot be read: {e}");
            return Listing { asked, folder, entries: Vec::new(), remark };
        }
    };
    let (mut found, mut unreadable, mut more) = (Vec::new(), 0_usize, false);
    for entry in entries.flatten() {
        if found.len() == MOST_ENTRIES {
            more = true;
            break;
        }
        match entry.file_name().into_string() {
            Ok(name) if !name.contains(char::is_control) => {
                // What a link points to decides; a broken one is a file whose reading says why.
                let plain = entry.file_type().is_ok_and(|t| t.is_file());
                let is_file = plain || !entry.path().is_dir();
                found.push(FileEntry { is_file, name });
            }
            _ => unreadable += 1,
        }
    }
    found.sort();
    let mut remarks = Vec::new();
    if more {
        remarks.push(format!("only {MOST_ENTRIES} entries are listed; give others with `roofswap import`"));
    }
    if unreadable > 0 {
        remarks.push(format!("{unreadable} names that cannot be shown are left out"));
    }
    Listing { asked, folder, entries: found, remark: remarks.join("; ") }
}

/// What the audit finds in these files together, and which of them it could not read.
fn audit_files(session: &Session, files: &[PathBuf]) -> Digest {
    let gpus = session.stock_gpus();
    let mut sheet = Sheet::new(gpus, &session.kernels);
    let read = files.iter().map(|file| read_file(file, &mut sheet));
    let not_audited = read.filter_map(|r| r.err().map(|e| e.to_string())).collect();
    let findings = audit(&sheet);
    Digest { not_audited, ..Digest::of(&sheet, &findings) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_folders_first_and_a_huge_one_in_part() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("z")).unwrap();
        std::fs::write(folder.path().join("a\u{7}"), "").unwrap();
        std::fs::write(folder.path().join("b.log"), "").unwrap();
        let listing = list(folder.path().to_path_buf());
        let names: Vec<&str> = listing.entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["z", "b.log"]);
        assert!(listing.remark.contains("1 names that cannot be shown"), "{}", listing.remark);
        (0..=MOST_ENTRIES).for_each(|i| drop(std::fs::File::create(folder.path().join(i.to_string()))));
        let listing = list(folder.path().to_path_buf());
        assert_eq!(listing.entries.len(), MOST_ENTRIES);
        assert!(listing.remark.contains("only 20000 entries are listed"), "{}", listing.remark);
        assert!(list(folder.path().join("none")).remark.contains("cannot be read"));
        let lost = list("none/at/all".into());
        assert!(
            lost.folder.is_absolute() && lost.folder.ends_with("none/at/all"),
            "{}",
            lost.folder.display()
        );
    }

    #[test]
    fn reports_are_audited_and_files_that_cannot_be_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("runs.csv");
        std::fs::write(&good, "gpu,kernel,problem,time_ms\ntitan-v,mine,n=1,1\n").unwrap();
        let files = [good, folder.path().join("none.csv")];
        let digest = audit_files(&Session::load(None).unwrap(), &files);
        assert!(digest.summary.ends_with("in 1 rows"), "{}", digest.summary);
        assert!(matches!(&digest.not_audited[..], [one] if one.contains("none.csv: cannot be opened")));
    }

    #[test]
    fn reading_overtakes_reading_and_leaves_writing_alone() {
        const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
        let (sender, answers) = std::sync::mpsc::channel();
        let worker = Worker::new(sender);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (go_on, wait_too) = std::sync::mpsc::channel::<()>();
        worker.spawn(Job::Write, move |_| {
            Message::Written(wait.recv().map(|()| "wrote".into()).map_err(|e| e.to_string()))
        });
        worker.spawn(Job::Read, move |_| Message::NotImported(format!("stale {:?}", wait_too.recv())));
        worker.import(Arc::new(Session::load(None).unwrap()), "no such file".into());
        let first = answers.recv_timeout(PATIENCE).unwrap();
        assert!(matches!(&first, Message::NotImported(why) if why.contains("no such file")), "{first:?}");
        go_on.send(()).unwrap();
        worker.cancel();
        go.send(()).unwrap();
        let second = answers.recv_timeout(PATIENCE).unwrap();
        assert!(matches!(&second, Message::Written(Ok(what)) if what == "wrote"), "{second:?}");
    }

    fn with_gpu() -> Result<Box<dyn crate::device::driver::Driver>, crate::device::driver::DeviceError> {
        Ok(Box::new(crate::device::fake::that_runs_saxpy()))
    }

    fn measured_here(find: FindDriver, kernel: &str) -> Result<Box<crate::session::MeasuredHere>, String> {
        const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
        let (sender, answers) = std::sync::mpsc::channel();
        let worker = Worker { find, ..Worker::new(sender) };
        let session = Session::load(None).unwrap();
        let kernel = session.kernels.position(kernel).unwrap();
        let problem: Problem = "n=4096".parse().unwrap();
        worker.measure_here(Arc::new(session), kernel, Arc::new(problem), vec!["rtx-4070".into()]);
        loop {
            match answers.recv_timeout(PATIENCE).unwrap() {
                Message::MeasuredHere(answer) => return answer,
                Message::Progress(text) => assert!(text.contains("of 20 trials"), "{text}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_kernel_is_timed_here_and_without_a_gpu_one_line_says_why_not() {
        let measured = measured_here(with_gpu, "saxpy").unwrap();
        assert_eq!((measured.rows.len(), &*measured.rows[0].problem), (2, "n=4096"), "{measured:?}");
        assert!(
            measured.summary.starts_with("saxpy on rtx-4070: 25.") && measured.summary.contains("µs cold"),
            "{}",
            measured.summary
        );
        let none: FindDriver =
            || Err(crate::device::driver::DeviceError::NoDriver("libcuda is not installed".into()));
        let why = measured_here(none, "saxpy").unwrap_err();
        assert_eq!(why, "no NVIDIA GPU can be used here: libcuda is not installed");
        let why = measured_here(with_gpu, "torch_bmm").unwrap_err();
        assert!(why.contains("torch_bmm is not in the suite"), "{why}");
    }

    #[test]
    fn a_job_that_panics_is_answered_by_its_kind() {
        const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
        let (sender, answers) = std::sync::mpsc::channel();
        Worker::new(sender).spawn(Job::Read, |_| panic!("on purpose"));
        assert!(matches!(answers.recv_timeout(PATIENCE).unwrap(), Message::JobFailed(Job::Read)));
    }
}
