//! Times of several launches with what lies between them (`launches=multi` in the variant): what of them does not grow with the work.
//!
//! Copies of a few bytes, synchronisations and launches cost what they cost, whatever the size. Two sizes of one GPU say how much:
//! T = T0 + c W through both, W their DRAM bytes (FLOPs where none move). Of the next size at least twice as small and the next at least
//! twice as large, the one that leaves more: where a size needs another launch, a line across that step says nothing.

use super::Measurement;
use super::text::variant_value;
use crate::gpu::GpuId;
use crate::kernel::{Count, KernelId};
use crate::units::Seconds;
use std::collections::HashMap;
use std::sync::Arc;

/// How many times more or less work another size has to say anything.
const APART: f64 = 2.0;

/// One timed size on one GPU.
#[derive(Debug, Clone, Copy)]
struct TimedSize {
    gpu: GpuId,
    work: f64,
    seconds: f64,
}

/// The timed sizes of kernels that are several launches, by kernel and variant.
#[derive(Debug, Clone, Default)]
pub(super) struct Sequences(HashMap<(KernelId, Arc<str>), Vec<TimedSize>>);

/// Whether a time of this variant is that of several launches.
#[must_use]
pub fn is_sequence(variant: &str) -> bool {
    variant_value(variant, "launches").is_some_and(|launches| launches != "1")
}

/// What a size of these rows works: DRAM bytes, else FLOPs.
fn row_work(row: &Measurement) -> Option<f64> {
    let count = |count| row.measured_count(count).filter(|n| *n > 0.0);
    count(Count::DramBytes).or_else(|| count(Count::Flops))
}

impl Sequences {
    pub(super) fn add(&mut self, variant: &Arc<str>, row: &Measurement) {
        if let Some(work) = row_work(row) {
            let sizes = self.0.entry((row.kernel, variant.clone())).or_default();
            sizes.push(TimedSize { gpu: row.gpu, work, seconds: row.time.0 });
        }
    }

    /// What of this row's time does not grow with its work, by the other sizes on its GPU; `None` where none is far enough.
    pub(super) fn fixed_part(&self, variant: &Arc<str>, row: &Measurement) -> Option<Seconds> {
        let (work, seconds) = (row_work(row)?, row.time.0);
        let sizes = self.0.get(&(row.kernel, variant.clone()))?;
        let of_gpu: Vec<TimedSize> = sizes.iter().filter(|s| s.gpu == row.gpu).copied().collect();
        fixed_seconds(&of_gpu, work, seconds).map(Seconds)
    }
}

/// What of so many seconds for this work does not grow with it, by other sizes on the same GPU.
fn fixed_seconds(others: &[TimedSize], work: f64, seconds: f64) -> Option<f64> {
    let smaller = others.iter().filter(|s| s.work * APART <= work);
    let larger = others.iter().filter(|s| s.work >= work * APART);
    let next =
        [smaller.max_by(|a, b| a.work.total_cmp(&b.work)), larger.min_by(|a, b| a.work.total_cmp(&b.work))];
    let left = |other: &TimedSize| {
        let slope = (other.seconds - seconds) / (other.work - work);
        (seconds - slope * work).clamp(0.0, seconds)
    };
    next.into_iter().flatten().map(left).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_says_whether_it_is_several_launches() {
        assert!(is_sequence("launches=multi;timing=cold") && is_sequence("tile=8;launches=3"));
        assert!(!is_sequence("launches=1") && !is_sequence("timing=cold") && !is_sequence(""));
    }

    /// 28 µs of any size, 52 µs more from the one on that needs another launch, and 1 ns for each byte.
    #[test]
    fn what_does_not_grow_is_fixed() {
        let times = [(1e3, 29e-6), (2e3, 30e-6), (4e3, 84e-6), (8e3, 88e-6), (1e6, 1.08e-3)];
        let gpu = GpuId::from_index(0);
        let sizes = times.map(|(work, seconds)| TimedSize { gpu, work, seconds });
        let fixed = |at: usize| fixed_seconds(&sizes, times[at].0, times[at].1).unwrap();
        for (at, expected) in [(0, 28e-6), (1, 28e-6), (2, 80e-6), (3, 80e-6), (4, 80e-6)] {
            assert!((fixed(at) - expected).abs() < 1e-12, "{at}: {}", fixed(at));
        }
        assert_eq!(fixed_seconds(&sizes[..1], 1e3, 29e-6), None, "one size says nothing");
    }
}
