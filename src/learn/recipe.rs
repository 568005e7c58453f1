//! Which model with which parameters, and the checks before it is fitted.

use super::error::LearnError;
use super::fitted::{Fitted, Model, Outputs};
use super::scaler::Scaler;
use super::table::Table;
use crate::progress::Progress;
use serde::{Deserialize, Serialize};

/// A kind of model with its parameters. Defaults of the parameter structs are scikit-learn's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Regressor {
    /// Least squares.
    Linear,
    /// Least squares with a penalty on squared coefficients.
    Ridge {
        /// Weight of the penalty.
        alpha: f64,
    },
    /// Least squares (half its mean) with a penalty on the coefficients' sizes.
    Lasso {
        /// Weight of the penalty.
        alpha: f64,
    },
    /// Support vector regression with a Gaussian kernel.
    Svr {
        /// Bound of each coefficient.
        c: f64,
        /// Errors up to it are free, in the target's unit.
        epsilon: f64,
        /// The kernel's 1 / length².
        gamma: Gamma,
    },
    /// Random forest.
    Forest(ForestParameters),
    /// Gradient boosting of trees under squared error.
    Boosting(BoostingParameters),
    /// Mean of the nearest rows.
    Nearest {
        /// How many.
        k: usize,
    },
    /// A last model over what base models say of rows they have not seen.
    Stack {
        /// The base models.
        bases: Vec<Regressor>,
        /// The last one: its columns are the bases' predictions.
        last: Box<Regressor>,
        /// In how many parts the rows (or groups) are held out.
        folds: usize,
    },
}

/// The Gaussian kernel's 1 / length².
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Gamma {
    /// 1 / (columns x variance of all numbers of the table), scikit-learn's 'scale'.
    Scale,
    /// This number.
    Value(f64),
}

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

/// A model before it has seen data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Kind and parameters.
    pub regressor: Regressor,
    /// Whether columns are brought to mean 0 and deviation 1 inside the model.
    pub scaled: bool,
    /// The same seed gives the same model, byte by byte, whatever the number of threads.
    pub seed: u64,
}

/// Most rows of a training table: places of nodes are 32 bits.
const MOST_ROWS: usize = 1 << 31;

impl Recipe {
    /// Checks the parameters for a table of `width` columns.
    ///
    /// # Errors
    /// The first parameter outside its range.
    pub fn check(&self, width: usize) -> Result<(), LearnError> {
        self.regressor.check(width)
    }

    /// Fits it to one target value per row.
    ///
    /// # Errors
    /// Parameters outside their range, a target that is not one finite number per row, too few rows, numbers that
    /// overflow, or a cancelled progress.
    pub fn fit(&self, table: &Table, target: &[f64], progress: &Progress) -> Result<Fitted, LearnError> {
        self.fit_one(table, "target", target, None, progress)
    }

    /// The same, but a stack inside holds out whole groups (one number per row), never rows beside their twins.
    ///
    /// # Errors
    /// As [`Recipe::fit`], and groups that are not one per row.
    pub fn fit_grouped(
        &self,
        table: &Table,
        target: &[f64],
        groups: &[usize],
        progress: &Progress,
    ) -> Result<Fitted, LearnError> {
        if groups.len() != table.len() {
            return Err(LearnError::Length { what: "groups".into(), found: groups.len(), rows: table.len() });
        }
        self.fit_one(table, "target", target, Some(groups), progress)
    }

    /// Fits one model per named target.
    ///
    /// # Errors
    /// As [`Recipe::fit`], naming the target; no targets, or two of one name.
    pub fn fit_many(
        &self,
        table: &Table,
        targets: &[(String, Vec<f64>)],
        progress: &Progress,
    ) -> Result<Outputs, LearnError> {
        if targets.is_empty() {
            let why = "a model of several outputs".into();
            return Err(LearnError::TooFew { what: "targets", found: 0, needed: 1, why });
        }
        for (column, (name, _)) in targets.iter().enumerate() {
            if let Some(first) = targets[..column].iter().position(|(n, _)| n == name) {
                return Err(LearnError::TwiceNamed { column, first, name: name.clone() });
            }
        }
        let fit = |(name, target): &(String, Vec<f64>)| {
            Ok((name.clone(), self.fit_one(table, name, target, None, progress)?))
        };
        Ok(Outputs::new(targets.iter().map(fit).collect::<Result<_, LearnError>>()?))
    }

    fn fit_one(
        &self,
        table: &Table,
        name: &str,
        target: &[f64],
        groups: Option<&[usize]>,
        progress: &Progress,
    ) -> Result<Fitted, LearnError> {
        self.check(table.width())?;
        table.check_target(name, target)?;
        if table.len() < 2 || table.len() > MOST_ROWS {
            let (why, needed) =
                if table.len() < 2 { ("learning", 2) } else { ("at most 2^31 rows; learning", 2) };
            return Err(LearnError::TooFew { what: "rows", found: table.len(), needed, why: why.into() });
        }
        progress.check()?;
        progress.expect(self.regressor.steps());
        let scaler = self.scaled.then(|| Scaler::new(table));
        let scaled = scaler.as_ref().map(|s| s.table(table)).transpose()?;
        let model = Model::fit(
            &self.regressor,
            self.seed,
            (scaled.as_ref().unwrap_or(table), target, groups),
            progress,
        )?;
        if !model.is_finite() {
            let what = "its coefficients are not finite".into();
            return Err(LearnError::Overflow { model: self.regressor.name(), what });
        }
        Ok(Fitted::new(table.names().to_vec(), self.clone(), scaler, model))
    }
}

impl Regressor {
    /// What it is called in messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Ridge { .. } => "ridge",
            Self::Lasso { .. } => "lasso",
            Self::Svr { .. } => "svr",
            Self::Forest(_) => "forest",
            Self::Boosting(_) => "boosting",
            Self::Nearest { .. } => "nearest",
            Self::Stack { .. } => "stack",
        }
    }

    /// How many steps a progress counts while it is fitted.
    pub(super) fn steps(&self) -> usize {
        match self {
            Self::Forest(p) => p.trees,
            Self::Boosting(p) => p.rounds,
            Self::Stack { bases, last, folds } => {
                bases.iter().map(Self::steps).sum::<usize>() * (folds + 1) + last.steps()
            }
            _ => 1,
        }
    }

    fn check(&self, width: usize) -> Result<(), LearnError> {
        let model = self.name();
        let require = |ok: bool, parameter: &'static str, value: String, expected: &str| {
            let expected = expected.to_owned();
            if ok { Ok(()) } else { Err(LearnError::Parameter { model, parameter, value, expected }) }
        };
        let positive = |parameter, value: f64| {
            let ok = value.is_finite() && value > 0.0;
            require(ok, parameter, value.to_string(), "a finite number above 0")
        };
        let not_negative = |parameter, value: f64| {
            let ok = value.is_finite() && value >= 0.0;
            require(ok, parameter, value.to_string(), "a finite number, 0 or above")
        };
        let at_least = |parameter, value: usize, least: usize| {
            require(value >= least, parameter, value.to_string(), &format!("at least {least}"))
        };
        let share = |parameter, value: f64| {
            require(value > 0.0 && value <= 1.0, parameter, value.to_string(), "above 0 and at most 1")
        };
        match self {
            Self::Linear => Ok(()),
            Self::Ridge { alpha } | Self::Lasso { alpha } => not_negative("alpha", *alpha),
            Self::Svr { c, epsilon, gamma } => {
                positive("C", *c)?;
                not_negative("epsilon", *epsilon)?;
                if let Gamma::Value(gamma) = gamma { positive("gamma", *gamma) } else { Ok(()) }
            }
            Self::Forest(p) => {
                at_least("trees", p.trees, 1)?;
                at_least("min_samples_leaf", p.min_samples_leaf, 1)?;
                at_least("min_samples_split", p.min_samples_split, 2)?;
                if let Features::Share(part) = p.features_per_split {
                    share("features_per_split", part)
                } else {
                    Ok(())
                }
            }
            Self::Boosting(p) => {
                at_least("rounds", p.rounds, 1)?;
                at_least("min_leaf", p.min_leaf, 1)?;
                positive("learning_rate", p.learning_rate)?;
                share("subsample", p.subsample)?;
                let signs = p.monotone.is_empty() || p.monotone.len() == width;
                require(
                    signs,
                    "monotone",
                    format!("{} signs", p.monotone.len()),
                    &format!("empty, or one of {width}"),
                )?;
                let known = p.monotone.iter().all(|s| (-1..=1).contains(s));
                require(known, "monotone", format!("{:?}", p.monotone), "made of -1, 0 and 1")
            }
            Self::Nearest { k } => at_least("k", *k, 1),
            Self::Stack { bases, last, folds } => {
                at_least("bases", bases.len(), 1)?;
                at_least("folds", *folds, 2)?;
                bases.iter().try_for_each(|base| base.check(width))?;
                last.check(bases.len())
            }
        }
    }
}
