//! Answers from one source, from several, or from every GPU that timed the kernel.

use super::answered::Answer;
use super::combined::combine;
use super::context::AnswerContext;
use super::pipeline::answer_pair;
use super::settings::Settings;
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId, board_place};
use crate::predict::{MODELS, SourceTime, Subject};

/// Whose times a prediction rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sources {
    /// These GPUs, whatever is known of them. The target has no part.
    These(Vec<GpuId>),
    /// Every GPU that timed the configuration; where none did, those that timed another size of the kernel.
    All,
    /// [`Sources::All`], with everything but the predicted time as seen from this GPU.
    AllBeside(GpuId),
}

impl Sources {
    /// No GPU's times.
    #[must_use]
    pub fn none() -> Self {
        Self::These(Vec::new())
    }

    /// The times of this GPU alone.
    #[must_use]
    pub fn from_gpu(source: GpuId) -> Self {
        Self::These(vec![source])
    }

    /// The times of this GPU; those of every GPU that timed the configuration beside it, where that is asked for.
    #[must_use]
    pub fn beside(source: GpuId, all: bool) -> Self {
        if all { Self::AllBeside(source) } else { Self::from_gpu(source) }
    }

    /// The GPU that everything but the predicted time is seen from; `None` where no GPU is named.
    #[must_use]
    pub fn seen_from(&self) -> Option<GpuId> {
        match self {
            Self::These(some) => some.first().copied(),
            Self::AllBeside(seen) => Some(*seen),
            Self::All => None,
        }
    }

    /// The GPUs that may be a source.
    #[must_use]
    pub fn places(&self, gpus: &Catalogue<Gpu>) -> Vec<GpuId> {
        if let Self::These(some) = self { some.clone() } else { gpus.ids().collect() }
    }

    /// The source, where it is one.
    #[must_use]
    pub fn only(&self) -> Option<GpuId> {
        match self {
            Self::These(some) if some.len() == 1 => some.first().copied(),
            _ => None,
        }
    }
}

/// Answers one question from these sources: see [`combine`]. `None` where there is no source but the target.
#[must_use]
pub fn answer_from_sources(
    context: AnswerContext<'_>,
    subject: &Subject,
    sources: &Sources,
    target: GpuId,
    settings: Settings,
) -> Option<Answer> {
    let ask = |source: GpuId| answer_pair(context, subject, source, target, settings);
    if let Some(only) = sources.only() {
        return Some(ask(only));
    }
    let beside = match sources {
        Sources::AllBeside(seen) => Some(ask(*seen)),
        Sources::These(_) | Sources::All => None,
    };
    // Others say nothing that the target's own time does not.
    if let Some(own) = beside.as_ref().filter(|own| is_timed_on_target(context, own, target)) {
        return Some(own.clone());
    }
    let places = match sources {
        Sources::These(some) => each_once(some, board_place(context.gpus, target)),
        Sources::All | Sources::AllBeside(_) => sources_that_timed(context, subject, target),
    };
    let beside = beside.map(|seen| seen_answer(context, subject, seen));
    combine(context.gpus, places.into_iter().map(ask).collect(), beside)
}

/// Whether the source of this answer is the target, changed or not, and was timed.
fn is_timed_on_target(context: AnswerContext<'_>, answer: &Answer, target: GpuId) -> bool {
    let is_target = board_place(context.gpus, answer.source) == board_place(context.gpus, target);
    is_target && answer.has_timed_source()
}

/// The answer of the GPU that others stand beside. Where nobody timed the kernel there, its own time is made of theirs, as that of a
/// target is: a GPU is as fast as itself.
fn seen_answer(context: AnswerContext<'_>, subject: &Subject, answer: Answer) -> Answer {
    let model = MODELS[answer.settings.model];
    if answer.has_timed_source() || !model.needs_source() {
        return answer;
    }
    let own =
        answer_from_sources(context, &subject.as_timed(), &Sources::All, answer.source, answer.settings);
    let made = own.and_then(|own| own.predicted_time());
    let source_time = made.map(|time| SourceTime::of_model(time, model.id(), Vec::new()));
    Answer { source_time: source_time.or(answer.source_time), ..answer }
}

/// These GPUs by place, each once, without the target.
fn each_once(some: &[GpuId], target: GpuId) -> Vec<GpuId> {
    let mut places: Vec<GpuId> = some.iter().copied().filter(|place| *place != target).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// Every GPU but the target that timed this configuration, by place; where none did, those that timed another size.
#[must_use]
pub fn sources_that_timed(context: AnswerContext<'_>, subject: &Subject, target: GpuId) -> Vec<GpuId> {
    let store = context.store;
    let target = board_place(context.gpus, target);
    let rows = subject.config.into_iter().flat_map(|c| store.rows_of(c));
    let exact: Vec<GpuId> = rows.map(|r| r.gpu).filter(|g| *g != target).collect();
    if !exact.is_empty() {
        return exact;
    }
    let is_near =
        |gpu: &GpuId| store.nearest(subject.kernel, &subject.problem, &subject.variant, *gpu).is_some();
    context.gpus.ids().filter(|g| *g != target).filter(is_near).collect()
}
