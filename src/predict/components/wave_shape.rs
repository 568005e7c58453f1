//! What a launch shape says of one side: its waves, and what it keeps on the GPU at once.

use super::transfer::{LaunchRoof, Tail};
use crate::gpu::{Gpu, SmLimits};
use crate::kernel::{Count, Kernel, Launch, ProductSizes, Work};
use crate::occupancy::{Occupancy, waves};
use crate::roofline::{
    Bound, BufferReuse, Components, ExposedLatency, MachineNumbers, Residents, WaitingBytes,
};

/// What the launch shape says of one side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WaveShape {
    /// Blocks of the launch that have work for all their threads.
    pub(super) blocks: Option<f64>,
    /// What a last wave that is not full costs.
    pub(super) tail: Tail,
    /// Threads of a block.
    threads: f64,
    /// Blocks that one SM holds, where that is known.
    per_sm: Option<f64>,
    /// The product that a library cuts into tiles of its own, so that no launch is known.
    product: Option<ProductSizes>,
    /// What a library's kernels reach of this GPU's FP32 rate beside others, 0 to 1.
    pub(super) library_share: f64,
}

/// Resident blocks of a launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShapeOccupancies {
    /// On the GPU that exists, by which waves are counted.
    pub(super) of_waves: Option<Occupancy>,
    /// On this one.
    pub(super) own: Option<Occupancy>,
}

impl Default for WaveShape {
    fn default() -> Self {
        Self { blocks: None, tail: Tail::NONE, threads: 0.0, per_sm: None, product: None, library_share: 1.0 }
    }
}

impl WaveShape {
    /// Of an operator, whose library picks a launch for each GPU.
    pub(super) fn of_operator(kernel: &Kernel, gpu: &Gpu, product: Option<ProductSizes>) -> Self {
        let major = gpu.cuda.compute_capability.major;
        let library_share = kernel.library_share.as_ref().map_or(1.0, |share| share.on_major(major));
        Self { product, library_share, ..Self::default() }
    }

    /// Of a launch on this GPU, where it and its resident blocks are known.
    #[inline]
    pub(super) fn on(
        gpu: &Gpu,
        launch: Option<Launch>,
        full_share: f64,
        occupancy: ShapeOccupancies,
    ) -> Option<Self> {
        let existing = gpu.existing();
        let waves = waves_on(existing, launch, occupancy.of_waves)?;
        let launch = launch?;
        let full_blocks = full_share * launch.block_count() as f64;
        let tail = Tail::from_shape(full_share * waves, full_blocks / f64::from(existing.sms.value));
        let per_sm = occupancy.own.map(|o| f64::from(o.active_blocks)).filter(|n| *n > 0.0);
        let threads = f64::from(launch.threads());
        Some(Self { blocks: Some(full_blocks), tail, threads, per_sm, ..Self::default() })
    }

    /// What limits a launch of this work on this GPU.
    #[inline]
    pub(super) fn limits(&self, machine: &MachineNumbers, work: &Work, reuse: BufferReuse) -> LaunchLimits {
        let residents = self.residents(work);
        LaunchLimits::on_filled(&machine.filled(work, residents), work, &residents, reuse)
    }

    /// What a launch of this work keeps on the GPU at once.
    #[inline]
    pub(super) fn residents(&self, work: &Work) -> Residents {
        let moved = work.get(Count::DramBytes).filter(|bytes| *bytes > 0.0);
        let moved = moved.filter(|bytes| !copied_without_threads(work, *bytes));
        let waiting = match (self.blocks, self.per_sm, moved) {
            (Some(blocks), Some(per_sm), Some(moved)) => {
                Some(WaitingBytes::from_launch([blocks * self.threads, per_sm * self.threads], moved))
            }
            _ => None,
        };
        let warps = (self.threads / f64::from(SmLimits::WARP)).ceil();
        Residents {
            blocks: self.blocks,
            per_sm: self.per_sm,
            warps,
            waiting,
            product: self.product,
            library_share: self.library_share,
        }
    }
}

/// Bytes that one warp instruction loads or stores at most: 16 of each lane.
const MOST_BYTES_OF_INST: f64 = 16.0 * SmLimits::WARP as f64;

/// Whether the loads and stores that were counted cannot have moved half of these bytes: the copy engine of the SM did (TMA, from Hopper on), for
/// which no thread waits.
#[inline]
fn copied_without_threads(work: &Work, dram_bytes: f64) -> bool {
    work.get(Count::GlobalWarpInsts).is_some_and(|insts| insts * MOST_BYTES_OF_INST < 0.5 * dram_bytes)
}

/// What limits a launch on one GPU.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaunchLimits {
    /// The time of every component.
    pub(super) components: Components,
    /// What it waits for.
    pub(super) latency: ExposedLatency,
}

impl LaunchLimits {
    /// Of a launch of this work that keeps so much on the GPU at once, which it finds like this ([`MachineNumbers::filled`]).
    #[inline]
    pub(super) fn on_filled(
        filled: &MachineNumbers,
        work: &Work,
        residents: &Residents,
        reuse: BufferReuse,
    ) -> Self {
        let components = filled.components(work, reuse);
        Self { components, latency: ExposedLatency::of_launch(filled, &components, work, residents) }
    }
}

/// What limits a launch of these components under this roof of them: the latency that is longer, else the longest component.
#[inline]
pub(super) fn launch_limit(components: &Components, roof: &LaunchRoof) -> Option<Bound> {
    if roof.latency_binds { Some(Bound::Latency) } else { components.binding().map(Bound::from) }
}

/// Waves of a launch on one GPU, where it and its resident blocks are known.
#[inline]
pub(super) fn waves_on(gpu: &Gpu, launch: Option<Launch>, occupancy: Option<Occupancy>) -> Option<f64> {
    let found = waves(gpu, &occupancy?, launch?.block_count())?;
    Some(found.waves)
}
