//! Kernels whose every answer comes from a few elements, at places that need no arithmetic of two dimensions.

use super::{doubles, f32_at, f64_at, scalar, singles};
use crate::device::suite::SuiteCase;

/// c = a + b.
pub(super) fn added_vectors(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (a, b) = (case.f32s("a"), case.f32s("b"));
    singles(at, |i| f32_at(a, i) + f32_at(b, i))
}

/// c = a b.
pub(super) fn multiply(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (a, b) = (case.f32s("a"), case.f32s("b"));
    singles(at, |i| f32_at(a, i) * f32_at(b, i))
}

/// z = alpha x + y, rounded once.
pub(super) fn saxpy(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (x, y, alpha) = (case.f32s("x"), case.f32s("y"), scalar(case, "alpha") as f32);
    singles(at, |i| alpha.mul_add(f32_at(x, i), f32_at(y, i)))
}

/// Odd places as [`added_vectors`]; even ones add what 128 steps of x = 0.5 x + 0.25 make of a.
pub(super) fn vector_add_divergent(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (a, b) = (case.f32s("a"), case.f32s("b"));
    singles(at, |i| {
        let sum = f32_at(a, i) + f32_at(b, i);
        if i % 2 == 1 { sum } else { sum + chain(f32_at(a, i)) }
    })
}

/// 128 dependent steps; each halves the distance to 0.5.
fn chain(start: f32) -> f32 {
    (0..128).fold(start, |x, _| x.mul_add(0.5, 0.25))
}

/// Every eighth element; the others stay zero.
pub(super) fn strided_copy_8(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let a = case.f32s("a");
    singles(at, |i| if i % 8 == 0 { f32_at(a, i) } else { 0.0 })
}

/// `b = a[idx]`.
pub(super) fn random_access(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (a, idx) = (case.f32s("a"), case.i32s("idx"));
    let place = |i: usize| idx.get(i).and_then(|p| usize::try_from(*p).ok());
    singles(at, |i| place(i).map_or(f32::NAN, |p| f32_at(a, p)))
}

/// The element that stands as far from the end.
pub(super) fn array_reversal(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let a = case.f32s("a");
    singles(at, |i| a.len().checked_sub(i + 1).map_or(f32::NAN, |p| f32_at(a, p)))
}

/// y = 1 / (1 + e^-x).
pub(super) fn sigmoid(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let x = case.f32s("x");
    doubles(at, |i| 1.0 / (1.0 + (-f64_at(x, i)).exp()))
}

/// The distance to the farthest landmark; 0 where there is none.
pub(super) fn max_distance(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (x, y, lx, ly) = (case.f32s("x"), case.f32s("y"), case.f32s("lx"), case.f32s("ly"));
    doubles(at, |i| {
        let (px, py) = (f64_at(x, i), f64_at(y, i));
        if (px + py).is_nan() {
            return f64::NAN; // `max` would pass over it
        }
        let distances = lx.iter().zip(ly).map(|(lx, ly)| (px - f64::from(*lx)).hypot(py - f64::from(*ly)));
        distances.fold(0.0, f64::max)
    })
}
