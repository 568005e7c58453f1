//! The product on the selected target with every tile.

use crate::chart::ChartSpec;
use crate::gemm::learned::LearnedGemm;
use crate::gemm::tiles::{Tile, TileAnswer};
use crate::gemm::{answer_tiles, gemm_chart};
use crate::tui::state::DashboardState;

/// The product on the target with every tile; none where a table inside the program is damaged (a test reads it).
#[must_use]
pub fn tile_answers(state: &DashboardState) -> Vec<TileAnswer> {
    let learned = LearnedGemm::default();
    let asked = answer_tiles(&state.session, &state.gemm.gemm, state.target(), &Tile::ALL, &learned);
    asked.unwrap_or_default()
}

/// The pane's chart, as it is drawn and exported.
#[must_use]
pub fn tiles_chart(state: &DashboardState, answers: &[TileAnswer]) -> ChartSpec {
    gemm_chart(state.pair().target, &state.gemm.gemm.to_string(), answers)
}
