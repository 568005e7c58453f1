//! How wrong the models are: protocols, error metrics, intervals calibrated on published figures, and the answer to one
//! question with all of it beside the prediction.

mod answer;
mod answered_by_all;
mod calibration;
mod combined;
mod known_rows;
pub mod like;
mod metrics;
mod parallel;
mod protocol;
mod residuals;
mod run;
mod several;
mod shipped;
mod tally;
mod trial;

pub use crate::progress::Progress;
pub use answer::{Answer, Brief, Known, Measured, Settings, answer, briefs, explain};
pub use answered_by_all::answered_by_all;
pub use calibration::{Asked, COVERAGE, Calibration, Interval, Start, conformal_rank};
pub use combined::{Combined, FAR_APART, Share, combine, log_mean};
pub use known_rows::{Correction, KnownRow, KnownRows};
pub use metrics::{ErrorSummary, Score, score, summarise};
pub use protocol::{Protocol, Scope, Split};
pub use residuals::{Fold, Residuals};
pub use run::{Outcome, Setup, World, evaluate, evaluate_with};
pub use several::{Asking, hash};
pub use shipped::{Family, ShippedErrors};
pub use tally::Refused;
pub use trial::Trial;
