//! What tests of importers share.

use super::{Imported, Importer, Job};
use crate::measurement::ReadError;
use std::sync::atomic::{AtomicBool, AtomicU64};

/// Reads a text as if it were the file `test.txt`, which the importer must recognise unless it is nothing but damaged.
pub(super) fn read_text(importer: &Importer, text: &str) -> Result<Imported, ReadError> {
    read_bytes(importer, text.as_bytes(), false)
}

/// Reads bytes, perhaps for nobody.
pub(super) fn read_bytes(importer: &Importer, bytes: &[u8], cancelled: bool) -> Result<Imported, ReadError> {
    let (cancelled, read) = (AtomicBool::new(cancelled), AtomicU64::new(0));
    let job = Job { file: "test.txt", cancelled: &cancelled, bytes_read: &read };
    (importer.read)(&mut &*bytes, &job)
}
