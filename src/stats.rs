//! Statistics of plain numbers, each once: what a screen, a table, a check and a model call a median is the same.

/// The arithmetic mean; `None` of nothing.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value, or the mean of the two in the middle; `None` of nothing. The values change places.
#[must_use]
pub fn median(values: &mut [f64]) -> Option<f64> {
    let (count, at) = (values.len(), values.len() / 2);
    if count == 0 {
        return None;
    }
    let (below, middle, _) = values.select_nth_unstable_by(at, f64::total_cmp);
    let middle = *middle;
    if count % 2 == 1 {
        return Some(middle);
    }
    let before = below.iter().copied().max_by(f64::total_cmp).unwrap_or(middle);
    Some(f64::midpoint(before, middle))
}

/// The value below which this share of sorted values lies, between neighbours in proportion (numpy's and pandas' default);
/// `None` of nothing.
#[must_use]
pub fn sorted_quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let at = share * sorted.len().checked_sub(1)? as f64;
    let below = at.floor() as usize;
    let (low, high) = (sorted.get(below)?, sorted.get(below + 1).or(sorted.last())?);
    Some(low + (at - below as f64) * (high - low))
}

/// [`sorted_quantile`] of values in any order; they are sorted.
#[must_use]
pub fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    sorted_quantile(values, share)
}

/// The standard deviation of a sample (n - 1); `None` of fewer than two values.
#[must_use]
pub fn sample_deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values).filter(|_| values.len() > 1)?;
    let squares: f64 = values.iter().map(|v| (v - centre).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// The standard error of the mean of a sample; `None` of fewer than two values.
#[must_use]
pub fn standard_error(values: &[f64]) -> Option<f64> {
    sample_deviation(values).map(|deviation| deviation / (values.len() as f64).sqrt())
}

/// Coefficient of determination, 1 - Σ(true - predicted)² / Σ(true - mean)², of `(predicted, true)` pairs; not bounded
/// below. `None` where all true values are equal.
#[must_use]
pub fn r_squared(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<f64> {
    let truth: Vec<f64> = pairs.clone().map(|(_, truth)| truth).collect();
    let centre = mean(&truth)?;
    let spread: f64 = truth.iter().map(|t| (t - centre).powi(2)).sum();
    let missed: f64 = pairs.map(|(predicted, truth)| (truth - predicted).powi(2)).sum();
    (spread > 0.0).then(|| 1.0 - missed / spread)
}

/// Smallest and largest; infinities the other way round of nothing.
#[must_use]
pub fn value_range(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_an_even_number_lies_between_two() {
        assert_eq!(median(&mut [1e9, 2.0, 1.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!((median(&mut []), mean(&[]), quantile(&mut [], 0.5)), (None, None, None));
    }

    #[test]
    fn quantiles_lie_between_the_values() {
        assert_eq!(quantile(&mut [10.0, 0.0], 0.25), Some(2.5));
        assert_eq!(quantile(&mut [3.0, 1.0, 2.0], 1.0), Some(3.0));
    }

    #[test]
    fn a_deviation_needs_two() {
        assert_eq!(sample_deviation(&[1.0]), None);
        assert_eq!(sample_deviation(&[1.0, 3.0]), Some(std::f64::consts::SQRT_2));
        assert_eq!((standard_error(&[1.0]), standard_error(&[1.0, 3.0])), (None, Some(1.0)));
    }

    #[test]
    fn r_squared_by_hand() {
        // Mean 2, spread 1 + 0 + 1 = 2, missed 0.25 + 0 + 0.25 = 0.5.
        let pairs = [(1.5, 1.0), (2.0, 2.0), (2.5, 3.0)];
        assert_eq!(r_squared(pairs.into_iter()), Some(0.75));
        assert_eq!(r_squared([(1.0, 2.0), (3.0, 2.0)].into_iter()), None);
    }
}
