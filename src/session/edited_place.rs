//! What is edited of which GPU, and whether lists show it.

use crate::gpu::{GpuChanges, GpuId};

/// A GPU that does not exist: one of the catalogue with some numbers changed.
#[derive(Debug, Clone, PartialEq)]
pub struct EditedGpu {
    /// The GPU it is based on, at the clocks that are set for it.
    pub base: GpuId,
    /// What is changed of it.
    pub changes: GpuChanges,
}

/// The place behind all others, once a GPU was put there.
#[derive(Debug, Clone)]
pub(super) struct EditedPlace {
    pub(super) edited: EditedGpu,
    /// Whether it is there to be seen. Its place is never given up: answers that are still on the screen may name it.
    pub(super) is_listed: bool,
}
