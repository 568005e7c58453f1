//! One kernel on one GPU over its sizes, and the sizes over which its time does not change.

use super::words::Word;
use std::collections::HashSet;

/// What tells series apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct SeriesKey {
    pub(super) file: usize,
    pub(super) gpu: Word,
    pub(super) kernel: Word,
    pub(super) variant: Word,
    pub(super) dtype: Word,
}

/// One amount of work.
#[derive(Debug, Clone)]
pub(super) struct WorkPoint {
    /// Grows with the labelled work; comparable within a series only.
    pub(super) work: f64,
    /// Median of its rows in milliseconds.
    pub(super) time: f64,
    pub(super) rows: Vec<usize>,
}

/// Points by work.
#[derive(Debug, Clone)]
pub(super) struct Series {
    pub(super) key: SeriesKey,
    pub(super) points: Vec<WorkPoint>,
}

/// A flat run with the reason why it cannot be true.
#[derive(Debug, Clone)]
pub(super) struct FlatRun {
    pub(super) key: SeriesKey,
    pub(super) points: Vec<WorkPoint>,
    pub(super) reason: String,
}

impl FlatRun {
    pub(super) fn row_places(&self) -> Vec<usize> {
        self.points.iter().flat_map(|p| p.rows.iter().copied()).collect()
    }
}

/// Every series of a sheet, and the flat runs in them; found once, as most checks pass over their rows.
#[derive(Debug)]
pub(super) struct FlatRuns {
    pub(super) series: Vec<Series>,
    pub(super) runs: Vec<FlatRun>,
    /// Every row that some run holds.
    pub(super) rows: HashSet<usize>,
}

impl FlatRuns {
    /// These series with the runs found in them.
    pub(super) fn new(series: Vec<Series>, runs: Vec<FlatRun>) -> Self {
        let rows = runs.iter().flat_map(FlatRun::row_places).collect();
        Self { series, runs, rows }
    }
}
