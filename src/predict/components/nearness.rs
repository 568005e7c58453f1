//! How near a target is to the GPU that was timed: how much of what was seen there holds.

use super::excess::{LaunchInUse, PacedMachine};
use crate::gpu::Gpu;
use crate::pair::Pair;
use crate::roofline::KernelArithmetic;

/// How far apart, in ln of any rate, two boards are from which on nothing of a kernel's efficiency is taken to be the same because they
/// are alike: no two GPUs of the measured families are nearer.
const ALIKE: f64 = 0.1;

/// How near a target is to the GPU that was timed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Nearness {
    /// It is that GPU, at the clocks and limits of its time.
    SameSettings,
    /// It is that GPU at other clocks, or with other numbers: what keeps a kernel from its roof there keeps it from its roof here.
    SameBoard,
    /// Another GPU. What somebody changes of its numbers does not change how near it is.
    Other(OtherBoard),
}

/// What another board has in common with the one that was timed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct OtherBoard {
    /// The share of what differs from board to board that is the same, for both are alike: 0 on nearly all, 1 where their rates are the
    /// same.
    pub(super) held: f64,
    pub(super) is_same_architecture: bool,
}

/// The share in common of two boards whose rates are so far apart, in ln: 1 where they are the same, 0 from [`ALIKE`] on.
#[inline]
pub(super) fn alike_by(apart: f64) -> f64 {
    (1.0 - apart / ALIKE).max(0.0)
}

impl Nearness {
    /// For a kernel of this arithmetic; `launch`: what of the GPUs it uses.
    pub(super) fn from_gpus(gpus: Pair<&Gpu>, arithmetic: KernelArithmetic, launch: LaunchInUse) -> Self {
        let Pair { source, target } = gpus;
        let boards = [source, target.existing()];
        let rates = || boards.map(|gpu| PacedMachine::new(gpu, arithmetic));
        Self::of_board(source, target).unwrap_or_else(|| {
            let [near, far] = rates();
            Self::of_others(&near, &far, launch, source.architecture == target.architecture)
        })
    }

    /// Where both are one board.
    pub(super) fn of_board(source: &Gpu, target: &Gpu) -> Option<Self> {
        if source.is_same_board_and_settings(target) {
            Some(Self::SameSettings)
        } else {
            (source.board_id() == target.board_id()).then_some(Self::SameBoard)
        }
    }

    /// Of two boards with these rates, for this launch.
    #[inline]
    pub(super) fn of_others(
        source: &PacedMachine,
        target: &PacedMachine,
        launch: LaunchInUse,
        is_same_architecture: bool,
    ) -> Self {
        let held = source.distance_below(ALIKE, target, launch).map_or(0.0, alike_by);
        Self::Other(OtherBoard { held, is_same_architecture })
    }

    /// The share of what differs from board to board that is the same on both, 0 to 1.
    #[inline]
    pub(super) fn share_alike(self) -> f64 {
        match self {
            Self::SameSettings | Self::SameBoard => 1.0,
            Self::Other(board) => board.held,
        }
    }

    /// With one number of the target changed.
    pub(super) fn nudged(self) -> Self {
        if self == Self::SameSettings { Self::SameBoard } else { self }
    }
}
