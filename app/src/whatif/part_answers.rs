//! A kernel of a workload on its base and its source, as a question about it is answered.

use crate::answer::{Answer, LimitedSource, Settings};
use crate::gpu::{Gpu, GpuId, board_place};
use crate::pair::Pair;
use crate::predict::{Caution, Subject, Visible, source_clocks};
use crate::report::shown::caution_texts;
use crate::session::{Session, Sources};
use crate::units::{Joules, Seconds, Watts};

/// What is known of a kernel on one GPU beside its time.
pub(super) struct PartNotes {
    /// What a launch takes; `None` as [`Answer::board_power`] says.
    pub(super) energy: Option<Joules>,
    /// What must be known of it, why there is no time first.
    pub(super) cautions: Vec<String>,
    /// Why there is no time.
    pub(super) refusal: Option<String>,
}

/// Whole answers about one kernel, by the sources it is usually predicted from.
#[derive(Clone, Copy)]
pub(super) struct PartAnswers<'a> {
    pub(super) session: &'a Session,
    pub(super) source: GpuId,
    pub(super) settings: Settings,
    pub(super) subject: &'a Subject,
}

impl PartAnswers<'_> {
    pub(super) fn whole_answer(&self, sources: &Sources, target: GpuId) -> Answer {
        let Self { session, source, settings, subject } = *self;
        let alone = || session.answer(subject, source, target, settings);
        session.answer_asked(subject, sources, target, settings).unwrap_or_else(alone)
    }

    /// On this GPU, made of the base.
    pub(super) fn answer_on_made(&self, sources: &Sources, base: GpuId, made: &Gpu) -> Option<Answer> {
        let Self { session, source, settings, subject } = *self;
        let from = |sources: &Sources| session.answer_on_made(subject, sources, base, made, settings);
        from(sources).or_else(|| from(&Sources::from_gpu(source)))
    }

    /// What this answer on this GPU, the base or made of it, says beside its time; `is_own`: whether the source is the base itself.
    pub(super) fn notes(&self, answer: Answer, gpu: &Gpu, is_own: bool) -> PartNotes {
        let kernel = &self.session.kernels[self.subject.kernel];
        let power = answer.board_power(kernel, gpu);
        let energy = |(power, time): (Watts, Seconds)| Joules(power.0 * time.0);
        let energy = power.zip(answer.predicted_time()).map(energy);
        let unused = answer.measured.filter(|_| !is_own && !answer.is_of_measurement());
        let answer = if is_own { answer.without_source() } else { answer };
        let mut cautions = caution_texts(&answer, &kernel.cautions);
        cautions.extend(
            unused.map(|own| {
                Caution::MeasuredUnused { gpu: gpu.id.as_str().into(), time: own.time }.to_string()
            }),
        );
        PartNotes { energy, cautions, refusal: answer.prediction.err().map(|why| why.to_string()) }
    }

    /// On the source as it was launched there, whatever other sources stand beside it.
    pub(super) fn on_source(&self) -> Answer {
        let as_timed = PartAnswers { subject: &self.subject.as_timed(), ..*self };
        as_timed.whole_answer(&Sources::from_gpu(self.source), self.source)
    }
}

/// The source as it ran: at the clocks that its row states, and at those that its power limit left it. On the board of the target typed
/// clocks are the target's.
pub(super) fn tuned_source(
    session: &Session,
    subject: &Subject,
    Pair { source, target }: Pair<GpuId>,
    settings: Settings,
) -> Option<Gpu> {
    let timed = session.place_of_rows(subject, source);
    let is_typed_target = session.tuning(source).is_some() && board_place(&session.gpus, target) == source;
    let stated = if is_typed_target { session.stock(source) } else { &session.gpus[source] };
    let clocks = source_clocks(session.stock(timed), stated, subject, timed, &session.store);
    let at_row = (!clocks.is_catalogued()).then(|| clocks.gpu(stated).clone());
    let gpu = at_row.as_ref().unwrap_or(stated);
    let (kernel, store) = (&session.kernels[subject.kernel], Visible::from(&session.store));
    let limited = LimitedSource { kernel, subject, source: timed, store, settings };
    let is_set = is_typed_target || timed != source;
    limited.source_at_limit(gpu).or(at_row).or_else(|| is_set.then(|| stated.clone()))
}
