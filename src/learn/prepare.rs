//! Columns made fit for learning, with numbers taken from the training rows alone: gaps filled with medians, outliers brought
//! to quantiles; and how columns go together.

use super::error::LearnError;
use super::metrics::median;
use super::table::LearningTable;
use serde::{Deserialize, Serialize};

/// Fills gaps with the median of the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MedianImputer {
    names: Vec<String>,
    medians: Vec<f64>,
}

impl MedianImputer {
    /// Medians of the known values of each column; `rows` have one entry per name.
    ///
    /// # Errors
    /// A row of another width, a value that is not finite, or a column nobody knows anything of.
    pub fn fit_medians(names: &[String], rows: &[Vec<Option<f64>>]) -> Result<Self, LearnError> {
        check_widths(names, rows)?;
        let known = |j: usize| rows.iter().filter_map(|row| row[j]).collect::<Vec<_>>();
        let middle = |(j, name): (usize, &String)| {
            median(known(j)).ok_or_else(|| LearnError::TooFew {
                what: "known values",
                found: 0,
                needed: 1,
                why: format!("the median of column `{name}`"),
            })
        };
        let medians = names.iter().enumerate().map(middle).collect::<Result<_, _>>()?;
        Ok(Self { names: names.to_vec(), medians })
    }

    /// The medians, by column.
    #[must_use]
    pub fn medians(&self) -> &[f64] {
        &self.medians
    }

    /// The rows as a table, gaps filled.
    ///
    /// # Errors
    /// A row of another width, or a value that is not finite.
    pub fn fill(&self, rows: &[Vec<Option<f64>>]) -> Result<LearningTable, LearnError> {
        check_widths(&self.names, rows)?;
        let values = rows.iter().flat_map(|row| row.iter().zip(&self.medians));
        LearningTable::new(self.names.clone(), values.map(|(v, middle)| v.unwrap_or(*middle)).collect())
    }
}

fn check_widths(names: &[String], rows: &[Vec<Option<f64>>]) -> Result<(), LearnError> {
    for (row, values) in rows.iter().enumerate() {
        if values.len() != names.len() {
            let (found, width) = (values.len(), names.len());
            return Err(LearnError::Width { row, found, width, count: found });
        }
        if let Some(j) = values.iter().position(|v| v.is_some_and(|v| !v.is_finite())) {
            let value = values[j].unwrap_or(f64::NAN);
            return Err(LearnError::NotFinite { row, column: names[j].clone(), value });
        }
    }
    Ok(())
}

/// The same rows, where a column that all of them leave open is 0 in all of them: it says nothing.
#[must_use]
pub fn with_known_columns(mut rows: Vec<Vec<Option<f64>>>) -> Vec<Vec<Option<f64>>> {
    for j in 0..rows.first().map_or(0, Vec::len) {
        if rows.iter().all(|r| r[j].is_none()) {
            rows.iter_mut().for_each(|r| r[j] = Some(0.0));
        }
    }
    rows
}

/// Brings what lies outside two quantiles of the training rows to them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Clipper {
    names: Vec<String>,
    limits: Vec<(f64, f64)>,
}

impl Clipper {
    /// The quantiles `low` and `high` (0.01 and 0.99 for the 1-99 % clipping of paper 4) of each column.
    ///
    /// # Errors
    /// An empty table, or quantiles that are not 0 <= low < high <= 1.
    pub fn fit_bounds(table: &LearningTable, low: f64, high: f64) -> Result<Self, LearnError> {
        if !(0.0 <= low && low < high && high <= 1.0) {
            return Err(LearnError::Parameter {
                model: "clipping",
                parameter: "quantiles",
                value: format!("{low} and {high}"),
                expected: "0 <= low < high <= 1".into(),
            });
        }
        let limits = (0..table.width()).map(|j| {
            let mut column = table.column(j);
            column.sort_by(f64::total_cmp);
            Some((quantile(&column, low)?, quantile(&column, high)?))
        });
        let limits = limits.collect::<Option<_>>().ok_or_else(|| LearnError::TooFew {
            what: "rows",
            found: 0,
            needed: 1,
            why: "quantiles".into(),
        })?;
        Ok(Self { names: table.names().to_vec(), limits })
    }

    /// Smallest and largest value that is left alone, by column.
    #[must_use]
    pub fn limits(&self) -> &[(f64, f64)] {
        &self.limits
    }

    /// The table with every value within the limits.
    ///
    /// # Errors
    /// Columns that are not those it was fitted on.
    pub fn apply(&self, table: &LearningTable) -> Result<LearningTable, LearnError> {
        table.has_columns(&self.names)?;
        let values = table.rows().flat_map(|row| row.iter().zip(&self.limits));
        LearningTable::new(self.names.clone(), values.map(|(v, (low, high))| v.clamp(*low, *high)).collect())
    }
}

pub use crate::stats::sorted_quantile as quantile;

/// Pearson's correlation of every two columns, row by row; none where one of them is constant.
#[must_use]
pub fn correlations(table: &LearningTable) -> Vec<Vec<Option<f64>>> {
    let unit: Vec<Option<Vec<f64>>> = (0..table.width()).map(|j| direction(table.column(j))).collect();
    let one = |a: &Option<Vec<f64>>, b: &Option<Vec<f64>>| Some(cosine(a.as_ref()?, b.as_ref()?));
    unit.iter().map(|a| unit.iter().map(|b| one(a, b)).collect()).collect()
}

/// Pearson's correlation of two columns; none where one of them is constant.
#[must_use]
pub fn correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    Some(cosine(&direction(a.to_vec())?, &direction(b.to_vec())?))
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>().clamp(-1.0, 1.0)
}

/// A column less its mean, brought to length 1; none of a constant one.
fn direction(mut column: Vec<f64>) -> Option<Vec<f64>> {
    let first = *column.first()?;
    if column.iter().all(|v| *v == first) {
        return None;
    }
    let mean = column.iter().map(|v| v / column.len() as f64).sum::<f64>();
    column.iter_mut().for_each(|v| *v -= mean);
    let largest = column.iter().fold(0.0_f64, |m, v| m.max(v.abs())); // squares of 1e200 would be infinite
    column.iter_mut().for_each(|v| *v /= largest);
    let length = column.iter().map(|v| v * v).sum::<f64>().sqrt();
    column.iter_mut().for_each(|v| *v /= length);
    Some(column)
}
