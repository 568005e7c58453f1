//! Kernels whose every answer comes from the elements around one place of the plane.

use super::{doubles, f32_at, f64_at, scalar, singles};
use crate::device::suite::SuiteCase;

/// 3 x 3 convolution, valid region.
pub(super) fn conv2d_3x3(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    convolution(case, at, 3)
}

/// 7 x 7 convolution, valid region.
pub(super) fn conv2d_7x7(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    convolution(case, at, 7)
}

/// f x f convolution, valid region.
pub(super) fn conv2d_layer(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    convolution(case, at, case.size_of("f"))
}

/// Each output is one chain of fused multiply-adds, row after row of the filter, which is not flipped.
fn convolution(case: &SuiteCase, at: &[usize], side: usize) -> Vec<f64> {
    let (image, filter, w) = (case.f32s("image"), case.f32s("filter"), case.size_of("w"));
    let outputs = (w + 1).saturating_sub(side).max(1);
    singles(at, |i| {
        let (y, x) = (i / outputs, i % outputs);
        (0..side * side).fold(0.0, |sum, j| {
            let (dy, dx) = (j / side, j % side);
            f32_at(image, (y + dy) * w + x + dx).mul_add(f32_at(filter, j), sum)
        })
    })
}

/// One explicit step of heat diffusion: the rim keeps its temperature.
pub(super) fn heat_diffusion(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (plate, rows, cols) = (case.f32s("in"), case.size_of("rows"), case.size_of("cols").max(1));
    // The kernel gets it in single precision, and `scalar` gives what it gets.
    let alpha = scalar(case, "alpha");
    doubles(at, |i| {
        let (row, col) = (i / cols, i % cols);
        let here = f64_at(plate, i);
        if row == 0 || col == 0 || row + 1 >= rows || col + 1 >= cols {
            return here;
        }
        let around: f64 = [i - cols, i + cols, i - 1, i + 1].iter().map(|n| f64_at(plate, *n)).sum();
        here + alpha * (around - 4.0 * here)
    })
}
