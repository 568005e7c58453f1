//! The shortest times seen: what a launch or a framework's dispatch costs where the kernel itself costs nothing.
//!
//! A launch floor is one of a GPU, of the way its rows were timed, and of the file they come from, which stands for the host:
//! a cold launch under NVBench costs 6.9 µs where launches back to back cost 5.1.

use super::sequences::{Sequences, is_sequence};
use super::shortest_kernels::{LONGEST_LAUNCH_S, NEAR, ShortestKernels};
use super::text::variant_value;
use super::{Measurement, Store};
use crate::gpu::GpuId;
use crate::kernel::{Count, KernelId};
use std::collections::{BTreeMap, HashMap};

/// How launches were timed, as far as it decides what one costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum LaunchTiming {
    /// One after the other, on the buffers of the one before.
    #[default]
    BackToBack,
    /// One after the other, on copies of the buffers taken in turn: none is in a cache any more.
    OnOtherBuffers,
    /// One at a time, with caches flushed before it.
    Cold,
    /// By a profiler that flushes caches before it and leaves the launch out.
    Profiled,
    /// By a tracer, from its first block to its last, on what the kernels before it left in the caches.
    Traced,
    /// Behind a framework's dispatch.
    Dispatched,
}

/// The variant of a kernel whose time a tracer read.
pub const TRACED: &str = "timing=traced";

impl LaunchTiming {
    /// As the floors of launches are kept. What a profiler times says nothing of them: the launch is left out.
    #[must_use]
    pub fn floor_timing(self) -> Self {
        if self == Self::Cold { Self::Cold } else { Self::BackToBack }
    }

    /// By the variant of a row: `timing=cold`, `timing=single_cold_launch`; [`TRACED`] of a kernel in a trace; `caches=cold` of `roofswap
    /// measure`; without such a word, back to back.
    #[must_use]
    pub fn from_variant(variant: &str) -> Self {
        let timing = variant_value(variant, "timing");
        if timing.is_some_and(|word| word.contains("cold")) {
            Self::Cold
        } else if timing == Some("traced") {
            Self::Traced
        } else if variant_value(variant, "caches") == Some("cold") {
            Self::OnOtherBuffers
        } else {
            Self::BackToBack
        }
    }
}

/// The file or collection a row comes from: what its source says before the first colon.
#[must_use]
pub fn collection(row: &Measurement) -> &str {
    row.source().collection()
}

/// How many rows of an operator on one GPU it takes for the shortest to be its dispatch.
const OPERATOR_ROWS: u32 = 10;

/// Longer than any dispatch seen: 25 to 110 µs for operators of up to four kernels.
const LONGEST_DISPATCH_S: f64 = 150e-6;

/// How many rows near the shortest time it takes to say that the time does not grow with the work.
const FLAT_ROWS: u32 = 5;

/// How much more work the largest of those rows must have than the smallest. PyTorch's operators reach 26 times the bytes on one GPU at
/// least (but for the convolution, whose smallest sizes are few); tuning spaces and matrix products of NeuSight's, KTT's and CUTLASS's kind 2.3.
const FLAT_WORK: f64 = 8.0;

/// The shortest time of one kernel on one GPU, how many rows it is the shortest of, and what those near it have done.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shortest {
    pub(super) gpu: GpuId,
    pub(super) seconds: f64,
    rows: u32,
    near: WorkRange,
}

impl Shortest {
    /// Whether short times do not grow with the work, and are longer than any launch.
    pub(super) fn is_dispatch(&self) -> bool {
        self.seconds > LONGEST_LAUNCH_S
            && self.near.rows >= FLAT_ROWS
            && self.near.most >= FLAT_WORK * self.near.least
    }
}

/// The work of some rows: how many they are, and the bytes (FLOPs, where nobody counted bytes) of the least and the most of them.
#[derive(Debug, Clone, Copy)]
struct WorkRange {
    rows: u32,
    least: f64,
    most: f64,
}

impl WorkRange {
    const EMPTY: Self = Self { rows: 0, least: f64::INFINITY, most: 0.0 };

    fn with(self, row: &Measurement) -> Self {
        let work = row
            .measured_count(Count::DramBytes)
            .or_else(|| row.measured_count(Count::Flops))
            .filter(|work| *work > 0.0);
        work.map_or(self, |work| Self {
            rows: self.rows + 1,
            least: self.least.min(work),
            most: self.most.max(work),
        })
    }
}

/// The floor of one GPU in one collection.
#[derive(Debug, Clone, Copy)]
pub(super) struct HostFloor {
    pub(super) gpu: GpuId,
    pub(super) seconds: f64,
}

/// Whose launches have one floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LaunchHost<'s> {
    pub(super) timing: LaunchTiming,
    pub(super) collection: &'s str,
    pub(super) gpu: GpuId,
}

/// The floors of launches that were timed in one way; each list is by GPU.
#[derive(Debug, Clone, Default)]
pub(super) struct TimedFloors {
    pub(super) collections: BTreeMap<String, Vec<HostFloor>>,
    /// The shortest of each GPU in any collection.
    pub(super) anywhere: Vec<HostFloor>,
}

impl TimedFloors {
    /// Puts the lists in order.
    fn arrange(&mut self) {
        self.collections.values_mut().for_each(|floors| floors.sort_by_key(|floor| floor.gpu));
        self.anywhere = self.collections.values().flatten().copied().collect();
        self.anywhere.sort_by(|a, b| a.gpu.cmp(&b.gpu).then(a.seconds.total_cmp(&b.seconds)));
        self.anywhere.dedup_by_key(|floor| floor.gpu);
    }
}

/// The floors of a store.
#[derive(Debug, Clone, Default)]
pub struct Floors {
    pub(super) launch: HashMap<LaunchTiming, TimedFloors>,
    /// By kernel the shortest times that may be a dispatch.
    pub(super) dispatch: HashMap<KernelId, Vec<Shortest>>,
    pub(super) sequences: Sequences,
}

impl Floors {
    /// Those of these rows.
    #[must_use]
    pub fn from_store(store: &Store) -> Self {
        Self { launch: launch_floors(store), dispatch: dispatches(store), sequences: sequences(store) }
    }
}

/// The shortest time of each kernel on each GPU, where there are rows enough to take it for a dispatch.
fn dispatches(store: &Store) -> HashMap<KernelId, Vec<Shortest>> {
    // There may be as many kernels as rows: those of few rows are counted and no more.
    let mut counts: Vec<u32> = Vec::new();
    for row in store.rows() {
        let place = row.kernel.index();
        if counts.len() <= place {
            counts.resize(place + 1, 0);
        }
        counts[place] += 1;
    }
    let mut shortest: HashMap<KernelId, Vec<Shortest>> = HashMap::new();
    let has_rows = |row: &&Measurement| counts[row.kernel.index()] >= OPERATOR_ROWS;
    for row in store.rows().filter(has_rows) {
        let (all, seconds) = (shortest.entry(row.kernel).or_default(), row.time.0);
        match all.iter_mut().find(|s| s.gpu == row.gpu) {
            Some(s) => (s.seconds, s.rows) = (s.seconds.min(seconds), s.rows + 1),
            None => all.push(Shortest { gpu: row.gpu, seconds, rows: 1, near: WorkRange::EMPTY }),
        }
    }
    shortest.retain(|_, all| {
        all.retain(|s| s.rows >= OPERATOR_ROWS && s.seconds <= LONGEST_DISPATCH_S);
        !all.is_empty()
    });
    for row in store.rows().filter(|row| row.time.0 <= NEAR * LONGEST_DISPATCH_S) {
        let of_kernel = shortest.get_mut(&row.kernel).into_iter().flatten();
        for s in of_kernel.filter(|s| s.gpu == row.gpu && row.time.0 <= NEAR * s.seconds) {
            s.near = s.near.with(row);
        }
    }
    shortest
}

/// The timed sizes of what is several launches.
fn sequences(store: &Store) -> Sequences {
    let mut all = Sequences::default();
    for (id, config) in store.configs().filter(|(_, config)| is_sequence(config.variant)) {
        store.rows_of(id).for_each(|row| all.add(config.variant, row));
    }
    all
}

/// The kernels of the shortest times of every GPU, timing and collection.
pub(super) fn shortest_by_host(store: &Store) -> HashMap<LaunchHost<'_>, ShortestKernels> {
    let mut shortest: HashMap<LaunchHost<'_>, ShortestKernels> = HashMap::new();
    for (id, config) in store.configs() {
        let timing = LaunchTiming::from_variant(config.variant).floor_timing();
        // A longer time than these is neither a floor nor near one, and a profiler leaves the launch out.
        let is_short = |row: &&Measurement| row.time.0 <= NEAR * LONGEST_LAUNCH_S && !row.caches_flushed();
        for row in store.rows_of(id).filter(is_short) {
            let host = LaunchHost { timing, collection: collection(row), gpu: row.gpu };
            shortest.entry(host).or_default().add(row.kernel, row.time.0);
        }
    }
    shortest
}

/// The launch floors of every GPU, timing and collection where several kernels met one.
fn launch_floors(store: &Store) -> HashMap<LaunchTiming, TimedFloors> {
    let mut launch: HashMap<LaunchTiming, TimedFloors> = HashMap::new();
    for (host, kernels) in shortest_by_host(store) {
        let Some(seconds) = kernels.floor() else { continue };
        let collections = &mut launch.entry(host.timing).or_default().collections;
        let floors = collections.entry(host.collection.to_string()).or_default();
        floors.push(HostFloor { gpu: host.gpu, seconds });
    }
    launch.values_mut().for_each(TimedFloors::arrange);
    launch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_by_its_variant_how_it_was_timed() {
        assert_eq!(LaunchTiming::from_variant("caches=cold"), LaunchTiming::OnOtherBuffers);
        assert_eq!(LaunchTiming::from_variant(TRACED), LaunchTiming::Traced);
        let cold = ["timing=cold", "tile=8;timing=single_cold_launch"];
        assert!(cold.iter().all(|v| LaunchTiming::from_variant(v) == LaunchTiming::Cold));
        let warm = ["", "timing=batch", "tile=8", "cold=1"];
        assert!(warm.iter().all(|v| LaunchTiming::from_variant(v) == LaunchTiming::BackToBack));
    }
}
