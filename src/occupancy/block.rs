//! What one block asks of an SM, and what its kernel asked of the driver.

use crate::gpu::SmLimits;

/// What one block asks of an SM, and how its kernel was set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BlockNeeds {
    /// Threads per block.
    pub threads: u32,
    /// Registers per thread; 0 = unknown, treated as no limit.
    pub regs_per_thread: u32,
    /// Static shared memory in bytes, without the driver's reserve.
    pub smem_static: u32,
    /// Dynamic shared memory in bytes.
    pub smem_dynamic: u32,
    /// Named barriers of a block; they limit from compute capability 9.0 on. 0 = no limit.
    pub barriers: u32,
    /// How the SRAM is shared between L1 and shared memory.
    pub carveout: Carveout,
    /// Whether loads are cached in the half of the SM that the block lives in.
    pub global_caching: GlobalCaching,
    /// Whether the kernel opted in to more dynamic shared memory than the default limit.
    pub opt_in: bool,
    /// Blocks per cluster; 0 and 1 = no clusters.
    pub cluster: u32,
    /// The most threads per block the kernel was compiled for (`__launch_bounds__`); `None` = as many as the GPU takes.
    pub max_threads: Option<u32>,
}

/// What NVIDIA's calculator assumes of a kernel of which nothing is known: one barrier (`__syncthreads`), opted in.
impl Default for BlockNeeds {
    fn default() -> Self {
        Self {
            threads: 0,
            regs_per_thread: 0,
            smem_static: 0,
            smem_dynamic: 0,
            barriers: 1,
            carveout: Carveout::Default,
            global_caching: GlobalCaching::Off,
            opt_in: true,
            cluster: 1,
            max_threads: None,
        }
    }
}

impl BlockNeeds {
    /// The most threads per block that GPU and kernel allow.
    #[must_use]
    pub fn most_threads(&self, limits: &SmLimits) -> u32 {
        self.max_threads.unwrap_or(u32::MAX).min(limits.threads_per_block)
    }

    /// Static and dynamic shared memory of one block in bytes, without the reserve.
    #[must_use]
    pub fn smem(&self) -> u32 {
        self.smem_static.saturating_add(self.smem_dynamic)
    }
}

/// How much of the SRAM that L1 and shared memory share the kernel prefers as shared memory (7.0 on).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Carveout {
    /// No preference: taken as all of it.
    #[default]
    Default,
    /// This percentage of the most there is, 0 to 100.
    Percent(u8),
}

impl Carveout {
    /// From the driver's number: -1, or 0 to 100.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        match number {
            -1 => Some(Self::Default),
            0..=100 => Some(Self::Percent(number as u8)),
            _ => None,
        }
    }
}

/// Partitioned global caching (5.2, 5.3, 6.1, 6.2): a block lives in one half of the SM and loads through that half's L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum GlobalCaching {
    /// Not asked for.
    #[default]
    Off,
    /// Asked for; given up where no block would fit a half.
    On,
    /// Required.
    Strict,
}

impl GlobalCaching {
    /// From the calculator's number: 0 off, 1 on, 2 strict.
    #[must_use]
    pub fn from_number(number: i64) -> Option<Self> {
        match number {
            0 => Some(Self::Off),
            1 => Some(Self::On),
            2 => Some(Self::Strict),
            _ => None,
        }
    }
}
