//! Gradient boosting of regression trees under squared error (Friedman 2001), with exact splits as in scikit-learn's
//! `GradientBoostingRegressor`. Our own rather than forust's, because paper 1's figures come from exact splits, and because
//! monotone columns, seeds and cancelling are needed together.

use super::error::LearnError;
use super::forest::normalise;
use super::kind::Parameters;
use super::random::Random;
use super::table::LearningTable;
use super::tree::{Binned, Grower, TreeLimits, TreePoint, Trees};
use crate::progress::Progress;
use serde::{Deserialize, Serialize};

/// The parameters of gradient boosting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoostingParameters {
    /// How many trees.
    pub rounds: usize,
    /// Deepest leaf; the root is at 0.
    pub depth: usize,
    /// What each tree's answer is multiplied by.
    pub learning_rate: f64,
    /// Share of the rows that each tree sees, drawn without replacement.
    pub subsample: f64,
    /// Fewest rows in a leaf.
    pub min_leaf: usize,
    /// Per column 1 (the answer never falls as the column rises), -1 (it never rises) or 0; empty: no constraint.
    pub monotone: Vec<i8>,
}

impl Default for BoostingParameters {
    fn default() -> Self {
        Self { rounds: 100, depth: 3, learning_rate: 0.1, subsample: 1.0, min_leaf: 1, monotone: Vec::new() }
    }
}

impl BoostingParameters {
    /// Whether every parameter lies in its range.
    pub(super) fn check_ranges(&self, checked: Parameters, width: usize) -> Result<(), LearnError> {
        checked.at_least("rounds", self.rounds, 1)?;
        checked.at_least("min_leaf", self.min_leaf, 1)?;
        checked.positive("learning_rate", self.learning_rate)?;
        checked.check_share("subsample", self.subsample)?;
        let signs = self.monotone.is_empty() || self.monotone.len() == width;
        let given = format!("{} signs", self.monotone.len());
        checked.require(signs, "monotone", given, &format!("empty, or one of {width}"))?;
        let known = self.monotone.iter().all(|s| (-1..=1).contains(s));
        checked.require(known, "monotone", format!("{:?}", self.monotone), "made of -1, 0 and 1")
    }
}

/// A fitted sum of trees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Boosting {
    /// The mean of the target.
    start: f64,
    /// What each tree's answer is multiplied by.
    learning_rate: f64,
    trees: Trees,
    /// Per column, the share of the squared error that its splits saved.
    pub(super) importances: Vec<f64>,
}

impl Boosting {
    pub(super) fn fit_trees(
        parameters: &BoostingParameters,
        seed: u64,
        table: &LearningTable,
        target: &[f64],
        progress: &Progress,
    ) -> Result<Self, LearnError> {
        let n = target.len();
        let start = target.iter().sum::<f64>() / n as f64;
        let binned = Binned::new(table);
        let limits = TreeLimits {
            max_depth: parameters.depth,
            min_leaf: parameters.min_leaf,
            min_split: 2,
            tried: table.width(),
            monotone: &parameters.monotone,
        };
        let mut grower = Grower::new(&binned, limits);
        let mut random = Random::new(seed, 0);
        let mut left: Vec<f64> = target.iter().map(|t| t - start).collect();
        let mut boosting = Self {
            start,
            learning_rate: parameters.learning_rate,
            trees: Trees::default(),
            importances: vec![0.0; table.width()],
        };
        for _ in 0..parameters.rounds {
            progress.check_cancelled()?;
            let mut points = drawn(&left, parameters.subsample, &mut random);
            let tree = grower.grow(&mut points, &mut random, &mut boosting.importances);
            for (left, row) in left.iter_mut().zip(table.rows()) {
                *left -= parameters.learning_rate * tree.sum(row);
            }
            boosting.trees.append(&tree);
            progress.advance(1);
        }
        normalise(&mut boosting.importances);
        Ok(boosting)
    }

    /// Whether it asks no column beyond this width.
    pub(super) fn is_of(&self, width: usize) -> bool {
        self.importances.len() == width && self.trees.ask_below(width)
    }

    pub(super) fn predict_row(&self, row: &[f64]) -> f64 {
        self.start + self.learning_rate * self.trees.sum(row)
    }

    /// The same for rows behind each other.
    pub(super) fn predict_rows(&self, rows: &[f64], width: usize) -> Vec<f64> {
        let sums = self.trees.sums(rows, width);
        sums.into_iter().map(|sum| self.start + self.learning_rate * sum).collect()
    }
}

/// A share of the rows, without replacement, at least one.
fn drawn(left: &[f64], share: f64, random: &mut Random) -> Vec<TreePoint> {
    let point = |row: usize| TreePoint {
        row: u32::try_from(row).expect("recipes refuse more than 2^31 rows"),
        weight: 1.0,
        target: left[row],
    };
    let n = left.len();
    let wanted = ((n as f64 * share) as usize).max(1);
    if wanted >= n {
        return (0..n).map(point).collect();
    }
    // Selection sampling (Knuth, algorithm S): each row with the chance that fills what is still wanted.
    let mut points = Vec::with_capacity(wanted);
    for row in 0..n {
        if random.below(n - row) < wanted - points.len() {
            points.push(point(row));
        }
    }
    points
}
