//! The fit of intervals: every model, with either rates and rules, on the published figures that several GPUs timed.

use super::metrics::score;
use super::run::evaluate;
use super::setup::{EvaluationSetup, EvaluationWorld};
use crate::answer::{IntervalCalibration, Settings};
use crate::catalogue::FileError;
use crate::gpu::Ceilings;
use crate::occupancy::Rules;
use crate::predict::MODELS;
use crate::progress::Progress;

/// The calibration by every published configuration of this world.
///
/// # Errors
/// [`FileError`] where `specs/intervals.toml` does not parse (a test reads it).
pub fn fit_calibration(world: EvaluationWorld<'_>) -> Result<IntervalCalibration, FileError> {
    let mut fitted = IntervalCalibration::of_shipped()?;
    for ceilings in [Ceilings::Peak, Ceilings::Achieved] {
        for rules in [Rules::Exact, Rules::Study] {
            let setup = EvaluationSetup { ceilings, rules, ..EvaluationSetup::default() };
            add_outcomes(&mut fitted, world, &setup);
        }
    }
    Ok(fitted)
}

fn add_outcomes(fitted: &mut IntervalCalibration, world: EvaluationWorld<'_>, setup: &EvaluationSetup) {
    let outcomes = evaluate(world, setup, &MODELS, &Progress::default()).expect("nobody cancels it");
    for (model, outcome) in MODELS.ids().zip(&outcomes) {
        let settings = Settings { model, ceilings: setup.ceilings, rules: setup.rules };
        // The intervals of these trials were made without their target.
        let held = score(outcome.trials.iter()).and_then(|s| s.coverage_90_percent);
        fitted.add_trials(settings, &outcome.trials, held.map(|percent| percent / 100.0));
    }
}
