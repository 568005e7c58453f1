//! Intervals: split conformal on |ln(measured / predicted)|.
//!
//! The residuals are those of the shipped published figures: every ordered pair of GPUs for models that start from a time,
//! every GPU for those that do not. For a question about kernel K on target G, residuals of K and residuals on G are left
//! out, so an interval never saw what it is asked about. The half-width in ln is the ceil(0.9 (n+1))-th smallest |ln|.

use super::Settings;
use crate::catalogue::{Catalogue, FileError, SpecFile};
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::measurement::{Config, Store};
use crate::predict::{MODELS, Predictor, Subject, question};
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

/// One comparison of a model with a measurement.
#[derive(Debug, Clone, Copy)]
struct Residual {
    kernel: usize,
    target: usize,
    ln: f64,
}

/// Model, kernel and target that a half-width is for; `None` = one the residuals never saw.
type Asked = (usize, Option<usize>, Option<usize>);

/// A half-width in ln and the number of residuals behind it.
type Quantile = (f64, usize);

/// Half-widths by model, kernel and target.
#[derive(Debug, Clone, Default)]
pub struct Calibration {
    quantiles: HashMap<Asked, Quantile>,
    kernels: Vec<usize>,
    targets: Vec<usize>,
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
    /// Runs every model on every published configuration that several GPUs timed.
    ///
    /// # Errors
    /// [`FileError`] where `specs/intervals.toml` does not parse (a test reads it).
    pub fn new(gpus: &Catalogue<Gpu>, kernels: &Catalogue<Kernel>, store: &Store) -> Result<Self, FileError> {
        let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/intervals.toml"));
        let file: IntervalsFile = SpecFile { name: "specs/intervals.toml", text }.parse()?;
        let mut all =
            Self { size_ln_per_doubling: file.size_extrapolation.ln_per_doubling, ..Self::default() };
        for (at, model) in MODELS.into_iter().enumerate() {
            let residuals = residuals(model, gpus, kernels, store);
            all.learn(at, &residuals);
        }
        Ok(all)
    }

    fn learn(&mut self, model: usize, residuals: &[Residual]) {
        let distinct = |of: fn(&Residual) -> usize| {
            let mut v: Vec<usize> = residuals.iter().map(of).collect();
            v.sort_unstable();
            v.dedup();
            v
        };
        let (kernels, targets) = (distinct(|r| r.kernel), distinct(|r| r.target));
        let with_none = |v: &[usize]| v.iter().copied().map(Some).chain([None]).collect::<Vec<_>>();
        for kernel in with_none(&kernels) {
            for target in with_none(&targets) {
                let kept = residuals.iter().filter(|r| Some(r.kernel) != kernel && Some(r.target) != target);
                if let Some(q) = quantile(kept.map(|r| r.ln.abs()).collect()) {
                    self.quantiles.insert((model, kernel, target), q);
                }
            }
        }
        (self.kernels, self.targets) = (kernels, targets);
    }

    /// The interval of a prediction; `extrapolation` is that of its source time, `None` where a model stands in for it.
    #[must_use]
    pub fn interval(
        &self,
        time: Seconds,
        (model, kernel, target): (usize, usize, usize),
        source_used: Option<Option<f64>>,
    ) -> Option<Interval> {
        let key = |model| {
            let known = |list: &[usize], i| list.binary_search(&i).is_ok().then_some(i);
            (model, known(&self.kernels, kernel), known(&self.targets, target))
        };
        let (own, n) = *self.quantiles.get(&key(model))?;
        let extra = match source_used {
            None => 0.0,
            Some(Some(ratio)) => self.size_ln_per_doubling * ratio.log2().abs(),
            // Nobody timed it on the source: the stand-in's own error comes on top.
            Some(None) => self.quantiles.get(&key(1))?.0,
        };
        let ln = own.hypot(extra);
        let factor = ln.exp();
        let (low, high) = (Seconds(time.0 / factor), Seconds(time.0 * factor));
        Some(Interval { low, high, factor, n, widened: extra > 0.0 })
    }
}

/// Compares one model with every timed target, from every other GPU that timed the same configuration.
fn residuals(
    model: &dyn Predictor,
    gpus: &Catalogue<Gpu>,
    kernels: &Catalogue<Kernel>,
    store: &Store,
) -> Vec<Residual> {
    let Settings { ceilings, rules, .. } = Settings::default();
    let at = |i: usize| (i, &gpus.entries()[i]);
    let mut out = Vec::new();
    for (id, config) in store.configs() {
        let kernel = &kernels.entries()[config.kernel];
        let Ok(instance) = kernel.instance(&config.problem) else { continue };
        let Config { kernel: place, problem, variant, .. } = config.clone();
        let subject = Subject { kernel: place, problem, variant, instance, config: Some(id) };
        for measured in store.rows_of(id) {
            let others = store.rows_of(id).filter(|s| s.gpu != measured.gpu);
            // Where the source does not matter, one stands for all.
            for source in others.take(if model.needs_source() { usize::MAX } else { 1 }) {
                let q =
                    question(kernel, &subject, [at(source.gpu), at(measured.gpu)], store, ceilings, rules);
                let ln = model.predict(&q).map(|p| (measured.time / p.time).ln());
                out.extend(ln.map(|ln| Residual { kernel: place, target: measured.gpu, ln }));
            }
        }
    }
    out
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
        let mut c = Calibration::default();
        let mut residuals: Vec<Residual> =
            (0..20).map(|i| Residual { kernel: 1 + i % 4, target: 1 + i % 3, ln: 0.1 }).collect();
        residuals.push(Residual { kernel: 9, target: 9, ln: 5.0 });
        residuals.push(Residual { kernel: 9, target: 9, ln: 5.0 });
        residuals.push(Residual { kernel: 9, target: 9, ln: 5.0 });
        c.learn(0, &residuals);
        let factor = |kernel, target| c.interval(Seconds(1.0), (0, kernel, target), None).unwrap().factor;
        assert!((factor(9, 9) - 0.1f64.exp()).abs() < 1e-12, "its own wild errors are left out");
        assert!(factor(77, 77) > 100.0, "for a stranger they count");
    }
}
