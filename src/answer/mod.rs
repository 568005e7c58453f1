//! The answer to one question, from one source or from several:
//!
//! question -> model -> interval -> correction by rows of the target -> combination of sources -> breakdown.
//!
//! An [`Answer`] keeps what it was made of: [`Answer::breakdown`] takes it apart without asking again.

mod answered;
mod at_clocks;
mod board_power;
mod calibration;
mod case_answers;
mod cases;
mod caution_points;
mod combined;
mod context;
mod correct;
mod corrections;
mod coverage;
mod edited_launch;
mod filed_list;
mod known_rows;
mod kriging;
mod launch_model;
mod limited_source;
mod limited_target;
mod pipeline;
mod places;
mod residuals;
mod settings;
mod shipped;
mod sources;
mod trial;
mod trials;
mod unused_measurement;

pub use answered::{Answer, Combined, Measured, Share};
pub use calibration::{IntervalCalibration, IntervalQuestion, LearnedModels, StartedFrom};
pub use case_answers::CaseAnswers;
pub use cases::{AskedCases, CollectedCases};
pub use combined::{FAR_APART, combine, log_mean};
pub use context::{AnswerContext, StandIn, TypedClocks};
pub use correct::find_correction;
pub use corrections::Corrections;
pub use coverage::{COVERAGE, conformal_rank, conformal_width};
pub use known_rows::{CorrectedQuestion, KnownCorrection, KnownRow, KnownRows};
pub use kriging::LastKriging;
pub use launch_model::{EditedLaunch, LaunchOnGpu, LaunchQuestion};
pub use limited_source::LimitedSource;
pub use limited_target::load_at_limit;
pub use pipeline::{TargetsQuestion, answer_pair, estimate_targets};
pub use places::TrialPlaces;
pub use residuals::{ResidualFold, Residuals};
pub use settings::Settings;
pub use shipped::{Family, ShippedErrors};
pub use sources::{Sources, answer_from_sources, sources_that_timed};
pub use trial::{AnswerTrial, TargetRow, TrialNumber, TrialPlace};
pub use trials::{AnswerTrials, TrialReader};

pub use crate::predict::Interval;
