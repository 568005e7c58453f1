//! The seven regressors that paper 1's Table 6 compares, with the parameters that it states.

use super::{Gamma, Learner};
use crate::learn::{BoostingParameters, ForestParameters, Regressor};

/// One of the seven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table6Model {
    /// Least squares.
    Linear,
    /// Least squares with a penalty of 1 on squared coefficients.
    Ridge,
    /// Least squares with a penalty of 0.001 on the coefficients' sizes.
    Lasso,
    /// Support vectors with a Gaussian kernel, C = 10 and epsilon = 0.001.
    Svr,
    /// A random forest of 200 trees.
    Forest,
    /// Gradient boosting with scikit-learn's defaults.
    Boosting,
    /// The mean of the five nearest rows.
    Nearest,
}

impl Table6Model {
    /// In the order of the table.
    pub const ALL: [Self; 7] =
        [Self::Linear, Self::Ridge, Self::Lasso, Self::Svr, Self::Forest, Self::Boosting, Self::Nearest];

    /// As typed: `forest`.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Ridge => "ridge",
            Self::Lasso => "lasso",
            Self::Svr => "svr",
            Self::Forest => "forest",
            Self::Boosting => "boosting",
            Self::Nearest => "nearest",
        }
    }

    /// The one of this id.
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|model| model.id() == id)
    }

    /// Method and parameters in one line.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Linear => "least squares",
            Self::Ridge => "ridge regression, penalty 1",
            Self::Lasso => "lasso, penalty 0.001",
            Self::Svr => "support vector regression, Gaussian kernel, C 10, epsilon 0.001",
            Self::Forest => "random forest of 200 trees",
            Self::Boosting => "gradient boosting, 100 trees of depth 3, rate 0.1",
            Self::Nearest => "mean of the 5 nearest rows",
        }
    }

    /// Whether another seed gives another model.
    #[must_use]
    pub fn is_seeded(self) -> bool {
        matches!(self, Self::Forest | Self::Boosting)
    }

    /// The regressor with its published parameters.
    #[must_use]
    pub fn learner(self) -> Learner {
        match self {
            Self::Linear => Learner::Linear,
            Self::Ridge => Learner::Ridge { alpha: 1.0 },
            Self::Lasso => Learner::Lasso { alpha: 0.001 },
            Self::Svr => Learner::Svr { c: 10.0, epsilon: 0.001, gamma: Gamma::Scale },
            Self::Forest => {
                let parameters = ForestParameters { trees: 200, ..ForestParameters::default() };
                Learner::Trees(Regressor::Forest(parameters))
            }
            Self::Boosting => Learner::Trees(Regressor::Boosting(BoostingParameters::default())),
            Self::Nearest => Learner::Nearest { k: 5 },
        }
    }
}
