//! Answers from one source, from several, or from every GPU that timed the kernel.

use super::Session;
use crate::answer::{Answer, Settings, combine};
use crate::predict::Subject;

/// Whose times a prediction rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sources {
    /// These GPUs, whatever is known of them. The target has no part.
    These(Vec<usize>),
    /// Every GPU that timed the configuration; where none did, those that timed another size of the kernel.
    All,
    /// [`Sources::All`], with everything but the predicted time as seen from this GPU.
    AllBeside(usize),
}

impl Sources {
    /// The source, where it is one.
    #[must_use]
    pub fn only(&self) -> Option<usize> {
        match self {
            Self::These(some) if some.len() == 1 => some.first().copied(),
            _ => None,
        }
    }
}

impl Session {
    /// Answers one question from these sources: see [`combine`]. `None` where there is no source but the target.
    #[must_use]
    pub fn answer_from(
        &self,
        subject: &Subject,
        sources: &Sources,
        target: usize,
        settings: Settings,
    ) -> Option<Answer> {
        let ask = |source: usize| self.answer(subject, source, target, settings);
        match sources {
            Sources::These(one) if one.len() == 1 => Some(ask(one[0])),
            Sources::These(some) => {
                let mut places = some.clone();
                places.sort_unstable();
                places.dedup();
                let singles = places.into_iter().filter(|s| *s != target).map(ask).collect();
                combine(&self.gpus, singles, None)
            }
            Sources::All => {
                let singles = self.timed_on(subject, target).into_iter().map(ask).collect();
                combine(&self.gpus, singles, None)
            }
            Sources::AllBeside(seen) => {
                let singles = self.timed_on(subject, target).into_iter().map(ask).collect();
                combine(&self.gpus, singles, Some(ask(*seen)))
            }
        }
    }

    /// Every GPU but the target that timed this configuration, by place; where none did, those that timed another size.
    #[must_use]
    pub fn timed_on(&self, subject: &Subject, target: usize) -> Vec<usize> {
        let rows = subject.config.into_iter().flat_map(|c| self.store.rows_of(c));
        let exact: Vec<usize> = rows.map(|r| r.gpu).filter(|g| *g != target).collect();
        if !exact.is_empty() {
            return exact;
        }
        let near = |gpu: &usize| {
            self.store.nearest(subject.kernel, &subject.problem, &subject.variant, *gpu).is_some()
        };
        (0..self.gpus.entries().len()).filter(|g| *g != target).filter(near).collect()
    }
}
