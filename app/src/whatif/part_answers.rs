//! A kernel of a workload on its base and its source, as a question about it is answered.

use crate::answer::{Answer, LimitedSource, Settings};
use crate::gpu::{Gpu, GpuId, board_place};
use crate::pair::Pair;
use crate::predict::{Subject, Visible, source_clocks};
use crate::session::{Session, Sources};

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
