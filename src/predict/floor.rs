//! What a launch costs before the kernel does anything: the host's number as much as the GPU's.

use super::subject::Subject;
use super::visible::{Visible, VisibleLaunchFloors};
use crate::catalogue::NumberOrigin;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::{Kernel, KernelId, RunsAs};
use crate::measurement::{LaunchTiming, Measurement, collection, is_sequence};
use crate::stats::median;
use crate::units::Seconds;

/// A framework's dispatch that was not measured: 24-41 µs were seen for element-wise operators of PyTorch (NeuSight's five GPUs).
const ASSUMED_DISPATCH: Seconds = Seconds(30e-6);

/// A cold launch that was not measured: 6.7 to 6.9 µs were seen under NVBench on three GPUs (its teaching kernels).
const ASSUMED_COLD: Seconds = Seconds(6.9e-6);

/// What a profiler's time has of an empty kernel: the shortest of reports of ten GPUs are 3.1 µs, of kernels that wait for DRAM. Assumed.
const ASSUMED_PROFILED: Seconds = Seconds(1.5e-6);

/// What a tracer's time has of an empty kernel: the shortest of 17 applications of PyTorch are 0.96 to 1.4 µs on an H100 and 0.64 to 1.2 µs on an
/// H200.
const ASSUMED_TRACED: Seconds = Seconds(0.8e-6);

/// What several launches cost with the copies and waits between them, where no other size says it: 25 to 31 µs of one and 80 to 110 of two with
/// a result copied between were seen on three hosts (ten reductions and scans under NVBench).
const ASSUMED_SEQUENCE: Seconds = Seconds(80e-6);

/// The shortest time of a launch on one side of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// Per launch.
    pub time: Seconds,
    /// Measured: seen in rows of this GPU. Published: its file's. Derived: seen on other GPUs. Assumed: none was measured.
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

/// The floor of a GPU, lowered where the time on the source is below the source's own floor: such launches cost less than was taken. It is
/// lowered in proportion, not below that time. A floor that was lowered before stays as it is. All in seconds.
#[inline]
pub(super) fn capped_floor(timed: Option<f64>, source_floor: f64, floor: f64) -> f64 {
    timed
        .filter(|timed| *timed < source_floor)
        .map_or(floor, |timed| (floor * (timed / source_floor)).max(timed).min(floor))
}

/// The row that says how the launches of a subject were timed, and where: one of its own, else that of the nearest size on the source.
fn telling_row<'a>(subject: &Subject, source: Option<GpuId>, store: Visible<'a>) -> Option<&'a Measurement> {
    let own = subject.config.and_then(|config| store.rows_of(config).next());
    own.or_else(|| store.nearest(subject.kernel, &subject.problem, &subject.variant, source?))
}

/// How the launches of this subject were timed: an operator behind its dispatch, anything else as its variant says, else as its rows do.
pub(super) fn subject_timing(
    kernel: &Kernel,
    subject: &Subject,
    source: Option<GpuId>,
    store: Visible<'_>,
) -> LaunchTiming {
    if kernel.runs_as == RunsAs::Operator {
        return LaunchTiming::Dispatched;
    }
    let stated = LaunchTiming::from_variant(&subject.variant);
    let telling = || telling_row(subject, source, store);
    if stated != LaunchTiming::BackToBack || is_sequence(&subject.variant) {
        stated
    } else if telling().is_some_and(Measurement::caches_flushed) {
        LaunchTiming::Profiled
    } else if store.is_dispatched(subject.kernel) {
        LaunchTiming::Dispatched
    } else {
        LaunchTiming::BackToBack
    }
}

/// What the launches of a collection say of a GPU that it has none of.
#[derive(Debug, Clone, Copy)]
pub(super) enum CollectionFloor {
    /// What they usually cost on two GPUs or more.
    Usual(Seconds),
    /// What they cost on the only GPU that shows it: no more elsewhere.
    AtMost(Seconds),
    Unknown,
}

impl CollectionFloor {
    fn from_launches(seen: VisibleLaunchFloors<'_>) -> Self {
        let of_one = || seen.of_only_gpu().map_or(Self::Unknown, Self::AtMost);
        seen.elsewhere().map_or_else(of_one, Self::Usual)
    }
}

/// What is known of the floors of one kernel at one size, whatever the GPU.
#[derive(Debug, Clone)]
pub(super) enum KernelFloors<'a> {
    /// Of launches: those seen, and what they usually cost.
    Launches {
        timing: LaunchTiming,
        collection: Option<&'a str>,
        seen: VisibleLaunchFloors<'a>,
        of_host: CollectionFloor,
    },
    /// Of several launches and what lies between them, by GPU: what of their time does not grow with the size.
    Sequence { seen: Vec<(GpuId, Seconds)>, elsewhere: Floor },
    /// Of a framework's dispatch of this operator.
    Dispatches {
        kernel: KernelId,
        store: Visible<'a>,
        elsewhere: Option<Seconds>,
        /// What its kernel's file, or nobody, says of it.
        usual: Seconds,
        /// What a dispatch took at most: the time of a row of this size, or of the nearest.
        at_most: Option<Seconds>,
    },
}

impl<'a> KernelFloors<'a> {
    /// By what can be seen, for a source at this place.
    pub(super) fn new(
        kernel: &Kernel,
        subject: &Subject,
        source: Option<GpuId>,
        timing: LaunchTiming,
        store: Visible<'a>,
    ) -> Self {
        if timing == LaunchTiming::Dispatched {
            let elsewhere = store.operator_floor_elsewhere(subject.kernel);
            let at_most = telling_row(subject, source, store).map(|row| row.time);
            let usual = kernel.dispatch.unwrap_or(ASSUMED_DISPATCH);
            return Self::Dispatches { kernel: subject.kernel, store, elsewhere, usual, at_most };
        }
        if let Some(sequence) = Self::of_sequence(subject, store) {
            return sequence;
        }
        let collection = telling_row(subject, source, store).map(collection);
        let seen = store.launch_floors(timing, collection);
        Self::Launches { timing, collection, seen, of_host: CollectionFloor::from_launches(seen) }
    }

    /// Where the time is one of several launches: what other sizes say is fixed of it, else what is assumed.
    fn of_sequence(subject: &Subject, store: Visible<'a>) -> Option<Self> {
        if !is_sequence(&subject.variant) {
            return None;
        }
        let of_sizes = |config| store.sequence_floors(config, &subject.variant);
        let seen = subject.config.map_or_else(Vec::new, of_sizes);
        let mut seconds: Vec<f64> = seen.iter().map(|(_, time)| time.0).collect();
        let derived = |seconds| Floor { time: Seconds(seconds), origin: NumberOrigin::Derived };
        let assumed = Floor { time: ASSUMED_SEQUENCE, origin: NumberOrigin::Assumed };
        let elsewhere = median(&mut seconds).map_or(assumed, derived);
        Some(Self::Sequence { seen, elsewhere })
    }

    /// The floor on this GPU, whose board's rows are those at this place, and as many times as long as somebody changed it to. Of a launch:
    ///
    /// 1. seen there in the same collection, timed alike;
    /// 2. stated by the GPU's file for this collection, or for every one;
    /// 3. where the collection saw it on two other GPUs or more: what the GPU's file states, else what they usually cost;
    /// 4. seen there in any collection, else stated, else assumed; no more than the collection saw on its only GPU.
    ///
    /// Under a profiler or tracer: assumed. Of a sequence: seen there, else elsewhere, else assumed. Of a dispatch: seen there, else elsewhere, else assumed.
    #[inline]
    pub(super) fn on_gpu(&self, at: GpuId, gpu: &Gpu) -> Floor {
        let measured = |time| Floor { time, origin: NumberOrigin::Measured };
        let derived = |time| Floor { time, origin: NumberOrigin::Derived };
        match *self {
            Self::Launches { timing: timing @ (LaunchTiming::Profiled | LaunchTiming::Traced), .. } => {
                changed_floor(stated_floor(gpu.existing(), timing), gpu.existing(), gpu)
            }
            Self::Launches { timing, collection, seen, of_host } => {
                let board = gpu.existing();
                let stated = stated_floor(board, timing);
                let of_this_host = is_of_host(board, collection);
                // Hosts differ: on another one the same board's launches took 1.6 times as long.
                let of_board = if stated.is_known() && !of_this_host { derived(stated.time) } else { stated };
                let of_any = || seen.anywhere(at).map_or(of_board, measured);
                let elsewhere = || match of_host {
                    _ if stated.is_known() && of_this_host => of_board,
                    CollectionFloor::Usual(_) if stated.is_known() => of_board,
                    CollectionFloor::Usual(time) => derived(time),
                    CollectionFloor::AtMost(most) if most.0 < of_any().time.0 => derived(most),
                    CollectionFloor::AtMost(_) | CollectionFloor::Unknown => of_any(),
                };
                changed_floor(seen.on_gpu(at).map_or_else(elsewhere, measured), board, gpu)
            }
            Self::Sequence { ref seen, elsewhere } => {
                let there = seen.iter().find(|(gpu, _)| *gpu == at);
                there.map_or(elsewhere, |(_, time)| measured(*time))
            }
            Self::Dispatches { kernel, store, elsewhere, usual, at_most } => {
                let seen = store.operator_floor(kernel, at).map(measured).or(elsewhere.map(derived));
                let time = at_most.filter(|most| most.0 < usual.0).unwrap_or(usual);
                let assumed = Floor { time, origin: NumberOrigin::Assumed };
                changed_floor(seen.unwrap_or(assumed), gpu.existing(), gpu)
            }
        }
    }
}

/// Whether the floor that a GPU's file states is that of this collection's host.
fn is_of_host(board: &Gpu, collection: Option<&str>) -> bool {
    let of = &board.launch_collections;
    of.is_empty() || collection.is_some_and(|name| of.iter().any(|known| known == name))
}

/// This floor of the board, as many times as long as somebody changed it to on the GPU, or as long as it was set to.
#[inline]
fn changed_floor(floor: Floor, board: &Gpu, gpu: &Gpu) -> Floor {
    if std::ptr::eq(board, gpu) {
        return floor;
    }
    if let Some(set) = gpu.set_launch_overhead() {
        return Floor { time: set.value, origin: set.origin };
    }
    let [changed, stated] = [gpu, board].map(|gpu| gpu.launch_floor_or_assumed());
    if changed.value == stated.value {
        return floor;
    }
    Floor { time: floor.time * (changed.value / stated.value), origin: changed.origin }
}

/// The floor of a launch on this board as its file says, or as assumed; of a cold one never less than assumed.
fn stated_floor(board: &Gpu, timing: LaunchTiming) -> Floor {
    let stated = board.launch_floor_or_assumed();
    match timing {
        LaunchTiming::Profiled => Floor { time: ASSUMED_PROFILED, origin: NumberOrigin::Assumed },
        LaunchTiming::Traced => Floor { time: ASSUMED_TRACED, origin: NumberOrigin::Assumed },
        LaunchTiming::BackToBack | LaunchTiming::OnOtherBuffers | LaunchTiming::Dispatched => {
            let stated = Floor { time: stated.value, origin: stated.origin };
            if stated.is_known() { Floor { origin: NumberOrigin::Published, ..stated } } else { stated }
        }
        LaunchTiming::Cold => Floor { time: ASSUMED_COLD.max(stated.value), origin: NumberOrigin::Assumed },
    }
}
