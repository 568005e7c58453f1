//! Whether a launch can start at all, and how its grid falls on a GPU.

use super::{BlockNeeds, Occupancy, Rules, occupancy};
use crate::gpu::{Gpu, SmLimits};
use crate::kernel::Launch;

/// Why a launch cannot start.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum LaunchRefusal {
    /// Too many threads in a block.
    #[error("cannot launch: {threads} threads per block, at most {most}")]
    Threads {
        /// Asked for.
        threads: u32,
        /// Allowed.
        most: u32,
    },
    /// A block has more warps than an SM: GPUs whose numbers were changed alone can hold fewer than one block may have.
    #[error("cannot launch: {warps} warps per block, an SM holds {most}")]
    Warps {
        /// Warps of a block.
        warps: u32,
        /// Warps of one SM.
        most: u32,
    },
    /// More threads than the kernel was compiled for.
    #[error("cannot launch: {threads} threads per block, compiled for at most {most} (__launch_bounds__)")]
    CompiledFor {
        /// Asked for.
        threads: u32,
        /// The kernel's bound.
        most: u32,
    },
    /// Another block than the only one the kernel was compiled for.
    #[error("cannot launch: {threads} threads per block, compiled for blocks of {required} only (.reqntid)")]
    OtherBlock {
        /// Asked for.
        threads: u32,
        /// The only one.
        required: u32,
    },
    /// A thread needs more registers than one may have.
    #[error("cannot launch: {regs} registers per thread, and no compiler gives one more than {most}")]
    RegistersPerThread {
        /// Asked for.
        regs: u32,
        /// Allowed.
        most: u32,
    },
    /// A block needs more registers than one may have.
    #[error("cannot launch: {regs} registers x {threads} threads need {needed}, a block may have {most}")]
    Registers {
        /// Registers per thread.
        regs: u32,
        /// Threads per block.
        threads: u32,
        /// Registers of one block, in whole allocation units.
        needed: u64,
        /// Allowed.
        most: u32,
    },
    /// A block needs more shared memory than one may have.
    #[error("cannot launch: {needed} bytes of shared memory per block, at most {most}")]
    SharedMemory {
        /// Asked for.
        needed: u32,
        /// Allowed after opting in.
        most: u32,
    },
    /// A block needs more shared memory than one may have without opting in.
    #[error(
        "cannot launch: {needed} bytes of shared memory per block, at most {most} without opting in (cudaFuncSetAttribute)"
    )]
    NotOptedIn {
        /// Asked for.
        needed: u32,
        /// Allowed without opting in.
        most: u32,
    },
    /// The block has more barriers than the SM.
    #[error("cannot launch: {barriers} barriers per block, an SM has {most}")]
    Barriers {
        /// Asked for.
        barriers: u32,
        /// Barriers of one SM.
        most: u32,
    },
    /// Partitioned global caching was required, and a block does not fit half an SM.
    #[error("cannot launch: a block does not fit half an SM, which strict global caching needs")]
    GlobalCaching,
    /// The GPU has no thread-block clusters.
    #[error("cannot launch: clusters of {blocks} blocks need compute capability 9.0 or later")]
    NoClusters {
        /// Blocks per cluster asked for.
        blocks: u32,
    },
    /// Too many blocks in a cluster.
    #[error("cannot launch: {blocks} blocks per cluster, at most {most}")]
    Cluster {
        /// Asked for.
        blocks: u32,
        /// Allowed.
        most: u32,
    },
    /// The grid does not divide into clusters.
    #[error("cannot launch: a grid of {grid} blocks does not divide into clusters of {blocks}")]
    ClusterGrid {
        /// Blocks in the grid.
        grid: u64,
        /// Blocks per cluster.
        blocks: u32,
    },
    /// A grid dimension is too large.
    #[error("cannot launch: {blocks} blocks along {axis}, at most {most}")]
    Grid {
        /// Blocks along the axis.
        blocks: u64,
        /// `x`, `y` or `z`.
        axis: char,
        /// Allowed.
        most: u64,
    },
}

impl LaunchRefusal {
    /// Whether no change of the block lets it start: its grid or its clusters are wrong.
    #[must_use]
    pub fn is_beside_block(&self) -> bool {
        use LaunchRefusal::{Cluster, ClusterGrid, Grid, NoClusters};
        matches!(self, ClusterGrid { .. } | Grid { .. } | NoClusters { .. } | Cluster { .. })
    }

    /// The nearest larger grid that starts, `133→134 blocks of the grid`; `None` where that is not what is wrong.
    #[must_use]
    pub fn grid_step(&self) -> Option<String> {
        let Self::ClusterGrid { grid, blocks } = *self else { return None };
        let larger = grid.checked_next_multiple_of(u64::from(blocks))?;
        Some(format!("{grid}→{larger} blocks of the grid"))
    }
}

/// The first reason why this launch cannot start, if there is one.
#[must_use]
pub fn launch_refusal(
    limits: &SmLimits,
    needs: BlockNeeds,
    launch: Option<&Launch>,
) -> Option<LaunchRefusal> {
    of_threads(limits, &needs)
        .or_else(|| of_warps(limits, &needs))
        .or_else(|| of_resources(limits, needs))
        .or_else(|| of_cluster(limits, &needs, launch))
        .or_else(|| of_grid(launch?))
}

/// A launch as far as a measured row states it: what it leaves open limits nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatedLaunch {
    /// Threads of a block.
    pub threads: Option<u32>,
    /// Registers of a thread.
    pub regs_per_thread: Option<u32>,
    /// Static shared memory of a block in bytes.
    pub smem_static: Option<u32>,
    /// Dynamic shared memory of a block in bytes.
    pub smem_dynamic: Option<u32>,
    /// Block and grid.
    pub launch: Option<Launch>,
}

impl StatedLaunch {
    /// What a block of it needs at least.
    #[must_use]
    pub fn needs(&self) -> BlockNeeds {
        BlockNeeds {
            threads: self.threads.unwrap_or(1),
            regs_per_thread: self.regs_per_thread.unwrap_or(0),
            smem_static: self.smem_static.unwrap_or(0),
            smem_dynamic: self.smem_dynamic.unwrap_or(0),
            ..BlockNeeds::default()
        }
    }

    /// Why a GPU of these limits does not start it: its time must be of another launch.
    #[must_use]
    pub fn refusal(&self, limits: &SmLimits) -> Option<LaunchRefusal> {
        launch_refusal(limits, self.needs(), self.launch.as_ref())
    }
}

fn of_threads(limits: &SmLimits, needs: &BlockNeeds) -> Option<LaunchRefusal> {
    let (threads, most) = (needs.threads, limits.threads_per_block);
    if threads > most {
        return Some(LaunchRefusal::Threads { threads, most });
    }
    let most = needs.max_threads.filter(|most| threads > *most)?;
    Some(LaunchRefusal::CompiledFor { threads, most })
}

fn of_warps(limits: &SmLimits, needs: &BlockNeeds) -> Option<LaunchRefusal> {
    let (warps, most) = (needs.threads.div_ceil(SmLimits::WARP).max(1), limits.warps_per_sm());
    (warps > most).then_some(LaunchRefusal::Warps { warps, most })
}

/// Why no thread can have so many registers, whatever the GPU; `None` where one can.
#[must_use]
pub fn register_refusal(regs: u32) -> Option<LaunchRefusal> {
    // NVIDIA's calculator takes 256 from 7.0 on; an instruction names 255 of them, the last stands for zero.
    (regs > MOST_REGISTERS).then_some(LaunchRefusal::RegistersPerThread { regs, most: MOST_REGISTERS })
}

/// Why no block can have so many threads, whatever the GPU; `None` where one can.
#[must_use]
pub fn thread_refusal(threads: u32) -> Option<LaunchRefusal> {
    (threads > MOST_THREADS).then_some(LaunchRefusal::Threads { threads, most: MOST_THREADS })
}

/// Threads of a block, the same for every compute capability from 2.0 on.
const MOST_THREADS: u32 = 1024;

/// Registers that an instruction can name.
const MOST_REGISTERS: u32 = 255;

/// Registers of a thread are given in units of so many.
const REGISTER_UNIT: u32 = 8;

/// Whether a thread has every register that an instruction can name, but for less than a unit: the compiler had use for more, and keeps the
/// rest in local memory.
#[must_use]
pub fn is_at_register_limit(needs: BlockNeeds) -> bool {
    needs.regs_per_thread > MOST_REGISTERS - REGISTER_UNIT
}

/// Registers of a thread that has use for `least` at least: no more than leave a block of so many threads its place, and as many as
/// [`is_at_register_limit`] asks for only where `least` is more than there are, so that any build spills.
#[must_use]
pub fn bounded_registers(limits: &SmLimits, threads: u32, least: u32) -> u32 {
    // 6.0 is held to the four sub-partitions of its siblings.
    let lanes = threads.div_ceil(4 * SmLimits::WARP).max(1) * 4 * SmLimits::WARP;
    let units = limits.regs_per_block / lanes / REGISTER_UNIT;
    let most = if least > MOST_REGISTERS { MOST_REGISTERS } else { MOST_REGISTERS - REGISTER_UNIT };
    least.min(most).min(units * REGISTER_UNIT)
}

/// Nothing fits: say which limit is 0, and why.
fn of_resources(limits: &SmLimits, needs: BlockNeeds) -> Option<LaunchRefusal> {
    let o = occupancy(limits, needs, Rules::Exact);
    let (regs, threads) = (needs.regs_per_thread, needs.threads);
    if let Some(refusal) = register_refusal(regs) {
        return Some(refusal);
    }
    if o.by_registers == Some(0) {
        let alone = BlockNeeds { global_caching: super::GlobalCaching::Off, ..needs };
        if occupancy(limits, alone, Rules::Exact).by_registers != Some(0) {
            return Some(LaunchRefusal::GlobalCaching);
        }
        let warps = u64::from(threads.div_ceil(SmLimits::WARP));
        let per_warp = u64::from(o.allocated_registers) / warps.max(1);
        // 6.0 is held to the four sub-partitions of its siblings.
        let needed = per_warp * warps.next_multiple_of(4);
        return Some(LaunchRefusal::Registers { regs, threads, needed, most: limits.regs_per_block });
    }
    if o.by_shared_memory == Some(0) {
        let (needed, most) = (needs.smem(), limits.smem_opt_in);
        if needed <= most {
            return Some(LaunchRefusal::NotOptedIn { needed, most: limits.smem_per_block });
        }
        return Some(LaunchRefusal::SharedMemory { needed, most });
    }
    let most = limits.barrier_pool.filter(|_| o.by_barriers == Some(0))?;
    Some(LaunchRefusal::Barriers { barriers: needs.barriers, most })
}

/// Clusters that cannot be: none before 9.0, or too large. Whether an SM cluster of the GPU (a GPC) has as many free SMs is
/// not looked at: how many it has differs from chip to chip.
#[must_use]
pub fn cluster_refusal(limits: &SmLimits, blocks: u32) -> Option<LaunchRefusal> {
    if blocks <= 1 {
        return None;
    }
    let Some(cluster) = limits.cluster else { return Some(LaunchRefusal::NoClusters { blocks }) };
    (blocks > cluster.most).then_some(LaunchRefusal::Cluster { blocks, most: cluster.most })
}

/// [`cluster_refusal`], or a grid that does not divide.
fn of_cluster(limits: &SmLimits, needs: &BlockNeeds, launch: Option<&Launch>) -> Option<LaunchRefusal> {
    let blocks = needs.cluster;
    if let Some(refusal) = cluster_refusal(limits, blocks) {
        return Some(refusal);
    }
    let grid = launch.filter(|_| blocks > 1)?.block_count();
    (!grid.is_multiple_of(u64::from(blocks))).then_some(LaunchRefusal::ClusterGrid { grid, blocks })
}

fn of_grid(launch: &Launch) -> Option<LaunchRefusal> {
    const GRID: [(char, u64); 3] = [('x', 2_147_483_647), ('y', 65_535), ('z', 65_535)];
    let over = launch.grid.iter().zip(GRID).find(|(blocks, (_, most))| *blocks > most);
    over.map(|(blocks, (axis, most))| LaunchRefusal::Grid { blocks: *blocks, axis, most })
}

/// How a grid falls on a GPU.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waves {
    /// Blocks resident on the whole GPU at once.
    pub blocks_per_wave: u64,
    /// Blocks of the grid over blocks per wave.
    pub waves: f64,
    /// How full the last wave is, 0 to 1; 1 when it is full.
    pub last_fill: f64,
    /// Blocks of the last wave.
    pub last_blocks: u64,
    /// SMs without a block in the last wave, where blocks spread over all SMs before an SM gets a second one.
    pub idle_sms: u32,
}

impl Waves {
    /// Share of the block slots that have a block, over all waves: waves / whole waves, 0 to 1. The saw-tooth.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        self.waves / self.waves.ceil()
    }
}

/// Waves of a grid of `blocks`; `None` where nothing fits.
#[must_use]
pub fn waves(gpu: &Gpu, occupancy: &Occupancy, blocks: u64) -> Option<Waves> {
    let sms = gpu.sms.value;
    let blocks_per_wave = u64::from(sms) * u64::from(occupancy.active_blocks);
    if blocks_per_wave == 0 || blocks == 0 {
        return None;
    }
    let last = blocks % blocks_per_wave;
    let last_blocks = if last == 0 { blocks_per_wave } else { last };
    Some(Waves {
        blocks_per_wave,
        waves: blocks as f64 / blocks_per_wave as f64,
        last_fill: last_blocks as f64 / blocks_per_wave as f64,
        last_blocks,
        idle_sms: u64::from(sms).saturating_sub(last_blocks) as u32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::LimitsTable;

    fn limits(cc: &str) -> SmLimits {
        LimitsTable::shipped().unwrap().limits_at(cc.parse().unwrap()).unwrap()
    }

    #[test]
    fn too_many_registers_per_thread_are_refused_in_their_own_words() {
        let needs = |regs_per_thread| BlockNeeds { threads: 32, regs_per_thread, ..BlockNeeds::default() };
        let refusal = launch_refusal(&limits("5.2"), needs(256), None).unwrap();
        assert_eq!(
            refusal.to_string(),
            "cannot launch: 256 registers per thread, and no compiler gives one more than 255"
        );
        assert!(launch_refusal(&limits("5.2"), needs(255), None).is_none());
        let block = BlockNeeds { threads: 1024, ..needs(206) };
        let refusal = launch_refusal(&limits("8.9"), block, None).unwrap().to_string();
        assert_eq!(
            refusal,
            "cannot launch: 206 registers x 1024 threads need 212992, a block may have 65536"
        );
    }

    #[test]
    fn what_an_opt_in_would_allow_is_said() {
        let needs =
            BlockNeeds { threads: 32, smem_dynamic: 64 * 1024, opt_in: false, ..BlockNeeds::default() };
        let said = |needs| launch_refusal(&limits("8.9"), needs, None).map(|r| r.to_string());
        let text = "cannot launch: 65536 bytes of shared memory per block, at most 49152 without opting in (cudaFuncSetAttribute)";
        assert_eq!(said(needs).as_deref(), Some(text));
        assert_eq!(said(BlockNeeds { opt_in: true, ..needs }), None);
    }

    #[test]
    fn clusters_launch_from_9_0_on_up_to_16_blocks_and_only_from_grids_that_divide() {
        let needs = |cluster| BlockNeeds { threads: 128, cluster, ..BlockNeeds::default() };
        let grid = |blocks| Launch { block: [128, 1, 1], grid: [blocks, 1, 1] };
        let said =
            |cc: &str, cluster, blocks| launch_refusal(&limits(cc), needs(cluster), Some(&grid(blocks)));
        assert_eq!(said("8.9", 2, 64), Some(LaunchRefusal::NoClusters { blocks: 2 }));
        assert_eq!(said("8.9", 1, 63), None);
        assert_eq!(said("9.0", 16, 64), None);
        assert_eq!(said("9.0", 17, 17), Some(LaunchRefusal::Cluster { blocks: 17, most: 16 }));
        let refused = said("9.0", 4, 63);
        assert_eq!(refused, Some(LaunchRefusal::ClusterGrid { grid: 63, blocks: 4 }));
        assert_eq!(refused.and_then(|why| why.grid_step()).as_deref(), Some("63→64 blocks of the grid"));
    }

    #[test]
    fn barriers_and_strict_caching_that_leave_no_block_are_named() {
        let barriers = BlockNeeds { threads: 32, barriers: 25, ..BlockNeeds::default() };
        let said = |cc: &str, needs| launch_refusal(&limits(cc), needs, None).map(|r| r.to_string());
        assert_eq!(
            said("12.0", barriers).as_deref(),
            Some("cannot launch: 25 barriers per block, an SM has 24")
        );
        assert_eq!(said("8.9", barriers), None);
        let caching = super::super::GlobalCaching::Strict;
        let whole = BlockNeeds {
            threads: 1024,
            regs_per_thread: 64,
            global_caching: caching,
            ..BlockNeeds::default()
        };
        assert_eq!(said("5.2", whole), Some(LaunchRefusal::GlobalCaching.to_string()));
    }
}
