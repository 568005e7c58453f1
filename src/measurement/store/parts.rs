//! Stores of a part of the rows: of one row, of one kind.

use super::{END, RowBatch, RowLink, Store, StoredConfig};
use crate::kernel::KernelId;
use crate::measurement::{Floors, Measurement, TimingKind};
use std::sync::{Arc, OnceLock};

impl Store {
    /// A store of one row, with the launch floors of another store: what is known of a row by itself.
    #[must_use]
    pub fn of_row(row: Measurement, floors: Arc<Floors>) -> Self {
        let link = RowLink { gpu: row.gpu, row: 0, next: END };
        Self {
            batches: vec![RowBatch { before: 0, rows: Arc::new(vec![row]) }],
            configs: vec![StoredConfig { row: 0, first: 0 }],
            links: vec![link],
            floors: OnceLock::from(floors),
            ..Self::default()
        }
    }

    /// The rows of this kind; those that were added together and are all of it are shared.
    #[must_use]
    pub fn of_kind(&self, kind: TimingKind) -> Self {
        let mut store = Self::default();
        for RowBatch { rows, .. } in &self.batches {
            let is_wanted = |row: &&Measurement| row.kind == kind;
            match rows.iter().all(|row| is_wanted(&row)) {
                true => store.add_batch(rows.clone()),
                false => store.add_rows(rows.iter().filter(is_wanted).cloned().collect()),
            }
        }
        store
    }

    /// The shortest times, to be shared with other stores.
    #[must_use]
    pub fn shared_floors(&self) -> Arc<Floors> {
        self.floors.get_or_init(|| Arc::new(Floors::from_store(self, None))).clone()
    }

    /// The shortest times without the rows of one kernel.
    #[must_use]
    pub fn floors_without(&self, kernel: KernelId) -> Floors {
        Floors::from_store(self, Some(kernel))
    }
}
