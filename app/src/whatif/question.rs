//! A workload on a base GPU, ready to be asked about changes of it.

use super::changed_times::{ChangedTimes, GoalTime, NotedTime, WhatIfTime};
use super::kernel_times::KernelTimes;
use crate::answer::Settings;
use crate::gpu::{ChangeError, Gpu, GpuChanges, GpuId};
use crate::pair::Pair;
use crate::power::PowerModel;
use crate::progress::Progress;
use crate::session::{Session, Sources};
use crate::units::Seconds;
use crate::workload::Workload;

/// A workload and a base GPU, ready to be asked.
pub struct WhatIf<'a> {
    times: Box<dyn ChangedTimes<'a> + 'a>,
}

impl<'a> WhatIf<'a> {
    /// These kernels, timed on `source`, on a GPU like `base`, by the default model.
    #[must_use]
    pub fn new(session: &'a Session, workload: &'a Workload, source: GpuId, base: GpuId) -> Self {
        let settings = Settings { model: session.default_model(), ..Settings::default() };
        Self::with_settings(session, workload, Pair::new(source, base), settings)
    }

    /// These kernels, timed on the first of these GPUs, on a GPU like the second, by this model.
    #[must_use]
    pub fn with_settings(
        session: &'a Session,
        workload: &'a Workload,
        pair: Pair<GpuId>,
        settings: Settings,
    ) -> Self {
        Self::with_sources(session, workload, pair, Sources::from_gpu(pair.source), settings)
    }

    /// [`WhatIf::with_settings`], predicted from these sources.
    #[must_use]
    pub fn with_sources(
        session: &'a Session,
        workload: &'a Workload,
        pair: Pair<GpuId>,
        sources: Sources,
        settings: Settings,
    ) -> Self {
        Self { times: Box::new(KernelTimes::new(session, workload, pair, sources, settings)) }
    }

    /// The same, telling how many GPUs were asked about, and stopping once it is cancelled.
    #[must_use]
    pub fn watched(mut self, progress: &'a Progress) -> Self {
        self.times.watch_progress(progress);
        self
    }

    /// Whatever gives times.
    #[must_use]
    pub fn from_times(times: impl ChangedTimes<'a> + 'a) -> Self {
        Self { times: Box::new(times) }
    }

    /// The workload, as titles show it.
    #[must_use]
    pub fn workload_name(&self) -> &str {
        self.times.workload_name()
    }

    /// The model that answers, where it is to be named.
    #[must_use]
    pub fn model_id(&self) -> Option<&'static str> {
        self.times.model_id()
    }

    /// What is changed of the kernel's launch, on the base too.
    pub(super) fn launch_changes(&self) -> Vec<String> {
        self.times.launch_changes()
    }

    /// The base GPU as it is.
    #[must_use]
    pub fn base(&self) -> &Gpu {
        self.times.base()
    }

    /// Its id, with the clocks and the limit that were typed for it.
    pub(super) fn base_id(&self) -> String {
        self.times.base_id()
    }

    /// Its name on screen, with them.
    pub(super) fn base_name(&self) -> String {
        self.times.base_name()
    }

    /// The time of a run on the source; the goal that a break-even is sought for.
    #[must_use]
    pub fn source_time(&self) -> Option<Seconds> {
        self.times.source_time()
    }

    /// The time that is sought: the typed one, else that of a run on the source.
    pub(super) fn goal(&self, typed: Option<Seconds>) -> Option<GoalTime> {
        let of_source = || {
            let time = self.source_time()?;
            Some(GoalTime { time, is_estimate: self.times.is_source_estimated() })
        };
        typed.map(|time| GoalTime { time, is_estimate: false }).or_else(of_source)
    }

    /// The time of a run on the base.
    #[must_use]
    pub fn base_time(&self) -> Option<Seconds> {
        self.times.on_base().time
    }

    /// A run on the base, and what must be known of it.
    pub(super) fn noted_time_on_base(&self) -> NotedTime {
        self.times.noted_time_on_base()
    }

    /// Whether a measured time stands behind every part of the times.
    pub(super) fn rests_on_measurement(&self) -> bool {
        self.times.rests_on_measurement()
    }

    /// How many values of each number a grid of two numbers has.
    pub(super) fn grid_steps(&self) -> usize {
        self.times.grid_steps()
    }

    /// The time of a run with these changes; `None` where it cannot run there.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn time(&mut self, changes: &GpuChanges) -> Result<Option<Seconds>, ChangeError> {
        Ok(self.changed_time(changes)?.time)
    }

    /// A run with these changes.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn changed_time(&mut self, changes: &GpuChanges) -> Result<WhatIfTime, ChangeError> {
        Ok(self.noted_time(changes)?.time)
    }

    /// A run with these changes, and what must be known of it.
    pub(super) fn noted_time(&mut self, changes: &GpuChanges) -> Result<NotedTime, ChangeError> {
        let made = self.made(changes)?;
        if changes.leave_as_it_is(self.base()) {
            return Ok(self.noted_time_on_base());
        }
        Ok(self.times.noted_time_on(&made))
    }

    /// The times of a run on each of these GPUs, made of the base: one preparation for all.
    pub fn times_on(&mut self, made: &[Gpu]) -> Vec<WhatIfTime> {
        self.times.times_on(made)
    }

    /// What a launch of the kernel costs on this GPU, made of the base; `None` where several kernels run.
    pub(super) fn launch_overhead_on(&self, made: &Gpu) -> Option<Seconds> {
        self.times.graph_launch_on(made).or_else(|| self.times.launch_overhead_on(made))
    }

    /// What a launch of the kernel costs on the base, which may be another than the GPU states; `None` where several kernels run.
    #[must_use]
    pub fn base_launch_overhead(&self) -> Option<Seconds> {
        self.launch_overhead_on(self.base())
    }

    /// What the launches of a kernel under a CUDA graph cost on the base; `None` of others.
    pub(super) fn graph_launch(&self) -> Option<Seconds> {
        self.times.graph_launch_on(self.base())
    }

    /// The changes as a GPU.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made, a power limit below what the board draws idle among them.
    pub(super) fn made(&self, changes: &GpuChanges) -> Result<Gpu, ChangeError> {
        made_of_base(self.base(), changes)
    }
}

/// This base with these changes, under the id that `predict` and `rank` give it, which no row is of.
///
/// # Errors
/// [`ChangeError`] for changes that cannot be made, a power limit below what the board draws idle among them.
pub(super) fn made_of_base(base: &Gpu, changes: &GpuChanges) -> Result<Gpu, ChangeError> {
    PowerModel::changed_gpu(base, changes, &format!("{}?{changes}", base.id))
}
