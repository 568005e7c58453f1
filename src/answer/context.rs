//! What an answer is drawn from.

use super::calibration::IntervalCalibration;
use super::corrections::Corrections;
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId, Tuning, board_place};
use crate::kernel::Kernel;
use crate::measurement::{Dataset, Store};
use crate::predict::Lessons;
use std::collections::BTreeMap;

/// GPUs at typed clocks: as their documents state them, and what was typed.
pub type TypedClocks = BTreeMap<GpuId, (Gpu, Tuning)>;

/// A board at other settings or with other numbers, which is asked about in the board's place: rows of the board are its rows.
#[derive(Debug, Clone, Copy)]
pub struct StandIn<'a> {
    /// The board.
    pub place: GpuId,
    /// As it is asked about.
    pub gpu: &'a Gpu,
    /// As its documents state it.
    pub stock: &'a Gpu,
}

/// Everything that is loaded, and what was derived from it.
#[derive(Debug, Clone, Copy)]
pub struct AnswerContext<'a> {
    /// Every GPU, at typed clocks where some were typed.
    pub gpus: &'a Catalogue<Gpu>,
    /// A GPU in another one's place for this answer.
    pub stand_in: Option<StandIn<'a>>,
    /// Every kernel.
    pub kernels: &'a Catalogue<Kernel>,
    /// Every measurement.
    pub store: &'a Store,
    /// What the shipped datasets say of themselves.
    pub datasets: &'a [Dataset],
    /// The GPUs at typed clocks as their documents state them.
    pub typed: &'a TypedClocks,
    /// How wide intervals are.
    pub calibration: &'a IntervalCalibration,
    /// What `hybrid` learned.
    pub lessons: &'a Lessons,
    /// What the user's rows on every target say of the models.
    pub corrections: &'a Corrections,
}

impl<'a> AnswerContext<'a> {
    /// This GPU, at typed clocks where some were typed.
    #[must_use]
    pub fn gpu(&self, gpu: GpuId) -> &'a Gpu {
        self.stand_in_of(gpu).map_or(&self.gpus[gpu], |stand_in| stand_in.gpu)
    }

    /// What stands in the place of this GPU.
    fn stand_in_of(&self, gpu: GpuId) -> Option<StandIn<'a>> {
        self.stand_in.filter(|stand_in| stand_in.place == gpu)
    }

    /// The place whose rows are those of this GPU, and the GPU put there: every spelling of changed clocks, limits and numbers is one
    /// question about the board.
    pub(super) fn on_board(&self, gpu: GpuId) -> (Self, GpuId) {
        let place = board_place(self.gpus, gpu);
        if place == gpu {
            return (*self, gpu);
        }
        let stand_in = StandIn { place, gpu: &self.gpus[gpu], stock: self.stock(place) };
        (Self { stand_in: Some(stand_in), ..*self }, place)
    }

    /// This GPU as its documents state it.
    #[must_use]
    pub fn stock(&self, gpu: GpuId) -> &'a Gpu {
        self.stock_of_typed(gpu).unwrap_or_else(|| self.gpu(gpu))
    }

    /// The same, where other clocks were typed or other numbers are asked about; `None` elsewhere.
    #[must_use]
    pub fn stock_of_typed(&self, gpu: GpuId) -> Option<&'a Gpu> {
        let stand_in = self.stand_in_of(gpu).map(|stand_in| stand_in.stock);
        stand_in.or_else(|| self.typed.get(&gpu).map(|(stock, _)| stock))
    }

    /// The source as its documents or typed clocks have it. On the same GPU typed clocks are those of the target: the time
    /// was taken at the stated ones.
    #[must_use]
    pub(super) fn source_gpu(&self, source: GpuId, target: GpuId) -> &'a Gpu {
        if source == target { self.stock(source) } else { self.gpu(source) }
    }
}
