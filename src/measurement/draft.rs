//! A row before it is checked: a line of a file, or what an importer made of a report. Both pass the same checks.

use super::Number;
use super::cells::{RowRefusal, dimensions, parsed_number, parsed_time};
use super::columns::RecordColumns;
use super::measured::NumberPlace;
use super::records::Record;
use crate::units::Seconds;
use std::sync::Arc;

/// A column whose cells are texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextColumn {
    Gpu,
    Kernel,
    Problem,
    Variant,
    Dtype,
    Source,
}

/// What is known of a row before anybody looked whether it can be believed.
pub(super) trait RowDraft {
    /// Its line in the file, or its place among the rows of an importer; the first is 1.
    fn line_number(&self) -> u64;

    /// The text of this column; blank where there is none. White space around it does not count.
    fn text_of(&self, column: TextColumn) -> &[u8];

    /// The time of one launch.
    fn launch_time(&self) -> Result<Seconds, RowRefusal>;

    /// Threads per block.
    fn block_shape(&self) -> Result<Option<[u64; 3]>, RowRefusal>;

    /// Blocks of the grid.
    fn grid_shape(&self) -> Result<Option<[u64; 3]>, RowRefusal>;

    /// Hands over every number that is known, in the order of the columns; the time is none of them.
    fn each_number(&self, take: impl FnMut(Number, NumberPlace, f64)) -> Result<(), RowRefusal>;

    /// Hands over what stands in columns that nobody knows.
    fn each_attribute(&self, take: impl FnMut(&Arc<str>, &[u8]));
}

/// A line of a canonical CSV.
pub(super) struct LineDraft<'r> {
    pub(super) columns: &'r RecordColumns,
    pub(super) record: &'r Record<'r>,
}

impl LineDraft<'_> {
    /// The cell of a column that may be absent.
    fn cell_at(&self, place: Option<usize>) -> &[u8] {
        place.map_or(&[], |i| &self.record[i])
    }
}

impl RowDraft for LineDraft<'_> {
    fn line_number(&self) -> u64 {
        self.record.line
    }

    fn text_of(&self, column: TextColumn) -> &[u8] {
        match column {
            TextColumn::Gpu => &self.record[self.columns.gpu],
            TextColumn::Kernel => &self.record[self.columns.kernel],
            TextColumn::Problem => self.cell_at(self.columns.problem),
            TextColumn::Variant => self.cell_at(self.columns.variant),
            TextColumn::Dtype => self.cell_at(self.columns.dtype),
            TextColumn::Source => self.cell_at(self.columns.source),
        }
    }

    fn launch_time(&self) -> Result<Seconds, RowRefusal> {
        parsed_time(&self.record[self.columns.time])
    }

    fn block_shape(&self) -> Result<Option<[u64; 3]>, RowRefusal> {
        dimensions(self.cell_at(self.columns.block), "block")
    }

    fn grid_shape(&self) -> Result<Option<[u64; 3]>, RowRefusal> {
        dimensions(self.cell_at(self.columns.grid), "grid")
    }

    fn each_number(&self, mut take: impl FnMut(Number, NumberPlace, f64)) -> Result<(), RowRefusal> {
        for (column, place, i) in &self.columns.numbers {
            let bytes = &self.record[*i];
            if bytes.is_empty() {
                continue;
            }
            if let Some(value) = parsed_number(bytes, *column)? {
                take(*column, *place, value);
            }
        }
        Ok(())
    }

    fn each_attribute(&self, mut take: impl FnMut(&Arc<str>, &[u8])) {
        for (name, i) in &self.columns.attributes {
            take(name, &self.record[*i]);
        }
    }
}
