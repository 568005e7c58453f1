//! The rows of a store: those that were added together stand together, and are shared with other stores.

use crate::measurement::Measurement;
use std::ops::Range;
use std::sync::Arc;

/// Rows that were added together, and how many stand before them.
#[derive(Debug, Clone)]
struct RowBatch {
    before: usize,
    rows: Arc<Vec<Measurement>>,
}

/// Rows by place; a clone shares them.
#[derive(Debug, Clone, Default)]
pub(super) struct BatchedRows {
    batches: Vec<RowBatch>,
    /// Where these are some of the rows: which of the batches' rows stands at each place.
    chosen: Option<Arc<Vec<u32>>>,
}

impl BatchedRows {
    /// These of the rows, in this order; every place is one of this list.
    pub(super) fn chosen(&self, places: Vec<u32>) -> Self {
        let all = places.into_iter().map(|place| self.place_in_batches(place)).collect();
        Self { batches: self.batches.clone(), chosen: Some(Arc::new(all)) }
    }

    /// Puts rows behind the others; their places.
    pub(super) fn push(&mut self, rows: Arc<Vec<Measurement>>) -> Range<u32> {
        let (places, before) = (small_place(self.len()), self.batch_len());
        let count = small_place(rows.len());
        self.batches.push(RowBatch { before, rows });
        if let Some(chosen) = &mut self.chosen {
            let before = small_place(before);
            Arc::make_mut(chosen).extend(before..before + count);
        }
        places..places + count
    }

    /// The rows in order, those that were added together in one list; where these are some of the rows, they are copied.
    pub(super) fn batches(&self) -> Vec<Arc<Vec<Measurement>>> {
        if self.chosen.is_none() {
            return self.batches.iter().map(|batch| batch.rows.clone()).collect();
        }
        vec![Arc::new((0..small_place(self.len())).map(|place| self.row(place).clone()).collect())]
    }

    /// The row at this place.
    pub(super) fn row(&self, place: u32) -> &Measurement {
        let place = self.place_in_batches(place) as usize;
        let batch = &self.batches[self.batches.partition_point(|b| b.before <= place) - 1];
        &batch.rows[place - batch.before]
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.chosen.as_ref().map_or_else(|| self.batch_len(), |chosen| chosen.len())
    }

    fn batch_len(&self) -> usize {
        self.batches.last().map_or(0, |b| b.before + b.rows.len())
    }

    fn place_in_batches(&self, place: u32) -> u32 {
        self.chosen.as_ref().map_or(place, |chosen| chosen[place as usize])
    }
}

/// A place in the room of four bytes.
pub(super) fn small_place(place: usize) -> u32 {
    u32::try_from(place).ok().filter(|place| *place < u32::MAX).expect("memory holds fewer than 2^32 rows")
}
