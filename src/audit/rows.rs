//! The typed rows of a sheet, in few bytes each: a table has millions of them. What many rows have alike stands once.

use super::words::Word;
use crate::measurement::{Number, PackedBytes, put_number};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// One measurement with its place.
#[derive(Debug, Clone, Copy)]
pub struct SheetRow<'s> {
    /// Which file of the sheet.
    pub file: usize,
    /// Its line there; the first is 1.
    pub line: u64,
    /// The GPU's id where the catalogue knows it, else as written.
    pub gpu: Word,
    /// The kernel's id where the catalogue knows it, else as written.
    pub kernel: Word,
    /// The sizes, completed where the kernel is known.
    pub problem: Word,
    /// The code variant.
    pub variant: Word,
    /// The element type.
    pub dtype: Word,
    /// Threads per block, saturated at 2^32 - 1, which no GPU launches.
    pub block: Option<[u32; 3]>,
    /// Blocks, saturated as well.
    pub grid: Option<[u32; 3]>,
    pub(super) time_ms: f64,
    /// What the row has beside its time: most rows have a few of forty.
    pub(super) numbers: RowNumbers<'s>,
}

impl SheetRow<'_> {
    /// This number, where the row has it.
    #[must_use]
    pub fn get(&self, number: Number) -> Option<f64> {
        match number {
            Number::Time => Some(self.time_ms),
            _ => self.numbers.value(number),
        }
    }

    /// Milliseconds per launch; every row has them.
    #[must_use]
    pub fn time_ms(&self) -> f64 {
        self.time_ms
    }

    /// Seconds per launch.
    pub(super) fn seconds(&self) -> f64 {
        self.time_ms() / 1e3
    }

    /// Threads per block, saturated.
    pub(super) fn threads(&self) -> Option<u32> {
        let product = self.block?.into_iter().fold(1_u64, |a, b| a.saturating_mul(u64::from(b)));
        Some(product.min(u64::from(u32::MAX)) as u32)
    }

    /// Blocks of the grid, saturated.
    pub(super) fn launched_blocks(&self) -> Option<u64> {
        Some(self.grid?.into_iter().fold(1_u64, |a, b| a.saturating_mul(u64::from(b))))
    }
}

/// Some of the numbers that a row may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowNumbers<'s> {
    /// A bit for each of [`Number::ALL`] that is there.
    known: u64,
    /// Each of those as its column and its value, in the order of the columns, and what is behind them.
    bytes: &'s [u8],
}

// A bit for each.
const _: () = assert!(Number::ALL.len() <= u64::BITS as usize);

impl<'s> RowNumbers<'s> {
    /// Numbers in the order of the columns, of one that is there twice the first, in these bytes, which are overwritten.
    pub(super) fn packed(numbers: &mut Vec<(Number, f64)>, bytes: &'s mut Vec<u8>) -> Self {
        numbers.sort_by_key(|(number, _)| *number as u8);
        numbers.dedup_by_key(|(number, _)| *number);
        bytes.clear();
        numbers.iter().for_each(|(number, value)| put_number(bytes, *number as u8, *value));
        let known = numbers.iter().fold(0, |known, (number, _)| known | 1 << *number as u8);
        Self { known, bytes }
    }

    /// This number, where it is there.
    pub(super) fn value(&self, number: Number) -> Option<f64> {
        let bit = 1_u64 << number as u8;
        if self.known & bit == 0 {
            return None;
        }
        let mut from = PackedBytes { bytes: self.bytes, at: 0 };
        for _ in 0..(self.known & (bit - 1)).count_ones() {
            from.number();
        }
        Some(from.number().1)
    }
}

/// What many rows have alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RowKind {
    file: u32,
    gpu: Word,
    kernel: Word,
    variant: Word,
    dtype: Word,
    block: Option<[u32; 3]>,
    /// Which numbers there are.
    known: u64,
}

/// A row as it is kept.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
struct PackedRow {
    time_ms: f64,
    line: u32,
    /// Its place among the kinds.
    kind: u32,
    problem: Word,
    grid: PackedGrid,
    /// Where its numbers begin, among those of its block.
    numbers: u32,
}

/// Nothing is 0, a grid of one dimension its length, any other its place among the grids behind [`PackedGrid::LISTED`].
#[derive(Debug, Clone, Copy)]
struct PackedGrid(u32);

impl PackedGrid {
    const LISTED: u32 = 1 << 31;
}

/// Rows that stand together.
#[derive(Debug, Default)]
struct RowBlock {
    rows: Vec<PackedRow>,
    numbers: Vec<u8>,
}

/// Rows in a block.
const BLOCK: usize = 1 << 12;

/// The good rows of a sheet, in the order they were read.
#[derive(Debug, Default)]
pub struct SheetRows {
    blocks: Vec<RowBlock>,
    kinds: Vec<RowKind>,
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Grids of several dimensions; one that repeats row after row stands once.
    grids: Vec<[u32; 3]>,
}

impl SheetRows {
    /// Puts a row behind the others.
    pub(super) fn push(&mut self, row: &SheetRow<'_>) {
        let SheetRow { file, line, gpu, kernel, problem, variant, dtype, block, grid, time_ms, numbers } =
            *row;
        let file = u32::try_from(file).expect("a sheet holds fewer than 2^32 files");
        let known = numbers.known;
        let kind = self.kind_place(RowKind { file, gpu, kernel, variant, dtype, block, known });
        let grid = self.packed_grid(grid);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if self.blocks.last().is_none_or(|last| last.rows.len() == BLOCK) {
            if let Some(last) = self.blocks.last_mut() {
                last.numbers.shrink_to_fit();
            }
            self.blocks.push(RowBlock::default());
        }
        let Some(last) = self.blocks.last_mut() else { return };
        let first = last.numbers.len() as u32;
        last.numbers.extend_from_slice(numbers.bytes);
        last.rows.push(PackedRow { time_ms, line, kind, problem, grid, numbers: first });
    }

    fn kind_place(&mut self, kind: RowKind) -> u32 {
        let hash = self.hasher.hash_one(kind);
        if let Some(known) = self.places.find(hash, |place| self.kinds[*place as usize] == kind) {
            return *known;
        }
        let place = u32::try_from(self.kinds.len()).expect("a sheet holds fewer than 2^32 rows");
        self.kinds.push(kind);
        let Self { kinds, places, hasher, .. } = self;
        places.insert_unique(hash, place, |place| hasher.hash_one(kinds[*place as usize]));
        place
    }

    fn packed_grid(&mut self, grid: Option<[u32; 3]>) -> PackedGrid {
        match grid {
            None => PackedGrid(0),
            Some([n, 1, 1]) if (1..PackedGrid::LISTED).contains(&n) => PackedGrid(n),
            Some(grid) => {
                if self.grids.last() != Some(&grid) {
                    self.grids.push(grid);
                }
                let place = u32::try_from(self.grids.len() - 1).ok().filter(|n| *n < PackedGrid::LISTED);
                PackedGrid(PackedGrid::LISTED | place.expect("a sheet holds fewer than 2^31 grids"))
            }
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.last().map_or(0, |last| (self.blocks.len() - 1) * BLOCK + last.rows.len())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The row at this place.
    ///
    /// # Panics
    /// Where there are not as many.
    #[must_use]
    #[inline]
    pub fn row(&self, place: usize) -> SheetRow<'_> {
        self.unpacked(&self.blocks[place / BLOCK], place % BLOCK)
    }

    /// Every row.
    pub fn iter(&self) -> impl Iterator<Item = SheetRow<'_>> {
        self.blocks.iter().flat_map(|block| (0..block.rows.len()).map(|place| self.unpacked(block, place)))
    }

    fn unpacked<'s>(&'s self, of: &'s RowBlock, place: usize) -> SheetRow<'s> {
        let PackedRow { time_ms, line, kind, problem, grid, numbers } = of.rows[place];
        let RowKind { file, gpu, kernel, variant, dtype, block, known } = self.kinds[kind as usize];
        let grid = match grid.0.checked_sub(PackedGrid::LISTED) {
            Some(place) => Some(self.grids[place as usize]),
            None => (grid.0 > 0).then_some([grid.0, 1, 1]),
        };
        let numbers = RowNumbers { known, bytes: &of.numbers[numbers as usize..] };
        let (file, line) = (file as usize, u64::from(line));
        SheetRow { file, line, gpu, kernel, problem, variant, dtype, block, grid, time_ms, numbers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_again_whatever_their_order() {
        let all = Number::ALL;
        let some = [(all[7], 7.0), (all[0], 0.5), (all[all.len() - 1], 9.0), (all[3], 1e300), (all[7], 8.0)];
        let mut bytes = Vec::new();
        let kept = RowNumbers::packed(&mut some.to_vec(), &mut bytes);
        for number in all {
            let wanted = some.iter().find(|(known, _)| known == number).map(|(_, value)| *value);
            assert_eq!(kept.value(*number), wanted, "{}", number.column());
        }
        assert_eq!(RowNumbers::packed(&mut Vec::new(), &mut Vec::new()).value(all[0]), None);
    }

    #[test]
    fn rows_are_what_was_pushed_and_small() {
        let grids = [
            None,
            Some([7, 1, 1]),
            Some([7, 2, 1]),
            Some([u32::MAX, 1, 1]),
            Some([0, 1, 1]),
            Some([1, 1, 3]),
        ];
        let count = 2 * BLOCK + 5;
        let numbers = |i: usize| [(Number::Flops, 3.0 * i as f64), (Number::TimeStd, 0.1 / i as f64)];
        let (mut rows, mut bytes) = (SheetRows::default(), Vec::new());
        for i in 0..count {
            let [gpu, kernel, variant, dtype, problem] = [1, i % 3, i % 5, 4, i].map(|n| Word(n as u32));
            let block = (i % 2 == 0).then_some([i as u32 % 7, 1, 1]);
            let packed = RowNumbers::packed(&mut numbers(i).to_vec(), &mut bytes);
            let (line, time_ms, grid) = (i as u64 + 2, i as f64 / 3.0, grids[i % grids.len()]);
            let file = i / 100;
            rows.push(&SheetRow {
                file,
                line,
                gpu,
                kernel,
                problem,
                variant,
                dtype,
                block,
                grid,
                time_ms,
                numbers: packed,
            });
        }
        assert_eq!((rows.len(), rows.iter().count(), SheetRows::default().len()), (count, count, 0));
        for (i, row) in rows.iter().enumerate() {
            let place = (row.file, row.line, row.problem.0 as usize, row.time_ms());
            assert_eq!(place, (i / 100, i as u64 + 2, i, i as f64 / 3.0));
            let words = [row.gpu, row.kernel, row.variant, row.dtype].map(|word| word.0 as usize);
            assert_eq!((words, row.grid), ([1, i % 3, i % 5, 4], grids[i % grids.len()]));
            assert_eq!(row.block, (i % 2 == 0).then_some([i as u32 % 7, 1, 1]));
            let found = numbers(i).map(|(number, _)| row.get(number).unwrap().to_bits());
            assert_eq!(found, numbers(i).map(|(_, value)| value.to_bits()));
            assert_eq!((row.get(Number::Time), row.get(Number::Power)), (Some(row.time_ms), None));
            assert_eq!(rows.row(i).line, row.line);
        }
        assert_eq!(size_of::<PackedRow>(), 28, "five million rows: each byte here is five megabytes");
    }
}
