//! The shortest times of kernels on one GPU of one host: where several kernels come near each other, what a launch costs there.

use crate::kernel::KernelId;

/// How many kernels must have met the floor of a GPU before it is believed to be one.
const KERNELS: usize = 3;

/// How far above the shortest time of a GPU a kernel's own may lie to have met the floor.
pub(super) const NEAR: f64 = 1.25;

/// Longer than any launch seen: 9 µs on the slowest host (the study's RTX 4070). What a few alike kernels of 12 µs have in
/// common is no launch.
pub(super) const LONGEST_LAUNCH_S: f64 = 10e-6;

/// The shortest time of one kernel.
#[derive(Debug, Clone, Copy)]
struct KernelTime {
    kernel: KernelId,
    seconds: f64,
}

/// The kernels of the shortest times, the shortest first: as many as decide about the floor, with any one of them left out or not.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ShortestKernels([Option<KernelTime>; KERNELS + 1]);

impl ShortestKernels {
    /// Adds a time of this kernel.
    pub(super) fn add(&mut self, kernel: KernelId, seconds: f64) {
        let of_kernel = |time: &Option<KernelTime>| time.is_some_and(|time| time.kernel == kernel);
        if let Some(known) = self.0.iter().position(of_kernel) {
            if self.0[known].is_some_and(|known| known.seconds <= seconds) {
                return;
            }
            self.0[known] = None;
            self.0[known..].rotate_left(1);
        }
        let is_longer = |time: &Option<KernelTime>| time.is_none_or(|time| time.seconds > seconds);
        if let Some(place) = self.0.iter().position(is_longer) {
            self.0[place..].rotate_right(1);
            self.0[place] = Some(KernelTime { kernel, seconds });
        }
    }

    /// These kernels.
    pub(super) fn kernels(&self) -> impl Iterator<Item = KernelId> {
        self.0.iter().flatten().map(|time| time.kernel)
    }

    /// The shortest time in seconds, where enough other kernels come near it for a floor.
    pub(super) fn floor(&self) -> Option<f64> {
        met_by_several(self.0.iter().flatten().map(|time| time.seconds))
    }

    /// The same without one kernel.
    pub(super) fn floor_without(&self, kernel: KernelId) -> Option<f64> {
        let others = self.0.iter().flatten().filter(|time| time.kernel != kernel);
        met_by_several(others.map(|time| time.seconds))
    }
}

/// The shortest of these times, where enough others come near it for a floor.
fn met_by_several(times: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let shortest = times.clone().fold(f64::INFINITY, f64::min);
    let near = times.filter(|t| *t <= NEAR * shortest).count();
    (near >= KERNELS && shortest <= LONGEST_LAUNCH_S).then_some(shortest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_floor_is_what_several_kernels_meet() {
        let floor = |times: &[f64]| met_by_several(times.iter().copied());
        assert_eq!(floor(&[3e-6, 3.3e-6, 3.6e-6, 90e-6]), Some(3e-6));
        assert_eq!(floor(&[3e-6, 9e-6, 90e-6]), None, "one quick kernel is no floor");
        assert_eq!(floor(&[3e-3, 3.1e-3, 3.2e-3]), None, "nor are three slow ones");
        assert_eq!(floor(&[]), None);
    }

    #[test]
    fn the_shortest_few_say_what_all_kernels_say_with_any_of_them_left_out() {
        // Times of a small set, so that kernels tie, repeat themselves and displace each other.
        for seed in 0..400_u64 {
            let mut state = seed;
            let mut dice = |sides: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % sides
            };
            let (mut few, mut all) = (ShortestKernels::default(), BTreeMap::new());
            for _ in 0..dice(24) {
                let (kernel, seconds) =
                    (KernelId::from_index(dice(7) as usize), 4e-6 + 4e-7 * dice(20) as f64);
                few.add(kernel, seconds);
                let least = all.entry(kernel).or_insert(seconds);
                *least = f64::min(*least, seconds);
            }
            let whole = met_by_several(all.values().copied());
            assert_eq!(few.floor(), whole, "{all:?}");
            for left_out in (0..8).map(KernelId::from_index) {
                let others = all.iter().filter(|(kernel, _)| **kernel != left_out).map(|(_, time)| *time);
                assert_eq!(few.floor_without(left_out), met_by_several(others), "{left_out:?} of {all:?}");
                let decides = few.kernels().any(|kernel| kernel == left_out);
                assert!(decides || few.floor_without(left_out) == whole);
            }
        }
    }
}
