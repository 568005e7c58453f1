//! How wrong the models are: protocols, error metrics, and the fit of intervals to published figures.

mod answered_by_all;
mod calibrate;
pub mod like;
mod median_search;
mod metrics;
mod parallel;
mod protocol;
mod ranking;
mod run;
mod setup;
mod several;
mod tally;

pub use crate::progress::Progress;
pub use answered_by_all::answered_by_all;
pub use calibrate::PublishedFigures;
pub use metrics::{ErrorSummary, Score, score, scores_by, summarise};
pub use protocol::{Protocol, RowSplit, TrialScope};
pub use ranking::{Ranking, ranking};
pub use run::{evaluate, evaluate_with};
pub use setup::{Asking, EvaluationSetup, EvaluationWorld, ModelOutcome};
pub use several::hash;
pub use tally::Refused;
