//! The shortest times seen: what a launch or a framework's dispatch costs where the kernel itself costs nothing.
//!
//! A launch floor is one of a GPU, of the way its rows were timed, and of the file they come from, which stands for the host:
//! a cold launch under NVBench costs 6.9 µs where launches back to back cost 5.1.

use super::sequences::{Sequences, is_sequence};
use super::text::variant_value;
use super::{Config, Measurement, Store};
use crate::gpu::GpuId;
use crate::kernel::{Count, KernelId};
use crate::units::Seconds;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How launches were timed, as far as it decides what one costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum LaunchTiming {
    /// One after the other, on the buffers of the one before.
    #[default]
    BackToBack,
    /// One at a time, with caches flushed before it.
    Cold,
    /// By a profiler that flushes caches before it and leaves the launch out.
    Profiled,
    /// Behind a framework's dispatch.
    Dispatched,
}

impl LaunchTiming {
    /// As the floors of launches are kept: a profiler's launch costs at most what launches back to back do.
    #[must_use]
    pub fn floor_timing(self) -> Self {
        if self == Self::Cold { Self::Cold } else { Self::BackToBack }
    }

    /// By the variant of a row: `timing=cold`, `timing=single_cold_launch`; without such a word, back to back.
    #[must_use]
    pub fn from_variant(variant: &str) -> Self {
        if variant_value(variant, "timing").is_some_and(|word| word.contains("cold")) {
            Self::Cold
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

/// How many kernels must have met the floor of a GPU before it is believed to be one.
const KERNELS: usize = 3;

/// How far above the shortest time of a GPU a kernel's own may lie to have met the floor.
const NEAR: f64 = 1.25;

/// Longer than any launch seen: 9 µs on the slowest host (the study's RTX 4070). What a few alike kernels of 12 µs have in
/// common is no launch.
const LONGEST_LAUNCH_S: f64 = 10e-6;

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
struct Shortest {
    gpu: GpuId,
    seconds: f64,
    rows: u32,
    near: WorkRange,
}

impl Shortest {
    /// Whether short times do not grow with the work, and are longer than any launch.
    fn is_dispatch(&self) -> bool {
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
struct HostFloor {
    gpu: GpuId,
    seconds: f64,
}

/// The shortest time of each kernel, by timing, collection and GPU.
type ByHost<'s> = HashMap<(LaunchTiming, &'s str, GpuId), HashMap<KernelId, f64>>;

/// The floors of launches that were timed in one way; each list is by GPU.
#[derive(Debug, Clone, Default)]
struct TimedFloors {
    collections: BTreeMap<String, Vec<HostFloor>>,
    /// The shortest of each GPU in any collection.
    anywhere: Vec<HostFloor>,
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

/// The floor of this GPU in a list by GPU, in seconds.
fn floor_of(gpu: GpuId, floors: &[HostFloor]) -> Option<f64> {
    floors.binary_search_by_key(&gpu, |floor| floor.gpu).ok().map(|place| floors[place].seconds)
}

/// The floors of a store.
#[derive(Debug, Clone, Default)]
pub struct Floors {
    launch: HashMap<LaunchTiming, TimedFloors>,
    /// By kernel the shortest times that may be a dispatch.
    dispatch: HashMap<KernelId, Vec<Shortest>>,
    sequences: Sequences,
}

impl Floors {
    /// Those of these rows, but for the rows of the kernel that is left out.
    #[must_use]
    pub fn from_store(store: &Store, left_out: Option<KernelId>) -> Self {
        Self {
            launch: launch_floors(store, left_out),
            dispatch: dispatches(store, left_out),
            sequences: sequences(store, left_out),
        }
    }

    /// The floors of launches timed so, those of this collection first: found once for many GPUs.
    #[must_use]
    pub fn launches(&self, timing: LaunchTiming, collection: Option<&str>) -> LaunchFloors<'_> {
        let all = self.launch.get(&timing.floor_timing());
        let own = all.zip(collection).and_then(|(all, name)| all.collections.get(name));
        LaunchFloors { anywhere: all.map_or(&[], |all| &all.anywhere), own: own.map(Vec::as_slice) }
    }

    /// The shortest time of this operator on this GPU, where there are rows enough to take it for its dispatch.
    #[must_use]
    pub fn operator(&self, kernel: KernelId, gpu: GpuId) -> Option<Seconds> {
        self.operators(kernel).find(|s| s.gpu == gpu).map(|s| Seconds(s.seconds))
    }

    /// The median of [`Floors::operator`] over all GPUs but `hidden`.
    #[must_use]
    pub fn operator_elsewhere(&self, kernel: KernelId, hidden: Option<GpuId>) -> Option<Seconds> {
        median(self.operators(kernel).filter(|s| Some(s.gpu) != hidden).map(|s| s.seconds).collect())
    }

    /// Whether a dispatch is in this kernel's times, as those on any GPU but `hidden` say: its shortest are longer than a launch, and do
    /// not grow with the work.
    #[must_use]
    pub fn is_dispatched(&self, kernel: KernelId, hidden: Option<GpuId>) -> bool {
        self.operators(kernel).any(|s| Some(s.gpu) != hidden && s.is_dispatch())
    }

    /// What of this row's time does not grow with its work, where it is that of several launches and other sizes on its GPU say so.
    #[must_use]
    pub fn sequence(&self, variant: &Arc<str>, row: &Measurement) -> Option<Seconds> {
        self.sequences.fixed_part(variant, row)
    }

    fn operators(&self, kernel: KernelId) -> impl Iterator<Item = &Shortest> {
        self.dispatch.get(&kernel).into_iter().flatten()
    }
}

/// The shortest time of each kernel on each GPU, where there are rows enough to take it for a dispatch.
fn dispatches(store: &Store, left_out: Option<KernelId>) -> HashMap<KernelId, Vec<Shortest>> {
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
    for row in store.rows().filter(|row| Some(row.kernel) != left_out).filter(has_rows) {
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
fn sequences(store: &Store, left_out: Option<KernelId>) -> Sequences {
    let mut all = Sequences::default();
    let asked = |config: &Config<'_>| Some(config.kernel) != left_out && is_sequence(config.variant);
    for (id, config) in store.configs().filter(|(_, config)| asked(config)) {
        store.rows_of(id).for_each(|row| all.add(config.variant, row));
    }
    all
}

/// The launch floors of one way of timing.
#[derive(Debug, Clone, Copy)]
pub struct LaunchFloors<'f> {
    /// The shortest of each GPU in any collection, by GPU.
    anywhere: &'f [HostFloor],
    /// Those of the collection that was asked for, by GPU.
    own: Option<&'f [HostFloor]>,
}

impl LaunchFloors<'_> {
    /// The floor that several kernels met on this GPU in the collection.
    #[must_use]
    pub fn on_gpu(self, gpu: GpuId) -> Option<Seconds> {
        self.own.and_then(|own| floor_of(gpu, own)).map(Seconds)
    }

    /// The shortest floor that several kernels met on this GPU in any collection: another host's, maybe.
    #[must_use]
    pub fn anywhere(self, gpu: GpuId) -> Option<Seconds> {
        floor_of(gpu, self.anywhere).map(Seconds)
    }

    /// The median of the collection's floors over all GPUs but `hidden`; `None` where fewer than two have one: the floor of one GPU
    /// says no more of its host's other ones than [`LaunchFloors::of_only_gpu`].
    #[must_use]
    pub fn elsewhere(self, hidden: Option<GpuId>) -> Option<Seconds> {
        let seen: Vec<f64> = self.seen(hidden).collect();
        if seen.len() < 2 { None } else { median(seen) }
    }

    /// The collection's floor of the one GPU beside `hidden` that has one: a launch that was timed so need not cost more.
    #[must_use]
    pub fn of_only_gpu(self, hidden: Option<GpuId>) -> Option<Seconds> {
        let mut seen = self.seen(hidden);
        seen.next().filter(|_| seen.next().is_none()).map(Seconds)
    }

    fn seen(self, hidden: Option<GpuId>) -> impl Iterator<Item = f64> {
        self.own
            .into_iter()
            .flatten()
            .filter(move |floor| Some(floor.gpu) != hidden)
            .map(|floor| floor.seconds)
    }
}

/// The launch floors of every GPU, timing and collection where several kernels met one.
fn launch_floors(store: &Store, left_out: Option<KernelId>) -> HashMap<LaunchTiming, TimedFloors> {
    let mut shortest = ByHost::default();
    for (id, config) in store.configs().filter(|(_, config)| Some(config.kernel) != left_out) {
        let timing = LaunchTiming::from_variant(config.variant);
        // A longer time than these is neither a floor nor near one.
        for row in store.rows_of(id).filter(|row| row.time.0 <= NEAR * LONGEST_LAUNCH_S) {
            let of_host = shortest.entry((timing, collection(row), row.gpu)).or_default();
            let time = of_host.entry(row.kernel).or_insert(f64::INFINITY);
            *time = time.min(row.time.0);
        }
    }
    let mut launch: HashMap<LaunchTiming, TimedFloors> = HashMap::new();
    for ((timing, name, gpu), kernels) in shortest {
        let times: Vec<f64> = kernels.into_values().collect();
        let Some(seconds) = met_by_several(&times) else { continue };
        let collections = &mut launch.entry(timing).or_default().collections;
        let floors = collections.entry(name.to_string()).or_default();
        floors.push(HostFloor { gpu, seconds });
    }
    launch.values_mut().for_each(TimedFloors::arrange);
    launch
}

fn median(mut all: Vec<f64>) -> Option<Seconds> {
    all.sort_by(f64::total_cmp);
    let (low, high) = (all.len().checked_sub(1)? / 2, all.len() / 2);
    Some(Seconds(f64::midpoint(all[low], all[high])))
}

/// The shortest of these times, where enough others come near it for a floor.
fn met_by_several(times: &[f64]) -> Option<f64> {
    let shortest = times.iter().copied().fold(f64::INFINITY, f64::min);
    let near = times.iter().filter(|t| **t <= NEAR * shortest).count();
    (near >= KERNELS && shortest <= LONGEST_LAUNCH_S).then_some(shortest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_by_its_variant_how_it_was_timed() {
        let cold = ["timing=cold", "tile=8;timing=single_cold_launch"];
        assert!(cold.iter().all(|v| LaunchTiming::from_variant(v) == LaunchTiming::Cold));
        let warm = ["", "timing=batch", "tile=8", "cold=1"];
        assert!(warm.iter().all(|v| LaunchTiming::from_variant(v) == LaunchTiming::BackToBack));
    }

    #[test]
    fn a_floor_is_what_several_kernels_meet() {
        assert_eq!(met_by_several(&[3e-6, 3.3e-6, 3.6e-6, 90e-6]), Some(3e-6));
        assert_eq!(met_by_several(&[3e-6, 9e-6, 90e-6]), None, "one quick kernel is no floor");
        assert_eq!(met_by_several(&[3e-3, 3.1e-3, 3.2e-3]), None, "nor are three slow ones");
        assert_eq!(met_by_several(&[]), None);
    }
}
