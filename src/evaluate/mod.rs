//! How wrong the models are: error metrics, intervals calibrated on published figures, and the answer to one question
//! with all of it beside the prediction.

mod answer;
mod calibration;
mod compare;
mod metrics;

pub use answer::{Answer, Known, Measured, Settings, answer};
pub use calibration::{Asked, COVERAGE, Calibration, Interval, Start};
pub use compare::{Compared, compare};
pub use metrics::{ErrorSummary, summarise};
