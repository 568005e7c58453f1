//! What is allocated on a GPU.

use super::libcuda::DevicePointer;

/// Memory of the GPU that is ours: where it begins, and how long it is.
pub(super) struct Allocation {
    pub(super) start: DevicePointer,
    pub(super) bytes: u64,
}

impl Allocation {
    /// Whether so many bytes from this address on lie in it.
    pub(super) fn holds(&self, at: DevicePointer, bytes: u64) -> bool {
        at.checked_sub(self.start)
            .and_then(|before| before.checked_add(bytes))
            .is_some_and(|e| e <= self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Allocation;

    #[test]
    fn a_range_lies_within_its_memory_or_not() {
        let memory = Allocation { start: 4096, bytes: 256 };
        assert!(memory.holds(4096, 256) && memory.holds(4351, 1) && memory.holds(4352, 0));
        assert!(!memory.holds(4095, 1) && !memory.holds(4352, 1) && !memory.holds(4096, 257));
        assert!(!memory.holds(4097, u64::MAX) && !memory.holds(u64::MAX, 2));
    }
}
