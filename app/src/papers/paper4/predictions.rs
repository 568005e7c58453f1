//! What paper 4's forest predicts of its test rows: the points of figures 7 to 9, the line of its equation 1 through them, and
//! the factor of its equation 3.

use super::models::{Paper4Architecture, values_at};
use super::numpy::train_test_split;
use super::prepare::PreparedRows;
use super::tables::{SPLIT, TESTED};
use crate::gemm::GemmTarget;
use crate::learn::metrics::median;
use crate::learn::{LearnError, Progress};
use crate::stats::mean;

/// Published coefficients of equation 1.
pub const PUBLISHED_LINE: FittedLine = FittedLine { slope: 0.97, intercept: 1.23 };

/// predicted = slope x measured + intercept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FittedLine {
    /// α.
    pub slope: f64,
    /// β, in the target's unit.
    pub intercept: f64,
}

/// Measured and predicted numbers of the test rows, by target in the order of [`GemmTarget::ALL`].
#[derive(Debug, Clone, PartialEq)]
pub struct TestPredictions {
    measured: [Vec<f64>; 4],
    predicted: [Vec<f64>; 4],
    /// Equation 9: what the stack multiplies forest, boosting and linear model with, by target.
    pub stack_weights: [Vec<f64>; 4],
}

impl TestPredictions {
    /// Trains the forest on the paper's split and asks it for the test rows.
    ///
    /// # Errors
    /// [`LearnError`] where the rows are too few, or it was cancelled.
    pub fn from_rows(rows: &PreparedRows, progress: &Progress) -> Result<Self, LearnError> {
        let (train, test) = train_test_split(rows.len(), TESTED, SPLIT);
        let forest = Paper4Architecture::Forest.recipe(u64::from(SPLIT));
        let stack = Paper4Architecture::Stack.recipe(u64::from(SPLIT));
        let (mut measured, mut predicted) = (<[Vec<f64>; 4]>::default(), <[Vec<f64>; 4]>::default());
        let mut stack_weights = <[Vec<f64>; 4]>::default();
        let (trained, tested) = (rows.features.select(&train), rows.features.select(&test));
        for target in GemmTarget::ALL {
            let (place, values) = (target as usize, rows.target(target));
            let known = values_at(values, &train);
            predicted[place] = forest.fit_model(&trained, &known, progress)?.predict(&tested)?;
            measured[place] = values_at(values, &test);
            let stacked = stack.fit_model(&trained, &known, progress)?;
            stack_weights[place] = stacked.model().stack_weights().unwrap_or_default();
        }
        Ok(Self { measured, predicted, stack_weights })
    }

    /// Measured and predicted numbers of this target, in one order.
    #[must_use]
    pub fn of_target(&self, target: GemmTarget) -> (&[f64], &[f64]) {
        (&self.measured[target as usize], &self.predicted[target as usize])
    }

    /// Equation 1: the line of least squares through predicted over measured; `None` where the measured do not vary.
    #[must_use]
    pub fn line(&self, target: GemmTarget) -> Option<FittedLine> {
        let (x, y) = self.of_target(target);
        fitted_line(x, y)
    }

    /// Equation 3: γ, the median of predicted energy over predicted time x predicted power; energy in J, time in ms, power in W,
    /// so that 1 is energy = time x power.
    #[must_use]
    pub fn energy_factor(&self) -> Option<f64> {
        let of = |t: GemmTarget| self.predicted[t as usize].iter();
        let rows = of(GemmTarget::Energy).zip(of(GemmTarget::Time)).zip(of(GemmTarget::Power));
        median(rows.map(|((joules, ms), watts)| joules / (ms / 1e3 * watts)).collect())
    }
}

fn fitted_line(x: &[f64], y: &[f64]) -> Option<FittedLine> {
    let (mx, my) = (mean(x)?, mean(y)?);
    let variance = x.iter().map(|v| (v - mx).powi(2)).sum::<f64>();
    let covariance = x.iter().zip(y).map(|(a, b)| (a - mx) * (b - my)).sum::<f64>();
    let slope = covariance / variance;
    slope.is_finite().then_some(FittedLine { slope, intercept: my - slope * mx })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_least_squares_is_numpys() {
        // numpy.polyfit([1, 2, 4, 7], [2, 3, 7, 9], 1)
        let line = fitted_line(&[1.0, 2.0, 4.0, 7.0], &[2.0, 3.0, 7.0, 9.0]).unwrap();
        assert!((line.slope - 1.214_285_714_285_714).abs() < 1e-12, "{line:?}");
        assert!((line.intercept - 1.0).abs() < 1e-12, "{line:?}");
        assert_eq!(fitted_line(&[2.0, 2.0], &[1.0, 3.0]), None);
    }
}
