//! The user's own runs of the tiled kernel: the median time of each product and tile, and the power beside it.

use super::GemmRow;
use crate::learn::metrics::median;
use crate::measurement::Measurement;
use std::collections::BTreeMap;

/// What was measured of one product with one tile.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredTile {
    /// m, n, k.
    pub size: [f64; 3],
    /// The tile's side.
    pub side: u32,
    /// Least, median and greatest time in milliseconds.
    pub ms: [f64; 3],
    /// Median power in watts of the runs at a utilisation of at least 90 %; `None` where there is none.
    pub watts: Option<f64>,
}

/// The products and tiles among these rows of the tiled kernel on one GPU. Rows of another kind of timing, such as a cold
/// launch, which states so in its variant, are left out.
#[must_use]
pub fn measured_tiles<'r>(rows: impl Iterator<Item = &'r Measurement>) -> Vec<MeasuredTile> {
    let mut by_tile: BTreeMap<([u64; 3], u32), Vec<GemmRow>> = BTreeMap::new();
    for row in rows.filter(|r| r.variant().is_empty()) {
        let Some((gemm, side)) = GemmRow::from_measurement(row).zip(tile_side(row)) else { continue };
        by_tile.entry((gemm.size.map(f64::to_bits), side)).or_default().push(gemm);
    }
    by_tile.into_iter().filter_map(|((_, side), rows)| measured_tile(side, &rows)).collect()
}

fn tile_side(row: &Measurement) -> Option<u32> {
    let side = row.problem.number_at("tile")?;
    (side.fract() == 0.0 && (1.0..=32.0).contains(&side)).then_some(side as u32)
}

fn measured_tile(side: u32, rows: &[GemmRow]) -> Option<MeasuredTile> {
    let times: Vec<f64> = rows.iter().map(|r| r.ms).collect();
    let least = times.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = times.iter().copied().fold(0.0, f64::max);
    let busy = rows.iter().filter(|r| r.is_audited()).filter_map(|r| r.watts);
    Some(MeasuredTile {
        size: rows.first()?.size,
        side,
        ms: [least, median(times)?, greatest],
        watts: median(busy.collect()),
    })
}
