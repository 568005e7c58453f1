//! Hashes of what rows time: kernel, problem and variant.

use super::Measurement;
use crate::kernel::{KernelId, Problem};
use hashbrown::DefaultHashBuilder;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

pub(super) fn hash(hasher: &DefaultHashBuilder, kernel: KernelId, problem: &Problem, variant: &str) -> u32 {
    hasher.hash_one((kernel, problem, variant)) as u32
}

/// The hashes of what the rows time. On all cores where there are many: problems and variants lie far apart in memory, and
/// waiting for them takes longer than everything else.
pub(super) fn hashes<'r>(
    hasher: &DefaultHashBuilder,
    places: Range<u32>,
    row_at: impl Fn(u32) -> &'r Measurement + Sync,
) -> Vec<u32> {
    const WORTH_A_THREAD: usize = 1 << 15;
    let fill = |first: u32, hashes: &mut [u32]| {
        let mut last: Option<(&Measurement, u32)> = None;
        for (place, found) in (first..).zip(hashes) {
            let row = row_at(place);
            let same = last.filter(|(l, _)| is_same_again(l, row));
            *found = same.map_or_else(|| hash(hasher, row.kernel, &row.problem, row.variant()), |(_, h)| h);
            last = Some((row, *found));
        }
    };
    let mut hashes = vec![0; places.len()];
    let firsts = places.into_par_iter().step_by(WORTH_A_THREAD);
    firsts.zip(hashes.par_chunks_mut(WORTH_A_THREAD)).for_each(|(first, hashes)| fill(first, hashes));
    hashes
}

/// Whether a row times the same as the one before it, where that is seen at once.
pub(super) fn is_same_again(before: &Measurement, row: &Measurement) -> bool {
    before.kernel == row.kernel
        && Arc::ptr_eq(&before.problem, &row.problem)
        && Arc::ptr_eq(before.variant(), row.variant())
}

/// The table wants the upper bits mixed too.
pub(super) fn whole_hash(half: u32) -> u64 {
    u64::from(half) << 32 | u64::from(half)
}
