//! Stores of a part of the rows: of one row, of one kind.

use super::batched_rows::BatchedRows;
use super::{Config, END, RowLink, Store, StoredConfig, place_of};
use crate::gpu::GpuId;
use crate::measurement::{ConfigId, Floors, Measurement, TimingKind};
use std::sync::{Arc, OnceLock};

impl Store {
    /// A store of one row, with the launch floors of another store: what is known of a row by itself.
    #[must_use]
    pub fn of_row(row: Measurement, floors: Arc<Floors>) -> Self {
        let link = RowLink { gpu: row.gpu, row: 0, next: END };
        let mut rows = BatchedRows::default();
        rows.push(Arc::new(vec![row]));
        Self {
            rows,
            configs: vec![StoredConfig { row: 0, first: 0 }],
            links: vec![link],
            floors: OnceLock::from(floors),
            ..Self::default()
        }
    }

    /// The rows of this kind; those that were added together and are all of it are shared.
    #[must_use]
    pub fn of_kind(&self, kind: TimingKind) -> Self {
        Self::joined(self.rows.batches(), kind)
    }

    /// The same of a store that nobody needs any longer: what joins its rows is given up first.
    #[must_use]
    pub fn into_kind(self, kind: TimingKind) -> Self {
        let batches = self.rows.batches();
        drop(self);
        Self::joined(batches, kind)
    }

    fn joined(batches: Vec<Arc<Vec<Measurement>>>, kind: TimingKind) -> Self {
        let mut store = Self::default();
        for rows in batches {
            let is_wanted = |row: &&Measurement| row.kind() == kind;
            match rows.iter().all(|row| is_wanted(&row)) {
                true => store.add_batch(rows.clone()),
                false => store.add_rows(rows.iter().filter(is_wanted).cloned().collect()),
            }
        }
        store
    }

    /// A store of the rows that [`Store::rows_of`] has of every configuration, where this says yes to the configuration's place and the GPU;
    /// the rows themselves are shared.
    #[must_use]
    pub fn part(&self, is_wanted: impl Fn(usize, GpuId) -> bool) -> Self {
        let mut places = Vec::new();
        for (at, (id, _)) in self.configs().enumerate() {
            places.extend(self.links_of(id).filter(|link| is_wanted(at, link.gpu)).map(|link| link.row));
        }
        let mut store = Self { rows: self.rows.chosen(places), ..Self::default() };
        store.join(0..place_of(store.len()));
        store
    }

    /// The shortest times, to be shared with other stores.
    #[must_use]
    pub fn shared_floors(&self) -> Arc<Floors> {
        self.floors.get_or_init(|| Arc::new(Floors::from_store(self))).clone()
    }

    /// The configuration at this place in [`Store::configs`].
    ///
    /// # Panics
    /// Where there are not as many.
    #[must_use]
    pub fn config_in_order(&self, place: usize) -> Config<'_> {
        self.config(ConfigId(place_of(place)))
    }
}
