//! The roofline of a GPU: ceilings, ridge points, attainable performance.
//!
//! Attainable performance at operational intensity I is min(C, B I) (Williams, Waterman, Patterson 2009), with the
//! compute ceiling C and the bandwidth B of one memory level; the ridge point is C / B.

mod component_times;
mod components;
mod exposed_latency;
mod in_flight;
mod kernel_roof;
mod norms;
mod operand_traffic;
mod pipe;
mod product_tiles;
mod scattered;
mod straight_line;

pub use component_times::{Component, Components};
pub use components::{BufferReuse, L2_PORT_BYTES_PER_CLOCK, MachineNumbers, Residents, Spec, lsu_insts};
pub use exposed_latency::ExposedLatency;
pub use in_flight::{WaitingBytes, bandwidth_in_flight};
pub use kernel_roof::{
    Arithmetic, KernelRoof, LevelRoof, PROJECTED, Peaks, Traffic, compute_ceiling, kernel_roof, mixed,
    projected,
};
pub use norms::{LAUNCH_NORM, joined, rest};

pub use pipe::{
    ABOVE_STATED_CLOCK, KernelArithmetic, Pipe, PipeChoice, compute_roof, first_type_in_reach, machine_of,
    pipe_note, pipe_of, tensor_fp64_note, tensor_type_in_reach, tensor_types_of_lanes,
};
pub use scattered::atomic_clocks;
pub use straight_line::StraightLine;

use crate::catalogue::Sourced;
use crate::gpu::{Ceilings, Gpu, GpuNumber};
use crate::kernel::{Count, Kernel, VectorPrecision, Work};
use crate::units::{Bytes, BytesPerSecond, FlopsPerSecond, Intensity};

/// A level of the memory hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Device memory.
    Dram,
    /// The shared L2 cache.
    L2,
    /// The L1 caches of all SMs.
    L1,
    /// The shared memories of all SMs.
    Shared,
}

impl Level {
    /// All levels, slowest first.
    pub const ALL: [Self; 4] = [Self::Dram, Self::L2, Self::L1, Self::Shared];

    /// The word on screen and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dram => "DRAM",
            Self::L2 => "L2",
            Self::L1 => "L1",
            Self::Shared => "shared",
        }
    }
}

/// Bytes through this level, where they were counted.
#[must_use]
pub fn level_bytes(work: &Work, level: Level) -> Option<Bytes> {
    match level {
        Level::Dram => work.dram(),
        Level::L2 => work.get(Count::L2Bytes).map(Bytes),
        Level::L1 => work.get(Count::L1Bytes).map(Bytes),
        Level::Shared => work.shared(),
    }
}

/// Operational intensity at this level: FLOPs over the bytes through it (paper 2, equation 10). `None` where either was
/// not counted or nothing moves.
#[must_use]
pub fn intensity(work: &Work, level: Level) -> Option<Intensity> {
    let (flops, bytes) = (work.flops()?, level_bytes(work, level)?);
    (bytes.0 > 0.0).then(|| flops / bytes)
}

/// What limits a launch on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Arithmetic: the intensity lies right of the ridge point.
    Compute,
    /// Device memory: it lies left of it.
    Dram,
    /// The launch itself.
    Launch,
    /// The L2 cache.
    L2,
    /// The L1 path of global loads and stores.
    Global,
    /// The load/store units.
    Lsu,
    /// Shared memory.
    Shared,
    /// The schedulers.
    Issue,
    /// Atomics on one address.
    Atomics,
    /// Integers and logic.
    Alu,
    /// Special functions and conversions.
    Xu,
    /// FP64 instructions of a kernel whose FLOPs run on other pipes.
    Fp64,
    /// Latency that nothing hides: warps wait for loads and for results, and there are too few others.
    Latency,
}

impl Bound {
    /// The word on screen and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compute => Component::Fp.as_str(),
            Self::Dram => Component::Dram.as_str(),
            Self::Launch => "launch",
            Self::L2 => Component::L2.as_str(),
            Self::Global => Component::Global.as_str(),
            Self::Lsu => Component::Lsu.as_str(),
            Self::Shared => Component::Shared.as_str(),
            Self::Issue => Component::Issue.as_str(),
            Self::Atomics => Component::Atomics.as_str(),
            Self::Alu => Component::Alu.as_str(),
            Self::Xu => Component::Xu.as_str(),
            Self::Fp64 => Component::Fp64.as_str(),
            Self::Latency => "latency",
        }
    }
}

impl Bound {
    /// The limits that this number of a GPU is a rate of: more of it raises them.
    #[must_use]
    pub const fn raised_by(number: GpuNumber) -> &'static [Self] {
        match number {
            GpuNumber::TensorRate | GpuNumber::Fp32Lanes | GpuNumber::Fp32Peak => &[Self::Compute],
            GpuNumber::Fp64Lanes => &[Self::Compute, Self::Fp64],
            GpuNumber::Bandwidth | GpuNumber::BusBits | GpuNumber::DataRate => &[Self::Dram],
            GpuNumber::L2Bandwidth => &[Self::L2],
            GpuNumber::LsuLanes => &[Self::Lsu],
            GpuNumber::LaunchOverhead
            | GpuNumber::Sms
            | GpuNumber::SmClock
            | GpuNumber::L2Size
            | GpuNumber::SharedPerSm
            | GpuNumber::RegistersPerSm
            | GpuNumber::MaxWarps
            | GpuNumber::PowerLimit
            | GpuNumber::MemorySize => &[],
        }
    }
}

impl From<Component> for Bound {
    fn from(component: Component) -> Self {
        match component {
            Component::Dram => Self::Dram,
            Component::L2 => Self::L2,
            Component::Global => Self::Global,
            Component::Lsu => Self::Lsu,
            Component::Shared => Self::Shared,
            Component::Fp => Self::Compute,
            Component::Issue => Self::Issue,
            Component::Atomics => Self::Atomics,
            Component::Alu => Self::Alu,
            Component::Xu => Self::Xu,
            Component::Fp64 => Self::Fp64,
        }
    }
}

/// The ceilings of one GPU.
#[derive(Debug, Clone)]
pub struct Roofline {
    /// Vector ceiling: FP32, unless another width was asked for.
    pub compute: Sourced<FlopsPerSecond>,
    /// Bandwidth ceilings that are known, slowest level first; DRAM is always there.
    pub bandwidths: Vec<(Level, Sourced<BytesPerSecond>)>,
}

/// The ceilings of this GPU, peak or achieved; caches have one figure each, whose origin says what it is.
#[must_use]
pub fn roofline(gpu: &Gpu, ceilings: Ceilings) -> Roofline {
    let known = |level| match level {
        Level::Dram => Some(gpu.bandwidth(ceilings).clone()),
        Level::L2 => gpu.l2_bandwidth.clone(),
        Level::L1 => gpu.l1_bandwidth(ceilings),
        Level::Shared => gpu.shared_bandwidth(),
    };
    let bandwidths = Level::ALL.into_iter().filter_map(|l| known(l).map(|b| (l, b))).collect();
    Roofline { compute: gpu.compute(ceilings).clone(), bandwidths }
}

/// The vector rate of one width, of this kind; the published one where nobody measured it, `None` where neither is known.
#[must_use]
pub fn vector_rate(
    gpu: &Gpu,
    precision: VectorPrecision,
    ceilings: Ceilings,
) -> Option<&Sourced<FlopsPerSecond>> {
    match precision {
        VectorPrecision::Single => Some(gpu.compute(ceilings)),
        VectorPrecision::Double => {
            let achieved = gpu.fp64_achieved.as_ref().filter(|_| ceilings == Ceilings::Achieved);
            achieved.or(gpu.fp64_peak.as_ref())
        }
    }
}

impl Roofline {
    /// The same bandwidths under the compute roof of this kernel.
    #[must_use]
    pub fn of_kernel(
        self,
        gpu: &Gpu,
        kernel: &Kernel,
        precision: VectorPrecision,
        ceilings: Ceilings,
    ) -> Self {
        Self { compute: compute_roof(gpu, kernel, precision, ceilings).clone(), ..self }
    }

    /// The bandwidth of this level, if known.
    #[must_use]
    pub fn bandwidth(&self, level: Level) -> Option<BytesPerSecond> {
        self.bandwidths.iter().find(|(l, _)| *l == level).map(|(_, b)| b.value)
    }

    /// The intensity from which on arithmetic binds, for this level.
    #[must_use]
    pub fn ridge(&self, level: Level) -> Option<Intensity> {
        self.bandwidth(level).map(|b| self.compute.value / b)
    }
}

/// min(C, B I).
#[must_use]
pub fn attainable(
    compute: FlopsPerSecond,
    bandwidth: BytesPerSecond,
    intensity: Intensity,
) -> FlopsPerSecond {
    compute.min(bandwidth * intensity)
}

/// What binds at this intensity: compute from the ridge point on, DRAM before it.
#[must_use]
pub fn bound(compute: FlopsPerSecond, bandwidth: BytesPerSecond, intensity: Intensity) -> Bound {
    if bandwidth * intensity < compute { Bound::Dram } else { Bound::Compute }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_the_word_of_its_component() {
        let words = Component::ALL.map(|component| (component.as_str(), Bound::from(component).as_str()));
        assert!(words.iter().all(|(component, bound)| component == bound), "{words:?}");
    }

    #[test]
    fn fp64_lanes_raise_the_limit_of_fp64_instructions_too() {
        assert_eq!(Bound::raised_by(GpuNumber::Fp64Lanes), [Bound::Compute, Bound::Fp64]);
        assert!(Bound::raised_by(GpuNumber::PowerLimit).is_empty(), "it is no rate");
    }

    #[test]
    fn every_level_has_the_intensity_of_its_own_bytes() {
        let counts = [(Count::Flops, 512.0), (Count::DramBytes, 64.0), (Count::L2Bytes, 128.0)];
        let work = counts.into_iter().fold(Work::default(), |w, (c, n)| w.with(c, Some(n)));
        let work = work.with(Count::SmemWavefronts, Some(2.0)).with(Count::L1Bytes, Some(0.0));
        let at = Level::ALL.map(|l| intensity(&work, l).map(|i| i.0));
        assert_eq!(at, [Some(8.0), Some(4.0), None, Some(2.0)]);
    }

    #[test]
    fn performance_meets_the_roof_at_the_ridge_point() {
        let (c, b) = (FlopsPerSecond::from_tera(14.9), BytesPerSecond::from_giga(652.8));
        let ridge = c / b;
        assert!((attainable(c, b, ridge).0 / c.0 - 1.0).abs() < 1e-12);
        assert_eq!(bound(c, b, Intensity(ridge.0 * 0.99)), Bound::Dram);
        assert_eq!(bound(c, b, Intensity(ridge.0 * 1.01)), Bound::Compute);
    }
}
