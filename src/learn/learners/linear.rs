//! Linear models: least squares, ridge, lasso. Our own: least squares and ridge by a singular value decomposition (the
//! minimum-norm answer where columns depend on each other, as LAPACK's gelsd in scikit-learn), lasso by cyclic coordinate
//! descent with scikit-learn's stopping rule, so that its figures can be compared.

use crate::learn::{LearnError, LearningTable, Progress};
use serde::{Deserialize, Serialize};

/// A linear function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinearFunction {
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: f64,
}

/// Most passes of coordinate descent, and the share of the target's squared length below which the duality gap must fall:
/// scikit-learn's defaults.
const PASSES: usize = 1000;
const TOLERANCE: f64 = 1e-4;
/// Sweeps of the Jacobi rotations; they converge in about ten.
const SWEEPS: usize = 60;

impl LinearFunction {
    pub(super) fn predict_row(&self, row: &[f64]) -> f64 {
        self.intercept + self.coefficients.iter().zip(row).map(|(c, v)| c * v).sum::<f64>()
    }

    /// Least squares with a penalty of `alpha` on the squared coefficients (0: none).
    pub(super) fn ridge(alpha: f64, table: &LearningTable, target: &[f64]) -> Self {
        let centred = Centred::new(table, target);
        let coefficients = centred.penalised(alpha, table.len());
        centred.as_line(coefficients)
    }

    /// Half the mean squared error plus `alpha` times the sum of the coefficients' sizes.
    pub(super) fn lasso(
        alpha: f64,
        table: &LearningTable,
        target: &[f64],
        progress: &Progress,
    ) -> Result<Self, LearnError> {
        let centred = Centred::new(table, target);
        let coefficients = centred.descend(alpha * table.len() as f64, progress)?;
        Ok(centred.as_line(coefficients))
    }
}

/// Columns and target less their means.
struct Centred {
    columns: Vec<Vec<f64>>,
    means: Vec<f64>,
    target: Vec<f64>,
    mean: f64,
}

impl Centred {
    fn new(table: &LearningTable, target: &[f64]) -> Self {
        let (columns, means) = (0..table.width()).map(|j| centred(table.column(j))).unzip();
        let (target, mean) = centred(target.to_vec());
        Self { columns, means, target, mean }
    }

    fn as_line(&self, coefficients: Vec<f64>) -> LinearFunction {
        let intercept = self.mean - dot(&coefficients, &self.means);
        LinearFunction { coefficients, intercept }
    }

    /// V diag(s / (s² + alpha)) Uᵀ y, without directions whose s is only rounding.
    fn penalised(&self, alpha: f64, rows: usize) -> Vec<f64> {
        let (triangle, projected) = reduced(self.columns.clone(), self.target.clone());
        let (rotated, turns) = jacobi(triangle);
        let width = self.columns.len();
        let lengths: Vec<f64> = rotated.iter().map(|c| dot(c, c).sqrt()).collect();
        let largest = lengths.iter().copied().fold(0.0, f64::max);
        let least = largest * f64::EPSILON * rows.max(width) as f64;
        let mut coefficients = vec![0.0; width];
        for k in 0..width {
            let s = lengths[k];
            if s <= least {
                continue;
            }
            let along = dot(&rotated[k], &projected) / s;
            let step = along * s / (s * s + alpha);
            coefficients.iter_mut().zip(&turns[k]).for_each(|(c, v)| *c += step * v);
        }
        coefficients
    }

    fn descend(&self, alpha: f64, progress: &Progress) -> Result<Vec<f64>, LearnError> {
        let squares: Vec<f64> = self.columns.iter().map(|c| dot(c, c)).collect();
        let mut coefficients = vec![0.0; squares.len()];
        let mut left = self.target.clone();
        for pass in 1..=PASSES {
            progress.check_cancelled()?;
            let (mut largest, mut change) = (0.0_f64, 0.0_f64);
            for (j, column) in self.columns.iter().enumerate() {
                if squares[j] == 0.0 {
                    continue;
                }
                let before: f64 = coefficients[j];
                let along = dot(column, &left) + before * squares[j];
                let after = along.signum() * (along.abs() - alpha).max(0.0) / squares[j];
                if after != before {
                    left.iter_mut().zip(column).for_each(|(l, c)| *l -= (after - before) * c);
                }
                coefficients[j] = after;
                largest = largest.max(after.abs());
                change = change.max((after - before).abs());
            }
            let settled = largest == 0.0 || change / largest < TOLERANCE || pass == PASSES;
            if settled && self.gap(&coefficients, &left, alpha) < TOLERANCE * dot(&self.target, &self.target)
            {
                break;
            }
        }
        Ok(coefficients)
    }

    /// The duality gap of the lasso.
    fn gap(&self, coefficients: &[f64], left: &[f64], alpha: f64) -> f64 {
        let steepest = self.columns.iter().map(|c| dot(c, left).abs()).fold(0.0, f64::max);
        let rest = dot(left, left);
        let scale = if steepest > alpha { alpha / steepest } else { 1.0 };
        let primal = if steepest > alpha { 0.5 * (rest + rest * scale * scale) } else { rest };
        let sizes: f64 = coefficients.iter().map(|c| c.abs()).sum();
        primal + alpha * sizes - scale * dot(left, &self.target)
    }
}

fn centred(mut values: Vec<f64>) -> (Vec<f64>, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter_mut().for_each(|v| *v -= mean);
    (values, mean)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Householder reduction: the columns as a triangle (one vector per column, as long as there are columns or rows), and the
/// target in the same directions.
fn reduced(mut columns: Vec<Vec<f64>>, mut target: Vec<f64>) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (rows, width) = (target.len(), columns.len());
    let size = rows.min(width);
    for k in 0..size {
        let mut mirror = columns[k][k..].to_vec();
        let length = dot(&mirror, &mirror).sqrt();
        if length == 0.0 {
            continue;
        }
        mirror[0] += length.copysign(mirror[0]);
        let square = dot(&mirror, &mirror);
        for column in columns[k..].iter_mut().chain(std::iter::once(&mut target)) {
            let twice = 2.0 * dot(&mirror, &column[k..]) / square;
            column[k..].iter_mut().zip(&mirror).for_each(|(v, m)| *v -= twice * m);
        }
    }
    columns.iter_mut().for_each(|c| c.truncate(size));
    target.truncate(size);
    (columns, target)
}

/// One-sided Jacobi rotations (Demmel and Veselić 1992): turns the columns until they are orthogonal; also the turn itself,
/// one vector per new column.
fn jacobi(mut columns: Vec<Vec<f64>>) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let width = columns.len();
    let unit = |k: usize| (0..width).map(|j| f64::from(u8::from(j == k))).collect();
    let mut turns: Vec<Vec<f64>> = (0..width).map(unit).collect();
    for _ in 0..SWEEPS {
        let mut turned = false;
        for a in 0..width {
            for b in a + 1..width {
                let (aa, bb) = (dot(&columns[a], &columns[a]), dot(&columns[b], &columns[b]));
                let ab = dot(&columns[a], &columns[b]);
                if ab == 0.0 || ab.abs() <= f64::EPSILON * (aa * bb).sqrt() {
                    continue;
                }
                turned = true;
                let slope = (bb - aa) / (2.0 * ab);
                let tangent = slope.signum() / (slope.abs() + slope.hypot(1.0));
                let cosine = 1.0 / tangent.hypot(1.0);
                rotate(&mut columns, a, b, cosine, cosine * tangent);
                rotate(&mut turns, a, b, cosine, cosine * tangent);
            }
        }
        if !turned {
            break;
        }
    }
    (columns, turns)
}

fn rotate(columns: &mut [Vec<f64>], a: usize, b: usize, cosine: f64, sine: f64) {
    let (front, back) = columns.split_at_mut(b);
    for (x, y) in front[a].iter_mut().zip(&mut back[0]) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}
