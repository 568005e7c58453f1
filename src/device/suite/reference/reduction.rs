//! Kernels that sum: each answer comes from a whole part of the input.

use super::{doubles, f64_at};
use crate::device::suite::SuiteCase;

/// Elements that a block of the study's reductions sums: two for each of its threads.
fn block_span(case: &SuiteCase) -> usize {
    2 * case.launch.threads() as usize
}

/// Per block the sum of its elements.
pub(super) fn reduce_sum(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (values, span) = (case.f32s("in"), block_span(case));
    doubles(at, |block| part(values, block, span).iter().map(|v| f64::from(*v)).sum())
}

/// Per block the sum of its products.
pub(super) fn dot_product(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (a, b, span) = (case.f32s("a"), case.f32s("b"), block_span(case));
    doubles(at, |block| {
        let pairs = part(a, block, span).iter().zip(part(b, block, span));
        pairs.map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    })
}

/// The elements of this block; fewer at the end.
fn part(values: &[f32], block: usize, span: usize) -> &[f32] {
    let end = values.len().min((block + 1) * span);
    values.get(block * span..end).unwrap_or(&[])
}

/// Per warp the sum of (p - q)^2 over the pairs of its lanes: lane by lane every t-th pair of the block's row.
pub(super) fn squared_distance(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (p, q) = (case.f32s("p"), case.f32s("q"));
    let (k, threads) = (case.size_of("k"), case.launch.threads() as usize);
    let warps = threads.div_ceil(32);
    doubles(at, |i| {
        let (row, warp) = (i / warps, i % warps);
        let lanes = warp * 32..threads.min(warp * 32 + 32);
        let places = (0..k).step_by(threads).flat_map(|first| lanes.clone().map(move |lane| first + lane));
        let square = |j: usize| (f64_at(p, row * k + j) - f64_at(q, row * k + j)).powi(2);
        places.filter(|j| *j < k).map(square).sum()
    })
}

/// Per thread the sum of all 1,024 words, begun 33 words further on than its neighbour's: the same for all but for the
/// order of its roundings.
pub(super) fn shared_bank_conflict(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let words = case.f32s("in");
    super::singles(at, |t| (0..1024).fold(0.0, |sum, s| sum + super::f32_at(words, (33 * t + s) % 1024)))
}

/// e^(x - m) over the row's sum of them, m the row's largest.
pub(super) fn softmax(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (values, cols) = (case.f32s("in"), case.size_of("cols").max(1));
    // Elements come in ascending order, so that a row's sum is needed once.
    let mut known = None;
    let mut all = Vec::with_capacity(at.len());
    for i in at {
        let row = i / cols;
        let (largest, sum) = match known {
            Some((same, shared)) if same == row => shared,
            _ => row_sum(values.get(row * cols..(row + 1) * cols).unwrap_or(&[])),
        };
        known = Some((row, (largest, sum)));
        all.push((f64_at(values, *i) - largest).exp() / sum);
    }
    all
}

/// A row's largest number, and the sum of e^(x - largest).
fn row_sum(row: &[f32]) -> (f64, f64) {
    let largest = f64::from(row.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    (largest, row.iter().map(|x| (f64::from(*x) - largest).exp()).sum())
}
