//! Records of a CSV, split on a thread of its own while the one before them are being understood: each is about half of
//! the work of loading a file.

use csv::{ByteRecord, Reader};
use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Batches that wait at most.
const AHEAD: usize = 4;

/// Records in a batch, and the bytes after which it is full: names of half a mebibyte must not pile up.
const RECORDS: usize = 256;
const BYTES: usize = 256 * 1024;

/// Records, of which the first so many hold something.
struct Batch {
    records: Vec<ByteRecord>,
    used: usize,
    bytes: usize,
}

/// Calls `each` with every record, in order, until the first error.
pub(super) fn each_record(
    csv: Reader<impl Read + Send>,
    mut each: impl FnMut(&ByteRecord),
) -> Result<(), csv::Error> {
    let (full, batches) = sync_channel::<Batch>(AHEAD);
    let (used, empty) = sync_channel::<Batch>(AHEAD);
    std::thread::scope(|scope| {
        let splitter = std::thread::Builder::new().spawn_scoped(scope, move || split(csv, &full, &empty))?;
        for batch in batches {
            batch.records[..batch.used].iter().for_each(&mut each);
            // What is too large to keep, or too much, is let go.
            if batch.bytes <= 2 * BYTES {
                let _ = used.try_send(batch);
            }
        }
        splitter.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn split(
    mut csv: Reader<impl Read>,
    full: &SyncSender<Batch>,
    empty: &Receiver<Batch>,
) -> Result<(), csv::Error> {
    loop {
        let mut batch = empty.try_recv().unwrap_or_else(|_| Batch {
            records: vec![ByteRecord::new(); RECORDS],
            used: 0,
            bytes: 0,
        });
        (batch.used, batch.bytes) = (0, 0);
        let mut more = true;
        while more && batch.used < RECORDS && batch.bytes < BYTES {
            let record = &mut batch.records[batch.used];
            more = csv.read_byte_record(record)?;
            batch.bytes += record.as_slice().len();
            batch.used += usize::from(more);
        }
        // Nobody listens any more only where the other side is panicking.
        if full.send(batch).is_err() || !more {
            return Ok(());
        }
    }
}
