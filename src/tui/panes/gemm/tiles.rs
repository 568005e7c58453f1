//! The product on the selected target with every tile.

use crate::chart::ChartSpec;
use crate::gemm::learned::Learned;
use crate::gemm::tiles::{Tile, TileAnswer};
use crate::gemm::{answer_tiles, gemm_chart};
use crate::tui::state::State;

/// The product on the target with every tile; none where a table inside the program is damaged (a test reads it).
#[must_use]
pub fn tile_answers(state: &State) -> Vec<TileAnswer> {
    let learned = Learned::default();
    let asked = answer_tiles(&state.session, &state.gemm.gemm, state.target(), &Tile::ALL, &learned);
    asked.unwrap_or_default()
}

/// The pane's chart, as it is drawn and exported.
#[must_use]
pub fn tiles_chart(state: &State, answers: &[TileAnswer]) -> ChartSpec {
    gemm_chart(state.pair()[1], &state.gemm.gemm.to_string(), answers)
}
