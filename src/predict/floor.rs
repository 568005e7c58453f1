//! What a launch costs before the kernel does anything: the host's number as much as the GPU's.

use super::visible::Visible;
use crate::catalogue::Origin;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, KernelId, RunsAs};
use crate::units::Seconds;

/// A framework's dispatch nobody timed: 24-41 µs were seen for element-wise operators of PyTorch (NeuSight's five GPUs).
const ASSUMED_DISPATCH: Seconds = Seconds(30e-6);

/// The shortest time of a launch on one side of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Per launch.
    pub time: Seconds,
    /// Measured: seen in rows of this GPU. Published: its file's. Derived: seen on other GPUs. Assumed: nobody timed one.
    pub origin: Origin,
}

/// The floor of this kernel on this GPU, by what can be seen.
pub(super) fn floor(kernel: &Kernel, place: KernelId, (at, gpu): (GpuId, &Gpu), store: Visible<'_>) -> Floor {
    let seen = |time| Floor { time, origin: Origin::Measured };
    match kernel.runs_as {
        RunsAs::Kernel => {
            let stated = gpu.launch_floor_or_assumed();
            let stated = Floor { time: stated.value, origin: stated.origin };
            store.launch_floor(at).map_or(stated, seen)
        }
        RunsAs::Operator => {
            let elsewhere = || store.operator_floor_elsewhere(place);
            let derived = |time| Floor { time, origin: Origin::Derived };
            let assumed = Floor { time: ASSUMED_DISPATCH, origin: Origin::Assumed };
            store.operator_floor(place, at).map(seen).or_else(|| elsewhere().map(derived)).unwrap_or(assumed)
        }
    }
}
