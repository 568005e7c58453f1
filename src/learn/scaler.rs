//! Columns brought to mean 0 and standard deviation 1, inside a model, so that nobody can forget it when predicting.

use super::table::LearningTable;
use serde::{Deserialize, Serialize};

/// Mean and standard deviation (over n, as scikit-learn's `StandardScaler`) of each training column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Scaler {
    means: Vec<f64>,
    /// 1 where a column is constant: it becomes 0 everywhere.
    deviations: Vec<f64>,
}

impl Scaler {
    pub(super) fn new(table: &LearningTable) -> Self {
        let (means, deviations) = (0..table.width()).map(|j| spread(&table.column(j))).unzip();
        Self { means, deviations }
    }

    /// Columns; 0 where its two lists differ.
    pub(super) fn width(&self) -> usize {
        if self.means.len() == self.deviations.len() { self.means.len() } else { 0 }
    }

    pub(super) fn scaled_row(&self, row: &[f64]) -> Vec<f64> {
        let moments = self.means.iter().zip(&self.deviations);
        row.iter().zip(moments).map(|(v, (mean, deviation))| (v - mean) / deviation).collect()
    }

    pub(super) fn scaled_table(&self, table: &LearningTable) -> Result<LearningTable, super::LearnError> {
        LearningTable::new(
            table.names().to_vec(),
            table.rows().flat_map(|row| self.scaled_row(row)).collect(),
        )
    }
}

fn spread(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().map(|v| v / n).sum::<f64>();
    let deviation = (values.iter().map(|v| (v - mean).powi(2) / n).sum::<f64>()).sqrt();
    // What rounding leaves of a constant column is no deviation.
    let constant = !deviation.is_finite() || deviation <= 10.0 * f64::EPSILON * mean.abs();
    (mean, if constant || deviation == 0.0 { 1.0 } else { deviation })
}
