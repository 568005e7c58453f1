//! The shortest times seen: what a launch or a framework's dispatch costs where the kernel itself costs nothing.

use super::Store;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::units::Seconds;
use std::collections::{BTreeMap, HashMap};

/// How many kernels must have met the floor of a GPU before it is believed to be one.
const KERNELS: usize = 3;

/// How far above the shortest time of a GPU a kernel's own may lie to have met the floor.
const NEAR: f64 = 1.25;

/// Longer than any launch seen: 9 µs on the slowest host (the study's RTX 4070).
const LONGEST_LAUNCH_S: f64 = 20e-6;

/// How many rows of an operator on one GPU it takes for the shortest to be its dispatch.
const OPERATOR_ROWS: u32 = 10;

/// Longer than any dispatch seen: 25 to 110 µs for operators of up to four kernels.
const LONGEST_DISPATCH_S: f64 = 150e-6;

/// The shortest time of one kernel on one GPU, and how many rows it is the shortest of.
#[derive(Debug, Clone, Copy)]
struct Shortest {
    gpu: GpuId,
    seconds: f64,
    rows: u32,
}

/// The floors of a store.
#[derive(Debug, Clone, Default)]
pub struct Floors {
    launch: HashMap<GpuId, f64>,
    of_kernel: HashMap<KernelId, Vec<Shortest>>,
}

impl Floors {
    /// Those of these rows.
    #[must_use]
    pub fn of(store: &Store) -> Self {
        let mut of_kernel: HashMap<KernelId, Vec<Shortest>> = HashMap::new();
        for row in store.rows() {
            let all = of_kernel.entry(row.kernel).or_default();
            let seconds = row.time.0;
            match all.iter_mut().find(|s| s.gpu == row.gpu) {
                Some(s) => (s.seconds, s.rows) = (s.seconds.min(seconds), s.rows + 1),
                None => all.push(Shortest { gpu: row.gpu, seconds, rows: 1 }),
            }
        }
        let mut by_gpu: BTreeMap<GpuId, Vec<f64>> = BTreeMap::new();
        for shortest in of_kernel.values().flatten() {
            by_gpu.entry(shortest.gpu).or_default().push(shortest.seconds);
        }
        let launch = by_gpu.into_iter().filter_map(|(gpu, times)| Some((gpu, met_by_several(&times)?)));
        Self { launch: launch.collect(), of_kernel }
    }

    /// The floor that several kernels met on this GPU.
    #[must_use]
    pub fn launch(&self, gpu: GpuId) -> Option<Seconds> {
        self.launch.get(&gpu).map(|s| Seconds(*s))
    }

    /// The shortest time of this operator on this GPU, where there are rows enough to take it for its dispatch.
    #[must_use]
    pub fn operator(&self, kernel: KernelId, gpu: GpuId) -> Option<Seconds> {
        self.operators(kernel).find(|s| s.gpu == gpu).map(|s| Seconds(s.seconds))
    }

    /// The median of [`Floors::operator`] over all GPUs but `hidden`.
    #[must_use]
    pub fn operator_elsewhere(&self, kernel: KernelId, hidden: Option<GpuId>) -> Option<Seconds> {
        let mut all: Vec<f64> =
            self.operators(kernel).filter(|s| Some(s.gpu) != hidden).map(|s| s.seconds).collect();
        all.sort_by(f64::total_cmp);
        let (low, high) = (all.len().checked_sub(1)? / 2, all.len() / 2);
        Some(Seconds(f64::midpoint(all[low], all[high])))
    }

    fn operators(&self, kernel: KernelId) -> impl Iterator<Item = &Shortest> {
        let all = self.of_kernel.get(&kernel).into_iter().flatten();
        all.filter(|s| s.rows >= OPERATOR_ROWS && s.seconds <= LONGEST_DISPATCH_S)
    }
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
    fn a_floor_is_what_several_kernels_meet() {
        assert_eq!(met_by_several(&[3e-6, 3.3e-6, 3.6e-6, 90e-6]), Some(3e-6));
        assert_eq!(met_by_several(&[3e-6, 9e-6, 90e-6]), None, "one quick kernel is no floor");
        assert_eq!(met_by_several(&[3e-3, 3.1e-3, 3.2e-3]), None, "nor are three slow ones");
        assert_eq!(met_by_several(&[]), None);
    }
}
