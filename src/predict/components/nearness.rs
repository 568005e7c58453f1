//! How near a target is to the GPU that was timed: how much of what was seen there holds.

use crate::gpu::Gpu;
use crate::predict::Question;

/// How near a target is to the GPU that was timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearness {
    /// It is that GPU, at the clocks and limits of its time.
    SameSettings,
    /// It is that GPU at other clocks, or with other numbers: what keeps a kernel from its roof there keeps it from its roof here.
    SameBoard,
    /// Another GPU.
    Other,
}

impl Nearness {
    pub(super) fn from_question(q: &Question<'_>) -> Self {
        Self::between(q.source.gpu, q.target.gpu)
    }

    /// Of the GPU that was timed to another one.
    pub(super) fn between(source: &Gpu, target: &Gpu) -> Self {
        if source.is_same_board_and_settings(target) {
            Self::SameSettings
        } else if source.board_id() == target.board_id() {
            Self::SameBoard
        } else {
            Self::Other
        }
    }

    /// With one number of the target changed.
    pub(super) fn nudged(self) -> Self {
        if self == Self::Other { Self::Other } else { Self::SameBoard }
    }
}
