//! What rows say of another one by the times they take alone: simple kriging over the nearest times ([`super::known_rows`]).

/// What of an error's variance is common to rows of one kernel that take the same time, and to all of one kernel.
pub(super) const NEAR: f64 = 0.25;
pub(super) const OF_KERNEL: f64 = 0.08;

/// As many rows are asked, those of the nearest times.
pub(super) const ROWS: usize = 8;

/// What of the variance of their errors two rows of one kernel share that take so many seconds on the source.
fn shared_variance(a: f64, b: f64) -> f64 {
    NEAR * nearness(a, b) + OF_KERNEL
}

/// The shorter time over the longer one; 0 where one is not known.
pub(super) fn nearness(a: f64, b: f64) -> f64 {
    if a.max(b) == f64::INFINITY { 0.0 } else { a.min(b) / a.max(b) }
}

pub(super) fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
}

/// Times in seconds, the nearest first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NearestTimes {
    pub(super) seconds: [f64; ROWS],
    pub(super) n: usize,
}

impl NearestTimes {
    fn seconds(&self) -> &[f64] {
        &self.seconds[..self.n]
    }
}

/// How much each row counts of the mean of several.
#[derive(Debug, Clone)]
pub(super) struct RowWeights {
    /// They add up to 1.
    pub(super) of_row: [f64; ROWS],
    /// As many rows of equal weight are as sure.
    pub(super) weighing: f64,
}

impl RowWeights {
    /// By the root of how near these times are to that of a prediction; equal ones where no time is known.
    pub(super) fn new(rows: &NearestTimes, time: f64) -> Self {
        let mut of_row = [0.0; ROWS];
        for (weight, row) in of_row.iter_mut().zip(rows.seconds()) {
            *weight = nearness(*row, time).sqrt();
        }
        if of_row.iter().all(|weight| *weight == 0.0) {
            of_row[..rows.n].fill(1.0);
        }
        let sum = of_row.iter().sum::<f64>();
        let of_row = of_row.map(|weight| weight / sum);
        Self { of_row, weighing: 1.0 / product(&of_row, &of_row) }
    }
}

/// What rows of these times say of a prediction of this one, whatever their errors are.
#[derive(Debug, Clone)]
pub(super) struct Kriging {
    rows: NearestTimes,
    time: f64,
    pub(super) weights: RowWeights,
    /// C⁻¹ c: the share of each row's error that is expected.
    pub(super) shares: [f64; ROWS],
    /// c C⁻¹ c: what of the variance they take away.
    pub(super) surer: f64,
}

impl Kriging {
    fn new(rows: NearestTimes, time: f64) -> Self {
        let seconds = rows.seconds();
        let mut covariances = [[0.0; ROWS]; ROWS];
        let mut asked = [0.0; ROWS];
        for (i, row) in seconds.iter().enumerate() {
            for (j, other) in seconds[..i].iter().enumerate() {
                covariances[i][j] = shared_variance(*row, *other);
            }
            covariances[i][i] = 1.0;
            asked[i] = shared_variance(*row, time);
        }
        let lower = cholesky(covariances, rows.n);
        let half = halfway(&lower, asked, rows.n);
        let shares = other_half(&lower, half, rows.n);
        let weights = RowWeights::new(&rows, time);
        Self { rows, time, weights, shares, surer: product(&half, &half) }
    }
}

/// What the rows of the prediction before said: for many predictions of the same times.
#[derive(Debug, Default)]
pub struct LastKriging {
    last: Option<Box<Kriging>>,
}

impl LastKriging {
    pub(super) fn kriging(&mut self, rows: NearestTimes, time: f64) -> &Kriging {
        let known = self.last.take().filter(|last| last.rows == rows && last.time == time);
        self.last.insert(known.unwrap_or_else(|| Box::new(Kriging::new(rows, time))))
    }
}

/// L of L Lᵀ = the first n rows and columns of a symmetric, positive matrix, of which the lower triangle is read.
fn cholesky(mut matrix: [[f64; ROWS]; ROWS], n: usize) -> [[f64; ROWS]; ROWS] {
    for i in 0..n {
        for j in 0..=i {
            let before: f64 = (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum();
            let left = matrix[i][j] - before;
            matrix[i][j] = if i == j { left.sqrt() } else { left / matrix[j][j] };
        }
    }
    matrix
}

/// L⁻¹ of this column.
fn halfway(lower: &[[f64; ROWS]; ROWS], mut right: [f64; ROWS], n: usize) -> [f64; ROWS] {
    for i in 0..n {
        let before: f64 = (0..i).map(|k| lower[i][k] * right[k]).sum();
        right[i] = (right[i] - before) / lower[i][i];
    }
    right
}

/// L⁻ᵀ of this column.
fn other_half(lower: &[[f64; ROWS]; ROWS], mut right: [f64; ROWS], n: usize) -> [f64; ROWS] {
    for i in (0..n).rev() {
        let after: f64 = (i + 1..n).map(|k| lower[k][i] * right[k]).sum();
        right[i] = (right[i] - after) / lower[i][i];
    }
    right
}
