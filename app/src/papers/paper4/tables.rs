//! Paper 4's Tables IV, V and VI, from its rows, by its preprocessing, split and models.

use super::models::{Paper4Architecture, Scores, predicted, values_at};
use super::numpy::train_test_split;
use super::prepare::{Clipping, PreparedRows, prepare};
use crate::gemm::{GemmRow, GemmTarget};
use crate::learn::prepare::correlation;
use crate::learn::{LearnError, Progress};

/// The paper's split: a fifth for testing, `random_state=42` of the authors' program.
pub(super) const TESTED: f64 = 0.2;
pub(super) const SPLIT: u32 = 42;

/// Splits that the spread is taken over: random states 0 to 9.
const SEEDS: u32 = 10;

/// Rows of Table V and of the correlation matrix.
pub const DIMENSIONS: [&str; 7] = ["M", "N", "K", "M×N", "M×K", "N×K", "M×N×K"];

/// Columns of the correlation matrix after [`DIMENSIONS`].
pub const METRICS: [&str; 4] = ["runtime", "power", "energy", "TFLOPS"];

/// One figure of the paper: as it is printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// R².
    pub r2: f64,
    /// Mean squared error.
    pub mse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Median error in percent.
    pub median_percent: f64,
    /// Mean error in percent.
    pub mean_percent: f64,
}

/// Table IV, by target. Its first number is headed "MSE" and is the R² of the text.
pub const TABLE4: [Published; 4] = [
    Published { r2: 0.9808, mse: 33.53, mae: 2.86, median_percent: 11.41, mean_percent: 15.57 },
    Published { r2: 0.7783, mse: 897.30, mae: 16.85, median_percent: 5.42, mean_percent: 22.16 },
    Published { r2: 0.8572, mse: 7.89, mae: 1.38, median_percent: 22.01, mean_percent: 43.02 },
    Published { r2: 0.8637, mse: 2_362_295.18, mae: 1063.65, median_percent: 6.39, mean_percent: 10.85 },
];

/// Table V: M×N, M×K, N×K and M×N×K against runtime, power, energy, TFLOPS.
pub const TABLE5: [[f64; 4]; 4] = [
    [0.85, 0.80, 0.77, -0.39],
    [0.89, 0.59, 0.81, -0.23],
    [0.69, 0.38, 0.65, -0.09],
    [0.98, 0.70, 0.91, -0.41],
];

/// Table VI: R² of runtime, power, energy, in the order of [`Paper4Architecture::ALL`].
pub const TABLE6: [[f64; 3]; 4] =
    [[0.9808, 0.7783, 0.8572], [0.9456, 0.7234, 0.8123], [0.9623, 0.7456, 0.8345], [0.8234, 0.6123, 0.7234]];

/// Least and greatest of a score over splits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreSpread {
    /// With the least R².
    pub worst: Scores,
    /// With the greatest.
    pub best: Scores,
}

/// The paper's tables, ours.
#[derive(Debug, Clone, PartialEq)]
pub struct Paper4Tables {
    /// Rows that were read, with power, to train on, to test on.
    pub rows: [usize; 4],
    /// Table IV: the forest, by target.
    pub table4: [Scores; 4],
    /// The same over other splits and seeds.
    pub spread: [ScoreSpread; 4],
    /// The same where everything is clipped among the rows with power, as the text reads.
    pub as_written: [Scores; 4],
    /// Correlations of [`DIMENSIONS`] and [`METRICS`] on the test rows; `None` where one of the two does not vary.
    pub correlations: Vec<Vec<Option<f64>>>,
    /// Table VI: by architecture, then target.
    pub table6: [[Scores; 4]; 4],
}

/// Trains and tests everything.
///
/// # Errors
/// [`LearnError`] where the rows are too few, or it was cancelled.
pub fn reproduce(rows: &[GemmRow], progress: &Progress) -> Result<Paper4Tables, LearnError> {
    let published = prepare(rows, Clipping::AllRows)?;
    let (train, test) = train_test_split(published.len(), TESTED, SPLIT);
    let scored = |p: &PreparedRows, a: Paper4Architecture, seed: u32| all_targets(p, a, seed, progress);
    let table6 = {
        let mut all = [[Scores::default(); 4]; 4];
        for (scores, architecture) in all.iter_mut().zip(Paper4Architecture::ALL) {
            *scores = scored(&published, architecture, SPLIT)?;
        }
        all
    };
    let mut runs = Vec::new();
    for seed in 0..SEEDS {
        runs.push(scored(&published, Paper4Architecture::Forest, seed)?);
    }
    let as_written = scored(&prepare(rows, Clipping::RowsWithPower)?, Paper4Architecture::Forest, SPLIT)?;
    Ok(Paper4Tables {
        rows: [published.read, published.len(), train.len(), test.len()],
        table4: table6[1],
        spread: GemmTarget::ALL.map(|t| spread(runs.iter().map(|run| run[t as usize]))),
        as_written,
        correlations: correlations(&published, &test),
        table6,
    })
}

/// The least and the greatest R².
fn spread(scores: impl Iterator<Item = Scores>) -> ScoreSpread {
    let all: Vec<Scores> = scores.collect();
    let by = |a: &&Scores, b: &&Scores| a.r2.total_cmp(&b.r2);
    let pick = |one: Option<&Scores>| one.copied().unwrap_or_default();
    ScoreSpread { worst: pick(all.iter().min_by(by)), best: pick(all.iter().max_by(by)) }
}

/// One architecture on the split of this seed.
fn all_targets(
    p: &PreparedRows,
    architecture: Paper4Architecture,
    seed: u32,
    progress: &Progress,
) -> Result<[Scores; 4], LearnError> {
    let (train, test) = train_test_split(p.len(), TESTED, seed);
    let recipe = architecture.recipe(u64::from(seed));
    let mut all = [Scores::default(); 4];
    for (scores, target) in all.iter_mut().zip(GemmTarget::ALL) {
        let values = p.target(target);
        let said = predicted(&recipe, &p.features, values, &train, &test, progress)?;
        let truth = values_at(values, &test);
        *scores = Scores::from_predictions(&truth, &said).ok_or_else(|| {
            let why = format!("scores of {}", target.as_str());
            LearnError::TooFew { what: "rows that differ", found: test.len(), needed: 2, why }
        })?;
    }
    Ok(all)
}

/// The paper's figure 6: correlations on the test rows, clipped as the models see them.
#[must_use]
pub fn correlations(p: &PreparedRows, test: &[usize]) -> Vec<Vec<Option<f64>>> {
    let size = |j: usize| values_at(&p.features.column(j), test);
    let [m, n, k] = [0, 1, 2].map(size);
    let times = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).collect::<Vec<f64>>();
    let (mn, mk, nk) = (times(&m, &n), times(&m, &k), times(&n, &k));
    let mnk = times(&mn, &k);
    let metrics = GemmTarget::ALL.map(|t| values_at(p.target(t), test));
    let columns: Vec<Vec<f64>> = [m, n, k, mn, mk, nk, mnk].into_iter().chain(metrics).collect();
    columns.iter().map(|a| columns.iter().map(|b| correlation(a, b)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_is_numpys() {
        // numpy.corrcoef([1, 2, 3, 5], [2, 1, 4, 8])[0, 1]
        let r = correlation(&[1.0, 2.0, 3.0, 5.0], &[2.0, 1.0, 4.0, 8.0]).unwrap();
        assert!((r - 0.929_970_279_362_138_7).abs() < 1e-12, "{r}");
        assert_eq!(correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(correlation(&[], &[]), None);
    }
}
