//! What a launch costs before the kernel does anything: the host's number as much as the GPU's.

use super::subject::Subject;
use super::visible::Visible;
use crate::catalogue::NumberOrigin;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, KernelId, RunsAs};
use crate::measurement::{LaunchTiming, collection};
use crate::units::Seconds;

/// A framework's dispatch nobody timed: 24-41 µs were seen for element-wise operators of PyTorch (NeuSight's five GPUs).
const ASSUMED_DISPATCH: Seconds = Seconds(30e-6);

/// A cold launch nobody timed: 6.7 to 6.9 µs were seen under NVBench on three GPUs (its teaching kernels).
const ASSUMED_COLD: Seconds = Seconds(6.9e-6);

/// A time below so many floors is limited by the launch.
const LAUNCH_LIMIT: f64 = 1.5;

/// The shortest time of a launch on one side of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Per launch.
    pub time: Seconds,
    /// Measured: seen in rows of this GPU. Published: its file's. Derived: seen on other GPUs. Assumed: nobody timed one.
    pub origin: NumberOrigin,
}

/// What a launch costs, and how it was timed.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaunchCost {
    /// The shortest time of a launch.
    pub floor: Floor,
    /// How launches were timed.
    pub timing: LaunchTiming,
}

impl Floor {
    /// Whether somebody timed it on this very GPU.
    #[must_use]
    pub fn is_known(&self) -> bool {
        matches!(self.origin, NumberOrigin::Measured | NumberOrigin::Published)
    }
}

/// Whether it is the launch that limits a time above this floor; both in seconds.
pub(super) fn is_launch_limited(time: f64, floor: f64) -> bool {
    time < LAUNCH_LIMIT * floor
}

/// The floor of this kernel on this GPU, by what can be seen.
pub(super) fn floor(kernel: &Kernel, subject: &Subject, at: GpuId, gpu: &Gpu, store: Visible<'_>) -> Floor {
    match kernel.runs_as {
        RunsAs::Kernel => launch_floor(subject, at, gpu, store),
        RunsAs::Operator => dispatch_floor(subject.kernel, at, store),
    }
}

/// That of the board, as many times as long as somebody changed it to.
fn launch_floor(subject: &Subject, at: GpuId, gpu: &Gpu, store: Visible<'_>) -> Floor {
    let board = gpu.existing();
    let floor = board_floor(subject, at, board, store);
    let [changed, stated] = [gpu, board].map(|gpu| gpu.launch_floor_or_assumed());
    if changed.value == stated.value {
        return floor;
    }
    Floor { time: floor.time * (changed.value / stated.value), origin: changed.origin }
}

/// Seen here, timed alike; else what the GPU's file states of launches back to back; else what the same collection saw on
/// other GPUs; else assumed.
fn board_floor(subject: &Subject, at: GpuId, gpu: &Gpu, store: Visible<'_>) -> Floor {
    let timing = LaunchTiming::from_variant(&subject.variant);
    let from = subject.config.and_then(|config| store.rows_of(config).next()).map(collection);
    if let Some(time) = store.launch_floor(at, timing, from) {
        return Floor { time, origin: NumberOrigin::Measured };
    }
    let stated = gpu.launch_floor_or_assumed();
    let stated = Floor { time: stated.value, origin: stated.origin };
    if timing == LaunchTiming::BackToBack && stated.is_known() {
        return stated;
    }
    let elsewhere = store.launch_floor_elsewhere(timing, from);
    let derived = elsewhere.map(|time| Floor { time, origin: NumberOrigin::Derived });
    derived.unwrap_or(match timing {
        LaunchTiming::BackToBack => stated,
        LaunchTiming::Cold => Floor { time: ASSUMED_COLD.max(stated.time), origin: NumberOrigin::Assumed },
    })
}

fn dispatch_floor(kernel: KernelId, gpu: GpuId, store: Visible<'_>) -> Floor {
    let seen = store.operator_floor(kernel, gpu).map(|time| Floor { time, origin: NumberOrigin::Measured });
    let elsewhere = || store.operator_floor_elsewhere(kernel);
    let derived = || elsewhere().map(|time| Floor { time, origin: NumberOrigin::Derived });
    seen.or_else(derived).unwrap_or(Floor { time: ASSUMED_DISPATCH, origin: NumberOrigin::Assumed })
}
