//! Robust statistics: a few bad values must not hide themselves in the yardstick.

/// The middle value; NaN of nothing.
pub(super) fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this share lies; NaN of nothing.
pub(super) fn quantile(values: &mut [f64], share: f64) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    values.sort_by(f64::total_cmp);
    let at = share * (values.len() - 1) as f64;
    let (low, high) = (at.floor() as usize, at.ceil() as usize);
    values[low] + (values[high] - values[low]) * at.fract()
}

/// Median, and the median absolute deviation scaled to a normal distribution's standard deviation.
pub(super) fn middle_and_spread(values: &mut [f64]) -> (f64, f64) {
    /// 1 / Phi^-1(3/4): makes the median absolute deviation of a normal distribution its standard deviation.
    const NORMAL: f64 = 1.4826;
    let middle = median(values);
    let mut deviations: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    (middle, NORMAL * median(&mut deviations))
}

/// The arithmetic mean; NaN of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Smallest and largest.
pub(super) fn range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_wild_value_moves_neither_the_middle_nor_the_spread() {
        let (middle, spread) = middle_and_spread(&mut [1.0, 2.0, 3.0, 4.0, 1e9]);
        assert!((middle - 3.0).abs() < 1e-12 && (spread - 1.4826).abs() < 1e-12);
        assert!((quantile(&mut [0.0, 10.0], 0.25) - 2.5).abs() < 1e-12);
        assert!(median(&mut []).is_nan());
    }
}
