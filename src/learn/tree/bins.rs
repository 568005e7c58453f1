//! Columns as small whole numbers: what trees are grown on.
//!
//! A column with at most [`MAX_BINS`] different values gets one bin for each of them, and splits on it are exact. One with
//! more is cut at that many quantiles: a split is then found at one of 1023 places instead of one of 250,000, which costs
//! no accuracy that could be measured and is what makes a forest on many rows quick.

use crate::cores;
use crate::learn::LearningTable;
use std::collections::HashMap;

/// Most bins of a column.
pub(in crate::learn) const MAX_BINS: usize = 1024;

/// A table's columns in bins.
#[derive(Debug)]
pub(in crate::learn) struct Binned {
    pub(super) columns: Vec<BinnedColumn>,
    /// By column, the first one that puts every row into the same bin: itself where none before it does.
    pub(super) twins: Vec<usize>,
}

/// One column: the bin of each row, and the smallest and largest value of each bin.
#[derive(Debug)]
pub(super) struct BinnedColumn {
    pub(super) bins: Vec<u16>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Binned {
    pub(in crate::learn) fn new(table: &LearningTable) -> Self {
        let columns: Vec<BinnedColumn> =
            cores::collect(table.width(), |j| BinnedColumn::new(&table.column(j)));
        let mut first: HashMap<&[u16], usize> = HashMap::new();
        let places = columns.iter().enumerate();
        let twins = places.map(|(place, column)| *first.entry(&column.bins).or_insert(place)).collect();
        Self { columns, twins }
    }

    pub(in crate::learn) fn width(&self) -> usize {
        self.columns.len()
    }
}

impl BinnedColumn {
    fn new(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let mut distinct = sorted.clone();
        distinct.dedup_by(|a, b| a == b); // -0.0 and 0.0 are one value
        let (low, high) =
            if distinct.len() <= MAX_BINS { (distinct.clone(), distinct) } else { quantiles(&sorted) };
        let bin = |v: &f64| u16::try_from(high.partition_point(|h| h < v)).expect("at most MAX_BINS bins");
        Self { bins: values.iter().map(bin).collect(), low, high }
    }

    /// How many bins there are.
    pub(super) fn len(&self) -> usize {
        self.high.len()
    }

    /// The number between two bins, such that every value of `left` is at or below it and every value of `right` above.
    pub(super) fn between(&self, left: usize, right: usize) -> f64 {
        let (a, b) = (self.high[left], self.low[right]);
        let middle = f64::midpoint(a, b);
        if middle >= b { a } else { middle }
    }
}

/// Smallest and largest value of at most [`MAX_BINS`] bins of about equally many rows; equal values share a bin.
fn quantiles(sorted: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut low, mut high) = (Vec::with_capacity(MAX_BINS), Vec::with_capacity(MAX_BINS));
    let mut start = 0;
    while start < sorted.len() {
        let bins_left = MAX_BINS - low.len();
        let wanted = (sorted.len() - start).div_ceil(bins_left);
        let last = sorted[start + wanted - 1];
        low.push(sorted[start]);
        high.push(last);
        start += sorted[start..].partition_point(|v| *v <= last);
    }
    (low, high)
}
