//! What rows and formulas say of a kernel's blocks, whatever the GPU.

use crate::kernel::Instance;
use crate::measurement::Measurement;

/// What is known of a kernel's blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct KnownBlocks {
    /// Whether anybody says how many threads one has. Of a time without that nobody knows whether it is one kernel's.
    pub(super) have_threads: bool,
    /// Whether one asks for shared memory, by the first who states all of it.
    pub(super) use_shared_memory: Option<bool>,
}

impl KnownBlocks {
    /// The same, where this row was seen too.
    pub(super) fn beside_row(self, row: &Measurement) -> Self {
        Self {
            have_threads: self.have_threads || row.block().is_some(),
            use_shared_memory: self.use_shared_memory.or(any_bytes([row.smem_static(), row.smem_dynamic()])),
        }
    }

    /// The same, where the formulas of the kernel are asked too.
    pub(super) fn beside_formulas(self, instance: &Instance) -> Self {
        let has_launch = instance.launch.is_some() || instance.block_size.is_some();
        let stated = any_bytes([instance.smem_static, instance.smem_dynamic]);
        Self {
            have_threads: self.have_threads || has_launch,
            use_shared_memory: self.use_shared_memory.or(stated),
        }
    }
}

/// Whether any of these is asked for; `None` where one is unknown.
fn any_bytes([fixed, dynamic]: [Option<u32>; 2]) -> Option<bool> {
    Some(fixed? > 0 || dynamic? > 0)
}
