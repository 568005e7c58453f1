//! The rows a question may look at.

use super::Subject;
use crate::gpu::GpuId;
use crate::kernel::{KernelId, Problem};
use crate::measurement::{ConfigId, LaunchFloors, LaunchTiming, Measurement, NearRow, SeenFloors, Store};
use crate::units::Seconds;
use std::sync::Arc;

/// A store, or a store without what was measured on one GPU: what a prediction for that GPU must not know. A row that was
/// chosen is visible even there: predictions for other clocks of one GPU start from it.
#[derive(Debug, Clone, Copy)]
pub struct Visible<'a> {
    store: &'a Store,
    hidden: Option<GpuId>,
    /// The row that stands for its configuration on its GPU, where one was timed at several clocks.
    chosen: Option<(ConfigId, &'a Measurement)>,
    /// Launch floors that stand for those of the store.
    floors: Option<SeenFloors<'a>>,
}

/// Every row.
impl<'a> From<&'a Store> for Visible<'a> {
    fn from(store: &'a Store) -> Self {
        Self { store, hidden: None, chosen: None, floors: None }
    }
}

impl<'a> Visible<'a> {
    /// Every row but those of this GPU.
    #[must_use]
    pub fn without_gpu(store: &'a Store, gpu: GpuId) -> Self {
        Self { store, hidden: Some(gpu), chosen: None, floors: None }
    }

    /// The same with this row standing for its configuration on its GPU: of rows at several clocks the one that is asked.
    #[must_use]
    pub fn with_row(self, id: ConfigId, row: &'a Measurement) -> Self {
        Self { chosen: Some((id, row)), ..self }
    }

    /// The same with these launch floors.
    #[must_use]
    pub fn with_floors(self, floors: SeenFloors<'a>) -> Self {
        Self { floors: Some(floors), ..self }
    }

    fn floors(&self) -> SeenFloors<'a> {
        self.floors.unwrap_or_else(|| self.store.floors().into())
    }

    /// The row that timed this configuration on this GPU.
    #[must_use]
    pub fn row_on(self, id: ConfigId, gpu: GpuId) -> Option<&'a Measurement> {
        self.choice(id, gpu)
            .or_else(|| if self.hidden == Some(gpu) { None } else { self.store.row_on(id, gpu) })
    }

    /// The rows of this configuration, by GPU.
    pub fn rows_of(self, id: ConfigId) -> impl Iterator<Item = &'a Measurement> {
        let visible =
            move |row: &&Measurement| Some(row.gpu) != self.hidden || self.choice(id, row.gpu).is_some();
        self.store.rows_of(id).filter(visible).map(move |row| self.choice(id, row.gpu).unwrap_or(row))
    }

    /// The row that was chosen for this configuration on this GPU.
    fn choice(self, id: ConfigId, gpu: GpuId) -> Option<&'a Measurement> {
        self.chosen.filter(|(config, row)| *config == id && row.gpu == gpu).map(|(_, row)| row)
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
        self.nearest_sizes(kernel, problem, variant, gpu)[0]
    }

    /// The row that a prediction of this subject from this GPU starts from: at its size, else the nearest.
    #[must_use]
    pub fn start_row(self, subject: &Subject, gpu: GpuId) -> Option<&'a Measurement> {
        let exact = subject.config.and_then(|config| self.row_on(config, gpu));
        exact.or_else(|| self.nearest(subject.kernel, &subject.problem, &subject.variant, gpu))
    }

    /// [`Visible::nearest`], and the nearest row on the other side of the size asked for.
    pub(super) fn nearest_sizes(
        self,
        kernel: KernelId,
        problem: &Problem,
        variant: &Arc<str>,
        gpu: GpuId,
    ) -> [Option<&'a Measurement>; 2] {
        if self.hidden == Some(gpu) {
            return [None; 2];
        }
        self.store.nearest_sizes(kernel, problem, variant, gpu)
    }

    /// The rows on this GPU whose sizes are nearest ([`Store::near_sizes`]).
    pub(super) fn near_sizes(
        self,
        kernel: KernelId,
        problem: &Problem,
        variant: &Arc<str>,
        gpu: GpuId,
        most: usize,
    ) -> Vec<NearRow<'a>> {
        if self.hidden == Some(gpu) {
            return Vec::new();
        }
        self.store.near_sizes(kernel, problem, variant, gpu, most)
    }

    /// The floors of launches timed so, those of this collection first.
    #[must_use]
    pub(super) fn launch_floors(
        self,
        timing: LaunchTiming,
        collection: Option<&str>,
    ) -> VisibleLaunchFloors<'a> {
        VisibleLaunchFloors { floors: self.floors().launches(timing, collection), hidden: self.hidden }
    }

    /// What does not grow with the size of these times of several launches, by GPU.
    pub(super) fn sequence_floors(self, id: ConfigId, variant: &Arc<str>) -> Vec<(GpuId, Seconds)> {
        let fixed = |row: &Measurement| Some((row.gpu, self.floors().sequence(variant, row)?));
        self.rows_of(id).filter_map(fixed).collect()
    }

    /// Whether the times of this kernel say that a dispatch is in them.
    #[must_use]
    pub(super) fn is_dispatched(self, kernel: KernelId) -> bool {
        self.floors().is_dispatched(kernel, self.hidden)
    }

    /// What this operator's dispatch took on this GPU.
    #[must_use]
    pub(super) fn operator_floor(self, kernel: KernelId, gpu: GpuId) -> Option<Seconds> {
        if self.hidden == Some(gpu) { None } else { self.floors().operator(kernel, gpu) }
    }

    /// What this operator's dispatch usually took.
    #[must_use]
    pub(super) fn operator_floor_elsewhere(self, kernel: KernelId) -> Option<Seconds> {
        self.floors().operator_elsewhere(kernel, self.hidden)
    }
}

/// The launch floors that a question may look at.
#[derive(Debug, Clone, Copy)]
pub(super) struct VisibleLaunchFloors<'a> {
    floors: LaunchFloors<'a>,
    hidden: Option<GpuId>,
}

impl VisibleLaunchFloors<'_> {
    /// The launch floor that several kernels met on this GPU in the collection.
    #[inline]
    pub(super) fn on_gpu(self, gpu: GpuId) -> Option<Seconds> {
        if self.hidden == Some(gpu) { None } else { self.floors.on_gpu(gpu) }
    }

    /// The shortest that several kernels met on this GPU in any collection.
    #[inline]
    pub(super) fn anywhere(self, gpu: GpuId) -> Option<Seconds> {
        if self.hidden == Some(gpu) { None } else { self.floors.anywhere(gpu) }
    }

    /// The collection's floor of the only GPU that has one.
    pub(super) fn of_only_gpu(self) -> Option<Seconds> {
        self.floors.of_only_gpu(self.hidden)
    }

    /// What launches of the collection usually cost.
    pub(super) fn elsewhere(self) -> Option<Seconds> {
        self.floors.elsewhere(self.hidden)
    }
}
