//! What a question is about.

use crate::kernel::{Instance, Problem};
use crate::measurement::ConfigId;
use std::sync::Arc;

/// A kernel at one size in one variant, with its counts evaluated: everything that does not depend on a GPU.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Position of the kernel in its catalogue.
    pub kernel: usize,
    /// The sizes.
    pub problem: Arc<Problem>,
    /// Code variant.
    pub variant: Arc<str>,
    /// Launch shape, shared memory and counts.
    pub instance: Instance,
    /// Its place in the store, where somebody timed it.
    pub config: Option<ConfigId>,
}
