//! CPU references: what the checked buffer of each kernel of the suite must hold after one launch.
//!
//! A reference is a plain loop over the asked elements, written from what the kernel is to compute and not from how its
//! threads do it. Where a value is one chain of fused multiply-adds (matrix products, convolutions) the same chain is
//! followed in single precision, so that the answer is the same bit for bit; trees of sums and functions are computed in
//! double precision, and the tolerance in the suite's file says how far single precision may be from it. A case must
//! be filled; of an empty one a reference says nothing of use, and does not panic.

mod counting;
mod elementwise;
mod matrix;
mod reduction;
mod stencil;

use super::{CpuReference, SuiteCase};

/// About how many additions, products or comparisons the elements of a case take: all of the case, so many compared.
type Steps = fn(&SuiteCase, compared: usize) -> f64;

/// Every kernel of the suite: id, reference, and what it costs.
const ALL: [(&str, CpuReference, Steps); 31] = [
    ("array_reversal", elementwise::array_reversal, |_, at| at as f64),
    ("atomic_hotspot", counting::atomic_hotspot, |_, at| at as f64),
    ("binary_search", counting::binary_search, |case, _| size(case, "n")),
    ("conv2d_3x3", stencil::conv2d_3x3, |_, at| 9.0 * at as f64),
    ("conv2d_7x7", stencil::conv2d_7x7, |_, at| 49.0 * at as f64),
    ("conv2d_layer", stencil::conv2d_layer, |case, at| size(case, "f").powi(2) * at as f64),
    ("count_numbers", counting::histogram, |case, _| size(case, "n")),
    ("count_numbers_shared", counting::histogram, |case, _| size(case, "n")),
    ("dot_product", reduction::dot_product, |case, _| size(case, "n")),
    ("elementwise_add", elementwise::added_vectors, |_, at| at as f64),
    ("elementwise_multiply", elementwise::multiply, |_, at| at as f64),
    ("gemm_tiled", matrix::product, |case, at| size(case, "k") * at as f64),
    ("heat_diffusion", stencil::heat_diffusion, |_, at| 7.0 * at as f64),
    ("histogram", counting::histogram, |case, _| size(case, "n")),
    ("histogram_spread", counting::histogram, |case, _| size(case, "n")),
    ("matmul_naive", matrix::product, |case, at| size(case, "k") * at as f64),
    ("matmul_tiled", matrix::product, |case, at| size(case, "k") * at as f64),
    ("max_distance", elementwise::max_distance, |case, at| 6.0 * size(case, "l") * at as f64),
    ("naive_transpose", matrix::transpose, |_, at| at as f64),
    ("random_access", elementwise::random_access, |_, at| at as f64),
    ("random_gather", elementwise::random_access, |_, at| at as f64),
    ("reduce_sum", reduction::reduce_sum, |case, _| size(case, "n")),
    ("saxpy", elementwise::saxpy, |_, at| at as f64),
    ("shared_bank_conflict", reduction::shared_bank_conflict, |_, at| 1024.0 * at as f64),
    ("shared_transpose", matrix::transpose, |_, at| at as f64),
    ("sigmoid", elementwise::sigmoid, |_, at| 4.0 * at as f64),
    ("softmax", reduction::softmax, softmax_steps),
    ("squared_distance", reduction::squared_distance, |case, _| size(case, "b") * size(case, "k")),
    ("strided_copy_8", elementwise::strided_copy_8, |_, at| at as f64),
    ("vector_add", elementwise::added_vectors, |_, at| at as f64),
    ("vector_add_divergent", elementwise::vector_add_divergent, |_, at| 64.5 * at as f64),
];

/// The reference of this kernel of the suite; a test holds that every one has its own.
#[must_use]
pub fn reference(kernel: &str) -> Option<CpuReference> {
    ALL.iter().find(|(id, ..)| *id == kernel).map(|(_, reference, _)| *reference)
}

/// About how many additions, products or comparisons the reference takes for so many compared elements of this case;
/// `None` for a kernel without reference. What bounds the time of a check before anything is timed.
#[must_use]
pub fn steps(case: &SuiteCase, compared: usize) -> Option<f64> {
    ALL.iter().find(|(id, ..)| *id == case.kernel).map(|(.., steps)| steps(case, compared))
}

/// The sums of the rows that the elements lie in, and the elements.
fn softmax_steps(case: &SuiteCase, compared: usize) -> f64 {
    let rows = size(case, "rows").min(compared as f64);
    6.0 * (rows * size(case, "cols") + compared as f64)
}

/// A problem key as a number.
fn size(case: &SuiteCase, key: &str) -> f64 {
    case.size_of(key) as f64
}

/// A scalar argument; NaN for a name that there is not.
fn scalar(case: &SuiteCase, name: &str) -> f64 {
    case.scalar(name).unwrap_or(f64::NAN)
}

/// An element; NaN beyond the end.
fn f32_at(values: &[f32], at: usize) -> f32 {
    values.get(at).copied().unwrap_or(f32::NAN)
}

/// An element in double precision; NaN beyond the end.
fn f64_at(values: &[f32], at: usize) -> f64 {
    f64::from(f32_at(values, at))
}

/// What single precision gives at each of these elements.
fn singles(at: &[usize], value: impl Fn(usize) -> f32) -> Vec<f64> {
    at.iter().map(|i| f64::from(value(*i))).collect()
}

/// What double precision gives at each of these elements.
fn doubles(at: &[usize], value: impl Fn(usize) -> f64) -> Vec<f64> {
    at.iter().map(|i| value(*i)).collect()
}
