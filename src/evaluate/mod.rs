//! How wrong the models are: protocols, error metrics, intervals calibrated on published figures, and the answer to one
//! question with all of it beside the prediction.

mod answer;
mod calibration;
mod compare;
mod metrics;
pub mod paper1;
mod protocol;
mod residuals;
mod run;
mod tally;
mod trial;

pub use answer::{Answer, Known, Measured, Settings, answer, explain};
pub use calibration::{Asked, COVERAGE, Calibration, Interval, Start};
pub use compare::{Compared, compare};
pub use metrics::{ErrorSummary, Score, score, summarise};
pub use protocol::{Protocol, Scope, Split};
pub use residuals::{Fold, Residuals};
pub use run::{Outcome, Progress, Setup, World, evaluate, evaluate_with};
pub use tally::Refused;
pub use trial::Trial;
