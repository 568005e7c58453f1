//! Paper 4's models and the scores it gives them.

use crate::learn::learners::Learner;
use crate::learn::{
    BoostingParameters, ForestParameters, LearnError, LearningTable, Progress, Recipe, Regressor, metrics,
};

/// How far predictions are off.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scores {
    /// Coefficient of determination.
    pub r2: f64,
    /// Mean squared error, in the target's unit squared.
    pub mse: f64,
    /// Mean absolute error, in the target's unit.
    pub mae: f64,
    /// Median error in percent of the measured value.
    pub median_percent: f64,
    /// Mean error in percent.
    pub mean_percent: f64,
}

impl Scores {
    /// Of these values; `None` where there is nothing to compare.
    #[must_use]
    pub fn from_predictions(truth: &[f64], predicted: &[f64]) -> Option<Self> {
        Some(Self {
            r2: metrics::r2(truth, predicted)?,
            mse: metrics::rmse(truth, predicted)?.powi(2),
            mae: metrics::mae(truth, predicted)?,
            median_percent: metrics::median_ape(truth, predicted)?,
            mean_percent: metrics::mape(truth, predicted)?,
        })
    }
}

/// Paper 4's models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paper4Architecture {
    /// Forest, boosting and linear, and a linear model over what they say of rows they have not seen.
    Stack,
    /// 100 trees of depth 6.
    Forest,
    /// Gradient boosting with XGBoost's default rounds, depth and rate, without its regularisation.
    Boosting,
    /// Least squares.
    Linear,
}

impl Paper4Architecture {
    /// In the order of Table VI.
    pub const ALL: [Self; 4] = [Self::Stack, Self::Forest, Self::Boosting, Self::Linear];

    /// The word in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stack => "stack of the three",
            Self::Forest => "forest 100 x depth 6",
            Self::Boosting => "boosting 100 x depth 6",
            Self::Linear => "linear",
        }
    }

    /// Its recipe; paper 4 standardises the features.
    #[must_use]
    pub fn recipe(self, seed: u64) -> Recipe<Learner> {
        let forest = Learner::Trees(Regressor::Forest(ForestParameters {
            max_depth: Some(6),
            ..ForestParameters::default()
        }));
        let boosting = Learner::Trees(Regressor::Boosting(BoostingParameters {
            depth: 6,
            learning_rate: 0.3,
            ..BoostingParameters::default()
        }));
        let regressor = match self {
            Self::Forest => forest,
            Self::Boosting => boosting,
            Self::Linear => Learner::Linear,
            Self::Stack => Learner::Stack {
                bases: vec![forest, boosting, Learner::Linear],
                last: Box::new(Learner::Linear),
                folds: 5,
            },
        };
        Recipe { regressor, scaled: true, seed }
    }
}

/// Trains on some rows and predicts others.
///
/// # Errors
/// [`LearnError`] where the rows are too few, or it was cancelled.
pub(crate) fn predicted(
    recipe: &Recipe<Learner>,
    features: &LearningTable,
    target: &[f64],
    train: &[usize],
    test: &[usize],
    progress: &Progress,
) -> Result<Vec<f64>, LearnError> {
    let values: Vec<f64> = train.iter().map(|i| target[*i]).collect();
    recipe.fit_model(&features.select(train), &values, progress)?.predict(&features.select(test))
}

/// These places of a list.
pub(crate) fn values_at(values: &[f64], places: &[usize]) -> Vec<f64> {
    places.iter().map(|i| values[*i]).collect()
}
