//! How much an interval covers, and the rank of split conformal that makes it so.

/// The share of residuals an interval covers.
pub const COVERAGE: f64 = 0.9;

/// Which of n residuals, counted from 1 and the smallest, is the end of an interval; `None` where n are too few for the
/// coverage.
#[must_use]
pub fn conformal_rank(n: usize) -> Option<usize> {
    let rank = (COVERAGE * (n + 1) as f64).ceil() as usize;
    (1..=n).contains(&rank).then_some(rank)
}

/// The end of an interval over these residuals, the one of [`conformal_rank`]; `None` where they are too few.
#[must_use]
pub fn conformal_width(mut residuals: Vec<f64>) -> Option<f64> {
    residuals.sort_by(f64::total_cmp);
    Some(residuals[conformal_rank(residuals.len())? - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conformal_rank_needs_nine_residuals() {
        assert_eq!([8, 9, 19].map(conformal_rank), [None, Some(9), Some(18)]);
    }
}
