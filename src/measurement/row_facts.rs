//! What a row says of its launch and its counts.

use super::Number;
use super::packed_column::{PackedColumn, ValuePlaces};
use crate::kernel::Count;
use std::sync::Arc;

/// What rows of one configuration mostly share, on whichever GPU.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct RowFacts {
    pub(super) flops: KnownNumber,
    pub(super) dram_bytes: KnownNumber,
    pub(super) small: SmallNumbers,
    /// Threads per block; zeros where nobody says, or where [`Further::wide_block`] does.
    pub(super) block: [u16; 3],
    /// Blocks; zeros where nobody says, or where [`Further::wide_grid`] does.
    pub(super) grid: [u32; 3],
    pub(super) further: Option<Box<Further>>,
}

/// The facts of the rows of a chunk. Neighbours with the same facts have them once; those that differ in one mostly agree in others, so
/// that each kind has a column.
#[derive(Debug)]
pub(super) struct PackedFacts {
    /// Where the facts of each row stand in the columns.
    places: ValuePlaces,
    flops: PackedColumn<KnownNumber>,
    dram_bytes: PackedColumn<KnownNumber>,
    small: PackedColumn<SmallNumbers>,
    block: PackedColumn<[u16; 3]>,
    grid: PackedColumn<[u32; 3]>,
    further: PackedColumn<Option<Box<Further>>>,
}

impl From<PackedColumn<RowFacts>> for PackedFacts {
    fn from(rows: PackedColumn<RowFacts>) -> Self {
        let PackedColumn { values, places } = rows.packed();
        let (mut flops, mut dram_bytes) = (PackedColumn::default(), PackedColumn::default());
        let (mut small, mut block) = (PackedColumn::default(), PackedColumn::default());
        let (mut grid, mut further) = (PackedColumn::default(), PackedColumn::default());
        for facts in values {
            flops.push(facts.flops);
            dram_bytes.push(facts.dram_bytes);
            small.push(facts.small);
            block.push(facts.block);
            grid.push(facts.grid);
            further.push(facts.further);
        }
        Self {
            places,
            flops: flops.packed(),
            dram_bytes: dram_bytes.packed(),
            small: small.packed(),
            block: block.packed(),
            grid: grid.packed(),
            further: further.packed(),
        }
    }
}

impl PackedFacts {
    /// Those of this row.
    #[inline]
    pub(super) fn of_row(&self, row: u32) -> FactsOfRow<'_> {
        FactsOfRow { all: self, place: self.places.place(row) }
    }
}

/// The facts of one row.
#[derive(Debug, Clone, Copy)]
pub(super) struct FactsOfRow<'a> {
    all: &'a PackedFacts,
    place: u32,
}

impl PartialEq for FactsOfRow<'_> {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |facts: &Self| {
            let FactsOfRow { all, place } = *facts;
            (*all.flops.value(place), *all.dram_bytes.value(place), *all.small.value(place))
        };
        numbers(self) == numbers(other)
            && (self.block(), self.grid(), self.further()) == (other.block(), other.grid(), other.further())
    }
}

impl<'a> FactsOfRow<'a> {
    #[inline]
    pub(super) fn flops(self) -> Option<f64> {
        self.all.flops.value(self.place).get()
    }

    #[inline]
    pub(super) fn dram_bytes(self) -> Option<f64> {
        self.all.dram_bytes.value(self.place).get()
    }

    #[inline]
    pub(super) fn small(self, which: Small) -> Option<u32> {
        self.all.small.value(self.place).get(which)
    }

    #[inline]
    pub(super) fn further(self) -> Option<&'a Further> {
        self.all.further.value(self.place).as_deref()
    }

    /// Threads per block.
    pub(super) fn block(self) -> Option<[u32; 3]> {
        match *self.all.block.value(self.place) {
            [0, 0, 0] => self.further()?.wide_block.as_deref().copied(),
            block => Some(block.map(u32::from)),
        }
    }

    /// Blocks.
    pub(super) fn grid(self) -> Option<[u64; 3]> {
        match *self.all.grid.value(self.place) {
            [0, 0, 0] => self.further()?.wide_grid.as_deref().copied(),
            grid => Some(grid.map(u64::from)),
        }
    }
}

/// A number, or NaN where nobody knows it.
#[derive(Clone, Copy)]
pub(super) struct KnownNumber(f64);

impl Default for KnownNumber {
    fn default() -> Self {
        Self(f64::NAN)
    }
}

impl KnownNumber {
    pub(super) fn new(value: f64) -> Self {
        Self(value)
    }

    pub(super) fn get(self) -> Option<f64> {
        (!self.0.is_nan()).then_some(self.0)
    }
}

impl PartialEq for KnownNumber {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl std::fmt::Debug for KnownNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// Small whole numbers that most rows have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Small {
    Regs,
    SmemStatic,
    SmemDynamic,
    Trials,
}

/// [`Small`] numbers, and which of them are known. Packed, for a million rows have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(C, packed)]
pub(super) struct SmallNumbers {
    values: [u32; 4],
    known: u8,
}

impl SmallNumbers {
    pub(super) fn set(&mut self, which: Small, value: u32) {
        self.values[which as usize] = value;
        self.known |= 1 << which as u8;
    }

    pub(super) fn get(self, which: Small) -> Option<u32> {
        (self.known & 1 << which as u8 != 0).then_some(self.values[which as usize])
    }
}

/// What few rows have.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Further {
    /// Numbers that have no field of their own.
    pub(super) numbers: Box<[(Number, f64)]>,
    /// Instructions of pipes, by how much of each the row says was used.
    pub(super) pipe_insts: Box<[(Count, f64)]>,
    /// Columns nobody knows: name and text.
    pub(super) attributes: Box<[(Arc<str>, Arc<str>)]>,
    /// A block of more than 65,535 threads in one dimension, which no GPU launches.
    pub(super) wide_block: Option<Box<[u32; 3]>>,
    /// A grid of more than 2^32 blocks in one dimension.
    pub(super) wide_grid: Option<Box<[u64; 3]>>,
}
