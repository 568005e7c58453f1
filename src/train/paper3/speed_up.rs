//! What the trained forest says of a launch that nobody ran: its speedup over the reference, which is what paper 3 is for.
//!
//! The interval is split conformal in ln: the 90 % point of |ln(measured / predicted)| over whole problems that were held out,
//! or over the tested rows where there is one problem alone.

use super::metrics::{METRICS, ProfileMetric};
use super::samples::ReferenceLaunch;
use crate::answer::conformal_width;
use crate::learn::prepare::MedianImputer;
use crate::learn::{Fitted, LearnError, OutlinedNode};
use crate::train::Made;
use serde::{Deserialize, Serialize};

/// The forest, and what must be known to ask it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpeedUpForest {
    pub(super) imputer: MedianImputer,
    pub(super) fitted: Fitted,
    /// Places in [`METRICS`] of its columns.
    pub(super) columns: Vec<usize>,
    /// Least and greatest number of each column that it was trained on; `None` where nobody knew one.
    pub(super) ranges: Vec<Option<(f64, f64)>>,
    /// Half-width of the 90 % interval in ln; `None` where too few errors are known.
    pub(super) ln_90: Option<f64>,
    /// What speedups are over.
    pub reference: ReferenceLaunch,
}

/// A speedup that was not measured.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeedUp {
    /// Time of the reference over the time of the launch.
    pub value: f64,
    /// Ends of the 90 % interval.
    pub interval: Option<(f64, f64)>,
    /// Columns outside what the forest was trained on: a forest does not reach beyond it.
    pub outside: Vec<&'static str>,
    /// Columns that nobody knows of this launch, filled with the median of the training rows.
    pub filled: Vec<&'static str>,
}

impl SpeedUpForest {
    /// The forest of a training, from its bytes.
    ///
    /// # Errors
    /// [`LearnError::File`] where they are of another recipe.
    pub fn from_made(made: &Made) -> Result<Self, LearnError> {
        let foreign = |e: postcard::Error| LearnError::File { file: "paper3".into(), what: e.to_string() };
        postcard::from_bytes(&made.model).map_err(foreign)
    }

    /// The first `splits` levels of its first tree; columns are [`SpeedUpForest::column_names`].
    #[must_use]
    pub fn first_tree(&self, splits: usize) -> Vec<OutlinedNode> {
        self.fitted.outlined(0, splits)
    }

    /// The names of its columns, in the order of the training table.
    #[must_use]
    pub fn column_names(&self) -> &[String] {
        self.fitted.names()
    }

    /// The speedup of the launch with these metrics.
    ///
    /// # Errors
    /// [`LearnError`] where a metric is not finite.
    pub fn speed_up(&self, metrics: &[ProfileMetric; METRICS.len()]) -> Result<SpeedUp, LearnError> {
        let row: Vec<Option<f64>> = self.columns.iter().map(|c| metrics[*c].value).collect();
        let table = self.imputer.fill(std::slice::from_ref(&row))?;
        let value = self.fitted.predict_row(table.row_values(0));
        let (mut outside, mut filled) = (Vec::new(), Vec::new());
        for ((column, known), range) in self.columns.iter().zip(&row).zip(&self.ranges) {
            match (known, range) {
                (None, _) => filled.push(METRICS[*column]),
                (Some(v), Some((low, high))) if (low..=high).contains(&v) => {}
                (Some(_), _) => outside.push(METRICS[*column]),
            }
        }
        let interval = self.ln_90.map(|ln| (value * (-ln).exp(), value * ln.exp()));
        Ok(SpeedUp { value, interval, outside, filled })
    }
}

/// The 90 % point of |ln(measured / predicted)|; `None` where there are too few.
pub(super) fn half_width(measured: &[f64], predicted: &[f64]) -> Option<f64> {
    let errors = measured.iter().zip(predicted).map(|(m, p)| (m / p).ln().abs()).collect();
    conformal_width(errors).filter(|v| v.is_finite())
}

/// Least and greatest known number of each column.
pub(super) fn known_ranges(rows: &[Vec<Option<f64>>], width: usize) -> Vec<Option<(f64, f64)>> {
    let wider = |range: Option<(f64, f64)>, v: f64| {
        Some(range.map_or((v, v), |(low, high)| (f64::min(low, v), f64::max(high, v))))
    };
    (0..width).map(|j| rows.iter().filter_map(|r| r[j]).fold(None, wider)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_half_width_is_the_ninety_percent_point_by_hand() {
        // Nine errors: rank ceil(0.9 x 10) = 9, the largest.
        let measured: Vec<f64> = (1..=9).map(|i| f64::from(i).exp()).collect();
        assert_eq!(half_width(&measured, &[1.0; 9]), Some(9.0));
        assert_eq!(half_width(&measured[..8], &[1.0; 8]), None, "eight say nothing of 90 %");
    }

    #[test]
    fn ranges_are_of_what_is_known() {
        let rows = vec![vec![Some(2.0), None], vec![Some(-1.0), None]];
        assert_eq!(known_ranges(&rows, 2), [Some((-1.0, 2.0)), None]);
    }
}
