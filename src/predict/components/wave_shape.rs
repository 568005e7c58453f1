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
    /// Blocks of the launch for each SM, where it is known.
    of_sm: Option<f64>,
    /// Whether it is compared with another launch of the kernel.
    is_compared: bool,
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
        Self {
            blocks: None,
            tail: Tail::NONE,
            threads: 0.0,
            per_sm: None,
            of_sm: None,
            is_compared: false,
            product: None,
            library_share: 1.0,
        }
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
        let of_sm = full_blocks / f64::from(existing.sms.value);
        let tail = Tail::from_shape(full_share * waves, of_sm);
        let per_sm = occupancy.own.map(|o| f64::from(o.active_blocks)).filter(|n| *n > 0.0);
        let threads = f64::from(launch.threads());
        Some(Self { blocks: Some(full_blocks), tail, threads, per_sm, of_sm: Some(of_sm), ..Self::default() })
    }

    /// The same where the launch is compared with others, or not ([`Instance::is_compared`](crate::kernel::Instance::is_compared)).
    #[inline]
    pub(super) fn compared(self, is_compared: bool) -> Self {
        Self { is_compared, ..self }
    }

    /// What limits a launch of this work on this GPU, and its roof.
    #[inline]
    pub(super) fn limits(&self, machine: &MachineNumbers, work: &Work, reuse: BufferReuse) -> LaunchLimits {
        let of_all = self.limits_with_all_blocks(machine, work, reuse);
        self.or_with_fewer_blocks(of_all, machine, work, reuse)
    }

    #[inline]
    fn limits_with_all_blocks(
        &self,
        machine: &MachineNumbers,
        work: &Work,
        reuse: BufferReuse,
    ) -> LaunchLimits {
        let residents = self.residents(work);
        self.limits_on_filled(&machine.filled(work, residents), work, &residents, reuse)
    }

    /// The same of a launch that keeps so much on the GPU at once, which it finds like this ([`MachineNumbers::filled`]).
    #[inline]
    pub(super) fn limits_on_filled(
        &self,
        filled: &MachineNumbers,
        work: &Work,
        residents: &Residents,
        reuse: BufferReuse,
    ) -> LaunchLimits {
        let components = filled.components(work, reuse);
        let latency = ExposedLatency::of_launch(filled, &components, work, residents);
        let roof = LaunchRoof::new(&components, &latency, self.tail);
        LaunchLimits { components, roof }
    }

    /// These limits, or those of a compared launch as if an SM held fewer of its blocks at once, where that is faster: whole waves of five blocks
    /// may take longer than those of three, but blocks start when others end, and no GPU is slower for the room it has.
    #[inline]
    pub(super) fn or_with_fewer_blocks(
        &self,
        of_all: LaunchLimits,
        machine: &MachineNumbers,
        work: &Work,
        reuse: BufferReuse,
    ) -> LaunchLimits {
        let Some((per_sm, of_sm)) = self.per_sm.zip(self.of_sm).filter(|_| self.is_compared) else {
            return of_all;
        };
        let mut fastest = of_all;
        let mut fewer = per_sm - 1.0;
        while fewer >= 1.0 {
            let held = Self { tail: Tail::from_shape(of_sm / fewer, of_sm), per_sm: Some(fewer), ..*self };
            let limits = held.limits_with_all_blocks(machine, work, reuse);
            if limits.roof.time < fastest.roof.time {
                fastest = limits;
            }
            fewer -= 1.0;
        }
        fastest
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
    /// Their roof.
    pub(super) roof: LaunchRoof,
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
