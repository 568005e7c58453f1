//! A learned residual on the physical model: ln(measured / modelled) from how far each part of the GPU is used.
//!
//! It was tried and is not used: with a kernel left out it is better on some GPUs, with a GPU left out it is worse (see
//! `roofswap reproduce power`). What is learned of a few boards' parts is not what another board's parts do.

use super::study::{PowerFold, PowerTrial, folds, mean_share};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::KernelId;
use crate::learn::{Features, ForestParameters, LearnError, LearningTable, Progress, Recipe, Regressor};
use crate::power::fit::{PowerRow, Sums};

const COLUMNS: [&str; 6] = ["clock", "mem", "active", "fp", "l2", "dram"];

/// A small forest with large leaves.
fn recipe() -> Recipe {
    let forest = ForestParameters {
        max_depth: Some(5),
        min_samples_leaf: 30,
        features_per_split: Features::Share(0.5),
        ..ForestParameters::default()
    };
    Recipe { regressor: Regressor::Forest(forest), scaled: false, seed: 1 }
}

/// Every fold predicted by the physical model and a residual that have not seen it.
///
/// # Errors
/// [`LearnError`] where a fold leaves too little to learn from, or it was cancelled.
pub fn trials(
    rows: &[PowerRow],
    gpus: &Catalogue<Gpu>,
    by: PowerFold,
    progress: &Progress,
) -> Result<Vec<PowerTrial>, LearnError> {
    let sums = Sums::from_rows(rows, gpus);
    let table = residual_table(rows, gpus)?;
    let mut all = Vec::with_capacity(rows.len());
    for fold in folds(rows, by) {
        let keep = |gpu: GpuId, kernel: KernelId| {
            fold != if by == PowerFold::Gpu { gpu.index() } else { kernel.index() }
        };
        let Some(fit) = sums.fit_coefficients(keep) else { continue };
        let (test, train): (Vec<usize>, Vec<usize>) =
            (0..rows.len()).partition(|i| by.fold_number(&rows[*i]) == fold);
        let logs: Vec<f64> =
            train.iter().map(|i| (rows[*i].watts / fit.watts(&rows[*i], gpus)).ln()).collect();
        let said =
            recipe().fit_model(&table.select(&train), &logs, progress)?.predict(&table.select(&test))?;
        let share = mean_share(train.iter().map(|i| &rows[*i]), gpus);
        for (at, residual) in test.iter().zip(said) {
            let row = &rows[*at];
            all.push(PowerTrial {
                row: *at,
                gpu: row.gpu,
                fold,
                measured: row.watts,
                predicted: fit.watts(row, gpus) * residual.exp(),
                share: share * gpus[row.gpu].power_limit.value.0,
            });
        }
    }
    Ok(all)
}

fn residual_table(rows: &[PowerRow], gpus: &Catalogue<Gpu>) -> Result<LearningTable, LearnError> {
    let values = rows.iter().flat_map(|row| {
        let used = row.used(gpus);
        [used.clock, used.mem, used.active, used.fp, used.l2, used.dram]
    });
    LearningTable::new(COLUMNS.iter().map(ToString::to_string).collect(), values.collect())
}
