//! The audit's yardsticks: a few bad values must not hide themselves in them.

use crate::stats;
pub(super) use crate::stats::value_range as range;

/// The middle value; NaN of nothing.
pub(super) fn median(values: &mut [f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this share lies; NaN of nothing.
pub(super) fn quantile(values: &mut [f64], share: f64) -> f64 {
    stats::quantile(values, share).unwrap_or(f64::NAN)
}

/// The arithmetic mean; NaN of nothing.
pub(super) fn mean(values: &[f64]) -> f64 {
    stats::mean(values).unwrap_or(f64::NAN)
}
