//! Error metrics (paper 1, section 6): MAPE, median absolute percentage error, median predicted/measured, within X %; and
//! R², the mean absolute error, which GPU is faster, how often intervals hold.

use crate::answer::AnswerTrial;
use crate::stats;
use std::borrow::Borrow;

/// Two measured times closer than this are no order: timing itself is not that steady.
const APART: f64 = 1.05;

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
    /// Share of predictions within 10 % of the measured time, in percent.
    pub within_10_percent: f64,
    /// Share of predictions within 25 % of the measured time, in percent.
    pub within_25_percent: f64,
    /// Share of predictions within 50 % of the measured time, in percent.
    pub within_50_percent: f64,
    /// Coefficient of determination over the times; `None` where all measured times are equal.
    pub r2: Option<f64>,
    /// Mean absolute error, in the unit of the pairs.
    pub mean_absolute_error: f64,
}

/// Metrics over `(predicted, measured)` pairs; `None` for none.
#[must_use]
pub fn summarise(pairs: &[(f64, f64)]) -> Option<ErrorSummary> {
    summary_of(pairs.iter().copied())
}

/// [`summarise`] of pairs that can be gone through again: none of them is kept.
fn summary_of(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Option<ErrorSummary> {
    let mut errors: Vec<f64> = pairs.clone().map(|(p, m)| 100.0 * (p / m - 1.0).abs()).collect();
    let n = errors.len();
    if n == 0 {
        return None;
    }
    let within = |percent: f64| percent_of(errors.iter().filter(|e| **e <= percent).count(), n);
    let [within_10_percent, within_25_percent, within_50_percent] = [10.0, 25.0, 50.0].map(within);
    Some(ErrorSummary {
        n,
        mape_percent: errors.iter().sum::<f64>() / n as f64,
        within_10_percent,
        within_25_percent,
        within_50_percent,
        r2: stats::r_squared(pairs.clone()),
        mean_absolute_error: pairs.clone().map(|(p, m)| (p - m).abs()).sum::<f64>() / n as f64,
        median_ape_percent: middle(&mut errors),
        median_ratio: {
            errors.clear();
            errors.extend(pairs.map(|(p, m)| p / m));
            middle(&mut errors)
        },
    })
}

/// The middle of values that are there.
fn middle(values: &mut [f64]) -> f64 {
    stats::median(values).unwrap_or(f64::NAN)
}

fn percent_of(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all as f64
}

/// Everything that is said about a set of trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Times against times, in seconds.
    pub errors: ErrorSummary,
    /// How often the model says rightly which of the two GPUs is faster, in percent; a model that calls them equal counts
    /// half. `None` where no two measured times are 5 % apart.
    pub order_accuracy_percent: Option<f64>,
    /// How many of the intervals hold the measured time, in percent; `None` without intervals.
    pub coverage_90_percent: Option<f64>,
    /// The median of upper over lower end of the intervals.
    pub width: Option<f64>,
}

/// The score of these trials; `None` for none.
#[must_use]
pub fn score<I>(trials: I) -> Option<Score>
where
    I: IntoIterator<Item: Borrow<AnswerTrial>>,
    I::IntoIter: Clone,
{
    let trials = trials.into_iter();
    let time_pair = |t: &AnswerTrial| (t.predicted, t.measured);
    let errors = summary_of(trials.clone().map(|t| time_pair(t.borrow())))?;
    let (ordered, right) =
        trials.clone().filter_map(|t| order(t.borrow())).fold((0, 0.0), |(n, sum), o| (n + 1, sum + o));
    let held = trials.clone().filter(|t| t.borrow().held() == Some(true)).count();
    let mut widths: Vec<f64> = trials.filter_map(|t| t.borrow().error_factor()).map(|f| f * f).collect();
    Some(Score {
        errors,
        order_accuracy_percent: (ordered > 0).then(|| 100.0 * right / f64::from(ordered)),
        coverage_90_percent: (!widths.is_empty()).then(|| percent_of(held, widths.len())),
        width: (!widths.is_empty()).then(|| middle(&mut widths)),
    })
}

/// 1 where the model names the faster GPU, 0 where it names the other, 0.5 where it calls them equal; `None` where the two
/// measured times are too close for an order.
fn order(trial: &AnswerTrial) -> Option<f64> {
    let source = trial.source_time.known().filter(|_| trial.source != trial.target)?;
    order_of([source, trial.predicted], trial.measured)
}

/// [`order`] of a time on the source and a predicted one, where this one was measured.
pub(super) fn order_of([source, predicted]: [f64; 2], measured: f64) -> Option<f64> {
    let (measured, predicted) = (measured / source, predicted / source);
    if measured < APART && measured.recip() < APART {
        return None;
    }
    if predicted == 1.0 {
        return Some(0.5);
    }
    Some(f64::from(u8::from((predicted > 1.0) == (measured > 1.0))))
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
        assert!((s.within_50_percent - 75.0).abs() < 1e-9);
        assert!((s.mean_absolute_error - 0.4).abs() < 1e-9);
        assert_eq!(s.r2, None, "all measured times are equal");
        assert_eq!(summarise(&[]), None);
    }

    #[test]
    fn r2_by_hand() {
        // Mean 2, spread 1 + 0 + 1 = 2, missed 0.25 + 0 + 0.25 = 0.5.
        let s = summarise(&[(1.5, 1.0), (2.0, 2.0), (2.5, 3.0)]).unwrap();
        assert!((s.r2.unwrap() - 0.75).abs() < 1e-12);
        assert_eq!(s.median_ratio, 1.0);
    }

    fn trial(source_time: f64, predicted: f64, measured: f64) -> AnswerTrial {
        AnswerTrial {
            source_time: Some(source_time).into(),
            predicted,
            measured,
            ..AnswerTrial::of_pair(0, 1)
        }
    }

    #[test]
    fn order_counts_only_times_that_are_five_percent_apart() {
        let all = [
            trial(1.0, 0.5, 0.8),  // faster, and said so
            trial(1.0, 1.5, 0.8),  // faster, and called slower
            trial(1.0, 1.0, 2.0),  // called equal
            trial(1.0, 9.0, 1.04), // too close
            trial(1.0, 9.0, 0.96), // too close
        ];
        assert_eq!(score(all).unwrap().order_accuracy_percent, Some(50.0));
        assert_eq!(score(&all[3..]).unwrap().order_accuracy_percent, None);
    }

    #[test]
    fn coverage_and_width_are_those_of_the_intervals_given() {
        let with =
            |predicted, measured, factor| AnswerTrial { interval: factor, ..trial(1.0, predicted, measured) };
        let all = [with(1.0, 1.9, 2.0), with(1.0, 2.1, 2.0), with(1.0, 0.6, 3.0), with(1.0, 9.0, 0.0)];
        let s = score(all).unwrap();
        assert!((s.coverage_90_percent.unwrap() - 200.0 / 3.0).abs() < 1e-9);
        assert_eq!(s.width, Some(4.0));
        assert_eq!((s.errors.n, score(&all[..0])), (4, None));
    }
}
