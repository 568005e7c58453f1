//! The records of a chunk. The csv crate's machine takes every byte for what it may mean in quotes; where there are none,
//! as in most files, commas and line ends are found several times as fast.

use super::chunks::{Chunk, by_csv};
use csv::ByteRecord;
use memchr::memchr2_iter;
use std::ops::{Index, Range};

/// The cells of one record.
pub(super) struct Record<'a> {
    bytes: &'a [u8],
    cells: &'a [Range<usize>],
    /// The line after that of the record before; the first is 1.
    pub(super) line: u64,
}

impl<'a> Record<'a> {
    /// How many cells it has.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn cells(&self) -> impl Iterator<Item = &'a [u8]> {
        self.cells.iter().map(|range| &self.bytes[range.clone()])
    }
}

impl Index<usize> for Record<'_> {
    type Output = [u8];
    fn index(&self, i: usize) -> &[u8] {
        &self.bytes[self.cells[i].clone()]
    }
}

/// Calls `each` with every record, in order; blank lines are none.
pub(super) fn each_record(chunk: &Chunk, each: impl FnMut(&Record<'_>)) {
    if chunk.plain { each_line(chunk, each) } else { each_quoted(chunk, each) }
}

fn each_line(chunk: &Chunk, mut each: impl FnMut(&Record<'_>)) {
    let (bytes, mut cells) = (chunk.bytes.as_slice(), Vec::new());
    let (mut start, mut line, mut here) = (0, chunk.line, chunk.line);
    for at in memchr2_iter(b',', b'\n', bytes).chain([bytes.len()]) {
        let ends = bytes.get(at) != Some(&b',');
        if !(ends && at == start && cells.is_empty()) {
            cells.push(start..at);
        }
        start = at + 1;
        here += u64::from(ends);
        if ends && !cells.is_empty() {
            each(&Record { bytes, cells: &cells, line });
            cells.clear();
            line = here;
        }
    }
}

fn each_quoted(chunk: &Chunk, mut each: impl FnMut(&Record<'_>)) {
    let (mut csv, mut record, mut cells) = (by_csv(&chunk.bytes), ByteRecord::new(), Vec::new());
    while csv.read_byte_record(&mut record).unwrap_or(false) {
        cells.clear();
        cells.extend((0..record.len()).map(|i| record.range(i).unwrap_or_default()));
        // The reader has a line end put before the bytes.
        let line = chunk.line + record.position().map_or(0, |p| p.line().saturating_sub(2));
        each(&Record { bytes: record.as_slice(), cells: &cells, line });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::chunks::Chunks;
    use proptest::prelude::*;

    type Seen = Vec<(u64, Vec<Vec<u8>>)>;

    fn by_chunks(bytes: &[u8], size: usize) -> Seen {
        let (mut chunks, mut chunk, mut seen) = (Chunks::of_size(bytes, size), Chunk::default(), Vec::new());
        while chunks.next(&mut chunk).unwrap() {
            each_record(&chunk, |r| seen.push((r.line, r.cells().map(<[u8]>::to_vec).collect())));
        }
        seen
    }

    fn by_the_crate(bytes: &[u8]) -> Seen {
        let mut csv = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
        let seen = csv.byte_records().map(|r| {
            let r = r.unwrap();
            (r.position().unwrap().line(), r.iter().map(<[u8]>::to_vec).collect())
        });
        seen.collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn records_are_those_of_the_csv_crate_wherever_chunks_end(
            text in prop_oneof!["[ab,\n]{0,60}", "[ab,\n\r]{0,60}", "[ab,\n\r\"\u{feff}]{0,60}"],
            size in 1usize..30,
        ) {
            // The mark at the start of a file is the header's affair.
            let text = format!("h{text}");
            prop_assert_eq!(by_chunks(text.as_bytes(), size), by_the_crate(text.as_bytes()));
        }
    }
}
