//! Chunks of one file understood on several threads, and what came out of them handed over in the file's order.

use super::chunks::{Chunk, Chunks};
use std::collections::BTreeMap;
use std::io::{Read, Result};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

/// More threads than this wait for the one that puts the rows in their place.
const MOST: usize = 6;

/// How many workers this machine can use.
pub(super) fn workers() -> usize {
    rayon::current_num_threads().min(MOST)
}

/// Calls `take` with what the workers made of each chunk, in the file's order, until the first error.
pub(super) fn in_order<T: Send>(
    chunks: Chunks<impl Read + Send>,
    workers: Vec<impl FnMut(&Chunk) -> T + Send>,
    mut take: impl FnMut(T),
) -> Result<()> {
    // A thread of the pool may be its only one, and must not wait for others.
    if rayon::current_thread_index().is_some() {
        return in_turn(chunks, workers, take);
    }
    let (full, parts) = sync_channel(2 * workers.len());
    // The caller has had the first chunk.
    let (chunks, mut next) = (Mutex::new(chunks), 1);
    rayon::in_place_scope(|pool| {
        for worker in workers {
            let (chunks, full) = (&chunks, full.clone());
            pool.spawn(move |_| work(chunks, worker, &full));
        }
        drop(full);
        let mut early = BTreeMap::new();
        for part in parts {
            let (number, part) = part?;
            early.insert(number, part);
            while let Some(part) = early.remove(&next) {
                take(part);
                next += 1;
            }
        }
        Ok(())
    })
}

/// The same on this thread alone.
fn in_turn<T>(
    mut chunks: Chunks<impl Read>,
    mut workers: Vec<impl FnMut(&Chunk) -> T>,
    mut take: impl FnMut(T),
) -> Result<()> {
    let mut chunk = Chunk::default();
    while let Some(worker) = workers.first_mut().filter(|_| !chunks.ended()) {
        if chunks.next(&mut chunk)? {
            take(worker(&chunk));
        }
    }
    Ok(())
}

fn work<T>(
    chunks: &Mutex<Chunks<impl Read>>,
    mut worker: impl FnMut(&Chunk) -> T,
    full: &SyncSender<Result<(usize, T)>>,
) {
    let mut chunk = Chunk::default();
    loop {
        let read = chunks.lock().unwrap_or_else(PoisonError::into_inner).next(&mut chunk);
        let part = match read {
            Ok(false) => return,
            Ok(true) => Ok((chunk.number, worker(&chunk))),
            Err(error) => Err(error),
        };
        // Nobody listens any more where another part was an error.
        if full.send(part).is_err() {
            return;
        }
    }
}
