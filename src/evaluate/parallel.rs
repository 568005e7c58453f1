//! Questions on all cores, with their tallies in the order of the questions.

use super::tally::{Tallies, Tally};
use crate::answer::AskedCases;
use crate::cores;
use crate::progress::{Cancelled, Progress};
use std::sync::Arc;

/// How many items are taken at once.
const BLOCK: usize = 16;

/// How many blocks of each core are on their way at once, and how many at most: what they tally is put in its place before the next
/// ones begin, so that it never stands in memory twice.
const WAVE: usize = 32;
const LARGEST_WAVE: usize = 512;

/// What is gone through.
#[derive(Debug, Clone)]
pub(super) struct JudgedItems {
    pub(super) count: usize,
    /// Models that each is put to.
    pub(super) models: usize,
    pub(super) on_one_thread: bool,
    /// Questions of another evaluation, which are shared where they are the same.
    pub(super) known_cases: Option<Arc<AskedCases>>,
}

/// Runs `item` for each on all cores; what it tallies comes back in the order of the items.
pub(super) fn in_parallel(
    JudgedItems { count: n, models, on_one_thread, known_cases }: JudgedItems,
    progress: &Progress,
    item: &(dyn Fn(usize, &mut Tallies) + Sync),
) -> Option<Vec<Tally>> {
    progress.expect(n);
    let tallied = |block: usize| {
        progress.check_cancelled()?;
        let mut tallies = Tallies::new(models);
        let items = block * BLOCK..((block + 1) * BLOCK).min(n);
        progress.advance(items.len());
        items.for_each(|i| item(i, &mut tallies));
        Ok::<_, Cancelled>(tallies)
    };
    let mut all = Tallies::beside(known_cases, models);
    let blocks = n.div_ceil(BLOCK);
    let at_once = (WAVE * rayon::current_num_threads()).min(LARGEST_WAVE);
    for first in (0..blocks).step_by(at_once) {
        let blocks = first..(first + at_once).min(blocks);
        let wave: Result<Vec<Tallies>, Cancelled> = if on_one_thread {
            blocks.map(tallied).collect()
        } else {
            cores::try_collect(blocks.len(), |at| tallied(first + at))
        };
        wave.ok()?.into_iter().for_each(|part| all.take(part));
    }
    (!progress.is_cancelled()).then(|| all.into_models())
}
