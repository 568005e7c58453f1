//! How near a target is to the GPU that was timed: how much of what was seen there holds.

use crate::predict::Question;

/// How near a target is to the GPU that was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    /// It is that GPU, at the clocks and limits of its time.
    SameSettings,
    /// It is that GPU at other clocks: what keeps a kernel from its roof there keeps it from its roof here.
    SameBoard,
    /// Another GPU.
    Other,
}

impl Nearness {
    pub(super) fn from_question(q: &Question<'_>) -> Self {
        match (q.source.gpu.id == q.target.gpu.id, q.is_same_gpu()) {
            (true, true) => Self::SameSettings,
            (true, false) => Self::SameBoard,
            (false, _) => Self::Other,
        }
    }

    /// With one number of the target changed.
    pub(super) fn nudged(self) -> Self {
        if self == Self::Other { Self::Other } else { Self::SameBoard }
    }
}
