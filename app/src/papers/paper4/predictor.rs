//! Paper 4's multi-output forest asked about a product: time, power, energy and rate of the library's kernel, from the user's
//! rows with power. It is what the paper built it for; what it is worth beside the default model is in docs/gemm.md.

use super::models::{Paper4Architecture, values_at};
use super::numpy::train_test_split;
use super::prepare::{Clipping, FEATURES, features, prepare};
use super::tables::{SPLIT, TESTED};
use crate::answer::conformal_width;
use crate::gemm::{GemmRow, GemmTarget};
use crate::learn::learners::Learner;
use crate::learn::metrics::median;
use crate::learn::{Fitted, LearnError, Progress};
use crate::report::{Table, TableCell, TableColumn, TableFormat};
use crate::units::significant;

/// One number that the forest predicts.
#[derive(Debug, Clone, PartialEq)]
pub struct ForestAnswer {
    /// What it is.
    pub target: GemmTarget,
    /// In the target's unit.
    pub value: f64,
    /// Ends of the 90 % interval, from the tested fifth of the rows; `None` where they are too few.
    pub interval: Option<(f64, f64)>,
    /// Median error on the tested rows in percent.
    pub median_percent: Option<f64>,
}

/// What the forest says of one product.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductAnswers {
    /// In the order of [`GemmTarget::ALL`].
    pub answers: Vec<ForestAnswer>,
    /// Rows with power that it was trained on.
    pub rows: usize,
    /// Columns outside what it was trained on: a forest does not reach there.
    pub outside: Vec<&'static str>,
}

/// Trains the paper's forest on these rows, by its preprocessing and split, and asks it about a product.
///
/// # Errors
/// [`LearnError`] where too few rows have a power, or it was cancelled.
pub fn forest_answers(
    rows: &[GemmRow],
    product: &GemmRow,
    progress: &Progress,
) -> Result<ProductAnswers, LearnError> {
    let prepared = prepare(rows, Clipping::AllRows)?;
    let (train, test) = train_test_split(prepared.len(), TESTED, SPLIT);
    let asked = features(product);
    let table = prepared.features.select(&train);
    let recipe = Paper4Architecture::Forest.recipe(u64::from(SPLIT));
    let mut answers = Vec::new();
    for target in GemmTarget::ALL {
        let values = prepared.target(target);
        let fitted: Fitted<Learner> = recipe.fit_model(&table, &values_at(values, &train), progress)?;
        let predicted = fitted.predict(&prepared.features.select(&test))?;
        let ratios: Vec<f64> = values_at(values, &test).iter().zip(&predicted).map(|(m, p)| m / p).collect();
        let value = fitted.predict_row(&asked);
        answers.push(ForestAnswer {
            target,
            value,
            interval: half_width(&ratios).map(|ln| (value * (-ln).exp(), value * ln.exp())),
            median_percent: median(ratios.iter().map(|r| 100.0 * (1.0 / r - 1.0).abs()).collect()),
        });
    }
    let is_outside = |(column, value): &(usize, f64)| {
        let known = table.column(*column);
        !known.iter().any(|v| v <= value) || !known.iter().any(|v| v >= value)
    };
    let outside = asked.into_iter().enumerate().filter(is_outside).map(|(column, _)| FEATURES[column]);
    Ok(ProductAnswers { answers, rows: train.len(), outside: outside.collect() })
}

/// The 90 % point of |ln ratio|; `None` where there are too few.
fn half_width(ratios: &[f64]) -> Option<f64> {
    conformal_width(ratios.iter().map(|r| r.ln().abs()).collect()).filter(|v| v.is_finite())
}

/// The answers as a table; `product` and `gpu` in words.
#[must_use]
pub fn product_table(product: &str, gpu: &str, found: &ProductAnswers, format: TableFormat) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("number"),
        TableColumn::right("predicted"),
        TableColumn::right("low"),
        TableColumn::right("high"),
        TableColumn::right("median error %"),
    ]);
    table.title = format!("{product} on {gpu}, 128x128 tile, by paper 4's forest");
    let number = |v: f64| TableCell::shown(v, significant(v));
    for a in &found.answers {
        table.rows.push(vec![
            TableCell::text(a.target.as_str()),
            number(a.value),
            TableCell::maybe(a.interval.map(|i| i.0), number),
            TableCell::maybe(a.interval.map(|i| i.1), number),
            TableCell::maybe(a.median_percent, number),
        ]);
    }
    if format.is_for_people() {
        table.notes.push(format!(
            "forest of 100 trees of depth 6, trained on {} rows with a power, errors and 90 % intervals of the fifth held out",
            found.rows
        ));
        table.notes.push(
            "rows of the same product stand on both sides of that split: on new sizes it is far worse (docs/gemm.md)"
                .into(),
        );
        if !found.outside.is_empty() {
            table.notes.push(format!(
                "outside the range trained on, where a forest predicts the value at its edge: {}",
                found.outside.join(", ")
            ));
        }
    }
    table
}
