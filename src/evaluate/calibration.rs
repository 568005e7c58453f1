//! Intervals: split conformal on |ln(measured / predicted)|.
//!
//! The residuals are those of the shipped published figures, see [`compare`], for each model, ceilings and occupancy
//! rules on their own. For a question about kernel K, every residual of K is left out, so an interval never saw the figures
//! it is asked about. The half-width in ln is the ceil(0.9 (n+1))-th smallest |ln|.
//!
//! A target that is among the four GPUs of the figures has been seen with other kernels; any other has not. How often the
//! intervals hold for a GPU that was left out altogether is counted too, and said beside an interval for a new GPU: four
//! GPUs are few to know a fifth by.

use super::Settings;
use super::compare::{Compared, compare};
use crate::catalogue::{Catalogue, FileError, SpecFile};
use crate::gpu::{Ceilings, Gpu};
use crate::kernel::Kernel;
use crate::measurement::Store;
use crate::occupancy::Rules;
use crate::predict::{MODELS, STAND_IN, model_position};
use crate::units::Seconds;
use serde::Deserialize;
use std::collections::{BTreeSet, HashMap};

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
    /// For a target that none of the residuals knows: the share of times that such intervals held, 0 to 1, when each GPU
    /// of the residuals in turn was left out.
    pub held_for_new_gpus: Option<f64>,
}

/// What an interval is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// Model and rules, and the ceilings really in use.
    pub settings: Settings,
    /// The kernel's place in its catalogue.
    pub kernel: usize,
    /// The target's place in its catalogue.
    pub target: usize,
    /// How the source time came about.
    pub start: Start,
}

/// What a prediction starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start {
    /// The model uses no time on the source.
    Nothing,
    /// A timed size, and the ratio of work it is scaled by; 1 where it is the size asked for.
    Timed(f64),
    /// A first-principles time stands in for one.
    StandIn,
}

/// The key of a half-width: settings, and the kernel left out; `None` = one the residuals never saw.
type Key = (Settings, Option<usize>);

/// A half-width in ln and the number of residuals behind it.
type Quantile = (f64, usize);

/// Half-widths by settings and kernel, and how well they carry over to a GPU they never saw.
#[derive(Debug, Clone, Default)]
pub struct Calibration {
    quantiles: HashMap<Key, Option<Quantile>>,
    /// The GPUs behind the residuals.
    gpus: BTreeSet<usize>,
    /// The share held when each of them was left out.
    held_out: HashMap<Settings, f64>,
    size_ln_per_doubling: f64,
}

#[derive(Deserialize)]
struct IntervalsFile {
    size_extrapolation: SizeFile,
}

#[derive(Deserialize)]
struct SizeFile {
    ln_per_doubling: f64,
}

impl Calibration {
    /// Runs every model, with either ceilings and rules, on every published configuration that several GPUs timed.
    ///
    /// # Errors
    /// [`FileError`] where `specs/intervals.toml` does not parse (a test reads it).
    pub fn new(gpus: &Catalogue<Gpu>, kernels: &Catalogue<Kernel>, store: &Store) -> Result<Self, FileError> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/intervals.toml"));
        let file: IntervalsFile = SpecFile { name: "specs/intervals.toml", text }.parse()?;
        let mut all =
            Self { size_ln_per_doubling: file.size_extrapolation.ln_per_doubling, ..Self::default() };
        for model in 0..MODELS.len() {
            for ceilings in [Ceilings::Peak, Ceilings::Achieved] {
                for rules in [Rules::Exact, Rules::Study] {
                    let settings = Settings { model, ceilings, rules };
                    all.learn(settings, &compare(gpus, kernels, store, settings));
                }
            }
        }
        Ok(all)
    }

    fn learn(&mut self, settings: Settings, residuals: &[Compared]) {
        let mut kernels: Vec<Option<usize>> =
            residuals.iter().map(|r| Some(r.kernel)).chain([None]).collect();
        kernels.sort_unstable();
        kernels.dedup();
        for kernel in kernels {
            let kept = residuals.iter().filter(|r| Some(r.kernel) != kernel).map(|r| r.ln().abs());
            self.quantiles.insert((settings, kernel), quantile(kept.collect()));
        }
        self.gpus.extend(residuals.iter().map(|r| r.target));
        if let Some(share) = held_out(residuals) {
            self.held_out.insert(settings, share);
        }
    }

    /// The interval around a predicted time; `None` where too few residuals are left for it.
    #[must_use]
    pub fn interval(&self, time: Seconds, asked: Asked) -> Option<Interval> {
        let (own, n) = self.half_width(asked.settings, asked.kernel)?;
        let extra = match asked.start {
            Start::Nothing => 0.0,
            Start::Timed(ratio) => self.size_ln_per_doubling * ratio.log2().abs(),
            // Nobody timed it on the source: the stand-in's own error there comes on top.
            Start::StandIn => {
                let stand_in = Settings { model: model_position(STAND_IN).ok()?, ..asked.settings };
                self.half_width(stand_in, asked.kernel)?.0
            }
        };
        let ln = own.hypot(extra);
        let factor = ln.exp();
        let (low, high) = (Seconds(time.0 / factor), Seconds(time.0 * factor));
        let known = self.gpus.contains(&asked.target);
        let held_for_new_gpus = if known { None } else { self.held_out.get(&asked.settings).copied() };
        Some(Interval { low, high, factor, n, widened: extra > 0.0, held_for_new_gpus })
    }

    /// The half-width that did not see this kernel; one the residuals do not have needs no leaving out.
    fn half_width(&self, settings: Settings, kernel: usize) -> Option<Quantile> {
        let own = self.quantiles.get(&(settings, Some(kernel)));
        own.or_else(|| self.quantiles.get(&(settings, None))).copied().flatten()
    }
}

/// How many times an interval holds, 0 to 1, when it is made without the target's GPU, as target and as source.
fn held_out(residuals: &[Compared]) -> Option<f64> {
    let targets: BTreeSet<usize> = residuals.iter().map(|r| r.target).collect();
    let (mut held, mut all) = (0u32, 0u32);
    for gpu in targets {
        let foreign = residuals.iter().filter(|r| r.target != gpu && r.source != Some(gpu));
        let (width, _) = quantile(foreign.map(|r| r.ln().abs()).collect())?;
        for own in residuals.iter().filter(|r| r.target == gpu) {
            held += u32::from(own.ln().abs() <= width);
            all += 1;
        }
    }
    (all > 0).then(|| f64::from(held) / f64::from(all))
}

/// The conformal quantile and the number of residuals behind it; `None` where they are too few for the coverage.
fn quantile(mut values: Vec<f64>) -> Option<Quantile> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    conformal_rank(n).map(|rank| (values[rank - 1], n))
}

/// Which of n residuals, counted from 1 and the smallest, is the end of an interval; `None` where n are too few for the
/// coverage.
pub(super) fn conformal_rank(n: usize) -> Option<usize> {
    let rank = (COVERAGE * (n + 1) as f64).ceil() as usize;
    (1..=n).contains(&rank).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conformal_rank_needs_nine_residuals_and_takes_the_right_one() {
        let to = |n: usize| (1..=n).map(|v| v as f64).collect::<Vec<_>>();
        assert_eq!(quantile(to(8)), None);
        assert_eq!(quantile(to(9)), Some((9.0, 9)));
        assert_eq!(quantile(to(19)), Some((18.0, 19)));
    }

    fn residual(kernel: usize, source: usize, target: usize, ln: f64) -> Compared {
        let (predicted, measured) = (Seconds(1.0), Seconds(ln.exp()));
        Compared { kernel, source: Some(source), target, predicted, measured }
    }

    fn asked(kernel: usize, target: usize) -> Asked {
        Asked { settings: Settings::default(), kernel, target, start: Start::Nothing }
    }

    #[test]
    fn a_question_never_sees_its_own_kernel() {
        let tame = (0..20).map(|i| residual(1 + i % 4, 1 + (i + 1) % 3, 1 + i % 3, 0.1));
        let wild = [residual(9, 1, 2, 5.0), residual(9, 2, 1, 5.0), residual(9, 3, 1, 5.0)];
        let mut c = Calibration::default();
        c.learn(Settings::default(), &tame.chain(wild).collect::<Vec<_>>());
        let factor = |kernel| c.interval(Seconds(1.0), asked(kernel, 1)).unwrap().factor;
        assert!((factor(9) - 0.1f64.exp()).abs() < 1e-12, "its own wild errors are left out");
        assert!(factor(77) > 100.0, "for a stranger they count");
    }

    #[test]
    fn a_new_gpu_is_told_how_often_intervals_held_for_one_left_out() {
        // Around the ring 1, 2, 4 the model is good; onto 3 it is always wrong, and only without 3 does nobody know.
        let good = (0..30).map(|i| residual(i, [1, 2, 4][i % 3], [2, 4, 1][i % 3], 0.1));
        let bad = (0..10).map(|i| residual(i, 1, 3, 2.0));
        let mut c = Calibration::default();
        c.learn(Settings::default(), &good.chain(bad).collect::<Vec<_>>());
        let held = |target| c.interval(Seconds(1.0), asked(77, target)).unwrap().held_for_new_gpus;
        assert_eq!(held(3), None, "this one is among the figures");
        assert_eq!(held(50), Some(30.0 / 40.0));
    }
}
