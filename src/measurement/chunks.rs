//! A CSV cut into pieces of whole records, so that several threads can read one file.

use super::line_guard::LineGuard;
use csv::{ByteRecord, Reader, ReaderBuilder};
use memchr::{memchr_iter, memchr2, memrchr};
use std::io::{Chain, Read, Result};

/// Bytes in a chunk: its rows stay in a core's own cache until they are in their place.
const BYTES: usize = 256 * 1024;

/// Whole records of a file.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    /// Its place among the chunks of the file.
    pub(super) number: usize,
    /// The line in which it begins; the first is 1.
    pub(super) line: u64,
    /// Without quotes and carriage returns: every line is a record, and every comma parts two cells.
    pub(super) plain: bool,
}

/// Cuts what it reads.
pub(super) struct Chunks<R> {
    reader: LineGuard<R>,
    /// Read already, but of a record that had not ended.
    rest: Vec<u8>,
    line: u64,
    number: usize,
    ended: bool,
    /// Bytes in a chunk, where its last record ends in time.
    size: usize,
}

impl<R: Read> Chunks<R> {
    pub(super) fn new(reader: R) -> Self {
        Self::of_size(reader, BYTES)
    }

    pub(super) fn of_size(reader: R, size: usize) -> Self {
        Self { reader: LineGuard::new(reader), rest: Vec::new(), line: 1, number: 0, ended: false, size }
    }

    /// Whether the file is at its end.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Fills `chunk` with the next records; `false` at the end of the file, and after an error.
    pub(super) fn next(&mut self, chunk: &mut Chunk) -> Result<bool> {
        chunk.bytes.clear();
        if self.ended {
            return Ok(false);
        }
        chunk.bytes.append(&mut self.rest);
        // A record that does not end in here doubles what is read: it is looked through only twice.
        let mut wanted = self.size;
        let end = loop {
            let room = (wanted - chunk.bytes.len().min(wanted)) as u64;
            let read = self.reader.by_ref().take(room).read_to_end(&mut chunk.bytes);
            self.ended = read.is_err() || chunk.bytes.len() < wanted;
            read?;
            chunk.plain = memchr2(b'"', b'\r', &chunk.bytes).is_none();
            if self.ended {
                break chunk.bytes.len();
            }
            let last = if chunk.plain { last_line_end } else { last_record_end };
            if let Some(end) = last(&chunk.bytes) {
                break end;
            }
            wanted = 2 * chunk.bytes.len();
        };
        self.rest.extend_from_slice(&chunk.bytes[end..]);
        chunk.bytes.truncate(end);
        (chunk.line, chunk.number) = (self.line, self.number);
        self.line += memchr_iter(b'\n', &chunk.bytes).count() as u64;
        self.number += 1;
        Ok(true)
    }
}

/// Where the last line ends that ends in here and is not blank; the blank ones after it are the next record's.
fn last_line_end(bytes: &[u8]) -> Option<usize> {
    let lines = &bytes[..memrchr(b'\n', bytes)?];
    lines.iter().rposition(|b| *b != b'\n').map(|at| at + 2)
}

/// The same where there are quotes.
fn last_record_end(bytes: &[u8]) -> Option<usize> {
    let (mut csv, mut record, mut end) = (by_csv(bytes), ByteRecord::new(), None);
    while csv.read_byte_record(&mut record).unwrap_or(false) {
        // The reader has a line end put before the bytes.
        end = usize::try_from(csv.position().byte() - 1).ok().filter(|at| *at < bytes.len()).or(end);
    }
    end
}

/// A reader of records from the middle of a file: what looks like a byte-order mark is none, hence the line end in front.
pub(super) fn by_csv(bytes: &[u8]) -> Reader<Chain<&'static [u8], &[u8]>> {
    ReaderBuilder::new().has_headers(false).flexible(true).from_reader(b"\n".chain(bytes))
}
