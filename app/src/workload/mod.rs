//! What is asked about: a kernel that was typed, kernels of a mix with their weights.
//!
//! [`KernelLine`] reads the one-line form of a kernel and says word by word what it understood; [`TypedKernel`] is what
//! came of it, or of flags, and [`TypedKernel::load_into`] makes it a row like those of a measurement file.

mod facts;
mod kernel_line;
mod mix;
mod parts;
mod typed_kernel;

pub use kernel_line::{Chip, KernelLine};
pub use mix::{MixError, MixFile, is_nameless};
pub use parts::{RunAmount, Workload, WorkloadPart};
pub use typed_kernel::{LoadedKernel, NAMELESS, TypedKernel, TypedKernelError, typed_shape};
