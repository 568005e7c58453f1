//! The answer to one question, from one source or from several: question -> model -> correction by rows of the target ->
//! combination -> interval -> breakdown.

mod answered;
mod calibration;
mod combined;
mod coverage;
mod known_rows;
mod pipeline;
mod residuals;
mod settings;
mod shipped;
mod trial;

pub use answered::{Answer, Brief, Combined, Measured, Share};
pub use calibration::{Asked, Calibration, Interval, Start};
pub use combined::{FAR_APART, combine, log_mean};
pub use coverage::{COVERAGE, conformal_rank};
pub use known_rows::{Correction, KnownRow, KnownRows};
pub use pipeline::{Known, answer, briefs, explain};
pub use residuals::{Fold, Residuals};
pub use settings::Settings;
pub use shipped::{Family, ShippedErrors};
pub use trial::Trial;
