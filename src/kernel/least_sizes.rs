//! Sizes below which a problem is none, as `[problem.at_least]` of a kernel file: an image holds its filter.

use super::formula::Formula;
use super::problem::{Problem, ProblemError};
use crate::catalogue::Spanned;
use serde::Deserialize;

/// The least value of a key, as it is typed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeastSizeFile {
    /// Of the problem's keys.
    pub(super) formula: Spanned<String>,
    /// What would be wrong with less.
    why: String,
}

impl LeastSizeFile {
    /// Of this key, its formula read.
    pub(super) fn checked(&self, key: &str, formula: Formula) -> LeastSize {
        LeastSize { key: key.to_string(), formula, why: self.why.clone() }
    }
}

/// The least value of a key.
#[derive(Debug)]
pub(super) struct LeastSize {
    key: String,
    formula: Formula,
    why: String,
}

impl LeastSize {
    /// Refuses a complete problem of a kernel with these keys where it is smaller.
    pub(super) fn check(&self, kernel: &str, keys: &[String], problem: &Problem) -> Result<(), ProblemError> {
        let number = |key: &String| problem.number_at(key).unwrap_or(f64::NAN);
        let scope: Vec<f64> = keys.iter().map(number).collect();
        let size = number(&self.key);
        let Ok(least) = self.formula.eval(&scope) else { return Ok(()) };
        if size >= least {
            return Ok(());
        }
        let formula = self.formula.source_text();
        let (size, least) = (format!("{}={size}", self.key), format!("{formula} = {least}: {}", self.why));
        Err(ProblemError::TooSmall { kernel: kernel.into(), size, least })
    }
}
