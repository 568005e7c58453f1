//! Error metrics (paper 1, section 6): MAPE, median absolute percentage error, median predicted/measured, within X %.

/// How a set of predictions compares with measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorSummary {
    /// Number of predictions.
    pub n: usize,
    /// Mean absolute percentage error.
    pub mape_percent: f64,
    /// Median absolute percentage error.
    pub median_ape_percent: f64,
    /// Median of predicted over measured; above 1 = too slow.
    pub median_ratio: f64,
    /// Share of predictions within 25 % of the measured time, in percent.
    pub within_25_percent: f64,
}

/// Metrics over `(predicted, measured)` pairs; `None` for none.
#[must_use]
pub fn summarise(pairs: &[(f64, f64)]) -> Option<ErrorSummary> {
    if pairs.is_empty() {
        return None;
    }
    let n = pairs.len();
    let mut errors: Vec<f64> = pairs.iter().map(|(p, m)| 100.0 * (p / m - 1.0).abs()).collect();
    let mut ratios: Vec<f64> = pairs.iter().map(|(p, m)| p / m).collect();
    let within = errors.iter().filter(|e| **e <= 25.0).count();
    Some(ErrorSummary {
        n,
        mape_percent: errors.iter().sum::<f64>() / n as f64,
        median_ape_percent: median(&mut errors),
        median_ratio: median(&mut ratios),
        within_25_percent: 100.0 * within as f64 / n as f64,
    })
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_pairs_give_known_metrics() {
        let s = summarise(&[(1.1, 1.0), (0.5, 1.0), (2.0, 1.0), (1.0, 1.0)]).unwrap();
        assert!((s.mape_percent - 40.0).abs() < 1e-9);
        assert!((s.median_ape_percent - 30.0).abs() < 1e-9);
        assert!((s.median_ratio - 1.05).abs() < 1e-9);
        assert!((s.within_25_percent - 50.0).abs() < 1e-9);
        assert_eq!(summarise(&[]), None);
    }
}
