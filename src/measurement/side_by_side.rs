//! Chunks of one file understood on several threads, and what came out of them handed over in the file's order.

use super::chunks::{Chunk, Chunks};
use std::collections::BTreeMap;
use std::io::{Read, Result};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, available_parallelism, scope};

/// More threads than this wait for the one that puts the rows in their place.
const MOST: usize = 6;

/// How many workers this machine can use.
pub(super) fn workers() -> usize {
    available_parallelism().map_or(1, usize::from).min(MOST)
}

/// Calls `take` with what the workers made of each chunk, in the file's order, until the first error.
pub(super) fn in_order<T: Send>(
    chunks: Chunks<impl Read + Send>,
    workers: Vec<impl FnMut(&Chunk) -> T + Send>,
    mut take: impl FnMut(T),
) -> Result<()> {
    let (full, parts) = sync_channel(2 * workers.len());
    // The caller has had the first chunk.
    let (chunks, mut next) = (Mutex::new(chunks), 1);
    scope(|threads| {
        for worker in workers {
            let (chunks, full) = (&chunks, full.clone());
            Builder::new().spawn_scoped(threads, move || work(chunks, worker, &full))?;
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
