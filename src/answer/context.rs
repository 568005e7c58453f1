//! What an answer is drawn from.

use super::calibration::IntervalCalibration;
use super::corrections::Corrections;
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId, Tuning, board_place};
use crate::kernel::Kernel;
use crate::measurement::{Dataset, Store};
use crate::predict::{Lessons, Subject};
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
    /// As its own name says it, where other clocks or limits were typed for it.
    pub named: Option<&'a Gpu>,
}

/// Everything that is loaded, and what was derived from it.
#[derive(Debug, Clone, Copy)]
pub struct AnswerContext<'a> {
    /// Every GPU, at typed clocks where some were typed.
    pub gpus: &'a Catalogue<Gpu>,
    /// A GPU in another one's place for this answer.
    pub stand_in: Option<StandIn<'a>>,
    /// The source at other settings in its board's place for this answer.
    pub source_stand_in: Option<StandIn<'a>>,
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
        (Self { stand_in: Some(self.in_place_of(place, gpu)), ..*self }, place)
    }

    /// This GPU in the place of its board.
    fn in_place_of(&self, place: GpuId, gpu: GpuId) -> StandIn<'a> {
        let named = self.typed.get(&gpu).map(|(named, _)| named);
        StandIn { place, gpu: &self.gpus[gpu], stock: self.stock(place), named }
    }

    /// The place of the GPU whose rows time the subject on this one: its own, or that of its board where it is one at other settings
    /// that was not measured under its own name.
    #[must_use]
    pub fn place_of_rows(&self, subject: &Subject, gpu: GpuId) -> GpuId {
        let is_other = self.gpus[gpu].is_board_at_settings() && !self.is_timed_under(subject, gpu);
        if is_other { board_place(self.gpus, gpu) } else { gpu }
    }

    /// Whether a row names this very GPU for the subject's kernel, at this size or another.
    #[must_use]
    pub fn is_timed_under(&self, subject: &Subject, gpu: GpuId) -> bool {
        let Subject { kernel, problem, variant, config, .. } = subject;
        let timed = config.is_some_and(|config| self.store.row_on(config, gpu).is_some());
        timed || self.store.nearest(*kernel, problem, variant, gpu).is_some()
    }

    /// The place whose rows time the source, and the source put there: a row of the board is taken as one at these clocks, and at its own limit.
    #[must_use]
    pub(super) fn on_source_board(&self, subject: &Subject, source: GpuId) -> (Self, GpuId) {
        let place = self.place_of_rows(subject, source);
        if place == source {
            return (*self, source);
        }
        (Self { source_stand_in: Some(self.in_place_of(place, source)), ..*self }, place)
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

    /// The GPU in this place as its own name says it, where other clocks were typed for it.
    pub(super) fn named_of_typed(&self, gpu: GpuId) -> Option<&'a Gpu> {
        let typed = || self.typed.get(&gpu).map(|(named, _)| named);
        self.stand_in_of(gpu).map_or_else(typed, |stand_in| stand_in.named)
    }

    /// The source as its documents state it, where other clocks or settings were typed for it.
    #[must_use]
    pub(super) fn stock_of_typed_source(&self, source: GpuId) -> Option<&'a Gpu> {
        self.source_stand_in.map_or_else(|| self.stock_of_typed(source), |stand_in| Some(stand_in.stock))
    }

    /// The source as its documents or typed clocks have it. On the same GPU typed clocks are those of the target: the time
    /// was taken at the stated ones.
    #[must_use]
    pub(super) fn source_gpu(&self, source: GpuId, target: GpuId) -> &'a Gpu {
        match self.source_stand_in {
            Some(stand_in) => stand_in.gpu,
            None if source == target => self.stock(source),
            None => self.gpu(source),
        }
    }
}
