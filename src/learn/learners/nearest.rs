//! k nearest neighbours by Euclidean distance, brute force, the plain mean of the k (scikit-learn's default). Of equally
//! far rows the one that stands first is nearer, so that the answer does not depend on the machine.

use serde::{Deserialize, Serialize};

/// The rows themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Nearest {
    pub(super) k: usize,
    pub(super) width: usize,
    /// Row after row.
    pub(super) rows: Vec<f64>,
    pub(super) targets: Vec<f64>,
}

impl Nearest {
    /// Whether its rows have this width, and there are enough of them.
    pub(super) fn is_of(&self, width: usize) -> bool {
        let n = self.targets.len();
        self.width == width && self.rows.len() == n * width && (1..=n).contains(&self.k)
    }

    pub(super) fn predict_row(&self, row: &[f64]) -> f64 {
        let mut nearest: Vec<(f64, usize)> = Vec::with_capacity(self.k + 1);
        for (at, known) in self.rows.chunks_exact(self.width).enumerate() {
            let distance: f64 = known.iter().zip(row).map(|(a, b)| (a - b) * (a - b)).sum();
            if nearest.len() < self.k || nearest.last().is_some_and(|(far, _)| distance < *far) {
                let place = nearest.partition_point(|(near, _)| *near <= distance);
                nearest.insert(place, (distance, at));
                nearest.truncate(self.k);
            }
        }
        nearest.iter().map(|(_, at)| self.targets[*at]).sum::<f64>() / nearest.len() as f64
    }
}
