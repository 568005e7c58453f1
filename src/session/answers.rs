//! Answers of what is loaded: see [`crate::answer`].

use super::Session;
use crate::answer::{
    Answer, AnswerContext, IntervalCalibration, Settings, Sources, StandIn, TargetsQuestion,
    answer_from_sources, answer_pair, estimate_targets, find_correction, sources_that_timed,
};
use crate::gpu::{Gpu, GpuId, board_place};
use crate::predict::{MODELS, ModelId, ModelRefusal, SharedMachines, Subject, TimeEstimate};

impl Session {
    /// Answers one question about two GPUs of the catalogue, corrected by the user's other rows on the target.
    #[must_use]
    pub fn answer(&self, subject: &Subject, source: GpuId, target: GpuId, settings: Settings) -> Answer {
        answer_pair(self.answer_context(), subject, source, target, settings)
    }

    /// The numbers of [`Session::answer`] for many targets, in their order; `None` where there is no prediction.
    #[must_use]
    pub fn estimates(
        &self,
        subject: &Subject,
        source: GpuId,
        targets: &[GpuId],
        settings: Settings,
    ) -> Vec<Option<TimeEstimate>> {
        let asked = TargetsQuestion { subject, source, targets, settings };
        let all = self.estimates_on(&self.machines(), asked);
        all.into_iter().map(Result::ok).collect()
    }

    /// The GPUs that several kernels are asked about, for [`Session::estimates_on`].
    #[must_use]
    pub fn machines(&self) -> SharedMachines<'_> {
        SharedMachines::new(self.gpus.entries())
    }

    /// [`Session::estimates`] of one of many kernels, which share what the GPUs bring to all of them; or why there is no prediction.
    #[must_use]
    pub fn estimates_on<'a>(
        &'a self,
        machines: &SharedMachines<'a>,
        asked: TargetsQuestion<'a, '_>,
    ) -> Vec<Result<TimeEstimate, ModelRefusal>> {
        let mut all = Vec::with_capacity(asked.targets.len());
        self.for_each_estimate(machines, asked, |_, found| all.push(found));
        all
    }

    /// [`Session::estimates_on`], each handed to `take` in turn instead of kept.
    pub fn for_each_estimate<'a>(
        &'a self,
        machines: &SharedMachines<'a>,
        asked: TargetsQuestion<'a, '_>,
        take: impl FnMut(GpuId, Result<TimeEstimate, ModelRefusal>),
    ) {
        estimate_targets(self.answer_context(), machines, asked, take);
    }

    /// Answers one question from these sources. `None` where there is no source but the target.
    #[must_use]
    pub fn answer_from(
        &self,
        subject: &Subject,
        sources: &Sources,
        target: GpuId,
        settings: Settings,
    ) -> Option<Answer> {
        answer_from_sources(self.answer_context(), subject, sources, target, settings)
    }

    /// The sources of a question that names one GPU: that GPU, where the kernel was timed there at any size; else every GPU that
    /// timed it, seen from that one; that one alone where it was measured nowhere, and for the papers' models.
    #[must_use]
    pub fn usual_sources(&self, subject: &Subject, source: GpuId, model: ModelId) -> Sources {
        if !MODELS[model].is_corrected() {
            return Sources::These(vec![source]);
        }
        if self.is_timed_on(subject, source) || self.timed_on(subject, source).is_empty() {
            return Sources::These(vec![source]);
        }
        Sources::AllBeside(source)
    }

    /// The sources of a question as it was put: where it names one GPU, its [`Session::usual_sources`].
    #[must_use]
    pub fn sources_asked(&self, subject: &Subject, asked: &Sources, model: ModelId) -> Sources {
        asked.only().map_or_else(|| asked.clone(), |one| self.usual_sources(subject, one, model))
    }

    /// The answer to a question as it was put, the same for every command and view; `None` where there is no source but the target.
    #[must_use]
    pub fn answer_asked(
        &self,
        subject: &Subject,
        asked: &Sources,
        target: GpuId,
        settings: Settings,
    ) -> Option<Answer> {
        let sources = self.sources_asked(subject, asked, settings.model);
        let alone = || Some(self.answer(subject, asked.seen_from()?, target, settings));
        self.answer_from(subject, &sources, target, settings).or_else(alone)
    }

    /// [`Session::answer_asked`] on a GPU that is made of this one and stands in no catalogue: in its board's place, whose rows hold for it.
    #[must_use]
    pub fn answer_on_made(
        &self,
        subject: &Subject,
        asked: &Sources,
        base: GpuId,
        made: &Gpu,
        settings: Settings,
    ) -> Option<Answer> {
        let sources = self.sources_asked(subject, asked, settings.model);
        let context = self.answer_context();
        let place = board_place(&self.gpus, base);
        let stand_in = Some(StandIn { place, gpu: made, stock: context.stock(place), named: None });
        let context = AnswerContext { stand_in, ..context };
        let alone = || Some(answer_pair(context, subject, asked.seen_from()?, place, settings));
        answer_from_sources(context, subject, &sources, place, settings).or_else(alone)
    }

    /// Every GPU but the target that timed this configuration, by place; where none did, those that timed another size.
    #[must_use]
    pub fn timed_on(&self, subject: &Subject, target: GpuId) -> Vec<GpuId> {
        sources_that_timed(self.answer_context(), subject, target)
    }

    /// The place of the GPU whose rows time the subject on this one: its own, or that of its board where it is one at other settings
    /// that was not measured under its own name.
    #[must_use]
    pub fn place_of_rows(&self, subject: &Subject, gpu: GpuId) -> GpuId {
        self.answer_context().place_of_rows(subject, gpu)
    }

    /// Whether a row times the subject's kernel on this GPU, or on its board where it is one at other settings, at this size or another.
    #[must_use]
    pub fn is_timed_on(&self, subject: &Subject, gpu: GpuId) -> bool {
        let context = self.answer_context();
        context.is_timed_under(subject, context.place_of_rows(subject, gpu))
    }

    /// How wide intervals are.
    #[must_use]
    pub fn calibration(&self) -> &IntervalCalibration {
        &self.engine.calibration
    }

    /// What is known of a target is found now instead of at the first answer: for those who must answer at once later.
    pub fn arrange(&self) {
        self.store.arrange();
        self.engine.corrections.find_rows(&self.store);
    }

    /// What the user's rows on a target say of a model there is found now instead of at its first answer: ten thousand rows take longer
    /// than a key may.
    pub fn find_correction(&self, source: GpuId, target: GpuId, settings: Settings) {
        find_correction(self.answer_context(), source, target, settings);
    }

    /// The GPUs that the user has rows on.
    pub fn gpus_with_rows(&self) -> impl Iterator<Item = GpuId> {
        self.engine.corrections.gpus(&self.store)
    }

    /// The GPU that a time on this GPU alone starts from: itself; its board, where it is one at other settings or with other numbers and
    /// nobody timed the kernel under its own name. Every spelling of a change is one question then.
    #[must_use]
    pub fn own_source(&self, subject: &Subject, gpu: GpuId) -> GpuId {
        if self.answer_context().is_timed_under(subject, gpu) { gpu } else { board_place(&self.gpus, gpu) }
    }

    /// What answers are drawn from.
    pub(super) fn answer_context(&self) -> AnswerContext<'_> {
        AnswerContext {
            gpus: &self.gpus,
            stand_in: None,
            source_stand_in: None,
            kernels: &self.kernels,
            store: &self.store,
            datasets: &self.datasets,
            typed: &self.typed,
            calibration: &self.engine.calibration,
            lessons: self.lessons(),
            corrections: &self.engine.corrections,
        }
    }
}
