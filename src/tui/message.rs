//! What reaches the dashboard, and what it asks of the outside.

use super::evaluated::Evaluated;
use super::files::Listing;
use crate::chart::{ChartSpec, Theme};
use crate::config::Saved;
use crate::evaluate::Setup;
use crate::kernel::{KernelId, Problem};
use crate::predict::{Lessons, ModelId};
use crate::report::audit::Digest;
use crate::session::{Added, MeasuredHere, Revision, Session, Training};
use crate::train::{Learned, Survey, SurveyOf};
use std::path::PathBuf;
use std::sync::Arc;

/// What reaches the dashboard.
#[derive(Debug, Clone)]
pub enum Message {
    /// A key, as keymaps write it.
    Key(String),
    /// Text that was pasted.
    Paste(String),
    /// A click at column, row.
    Click(u16, u16),
    /// The wheel at column, row; true = down.
    Wheel(u16, u16, bool),
    /// The worker audited the measurement files.
    Audited(Box<Digest>),
    /// A new terminal size.
    Resize(u16, u16),
    /// The worker has something to say while it works.
    Progress(String),
    /// The worker read measurement files.
    Loaded(Box<(Session, Vec<String>, String)>),
    /// The worker listed a folder.
    Listed(Box<Listing>),
    /// The worker read a file that was picked.
    Imported(Box<(Session, PathBuf, Added)>),
    /// The worker could not read it, and why.
    NotImported(String),
    /// A job of this kind failed inside the program.
    JobFailed(Job),
    /// The terminal cannot be read any more.
    InputLost(String),
    /// The worker measured the models; nothing if a newer evaluation overtook this one.
    Evaluated(Option<Box<Evaluated>>),
    /// The worker learned from the rows of this session.
    Learned(Revision, Box<Lessons>),
    /// The worker measured every model and looked into the cache; nothing if a newer survey overtook this one.
    Surveyed(Option<Box<(Survey, Vec<Learned>)>>),
    /// The worker trained a model, or why it did not; nothing if it was cancelled.
    Trained(Option<Result<Box<Training>, String>>),
    /// The worker timed a kernel on the GPU at hand, or could not, and why.
    MeasuredHere(Result<Box<MeasuredHere>, String>),
    /// The worker wrote a file, or could not.
    Written(Result<String, String>),
}

/// The kinds of work outside. A newer job of one kind overtakes an older one of the same kind only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Job {
    /// Reading the user's files into the session.
    Read,
    /// Listing a folder.
    List,
    /// Writing a chart.
    Write,
    /// Measuring the models.
    Evaluate,
    /// Auditing the user's measurements.
    Audit,
    /// Learning from the user's measurements.
    Learn,
    /// Measuring every model.
    Survey,
    /// Training a model.
    Train,
    /// Timing a kernel on the GPU at hand.
    MeasureHere,
}

/// What `update` asks the outside for.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Leave the loop.
    Quit,
    /// Leave the loop because the terminal cannot be read any more.
    Abort(String),
    /// Remember the selection.
    Save(Saved),
    /// Put text on the clipboard.
    Copy(String),
    /// Draw a chart into a file.
    Export {
        /// As typed.
        path: PathBuf,
        /// What to draw.
        spec: Box<ChartSpec>,
        /// Light or dark.
        theme: Theme,
    },
    /// Measure a model on the rows of this session.
    Evaluate {
        /// Whose rows.
        session: Arc<Session>,
        /// Place of the model in the list of models.
        model: ModelId,
        /// How.
        setup: Setup,
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
    /// List a folder.
    List(PathBuf),
    /// Read a file on top of this session.
    Import(Arc<Session>, PathBuf),
    /// Audit these files with the GPUs and kernels of this session.
    Audit(Arc<Session>, Vec<PathBuf>),
    /// Learn from the rows of this session.
    Learn(Arc<Session>),
    /// Drop what is being read.
    Cancel,
}
