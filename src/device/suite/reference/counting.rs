//! Kernels that count or search: whole numbers, no rounding.

use super::doubles;
use crate::device::suite::SuiteCase;

/// How often each of 256 values occurs, by the lowest 8 bits.
pub(super) fn histogram(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let mut counts = [0_u32; 256];
    for value in case.i32s("in") {
        counts[(*value & 255) as usize] += 1;
    }
    doubles(at, |bin| counts.get(bin).map_or(f64::NAN, |c| f64::from(*c)))
}

/// The counter after n threads added 1 so many times, modulo 2^32.
pub(super) fn atomic_hotspot(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let all = (case.size_of("n") as u64).wrapping_mul(case.size_of("iters") as u64);
    doubles(at, |_| f64::from(all as u32))
}

/// Per block the smallest place of its part that holds the target, or n. Every element is looked at.
pub(super) fn binary_search(case: &SuiteCase, at: &[usize]) -> Vec<f64> {
    let (sorted, n) = (case.i32s("sorted"), case.size_of("n"));
    let span = case.launch.threads() as usize * case.size_of("segment");
    let target = super::scalar(case, "target");
    doubles(at, |block| {
        let first = n.min(block * span);
        let part = sorted.get(first..n.min(first + span)).unwrap_or(&[]);
        let found = part.iter().position(|v| f64::from(*v) == target);
        found.map_or(n, |place| first + place) as f64
    })
}
