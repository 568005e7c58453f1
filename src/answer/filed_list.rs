//! Lists of which most is in a file without a name: an evaluation of a million rows has tens of them, of millions of values each.

use crate::measurement::LostTemporaryFile;
use serde::{Serialize, de::DeserializeOwned};
use std::fs::File;
use std::io::{Error, Read, Result, Seek, SeekFrom, Write};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// Values that are written and read together.
const BLOCK: usize = 1 << 13;

/// So many values of a list stay in memory, a whole number of blocks; with more than these, those before them are in the file.
const IN_MEMORY: usize = 1 << 15;

/// Values in the order in which they were pushed. The first ones take no room as long as they are all the same.
#[derive(Debug, Clone)]
pub(super) struct FiledList<T> {
    /// What the first values are.
    first: T,
    /// How many of them there are.
    firsts: usize,
    file: Option<Arc<Mutex<File>>>,
    /// Where the blocks of the file stand, of the values behind the first ones.
    blocks: Vec<Range<u64>>,
    /// The values behind those of the file.
    memory: Vec<T>,
}

impl<T: Copy + PartialEq + Serialize + DeserializeOwned> FiledList<T> {
    /// A list that takes no room as long as nothing but this is pushed.
    pub(super) const fn new(first: T) -> Self {
        Self::repeated(first, 0)
    }

    /// This value so many times.
    pub(super) const fn repeated(first: T, count: usize) -> Self {
        Self { first, firsts: count, file: None, blocks: Vec::new(), memory: Vec::new() }
    }

    /// How many values there are.
    pub(super) fn len(&self) -> usize {
        self.firsts + self.filed() + self.memory.len()
    }

    /// How many values stand in memory.
    #[cfg(test)]
    pub(super) fn in_memory(&self) -> usize {
        self.memory.len()
    }

    /// Whether nothing takes room.
    #[cfg(test)]
    pub(super) fn is_free(&self) -> bool {
        self.len() == self.firsts
    }

    /// How many values are in the file.
    const fn filed(&self) -> usize {
        self.blocks.len() * BLOCK
    }

    /// Puts a value behind the others.
    pub(super) fn push(&mut self, value: T) {
        if self.len() == self.firsts && value == self.first {
            self.firsts += 1;
            return;
        }
        self.memory.push(value);
        if self.memory.len().is_multiple_of(IN_MEMORY) {
            // Where no file can be written, the values stay in memory.
            if let Ok(blocks) = self.write_blocks() {
                self.blocks.extend(blocks);
                self.memory.clear();
            }
        }
    }

    fn write_blocks(&mut self) -> Result<Vec<Range<u64>>> {
        let file = match &self.file {
            Some(file) => file.clone(),
            None => self.file.insert(Arc::new(Mutex::new(tempfile::tempfile()?))).clone(),
        };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = file.seek(SeekFrom::End(0))?;
        let mut blocks = Vec::new();
        for values in self.memory.chunks(BLOCK) {
            let bytes = postcard::to_allocvec(values).map_err(Error::other)?;
            file.write_all(&bytes)?;
            blocks.push(at..at + bytes.len() as u64);
            at += bytes.len() as u64;
        }
        Ok(blocks)
    }

    fn read_block(&self, block: usize) -> Result<Vec<T>> {
        let Range { start, end } = self.blocks[block];
        let mut bytes = vec![0; (end - start) as usize];
        if let Some(file) = &self.file {
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(start))?;
            file.read_exact(&mut bytes)?;
        }
        postcard::from_bytes(&bytes).map_err(Error::other)
    }

    /// Looks up values, those that stand near each other one after another.
    pub(super) const fn reader(&self) -> ListReader<'_, T> {
        ListReader { list: self, block: usize::MAX, values: Vec::new() }
    }

    /// Every value.
    pub(super) fn iter(&self) -> impl Iterator<Item = T> + '_ {
        let mut reader = self.reader();
        (0..self.len()).map(move |place| reader.value(place))
    }
}

/// A list that is looked up, and the block of its file that was read last.
#[derive(Debug, Clone)]
pub(super) struct ListReader<'a, T> {
    list: &'a FiledList<T>,
    block: usize,
    values: Vec<T>,
}

impl<T: Copy + PartialEq + Serialize + DeserializeOwned> ListReader<'_, T> {
    /// The value at this place.
    ///
    /// # Panics
    /// Where there are not as many; with a [`LostTemporaryFile`] where the file cannot be read.
    #[inline]
    pub(super) fn value(&mut self, place: usize) -> T {
        let Some(place) = place.checked_sub(self.list.firsts) else { return self.list.first };
        match place.checked_sub(self.list.filed()) {
            Some(place) => self.list.memory[place],
            None => self.filed_value(place),
        }
    }

    fn filed_value(&mut self, place: usize) -> T {
        if self.block != place / BLOCK {
            self.values =
                self.list.read_block(place / BLOCK).unwrap_or_else(|why| LostTemporaryFile::unwind(why));
            self.block = place / BLOCK;
        }
        self.values[place % BLOCK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_values_take_no_room_while_they_are_the_same() {
        let mut list = FiledList::new(7);
        (0..1000).for_each(|_| list.push(7));
        assert!(list.is_free() && list.len() == 1000);
        [3, 7, 7].into_iter().for_each(|value| list.push(value));
        assert_eq!(list.iter().skip(998).collect::<Vec<u32>>(), [7, 7, 3, 7, 7]);
        assert_eq!(list.memory, [3, 7, 7]);
    }

    #[test]
    fn a_file_that_cannot_be_read_back_is_named_and_no_fault_of_the_program() {
        let mut list = FiledList::new(0.0);
        (0..IN_MEMORY + 2).for_each(|place| list.push(place as f64 + 1.0));
        let cut = list.file.as_ref().map(|file| file.lock().unwrap().set_len(9));
        cut.unwrap().unwrap();
        let lost = std::panic::catch_unwind(|| list.reader().value(3)).unwrap_err();
        let said = lost.downcast::<LostTemporaryFile>().unwrap().to_string();
        assert!(said.contains(&std::env::temp_dir().display().to_string()), "{said}");
        assert!(said.contains("cannot be read back: failed to fill whole buffer; set TMPDIR"), "{said}");
    }

    #[test]
    fn a_long_list_is_what_was_pushed_and_most_of_it_is_in_a_file() {
        let count = 2 * IN_MEMORY + BLOCK + 11;
        let value = |place: usize| if place < 5 { 0.5 } else { (place as f64).sqrt() };
        let mut list = FiledList::new(0.5);
        (0..count).for_each(|place| list.push(value(place)));
        assert_eq!((list.len(), list.filed(), list.memory.len()), (count, 2 * IN_MEMORY, BLOCK + 6));
        assert!(list.iter().enumerate().all(|(place, found)| found == value(place)));
        let mut reader = list.reader();
        let far_apart = [0, 4, count - 1, 5, IN_MEMORY + 4, IN_MEMORY + 5, 2 * IN_MEMORY + 5, BLOCK, 7];
        assert!(far_apart.into_iter().all(|place| reader.value(place) == value(place)));
        // A copy goes on by itself.
        let mut copy = list.clone();
        (0..IN_MEMORY).for_each(|_| copy.push(1.0));
        (0..IN_MEMORY).for_each(|_| list.push(2.0));
        let last = |list: &FiledList<f64>| list.reader().value(count + 3);
        assert_eq!([last(&copy), last(&list)], [1.0, 2.0]);
        assert!(copy.filed() > 2 * IN_MEMORY && copy.iter().take(count).eq((0..count).map(value)));
    }
}
