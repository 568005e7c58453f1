//! What reaches the dashboard, and what it asks of the outside.

use super::jobs::WorkerJob;
use super::many_rows::{ModelsAnswer, ModelsQuestion, RowsAnswer, RowsQuestion};
use super::panes::evaluate::outcome::Evaluated;
use super::panes::files::listing::FolderListing;
use super::panes::what_if::worker_question::{ChangedAnswer, ChangedQuestion};
use super::ranked::{BoardQuestion, LoadedMix, RankedFor};
use super::refused::RefusedCounts;
use crate::application::{Application, ForecastSettings, PartOfTrace, TargetForecast};
use crate::chart::{ChartSpec, SvgTheme};
use crate::config::Saved;
use crate::evaluate::EvaluationSetup;
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem};
use crate::measurement::CanonicalRow;
use crate::predict::{Lessons, ModelId};
use crate::rank::{Board, PriceBook};
use crate::report::audit::Digest;
use crate::session::{Added, MeasuredHere, Revision, Session, Training};
use crate::train::{Survey, SurveyOf, TrainableModel};
use crate::whatif::{GpuToSave, ScenarioPage};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What reaches the dashboard.
#[derive(Debug, Clone)]
pub enum Message {
    /// A key, as keymaps write it.
    Key(String),
    /// Leave, whatever is open: Ctrl-C, or a signal that ends programs.
    Leave,
    /// The shell stops the program.
    Suspend,
    /// The program goes on after it was stopped.
    Resumed,
    /// Text that was pasted.
    Paste(String),
    /// A click at column, row.
    Click(u16, u16),
    /// The wheel at column, row; true = down.
    Wheel(u16, u16, bool),
    /// The worker audited the measurement files.
    Audited(Box<Digest>),
    /// The terminal said, after the first frame, that its background is light.
    LightBackground,
    /// A new terminal size.
    Resize(u16, u16),
    /// A job of this kind has something to say while it works.
    Progress(WorkerJob, String),
    /// The worker read measurement files.
    Loaded(Box<LoadedFiles>),
    /// A file that is watched has changed.
    FilesChanged,
    /// The worker listed a folder.
    Listed(Box<FolderListing>),
    /// The worker read a file that was picked.
    Imported(Box<ImportedFile>),
    /// The worker could not read it, and why.
    NotImported(String),
    /// A job of this kind failed inside the program.
    JobFailed(WorkerJob),
    /// A job came to no end, for a reason outside the program.
    JobStopped(WorkerJob, String),
    /// The terminal cannot be read any more.
    InputLost(String),
    /// The worker predicted the rows that are not on the screen; nothing if a newer question overtook this one.
    Predicted(Option<Box<RowsAnswer>>),
    /// The worker predicted the timed rows with every model; nothing if a newer question overtook this one.
    Compared(Option<Box<ModelsAnswer>>),
    /// The worker ranked the GPUs, and for which question; nothing if a newer one overtook it.
    Ranked(Option<Box<(RankedFor, Result<Board, String>)>>),
    /// The worker read a mix of kernels, or could not, and why.
    MixRead(Result<Arc<LoadedMix>, String>),
    /// The worker read a file of prices, or could not, and why.
    PricesRead(Result<Box<PriceBook>, String>),
    /// The worker measured the models; nothing if a newer evaluation overtook this one.
    Evaluated(Option<Box<Evaluated>>),
    /// The worker learned from the rows of this session.
    Learned(Revision, Box<Lessons>),
    /// The worker measured every model and looked into the cache; nothing if a newer survey overtook this one.
    Surveyed(Option<Box<(Survey, Vec<TrainableModel>)>>),
    /// The worker trained a model, or why it did not; nothing if it was cancelled.
    Trained(Option<Result<Box<Training>, String>>),
    /// The worker timed a kernel on the GPU at hand, or could not, and why.
    MeasuredHere(Result<Box<MeasuredHere>, String>),
    /// The worker read the trace of an application that was picked.
    ApplicationRead(Box<(Application, PartOfTrace)>),
    /// The worker predicted it on the targets, or could not, and why; nothing if a newer question overtook this one.
    Forecast(Option<Result<Vec<TargetForecast>, String>>),
    /// The worker predicted an application on changed GPUs; nothing if it was cancelled.
    WhatIfChanged(Option<Box<ChangedAnswer>>),
    /// The worker wrote a file, or could not.
    Written(Result<String, String>),
}

/// A file of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserFile {
    /// Where it is.
    pub path: PathBuf,
    /// The GPU of its rows, where the file names none and a person did.
    pub gpu: Option<String>,
}

/// A picked file, read.
#[derive(Debug, Clone)]
pub struct ImportedFile {
    /// The session with what it brought.
    pub session: Session,
    /// The file.
    pub file: UserFile,
    /// What it brought.
    pub added: Added,
}

/// The user's files, read.
#[derive(Debug, Clone)]
pub struct LoadedFiles {
    /// The session with their rows.
    pub session: Session,
    /// What is to be known of them, refused rows among it.
    pub notices: Vec<String>,
    /// What was refused of them.
    pub refused: RefusedCounts,
    /// What was read, in one line.
    pub summary: String,
    /// The first file that names no GPU, with the compute capabilities that it states.
    pub unnamed: Option<(PathBuf, BTreeSet<String>)>,
    /// The applications of those that are traces.
    pub applications: Vec<Application>,
    /// The files that brought nothing, and why where they could not be read.
    pub empty: Vec<(PathBuf, Option<String>)>,
}

/// What a compiler's report brought; which built-in kernels run with its registers from now on.
#[must_use]
pub fn builds_text(session: &Session, added: &Added, built_in: usize) -> String {
    let known: Vec<&str> = added
        .kernels
        .iter()
        .filter(|kernel| kernel.index() < built_in)
        .map(|kernel| session.kernels[*kernel].id.as_str())
        .collect();
    match known[..] {
        [] => added.summary.clone(),
        [one] => format!("{}: the registers of the built-in {one} are overridden", added.summary),
        _ => format!("{}: the registers of {} built-in kernels are overridden", added.summary, known.len()),
    }
}

impl LoadedFiles {
    /// Files of which nothing is to be known.
    #[must_use]
    pub fn without_notes(session: Session, summary: &str) -> Box<Self> {
        Box::new(Self {
            session,
            notices: Vec::new(),
            refused: RefusedCounts::default(),
            summary: summary.into(),
            unnamed: None,
            applications: Vec::new(),
            empty: Vec::new(),
        })
    }
}

/// What `update` asks the outside for.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Leave the loop.
    Quit,
    /// Leave the loop because the terminal cannot be read any more.
    Abort(String),
    /// Give the terminal back and stop, as the shell's Ctrl-Z asks for.
    Suspend,
    /// Take the terminal again and draw everything anew.
    Redraw,
    /// Remember the selection.
    Save(Saved),
    /// Remember it in a moment: something was typed that is not to be lost.
    SaveSoon(Box<Saved>),
    /// Put text on the clipboard.
    Copy(String),
    /// Draw a chart into a file.
    Export {
        /// As typed.
        path: PathBuf,
        /// What to draw.
        spec: Box<ChartSpec>,
        /// Light or dark.
        theme: SvgTheme,
    },
    /// Predict the rows that are not on the screen.
    Predict(Box<RowsQuestion>),
    /// Predict the timed rows with every model.
    Compare(Box<ModelsQuestion>),
    /// Rank the GPUs.
    Rank(Box<BoardQuestion>),
    /// Read a mix of kernels with the names of this session.
    ReadMix(Arc<Session>, PathBuf),
    /// Read a file of prices with the GPUs of this session.
    ReadPrices(Arc<Session>, PathBuf, Option<String>),
    /// Measure a model on the rows of this session.
    Evaluate {
        /// Whose rows.
        session: Arc<Session>,
        /// Place of the model in the list of models.
        model: ModelId,
        /// How.
        setup: EvaluationSetup,
    },
    /// Measure every model on the rows of this session, and look into the cache.
    Survey {
        /// Whose rows.
        session: Arc<Session>,
        /// How, and for which question.
        of: SurveyOf,
    },
    /// Train a model on the rows of this session.
    Train {
        /// Whose rows.
        session: Arc<Session>,
        /// The recipe's id.
        model: &'static str,
    },
    /// Time a kernel on the GPU at hand.
    MeasureHere {
        /// What the GPUs are called.
        session: Arc<Session>,
        /// Position of the kernel in its catalogue.
        kernel: KernelId,
        /// At this size.
        problem: Arc<Problem>,
        /// Ids of the GPUs it should be, best first, where the machine has several.
        prefer: Vec<String>,
    },
    /// Predict an application on these GPUs.
    Forecast {
        /// What the GPUs are.
        session: Arc<Session>,
        /// The application.
        application: Arc<Application>,
        /// Where it ran.
        source: GpuId,
        /// Where it might run.
        targets: Vec<GpuId>,
        /// How it is carried there.
        settings: ForecastSettings,
    },
    /// Read a part of a trace.
    ReadPart {
        /// The trace.
        path: PathBuf,
        /// Of which GPU, and which range.
        part: PartOfTrace,
    },
    /// Predict an application, a mix, or what takes long of a kernel, on changed GPUs.
    WhatIfChanged(Box<ChangedQuestion>),
    /// Write scenarios side by side: HTML or Markdown, by the file's name.
    WritePage {
        /// As typed.
        path: PathBuf,
        /// What to write.
        page: Arc<ScenarioPage>,
    },
    /// Write rows into a measurement file.
    WriteRows {
        /// As typed.
        path: PathBuf,
        /// The rows.
        rows: Arc<[CanonicalRow]>,
    },
    /// Save a hypothetical GPU in the user's gpus folder.
    SaveGpu(Box<GpuToSave>),
    /// List a folder.
    List(PathBuf),
    /// Read a file on top of this session.
    Import {
        /// Whose rows are there already.
        session: Arc<Session>,
        /// The file.
        path: PathBuf,
        /// The GPU of its rows, where it names none.
        gpu: Option<String>,
    },
    /// Read all files again on top of this session: one of them changed.
    Load(Arc<Session>, Vec<UserFile>),
    /// Look from now on whether one of these files changes.
    Watch(Vec<PathBuf>),
    /// Audit these files with the GPUs and kernels of this session.
    Audit(Arc<Session>, Vec<PathBuf>),
    /// Learn from the rows of this session.
    Learn(Arc<Session>),
    /// Drop the job of this kind.
    Cancel(WorkerJob),
}
