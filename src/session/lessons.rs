//! What `hybrid` has learned from the user's rows, and when it answers without being asked for.

use super::Session;
use super::training::made;
use crate::evaluate::{EvaluationSetup, EvaluationWorld, Progress, Protocol};
use crate::gpu::{GpuId, board_place};
use crate::learn::{self, LearnError};
use crate::measurement::TimingKind;
use crate::predict::{HYBRID, Lessons, ModelId, Predictor, model_position};
use crate::train::cache::ModelCache;
use crate::train::{HybridRecipe, TrainError, WantedLessons, lessons};
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// The same rows give the same lessons.
const SEED: u64 = 1;

impl Session {
    /// What was learned from these rows; nothing until [`Session::teach`].
    #[must_use]
    pub fn lessons(&self) -> &Lessons {
        static NONE: OnceLock<Lessons> = OnceLock::new();
        match self.engine.lessons.get() {
            Some(lessons) => lessons,
            None => NONE.get_or_init(Lessons::default),
        }
    }

    /// The lessons for an evaluation of this protocol, where [`Session::learn_and_keep`] has learned them already.
    #[must_use]
    pub fn lessons_for(&self, protocol: Protocol) -> Option<Arc<Lessons>> {
        self.engine.lessons.get().filter(|_| protocol == Protocol::NewGpu).cloned()
    }

    /// Takes over what [`Session::learn_lessons`] learned from these rows; the first lessons stay.
    pub fn teach(&self, lessons: Arc<Lessons>) {
        let _ = self.engine.lessons.set(lessons);
    }

    /// Learns from the user's rows what is wanted; without any there is nothing to learn.
    ///
    /// # Errors
    /// [`LearnError::Cancelled`].
    pub fn learn_lessons(
        &self,
        wanted: &WantedLessons,
        progress: &learn::Progress,
    ) -> Result<Lessons, LearnError> {
        if !self.may_teach() {
            return Ok(Lessons::default());
        }
        let wanted = self.with_correcting_kernels(wanted);
        self.on_rows(|world| lessons(world, &wanted, SEED, progress))
    }

    /// With the kernels whose rows on the targets correct the wanted ones: their errors are those of the same model.
    fn with_correcting_kernels(&self, wanted: &WantedLessons) -> WantedLessons {
        let mut wanted = wanted.clone();
        if let (Some(kernels), Some(targets)) = (&mut wanted.kernels, &wanted.targets) {
            let boards: BTreeSet<GpuId> = targets.iter().map(|t| board_place(&self.gpus, *t)).collect();
            let timed = |gpu: GpuId| self.engine.corrections.kernels_timed_on(&self.store, gpu);
            kernels.extend(boards.into_iter().flat_map(timed));
        }
        wanted
    }

    /// Every lesson of the user's rows: from the cache where it has them, else learned now and kept.
    ///
    /// # Errors
    /// [`TrainError`] where the rows teach nothing, or it was cancelled.
    pub fn learn_and_keep(
        &self,
        cache: Option<&ModelCache>,
        progress: &learn::Progress,
    ) -> Result<Lessons, TrainError> {
        if !self.may_teach() {
            return Ok(Lessons::default());
        }
        self.on_rows(|world| {
            let (made, _) = made(world, &HybridRecipe { seed: SEED }, cache, false, progress)?;
            Ok(HybridRecipe::lessons(world, &made)?)
        })
    }

    /// Whether the user's rows may teach anything: those of one GPU make no pair.
    #[must_use]
    pub fn may_teach(&self) -> bool {
        self.engine.corrections.gpu_count(&self.store) > 1
    }

    /// The model that answers where none is asked for: `hybrid` where its corrections were measured to be better than `components` on
    /// GPUs or kernels left out, else `components`.
    #[must_use]
    pub fn default_model(&self) -> ModelId {
        self.default_model_for(&WantedLessons::default())
    }

    /// The same for these kernels on these targets: `hybrid` where it corrects one of them. What else was learned says nothing of them.
    #[must_use]
    pub fn default_model_for(&self, wanted: &WantedLessons) -> ModelId {
        let boards =
            wanted.targets.as_ref().map(|all| all.iter().map(|t| board_place(&self.gpus, *t)).collect());
        if self.lessons().any_used_for(wanted.kernels.as_ref(), boards.as_ref()) {
            model_position(HYBRID).unwrap_or_default()
        } else {
            ModelId::default()
        }
    }

    /// This setup with lessons that have not seen what the protocol holds out, where one of the models uses them and the setup
    /// has none; `None` inside where nothing is to be added, outside where it was cancelled.
    pub(super) fn taught(
        &self,
        world: EvaluationWorld<'_>,
        setup: &EvaluationSetup,
        models: &[&dyn Predictor],
        progress: &Progress,
    ) -> Option<Option<EvaluationSetup>> {
        // On the same GPU there is no pair to learn from, and without a time nothing to correct.
        if setup.protocol != Protocol::NewGpu {
            return Some(None);
        }
        let own = || world.store.rows().any(|r| r.kind() == TimingKind::Measured);
        if setup.lessons.is_some() || !own() || models.iter().all(|m| m.id() != HYBRID) {
            return Some(None);
        }
        let wanted =
            WantedLessons { kernels: setup.scope.kernels.clone(), targets: setup.scope.targets.clone() };
        let learning = learn::Progress { cancelled: progress.cancelled.clone(), ..Default::default() };
        let learned = lessons(world, &wanted, SEED, &learning);
        let lessons = Some(Arc::new(learned.ok()?));
        Some(Some(EvaluationSetup { lessons, ..setup.clone() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::read_csv;

    #[test]
    fn kernels_that_correct_a_wanted_one_are_learned_too() {
        let mut session = Session::load(None).unwrap();
        let text = "gpu,kernel,problem,time_ms\ntitan-v,saxpy,n=4096,0.01\nrtx-4070,saxpy,n=4096,0.01\nrtx-4070,dot_product,n=4096,0.01\n";
        let read = session
            .edit(|w| read_csv(text.as_bytes(), "mine", TimingKind::Measured, &w.gpus, &mut w.kernels))
            .unwrap();
        session.edit(|w| w.store.add_rows(read.rows));
        let kernel = |id| session.kernels.position(id).unwrap();
        let wanted_on = |gpu: &str| {
            let targets = Some([session.gpus.id_named(gpu).unwrap()].into());
            let wanted = WantedLessons { kernels: Some([kernel("saxpy")].into()), targets };
            session.with_correcting_kernels(&wanted).kernels.unwrap()
        };
        assert_eq!(wanted_on("rtx-4070"), [kernel("saxpy"), kernel("dot_product")].into());
        assert_eq!(wanted_on("l4"), [kernel("saxpy")].into(), "nothing was timed there");
    }
}
