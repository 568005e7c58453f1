//! What a GEMM takes with each tile: time, power, energy, rate, each with a 90 % interval, and which tile to take.
//!
//! Energy is power x time. Its interval takes the two errors for independent in ln: the hypotenuse of the two half-widths.
//! They rather offset each other: a kernel that takes longer than said does less per second and draws less.

use crate::occupancy::Occupancy;
use crate::power::BoardPower;
use crate::units::{FlopsPerSecond, Joules, Seconds, Watts};
use std::fmt;

/// The sides that paper 4's tiled kernel is launched with.
pub const SIDES: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// Below this side a block has fewer threads than a warp; no kernel behind the models' constants runs so.
const WHOLE_WARP: u32 = 6;

/// A way to tile a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tile {
    /// The tiled kernel with a square tile of this side.
    Side(u32),
    /// The library's: CUTLASS 128 x 128 on the FP32 lanes.
    Library,
}

impl Tile {
    /// All of them.
    pub const ALL: [Self; 7] = {
        let s = SIDES;
        [
            Self::Side(s[0]),
            Self::Side(s[1]),
            Self::Side(s[2]),
            Self::Side(s[3]),
            Self::Side(s[4]),
            Self::Side(s[5]),
            Self::Library,
        ]
    };

    /// What must be said of it, whatever the GPU.
    #[must_use]
    pub fn caution(self) -> Option<&'static str> {
        match self {
            Self::Side(side) if side < WHOLE_WARP => Some(
                "blocks smaller than a warp are outside the calibrated range: their time and power are extrapolated",
            ),
            _ => None,
        }
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Side(side) => f.pad(&format!("{side}x{side}")),
            Self::Library => f.pad("128x128"),
        }
    }
}

/// Where a number comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// The median of the user's own rows of this very problem.
    Measured,
    /// A model, corrected by what it got wrong on the user's other sizes.
    Learned,
    /// A model that has seen nothing of this kernel here.
    Modelled,
}

impl From {
    /// The word in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Learned => "learned",
            Self::Modelled => "modelled",
        }
    }
}

/// A positive number with its 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranged<T> {
    /// The number.
    pub value: T,
    /// Lower end.
    pub low: T,
    /// Upper end.
    pub high: T,
    /// Where it comes from.
    pub from: From,
}

/// One tile's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct TileAnswer {
    /// Which tile.
    pub tile: Tile,
    /// Blocks that fit an SM, and what limits them.
    pub occupancy: Option<Occupancy>,
    /// Whether its registers are not known, so that fewer blocks may fit.
    pub is_occupancy_bound: bool,
    /// What binds its time: `DRAM`, `LSU`.
    pub bound: Option<String>,
    /// Time, or why there is none.
    pub time: Result<Ranged<Seconds>, String>,
    /// Board power while it runs.
    pub power: Option<Ranged<Watts>>,
    /// What the power model says, before anything was learned.
    pub modelled: Option<BoardPower>,
    /// FLOPs.
    pub flops: f64,
    /// What must be said of it.
    pub cautions: Vec<String>,
}

impl TileAnswer {
    /// Power x time.
    #[must_use]
    pub fn energy(&self) -> Option<Ranged<Joules>> {
        let (time, power) = (self.time.as_ref().ok()?, self.power.as_ref()?);
        Some(energy(time, power))
    }

    /// FLOPs over time.
    #[must_use]
    pub fn rate(&self) -> Option<Ranged<FlopsPerSecond>> {
        let time = self.time.as_ref().ok()?;
        let per = |t: Seconds| FlopsPerSecond(self.flops / t.0);
        Some(Ranged { value: per(time.value), low: per(time.high), high: per(time.low), from: time.from })
    }
}

/// Power x time, the two errors taken for independent in ln.
#[must_use]
pub fn energy(time: &Ranged<Seconds>, power: &Ranged<Watts>) -> Ranged<Joules> {
    let value = power.value * time.value;
    let down = (time.value / time.low).ln().hypot((power.value / power.low).ln());
    let up = (time.high / time.value).ln().hypot((power.high / power.value).ln());
    let from = if time.from == power.from { time.from } else { From::Modelled };
    Ranged { value, low: value * (-down).exp(), high: value * up.exp(), from }
}

/// Tiles nearer than this are the same: no figure of the table tells them apart.
const TIED: f64 = 1.005;

/// Which tiles to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BestTiles {
    /// The place of the shortest time.
    pub fastest: Option<usize>,
    /// The place of the least energy.
    pub least_energy: Option<usize>,
}

/// The fastest tile and the one of least energy; none where there are no answers.
#[must_use]
pub fn best(answers: &[TileAnswer]) -> BestTiles {
    let least = |of: &dyn Fn(&TileAnswer) -> Option<f64>| {
        let known = answers.iter().enumerate().filter_map(|(i, a)| Some((i, of(a)?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
    };
    BestTiles {
        fastest: least(&|a| Some(a.time.as_ref().ok()?.value.0)),
        least_energy: least(&|a| Some(a.energy()?.value.0)),
    }
}

impl BestTiles {
    /// Which tile to take and why, in words.
    #[must_use]
    pub fn advice_lines(&self, answers: &[TileAnswer]) -> Vec<String> {
        let mut said = Vec::new();
        let others = |of: &dyn Fn(&TileAnswer) -> Option<f64>, first: usize, beside: &str| {
            let least = of(&answers[first]).unwrap_or(f64::NAN);
            let others = answers.iter().enumerate().filter(|(i, _)| *i != first);
            let ratios = others.filter_map(|(_, a)| Some((of(a)? / least, a.tile)));
            let (tied, slower): (Vec<(f64, Tile)>, Vec<_>) = ratios.partition(|(ratio, _)| *ratio < TIED);
            let next = slower.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
            let next = next.map(|(ratio, tile)| format!("; {tile} next, {ratio:.2}× {beside}"));
            let plural = if tied.len() == 1 { "" } else { "s" };
            let all = (!tied.is_empty()).then(|| format!("; {} other tile{plural} within 0.5 %", tied.len()));
            (all.unwrap_or_default() + &next.unwrap_or_default(), tied.len())
        };
        let bound =
            |a: &TileAnswer| a.bound.as_deref().map(|b| format!(", bound by {b}")).unwrap_or_default();
        if let Some(i) = self.fastest {
            let a = &answers[i];
            let time = |a: &TileAnswer| Some(a.time.as_ref().ok()?.value.0);
            let (next, _) = others(&time, i, "slower");
            said.push(format!("fastest: {}{}{next}", a.tile, bound(a)));
        }
        if let Some(i) = self.least_energy {
            let a = &answers[i];
            let (next, tied) = others(&|a| Some(a.energy()?.value.0), i, "the energy");
            let why = if tied > 0 {
                ""
            } else if self.fastest == self.least_energy {
                ", because it is the fastest: power differs less than time"
            } else {
                ": its power falls by more than its time grows"
            };
            said.push(format!("least energy: {}{why}{next}", a.tile));
        }
        let overlap = self.fastest.is_some_and(|i| overlaps(answers, i));
        said.extend(overlap.then(|| {
            "the intervals of the fastest tiles overlap: the order is the model's, measure both".to_string()
        }));
        said
    }
}

/// Whether another tile's time may be as short as the fastest's.
fn overlaps(answers: &[TileAnswer], fastest: usize) -> bool {
    let Ok(first) = &answers[fastest].time else { return false };
    let others = answers.iter().enumerate().filter(|(i, _)| *i != fastest);
    others.filter_map(|(_, a)| a.time.as_ref().ok()).any(|t| t.low < first.high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranged<T>(value: T, low: T, high: T) -> Ranged<T> {
        Ranged { value, low, high, from: From::Modelled }
    }

    #[test]
    fn energy_is_power_times_time_and_its_interval_holds_both_errors() {
        let time = ranged(Seconds(0.01), Seconds(0.005), Seconds(0.02));
        let power = ranged(Watts(150.0), Watts(120.0), Watts(200.0));
        let e = energy(&time, &power);
        assert!((e.value.0 - 1.5).abs() < 1e-12);
        let ends = (0.005 * 120.0, 0.02 * 200.0);
        assert!(ends.0 < e.low.0 && e.low.0 < 1.5 * 0.5, "wider than the time's alone: {e:?}");
        assert!(1.5 * 2.0 < e.high.0 && e.high.0 < ends.1, "narrower than both ends at once: {e:?}");
        let sure = energy(&time, &ranged(Watts(150.0), Watts(150.0), Watts(150.0)));
        assert!((sure.low.0 / 0.75 - 1.0).abs() < 1e-12 && (sure.high.0 / 3.0 - 1.0).abs() < 1e-12);
    }

    fn answer(tile: Tile, ms: f64, watts: f64) -> TileAnswer {
        let time = ranged(Seconds(ms / 1e3), Seconds(ms / 2e3), Seconds(ms / 500.0));
        let power = ranged(Watts(watts), Watts(watts / 1.5), Watts(watts * 1.5));
        TileAnswer {
            tile,
            occupancy: None,
            is_occupancy_bound: false,
            bound: Some("compute".into()),
            time: Ok(time),
            power: Some(power),
            modelled: None,
            flops: 2e9,
            cautions: Vec::new(),
        }
    }

    #[test]
    fn the_fastest_need_not_take_the_least_energy() {
        let all = [
            answer(Tile::Side(8), 2.0, 50.0),
            answer(Tile::Library, 1.0, 200.0),
            answer(Tile::Side(1), 9.0, 30.0),
        ];
        let best = best(&all);
        assert_eq!(best, BestTiles { fastest: Some(1), least_energy: Some(0) });
        let said = best.advice_lines(&all);
        assert!(
            said[0].starts_with("fastest: 128x128, bound by compute; 8x8 next, 2.00× slower"),
            "{said:?}"
        );
        assert!(said[1].contains("8x8: its power falls") && said[2].contains("overlap"), "{said:?}");
        let rate = all[1].rate().unwrap();
        assert!((rate.value.0 - 2e12).abs() < 1.0 && rate.low < rate.value && rate.value < rate.high);
        assert!(super::best(&[]).advice_lines(&[]).is_empty());
    }

    #[test]
    fn tiles_that_no_figure_tells_apart_are_not_ordered() {
        let tied = [Tile::Side(8), Tile::Side(16), Tile::Library].map(|tile| answer(tile, 1.0, 50.0));
        let said = best(&tied).advice_lines(&tied);
        assert_eq!(said[0], "fastest: 8x8, bound by compute; 2 other tiles within 0.5 %");
        assert_eq!(said[1], "least energy: 8x8; 2 other tiles within 0.5 %");
        let mut slower = tied.to_vec();
        slower[1] = answer(Tile::Side(16), 2.0, 50.0);
        let said = best(&slower).advice_lines(&slower);
        assert_eq!(
            said[0],
            "fastest: 8x8, bound by compute; 1 other tile within 0.5 %; 16x16 next, 2.00× slower"
        );
    }

    #[test]
    fn only_blocks_smaller_than_a_warp_are_cautioned() {
        let cautioned: Vec<String> =
            Tile::ALL.iter().filter(|t| t.caution().is_some()).map(ToString::to_string).collect();
        assert_eq!(cautioned, ["1x1", "2x2", "4x4"]);
    }
}
