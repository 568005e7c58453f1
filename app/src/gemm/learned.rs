//! What the user's own GEMM rows say: the model's error on them, by size, carried to sizes among theirs.
//!
//! One number is learned for time and one for power: the median over sizes of ln(measured / modelled). More cannot be told
//! from a handful of sizes. Its interval is split conformal over sizes: each size's error after the correction that the other
//! sizes give. Outside the sizes' range the model answers as if nothing had been measured.

use super::GemmRow;
use super::measured_tiles::MeasuredTile;
use super::physical::Physical;
use super::rows::BUSY_PERCENT;
use super::rows::medians;
use super::sharing::SharedTimes;
use crate::answer::conformal_rank;
use crate::learn::metrics::median;
use crate::learn::prepare::quantile;
use crate::text::counted;
use std::collections::BTreeMap;

/// Sizes below which nothing is learned: an interval of 90 % of fewer errors says nothing.
const FEWEST: usize = 5;

/// ln(measured / modelled) over the sizes measured.
#[derive(Debug, Clone, PartialEq)]
pub struct GemmCorrection {
    /// What the model's number is multiplied by.
    pub factor: f64,
    /// Half-width of the 90 % interval in ln.
    pub ln_90: f64,
    /// Rows behind it.
    pub rows: usize,
    /// Sizes behind it.
    pub sizes: usize,
    /// Least and greatest m, n, k.
    range: [(f64, f64); 3],
}

impl GemmCorrection {
    /// From rows: size, and ln(measured / modelled). `None` where there are fewer than five sizes.
    #[must_use]
    pub fn from_errors(errors: &[([f64; 3], f64)]) -> Option<Self> {
        let mut by_size: BTreeMap<[u64; 3], Vec<f64>> = BTreeMap::new();
        for (size, ln) in errors {
            by_size.entry(size.map(f64::to_bits)).or_default().push(*ln);
        }
        if by_size.len() < FEWEST {
            return None;
        }
        let middles: Vec<f64> = by_size.into_values().filter_map(median).collect();
        let ln = median(middles.clone())?;
        let mut left: Vec<f64> = (0..middles.len())
            .filter_map(|held| {
                let others = middles.iter().enumerate().filter(|(i, _)| *i != held).map(|(_, v)| *v);
                Some((middles[held] - median(others.collect())?).abs())
            })
            .collect();
        left.sort_by(f64::total_cmp);
        // Where no rank holds 90 %, the largest error there is.
        let ln_90 = *conformal_rank(left.len()).map_or(left.last(), |rank| left.get(rank - 1))?;
        let range = [0, 1, 2].map(|i| {
            let ends = errors.iter().map(|(size, _)| size[i]);
            ends.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)))
        });
        Some(Self { factor: ln.exp(), ln_90, rows: errors.len(), sizes: middles.len(), range })
    }

    /// Whether a size lies among those measured.
    #[must_use]
    pub fn holds(&self, size: [f64; 3]) -> bool {
        size.iter().zip(self.range).all(|(v, (low, high))| (low..=high).contains(v))
    }

    /// `m 512–128256, n 512–2048, k 512–2048`.
    #[must_use]
    pub fn range_words(&self) -> String {
        let words = ["m", "n", "k"].into_iter().zip(self.range);
        words.map(|(key, (low, high))| format!("{key} {low}–{high}")).collect::<Vec<_>>().join(", ")
    }
}

/// What one GPU's rows of the library's kernel say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LearnedGemm {
    /// Of time.
    pub time: Option<GemmCorrection>,
    /// Of power.
    pub power: Option<GemmCorrection>,
    /// Median times of every problem, with the 5 and 95 % points of its rows, in ms.
    measured: Vec<(GemmRow, f64, f64)>,
    /// What was measured of the tiled kernel.
    pub tiles: Vec<MeasuredTile>,
    /// What a reader must know of the rows.
    pub cautions: Vec<String>,
}

impl LearnedGemm {
    /// From one GPU's rows of the library's kernel; `model` says what is modelled of a row.
    #[must_use]
    pub fn from_rows(rows: &[GemmRow], model: impl Fn(&GemmRow) -> Option<Physical>) -> Self {
        let middles = medians(rows);
        let time = |r: &GemmRow| Some((r.size, (r.ms / 1e3 / model(r)?.default_model.0).ln()));
        let times: Vec<_> = middles.iter().filter_map(time).collect();
        let watts = |r: &GemmRow| Some((r.size, (r.watts? / model(r)?.watts_at_measured).ln()));
        let shared: Vec<String> = super::sharing::shared(rows)
            .into_iter()
            .filter(SharedTimes::is_shared)
            .map(|s| s.shape)
            .collect();
        let own = rows.iter().filter(|r| r.is_audited() && !shared.contains(&r.shape()));
        let powers: Vec<_> = own.filter_map(watts).collect();
        let measured = middles.into_iter().map(|m| {
            let (low, high) = ends(rows, &m);
            (m, low, high)
        });
        Self {
            time: GemmCorrection::from_errors(&times),
            power: GemmCorrection::from_errors(&powers),
            measured: measured.collect(),
            tiles: Vec::new(),
            cautions: fit_cautions(shared.len(), &powers),
        }
    }

    /// The median time of this very problem and its rows' 5 and 95 % points, in ms.
    #[must_use]
    pub fn measured(&self, size: [f64; 3], variant: &str) -> Option<(f64, f64, f64)> {
        let found = self.measured.iter().find(|(m, ..)| m.size == size && m.variant == variant);
        found.map(|(m, low, high)| (m.ms, *low, *high))
    }
}

/// The 5 and 95 % points of the times behind a median.
fn ends(rows: &[GemmRow], of: &GemmRow) -> (f64, f64) {
    let quiet = |r: &&GemmRow| r.busy_percent.is_none_or(|u| u < BUSY_PERCENT);
    let own: Vec<&GemmRow> = rows.iter().filter(|r| r.size == of.size && r.variant == of.variant).collect();
    let any_quiet = own.iter().any(quiet);
    let mut times: Vec<f64> = own.iter().filter(|r| !any_quiet || quiet(r)).map(|r| r.ms).collect();
    times.sort_by(f64::total_cmp);
    let at = |share| quantile(&times, share).unwrap_or(of.ms);
    (at(0.05), at(0.95))
}

fn fit_cautions(slow: usize, powers: &[([f64; 3], f64)]) -> Vec<String> {
    let mut said = Vec::new();
    if slow > 0 {
        said.push(format!(
            "--data: {} ran 1.4× slower or drifted at high utilisation (shared GPU); power readings then are ignored",
            counted(slow, "size")
        ));
    }
    let sizes =
        powers.iter().map(|(s, _)| s.map(f64::to_bits)).collect::<std::collections::BTreeSet<_>>().len();
    if sizes < FEWEST {
        said.push(format!(
            "--data: {} with a power reading at {BUSY_PERCENT} % utilisation or more; power is corrected from {FEWEST} sizes on",
            counted(sizes, "size")
        ));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_error_is_learned_and_only_among_the_sizes() {
        let errors: Vec<([f64; 3], f64)> = (1..=6).map(|i| ([512.0 * f64::from(i); 3], 0.5)).collect();
        let c = GemmCorrection::from_errors(&errors).unwrap();
        assert!((c.factor - 0.5_f64.exp()).abs() < 1e-12 && c.ln_90 < 1e-12, "{c:?}");
        assert!(c.holds([600.0; 3]) && !c.holds([600.0, 600.0, 4000.0]) && !c.holds([100.0; 3]));
        assert_eq!(c.range_words(), "m 512–3072, n 512–3072, k 512–3072");
        assert_eq!(GemmCorrection::from_errors(&errors[..4]), None, "four sizes are too few");
    }

    #[test]
    fn the_interval_is_as_wide_as_the_sizes_disagree() {
        let errors: Vec<([f64; 3], f64)> =
            (1..=10).map(|i| ([f64::from(i); 3], if i % 2 == 0 { 0.2 } else { -0.2 })).collect();
        let c = GemmCorrection::from_errors(&errors).unwrap();
        assert!(c.ln_90 >= 0.2, "{c:?}");
    }
}
