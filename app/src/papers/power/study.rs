//! How wrong the power model is where a GPU, or a kernel, is left out of its fit.

use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::KernelId;
use crate::power::fit::{PowerRow, Sums, VoltageFit};
use crate::power::{HeldOut, PowerModel, Shares};
use std::collections::BTreeSet;

/// What is left out of the fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerFold {
    /// A whole GPU.
    Gpu,
    /// A kernel, on every GPU.
    Kernel,
}

impl PowerFold {
    pub(super) fn fold_number(self, row: &PowerRow) -> usize {
        match self {
            Self::Gpu => row.gpu.index(),
            Self::Kernel => row.kernel.index(),
        }
    }

    /// In words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gpu => "GPU left out",
            Self::Kernel => "kernel left out",
        }
    }
}

/// A row that was predicted by a fit that had not seen its fold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerTrial {
    /// Its place among the rows.
    pub row: usize,
    /// Its GPU.
    pub gpu: GpuId,
    /// What was left out with it.
    pub fold: usize,
    /// Measured watts.
    pub measured: f64,
    /// Predicted watts.
    pub predicted: f64,
    /// The baseline: the same share of every board's limit, the mean of the other folds.
    pub share: f64,
}

impl PowerTrial {
    /// ln(measured / predicted).
    #[must_use]
    pub fn ln(&self) -> f64 {
        (self.measured / self.predicted).ln()
    }
}

/// The rows' fit, and what it predicts of every fold that is left out.
pub struct Study {
    /// On all rows.
    pub fit: VoltageFit,
    /// By GPU left out.
    pub new_gpu: Vec<PowerTrial>,
    /// By kernel left out.
    pub new_kernel: Vec<PowerTrial>,
}

/// Why there is no fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PowerError {
    /// Too little to leave a GPU out.
    #[error(
        "power on {gpus} GPUs and {kernels} kernels: expected rows with power_w and time_ms of at least two GPUs and two kernels"
    )]
    TooFew {
        /// GPUs with a power.
        gpus: usize,
        /// Kernels with one.
        kernels: usize,
    },
}

/// Fits, and leaves every GPU and every kernel out once.
///
/// # Errors
/// [`PowerError`] where there are fewer than two GPUs or kernels.
pub fn study(rows: &[PowerRow], gpus: &Catalogue<Gpu>) -> Result<Study, PowerError> {
    let count = |fold: PowerFold| rows.iter().map(|r| fold.fold_number(r)).collect::<BTreeSet<_>>().len();
    let (boards, kernels) = (count(PowerFold::Gpu), count(PowerFold::Kernel));
    let too_few = PowerError::TooFew { gpus: boards, kernels };
    if boards < 2 || kernels < 2 {
        return Err(too_few);
    }
    let sums = Sums::from_rows(rows, gpus);
    let fit = sums.fit_coefficients(|_, _| true).ok_or(too_few)?;
    let new_gpu = trials(rows, gpus, &sums, PowerFold::Gpu);
    let new_kernel = trials(rows, gpus, &sums, PowerFold::Kernel);
    Ok(Study { fit, new_gpu, new_kernel })
}

/// The folds of these rows.
pub(super) fn folds(rows: &[PowerRow], by: PowerFold) -> BTreeSet<usize> {
    rows.iter().map(|r| by.fold_number(r)).collect()
}

fn trials(rows: &[PowerRow], gpus: &Catalogue<Gpu>, sums: &Sums, by: PowerFold) -> Vec<PowerTrial> {
    let mut all = Vec::with_capacity(rows.len());
    for fold in folds(rows, by) {
        let keep = |gpu: GpuId, kernel: KernelId| {
            fold != if by == PowerFold::Gpu { gpu.index() } else { kernel.index() }
        };
        let Some(fit) = sums.fit_coefficients(keep) else { continue };
        let share = mean_share(rows.iter().filter(|r| by.fold_number(r) != fold), gpus);
        for (at, row) in rows.iter().enumerate().filter(|(_, r)| by.fold_number(r) == fold) {
            let predicted = fit.watts(row, gpus);
            let share = share * gpus[row.gpu].power_limit.value.0;
            all.push(PowerTrial { row: at, gpu: row.gpu, fold, measured: row.watts, predicted, share });
        }
    }
    all
}

/// The mean share of the limit, in ln, every GPU weighing the same.
pub(super) fn mean_share<'r>(rows: impl Iterator<Item = &'r PowerRow>, gpus: &Catalogue<Gpu>) -> f64 {
    let shares: Vec<(GpuId, f64)> =
        rows.map(|r| (r.gpu, (r.watts / gpus[r.gpu].power_limit.value.0).ln())).collect();
    by_gpu(&shares).exp()
}

/// The mean over GPUs of their mean.
fn by_gpu(values: &[(GpuId, f64)]) -> f64 {
    let gpus: BTreeSet<GpuId> = values.iter().map(|v| v.0).collect();
    let mean = |gpu: &GpuId| {
        let own: Vec<f64> = values.iter().filter(|v| v.0 == *gpu).map(|v| v.1).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    gpus.iter().map(mean).sum::<f64>() / gpus.len() as f64
}

/// The mean error of these trials in percent, every GPU weighing the same; of the baseline where `baseline`.
#[must_use]
pub fn mean_percent(trials: &[PowerTrial], baseline: bool) -> f64 {
    let error = |t: &PowerTrial| (if baseline { t.share } else { t.predicted } / t.measured - 1.0).abs();
    100.0 * by_gpu(&trials.iter().map(|t| (t.gpu, error(t))).collect::<Vec<_>>())
}

/// Errors, width and coverage of one protocol. The width is the 90 % point of |ln|, every GPU weighing the same; coverage
/// asks of each fold whether the width that the other folds give holds it.
#[must_use]
pub fn held_out(trials: &[PowerTrial]) -> HeldOut {
    let folds: BTreeSet<usize> = trials.iter().map(|t| t.fold).collect();
    let held = |fold: &usize| {
        let width = width(trials.iter().filter(|t| t.fold != *fold));
        let held = move |t: &&PowerTrial| t.ln().abs() <= width;
        trials.iter().filter(|t| t.fold == *fold).filter(held).count()
    };
    let covered: usize = folds.iter().map(held).sum();
    HeldOut {
        mean_percent: mean_percent(trials, false),
        ln_90: width(trials.iter()),
        coverage_percent: 100.0 * covered as f64 / trials.len() as f64,
    }
}

/// The 90 % point of |ln| where every GPU weighs the same.
fn width<'t>(trials: impl Iterator<Item = &'t PowerTrial>) -> f64 {
    weighted_width(&trials.map(|t| (t.gpu, t.ln().abs())).collect::<Vec<_>>())
}

fn weighted_width(all: &[(GpuId, f64)]) -> f64 {
    let rows = |gpu: GpuId| all.iter().filter(|t| t.0 == gpu).count() as f64;
    let gpus: BTreeSet<GpuId> = all.iter().map(|t| t.0).collect();
    let weights: Vec<(GpuId, f64)> = gpus.iter().map(|g| (*g, 1.0 / rows(*g))).collect();
    let weight = |gpu: GpuId| weights.iter().find(|w| w.0 == gpu).map_or(0.0, |w| w.1);
    let mut sorted: Vec<(f64, f64)> = all.iter().map(|(gpu, ln)| (*ln, weight(*gpu))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let wanted = 0.9 * gpus.len() as f64;
    let mut sum = 0.0;
    for (ln, weight) in &sorted {
        sum += weight;
        if sum >= wanted {
            return *ln;
        }
    }
    sorted.last().map_or(0.0, |s| s.0)
}

impl Study {
    /// What the fit says of rows that it never saw, at most their boards' limit.
    #[must_use]
    pub fn residual_trials(
        &self,
        seen: &[PowerRow],
        rows: &[PowerRow],
        gpus: &Catalogue<Gpu>,
    ) -> Vec<PowerTrial> {
        let share = mean_share(seen.iter(), gpus);
        let trial = |(at, row): (usize, &PowerRow)| {
            let limit = gpus[row.gpu].power_limit.value.0;
            let predicted = self.fit.watts(row, gpus).min(limit);
            PowerTrial {
                row: at,
                gpu: row.gpu,
                fold: row.gpu.index(),
                measured: row.watts,
                predicted,
                share: share * limit,
            }
        };
        rows.iter().enumerate().map(trial).collect()
    }

    /// The fit as it ships: three decimals.
    #[must_use]
    pub fn model(&self, rows: &[PowerRow], gpus: &Catalogue<Gpu>) -> PowerModel {
        let places: BTreeSet<GpuId> = rows.iter().map(|r| r.gpu).collect();
        let VoltageFit { mut shares, voltage } = self.fit;
        let Shares { idle, active, fp, l2, dram, memory } = &mut shares;
        for share in [idle, active, fp, l2, dram, memory] {
            *share = rounded(*share, 1e3);
        }
        let shown = |trials: &[PowerTrial]| {
            let HeldOut { mean_percent, ln_90, coverage_percent } = held_out(trials);
            HeldOut {
                mean_percent: rounded(mean_percent, 10.0),
                ln_90: rounded(ln_90, 1e3),
                coverage_percent: rounded(coverage_percent, 10.0),
            }
        };
        PowerModel {
            rows: rows.len(),
            gpus: places.iter().map(|g| gpus[*g].id.clone()).collect(),
            shares,
            voltage,
            new_gpu: shown(&self.new_gpu),
            new_kernel: shown(&self.new_kernel),
        }
    }
}

fn rounded(value: f64, by: f64) -> f64 {
    (value * by).round() / by
}
