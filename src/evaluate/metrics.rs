//! Error metrics (paper 1, section 6): MAPE, median absolute percentage error, median predicted/measured, within X %; and
//! R², the mean absolute error, which GPU is faster, how often intervals hold.

use super::median_search::MedianSearch;
use crate::answer::AnswerTrial;
use crate::stats;
use std::borrow::Borrow;
use std::collections::BTreeMap;

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
    let mut sums = ErrorSums::default();
    pairs.iter().for_each(|(predicted, measured)| sums.add_times(*predicted, *measured));
    let ratios = pairs.iter().map(|(predicted, measured)| sums.add_spread(*predicted, *measured));
    let mut ratios: Vec<f64> = ratios.collect();
    sums.into_summary(Middle::of_ratios(&mut ratios)?)
}

/// The middle of the predictions' ratios to the measured times, and of their errors in percent.
#[derive(Debug, Clone, Copy)]
struct Middle {
    ratio: f64,
    error: f64,
}

impl Middle {
    /// Of all these ratios, which change; `None` of none.
    fn of_ratios(ratios: &mut [f64]) -> Option<Self> {
        let ratio = stats::median(ratios)?;
        ratios.iter_mut().for_each(|ratio| *ratio = percentage_error(*ratio));
        Some(Self { ratio, error: stats::median(ratios)? })
    }
}

/// What a summary is made of, pair by pair.
#[derive(Debug, Clone, Copy, Default)]
struct ErrorSums {
    n: usize,
    errors: f64,
    within: [usize; WITHIN.len()],
    absolute: f64,
    measured: f64,
    /// Squares of what was missed, and of what measured times are apart from their mean.
    missed: f64,
    spread: f64,
}

/// Times this near to their mean are equal.
const SAME_TIME: f64 = 1e-9;

/// Percentages within which predictions are counted.
const WITHIN: [f64; 3] = [10.0, 25.0, 50.0];

impl ErrorSums {
    /// Every pair is added once.
    fn add_times(&mut self, predicted: f64, measured: f64) {
        let error = percentage_error(predicted / measured);
        self.n += 1;
        self.errors += error;
        for (count, percent) in self.within.iter_mut().zip(WITHIN) {
            *count += usize::from(error <= percent);
        }
        self.absolute += (predicted - measured).abs();
        self.measured += measured;
        self.missed += (measured - predicted).powi(2);
    }

    /// Every pair is added again, once all were; the ratio of the two.
    fn add_spread(&mut self, predicted: f64, measured: f64) -> f64 {
        self.spread += (measured - self.measured / self.n as f64).powi(2);
        predicted / measured
    }

    /// Whether measured times are apart by more than rounding leaves of equal ones.
    fn times_vary(&self) -> bool {
        let n = self.n as f64;
        self.spread > n * (SAME_TIME * self.measured / n).powi(2)
    }

    /// The summary of what was added; `None` of nothing.
    fn into_summary(self, middle: Middle) -> Option<ErrorSummary> {
        let [within_10_percent, within_25_percent, within_50_percent] =
            self.within.map(|count| percent_of(count, self.n));
        Some(ErrorSummary {
            n: self.n,
            mape_percent: self.errors / self.n as f64,
            median_ape_percent: middle.error,
            median_ratio: middle.ratio,
            within_10_percent,
            within_25_percent,
            within_50_percent,
            r2: self.times_vary().then(|| 1.0 - self.missed / self.spread),
            mean_absolute_error: self.absolute / self.n as f64,
        })
    }
}

/// The error in percent of a predicted time over the measured one.
fn percentage_error(ratio: f64) -> f64 {
    100.0 * (ratio - 1.0).abs()
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
    group_scores(&mut |take| trials.clone().for_each(|trial| take(trial.borrow(), 0)), MANY).pop().flatten()
}

/// With no more trials than these a number of each is kept.
const MANY: usize = 1 << 22;

/// In no more groups than these medians are searched for: each search has room of its own.
const FEW_GROUPS: usize = 100;

/// The score of each group of these trials, by this key, in the order of the keys. They are gone through three or four times; of many in
/// few groups no number is kept of each.
#[must_use]
pub fn scores_by<I, K: Ord>(trials: I, key: impl Fn(&AnswerTrial) -> K) -> Vec<(K, Score)>
where
    I: IntoIterator<Item: Borrow<AnswerTrial>>,
    I::IntoIter: Clone,
{
    scores_by_with(trials.into_iter(), key, MANY)
}

fn scores_by_with<I, K: Ord>(trials: I, key: impl Fn(&AnswerTrial) -> K, many: usize) -> Vec<(K, Score)>
where
    I: Iterator<Item: Borrow<AnswerTrial>> + Clone,
{
    let mut numbers: BTreeMap<K, usize> = BTreeMap::new();
    let mut each = |take: &mut dyn FnMut(&AnswerTrial, usize)| {
        for trial in trials.clone() {
            let trial = trial.borrow();
            let next = numbers.len();
            take(trial, *numbers.entry(key(trial)).or_insert(next));
        }
    };
    let scores = group_scores(&mut each, many);
    numbers.into_iter().filter_map(|(key, number)| Some((key, scores[number]?))).collect()
}

/// Goes through all trials, in the same order every time, each with the number of its group; groups are numbered as they come.
type EachTrial<'t> = dyn FnMut(&mut dyn FnMut(&AnswerTrial, usize)) + 't;

/// The score of each group, in the order of their numbers.
fn group_scores(each: &mut EachTrial<'_>, many: usize) -> Vec<Option<Score>> {
    let mut groups: Vec<ScoreSums> = Vec::new();
    each(&mut |trial, group| {
        if group == groups.len() {
            groups.push(ScoreSums::default());
        }
        groups[group].add_trial(trial);
    });
    let count = groups.iter().map(|group| group.errors.n).sum();
    if count > many && groups.len() <= FEW_GROUPS {
        return scores_of_many(each, groups);
    }
    // The numbers of a group stand side by side.
    let mut values = vec![0.0; count];
    give_places(&mut groups);
    each(&mut |trial, group| {
        let group = &mut groups[group];
        values[group.next] = group.errors.add_spread(trial.predicted, trial.measured);
        group.next += 1;
    });
    for group in &mut groups {
        let middle = Middle::of_ratios(&mut values[group.first..group.next]);
        group.summary = middle.and_then(|middle| group.errors.into_summary(middle));
    }
    give_places(&mut groups);
    if groups.iter().any(|group| group.intervals > 0) {
        each(&mut |trial, group| {
            let group = &mut groups[group];
            if let Some(factor) = trial.error_factor() {
                values[group.next] = factor * factor;
                group.next += 1;
            }
        });
    }
    let scored = |group: ScoreSums| {
        let width = stats::median(&mut values[group.first..group.next]);
        group.into_score(width)
    };
    groups.into_iter().map(scored).collect()
}

/// The scores of groups of which all trials were added, by going through the trials again and again.
fn scores_of_many(each: &mut EachTrial<'_>, groups: Vec<ScoreSums>) -> Vec<Option<Score>> {
    let searched = |sums| SearchedGroup { sums, ..Default::default() };
    let mut groups: Vec<SearchedGroup> = groups.into_iter().map(searched).collect();
    for pass in 0..MedianSearch::PASSES {
        each(&mut |trial, group| groups[group].add(trial, pass == 0));
        groups.iter_mut().for_each(SearchedGroup::end_pass);
    }
    groups.into_iter().map(SearchedGroup::into_score).collect()
}

/// A group whose medians are searched for.
#[derive(Debug, Default)]
struct SearchedGroup {
    sums: ScoreSums,
    ratio: MedianSearch,
    error: MedianSearch,
    width: MedianSearch,
}

impl SearchedGroup {
    fn add(&mut self, trial: &AnswerTrial, is_first: bool) {
        let AnswerTrial { predicted, measured, .. } = *trial;
        if is_first {
            self.sums.errors.add_spread(predicted, measured);
        }
        let ratio = predicted / measured;
        self.ratio.add(ratio);
        self.error.add(percentage_error(ratio));
        if let Some(factor) = trial.error_factor() {
            self.width.add(factor * factor);
        }
    }

    fn end_pass(&mut self) {
        [&mut self.ratio, &mut self.error, &mut self.width].into_iter().for_each(MedianSearch::end_pass);
    }

    fn into_score(mut self) -> Option<Score> {
        let middle = Middle { ratio: self.ratio.median()?, error: self.error.median()? };
        self.sums.summary = self.sums.errors.into_summary(middle);
        self.sums.into_score(self.width.median())
    }
}

/// What the score of a group is made of.
#[derive(Debug, Default)]
struct ScoreSums {
    errors: ErrorSums,
    ordered: usize,
    right: f64,
    intervals: usize,
    held: usize,
    summary: Option<ErrorSummary>,
    /// Where its numbers begin, and where the next one is put.
    first: usize,
    next: usize,
}

/// Gives each group room for a number of each of its trials.
fn give_places(groups: &mut [ScoreSums]) {
    let mut first = 0;
    for group in groups {
        (group.first, group.next) = (first, first);
        first += group.errors.n;
    }
}

impl ScoreSums {
    fn add_trial(&mut self, trial: &AnswerTrial) {
        self.errors.add_times(trial.predicted, trial.measured);
        if let Some(right) = order(trial) {
            self.ordered += 1;
            self.right += right;
        }
        if let Some(held) = trial.held() {
            self.intervals += 1;
            self.held += usize::from(held);
        }
    }

    /// The score, with this width in the middle of its intervals.
    fn into_score(self, width: Option<f64>) -> Option<Score> {
        let Self { ordered, right, intervals, held, .. } = self;
        Some(Score {
            errors: self.summary?,
            order_accuracy_percent: (ordered > 0).then(|| 100.0 * right / ordered as f64),
            coverage_90_percent: (intervals > 0).then(|| percent_of(held, intervals)),
            width,
        })
    }
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
        let third = 0.1 + 0.2;
        let rounded = summarise(&[(0.4, third), (0.4, 0.3), (0.5, 0.3)]).unwrap();
        assert_eq!(rounded.r2, None, "equal but for the last bit");
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
    fn a_group_has_the_score_of_its_trials_alone() {
        let of = |i: usize| AnswerTrial {
            interval: if i.is_multiple_of(5) { 0.0 } else { 1.0 + 0.1 * (i % 7) as f64 },
            config: (i * 7 % 4) as u32,
            ..trial(1.0, 0.5 + 0.1 * (i * 13 % 17) as f64, 0.4 + 0.1 * (i % 11) as f64)
        };
        let all: Vec<AnswerTrial> = (0..200).map(of).collect();
        let groups = scores_by(&all, |t| t.config);
        assert_eq!(groups.len(), 4);
        assert_eq!(
            scores_by_with(all.iter(), |t| t.config, 0),
            groups,
            "the same where no number of each is kept"
        );
        for (config, found) in groups {
            let own: Vec<AnswerTrial> = all.iter().copied().filter(|t| t.config == config).collect();
            assert_eq!(Some(found), score(&own));
            let pairs: Vec<(f64, f64)> = own.iter().map(|t| (t.predicted, t.measured)).collect();
            assert_eq!(Some(found.errors), summarise(&pairs));
        }
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
