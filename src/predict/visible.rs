//! The rows a question may look at.

use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem};
use crate::measurement::{ConfigId, LaunchTiming, Measurement, Store};
use crate::units::Seconds;
use std::sync::Arc;

/// A store, or a store without what was measured on one GPU: what a prediction for that GPU must not know.
#[derive(Debug, Clone, Copy)]
pub struct Visible<'a> {
    store: &'a Store,
    hidden: Option<GpuId>,
}

/// Every row.
impl<'a> From<&'a Store> for Visible<'a> {
    fn from(store: &'a Store) -> Self {
        Self { store, hidden: None }
    }
}

impl<'a> Visible<'a> {
    /// Every row but those of this GPU.
    #[must_use]
    pub fn without_gpu(store: &'a Store, gpu: GpuId) -> Self {
        Self { store, hidden: Some(gpu) }
    }

    /// The row that timed this configuration on this GPU.
    #[must_use]
    pub fn row(self, id: ConfigId, gpu: GpuId) -> Option<&'a Measurement> {
        if self.hidden == Some(gpu) { None } else { self.store.row(id, gpu) }
    }

    /// The rows of this configuration, by GPU.
    pub fn rows_of(self, id: ConfigId) -> impl Iterator<Item = &'a Measurement> {
        self.store.rows_of(id).filter(move |row| Some(row.gpu) != self.hidden)
    }

    /// The row on this GPU whose problem is nearest in size, same kernel and variant.
    #[must_use]
    pub fn nearest(
        self,
        kernel: KernelId,
        problem: &Problem,
        variant: &Arc<str>,
        gpu: GpuId,
    ) -> Option<&'a Measurement> {
        if self.hidden == Some(gpu) { None } else { self.store.nearest(kernel, problem, variant, gpu) }
    }

    /// The launch floor that several kernels met on this GPU, timed so, in this collection before any other.
    #[must_use]
    pub(super) fn launch_floor(
        self,
        gpu: GpuId,
        timing: LaunchTiming,
        collection: Option<&str>,
    ) -> Option<Seconds> {
        let floors = || self.store.floors().launch(gpu, timing, collection);
        if self.hidden == Some(gpu) { None } else { floors() }
    }

    /// What launches of this collection usually cost, timed so.
    #[must_use]
    pub(super) fn launch_floor_elsewhere(
        self,
        timing: LaunchTiming,
        collection: Option<&str>,
    ) -> Option<Seconds> {
        self.store.floors().launch_elsewhere(timing, collection, self.hidden)
    }

    /// What this operator's dispatch took on this GPU.
    #[must_use]
    pub(super) fn operator_floor(self, kernel: KernelId, gpu: GpuId) -> Option<Seconds> {
        if self.hidden == Some(gpu) { None } else { self.store.floors().operator(kernel, gpu) }
    }

    /// What this operator's dispatch usually took.
    #[must_use]
    pub(super) fn operator_floor_elsewhere(self, kernel: KernelId) -> Option<Seconds> {
        self.store.floors().operator_elsewhere(kernel, self.hidden)
    }
}
