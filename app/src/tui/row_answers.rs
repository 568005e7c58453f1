//! The answers of the rows: the figures of every row, and whole answers of those that are looked at. A whole answer takes some kilobytes
//! and there may be ten thousand rows.

use crate::answer::Answer;
use crate::predict::TimeEstimate;
use crate::units::{FlopsPerSecond, Intensity, Seconds};
use hashbrown::HashMap;

/// So many whole answers are kept: several pages.
const MOST_WHOLE: usize = 256;

/// What rows are sorted, summed up and drawn by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowFigures {
    /// The time on the source.
    pub source: Option<Seconds>,
    /// The predicted time on the target.
    pub predicted: Option<Seconds>,
    /// The time measured on the target.
    pub measured: Option<Seconds>,
    /// [`Answer::speedup`].
    pub speedup: Option<f64>,
    /// [`Answer::error_percent`].
    pub error_percent: Option<f64>,
    /// [`Answer::timed_point`].
    pub point: Option<(Intensity, FlopsPerSecond)>,
    /// What the source is set to, where its row was measured at other clocks.
    pub clocks_name: Option<&'static str>,
    /// Whether the source's time at the clocks it is set to is predicted.
    pub has_stock_time: bool,
}

impl From<&Answer> for RowFigures {
    fn from(answer: &Answer) -> Self {
        Self {
            source: answer.source_time.as_ref().map(|t| t.time),
            predicted: answer.predicted_time(),
            measured: answer.measured.map(|m| m.time),
            speedup: answer.speedup(),
            error_percent: answer.error_percent(),
            point: answer.timed_point(),
            clocks_name: answer.profiled.as_ref().map(|p| p.clocks_name()),
            has_stock_time: answer.profiled.as_ref().is_some_and(|p| p.stock_time.is_some()),
        }
    }
}

/// A row's answers: the main target's figures, and the times of the further ones.
#[derive(Debug, Clone)]
pub struct AnsweredRow {
    /// Its place among the rows.
    pub row: usize,
    /// Those of the main target's answer.
    pub main: RowFigures,
    /// The further targets' times, in their order.
    pub further: Vec<Option<TimeEstimate>>,
}

/// By row.
#[derive(Debug, Clone, Default)]
pub struct RowAnswers {
    figures: Vec<Option<RowFigures>>,
    further: Vec<Box<[Option<TimeEstimate>]>>,
    whole: HashMap<usize, Box<Answer>>,
}

impl RowAnswers {
    /// So many rows, none of which has an answer.
    pub(super) fn unanswered(rows: usize) -> Self {
        let further = std::iter::repeat_with(Box::default).take(rows).collect();
        Self { figures: vec![None; rows], further, whole: HashMap::new() }
    }

    /// The figures of every row; `None` where the worker still predicts it.
    #[must_use]
    pub fn figures(&self) -> &[Option<RowFigures>] {
        &self.figures
    }

    /// A row's predicted times on the further targets, in their order; none where the worker still predicts them.
    #[must_use]
    pub fn on_further_targets(&self, row: usize) -> &[Option<TimeEstimate>] {
        self.further.get(row).map_or(&[], Box::as_ref)
    }

    /// A row's whole answer, where it is kept.
    #[must_use]
    pub fn whole(&self, row: usize) -> Option<&Answer> {
        self.whole.get(&row).map(Box::as_ref)
    }

    /// Puts a row's answers; whether it had none.
    pub(super) fn put(&mut self, answered: AnsweredRow) -> bool {
        let AnsweredRow { row, main, further } = answered;
        self.further[row] = further.into_boxed_slice();
        self.figures[row].replace(main).is_none()
    }

    /// Keeps the whole answer of a row that has its figures.
    pub(super) fn put_whole(&mut self, row: usize, answer: Box<Answer>) {
        self.whole.insert(row, answer);
    }

    /// Drops a row's answer; whether it had one.
    pub(super) fn forget(&mut self, row: usize) -> bool {
        self.whole.remove(&row);
        self.figures.get_mut(row).and_then(Option::take).is_some()
    }

    /// Drops whole answers but those of rows that are looked at, where there are many of them.
    pub(super) fn drop_unseen(&mut self, is_looked_at: impl Fn(usize) -> bool) {
        if self.whole.len() > MOST_WHOLE {
            self.whole.retain(|row, _| is_looked_at(*row));
        }
    }
}
