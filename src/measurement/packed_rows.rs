//! Rows of a report, packed: a profiler writes a million launches in lines of a hundred bytes, and a row as structs of texts takes many
//! times that. Here each is the bytes that tell it from others; what repeats, such as kernels, stands once.

use super::packed_bytes::{PackedBytes, put_number, put_whole};
use super::packed_texts::TextPool;
use super::{CanonicalRow, Number};
use std::collections::BTreeSet;

/// Bytes of rows that are kept, and given up, in one piece.
const BLOCK: usize = 1 << 20;

/// Rows in the order in which they came.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PackedRows {
    blocks: Vec<Vec<u8>>,
    count: usize,
    gpus: Vec<String>,
    texts: TextPool,
    /// A bit for each of [`Number::ALL`] that any row has.
    numbers: u64,
    attributes: BTreeSet<String>,
    /// The longest row in bytes of text, and its place.
    longest: (usize, usize),
}

// A bit for each.
const _: () = assert!(Number::ALL.len() <= u64::BITS as usize);

impl PackedRows {
    /// Puts a row behind the others.
    pub fn push(&mut self, row: &CanonicalRow) {
        let gpu = self.gpu_place(&row.gpu);
        if self.blocks.last().is_none_or(|block| block.len() >= BLOCK) {
            // The first one grows as it is filled: most reports are small.
            let room = if self.blocks.is_empty() { 0 } else { BLOCK + BLOCK / 8 };
            self.blocks.push(Vec::with_capacity(room));
        }
        let mut out = self.blocks.pop().unwrap_or_default();
        put_whole(&mut out, gpu as u64);
        for text in [&row.kernel, &row.problem, &row.variant, &row.dtype] {
            self.texts.put_text(&mut out, text);
        }
        self.put_source(&mut out, &row.source);
        out.push(u8::from(row.block.is_some()) | u8::from(row.grid.is_some()) << 1);
        for side in row.block.iter().chain(&row.grid).flatten() {
            put_whole(&mut out, *side);
        }
        put_whole(&mut out, row.numbers.iter().len() as u64);
        for (column, value) in row.numbers.iter() {
            self.numbers |= 1 << column as u64;
            put_number(&mut out, column as u8, value);
        }
        put_whole(&mut out, row.attributes.iter().count() as u64);
        for (name, text) in row.attributes.iter() {
            if !self.attributes.contains(name) {
                self.attributes.insert(name.clone());
            }
            self.texts.put_text(&mut out, name);
            self.texts.put_text(&mut out, text);
        }
        self.blocks.push(out);
        let length = text_length(row);
        if length > self.longest.0 {
            self.longest = (length, self.count);
        }
        self.count += 1;
    }

    fn gpu_place(&mut self, name: &str) -> usize {
        // A report names few.
        self.gpus.iter().position(|known| known == name).unwrap_or_else(|| {
            self.gpus.push(name.to_string());
            self.gpus.len() - 1
        })
    }

    /// A file and a line in it are the file once and a number.
    fn put_source(&mut self, out: &mut Vec<u8>, source: &str) {
        let line = source.rsplit_once(':').and_then(|(file, line)| {
            let number = line.parse::<u64>().ok().filter(|n| *n < u64::MAX && n.to_string() == line)?;
            Some((file, number))
        });
        let (text, line) = line.map_or((source, 0), |(file, line)| (file, line + 1));
        self.texts.put_text(out, text);
        put_whole(out, line);
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The GPUs that rows name, each once; a name that is changed here is changed in every row that has it.
    pub fn gpus_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.gpus.iter_mut()
    }

    /// The GPUs that rows name.
    #[must_use]
    pub fn gpus(&self) -> &[String] {
        &self.gpus
    }

    /// The number columns that any row has, in their order.
    pub(super) fn known_numbers(&self) -> impl Iterator<Item = Number> + '_ {
        Number::ALL.iter().copied().filter(|column| self.numbers & 1 << *column as u64 != 0)
    }

    /// The attributes that any row has, in the order of their names.
    #[must_use]
    pub const fn attributes(&self) -> &BTreeSet<String> {
        &self.attributes
    }

    /// The most bytes of text that a row has, and the place of that row.
    pub(super) const fn longest(&self) -> (usize, usize) {
        self.longest
    }

    /// Goes through the rows; none of them is kept.
    #[must_use]
    pub fn reader(&self) -> PackedRowReader<'_> {
        PackedRowReader { rows: self, block: 0, at: 0, row: CanonicalRow::default() }
    }

    /// Every row.
    pub fn iter(&self) -> impl Iterator<Item = CanonicalRow> + '_ {
        let mut reader = self.reader();
        std::iter::from_fn(move || reader.next_row().cloned())
    }

    /// The row at this place, for those who look at one: all before it are gone through.
    ///
    /// # Panics
    /// Where there are not as many.
    #[must_use]
    pub fn row(&self, place: usize) -> CanonicalRow {
        self.iter().nth(place).expect("a row has a place below their count")
    }

    /// The rows as structs, for few of them.
    #[must_use]
    pub fn to_vec(&self) -> Vec<CanonicalRow> {
        self.iter().collect()
    }

    fn read_row(&self, from: &mut PackedBytes<'_>, row: &mut CanonicalRow) {
        row.gpu.clone_from(&self.gpus[from.whole() as usize]);
        for text in [&mut row.kernel, &mut row.problem, &mut row.variant, &mut row.dtype] {
            self.texts.take_text(from, text);
        }
        self.texts.take_text(from, &mut row.source);
        if let Some(line) = from.whole().checked_sub(1) {
            row.source.push(':');
            row.source.push_str(&line.to_string());
        }
        let shapes = from.byte();
        row.block = (shapes & 1 != 0).then(|| [from.whole(), from.whole(), from.whole()]);
        row.grid = (shapes & 2 != 0).then(|| [from.whole(), from.whole(), from.whole()]);
        row.numbers.clear();
        for _ in 0..from.whole() {
            let (column, value) = from.number();
            row.numbers.insert(Number::ALL[usize::from(column)], value);
        }
        row.attributes.clear();
        for _ in 0..from.whole() {
            let (mut name, mut text) = (String::new(), String::new());
            self.texts.take_text(from, &mut name);
            self.texts.take_text(from, &mut text);
            row.attributes.insert(name, text);
        }
    }
}

/// Rows one after another, each in the room of the one before.
#[derive(Debug)]
pub struct PackedRowReader<'a> {
    rows: &'a PackedRows,
    block: usize,
    at: usize,
    row: CanonicalRow,
}

impl PackedRowReader<'_> {
    /// The next row; `None` after the last one.
    pub fn next_row(&mut self) -> Option<&CanonicalRow> {
        while self.at == self.rows.blocks.get(self.block)?.len() {
            (self.block, self.at) = (self.block + 1, 0);
        }
        let mut from = PackedBytes { bytes: &self.rows.blocks[self.block], at: self.at };
        self.rows.read_row(&mut from, &mut self.row);
        self.at = from.at;
        Some(&self.row)
    }
}

/// Rows that are given up as they are read.
#[derive(Debug)]
pub struct PackedRowsTaken {
    rows: PackedRows,
    block: usize,
    at: usize,
}

impl Iterator for PackedRowsTaken {
    type Item = CanonicalRow;
    fn next(&mut self) -> Option<CanonicalRow> {
        while self.at == self.rows.blocks.get(self.block)?.len() {
            self.rows.blocks[self.block] = Vec::new();
            (self.block, self.at) = (self.block + 1, 0);
        }
        let mut row = CanonicalRow::default();
        let mut from = PackedBytes { bytes: &self.rows.blocks[self.block], at: self.at };
        self.rows.read_row(&mut from, &mut row);
        self.at = from.at;
        Some(row)
    }
}

impl IntoIterator for PackedRows {
    type Item = CanonicalRow;
    type IntoIter = PackedRowsTaken;
    fn into_iter(self) -> PackedRowsTaken {
        PackedRowsTaken { rows: self, block: 0, at: 0 }
    }
}

impl Extend<CanonicalRow> for PackedRows {
    fn extend<I: IntoIterator<Item = CanonicalRow>>(&mut self, rows: I) {
        rows.into_iter().for_each(|row| self.push(&row));
    }
}

impl FromIterator<CanonicalRow> for PackedRows {
    fn from_iter<I: IntoIterator<Item = CanonicalRow>>(rows: I) -> Self {
        let mut packed = Self::default();
        packed.extend(rows);
        packed
    }
}

fn text_length(row: &CanonicalRow) -> usize {
    let texts = [&row.gpu, &row.kernel, &row.problem, &row.variant, &row.dtype, &row.source];
    texts.into_iter().chain(row.attributes.values()).map(String::len).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_row() -> impl Strategy<Value = CanonicalRow> {
        let text = || prop_oneof!["[a-c]{0,2}", "[a-zé:0-9 ]{0,20}", ".{0,6}"];
        let shape = || prop::option::of(prop::array::uniform3(prop_oneof![0..300u64, any::<u64>()]));
        let numbers = prop::collection::vec(
            (0..Number::ALL.len(), prop_oneof![(0..1u64 << 60).prop_map(|n| n as f64), any::<f64>()]),
            0..6,
        );
        let attributes = prop::collection::vec((text(), text()), 0..4);
        let texts = [text(), text(), text(), text(), text()];
        (texts, "[a-z]{0,3}(:[0-9]{0,4})?", shape(), shape(), numbers, attributes).prop_map(
            |([gpu, kernel, problem, variant, dtype], source, block, grid, numbers, attributes)| {
                let mut row = CanonicalRow {
                    gpu,
                    kernel,
                    problem,
                    variant,
                    dtype,
                    source,
                    block,
                    grid,
                    ..CanonicalRow::default()
                };
                for (column, value) in numbers {
                    row.set(Number::ALL[column], Some(value));
                }
                row.attributes.extend(attributes);
                row
            },
        )
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(rows in prop::collection::vec(any_row(), 0..40)) {
            let packed: PackedRows = rows.iter().cloned().collect();
            prop_assert_eq!(packed.len(), rows.len());
            prop_assert_eq!(&packed.to_vec(), &rows);
            let numbers: Vec<Number> = packed.known_numbers().collect();
            let known = Number::ALL.iter().filter(|n| rows.iter().any(|r| r.get(**n).is_some()));
            prop_assert_eq!(numbers, known.copied().collect::<Vec<_>>());
            prop_assert_eq!(packed.into_iter().collect::<Vec<_>>(), rows);
        }
    }

    #[test]
    fn a_launch_of_a_trace_takes_some_tens_of_bytes() {
        let mut row = CanonicalRow {
            gpu: "titan-v".into(),
            kernel: "axpy<float>".into(),
            block: Some([256, 1, 1]),
            grid: Some([4096, 1, 1]),
            ..CanonicalRow::default()
        };
        row.attributes.insert("kernel_signature".into(), "void axpy<float>(float*, int)".into());
        let numbers = [(Number::RegsPerThread, 16.0), (Number::Flops, 1e9), (Number::Time, 0.0125)];
        numbers.into_iter().for_each(|(column, value)| row.set(column, Some(value)));
        let rows = (0..100_000).map(|line| CanonicalRow { source: format!("log.csv:{line}"), ..row.clone() });
        let mut packed: PackedRows = rows.collect();
        let bytes: usize = packed.blocks.iter().map(Vec::len).sum();
        assert!(bytes < 100_000 * 50, "{bytes}");
        packed.gpus_mut().for_each(|name| *name = "l4".into());
        let mut reader = packed.reader();
        let mut count = 0;
        while let Some(row) = reader.next_row() {
            assert_eq!((&*row.gpu, &*row.source), ("l4", &*format!("log.csv:{count}")));
            count += 1;
        }
        assert_eq!(count, 100_000);
    }
}
