//! Questions on all cores, with their tallies in the order of the questions.

use super::tally::Tally;
use crate::progress::Progress;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// How many items are taken at once.
const BLOCK: usize = 64;

/// Runs `item` for 0..n on all cores; what it tallies comes back in the order of the items.
pub(super) fn in_parallel(
    n: usize,
    models: usize,
    progress: &Progress,
    item: impl Fn(usize, &mut [Tally]) + Sync,
) -> Option<Vec<Tally>> {
    progress.expect(n);
    let tallied = |block: usize| {
        progress.check_cancelled().ok()?;
        let mut tallies = vec![Tally::default(); models];
        let items = block * BLOCK..((block + 1) * BLOCK).min(n);
        progress.advance(items.len());
        items.for_each(|i| item(i, &mut tallies));
        Some(tallies)
    };
    let blocks: Option<Vec<Vec<Tally>>> = (0..n.div_ceil(BLOCK)).into_par_iter().map(tallied).collect();
    let blocks = blocks.filter(|_| !progress.is_cancelled())?;
    let mut all = vec![Tally::default(); models];
    for (i, sum) in all.iter_mut().enumerate() {
        sum.trials.reserve_exact(blocks.iter().map(|tallies| tallies[i].trials.len()).sum());
    }
    for tallies in blocks {
        all.iter_mut().zip(tallies).for_each(|(sum, part)| sum.take(part));
    }
    Some(all)
}
