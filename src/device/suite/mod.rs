//! The kernels that `roofswap measure` times, as data: `assets/kernels/suite.toml`.
//!
//! A kernel of the suite names a file of `specs/kernels` by its id; problem keys, named sizes, launch shape and dynamic
//! shared memory come from there and are not said twice. The suite adds what a program needs to start the kernel: the
//! CUDA source, the entry, the arguments in order, the buffers with their first content, and what is checked.
//!
//! ```toml
//! [[kernel]]
//! id = "saxpy"                # of specs/kernels
//! file = "saxpy.cu"           # of assets/kernels
//! symbol = "saxpy"            # the extern "C" entry
//! runs = [{ size = "small" }, { size = "large", problem = "n=4194304" }] # left out: the four named sizes of the kernel's file
//! buffers = [                 # type: f32 f64 i32 u32; length: elements, a formula
//!   { name = "x", type = "f32", length = "n", fill = { kind = "uniform", low = 0.5, high = 1.5 } },
//!   { name = "y", type = "f32", length = "n", fill = { kind = "uniform", low = 0.5, high = 1.5 } },
//!   { name = "z", type = "f32", length = "n", role = "output" },
//! ]
//! arguments = [               # in the order of the entry's parameters
//!   { name = "alpha", f32 = "2.5" },
//!   { buffer = "x" }, { buffer = "y" }, { buffer = "z" },
//!   { name = "n", u32 = "n" },
//! ]
//! check = { buffer = "z", relative = 1e-6, absolute = 0.0, sample = 65536, why = "one rounding per element" }
//! ```
//!
//! Formulas know the kernel's problem keys, its variant keys, and `threads` (per block) and `blocks` (in the grid).
//! Where NVRTC cannot be used, `assets/kernels/compiled/ptx/<file stem>.compute_XX.ptx` is loaded instead: the highest XX
//! that the GPU runs.

mod case;
mod file;
mod fill;
mod paper3;
pub mod reference;

pub use case::{BufferData, CaseError, Scalar, SuiteCase, cases};
pub use file::{SuiteError, read_suite, shipped_suite};
pub use fill::{Fill, fill};
pub use paper3::paper3_suite;

use crate::catalogue::Catalogue;
use crate::kernel::Kernel;
use serde::Deserialize;

/// One kernel of the suite, as its file says it and checked on its own; [`SuiteCase::new`] puts a problem in.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteKernel {
    /// Id in `specs/kernels`.
    pub id: String,
    /// CUDA source in `assets/kernels`.
    pub file: String,
    /// The `extern "C"` entry.
    pub symbol: String,
    /// Code variant, `k=v;k=v`, where the kernel's file declares variant keys.
    #[serde(default)]
    pub variant: String,
    /// Which sizes are timed; empty: every named size of the kernel's file.
    #[serde(default)]
    pub runs: Vec<SuiteRun>,
    /// Every buffer it gets.
    pub buffers: Vec<Buffer>,
    /// Its parameters in order.
    pub arguments: Vec<Argument>,
    /// What is compared with the CPU reference before any timing.
    pub check: AnswerCheck,
    /// Whether it is launched with one thread in all, whatever the kernel's file says of its launch.
    #[serde(default)]
    pub one_thread: bool,
}

/// One size of a kernel of the suite.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteRun {
    /// `small`, `medium`, `large` or `xlarge`: what `--size` chooses by.
    pub size: String,
    /// The problem; left out: what the kernel's file calls by this name.
    #[serde(default)]
    pub problem: Option<String>,
}

/// A buffer in device memory.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// Name, for arguments and references.
    pub name: String,
    /// Element type.
    #[serde(rename = "type")]
    pub element: Element,
    /// Elements, as a formula of the problem.
    pub length: String,
    /// What stands in it before the first launch.
    #[serde(default)]
    pub fill: Fill,
    /// What the kernel does with it.
    #[serde(default)]
    pub role: BufferRole,
}

/// Element types of buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Signed, 32 bits.
    I32,
    /// Unsigned, 32 bits.
    U32,
}

impl Element {
    /// Bytes of one element.
    #[must_use]
    pub fn element_bytes(self) -> u64 {
        if self == Self::F64 { 8 } else { 4 }
    }
}

/// What the kernel does with a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BufferRole {
    /// Only read.
    #[default]
    Input,
    /// Written without being read: the same after one launch and after many.
    Output,
    /// Read and written, so that each launch changes it: filled again before the launch whose answer is looked at.
    Changed,
}

/// One parameter of the entry: exactly one of `buffer`, `u32`, `i32`, `f32`, `f64`; the last four are formulas.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Name of a scalar, for references; the formula itself where it is left out.
    #[serde(default)]
    pub name: String,
    /// The buffer whose address is given.
    pub buffer: Option<String>,
    /// An unsigned number.
    pub u32: Option<String>,
    /// A signed number (formulas give no negative ones).
    pub i32: Option<String>,
    /// A single-precision number.
    pub f32: Option<String>,
    /// A double-precision number.
    pub f64: Option<String>,
}

/// Which answer is right: `|got - expected| <= absolute + relative * |expected|`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerCheck {
    /// The buffer that is looked at.
    pub buffer: String,
    /// Share of the expected value.
    #[serde(default)]
    pub relative: f64,
    /// In units of the value.
    #[serde(default)]
    pub absolute: f64,
    /// At most so many elements are compared, chosen by the seed, the first and the last always among them; left out: all.
    #[serde(default)]
    pub sample: Option<usize>,
    /// Why this tolerance.
    pub why: String,
}

/// The CPU reference of one kernel: the expected values of the checked buffer at these elements, after one launch on
/// buffers as they are filled. 32-bit integers and floats are exact as `f64`.
pub type CpuReference = fn(&SuiteCase, at: &[usize]) -> Vec<f64>;

/// The suite's kernels, each beside its entry in the catalogue.
///
/// # Errors
/// [`SuiteError`] for an id that the catalogue does not have.
pub fn joined<'a>(
    suite: &'a [SuiteKernel],
    kernels: &'a Catalogue<Kernel>,
) -> Result<Vec<(&'a SuiteKernel, &'a Kernel)>, SuiteError> {
    let find = |k: &'a SuiteKernel| match kernels.entry_named(&k.id) {
        Ok(kernel) => Ok((k, kernel)),
        Err(e) => Err(SuiteError::new(&k.id, "id", e)),
    };
    suite.iter().map(find).collect()
}
