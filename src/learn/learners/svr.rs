//! Support vector regression with a Gaussian kernel: epsilon-SVR by sequential minimal optimisation with second-order
//! working sets (Fan, Chen, Lin 2005), as LIBSVM and thereby scikit-learn solve it, to the same tolerance. Our own, because
//! smartcore's panics when a saved model is read back, and its solver cannot be cancelled.

use crate::learn::{LearnError, LearningTable, Progress};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};

/// The rows that carry the function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Svr {
    pub(super) gamma: f64,
    pub(super) width: usize,
    /// Row after row.
    pub(super) support: Vec<f64>,
    pub(super) coefficients: Vec<f64>,
    pub(super) intercept: f64,
}

/// How far the optimality conditions may be violated: LIBSVM's default.
const TOLERANCE: f64 = 1e-3;
/// LIBSVM's stand-in for a curvature that is not positive.
const TINY: f64 = 1e-12;
/// Numbers of kernel rows that are kept (256 MiB).
const KEPT: usize = 32 << 20;
/// Steps between two looks at the wish to cancel.
const STRIDE: usize = 1024;

impl Svr {
    /// `c` bounds each coefficient, errors up to `epsilon` are free, `gamma` is the kernel's 1 / length².
    pub(super) fn fit_svr(
        c: f64,
        epsilon: f64,
        gamma: f64,
        table: &LearningTable,
        target: &[f64],
        progress: &Progress,
    ) -> Result<Self, LearnError> {
        let mut solver = Solver::new(c, epsilon, gamma, table, target);
        solver.solve(progress)?;
        let n = table.len();
        let carried = |i: usize| solver.alpha[i] - solver.alpha[i + n];
        let rows: Vec<usize> = (0..n).filter(|i| carried(*i) != 0.0).collect();
        Ok(Self {
            gamma,
            width: table.width(),
            support: rows.iter().flat_map(|i| table.row_values(*i)).copied().collect(),
            coefficients: rows.iter().map(|i| carried(*i)).collect(),
            intercept: -solver.offset(),
        })
    }

    pub(super) fn predict_row(&self, row: &[f64]) -> f64 {
        let near = self.support.chunks_exact(self.width).map(|s| kernel(self.gamma, s, row));
        self.intercept + near.zip(&self.coefficients).map(|(k, c)| k * c).sum::<f64>()
    }
}

fn kernel(gamma: f64, a: &[f64], b: &[f64]) -> f64 {
    (-gamma * a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>()).exp()
}

/// Two variables per row: how far the function is pushed up (the first n) and down (the others) there.
struct Solver<'a> {
    table: &'a LearningTable,
    gamma: f64,
    c: f64,
    alpha: Vec<f64>,
    gradient: Vec<f64>,
    rows: HashMap<usize, Vec<f64>>,
    kept: VecDeque<usize>,
}

impl<'a> Solver<'a> {
    fn new(c: f64, epsilon: f64, gamma: f64, table: &'a LearningTable, target: &[f64]) -> Self {
        let up = target.iter().map(|t| epsilon - t);
        let down = target.iter().map(|t| epsilon + t);
        let gradient = up.chain(down).collect();
        let alpha = vec![0.0; 2 * table.len()];
        Self { table, gamma, c, alpha, gradient, rows: HashMap::new(), kept: VecDeque::new() }
    }

    fn sign(&self, t: usize) -> f64 {
        if t < self.table.len() { 1.0 } else { -1.0 }
    }

    /// Whether `sign * alpha` may still grow.
    fn may_rise(&self, t: usize) -> bool {
        if t < self.table.len() { self.alpha[t] < self.c } else { self.alpha[t] > 0.0 }
    }

    fn may_fall(&self, t: usize) -> bool {
        if t < self.table.len() { self.alpha[t] > 0.0 } else { self.alpha[t] < self.c }
    }

    /// Computes the kernel row of `i` unless it is kept.
    fn load(&mut self, i: usize) {
        let n = self.table.len();
        if self.rows.contains_key(&i) {
            return;
        }
        if (self.kept.len() + 1) * n > KEPT && self.kept.len() > 2 {
            self.kept.pop_front().map(|old| self.rows.remove(&old));
        }
        let (gamma, table) = (self.gamma, self.table);
        let here = table.row_values(i);
        // LIBSVM keeps its kernel in 32 bits, and rows that are equal in them count as one.
        let one = |j: usize| f64::from(kernel(gamma, here, table.row_values(j)) as f32);
        let row =
            if n > 2000 { (0..n).into_par_iter().map(one).collect() } else { (0..n).map(one).collect() };
        self.rows.insert(i, row);
        self.kept.push_back(i);
    }

    fn solve(&mut self, progress: &Progress) -> Result<(), LearnError> {
        let n = self.table.len();
        let most = (100 * n).max(10_000_000); // LIBSVM's
        for step in 0..most {
            if step % STRIDE == 0 {
                progress.check_cancelled()?;
            }
            let Some((i, j)) = self.pair() else { return Ok(()) };
            self.load(j % n);
            self.load(i % n); // the newest two are never dropped
            self.step(i, j);
        }
        Ok(())
    }

    /// The pair that promises the largest decrease; none once the conditions hold.
    fn pair(&mut self) -> Option<(usize, usize)> {
        let n = self.table.len();
        let all = 0..2 * n;
        let lead = |s: &Self, t: usize| -s.sign(t) * s.gradient[t];
        let mut first: Option<(usize, f64)> = None;
        for t in all.clone().filter(|t| self.may_rise(*t)) {
            let lead = lead(self, t);
            if first.is_none_or(|(_, best)| lead >= best) {
                first = Some((t, lead));
            }
        }
        let (i, highest) = first?;
        self.load(i % n);
        let row = &self.rows[&(i % n)];
        let (mut second, mut best, mut lowest) = (None, f64::INFINITY, f64::INFINITY);
        for t in all.filter(|t| self.may_fall(*t)) {
            let lead = lead(self, t);
            lowest = lowest.min(lead);
            let apart = highest - lead;
            if apart > 0.0 {
                let curvature = (2.0 - 2.0 * row[t % n]).max(TINY);
                let decrease = -apart * apart / curvature;
                if decrease <= best {
                    (second, best) = (Some(t), decrease);
                }
            }
        }
        if highest - lowest < TOLERANCE { None } else { second.map(|j| (i, j)) }
    }

    /// Moves along one pair as far as the box allows.
    fn step(&mut self, i: usize, j: usize) {
        let n = self.table.len();
        let (row_i, row_j) = (&self.rows[&(i % n)], &self.rows[&(j % n)]);
        let (sign_i, sign_j) = (self.sign(i), self.sign(j));
        let curvature = (2.0 - 2.0 * row_i[j % n]).max(TINY);
        let wanted = (-sign_i * self.gradient[i] + sign_j * self.gradient[j]) / curvature;
        // sign * alpha of i rises by what that of j falls.
        let room = |alpha: f64, rises: bool| if rises { self.c - alpha } else { alpha };
        let free_i = room(self.alpha[i], sign_i > 0.0);
        let free_j = room(self.alpha[j], sign_j < 0.0);
        let moved = wanted.min(free_i).min(free_j);
        let end = |alpha: f64, rises: bool, at_end: bool| match (at_end, rises) {
            (true, true) => self.c, // exactly, so that it counts as bound
            (true, false) => 0.0,
            (false, true) => alpha + moved,
            (false, false) => alpha - moved,
        };
        let (new_i, new_j) = (
            end(self.alpha[i], sign_i > 0.0, moved == free_i),
            end(self.alpha[j], sign_j < 0.0, moved == free_j),
        );
        let (push_i, push_j) = (sign_i * (new_i - self.alpha[i]), sign_j * (new_j - self.alpha[j]));
        (self.alpha[i], self.alpha[j]) = (new_i, new_j);
        let (up, down) = self.gradient.split_at_mut(n);
        for t in 0..n {
            let change = push_i * row_i[t] + push_j * row_j[t];
            up[t] += change;
            down[t] -= change;
        }
    }

    /// What the function is lowered by: the mean over the free variables, or the middle of what the bound ones allow.
    fn offset(&self) -> f64 {
        let (mut least, mut most) = (f64::NEG_INFINITY, f64::INFINITY);
        let (mut sum, mut free) = (0.0, 0_usize);
        for t in 0..self.alpha.len() {
            let slope = self.sign(t) * self.gradient[t];
            match (self.may_rise(t), self.may_fall(t)) {
                (true, true) => (sum, free) = (sum + slope, free + 1),
                (true, false) => most = most.min(slope),
                _ => least = least.max(slope),
            }
        }
        if free > 0 { sum / free as f64 } else { f64::midpoint(least, most) }
    }
}
