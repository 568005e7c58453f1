//! GPUs by their place: those of the catalogue, and behind them GPUs that were made to be asked about.

use crate::gpu::{Gpu, GpuId};

/// The GPUs that a [`super::PreparedKernel`] is asked about. Nothing is copied: a tornado asks about forty made ones beside all of the
/// catalogue.
#[derive(Debug, Clone, Copy)]
pub struct GpuPlaces<'a> {
    catalogued: &'a [Gpu],
    /// Stands in the catalogue in place of the GPU there.
    stand_in: Option<(GpuId, &'a Gpu)>,
    made: &'a [Gpu],
    /// Whose rows those of the made ones are.
    board: Option<GpuId>,
}

impl<'a> From<&'a [Gpu]> for GpuPlaces<'a> {
    fn from(catalogued: &'a [Gpu]) -> Self {
        Self { catalogued, stand_in: None, made: &[], board: None }
    }
}

impl<'a> GpuPlaces<'a> {
    /// These GPUs behind those of the catalogue, made of the board at this place.
    #[must_use]
    pub fn followed_by(self, made: &'a [Gpu], board: GpuId) -> Self {
        Self { made, board: Some(board), ..self }
    }

    /// The place of the GPU whose measured rows hold for the one at this place.
    #[inline]
    pub(super) fn board_place(&self, place: GpuId) -> GpuId {
        self.board.filter(|_| place.index() >= self.catalogued.len()).unwrap_or(place)
    }

    /// This GPU in the place of another one.
    #[must_use]
    pub fn with_stand_in(self, place: GpuId, gpu: Option<&'a Gpu>) -> Self {
        Self { stand_in: gpu.map(|gpu| (place, gpu)), ..self }
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.catalogued.len() + self.made.len()
    }

    /// The GPU at this place.
    #[inline]
    pub(super) fn gpu(&self, place: GpuId) -> &'a Gpu {
        if let Some((at, gpu)) = self.stand_in
            && at == place
        {
            return gpu;
        }
        match place.index().checked_sub(self.catalogued.len()) {
            None => &self.catalogued[place.index()],
            Some(at) => &self.made[at],
        }
    }
}
