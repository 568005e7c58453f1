//! What the rows of a chunk say beside the size they time and how long it took: column by column, for rows that stand together are alike.

use super::packed_column::PackedColumn;
use super::row_facts::{FactsOfRow, KnownNumber, PackedFacts, RowFacts};
use super::text::{RowSource, RowSources, Texts};
use super::{SharedWord, TimingKind};
use std::sync::Arc;

/// What each row of a chunk says, by its place there.
pub(super) struct ChunkDetails {
    /// As messages name it; empty for rows of none.
    pub(super) file: Arc<str>,
    pub(super) kind: TimingKind,
    variants: PackedColumn<Arc<str>>,
    dtypes: PackedColumn<SharedWord>,
    facts: PackedFacts,
    deviations: PackedColumn<KnownNumber>,
    sources: RowSources,
}

/// What one row says, in the columns of its chunk.
#[derive(Debug)]
pub(super) struct RowDetails<'a> {
    pub(super) variant: Arc<str>,
    pub(super) dtype: SharedWord,
    pub(super) facts: RowFacts,
    pub(super) deviation: KnownNumber,
    pub(super) source: &'a str,
}

impl ChunkDetails {
    pub(super) fn variant(&self, row: u32) -> &Arc<str> {
        self.variants.value(row)
    }

    pub(super) fn dtype(&self, row: u32) -> &str {
        self.dtypes.value(row)
    }

    #[inline]
    pub(super) fn facts(&self, row: u32) -> FactsOfRow<'_> {
        self.facts.of_row(row)
    }

    pub(super) fn deviation(&self, row: u32) -> KnownNumber {
        *self.deviations.value(row)
    }

    pub(super) fn source(&self, row: u32) -> RowSource<'_> {
        self.sources.source(row)
    }
}

/// The rows of a chunk may be many, and a row is shown by itself.
impl std::fmt::Debug for ChunkDetails {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)
    }
}

/// Details being collected.
#[derive(Debug, Default)]
pub(super) struct CollectedDetails {
    variants: PackedColumn<Arc<str>>,
    dtypes: PackedColumn<SharedWord>,
    facts: PackedColumn<RowFacts>,
    deviations: PackedColumn<KnownNumber>,
    sources: Texts,
}

impl CollectedDetails {
    /// Puts those of a row behind the others; its place.
    pub(super) fn push(&mut self, row: RowDetails<'_>) -> u32 {
        let place = self.variants.count();
        self.variants.push(row.variant);
        self.dtypes.push(row.dtype);
        self.deviations.push(row.deviation);
        self.sources.add_text(row.source);
        self.facts.push(row.facts);
        place
    }

    /// All that were collected, of rows of this file.
    pub(super) fn take(&mut self, file: &Arc<str>, kind: TimingKind) -> ChunkDetails {
        let Self { variants, dtypes, facts, deviations, sources } = std::mem::take(self);
        ChunkDetails {
            file: file.clone(),
            kind,
            variants: variants.packed(),
            dtypes: dtypes.packed(),
            facts: facts.into(),
            deviations: deviations.packed(),
            sources: sources.packed(),
        }
    }
}
