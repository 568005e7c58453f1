//! Paper 3's Tables 2 and 3: of 639 launches of its own 11 kernels on an RTX 2080 Ti, whose data were never published. They
//! stand beside ours and are no target: the speedups are over one thread there.

use crate::train::trained::Errors;

/// Table 3, by the names of our columns.
const IMPORTANCES: [(&str, f64); 9] = [
    ("cgma", 0.908),
    ("global_memory_reduction_bytes", 0.0487),
    ("max_percentage_of_blocks", 0.0183),
    ("blocks", 0.0143),
    ("shared_memory_utilization", 0.0054),
    ("problem_size", 0.0030),
    ("threads_per_block", 0.0024),
    ("branch_divergence_percent", 0.0010),
    ("occupancy", 0.0005),
];

/// What Table 3 states for this column.
pub(super) fn importance(column: &str) -> Option<f64> {
    IMPORTANCES.iter().find(|(name, _)| *name == column).map(|(_, share)| *share)
}

/// Table 2. The paper tests on a fifth of its 639 rows.
pub(super) fn errors() -> Errors {
    Errors {
        protocol: "paper 3's Table 2: 80:20 of its own 639 rows, over one thread".into(),
        published: true,
        n: 128,
        mape: Some(55.15),
        median_ape: None,
        mae: Some(442.78),
        rmse: Some(3767.63),
        r2: Some(0.9287),
        explained_variance: Some(0.9291),
        coverage: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::paper3::METRICS;

    #[test]
    fn every_metric_has_its_published_importance_and_they_sum_to_one() {
        assert!(METRICS.iter().all(|m| importance(m).is_some()));
        let sum: f64 = IMPORTANCES.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 0.002, "{sum}: as rounded in the paper");
    }
}
