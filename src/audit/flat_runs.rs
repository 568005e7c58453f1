//! One kernel on one GPU over its sizes, and the sizes over which its time does not change.

use super::words::Word;
use std::collections::HashSet;
use std::ops::Range;

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
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkPoint {
    /// Grows with the labelled work; comparable within a series only.
    pub(super) work: f64,
    /// Median of its rows in milliseconds.
    pub(super) time: f64,
    /// Where its rows begin, and how many there are.
    first: u32,
    count: u32,
}

/// Points by work, with their rows. There may be as many points as rows: those of all points stand in one list.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkPoints {
    pub(super) points: Vec<WorkPoint>,
    rows: Vec<u32>,
}

impl WorkPoints {
    /// Puts a row of this work behind the others: into the last point where `is_same` says so of its work, else into a new one.
    pub(super) fn push(&mut self, work: f64, row: u32, is_same: impl Fn(f64) -> bool) {
        match self.points.last_mut() {
            Some(last) if is_same(last.work) => last.count += 1,
            _ => {
                let first = u32::try_from(self.rows.len()).expect("a sheet holds fewer than 2^32 rows");
                self.points.push(WorkPoint { work, time: 0.0, first, count: 1 });
            }
        }
        self.rows.push(row);
    }

    /// Sets the time of each point by its rows.
    pub(super) fn set_times(&mut self, time: impl Fn(&mut dyn Iterator<Item = usize>) -> f64) {
        for point in &mut self.points {
            point.time = time(&mut rows_at(&self.rows, point));
        }
    }

    /// The rows of one of these points.
    pub(super) fn rows_of(&self, point: &WorkPoint) -> impl Iterator<Item = usize> + Clone {
        rows_at(&self.rows, point)
    }

    /// The first row of one of these points.
    pub(super) fn first_row(&self, point: &WorkPoint) -> usize {
        self.rows[point.first as usize] as usize
    }

    /// Some points alone, with their rows.
    pub(super) fn part(&self, points: Range<usize>) -> Self {
        let mut part = Self::default();
        for point in &self.points[points] {
            let first = part.rows.len() as u32;
            part.rows.extend(self.rows_of(point).map(|row| row as u32));
            part.points.push(WorkPoint { first, ..*point });
        }
        part
    }
}

fn rows_at<'r>(rows: &'r [u32], point: &WorkPoint) -> impl Iterator<Item = usize> + Clone + use<'r> {
    let first = point.first as usize;
    rows[first..first + point.count as usize].iter().map(|row| *row as usize)
}

/// Points by work.
#[derive(Debug, Clone)]
pub(super) struct Series {
    pub(super) key: SeriesKey,
    pub(super) of: WorkPoints,
}

/// A flat run with the reason why it cannot be true.
#[derive(Debug, Clone)]
pub(super) struct FlatRun {
    pub(super) key: SeriesKey,
    pub(super) of: WorkPoints,
    pub(super) reason: String,
}

impl FlatRun {
    pub(super) fn row_places(&self) -> Vec<usize> {
        self.of.points.iter().flat_map(|point| self.of.rows_of(point)).collect()
    }
}

/// The flat runs of a sheet; found once, as most checks pass over their rows.
#[derive(Debug)]
pub(super) struct FlatRuns {
    /// By their keys.
    pub(super) runs: Vec<FlatRun>,
    /// Every series of a kernel and variant that has a run.
    pub(super) series: Vec<Series>,
    /// Every row that some run holds.
    pub(super) rows: HashSet<usize>,
}

impl FlatRuns {
    /// These runs, and the series beside which they are seen.
    pub(super) fn new(series: Vec<Series>, runs: Vec<FlatRun>) -> Self {
        let rows = runs.iter().flat_map(FlatRun::row_places).collect();
        Self { runs, series, rows }
    }
}
