//! Which columns matter, told by breaking them one at a time (Breiman 2001): how much larger the error becomes when a
//! column's values are dealt out to the wrong rows. The other kind, what splits saved in training, is
//! [`Fitted::importances`](super::Fitted::importances); it flatters columns with many values and says nothing of rows the
//! model has not seen, which this one does when it is given such rows.

use super::error::LearnError;
use super::fitted::Fitted;
use super::kind::RegressorKind;
use super::metrics::ErrorMetric;
use super::random::Random;
use super::table::LearningTable;
use crate::cores;

/// What one column is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnImportance {
    /// The column.
    pub name: String,
    /// Mean rise of the error over the repeats, in the metric's unit; below 0 where the column misleads.
    pub mean: f64,
    /// Standard deviation over the repeats.
    pub deviation: f64,
}

/// The importance of every column, in their order. `metric` is an error: less is better.
///
/// # Errors
/// Columns that are not the model's, a target that is not one finite number a row, no repeats, or a metric without meaning
/// on this target.
pub fn permutation<K: RegressorKind>(
    fitted: &Fitted<K>,
    table: &LearningTable,
    target: &[f64],
    repeats: usize,
    seed: u64,
    metric: ErrorMetric,
) -> Result<Vec<ColumnImportance>, LearnError> {
    table.check_target("target", target)?;
    if repeats == 0 || table.len() < 2 {
        let (what, found, needed) = if repeats == 0 { ("repeats", 0, 1) } else { ("rows", table.len(), 2) };
        return Err(LearnError::TooFew { what, found, needed, why: "permutation importance".into() });
    }
    let error = |said: &[f64]| metric(target, said).ok_or_else(|| no_meaning("permutation importance"));
    let whole = error(&fitted.predict(table)?)?;
    let one = |j: usize| {
        let mut rises = Vec::with_capacity(repeats);
        for repeat in 0..repeats {
            let mut order: Vec<usize> = (0..table.len()).collect();
            Random::new(seed, (j * repeats + repeat) as u64).shuffle(&mut order);
            rises.push(error(&dealt(fitted, table, j, &order))? - whole);
        }
        let mean = rises.iter().sum::<f64>() / repeats as f64;
        let variance = rises.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / repeats as f64;
        Ok(ColumnImportance { name: table.names()[j].clone(), mean, deviation: variance.sqrt() })
    };
    cores::try_collect(table.width(), one)
}

/// What the model says where row i has the value of row `order[i]` in column `j`.
fn dealt<K: RegressorKind>(fitted: &Fitted<K>, table: &LearningTable, j: usize, order: &[usize]) -> Vec<f64> {
    let mut row = Vec::with_capacity(table.width());
    let said = table.rows().zip(order).map(|(own, other)| {
        row.clear();
        row.extend_from_slice(own);
        row[j] = table.row_values(*other)[j];
        fitted.predict_row(&row)
    });
    said.collect()
}

pub(super) fn no_meaning(what: &str) -> LearnError {
    LearnError::NoMeaning { what: what.to_owned() }
}
