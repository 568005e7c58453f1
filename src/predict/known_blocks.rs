//! What rows and formulas say of a kernel's blocks, whatever the GPU.

use crate::kernel::Instance;
use crate::measurement::Measurement;

/// What is known of a kernel's blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct KnownBlocks {
    /// Whether anybody says how many there are, and of how many threads. Of a time without that nobody knows whether it is one kernel's.
    pub(super) have_launch: bool,
    /// Bytes of shared memory that one asks for, per thread, by the first who states all of it.
    pub(super) shared_bytes_per_thread: Option<f64>,
}

impl KnownBlocks {
    /// The same, where this row was seen too.
    pub(super) fn beside_row(self, row: &Measurement) -> Self {
        let threads = || row.block().map(|block| block.iter().map(|n| u64::from(*n)).product());
        let stated = || bytes_per_thread([row.smem_static(), row.smem_dynamic()], threads());
        Self {
            have_launch: self.have_launch || row.launch().is_some(),
            shared_bytes_per_thread: self.shared_bytes_per_thread.or_else(stated),
        }
    }

    /// The same, where the formulas of the kernel are asked too.
    pub(super) fn beside_formulas(self, instance: &Instance) -> Self {
        let threads = instance.launch.map(|launch| u64::from(launch.threads()));
        let threads = threads.or(instance.block_size.map(|block| u64::from(block.threads())));
        let stated = || bytes_per_thread([instance.smem_static, instance.smem_dynamic], threads);
        Self {
            have_launch: self.have_launch || instance.launch.is_some(),
            shared_bytes_per_thread: self.shared_bytes_per_thread.or_else(stated),
        }
    }
}

/// Bytes per thread of blocks of so many; as if of one where that is unknown. `None` where a part is.
fn bytes_per_thread([fixed, dynamic]: [Option<u32>; 2], threads: Option<u64>) -> Option<f64> {
    Some((f64::from(fixed?) + f64::from(dynamic?)) / threads.unwrap_or(1).max(1) as f64)
}
