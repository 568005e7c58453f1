//! Which rows have no answer yet, and which question the worker was asked.

use crate::answer::Answer;
use crate::predict::Subject;
use crate::units::Seconds;
use std::sync::Arc;

/// How many rows are predicted within a frame, whatever they cost; more are left to the worker.
pub(super) const ROWS_AT_ONCE: usize = 128;

/// How far the answers follow the question.
#[derive(Debug, Clone, Default)]
pub struct Pending {
    /// Counts the questions: every change of what is asked of all rows makes a new one.
    pub(super) revision: u64,
    /// How many rows have no answer yet.
    pub(super) missing: usize,
    /// The question the worker was asked for the missing rows.
    pub(super) asked: Option<u64>,
    /// The question the worker was asked to compare the models.
    pub(super) compare_asked: Option<u64>,
    /// Rows whose size changed since the question was put.
    pub(super) changed_rows: Vec<usize>,
    /// Whether the error summaries do not belong to what is shown any more.
    pub(super) errors_are_old: bool,
    /// Whether the summaries cover every model.
    pub(super) errors_of_all: bool,
}

/// The times of every model over the timed rows.
#[derive(Debug, Clone)]
pub struct ModelTimes {
    /// The question they answer.
    pub(super) revision: u64,
    /// By model, then row; none where the row was not asked, or has no prediction.
    pub(super) times: Vec<Vec<Option<Seconds>>>,
}

/// The selected row on the further targets, and which question that answers.
#[derive(Debug, Clone, Default)]
pub struct FurtherAnswers {
    /// The revision of the question, and the row.
    pub(super) asked: Option<(u64, Arc<Subject>)>,
    /// One answer per target, of many the first.
    pub(super) answers: Vec<Answer>,
}
