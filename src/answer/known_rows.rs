//! What rows measured on the target say of every other prediction there: a factor.
//!
//! r = ln(T_measured / T_predicted) of the same model, from the same source, for every known row; a row weighs a = 1 for
//! the same kernel at another size or variant, 0.1 for one of the same category, 0.03 for any other. With k = Σ a,
//!
//! ```text
//! m = Σ a r / k      s² = (Σ a (r - m)² + 0.3²) / (k + 1)      ln factor = m k / (k + s²/0.1²)
//! ```
//!
//! The mean is drawn to 0: with s = 0.1 by k/(k+1), and the more, the more the rows contradict each other. A plain k/(k+1)
//! made tuned kernels worse, whose variants scatter far more than a GPU's mean error is large. 0.1 is how far a kernel's mean
//! error on one GPU is taken to lie from 0, 0.3 how far its rows from that mean: of five settings on six sets of other
//! people's measurements (four draws) the one that gains in nearly all and loses nowhere more than 0.3 points, from one, three
//! and ten rows per GPU. The row that is asked about has no part in it.

use crate::kernel::KernelId;
use std::collections::HashMap;

/// What a row of another kernel weighs, of the same category and of another one.
const CATEGORY: f64 = 0.1;
const OTHER: f64 = 0.03;

/// The expected scatter of rows, as one row's worth of it, and that of mean errors.
const SCATTER: f64 = 0.3;
const BIAS: f64 = 0.1;

/// One row measured on the target beside what the model says of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownRow<'a> {
    /// The kernel's place in its catalogue.
    pub kernel: KernelId,
    /// The kernel's category; `None` where nobody stated one.
    pub category: Option<&'a str>,
    /// ln(measured / predicted).
    pub ln: f64,
}

/// What known rows do to a predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownCorrection {
    /// The predicted time is multiplied by this.
    pub factor: f64,
    /// How many rows it is from.
    pub rows: usize,
}

/// Number, sum and sum of squares of residuals.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    n: f64,
    ln: f64,
    square: f64,
}

impl Sum {
    fn from_ln(ln: f64) -> Self {
        Self { n: 1.0, ln, square: ln * ln }
    }

    /// This plus `times` as much of the other.
    fn plus(self, times: f64, other: Self) -> Self {
        Self {
            n: self.n + times * other.n,
            ln: self.ln + times * other.ln,
            square: self.square + times * other.square,
        }
    }

    /// The shrunk mean.
    fn bias(self) -> f64 {
        if self.n <= 0.0 {
            return 0.0;
        }
        let mean = self.ln / self.n;
        let around = (self.square - self.n * mean * mean).max(0.0);
        let variance = (around + SCATTER * SCATTER) / (self.n + 1.0);
        mean * self.n / (self.n + variance / (BIAS * BIAS))
    }
}

/// Residuals of one model from one source on one target, summed up so that a question costs three look-ups.
#[derive(Debug, Clone, Default)]
pub struct KnownRows {
    all: Sum,
    kernels: HashMap<KernelId, Sum>,
    categories: HashMap<String, Sum>,
}

impl KnownRows {
    /// Sums these rows up.
    #[must_use]
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = KnownRow<'a>>) -> Self {
        let mut known = Self::default();
        for row in rows {
            let sum = Sum::from_ln(row.ln);
            known.all = known.all.plus(1.0, sum);
            let kernel = known.kernels.entry(row.kernel).or_default();
            *kernel = kernel.plus(1.0, sum);
            if let Some(category) = row.category {
                let sums = known.categories.entry(category.to_string()).or_default();
                *sums = sums.plus(1.0, sum);
            }
        }
        known
    }

    /// The factor for a prediction about this kernel. `own` is the residual of the row that is asked about, where it is
    /// among these: it has no part. `None` where no other row is known.
    #[must_use]
    pub fn correction(
        &self,
        kernel: KernelId,
        category: Option<&str>,
        own: Option<f64>,
    ) -> Option<KnownCorrection> {
        let own = own.map_or_else(Sum::default, Sum::from_ln);
        let same = self.kernels.get(&kernel).copied().unwrap_or_default();
        // A kernel belongs to its category too.
        let kin = category.and_then(|c| self.categories.get(c)).copied().unwrap_or(same);
        let rows = self.all.n - own.n;
        if rows < 0.5 {
            return None;
        }
        let weighed = Sum::default()
            .plus(1.0, same.plus(-1.0, own))
            .plus(CATEGORY, kin.plus(-1.0, same))
            .plus(OTHER, self.all.plus(-1.0, kin));
        Some(KnownCorrection { factor: weighed.bias().exp(), rows: rows.round() as usize })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kernel: usize, category: &str, ln: f64) -> KnownRow<'_> {
        KnownRow { kernel: KernelId::from_index(kernel), category: Some(category), ln }
    }

    #[test]
    fn nothing_known_changes_nothing() {
        assert_eq!(KnownRows::default().correction(KernelId::default(), Some("memory"), None), None);
        let one = KnownRows::from_rows([row(0, "memory", 0.5)]);
        assert_eq!(
            one.correction(KernelId::default(), Some("memory"), Some(0.5)),
            None,
            "its own row is no other row"
        );
    }

    #[test]
    fn one_row_by_hand() {
        // m = 0.3, s² = 0.09 / 2, so that 0.3 x 1 / (1 + 4.5) = 0.6 / 11.
        let one = KnownRows::from_rows([row(0, "memory", 0.3)]);
        let c = one.correction(KernelId::default(), Some("memory"), None).unwrap();
        assert!((c.factor.ln() - 0.6 / 11.0).abs() < 1e-12 && c.rows == 1, "{c:?}");
    }

    #[test]
    fn nearer_kernels_say_more_and_scattered_rows_less() {
        let known = KnownRows::from_rows([row(0, "memory", 0.3), row(0, "memory", 0.3)]);
        let of = |kernel, category| {
            known.correction(KernelId::from_index(kernel), Some(category), None).unwrap().factor
        };
        assert!(
            of(0, "memory") > of(1, "memory") && of(1, "memory") > of(1, "compute") && of(1, "compute") > 1.0
        );
        let wild = KnownRows::from_rows([row(0, "memory", 1.3), row(0, "memory", -0.7)]);
        assert!(wild.correction(KernelId::default(), Some("memory"), None).unwrap().factor < of(0, "memory"));
    }

    #[test]
    fn many_equal_rows_are_believed_and_the_own_one_is_not() {
        let rows = (0..100).map(|_| row(0, "memory", 0.2)).chain([row(0, "memory", 5.0)]);
        let known = KnownRows::from_rows(rows);
        let c = known.correction(KernelId::default(), Some("memory"), Some(5.0)).unwrap();
        assert!((c.factor.ln() - 0.2).abs() < 0.003 && c.rows == 100, "{c:?}");
    }
}
