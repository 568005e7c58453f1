//! Intervals: split conformal on |ln(measured / predicted)|.
//!
//! The residuals are those of the shipped published figures, see [`compare`], for each model, ceilings and occupancy
//! rules on their own. For a question about kernel K on target T, residuals of K and every pair that T is part of, as
//! target or as source, are left out: an interval rests on other kernels on other GPUs. The half-width in ln is the
//! ceil(0.9 (n+1))-th smallest |ln|.
//!
//! Asked about those figures themselves, with kernel and target so left out, the intervals hold 80 % of the measured times
//! for models that start from a time and 90 % for those that do not (a test counts): four GPUs are few to know a fifth by.

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
use std::collections::HashMap;

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
}

/// What an interval is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// Model and rules, and the ceilings really in use.
    pub settings: Settings,
    /// The kernel's place in its catalogue.
    pub kernel: usize,
    /// Source and target, by their places in the catalogue.
    pub gpus: [usize; 2],
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

/// The key of a half-width: settings, and the kernel and the GPU left out; `None` = one the residuals never saw.
type Key = (Settings, Option<usize>, Option<usize>);

/// A half-width in ln and the number of residuals behind it.
type Quantile = (f64, usize);

/// Half-widths by settings, kernel and GPU.
#[derive(Debug, Clone, Default)]
pub struct Calibration {
    quantiles: HashMap<Key, Option<Quantile>>,
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
        let kernels = with_none(residuals.iter().map(|r| r.kernel));
        let gpus = with_none(residuals.iter().flat_map(|r| r.source.into_iter().chain([r.target])));
        for kernel in kernels {
            for gpu in &gpus {
                let foreign = |r: &&Compared| {
                    Some(r.kernel) != kernel
                        && (gpu.is_none() || (Some(r.target) != *gpu && r.source != *gpu))
                };
                let kept = residuals.iter().filter(foreign).map(|r| r.ln().abs());
                self.quantiles.insert((settings, kernel, *gpu), quantile(kept.collect()));
            }
        }
    }

    /// The interval around a predicted time; `None` where too few residuals are left for it.
    #[must_use]
    pub fn interval(&self, time: Seconds, asked: Asked) -> Option<Interval> {
        let [source, target] = asked.gpus;
        let (own, n) = self.half_width(asked.settings, asked.kernel, target)?;
        let extra = match asked.start {
            Start::Nothing => 0.0,
            Start::Timed(ratio) => self.size_ln_per_doubling * ratio.log2().abs(),
            // Nobody timed it on the source: the stand-in's own error there comes on top.
            Start::StandIn => {
                let stand_in = Settings { model: model_position(STAND_IN).ok()?, ..asked.settings };
                self.half_width(stand_in, asked.kernel, source)?.0
            }
        };
        let ln = own.hypot(extra);
        let factor = ln.exp();
        let (low, high) = (Seconds(time.0 / factor), Seconds(time.0 * factor));
        Some(Interval { low, high, factor, n, widened: extra > 0.0 })
    }

    /// The half-width that saw neither this kernel nor this GPU; those the residuals do not have need no leaving out.
    fn half_width(&self, settings: Settings, kernel: usize, gpu: usize) -> Option<Quantile> {
        let has = |k, g| self.quantiles.contains_key(&(settings, k, g));
        let kernel = Some(kernel).filter(|k| has(Some(*k), None));
        let gpu = Some(gpu).filter(|g| has(None, Some(*g)));
        self.quantiles.get(&(settings, kernel, gpu)).copied().flatten()
    }
}

/// Every value once, and `None`.
fn with_none(values: impl Iterator<Item = usize>) -> Vec<Option<usize>> {
    let mut all: Vec<Option<usize>> = values.map(Some).chain([None]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The conformal quantile and the number of residuals behind it; `None` where they are too few for the coverage.
fn quantile(mut values: Vec<f64>) -> Option<Quantile> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let rank = (COVERAGE * (n + 1) as f64).ceil() as usize;
    (1..=n).contains(&rank).then(|| (values[rank - 1], n))
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

    #[test]
    fn a_question_never_sees_its_own_kernel_or_target() {
        let residual = |kernel, source, target, off: f64| Compared {
            kernel,
            source: Some(source),
            target,
            predicted: Seconds(1.0),
            measured: Seconds(off.exp()),
        };
        let tame = (0..20).map(|i| residual(1 + i % 4, 1 + (i + 1) % 3, 1 + i % 3, 0.1));
        let wild = [residual(9, 1, 9, 5.0), residual(9, 9, 1, 5.0), residual(1, 9, 2, 5.0)];
        let mut c = Calibration::default();
        c.learn(Settings::default(), &tame.chain(wild).collect::<Vec<_>>());
        let factor = |kernel, target| {
            let asked =
                Asked { settings: Settings::default(), kernel, gpus: [1, target], start: Start::Nothing };
            c.interval(Seconds(1.0), asked).unwrap().factor
        };
        assert!((factor(77, 9) - 0.1f64.exp()).abs() < 1e-12, "nor pairs that start there");
        assert!((factor(9, 9) - 0.1f64.exp()).abs() < 1e-12, "its own wild errors are left out");
        assert!(factor(77, 77) > 100.0, "for a stranger they count");
    }
}
