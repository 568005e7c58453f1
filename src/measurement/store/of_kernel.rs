//! The configurations of one kernel, as they were read and in other orders.

use crate::gpu::GpuId;
use crate::measurement::ConfigId;
use std::sync::{Arc, OnceLock};

/// A timed configuration of a kernel with the logarithm of its size, by GPU, variant and size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sized {
    pub(super) gpu: GpuId,
    pub(super) config: ConfigId,
    pub(super) ln: f64,
}

/// Configurations of one kernel, in the order they were read. There may be as many kernels as rows.
#[derive(Debug, Clone, Default)]
pub(super) struct OfKernel {
    pub(super) configs: Vec<ConfigId>,
    /// Whether one of them has no variant.
    pub(super) has_plain: bool,
    pub(super) arranged: OnceLock<Arc<Arranged>>,
}

/// The configurations of one kernel in other orders, each made when it is first asked for.
#[derive(Debug, Default)]
pub(super) struct Arranged {
    /// By size.
    pub(super) by_volume: OnceLock<Box<[ConfigId]>>,
    /// Those that were timed, for a size that nobody timed.
    pub(super) sizes: OnceLock<Box<[Sized]>>,
}

impl OfKernel {
    pub(super) fn arranged(&self) -> &Arranged {
        self.arranged.get_or_init(Arc::default)
    }
}
