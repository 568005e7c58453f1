//! Paper 4's conclusions about tiles beside what its own rows say and what `gemm` says of the same products: the abstract's
//! "3.2x" and "22 %", whose baselines the paper does not name, and which tile is fastest.

use super::tiled::{TiledRows, TiledTarget};
use crate::learn::metrics::median;
use crate::report::{Table, TableCell, TableColumn};
use crate::units::significant;
use std::collections::BTreeMap;

/// From this side of C on a launch takes so long that the cold start of 5.5 ms is nothing.
pub const LARGE_SIDE: f64 = 8192.0;
/// Tiles that the paper's rows have.
pub const TILES: [u32; 5] = [1, 4, 8, 16, 32];

/// Numbers by product (m, n, k) and tile.
pub type ByTile = BTreeMap<[u64; 3], BTreeMap<u32, f64>>;

/// One conclusion.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusion {
    /// What is said, with the reading that comes nearest.
    pub what: &'static str,
    /// As the paper prints it.
    pub published: &'static str,
    /// The same of its rows; `None` where no file has them.
    pub rows: Option<f64>,
    /// The same of `gemm` for the same products; `None` where it says nothing.
    pub ours: Option<f64>,
    /// How far apart rows and print may be, as a share.
    within: f64,
}

impl Conclusion {
    /// Whether the rows say what the paper prints; `None` where there are none.
    #[must_use]
    pub fn agrees(&self) -> Option<bool> {
        let printed = self.published.parse::<f64>().ok()?;
        Some((self.rows? - printed).abs() <= self.within * printed.abs())
    }
}

/// The numbers of these rows whose m and n are at least [`LARGE_SIDE`], by product and tile.
#[must_use]
pub fn large_products(rows: &TiledRows) -> ByTile {
    let mut all = ByTile::new();
    for ([m, n, k, tile], value) in rows.features.iter().zip(&rows.values) {
        if m.min(*n) >= LARGE_SIDE {
            all.entry([*m as u64, *n as u64, *k as u64]).or_default().insert(*tile as u32, *value);
        }
    }
    all
}

/// The conclusions; `modelled` gives time in ms or power in W of a product and tile, by `gemm`.
#[must_use]
pub fn conclusions(
    files: &[TiledRows],
    modelled: impl Fn(TiledTarget, [u64; 3], u32) -> Option<f64>,
) -> Vec<Conclusion> {
    let of = |target| files.iter().find(|f| f.target == target).map(large_products);
    let ours = |target, products: &ByTile| -> ByTile {
        let tiles = |size: [u64; 3]| {
            TILES.into_iter().filter_map(|t| Some((t, modelled(target, size, t)?))).collect()
        };
        products.keys().map(|size| (*size, tiles(*size))).collect()
    };
    let mut all = Vec::new();
    for (target, computed) in
        [(TiledTarget::Time, &TIME_CONCLUSIONS[..]), (TiledTarget::Power, &POWER_CONCLUSIONS[..])]
    {
        let Some(rows) = of(target) else { continue };
        let ours = ours(target, &rows);
        let conclusion = |&(what, published, number, within): &Computed| Conclusion {
            what,
            published,
            rows: number(&rows),
            ours: number(&ours),
            within,
        };
        all.extend(computed.iter().map(conclusion));
    }
    all
}

/// What is said, the print, how it is computed, and how far apart both may be.
type Computed = (&'static str, &'static str, fn(&ByTile) -> Option<f64>, f64);

const TIME_CONCLUSIONS: [Computed; 3] = [
    ("greatest speedup of the best tile (16x16 over 8x8)", "3.2", |t| greatest_gain(t, 8, 16), 0.05),
    ("16x16 is the fastest, share of products in %", "100", |t| share_fastest(t, 16), 0.1),
    ("beyond 16x16 a plateau (32x32 over 16x16, median of the times)", "1", |t| median_ratio(t, 32, 16), 0.2),
];

const POWER_CONCLUSIONS: [Computed; 2] = [
    ("larger tiles draw less, % (32x32 over 1x1, medians)", "-22", |w| change_of_medians(w, 32, 1), 0.05),
    ("the same of 16x16 over 1x1, %", "", |w| change_of_medians(w, 16, 1), 0.0),
];

/// The greatest ratio of the numbers of two tiles over products that have both.
fn greatest_gain(all: &ByTile, slow: u32, fast: u32) -> Option<f64> {
    ratios(all, slow, fast).into_iter().reduce(f64::max)
}

fn median_ratio(all: &ByTile, over: u32, under: u32) -> Option<f64> {
    median(ratios(all, over, under))
}

fn ratios(all: &ByTile, over: u32, under: u32) -> Vec<f64> {
    all.values().filter_map(|tiles| Some(tiles.get(&over)? / tiles.get(&under)?)).collect()
}

/// In how many of 100 products this tile has the least number.
fn share_fastest(all: &ByTile, tile: u32) -> Option<f64> {
    let known: Vec<_> = all.values().filter(|tiles| tiles.len() > 1).collect();
    let least = |tiles: &BTreeMap<u32, f64>| tiles.iter().min_by(|a, b| a.1.total_cmp(b.1)).map(|(t, _)| *t);
    let first = known.iter().filter(|tiles| least(tiles) == Some(tile)).count();
    (!known.is_empty()).then(|| 100.0 * first as f64 / known.len() as f64)
}

/// The median of one tile over that of another, less 1, in percent.
fn change_of_medians(all: &ByTile, tile: u32, base: u32) -> Option<f64> {
    let middle = |wanted: u32| median(all.values().filter_map(|tiles| tiles.get(&wanted).copied()).collect());
    Some(100.0 * (middle(tile)? / middle(base)? - 1.0))
}

/// A table for people and for programs.
#[must_use]
pub fn conclusions_table(all: &[Conclusion]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("conclusion"),
        TableColumn::right("published"),
        TableColumn::right("its rows"),
        TableColumn::left("agrees"),
        TableColumn::right("gemm"),
    ]);
    table.title = format!("Paper 4's conclusions about tiles, on its products of m, n >= {LARGE_SIDE}");
    let number = |v: f64| TableCell::shown(v, significant(v));
    for c in all {
        table.rows.push(vec![
            TableCell::text(c.what),
            if c.published.is_empty() { TableCell::Null } else { TableCell::text(c.published) },
            TableCell::maybe(c.rows, number),
            TableCell::maybe(c.agrees(), TableCell::Flag),
            TableCell::maybe(c.ours, number),
        ]);
    }
    table.notes = vec![
        "the paper names no baseline for 3.2 and -22: the readings here are those that come nearest".into(),
        "gemm: modelled by `roofswap gemm` for the same products, without these rows".into(),
        "half of the runs shared the GPU with other jobs: equal products differ by up to a factor of 1.6"
            .into(),
    ];
    table
}

/// A conclusion for programs, in the columns of [`super::Paper4Report::record_table`]: the rows' number, then `gemm`'s.
#[must_use]
pub fn conclusion_records(c: &Conclusion) -> Vec<Vec<TableCell>> {
    let published: Option<f64> = c.published.parse().ok();
    let record = |model: &str, ours: Option<f64>| {
        let products = format!("m, n >= {LARGE_SIDE}");
        let words = ["conclusion", products.as_str(), "", model, c.what].map(TableCell::text);
        let numbers = [ours, published, None, None, None, None];
        words.into_iter().chain(numbers.map(|v| TableCell::maybe(v, TableCell::number))).collect()
    };
    vec![record("its rows", c.rows), record("gemm", c.ours)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_by_hand() {
        let rows = |target, values: [f64; 6]| {
            let features = [[1.0, 8.0], [8.0, 8.0], [16.0, 8.0], [1.0, 16.0], [8.0, 16.0], [16.0, 16.0]];
            let features = features.map(|[tile, k]| [8192.0, 16384.0, k * 1024.0, tile]).to_vec();
            TiledRows { target, features, values: values.to_vec() }
        };
        let times = rows(TiledTarget::Time, [900.0, 20.0, 10.0, 1800.0, 18.0, 20.0]);
        let by_tile = large_products(&times);
        assert_eq!(greatest_gain(&by_tile, 8, 16), Some(2.0));
        assert_eq!(share_fastest(&by_tile, 16), Some(50.0));
        assert_eq!(median_ratio(&by_tile, 8, 16), Some(1.45));
        let watts = rows(TiledTarget::Power, [100.0, 90.0, 70.0, 120.0, 90.0, 84.0]);
        assert!((change_of_medians(&large_products(&watts), 16, 1).unwrap() + 30.0).abs() < 1e-9);
        assert_eq!(change_of_medians(&by_tile, 32, 1), None, "no row has 32x32");
        let all = conclusions(&[times, watts], |_, _, _| None);
        assert_eq!(all.len(), TIME_CONCLUSIONS.len() + POWER_CONCLUSIONS.len());
        assert!(all.iter().all(|c| c.ours.is_none()) && all[0].agrees() == Some(false));
        assert_eq!(conclusions_table(&all).rows.len(), all.len());
    }
}
