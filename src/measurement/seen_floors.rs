//! The floors that a question may look at: all of them, or those without the rows of the kernel that it asks about.

use super::floors::{Floors, HostFloor, LaunchTiming, shortest_by_host};
use super::{Measurement, Store};
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::units::Seconds;
use std::collections::HashMap;
use std::sync::Arc;

/// Floors, all of them or without one kernel.
#[derive(Debug, Clone, Copy)]
pub struct SeenFloors<'f> {
    floors: &'f Floors,
    left_out: Option<KernelId>,
    /// What launches cost without that kernel, where it is not what they cost with it; in order.
    instead: &'f [OtherFloor<'f>],
}

impl<'f> From<&'f Floors> for SeenFloors<'f> {
    fn from(floors: &'f Floors) -> Self {
        Self { floors, left_out: None, instead: &[] }
    }
}

impl<'f> SeenFloors<'f> {
    /// The floors of launches timed so, those of this collection first: found once for many GPUs.
    #[must_use]
    pub fn launches(self, timing: LaunchTiming, collection: Option<&str>) -> LaunchFloors<'f> {
        let timing = timing.floor_timing();
        let all = self.floors.launch.get(&timing);
        let of_own = |name: &str| FloorsByGpu {
            floors: all.and_then(|all| all.collections.get(name)).map_or(&[], Vec::as_slice),
            instead: self.instead_of(timing, Some(name)),
        };
        let anywhere = FloorsByGpu {
            floors: all.map_or(&[], |all| &all.anywhere),
            instead: self.instead_of(timing, None),
        };
        LaunchFloors { anywhere, own: collection.map_or_else(FloorsByGpu::default, of_own) }
    }

    fn instead_of(self, timing: LaunchTiming, collection: Option<&str>) -> &'f [OtherFloor<'f>] {
        let place = |floor: &OtherFloor<'_>| (floor.timing, floor.collection).cmp(&(timing, collection));
        let behind = &self.instead[self.instead.partition_point(|floor| place(floor).is_lt())..];
        &behind[..behind.partition_point(|floor| place(floor).is_eq())]
    }

    /// The shortest time of this operator on this GPU, where there are rows enough to take it for its dispatch.
    #[must_use]
    pub fn operator(self, kernel: KernelId, gpu: GpuId) -> Option<Seconds> {
        self.operators(kernel).find(|s| s.gpu == gpu).map(|s| Seconds(s.seconds))
    }

    /// The median of [`SeenFloors::operator`] over all GPUs but `hidden`.
    #[must_use]
    pub fn operator_elsewhere(self, kernel: KernelId, hidden: Option<GpuId>) -> Option<Seconds> {
        median(self.operators(kernel).filter(|s| Some(s.gpu) != hidden).map(|s| s.seconds).collect())
    }

    /// Whether a dispatch is in this kernel's times, as those on any GPU but `hidden` say: its shortest are longer than a launch, and do
    /// not grow with the work.
    #[must_use]
    pub fn is_dispatched(self, kernel: KernelId, hidden: Option<GpuId>) -> bool {
        self.operators(kernel).any(|s| Some(s.gpu) != hidden && s.is_dispatch())
    }

    /// What of this row's time does not grow with its work, where it is that of several launches and other sizes on its GPU say so.
    #[must_use]
    pub fn sequence(self, variant: &Arc<str>, row: &Measurement) -> Option<Seconds> {
        let is_left_out = self.left_out == Some(row.kernel);
        if is_left_out { None } else { self.floors.sequences.fixed_part(variant, row) }
    }

    fn operators(self, kernel: KernelId) -> impl Iterator<Item = &'f super::floors::Shortest> {
        let is_left_out = self.left_out == Some(kernel);
        self.floors.dispatch.get(&kernel).filter(|_| !is_left_out).into_iter().flatten()
    }
}

/// Floors of every GPU.
#[derive(Debug, Clone, Copy, Default)]
struct FloorsByGpu<'f> {
    floors: &'f [HostFloor],
    /// What stands for some of them, or beside them.
    instead: &'f [OtherFloor<'f>],
}

impl<'f> FloorsByGpu<'f> {
    #[inline]
    fn on_gpu(self, gpu: GpuId) -> Option<Seconds> {
        let other = self.instead.binary_search_by_key(&gpu, |floor| floor.gpu);
        let found = match other {
            Ok(place) => self.instead[place].seconds,
            Err(_) => {
                let place = self.floors.binary_search_by_key(&gpu, |floor| floor.gpu).ok();
                place.map(|place| self.floors[place].seconds)
            }
        };
        found.map(Seconds)
    }

    fn all(self) -> impl Iterator<Item = HostFloor> + 'f {
        let is_other = move |gpu| self.instead.binary_search_by_key(&gpu, |floor| floor.gpu).is_ok();
        let same = self.floors.iter().copied().filter(move |floor| !is_other(floor.gpu));
        let other = self.instead.iter().filter_map(|floor| {
            let OtherFloor { gpu, seconds, .. } = *floor;
            Some(HostFloor { gpu, seconds: seconds? })
        });
        same.chain(other)
    }
}

/// The launch floors of one way of timing.
#[derive(Debug, Clone, Copy)]
pub struct LaunchFloors<'f> {
    /// The shortest of each GPU in any collection.
    anywhere: FloorsByGpu<'f>,
    /// Those of the collection that was asked for.
    own: FloorsByGpu<'f>,
}

impl LaunchFloors<'_> {
    /// The floor that several kernels met on this GPU in the collection.
    #[must_use]
    #[inline]
    pub fn on_gpu(self, gpu: GpuId) -> Option<Seconds> {
        self.own.on_gpu(gpu)
    }

    /// The shortest floor that several kernels met on this GPU in any collection: another host's, maybe.
    #[must_use]
    #[inline]
    pub fn anywhere(self, gpu: GpuId) -> Option<Seconds> {
        self.anywhere.on_gpu(gpu)
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
        self.own.all().filter(move |floor| Some(floor.gpu) != hidden).map(|floor| floor.seconds)
    }
}

fn median(mut all: Vec<f64>) -> Option<Seconds> {
    all.sort_by(f64::total_cmp);
    let (low, high) = (all.len().checked_sub(1)? / 2, all.len() / 2);
    Some(Seconds(f64::midpoint(all[low], all[high])))
}

/// What launches cost on one GPU without the rows of one kernel.
#[derive(Debug, Clone, Copy)]
struct OtherFloor<'s> {
    timing: LaunchTiming,
    /// `None` = the shortest of any collection.
    collection: Option<&'s str>,
    gpu: GpuId,
    /// `None` where too few other kernels come near each other.
    seconds: Option<f64>,
}

/// The floors of a store without the rows of any one kernel. There may be as many kernels as rows: only where a kernel is one of the few
/// shortest does a floor change without it.
#[derive(Debug)]
pub struct FloorsByKernel<'s> {
    floors: &'s Floors,
    changed: HashMap<KernelId, Vec<OtherFloor<'s>>>,
}

impl<'s> FloorsByKernel<'s> {
    /// Those of these rows.
    #[must_use]
    pub fn from_store(store: &'s Store) -> Self {
        let mut changed: HashMap<KernelId, Vec<OtherFloor<'s>>> = HashMap::new();
        let mut of_gpus: HashMap<(LaunchTiming, GpuId), Vec<FloorOfCollection<'s>>> = HashMap::new();
        for (host, shortest) in shortest_by_host(store) {
            let (timing, gpu, whole) = (host.timing, host.gpu, shortest.floor());
            if let Some(seconds) = whole {
                let floor = FloorOfCollection { collection: host.collection, seconds };
                of_gpus.entry((timing, gpu)).or_default().push(floor);
            }
            for kernel in shortest.kernels() {
                let seconds = shortest.floor_without(kernel);
                if seconds != whole {
                    let other = OtherFloor { timing, collection: Some(host.collection), gpu, seconds };
                    changed.entry(kernel).or_default().push(other);
                }
            }
        }
        of_gpus.values_mut().for_each(|of_gpu| of_gpu.sort_by(|a, b| a.seconds.total_cmp(&b.seconds)));
        for floors in changed.values_mut() {
            floors.sort_unstable_by_key(|floor| (floor.timing, floor.gpu, floor.collection));
            let of_gpu = floors.chunk_by(|a, b| (a.timing, a.gpu) == (b.timing, b.gpu));
            let anywhere = of_gpu.map(|own| OtherFloor {
                collection: None,
                seconds: shortest_anywhere(own, of_gpus.get(&(own[0].timing, own[0].gpu))),
                ..own[0]
            });
            let anywhere: Vec<OtherFloor<'s>> = anywhere.collect();
            floors.extend(anywhere);
            floors.sort_unstable_by_key(|floor| (floor.timing, floor.collection, floor.gpu));
        }
        Self { floors: store.floors(), changed }
    }

    /// The floors without the rows of this kernel.
    #[must_use]
    pub fn without(&self, kernel: KernelId) -> SeenFloors<'_> {
        let instead = self.changed.get(&kernel).map_or(&[][..], Vec::as_slice);
        SeenFloors { floors: self.floors, left_out: Some(kernel), instead }
    }
}

/// The floor of one GPU in one collection.
#[derive(Debug, Clone, Copy)]
struct FloorOfCollection<'s> {
    collection: &'s str,
    seconds: f64,
}

/// The shortest floor of a GPU in any collection, where some have these instead, by collection; `all` are in order.
fn shortest_anywhere(instead: &[OtherFloor<'_>], all: Option<&Vec<FloorOfCollection<'_>>>) -> Option<f64> {
    let is_other = |name: &str| instead.binary_search_by_key(&Some(name), |floor| floor.collection).is_ok();
    let same = all.into_iter().flatten().find(|floor| !is_other(floor.collection));
    let other = instead.iter().filter_map(|floor| floor.seconds);
    same.map(|floor| floor.seconds).into_iter().chain(other).min_by(f64::total_cmp)
}
