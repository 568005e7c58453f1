//! Questions on all cores, with their tallies in the order of the questions.

use super::setup::Progress;
use super::tally::Tally;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How many items a thread takes at once.
const BLOCK: usize = 64;

/// Runs `item` for 0..n on all cores; what it tallies comes back in the order of the items.
pub(super) fn in_parallel(
    n: usize,
    models: usize,
    progress: &Progress,
    item: impl Fn(usize, &mut [Tally]) + Sync,
) -> Option<Vec<Tally>> {
    let next = AtomicUsize::new(0);
    let blocks: Mutex<Vec<(usize, Vec<Tally>)>> = Mutex::default();
    let work = || {
        loop {
            let start = next.fetch_add(BLOCK, Ordering::Relaxed);
            if start >= n || progress.cancelled.load(Ordering::Relaxed) {
                return;
            }
            let mut tallies = vec![Tally::default(); models];
            let end = (start + BLOCK).min(n);
            (start..end).for_each(|i| item(i, &mut tallies));
            progress.done.fetch_add(end - start, Ordering::Relaxed);
            blocks.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((start, tallies));
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(n.div_ceil(BLOCK)).max(1);
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    if progress.cancelled.load(Ordering::Relaxed) {
        return None;
    }
    let mut blocks = blocks.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    blocks.sort_unstable_by_key(|(start, _)| *start);
    let mut all = vec![Tally::default(); models];
    for (i, sum) in all.iter_mut().enumerate() {
        sum.trials.reserve_exact(blocks.iter().map(|(_, tallies)| tallies[i].trials.len()).sum());
    }
    for (_, tallies) in blocks {
        all.iter_mut().zip(tallies).for_each(|(sum, part)| sum.take(part));
    }
    Some(all)
}
