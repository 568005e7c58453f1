//! Paper 4's Algorithm 1: derived features, 1 to 99 % clipping, missing values.
//!
//! The text clips and fills the rows that it trains on. The authors' program clips column by column and drops the rows
//! without power in between, so that sizes, derived features and runtime are clipped by the quantiles of *all* rows. Their
//! figures come out with the second reading only; both are kept.

use crate::gemm::{GemmRow, GemmTarget};
use crate::learn::prepare::quantile;
use crate::learn::{LearnError, LearningTable};

/// Whose quantiles clip sizes, derived features and runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clipping {
    /// Those of all rows, as the authors' program does.
    AllRows,
    /// Those of the rows with power, as the text's Algorithm 1 can be read.
    RowsWithPower,
}

/// The features of paper 4's model. Its fourth derived one, whether the intensity lies above the ridge of 59 FLOP/B, is
/// computed by the authors' program and given to no model: it is left out here.
pub const FEATURES: [&str; 9] = [
    "m",
    "n",
    "k",
    "nominal_block_1",
    "nominal_block_2",
    "nominal_block_3",
    "arithmetic_intensity",
    "bytes_accessed",
    "total_flops",
];

/// The share that is clipped at either end.
const CLIPPED: f64 = 0.01;

/// Rows with power, as the models see them.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedRows {
    /// [`FEATURES`].
    pub features: LearningTable,
    /// The targets in the order of [`GemmTarget::ALL`].
    pub targets: [Vec<f64>; 4],
    /// Rows that were read.
    pub read: usize,
}

impl PreparedRows {
    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values of this target.
    #[must_use]
    pub fn target(&self, target: GemmTarget) -> &[f64] {
        &self.targets[target as usize]
    }
}

/// [`FEATURES`] of a row, before anything is clipped.
#[must_use]
pub fn features(row: &GemmRow) -> [f64; 9] {
    let ([m, n, k], [a, b, c]) = (row.size, row.nominal_block);
    [m, n, k, a, b, c, row.flops() / row.moved_bytes(), row.moved_bytes(), row.flops()]
}

/// The rows with power after paper 4's preprocessing. No feature of a row is ever missing, so that the median fills nothing.
///
/// # Errors
/// [`LearnError`] where no row has a power.
pub fn prepare(rows: &[GemmRow], clipping: Clipping) -> Result<PreparedRows, LearnError> {
    let with: Vec<usize> = (0..rows.len()).filter(|i| rows[*i].watts.is_some()).collect();
    let all: Vec<usize> = (0..rows.len()).collect();
    let whole = if clipping == Clipping::AllRows { &all } else { &with };
    let column = |of: &dyn Fn(&GemmRow) -> f64, whose: &[usize]| -> Vec<f64> {
        let (low, high) = ends(whose.iter().map(|i| of(&rows[*i])).collect());
        with.iter().map(|i| of(&rows[*i]).clamp(low, high)).collect()
    };
    let columns: Vec<Vec<f64>> = (0..FEATURES.len()).map(|j| column(&|r| features(r)[j], whole)).collect();
    let values = (0..with.len()).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
    let names = FEATURES.iter().map(ToString::to_string).collect();
    // By the time energy and rate are clipped, the rows without power are gone in either reading.
    let target = |t: GemmTarget| {
        let whose = if t == GemmTarget::Time { whole } else { &with };
        column(&|r| t.target_value(r).unwrap_or_default(), whose)
    };
    if with.is_empty() {
        let why = "paper 4's models".into();
        return Err(LearnError::TooFew { what: "rows with power_w", found: 0, needed: 2, why });
    }
    Ok(PreparedRows {
        features: LearningTable::new(names, values)?,
        targets: GemmTarget::ALL.map(target),
        read: rows.len(),
    })
}

/// The quantiles between which values are kept.
fn ends(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share| quantile(&values, share).unwrap_or(f64::NAN);
    (at(CLIPPED), at(1.0 - CLIPPED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::GpuId;

    #[test]
    fn quantiles_are_pandas() {
        // pandas: Series([1, 2, 4, 8, 16]).quantile([0.01, 0.25, 0.6, 0.99])
        let values = [1.0, 2.0, 4.0, 8.0, 16.0];
        for (q, expected) in [(0.01, 1.04), (0.25, 2.0), (0.6, 5.6), (0.99, 15.68)] {
            assert!((quantile(&values, q).unwrap() - expected).abs() < 1e-12, "{q}");
        }
        assert!(quantile(&[], 0.5).is_none());
    }

    fn row(ms: f64, watts: Option<f64>) -> GemmRow {
        GemmRow {
            gpu: GpuId::default(),
            size: [512.0, 256.0, 128.0],
            variant: "layout=nn".into(),
            nominal_block: [64.0, 64.0, 32.0],
            ms,
            watts,
            busy_percent: Some(100.0),
        }
    }

    #[test]
    fn the_two_readings_clip_the_runtime_by_other_rows() {
        let rows: Vec<GemmRow> =
            (0..100).map(|i| row(f64::from(i + 1), (i < 50).then_some(100.0 + f64::from(i)))).collect();
        let longest = |clipping| {
            let p = prepare(&rows, clipping).unwrap();
            assert_eq!((p.len(), p.read), (50, 100));
            p.target(GemmTarget::Time).iter().copied().fold(0.0, f64::max)
        };
        assert_eq!(longest(Clipping::AllRows), 50.0);
        assert!((longest(Clipping::RowsWithPower) - 49.51).abs() < 1e-9);
    }

    #[test]
    fn features_and_targets_by_hand() {
        let r = row(2.0, Some(150.0));
        let [.., intensity, bytes, flops] = features(&r);
        assert_eq!(bytes, 4.0 * (512.0 * 128.0 + 128.0 * 256.0 + 512.0 * 256.0));
        assert_eq!((flops, intensity), (2.0 * 512.0 * 256.0 * 128.0, flops / bytes));
        assert_eq!(GemmTarget::Energy.target_value(&r), Some(0.3), "energy is power x time");
        assert!(prepare(&[row(1.0, None)], Clipping::AllRows).is_err());
    }
}
