//! Matrices, row-major.

use super::{f32_at, singles};
use crate::device::suite::SuiteCase;

/// b (cols x rows) = transpose of a (rows x cols).
pub(super) fn transpose(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (a, rows, cols) = (case.f32s("a"), case.size_of("rows").max(1), case.size_of("cols"));
    singles(at, |i| f32_at(a, (i % rows) * cols + i / rows))
}

/// c (m x n) = a (m x k) b (k x n), each element one chain of fused multiply-adds in the order of k.
pub(super) fn product(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (a, b) = (case.f32s("a"), case.f32s("b"));
    let (n, k) = (case.size_of("n").max(1), case.size_of("k"));
    singles(at, |i| {
        let (row, col) = (i / n, i % n);
        (0..k).fold(0.0, |sum, j| f32_at(a, row * k + j).mul_add(f32_at(b, j * n + col), sum))
    })
}
