//! The loaded facts, and which state of them it is.

use super::Session;
use super::engine::Engine;
use crate::answer::{IntervalCalibration, TypedClocks};
use crate::catalogue::{Catalogue, SourceTable};
use crate::gpu::Gpu;
use crate::import::AchievedRoof;
use crate::kernel::Kernel;
use crate::measurement::{Dataset, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Catalogues and rows. A session never changes them in place: see [`Session::edit`].
#[derive(Debug, Clone)]
pub struct Workspace {
    /// GPUs as their documents state them, oldest architecture first, the user's last.
    pub gpus: Arc<Catalogue<Gpu>>,
    /// Kernels by name, those of measurement files last.
    pub kernels: Catalogue<Kernel>,
    /// Sources of every number.
    pub sources: SourceTable,
    /// Every measurement.
    pub store: Store,
    /// What the shipped datasets say of themselves.
    pub datasets: Vec<Dataset>,
    /// Achieved ceilings that the user's files state, in the order they were read.
    pub roofs: Vec<AchievedRoof>,
    /// What was refused while loading; the rest still works.
    pub problems: Vec<String>,
}

/// Which state of the facts a value was derived from: no two different states have the same. Typed clocks are no part of
/// it: what depends on them is kept by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Revision(u64);

impl Revision {
    /// One that nothing has yet.
    fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Session {
    /// A session of these facts, nothing typed.
    pub(super) fn of_workspace(workspace: Workspace, calibration: IntervalCalibration) -> Self {
        Self {
            gpus: workspace.gpus.clone(),
            workspace: Arc::new(workspace),
            revision: Revision::next(),
            typed: TypedClocks::new(),
            edited: None,
            engine: Arc::new(Engine::new(Arc::new(calibration))),
        }
    }

    /// Which state of the facts this is: what was derived from another one is stale.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Changes the facts: the next revision, of which nothing is derived yet. Copied only where somebody else holds them;
    /// typed clocks stay.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Workspace) -> T) -> T {
        let changed = change(Arc::make_mut(&mut self.workspace));
        self.revision = Revision::next();
        self.engine = Arc::new(self.engine.of_other_facts());
        self.set_clocks();
        changed
    }

    /// The GPUs as their documents state them now, those at typed clocks as they are set.
    fn set_clocks(&mut self) {
        let tunings = self.tunings();
        self.gpus = self.workspace.gpus.clone();
        self.typed = TypedClocks::new();
        for (gpu, tuning) in tunings {
            // Whatever can no longer be set is left at its documents' clocks.
            let _ = self.tune(gpu, tuning);
        }
        let edited = self.edited.take();
        self.put_edited_again(edited);
    }

    /// Changes the catalogue of kernels as a whole: what intervals knew of the old ones is no longer known.
    pub(super) fn replace_kernels(&mut self, kernels: Catalogue<Kernel>, store: Store) {
        self.edit(|workspace| {
            workspace.kernels = kernels;
            workspace.store = store;
        });
        let calibration = self.engine.calibration.without_residuals();
        self.engine = Arc::new(Engine::new(Arc::new(calibration)));
    }
}
