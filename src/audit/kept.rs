//! The records of a sheet as they were written: a table has millions of them, and few are looked at again. Most are in a temporary file.

use crate::measurement::LostTemporaryFile;
use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Result, Seek, SeekFrom, Write};

/// Bytes of records that stay in memory; with more than these, those before them are in the file.
const IN_MEMORY: usize = 1 << 22;

/// Bytes that are read at once where records are looked up in their order.
const AT_ONCE: u64 = 1 << 16;

/// After so many records the place of the next one is written down; between them lengths are added.
const STRIDE: usize = 64;

/// Records as they were written.
#[derive(Debug, Default)]
pub(super) struct KeptRecords {
    /// The bytes behind those of the file.
    memory: Vec<u8>,
    /// How many bytes are in the file.
    filed: u64,
    /// The length of each record in bytes.
    lengths: Vec<u32>,
    /// Where every record of [`STRIDE`] begins.
    starts: Vec<u64>,
    file: RefCell<Option<FileWindow>>,
}

/// The file, and what of it was read last.
#[derive(Debug)]
struct FileWindow {
    file: File,
    start: u64,
    bytes: Vec<u8>,
}

impl FileWindow {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(bytes)
    }

    /// So many bytes from here on, of a file of this size.
    fn read(&mut self, start: u64, length: usize, size: u64) -> Result<&[u8]> {
        let end = start + length as u64;
        let read_end = self.start + self.bytes.len() as u64;
        if start < self.start || end > read_end {
            // Who goes on a little behind what was read goes through the records in their order.
            let goes_on = start >= self.start && start < read_end + AT_ONCE;
            let count = if goes_on { AT_ONCE.max(length as u64).min(size - start) } else { length as u64 };
            self.bytes.resize(count as usize, 0);
            self.start = start;
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut self.bytes)?;
        }
        let first = (start - self.start) as usize;
        Ok(&self.bytes[first..first + length])
    }
}

impl KeptRecords {
    /// No field holds a NUL byte: readers refuse it, importers replace it.
    const BETWEEN: char = '\0';

    /// Puts a record behind the others.
    pub(super) fn push<'f>(&mut self, fields: impl Iterator<Item = &'f str>) {
        let before = self.memory.len();
        if self.lengths.len().is_multiple_of(STRIDE) {
            self.starts.push(self.filed + before as u64);
        }
        for (i, field) in fields.enumerate() {
            if i > 0 {
                self.memory.push(Self::BETWEEN as u8);
            }
            self.memory.extend_from_slice(field.as_bytes());
        }
        let length = u32::try_from(self.memory.len() - before);
        self.lengths.push(length.expect("no line is longer than 1 MiB"));
        if before < IN_MEMORY && self.memory.len() >= IN_MEMORY {
            self.write_memory();
        }
    }

    /// Puts the bytes that are in memory behind those of the file. Where no file can be written, they stay.
    fn write_memory(&mut self) {
        let window = self.file.get_mut();
        if window.is_none() {
            *window = tempfile::tempfile().ok().map(|file| FileWindow { file, start: 0, bytes: Vec::new() });
        }
        let written = window.as_mut().is_some_and(|window| {
            // What a full disk took of them is overwritten by nobody: the file is cut back to what is whole.
            window.append(&self.memory).is_ok() || {
                let _ = window.file.set_len(self.filed);
                false
            }
        });
        if written {
            self.filed += self.memory.len() as u64;
            self.memory.clear();
        }
    }

    /// The record at this place: equal fields make equal texts.
    ///
    /// # Panics
    /// Where there are not as many; with a [`LostTemporaryFile`] where the file cannot be read.
    pub(super) fn whole(&self, place: usize) -> String {
        let first = place - place % STRIDE;
        let before: u64 = self.lengths[first..place].iter().map(|length| u64::from(*length)).sum();
        let (start, length) = (self.starts[place / STRIDE] + before, self.lengths[place] as usize);
        if let Some(at) = start.checked_sub(self.filed) {
            return text_of(&self.memory[at as usize..at as usize + length]);
        }
        let mut window = self.file.borrow_mut();
        let window = window.as_mut().expect("what was written is in a file");
        match window.read(start, length, self.filed) {
            Ok(bytes) => text_of(bytes),
            Err(why) => LostTemporaryFile::unwind(why),
        }
    }

    /// The fields of a record, in order.
    pub(super) fn fields(record: &str) -> impl Iterator<Item = &str> {
        record.split(Self::BETWEEN)
    }
}

/// Records are put together from texts.
fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_kept_apart() {
        let mut kept = KeptRecords::default();
        for record in [&["a", "", "bc"][..], &[""], &["a", "", "bc"], &["a", "b", "c"]] {
            kept.push(record.iter().copied());
        }
        let whole = |place| kept.whole(place);
        let fields = |place| KeptRecords::fields(&whole(place)).map(str::to_string).collect::<Vec<_>>();
        assert_eq!(
            (fields(0), fields(1), fields(3)),
            (
                ["a", "", "bc"].map(String::from).to_vec(),
                vec![String::new()],
                ["a", "b", "c"].map(String::from).to_vec()
            )
        );
        assert!(whole(0) == whole(2) && whole(0) != whole(3));
    }

    /// Records of differing lengths, more than stay in memory.
    fn many() -> (KeptRecords, impl Fn(usize) -> String, usize) {
        let record = |place: usize| format!("{place}{}", "é".repeat(place % 70));
        let mut kept = KeptRecords::default();
        let mut bytes = 0;
        let mut count = 0;
        while bytes < 2 * IN_MEMORY + IN_MEMORY / 2 {
            bytes += record(count).len();
            kept.push(std::iter::once(record(count).as_str()));
            count += 1;
        }
        (kept, record, count)
    }

    #[test]
    fn of_many_records_most_are_in_a_file() {
        let (kept, record, count) = many();
        assert!(kept.memory.len() < IN_MEMORY && kept.filed >= 2 * IN_MEMORY as u64);
        assert!((0..count).all(|place| kept.whole(place) == record(place)));
        assert!((0..count).rev().step_by(97).all(|place| kept.whole(place) == record(place)));
        assert!((0..1000).map(|i| i * 7919 % count).all(|place| kept.whole(place) == record(place)));
    }

    #[test]
    fn a_file_that_cannot_be_read_back_is_no_fault_of_the_program() {
        let (kept, ..) = many();
        kept.file.borrow_mut().as_mut().unwrap().file.set_len(9).unwrap();
        let read = std::panic::AssertUnwindSafe(|| kept.whole(3));
        let lost = std::panic::catch_unwind(read).unwrap_err();
        assert!(lost.downcast::<LostTemporaryFile>().unwrap().to_string().contains("cannot be read back"));
    }
}
