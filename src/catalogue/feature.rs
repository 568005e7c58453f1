//! What a kernel may need of a GPU beyond the limits of a launch.

use serde::Deserialize;

/// A feature; the compute capability that first has it stands in `specs/compute-capabilities.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feature {
    /// Half-precision arithmetic.
    Fp16,
    /// bfloat16 arithmetic.
    Bf16,
    /// FP8 on tensor cores.
    Fp8,
    /// FP4 with a scale per block on tensor cores.
    Fp4,
    /// Tensor cores.
    Tensor,
    /// The tensor memory accelerator.
    Tma,
    /// Thread-block clusters.
    Cluster,
    /// Copies from global to shared memory in the background, by hardware.
    AsyncCopy,
    /// `atomicAdd` on FP64.
    Fp64Atomics,
    /// Launches whose blocks can wait for one another.
    Cooperative,
}

impl Feature {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Fp16,
        Self::Bf16,
        Self::Fp8,
        Self::Fp4,
        Self::Tensor,
        Self::Tma,
        Self::Cluster,
        Self::AsyncCopy,
        Self::Fp64Atomics,
        Self::Cooperative,
    ];

    /// The word in kernel files and in the table.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fp16 => "fp16",
            Self::Bf16 => "bf16",
            Self::Fp8 => "fp8",
            Self::Fp4 => "fp4",
            Self::Tensor => "tensor",
            Self::Tma => "tma",
            Self::Cluster => "cluster",
            Self::AsyncCopy => "async_copy",
            Self::Fp64Atomics => "fp64_atomics",
            Self::Cooperative => "cooperative",
        }
    }
}
