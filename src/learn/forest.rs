//! Random forest (Breiman 2001) with the meaning of scikit-learn's `RandomForestRegressor`: bootstrap as weights, squared
//! error, the mean of all trees. Our own, because smartcore's forest tries sqrt(p) columns where scikit-learn tries all,
//! cannot be made to stop on request, and saves 264 MB where flat arrays save 10.

use super::error::LearnError;
use super::kind::Parameters;
use super::random::Random;
use super::table::LearningTable;
use super::tree::{Binned, Grower, OutlinedNode, TreeLimits, TreePoint, Trees};
use crate::progress::Progress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// How many columns a split of a forest tries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Features {
    /// All of them, as scikit-learn's regressor does.
    All,
    /// The square root of their number.
    Sqrt,
    /// This share of them, above 0 and at most 1.
    Share(f64),
}

/// A random forest's parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ForestParameters {
    /// How many trees.
    pub trees: usize,
    /// Deepest leaf; the root is at 0, as scikit-learn counts. None: no limit.
    pub max_depth: Option<usize>,
    /// Fewest rows in a leaf.
    pub min_samples_leaf: usize,
    /// Fewest rows in a node that is split.
    pub min_samples_split: usize,
    /// Columns that a split tries.
    pub features_per_split: Features,
    /// Whether each tree sees rows drawn with replacement; otherwise all rows.
    pub bootstrap: bool,
}

impl Default for ForestParameters {
    fn default() -> Self {
        Self {
            trees: 100,
            max_depth: None,
            min_samples_leaf: 1,
            min_samples_split: 2,
            features_per_split: Features::All,
            bootstrap: true,
        }
    }
}

impl ForestParameters {
    /// Whether every parameter lies in its range.
    pub(super) fn check_ranges(&self, checked: Parameters) -> Result<(), LearnError> {
        checked.at_least("trees", self.trees, 1)?;
        checked.at_least("min_samples_leaf", self.min_samples_leaf, 1)?;
        checked.at_least("min_samples_split", self.min_samples_split, 2)?;
        match self.features_per_split {
            Features::Share(part) => checked.check_share("features_per_split", part),
            Features::All | Features::Sqrt => Ok(()),
        }
    }
}

/// A fitted forest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Forest {
    /// Added to the mean of the trees: the mean of the target.
    centre: f64,
    trees: Trees,
    /// Per column, the share of the squared error that its splits saved; sums to 1, or to 0 where nothing was split.
    pub(super) importances: Vec<f64>,
}

impl Forest {
    pub(super) fn fit_trees(
        parameters: &ForestParameters,
        seed: u64,
        table: &LearningTable,
        target: &[f64],
        progress: &Progress,
    ) -> Result<Self, LearnError> {
        let centre = target.iter().sum::<f64>() / target.len() as f64;
        let binned = Binned::new(table);
        let limits = TreeLimits {
            max_depth: parameters.max_depth.unwrap_or(usize::MAX),
            min_leaf: parameters.min_samples_leaf,
            min_split: parameters.min_samples_split,
            tried: tried(parameters.features_per_split, table.width()),
            monotone: &[],
        };
        let grow = |grower: &mut Grower<'_>, tree: usize| {
            progress.check_cancelled()?;
            let mut random = Random::new(seed, tree as u64);
            let mut points = drawn(target, centre, parameters.bootstrap, &mut random);
            let mut gains = vec![0.0; table.width()];
            let grown = grower.grow(&mut points, &mut random, &mut gains);
            progress.advance(1);
            Ok::<_, LearnError>((grown, gains))
        };
        let all = (0..parameters.trees).into_par_iter();
        let grown: Vec<_> =
            all.map_init(|| Grower::new(&binned, limits.clone()), grow).collect::<Result<_, _>>()?;
        let mut trees = Trees::default();
        let mut importances = vec![0.0; table.width()];
        for (tree, gains) in &grown {
            trees.append(tree);
            add_shares(&mut importances, gains);
        }
        normalise(&mut importances);
        Ok(Self { centre, trees, importances })
    }

    /// Whether it asks no column beyond this width.
    pub(super) fn is_of(&self, width: usize) -> bool {
        !self.trees.is_empty() && self.importances.len() == width && self.trees.ask_below(width)
    }

    /// The first `splits` levels of a tree.
    pub(super) fn outlined(&self, tree: usize, splits: usize) -> Vec<OutlinedNode> {
        self.trees.outlined(tree, splits, self.centre)
    }

    pub(super) fn predict_row(&self, row: &[f64]) -> f64 {
        self.centre + self.trees.sum(row) / self.trees.len() as f64
    }

    /// The same for rows behind each other.
    pub(super) fn predict_rows(&self, rows: &[f64], width: usize) -> Vec<f64> {
        let count = self.trees.len() as f64;
        self.trees.sums(rows, width).into_iter().map(|sum| self.centre + sum / count).collect()
    }
}

/// How many columns a split tries.
fn tried(features: Features, width: usize) -> usize {
    let many = match features {
        Features::All => width,
        Features::Sqrt => (width as f64).sqrt() as usize,
        Features::Share(share) => (width as f64 * share) as usize,
    };
    many.clamp(1, width)
}

/// The rows a tree sees: n drawn with replacement, or all of them.
fn drawn(target: &[f64], centre: f64, bootstrap: bool, random: &mut Random) -> Vec<TreePoint> {
    let n = target.len();
    let mut times = vec![u32::from(!bootstrap); n];
    if bootstrap {
        (0..n).for_each(|_| times[random.below(n)] += 1);
    }
    let point = |(row, times): (usize, &u32)| TreePoint {
        row: u32::try_from(row).expect("recipes refuse more than 2^31 rows"),
        weight: *times as f32,
        target: target[row] - centre,
    };
    times.iter().enumerate().filter(|(_, times)| **times > 0).map(point).collect()
}

/// Adds each gain's share of their sum, so that every tree counts alike.
pub(super) fn add_shares(sums: &mut [f64], gains: &[f64]) {
    let whole: f64 = gains.iter().sum();
    if whole > 0.0 {
        sums.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain / whole);
    }
}

pub(super) fn normalise(shares: &mut [f64]) {
    let whole: f64 = shares.iter().sum();
    if whole > 0.0 {
        shares.iter_mut().for_each(|share| *share /= whole);
    }
}
