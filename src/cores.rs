//! Parts of long work on all cores, in an order that does not depend on how many there are.
//!
//! Parallel iterators are built anew for every kind of part, which is dear. Here they are built once: what a part makes is put in
//! its place. Worth it where a part takes long; a million small ones ask the library itself.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs every part below `count` once.
pub fn run(count: usize, part: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(part);
}

/// What every part below `count` makes, in their order.
pub fn collect<T: Send>(count: usize, part: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut places = Vec::new();
    places.resize_with(count, || Mutex::new(None));
    run(count, &|at| {
        let made = part(at);
        *places[at].lock().expect("nobody panics while it holds a place") = Some(made);
    });
    let mut all = Vec::with_capacity(count);
    for place in places {
        all.push(place.into_inner().ok().flatten().expect("every part was run"));
    }
    all
}

/// [`collect`] of parts that may fail: no new part begins after one has failed.
///
/// # Errors
/// That of a part that failed.
pub fn try_collect<T: Send, E: Send>(
    count: usize,
    part: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let failed = AtomicBool::new(false);
    let parts = collect(count, |at| {
        if failed.load(Ordering::Relaxed) {
            return None;
        }
        let made = part(at);
        failed.fetch_or(made.is_err(), Ordering::Relaxed);
        Some(made)
    });
    let mut all = Vec::with_capacity(count);
    for made in parts.into_iter().flatten() {
        all.push(made?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_in_their_order() {
        assert_eq!(collect(1000, |at| at * at), (0..1000).map(|at| at * at).collect::<Vec<_>>());
        assert_eq!(try_collect(1000, Ok::<_, ()>), Ok((0..1000).collect()));
        assert!(collect(0, |at| at).is_empty());
    }

    #[test]
    fn a_part_that_fails_ends_the_work() {
        let made = try_collect(1000, |at| if at % 10 == 7 { Err(at) } else { Ok(()) });
        assert_eq!(made.unwrap_err() % 10, 7);
    }
}
