//! The user's rows by GPU and what they say of the models, summed up once per source, target and settings.

use super::known_rows::{KnownRow, KnownRows};
use super::settings::Settings;
use crate::gpu::{Clocks, GpuId};
use crate::kernel::KernelId;
use crate::measurement::{ConfigId, Store, TimingKind};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// As many rows of a kernel are looked at on one GPU, evenly spread over those there are.
const PER_KERNEL: usize = 64;

/// What residuals depend on beside the rows: who asks whom, how, at which clocks of the source, and whether `hybrid` had
/// learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ResidualKey {
    pub(super) source: GpuId,
    pub(super) target: GpuId,
    pub(super) settings: Settings,
    pub(super) source_clocks: [u64; 3],
    pub(super) with_lessons: bool,
}

/// One residual per row looked at, and their sums.
#[derive(Debug, Default)]
pub(super) struct TargetResiduals {
    pub(super) rows: KnownRows,
    pub(super) own: HashMap<ConfigId, KnownRow>,
    /// The clocks of the GPU that each row was compared with.
    pub(super) clocks: Vec<Clocks>,
}

/// The user's rows by GPU, and the residuals of them asked for so far: of one revision of rows, kernels and GPUs.
#[derive(Debug, Default)]
pub struct Corrections {
    rows: OnceLock<BTreeMap<GpuId, Vec<ConfigId>>>,
    residuals: Mutex<HashMap<ResidualKey, Arc<TargetResiduals>>>,
}

impl Corrections {
    /// Finds the user's rows now instead of when they are first asked for.
    pub fn find_rows(&self, store: &Store) {
        let _ = self.rows_by_gpu(store);
    }

    /// Whether the user has rows on this GPU.
    #[must_use]
    pub fn has_rows(&self, store: &Store, gpu: GpuId) -> bool {
        self.rows_by_gpu(store).contains_key(&gpu)
    }

    /// How many GPUs the user has rows on.
    #[must_use]
    pub fn gpu_count(&self, store: &Store) -> usize {
        self.rows_by_gpu(store).len()
    }

    /// The GPUs that the user has rows on.
    pub fn gpus(&self, store: &Store) -> impl Iterator<Item = GpuId> {
        self.rows_by_gpu(store).keys().copied()
    }

    /// The kernels whose rows on this GPU correct others there; one as often as it has rows.
    pub fn kernels_timed_on(&self, store: &Store, gpu: GpuId) -> impl Iterator<Item = KernelId> {
        let configs = self.rows_by_gpu(store).get(&gpu).into_iter().flatten();
        configs.filter_map(move |id| store.row_on(*id, gpu)).map(|row| row.kernel)
    }

    pub(super) fn rows_by_gpu(&self, store: &Store) -> &BTreeMap<GpuId, Vec<ConfigId>> {
        self.rows.get_or_init(|| own_rows(store))
    }

    pub(super) fn known(&self, key: &ResidualKey) -> Option<Arc<TargetResiduals>> {
        let all = self.residuals.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(key).cloned()
    }

    pub(super) fn keep(&self, key: ResidualKey, residuals: Arc<TargetResiduals>) {
        let mut all = self.residuals.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(key, residuals);
    }
}

/// Configurations that the user timed, by GPU.
fn own_rows(store: &Store) -> BTreeMap<GpuId, Vec<ConfigId>> {
    let mut all: BTreeMap<GpuId, Vec<ConfigId>> = BTreeMap::new();
    if store.rows().any(|r| r.kind() == TimingKind::Measured) {
        for kernel in store.kernels() {
            for (gpu, configs) in own_rows_of(store, kernel) {
                let every = configs.len().div_ceil(PER_KERNEL);
                all.entry(gpu).or_default().extend(configs.iter().step_by(every.max(1)));
            }
        }
    }
    all
}

/// The configurations of one kernel that the user timed, by GPU.
fn own_rows_of(store: &Store, kernel: KernelId) -> BTreeMap<GpuId, Vec<ConfigId>> {
    let mut by_gpu: BTreeMap<GpuId, Vec<ConfigId>> = BTreeMap::new();
    for id in store.of_kernel(kernel) {
        for row in store.rows_of(*id).filter(|r| r.kind() == TimingKind::Measured) {
            by_gpu.entry(row.gpu).or_default().push(*id);
        }
    }
    by_gpu
}
