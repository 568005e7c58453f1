//! What takes longer than a frame or touches files: every kind of job in a lane of its own.

mod files;
mod lanes;
mod learning;
mod polling;
pub(super) mod priority;
mod state_file;
mod watch;

use super::jobs::{PerJob, WorkerJob};
use super::many_rows::{ModelsQuestion, RowsQuestion};
use super::message::{ImportedFile, Message, UserFile};
use super::panes::what_if::worker_question::ChangedQuestion;
use super::ranked::BoardQuestion;
use crate::application::{Application, ForecastSettings, PartOfTrace, forecast, is_application};
use crate::chart::{ChartSpec, SvgTheme};
use crate::config::Saved;
use crate::device::{FindDriver, find_driver};
use crate::evaluate::EvaluationSetup;
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem};
use crate::measurement::CanonicalRow;
use crate::measurement::LostTemporaryFile;
use crate::predict::ModelId;
use crate::progress::Progress;
use crate::rank::PriceBook;
use crate::session::Session;
use crate::train::SurveyOf;
use crate::whatif::{GpuToSave, ScenarioPage};
use files::{audit_files, list_folder, load_files, part_read, read_mix, write_chart, write_page, write_rows};
use lanes::Lane;
use learning::{evaluate_model, learn_lessons, survey_models, train_model};
use polling::FileWatch;
use priority::lower_priority;
use state_file::StateFile;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use watch::JobWatch;

/// What a job does, and its answer.
type WatchedJob = Box<dyn FnOnce(&JobWatch<'_>) -> Message + Send>;

/// Runs jobs on threads; the answer of a cancelled or overtaken one is dropped.
#[derive(Debug)]
pub struct Worker {
    answers: Sender<Message>,
    /// For each kind of [`WorkerJob`]. Writing is never overtaken: what was written is said.
    lanes: PerJob<Lane>,
    /// The files that are looked at for changes.
    watched: FileWatch,
    /// What is remembered between runs.
    remembered: StateFile,
    /// Held by what takes several times the rows' memory for a while: of such work one thing is done after the other.
    large_work: Arc<Mutex<()>>,
    /// How the GPU at hand is had.
    find: FindDriver,
}

impl Worker {
    /// A worker that answers into this channel.
    #[must_use]
    pub fn new(answers: Sender<Message>) -> Self {
        Self {
            answers,
            lanes: Default::default(),
            watched: FileWatch::default(),
            remembered: StateFile::default(),
            large_work: Arc::default(),
            find: find_driver,
        }
    }

    /// Stops the job of this kind, and drops its answer.
    pub fn cancel_job(&self, job: WorkerJob) {
        self.lanes.value_of(job).cancel();
    }

    /// Runs `job` on a thread and sends what it says and returns, unless it was overtaken meanwhile.
    fn spawn(&self, kind: WorkerJob, job: impl FnOnce(&JobWatch<'_>) -> Message + Send + 'static) {
        self.spawn_boxed(kind, Box::new(job));
    }

    fn spawn_boxed(&self, kind: WorkerJob, job: WatchedJob) {
        let answers = self.answers.clone();
        let run = move |progress: &Progress| {
            let watch = JobWatch { job: kind, answers: &answers, progress };
            let message = catch_unwind(AssertUnwindSafe(|| job(&watch)));
            let failed = |payload: Box<dyn Any + Send>| match payload.downcast::<LostTemporaryFile>() {
                Ok(lost) => Message::JobStopped(kind, lost.to_string()),
                Err(_) => Message::JobFailed(kind),
            };
            watch.send_message(message.unwrap_or_else(failed));
        };
        let lane = self.lanes.value_of(kind);
        if kind == WorkerJob::Write { lane.after(run) } else { lane.instead(run) }
    }

    /// Reads the user's files on top of this session; a newer load overtakes an older one.
    pub fn load_files(&self, session: Arc<Session>, files: Vec<UserFile>) {
        self.spawn(WorkerJob::Read, move |watch| load_files(&session, &files, watch));
    }

    /// Audits the user's measurement files; a newer audit overtakes an older one.
    pub fn audit(&self, session: Arc<Session>, files: Vec<PathBuf>) {
        let alone = self.large_work.clone();
        self.spawn(WorkerJob::Audit, move |_| {
            let _alone = alone.lock().unwrap_or_else(PoisonError::into_inner);
            Message::Audited(Box::new(audit_files(&session, &files)))
        });
    }

    /// Measures a model; a newer evaluation overtakes an older one, and leaves a load alone.
    pub fn evaluate(&self, session: Arc<Session>, model: ModelId, setup: EvaluationSetup) {
        self.spawn(WorkerJob::Evaluate, move |watch| evaluate_model(&session, model, &setup, watch));
    }

    /// Learns from the rows of this session; a newer session's rows overtake an older one's.
    pub fn learn(&self, session: Arc<Session>) {
        let alone = self.large_work.clone();
        self.spawn(WorkerJob::Learn, move |watch| {
            let _alone = alone.lock().unwrap_or_else(PoisonError::into_inner);
            learn_lessons(&session, watch)
        });
    }

    /// Measures every model; a newer survey overtakes an older one, and leaves a training alone.
    pub fn survey(&self, session: Arc<Session>, of: SurveyOf) {
        self.spawn(WorkerJob::Survey, move |watch| survey_models(&session, &of, watch));
    }

    /// Trains a model; a newer training overtakes an older one.
    pub fn train(&self, session: Arc<Session>, model: &'static str) {
        self.spawn(WorkerJob::Train, move |watch| train_model(&session, model, watch));
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
        self.spawn(WorkerJob::MeasureHere, move |watch| {
            let progress = Progress::default();
            let shown = || {
                progress.cancelled.store(watch.is_cancelled(), Ordering::Relaxed);
                let done = progress.steps_done();
                let label = session.kernels[kernel].label();
                Some(format!("measuring {label}: {done} of {} trials", Session::trials_here()))
            };
            let prefer: Vec<&str> = prefer.iter().map(String::as_str).collect();
            let measured = watch.watch_progress(shown, || {
                let driver = find().map_err(|e| e.to_string())?;
                session.measure_here(&*driver, &prefer, kernel, &problem, &progress)
            });
            Message::MeasuredHere(measured.map(Box::new))
        });
    }

    /// Predicts rows that are not on the screen; a newer question overtakes an older one.
    pub fn predict_rows(&self, question: RowsQuestion) {
        self.spawn(WorkerJob::Predict, move |watch| {
            let answer = question.answer_rows(&|| watch.is_cancelled()).map(Box::new);
            if answer.is_some() {
                std::thread::spawn(move || {
                    lower_priority();
                    question.find_next_corrections();
                });
            }
            Message::Predicted(answer)
        });
    }

    /// Predicts the timed rows with every model; a newer question overtakes an older one.
    pub fn compare_models(&self, question: ModelsQuestion) {
        self.spawn(WorkerJob::Compare, move |watch| {
            Message::Compared(question.answer_models(&|| watch.is_cancelled()).map(Box::new))
        });
    }

    /// Ranks the GPUs; a newer question overtakes an older one.
    pub fn rank_gpus(&self, question: BoardQuestion) {
        self.spawn(WorkerJob::Rank, move |watch| {
            let board = question.rank_rows(watch.progress);
            Message::Ranked(board.map(|board| Box::new((question.asked, board))))
        });
    }

    /// Reads a mix of kernels; its kernels are looked up once, so that what is wrong is said now.
    pub fn read_mix(&self, session: Arc<Session>, path: PathBuf) {
        self.spawn(WorkerJob::ReadSide, move |_| Message::MixRead(read_mix(&session, &path).map(Arc::new)));
    }

    /// Reads a file of prices, on this day.
    pub fn read_prices(&self, session: Arc<Session>, path: PathBuf, today: Option<String>) {
        self.spawn(WorkerJob::ReadSide, move |_| {
            let read = PriceBook::read(&path, &session.gpus, today.as_deref());
            Message::PricesRead(read.map(Box::new).map_err(|why| why.to_string()))
        });
    }

    /// Reads a picked file on top of this session.
    pub fn import(&self, session: Arc<Session>, file: UserFile) {
        self.spawn(WorkerJob::Read, move |watch| {
            if is_application(&file.path) {
                return part_read(&file.path, PartOfTrace::default(), watch);
            }
            let mut session = (*session).clone();
            let read = watch.watch_reading(&file.path, || {
                let added = session.add_file_of(&file.path, file.gpu.as_deref(), watch.progress);
                session.arrange();
                added
            });
            match read {
                Ok(added) => Message::Imported(Box::new(ImportedFile { session, file, added })),
                Err(why) => Message::NotImported(why),
            }
        });
    }

    /// Reads a part of a trace.
    pub fn read_part(&self, path: PathBuf, part: PartOfTrace) {
        self.spawn(WorkerJob::Read, move |watch| part_read(&path, part, watch));
    }

    /// Predicts an application; a newer question overtakes an older one.
    pub fn forecast(
        &self,
        session: Arc<Session>,
        application: Arc<Application>,
        source: GpuId,
        targets: Vec<GpuId>,
        settings: ForecastSettings,
    ) {
        self.spawn(WorkerJob::Forecast, move |_| {
            Message::Forecast(Some(forecast(&session, &application, source, &targets, settings)))
        });
    }

    /// Looks from now on whether one of these files changes, instead of those before.
    pub fn watch_files(&self, files: Vec<PathBuf>) {
        self.watched.watch_files(files, &self.answers);
    }

    /// Remembers this in a moment, with what changes until then.
    pub fn save_soon(&self, saved: Saved) {
        self.remembered.write_soon(saved);
    }

    /// Remembers this now: nothing comes after it.
    pub fn save_now(&self, saved: Saved) {
        self.remembered.write_now(saved);
    }

    /// Lists a folder.
    pub fn list(&self, folder: PathBuf) {
        self.spawn(WorkerJob::List, move |_| Message::Listed(Box::new(list_folder(folder))));
    }

    /// Predicts a workload on changed GPUs; a newer question overtakes an older one.
    pub fn predict_changed(&self, question: ChangedQuestion) {
        self.spawn(WorkerJob::WhatIf, move |watch| {
            let progress = Progress::default();
            let shown = || {
                if watch.is_cancelled() {
                    progress.cancel();
                }
                let [done, total] = [progress.steps_done(), progress.steps_known()];
                (total > 0).then(|| format!("predicting on changed GPUs: {done} of {total}"))
            };
            let answer = watch.watch_progress(shown, || question.answer_changed(&progress));
            Message::WhatIfChanged(answer.map(Box::new))
        });
    }

    /// Writes scenarios side by side into a file that does not exist yet.
    pub fn write_page(&self, path: PathBuf, page: Arc<ScenarioPage>) {
        self.spawn(WorkerJob::Write, move |_| Message::Written(write_page(&path, &page)));
    }

    /// Writes rows into a measurement file that does not exist yet.
    pub fn write_rows(&self, path: PathBuf, rows: Arc<[CanonicalRow]>) {
        self.spawn(WorkerJob::Write, move |_| Message::Written(write_rows(&path, &rows)));
    }

    /// Saves a hypothetical GPU in the user's gpus folder.
    pub fn save_gpu(&self, gpu: GpuToSave) {
        self.spawn(WorkerJob::Write, move |_| {
            let written = gpu.write_to_user_folder().map(|path| gpu.said_of_file(&path));
            Message::Written(written.map_err(|why| why.to_string()))
        });
    }

    /// Draws a chart into a file that does not exist yet.
    pub fn write_chart(&self, path: PathBuf, spec: ChartSpec, theme: SvgTheme) {
        self.spawn(WorkerJob::Write, move |_| Message::Written(write_chart(&path, &spec, theme)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_overtakes_reading_and_leaves_writing_alone() {
        const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
        let (sender, answers) = std::sync::mpsc::channel();
        let worker = Worker::new(sender);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (go_on, wait_too) = std::sync::mpsc::channel::<()>();
        worker.spawn(WorkerJob::Write, move |_| {
            Message::Written(wait.recv().map(|()| "wrote".into()).map_err(|e| e.to_string()))
        });
        worker.spawn(WorkerJob::Read, move |_| Message::NotImported(format!("stale {:?}", wait_too.recv())));
        let file = UserFile { path: "no such file".into(), gpu: None };
        worker.import(Arc::new(Session::load(None).unwrap()), file);
        let first = answers.recv_timeout(PATIENCE).unwrap();
        assert!(matches!(&first, Message::NotImported(why) if why.contains("no such file")), "{first:?}");
        // What was overtaken may never have begun.
        let _ = go_on.send(());
        worker.cancel_job(WorkerJob::Read);
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
                Message::Progress(_, text) => assert!(text.contains("of 20 trials"), "{text}"),
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
        Worker::new(sender).spawn(WorkerJob::Read, |_| panic!("on purpose"));
        assert!(matches!(answers.recv_timeout(PATIENCE).unwrap(), Message::JobFailed(WorkerJob::Read)));
    }

    #[test]
    fn a_job_whose_temporary_file_is_lost_says_what_to_do() {
        const PATIENCE: std::time::Duration = std::time::Duration::from_secs(20);
        let (sender, answers) = std::sync::mpsc::channel();
        let lost = |_: &JobWatch<'_>| LostTemporaryFile::unwind(std::io::Error::other("the drive is gone"));
        Worker::new(sender).spawn(WorkerJob::Evaluate, lost);
        let Message::JobStopped(WorkerJob::Evaluate, why) = answers.recv_timeout(PATIENCE).unwrap() else {
            panic!("it says why")
        };
        assert!(why.contains("the drive is gone; set TMPDIR"), "{why}");
    }
}
