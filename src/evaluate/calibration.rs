//! Intervals: split conformal on |ln(measured / predicted)|.
//!
//! The residuals are those of the shipped published figures, for each model, ceilings and occupancy rules on their own:
//! the very trials of [`evaluate`] where the GPU is new, so that no prediction behind a residual knew
//! anything that was measured on its target. For a question about kernel K, every residual of K is left out, so an
//! interval never saw the figures it is asked about. The half-width in ln is the ceil(0.9 (n+1))-th smallest |ln|.
//!
//! A target that is among the four GPUs of the figures has been seen with other kernels; any other has not. How often the
//! intervals hold for a GPU that was left out altogether is counted too, and said beside an interval for a new GPU: four
//! GPUs are few to know a fifth by.

use super::Settings;
use super::metrics::score;
use super::residuals::{Fold, Residuals};
use super::run::{Outcome, Setup, World, evaluate};
use super::shipped::ShippedErrors;
use crate::catalogue::{Catalogue, FileError};
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::Kernel;
use crate::measurement::Store;
use crate::occupancy::Rules;
use crate::predict::{Doubt, MODELS, Width};
use crate::progress::Progress;
use crate::units::Seconds;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The share of residuals an interval covers.
pub const COVERAGE: f64 = 0.9;

/// A multiplicative interval around a predicted time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: Seconds,
    /// Upper end.
    pub high: Seconds,
    /// high / time = time / low.
    pub factor: f64,
    /// Residuals behind it.
    pub n: usize,
    /// Whether it was widened because the source time is an estimate.
    pub widened: bool,
    /// Why this answer is as uncertain as it is, where the model can say; the width is then that of the shipped families.
    pub doubt: Option<Doubt>,
    /// For a target that none of the residuals knows: the share of times that such intervals held, 0 to 1, when each GPU
    /// of the residuals in turn was left out.
    pub held_for_new_gpus: Option<f64>,
}

/// What an interval is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Model and rules, and the ceilings really in use.
    pub settings: Settings,
    /// The kernel's place in its catalogue.
    pub kernel: usize,
    /// The target's place in its catalogue.
    pub target: usize,
    /// How the source time came about.
    pub start: Start,
    /// The kernel's id.
    pub kernel_id: &'a str,
    /// How uncertain the model calls its answer.
    pub doubt: Option<Doubt>,
    /// How wide the interval is by the model's own errors, where it is not by those of the shipped families.
    pub width: Option<Width>,
}

/// What a prediction starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// The model uses no time on the source.
    Nothing,
    /// A timed size, and the ratio of work it is scaled by; 1 where it is the size asked for.
    Timed(f64),
    /// The roof and the usual efficiency stand in for one.
    StandIn,
}

/// What was learned of one model with its settings.
#[derive(Debug, Clone, Default)]
struct Learned {
    residuals: Residuals,
    /// The share of times that intervals held when the target's GPU was left out, as target and as source; 0 to 1.
    held_for_new_gpus: Option<f64>,
}

/// The residuals of every model on the shipped figures, and how well their intervals carry over to a GPU they never saw.
#[derive(Debug, Clone, Default)]
pub struct Calibration {
    learned: HashMap<Settings, Learned>,
    /// The GPUs behind the residuals.
    gpus: BTreeSet<usize>,
    shipped: Arc<ShippedErrors>,
}

impl Calibration {
    /// Runs every model, with either ceilings and rules, on every published configuration that several GPUs timed.
    ///
    /// # Errors
    /// [`FileError`] where `specs/intervals.toml` does not parse (a test reads it).
    pub fn new(gpus: &Catalogue<Gpu>, kernels: &Catalogue<Kernel>, store: &Store) -> Result<Self, FileError> {
        let mut all = Self { shipped: Arc::new(ShippedErrors::load()?), ..Self::default() };
        let world = World { gpus, kernels, store };
        for ceilings in [Ceilings::Peak, Ceilings::Achieved] {
            for rules in [Rules::Exact, Rules::Study] {
                let setup = Setup { ceilings, rules, ..Setup::default() };
                let outcomes =
                    evaluate(world, &setup, &MODELS, &Progress::default()).expect("nobody cancels it");
                for (model, outcome) in outcomes.iter().enumerate() {
                    all.learn(Settings { model, ceilings, rules }, outcome);
                }
            }
        }
        Ok(all)
    }

    fn learn(&mut self, settings: Settings, outcome: &Outcome) {
        let residuals = Residuals::of(&outcome.trials, MODELS[settings.model].needs_source());
        // The intervals of these trials were made without their target.
        let held = score(&outcome.trials).and_then(|s| s.coverage_90_percent);
        self.gpus.extend(outcome.trials.iter().map(|t| t.target));
        let held_for_new_gpus = held.map(|percent| percent / 100.0);
        self.learned.insert(settings, Learned { residuals, held_for_new_gpus });
    }

    /// The interval around a predicted time; `None` where too few residuals are left for it.
    #[must_use]
    pub fn interval(&self, time: Seconds, asked: Asked<'_>) -> Option<Interval> {
        if let Some(doubt) = asked.doubt {
            return self.of_families(time, asked, doubt);
        }
        let (own, n) = self.half_width(asked.settings, asked.kernel)?;
        let extra = match asked.start {
            Start::Nothing => 0.0,
            Start::Timed(ratio) => self.shipped.size_extrapolation.ln_per_doubling * ratio.log2().abs(),
            // Nobody timed it on the source: the stand-in's own error there comes on top.
            Start::StandIn => self.shipped.unmeasured(asked.kernel_id)?.0,
        };
        let ln = own.hypot(extra);
        let factor = ln.exp();
        let (low, high) = (Seconds(time.0 / factor), Seconds(time.0 * factor));
        let known = self.gpus.contains(&asked.target);
        let of_others = || self.learned.get(&asked.settings).and_then(|l| l.held_for_new_gpus);
        let held_for_new_gpus = if known { None } else { of_others() };
        Some(Interval { low, high, factor, n, widened: extra > 0.0, doubt: None, held_for_new_gpus })
    }

    /// From the shipped families of kernels, in units of this answer's doubt.
    fn of_families(&self, time: Seconds, asked: Asked<'_>, doubt: Doubt) -> Option<Interval> {
        let (ln, n, widened) = match asked.start {
            Start::Timed(ratio) => {
                let own = asked.width.map(|w| (w.in_doubts, w.rows));
                let (width, n) = own.or_else(|| self.shipped.half_width(asked.kernel_id))?;
                let extra = self.shipped.size_extrapolation.ln_per_doubling * ratio.log2().abs();
                ((width * doubt.total()).hypot(extra), n, extra > 0.0)
            }
            Start::Nothing | Start::StandIn => {
                let (ln, n) = self.shipped.unmeasured(asked.kernel_id)?;
                (ln, n, true)
            }
        };
        let factor = ln.exp();
        let (low, high) = (Seconds(time.0 / factor), Seconds(time.0 * factor));
        Some(Interval { low, high, factor, n, widened, doubt: Some(doubt), held_for_new_gpus: None })
    }

    /// The shipped errors, for an evaluation.
    #[must_use]
    pub fn shipped(&self) -> Arc<ShippedErrors> {
        self.shipped.clone()
    }

    /// The half-width in ln that did not see this kernel, and the number of residuals behind it.
    fn half_width(&self, settings: Settings, kernel: usize) -> Option<(f64, usize)> {
        self.learned.get(&settings)?.residuals.half_width(Fold::Kernel(kernel))
    }
}

/// Which of n residuals, counted from 1 and the smallest, is the end of an interval; `None` where n are too few for the
/// coverage.
#[must_use]
pub fn conformal_rank(n: usize) -> Option<usize> {
    let rank = (COVERAGE * (n + 1) as f64).ceil() as usize;
    (1..=n).contains(&rank).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::evaluate::{Protocol, Trial};

    #[test]
    fn the_conformal_rank_needs_nine_residuals() {
        assert_eq!([8, 9, 19].map(conformal_rank), [None, Some(9), Some(18)]);
    }

    fn trial(kernel: usize, source: usize, target: usize, ln: f64) -> Trial {
        Trial { kernel, config: kernel, measured: ln.exp(), ..Trial::of_pair(source, target) }
    }

    /// A calibration by these trials, with the intervals of a new GPU.
    fn learned(mut trials: Vec<Trial>) -> Calibration {
        let fold = |t: &Trial| Protocol::NewGpu.fold(t);
        Residuals::of(&trials, true).widen(&mut trials, fold);
        let mut all = Calibration::default();
        all.learn(Settings::default(), &Outcome { model: "", trials, refused: Default::default() });
        all
    }

    fn asked(kernel: usize, target: usize) -> Asked<'static> {
        let settings = Settings::default();
        Asked { settings, kernel, target, start: Start::Nothing, kernel_id: "", doubt: None, width: None }
    }

    #[test]
    fn a_question_never_sees_its_own_kernel() {
        let tame = (0..20).map(|i| trial(1 + i % 4, 1 + (i + 1) % 3, 1 + i % 3, 0.1));
        let wild = [trial(9, 1, 2, 5.0), trial(9, 2, 1, 5.0), trial(9, 3, 1, 5.0)];
        let c = learned(tame.chain(wild).collect());
        let factor = |kernel| c.interval(Seconds(1.0), asked(kernel, 1)).unwrap().factor;
        assert!((factor(9) - 0.1f64.exp()).abs() < 1e-12, "its own wild errors are left out");
        assert!(factor(77) > 100.0, "for a stranger they count");
    }

    #[test]
    fn a_new_gpu_is_told_how_often_intervals_held_for_one_left_out() {
        // Around the ring 1, 2, 4 the model is good; onto 3 it is always wrong, and only without 3 does nobody know.
        let good = (0..30).map(|i| trial(i, [1, 2, 4][i % 3], [2, 4, 1][i % 3], 0.1));
        let bad = (0..10).map(|i| trial(i, 1, 3, 2.0));
        let c = learned(good.chain(bad).collect());
        let held = |target| c.interval(Seconds(1.0), asked(77, target)).unwrap().held_for_new_gpus;
        assert_eq!(held(3), None, "this one is among the figures");
        assert_eq!(held(50), Some(30.0 / 40.0));
    }
}
