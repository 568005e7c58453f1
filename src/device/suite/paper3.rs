//! The launches of paper 3's data (section 3.2.1): its eleven kernels at seven sizes and nine blocks, and one thread alone
//! for each size, which its speedups are over.
//!
//! heat_diffusion and conv2d_layer have blocks of two dimensions written into their sources: those two stand here at their
//! own block alone. Sizes of two dimensions, rows of softmax, landmarks and segments are ours: the paper names none.

use super::{Argument, SuiteKernel, SuiteRun};

/// Elements.
const SIZES: [u32; 7] = [10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000, 10_000_000];

/// The same as rows and columns.
const PLATES: [[u32; 2]; 7] =
    [[100, 100], [200, 250], [250, 400], [500, 1_000], [1_000, 1_000], [2_000, 2_500], [2_500, 4_000]];

/// Threads per block.
const BLOCKS: [u32; 9] = [32, 64, 128, 200, 256, 400, 500, 512, 1_024];

/// Numbers in a row of softmax: every size is a multiple of it.
const SOFTMAX_ROW: u32 = 1_000;

/// The source of the loops that one thread runs.
const ONE_THREAD: &str = "probe/one_thread.cu";

/// How problems of a kernel are written.
#[derive(Clone, Copy, PartialEq)]
enum ProblemShape {
    /// `n=…;t=…`.
    Elements,
    /// The same, and the one thread is a launch of the kernel's own source.
    OwnLoop,
    /// `n=…;segment=…;t=…`: a segment as long as all is one thread.
    Segments,
    /// `rows=…;cols=…;t=…`.
    Rows,
    /// `rows=…;cols=…`, the block fixed.
    Plate,
    /// `h=…;w=…`, the block fixed.
    Image,
}

const KERNELS: [(&str, ProblemShape); 11] = [
    ("elementwise_add", ProblemShape::Elements),
    ("elementwise_multiply", ProblemShape::Elements),
    ("heat_diffusion", ProblemShape::Plate),
    ("count_numbers", ProblemShape::Elements),
    ("count_numbers_shared", ProblemShape::Elements),
    ("conv2d_layer", ProblemShape::Image),
    ("sigmoid", ProblemShape::Elements),
    ("max_distance", ProblemShape::OwnLoop),
    ("array_reversal", ProblemShape::Elements),
    ("softmax", ProblemShape::Rows),
    ("binary_search", ProblemShape::Segments),
];

/// Paper 3's kernels as a suite of their own: each with its launches, and then with one thread.
#[must_use]
pub fn paper3_suite(shipped: &[SuiteKernel]) -> Vec<SuiteKernel> {
    let of = |(id, shape): &(&str, ProblemShape)| {
        let kernel = shipped.iter().find(|kernel| kernel.id == *id)?;
        Some([SuiteKernel { runs: launch_runs(*shape), ..kernel.clone() }, one_thread_kernel(kernel, *shape)])
    };
    KERNELS.iter().filter_map(of).flatten().collect()
}

fn launch_runs(shape: ProblemShape) -> Vec<SuiteRun> {
    let blocks: &[u32] = if has_block_key(shape) { &BLOCKS } else { &BLOCKS[..1] };
    let runs = (0..SIZES.len()).flat_map(|size| blocks.iter().map(move |t| run(shape, size, *t)));
    runs.collect()
}

fn one_thread_kernel(kernel: &SuiteKernel, shape: ProblemShape) -> SuiteKernel {
    let mut one = SuiteKernel { one_thread: true, ..kernel.clone() };
    one.runs = (0..SIZES.len()).map(|size| run(shape, size, 1)).collect();
    if !matches!(shape, ProblemShape::OwnLoop | ProblemShape::Segments) {
        one.file = ONE_THREAD.into();
    }
    if shape == ProblemShape::Rows {
        let rows = Some("rows".to_string());
        one.arguments.push(Argument { name: "rows".into(), u32: rows, ..Argument::default() });
    }
    if !has_block_key(shape) {
        one.variant = "launch=one_thread".into(); // its problem is that of the other launch
    }
    one
}

fn has_block_key(shape: ProblemShape) -> bool {
    !matches!(shape, ProblemShape::Plate | ProblemShape::Image)
}

fn run(shape: ProblemShape, size: usize, threads: u32) -> SuiteRun {
    let (n, [rows, cols]) = (SIZES[size], PLATES[size]);
    let problem = match shape {
        ProblemShape::Segments if threads == 1 => format!("n={n};segment={n};t=1"),
        ProblemShape::Elements | ProblemShape::OwnLoop | ProblemShape::Segments => {
            format!("n={n};t={threads}")
        }
        ProblemShape::Rows => format!("rows={};cols={SOFTMAX_ROW};t={threads}", n / SOFTMAX_ROW),
        ProblemShape::Plate => format!("rows={rows};cols={cols}"),
        ProblemShape::Image => format!("h={rows};w={cols}"),
    };
    SuiteRun { size: n.to_string(), problem: Some(problem) }
}
