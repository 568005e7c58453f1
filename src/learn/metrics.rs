//! How wrong predictions are. Every function takes true and predicted values of equal length, in one order, and answers
//! `None` where the metric has no meaning: no values, lengths that differ, a true value of 0 under a percentage, no variance.

use crate::stats::{self, mean};

/// A metric: true values, predicted values.
pub type ErrorMetric = fn(&[f64], &[f64]) -> Option<f64>;

/// Mean of |predicted - true| / |true|, in per cent.
#[must_use]
pub fn mape(truth: &[f64], predicted: &[f64]) -> Option<f64> {
    mean(&shares(truth, predicted)?)
}

/// Median of |predicted - true| / |true|, in per cent.
#[must_use]
pub fn median_ape(truth: &[f64], predicted: &[f64]) -> Option<f64> {
    median(shares(truth, predicted)?)
}

/// Mean of |predicted - true|, in the target's unit.
#[must_use]
pub fn mae(truth: &[f64], predicted: &[f64]) -> Option<f64> {
    mean(&errors(truth, predicted)?.iter().map(|e| e.abs()).collect::<Vec<_>>())
}

/// Root of the mean squared error, in the target's unit.
#[must_use]
pub fn rmse(truth: &[f64], predicted: &[f64]) -> Option<f64> {
    mean(&errors(truth, predicted)?.iter().map(|e| e * e).collect::<Vec<_>>()).map(f64::sqrt)
}

/// Coefficient of determination: 1 - squared errors over the target's squared deviations. Not bounded below.
#[must_use]
pub fn r2(truth: &[f64], predicted: &[f64]) -> Option<f64> {
    if truth.len() != predicted.len() {
        return None;
    }
    stats::r_squared(predicted.iter().copied().zip(truth.iter().copied()))
}

/// Explained variance: as [`r2`], but a constant offset is not an error.
#[must_use]
pub fn explained_variance(truth: &[f64], predicted: &[f64]) -> Option<f64> {
    let errors = errors(truth, predicted)?;
    let spread =
        |values: &[f64]| mean(values).map(|centre| values.iter().map(|v| (v - centre).powi(2)).sum::<f64>());
    let (total, left) = (spread(truth)?, spread(&errors)?);
    (total > 0.0).then(|| 1.0 - left / total)
}

/// The middle value, or the mean of the two in the middle.
#[must_use]
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    stats::median(&mut values)
}

fn errors(truth: &[f64], predicted: &[f64]) -> Option<Vec<f64>> {
    (truth.len() == predicted.len() && !truth.is_empty())
        .then(|| predicted.iter().zip(truth).map(|(p, t)| p - t).collect())
}

fn shares(truth: &[f64], predicted: &[f64]) -> Option<Vec<f64>> {
    let errors = errors(truth, predicted)?;
    errors.iter().zip(truth).map(|(e, t)| (*t != 0.0).then(|| 100.0 * (e / t).abs())).collect()
}
