//! What rows measured on the target say of every other prediction there: a factor, and how much surer it is.
//!
//! Of every known row e = ln(T_measured / T_predicted), of the same model from the same source, within ±2.5 doubts. Errors
//! of one kernel go together, and the more so the nearer the times on the source are; those of other kernels hardly. So
//!
//! ```text
//! cov(e_i, e_j) = 0.25 min(T_i, T_j) / max(T_i, T_j) + 0.08, and 1 of a row with itself, T the time on the source
//! G = Σ m_k / u_k / (Σ 1 / u_k + 1 / 0.03) over the other kernels, m_k the mean of n rows of one, u_k = 0.18 + 0.82 / n
//! ln factor = G + c C⁻¹ (e_i - G), width = sqrt(1 - 0.6 c C⁻¹ c)
//! ```
//!
//! That is for the errors usual between kernels. Where something differs that no model knows (a clock, a build), all of a kernel's
//! errors are far off and alike. Of two rows or more m, their mean beside G, belongs to such a common factor with probability p, and
//! p m is subtracted from all of them first. Rows weigh by the square root of how near their times are, n of them as k = (Σ w)² / Σ w²:
//!
//! ```text
//! s² = (2 · 0.82 D² + Σ (e_i - mean)²) / (n + 1), D² the mean of the squared doubts: the variance of one row beside the factor
//! v = 0.18 D² + s² / k, the variance of m without such a factor, and v + 1 with one (a factor of e either way)
//! p / (1 - p) = 0.1 N(m; 0, v + 1) / N(m; 0, v); left = s² / D² (1 / 0.82 + 1 / k), at most 1
//! ln factor = G + p m + c C⁻¹ (e_i - G - p m), width = sqrt((1 - 0.6 c C⁻¹ c) (1 - p + p left))
//! ```
//!
//! c and C, m and s over the 8 rows of the kernel whose times are nearest (simple kriging): rows that a launch's overhead hides from
//! such a factor, as far shorter times are, have no part in it. Neither clocks of the target nor what is changed
//! of it play a part: the error is one of kernel and GPU. The constants are those of errors of seven
//! sets of other people's measurements, from pairs of rows by the ratio of their times: 0.1 to 0.4 of the variance is common where
//! times are within a tenth (nearly all of it in one set), 0.0 to 0.2 a factor of 5 apart. Of 0.25 and 0.35, 0.05 and 0.08, 8 and 16 rows, half and twice
//! the distance, errors in doubts and in ln none is better in all; docs/models.md has what they bring. The row that is asked about has no part in it.

use super::kriging::{
    Kriging, LastKriging, NEAR, NearestTimes, OF_KERNEL, ROWS, RowWeights, nearness, product,
};
use crate::kernel::KernelId;
use crate::units::Seconds;
use hashbrown::HashMap;

/// What is common to all kernels on a GPU.
const OF_GPU: f64 = 0.03;

/// The variance of the mean of one kernel's errors: what is common to its rows whatever their times, and what is one row's own.
const COMMON: f64 = OF_KERNEL + 0.4 * NEAR;

/// As far from 0 an error is believed, in doubts.
const MOST: f64 = 2.5;

/// How far the variance that known rows take away is believed.
const SURER: f64 = 0.6;

/// How often a kernel has a factor of its own on a GPU that its typical errors do not show: between 0.05 and 0.2 errors of seven sets
/// are the same within 0.1 points. The variance of such a factor, in ln.
const FACTOR_ODDS: f64 = 0.1;
const FACTOR_VARIANCE: f64 = 1.0;

/// As many rows the usual scatter around a kernel's mean error counts as, beside the scatter that is seen.
const USUAL_ROWS: f64 = 2.0;

/// The doubt of a model that cannot say, in ln.
const UNKNOWN_DOUBT: f64 = 0.25;

/// No row is surer than this, in ln.
const LEAST_DOUBT: f64 = 0.05;

/// One row measured on the target beside what the model says of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownRow {
    /// The kernel's place in its catalogue.
    pub kernel: KernelId,
    /// The time on the source that the model starts from; `None` where it was not measured there.
    pub source_time: Option<Seconds>,
    /// How uncertain the model calls its answer, in ln; `None` for a model that cannot say.
    pub doubt: Option<f64>,
    /// ln(measured / predicted).
    pub ln: f64,
}

/// A prediction that known rows may correct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectedQuestion {
    /// The kernel's place in its catalogue.
    pub kernel: KernelId,
    /// The time on the source that the model starts from; `None` where it was not measured there.
    pub source_time: Option<Seconds>,
    /// The row that is asked about, where it is a known one: it has no part.
    pub own: Option<KnownRow>,
}

/// What known rows do to a predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownCorrection {
    /// The predicted time is multiplied by this.
    pub factor: f64,
    /// The width of its interval, in ln, is multiplied by this, where the model says how uncertain it is; at most 1.
    pub width: f64,
    /// How many rows it is from.
    pub rows: usize,
}

/// The time of a known row on the source in seconds, infinite where nobody knows it, its error and its doubt in ln.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Error {
    time: f64,
    ln: f64,
    doubt: f64,
}

impl Error {
    fn from_row(row: &KnownRow) -> Self {
        let doubt = row.doubt.unwrap_or(UNKNOWN_DOUBT).max(LEAST_DOUBT);
        Self { time: place(row.source_time), ln: row.ln, doubt }
    }

    /// What of it is believed beside an error that all rows of the kernel have.
    fn beside(self, common: f64) -> f64 {
        let most = MOST * self.doubt;
        (self.ln - common).clamp(-most, most)
    }
}

/// Where a row stands among others: its time on the source in seconds, beyond all where nobody knows it.
fn place(source_time: Option<Seconds>) -> f64 {
    source_time.map_or(f64::INFINITY, |time| time.0)
}

/// Errors of one kernel, the shortest time first, and what their mean says of other kernels.
#[derive(Debug, Clone, Default)]
struct KernelErrors {
    errors: Vec<Error>,
    of_gpu: Opinion,
}

impl KernelErrors {
    /// Sorts the errors, and sums them up.
    fn arrange(&mut self) {
        self.errors.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.ln.total_cmp(&b.ln)));
        self.of_gpu = Opinion::of_errors(&self.errors);
    }
}

/// The factor that rows of one kernel share beside the error of all kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
struct CommonFactor {
    /// Its logarithm times how probable it is.
    ln: f64,
    /// The part of the variance of a prediction that is left beside it.
    left: f64,
}

impl CommonFactor {
    /// Of these errors, which weigh so much, beside `shared`, that of all kernels. One row alone may be an outlier.
    fn of_errors(errors: &[Error], weights: &RowWeights, shared: f64) -> Self {
        let n = errors.len() as f64;
        if errors.len() < 2 {
            return Self { ln: 0.0, left: 1.0 };
        }
        let RowWeights { of_row, weighing } = weights;
        let mean = errors.iter().zip(of_row).map(|(e, weight)| e.ln * weight).sum::<f64>();
        let square = errors.iter().map(|e| e.doubt.powi(2)).sum::<f64>() / n;
        let scatter = errors.iter().map(|e| (e.ln - mean).powi(2)).sum::<f64>();
        let own = (USUAL_ROWS * (1.0 - COMMON) * square + scatter) / (USUAL_ROWS + n - 1.0);
        let (beside, of_mean) = (mean - shared, COMMON * square + own / *weighing);
        let with_factor = of_mean + FACTOR_VARIANCE;
        let likelier = 0.5 * beside.powi(2) * (1.0 / of_mean - 1.0 / with_factor);
        let odds = FACTOR_ODDS * (of_mean / with_factor).sqrt() * likelier.exp();
        // 1 where the odds are beyond all numbers.
        let probable = 1.0 - 1.0 / (1.0 + odds);
        let left = (own / square * (1.0 / (1.0 - COMMON) + 1.0 / *weighing)).min(1.0);
        Self { ln: probable * beside, left: 1.0 - probable * (1.0 - left) }
    }
}

/// Means weighted by how sure they are: their sum, and that of the weights.
#[derive(Debug, Clone, Copy, Default)]
struct Opinion {
    sum: f64,
    weight: f64,
}

impl Opinion {
    fn of_errors(errors: &[Error]) -> Self {
        let n = errors.len() as f64;
        let mean = errors.iter().map(|e| e.beside(0.0)).sum::<f64>() / n;
        let weight = 1.0 / (COMMON + (1.0 - COMMON) / n);
        Self { sum: mean * weight, weight }
    }

    fn plus(self, times: f64, other: Self) -> Self {
        Self { sum: self.sum + times * other.sum, weight: self.weight + times * other.weight }
    }

    /// G: the error that all kernels share.
    fn shared(self) -> f64 {
        self.sum / (self.weight + 1.0 / OF_GPU)
    }
}

/// Errors of one model from one source on one target.
#[derive(Debug, Clone, Default)]
pub struct KnownRows {
    rows: usize,
    kernels: HashMap<KernelId, KernelErrors>,
    of_gpu: Opinion,
}

impl KnownRows {
    /// Sorts these rows by kernel and time.
    #[must_use]
    pub fn from_rows(rows: impl IntoIterator<Item = KnownRow>) -> Self {
        let mut known = Self::default();
        for row in rows {
            known.rows += 1;
            known.kernels.entry(row.kernel).or_default().errors.push(Error::from_row(&row));
        }
        // In an order that no hash decides: sums of floats are told to the last digit.
        let mut kernels: Vec<KernelId> = known.kernels.keys().copied().collect();
        kernels.sort_unstable();
        for kernel in kernels {
            let Some(of_kernel) = known.kernels.get_mut(&kernel) else { continue };
            of_kernel.arrange();
            known.of_gpu = known.of_gpu.plus(1.0, of_kernel.of_gpu);
        }
        known
    }

    /// What they do to this prediction; `None` where no other row is known.
    #[must_use]
    pub fn correction(&self, asked: &CorrectedQuestion) -> Option<KnownCorrection> {
        self.correction_after(asked, &mut LastKriging::default())
    }

    /// [`KnownRows::correction`] of one prediction after another: what the nearest times share is worked out once for those after one
    /// another whose nearest times are the same, as those of a kernel on all of its targets are.
    #[must_use]
    pub fn correction_after(
        &self,
        asked: &CorrectedQuestion,
        last: &mut LastKriging,
    ) -> Option<KnownCorrection> {
        let rows = self.rows - usize::from(asked.own.is_some());
        if rows == 0 {
            return None;
        }
        let of_kernel = self.kernels.get(&asked.kernel);
        let others = self.of_gpu.plus(-1.0, of_kernel.map_or(Opinion::default(), |k| k.of_gpu));
        let shared = others.shared();
        let own = asked.own.as_ref().map(Error::from_row);
        let errors = of_kernel.map_or(&[][..], |k| &k.errors);
        let time = place(asked.source_time);
        let nearest = NearestErrors::to_time(errors, time, own);
        let kriging = last.kriging(nearest.times(), time);
        let common = CommonFactor::of_errors(nearest.errors(), &kriging.weights, shared);
        let (ln, surer) = nearest.kriged(kriging, common.ln + shared);
        let width = ((1.0 - SURER * surer).max(0.0) * common.left).sqrt();
        Some(KnownCorrection { factor: ln.exp(), width, rows })
    }
}

/// The errors of the nearest times.
struct NearestErrors {
    errors: [Error; ROWS],
    n: usize,
}

impl NearestErrors {
    /// Of errors sorted by time, without this one.
    fn to_time(sorted: &[Error], time: f64, mut without: Option<Error>) -> Self {
        let mut found = Self { errors: [Error { time, ln: 0.0, doubt: 0.0 }; ROWS], n: 0 };
        let nearness_at = |place: usize| sorted.get(place).map(|e| nearness(e.time, time));
        let mut right = sorted.partition_point(|e| e.time < time);
        let mut left = right;
        let mut above = nearness_at(right);
        let mut below = left.checked_sub(1).and_then(nearness_at);
        while found.n < ROWS && (above.is_some() || below.is_some()) {
            let takes_above = above.is_some_and(|above| below.is_none_or(|below| above >= below));
            let next = if takes_above { sorted[right] } else { sorted[left - 1] };
            if takes_above {
                right += 1;
                above = nearness_at(right);
            } else {
                left -= 1;
                below = left.checked_sub(1).and_then(nearness_at);
            }
            if without.is_some_and(|own| own == next) {
                without = None;
                continue;
            }
            found.errors[found.n] = next;
            found.n += 1;
        }
        found
    }

    fn errors(&self) -> &[Error] {
        &self.errors[..self.n]
    }

    /// Their times.
    fn times(&self) -> NearestTimes {
        NearestTimes { seconds: self.errors.map(|e| e.time), n: self.n }
    }

    /// The expected error, where `expected` is that of a row of this kernel whose time is far from all of these, and what of its variance
    /// the rows take away.
    fn kriged(&self, kriging: &Kriging, expected: f64) -> (f64, f64) {
        let mut off = [0.0; ROWS];
        for (off, row) in off.iter_mut().zip(self.errors()) {
            *off = row.beside(expected);
        }
        (expected + product(&kriging.shares, &off), kriging.surer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kernel: usize, millis: f64, ln: f64) -> KnownRow {
        let source_time = Some(Seconds::from_millis(millis));
        KnownRow { kernel: KernelId::from_index(kernel), source_time, doubt: Some(0.2), ln }
    }

    fn asked(kernel: usize, millis: f64) -> CorrectedQuestion {
        let KnownRow { kernel, source_time, .. } = row(kernel, millis, 0.0);
        CorrectedQuestion { kernel, source_time, own: None }
    }

    fn ln_factor(known: &KnownRows, asked: &CorrectedQuestion) -> f64 {
        known.correction(asked).unwrap().factor.ln()
    }

    /// Of these errors for a prediction of 1 s.
    fn common_factor(errors: &[Error]) -> CommonFactor {
        let mut seconds = [0.0; ROWS];
        seconds.iter_mut().zip(errors).for_each(|(seconds, error)| *seconds = error.time);
        let times = NearestTimes { seconds, n: errors.len() };
        CommonFactor::of_errors(errors, &RowWeights::new(&times, 1.0), 0.0)
    }

    #[test]
    fn nothing_known_changes_nothing() {
        assert_eq!(KnownRows::default().correction(&asked(0, 1.0)), None);
        let own = row(0, 1.0, 0.5);
        let one = KnownRows::from_rows([own]);
        let about_it = CorrectedQuestion { own: Some(own), ..asked(0, 1.0) };
        assert_eq!(one.correction(&about_it), None, "its own row is no other row");
    }

    /// By hand: at the same time 0.33 of it, at half the time 0.125 + 0.08 of it, where no time is known 0.08; of another kernel 1 / (1 + 1/0.03).
    #[test]
    fn one_row_by_hand() {
        let one = KnownRows::from_rows([row(0, 1.0, 0.3)]);
        let near =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        near(ln_factor(&one, &asked(0, 1.0)), 0.33 * 0.3);
        near(ln_factor(&one, &asked(0, 2.0)), 0.205 * 0.3);
        near(ln_factor(&one, &CorrectedQuestion { source_time: None, ..asked(0, 1.0) }), 0.08 * 0.3);
        near(ln_factor(&one, &asked(1, 1.0)), 0.3 / (1.0 + 1.0 / 0.03));
        let found = one.correction(&asked(0, 1.0)).unwrap();
        near(found.width, (1.0 - 0.6 * 0.33 * 0.33_f64).sqrt());
        assert_eq!(found.rows, 1);
    }

    /// By hand: two rows at the asked time, C = [[1, 0.33], [0.33, 1]]: c C⁻¹ is 0.33 / 1.33 for each.
    #[test]
    fn two_rows_by_hand() {
        let two = KnownRows::from_rows([row(0, 1.0, 0.1), row(0, 1.0, 0.3)]);
        let found = two.correction(&asked(0, 1.0)).unwrap();
        let rows = [0.1, 0.3].map(|ln| Error::from_row(&row(0, 1.0, ln)));
        let common = common_factor(&rows);
        let expected = common.ln + 0.33 / 1.33 * (0.4 - 2.0 * common.ln);
        assert!((found.factor.ln() - expected).abs() < 1e-12 && common.ln < 0.01, "{found:?} {common:?}");
        let width = ((1.0 - 0.6 * 2.0 * 0.33 * 0.33 / 1.33_f64) * common.left).sqrt();
        assert!((found.width - width).abs() < 1e-12, "{found:?} {common:?}");
    }

    #[test]
    fn near_rows_say_more_and_more_rows_make_surer() {
        let known = KnownRows::from_rows((0..20).map(|i| row(0, 1.0 + 0.01 * f64::from(i), 0.2)));
        let of = |asked: CorrectedQuestion| known.correction(&asked).unwrap();
        let [here, far, other] = [asked(0, 1.1), asked(0, 100.0), asked(1, 1.1)].map(of);
        assert!(here.factor > far.factor && far.factor > other.factor && other.factor > 1.0);
        assert!(here.width < far.width && far.width < other.width && other.width == 1.0);
        let one = KnownRows::from_rows([row(0, 1.1, 0.2)]).correction(&asked(0, 1.1)).unwrap();
        assert!(here.width < one.width && here.factor > one.factor && here.factor.ln() < 0.2);
    }

    #[test]
    fn one_wild_row_is_believed_no_further_than_others() {
        let of_one = |ln| ln_factor(&KnownRows::from_rows([row(0, 1.0, ln)]), &asked(0, 1.0));
        assert_eq!(of_one(50.0), of_one(0.5));
    }

    /// By hand: D² = 0.04, s² = 2 · 0.82 · 0.04 / (n + 1), v = 0.18 · 0.04 + s² / n.
    #[test]
    fn the_factor_that_two_rows_share_by_hand() {
        let of = |ln| common_factor(&[0.9, 1.1].map(|own| Error { time: 1.0, ln: own * ln, doubt: 0.2 }));
        let found = of(1.0);
        let own = (2.0 * 0.82 * 0.04 + 0.02) / 3.0;
        let v: f64 = 0.18 * 0.04 + own / 2.0;
        let odds = 0.1 * (v / (v + 1.0)).sqrt() * (0.5 * (1.0 / v - 1.0 / (v + 1.0))).exp();
        let left = own / 0.04 * (1.0 / 0.82 + 0.5);
        assert!((found.ln - odds / (1.0 + odds)).abs() < 1e-12 && found.ln > 0.99, "{found:?}");
        assert!((found.left - (1.0 - found.ln * (1.0 - left.min(1.0)))).abs() < 1e-12, "{found:?}");
        assert!(of(0.2).ln < 0.01, "a usual error");
        let alike = [Error { time: 1.0, ln: 1e3, doubt: 0.2 }; 2];
        assert_eq!(common_factor(&alike).ln, 1e3, "odds beyond all numbers");
    }

    /// Each row says more than the one before it, none of them everything: four rows 3 times as slow as predicted were worth a factor of
    /// 1.35, and five of 3.
    #[test]
    fn a_factor_that_all_rows_share_has_no_threshold_of_rows() {
        let slow = |n: i32, times: f64| {
            KnownRows::from_rows((0..n).map(|i| row(0, f64::from(5 * i + 5), times.ln())))
        };
        let of = |n, times| slow(n, times).correction(&asked(0, 100.0)).unwrap();
        for times in [2.0, 3.0, 1.0 / 3.0] {
            for n in 2..12 {
                let [fewer, more] = [n, n + 1].map(|n| of(n, times));
                let ratio = more.factor / fewer.factor;
                assert!(
                    (1.0 / 1.1..1.1).contains(&ratio) && more.width <= fewer.width,
                    "{n} {times} {fewer:?} {more:?}"
                );
            }
            let four = of(4, times);
            assert!((four.factor / times).ln().abs() < 0.05 && four.width < 0.8, "{four:?}");
        }
        assert!(of(8, 1.2).factor < 1.15, "within what the model doubts");
    }

    #[test]
    fn rows_that_disagree_share_no_factor() {
        let lns = [0.0, 1.4, 0.1, 1.3];
        let rows = || lns.iter().enumerate().map(|(i, ln)| row(0, 1.0 + i as f64, *ln));
        assert!(ln_factor(&KnownRows::from_rows(rows()), &asked(0, 100.0)) < 0.3);
    }

    /// Launches of an overhead's length, as predicted, beside long ones 3 times as slow: each for those of its own length.
    #[test]
    fn short_launches_do_not_hide_the_factor_of_long_ones() {
        let short = (0..8).map(|i| row(0, 0.005 + 1e-4 * f64::from(i), 0.0));
        let long = (0..8).map(|i| row(0, 10.0 + f64::from(i), 1.1));
        let known = KnownRows::from_rows(short.chain(long));
        assert!(ln_factor(&known, &asked(0, 100.0)) > 1.05);
        assert!(ln_factor(&known, &asked(0, 0.005)).abs() < 0.05);
    }

    #[test]
    fn the_row_that_is_asked_about_has_no_part() {
        let rows = || (0..10).map(|i| row(0, 1.0 + f64::from(i), 0.02 * f64::from(i)));
        let own = row(0, 4.0, -0.4);
        let (with, without) = (KnownRows::from_rows(rows().chain([own])), KnownRows::from_rows(rows()));
        let about_it = CorrectedQuestion { own: Some(own), ..asked(0, 4.0) };
        assert_eq!(with.correction(&about_it).unwrap(), without.correction(&asked(0, 4.0)).unwrap());
    }
}
