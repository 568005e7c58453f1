//! A table of finite, named numbers: what every model learns from and predicts from.

use super::LearnError;
use serde::{Deserialize, Serialize};

/// Named columns of finite numbers, all rows of equal width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearningTable {
    names: Vec<String>,
    /// Row after row.
    values: Vec<f64>,
}

impl LearningTable {
    /// A table from its numbers, row after row.
    ///
    /// # Errors
    /// No columns, two of one name, numbers that do not fill whole rows, or a number that is not finite.
    pub fn new(names: Vec<String>, values: Vec<f64>) -> Result<Self, LearnError> {
        let width = names.len();
        if width == 0 {
            return Err(LearnError::NoColumns);
        }
        for (column, name) in names.iter().enumerate() {
            if let Some(first) = names[..column].iter().position(|n| n == name) {
                return Err(LearnError::TwiceNamed { column, first, name: name.clone() });
            }
        }
        let found = values.len() % width;
        if found != 0 {
            return Err(LearnError::Width { row: values.len() / width, found, width, count: values.len() });
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let (row, column) = (at / width, names[at % width].clone());
            return Err(LearnError::NotFinite { row, column, value: values[at] });
        }
        Ok(Self { names, values })
    }

    /// The columns' names, in order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.names.len()
    }

    /// Whether it has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Columns.
    #[must_use]
    pub fn width(&self) -> usize {
        self.names.len()
    }

    /// Row `i`.
    ///
    /// # Panics
    /// Where there is no such row.
    #[must_use]
    pub fn row_values(&self, i: usize) -> &[f64] {
        &self.values[i * self.width()..(i + 1) * self.width()]
    }

    /// All rows, in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> + Clone {
        self.values.chunks_exact(self.width())
    }

    /// All numbers, row after row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Column `j`, top to bottom.
    ///
    /// # Panics
    /// Where there is no such column.
    #[must_use]
    pub fn column(&self, j: usize) -> Vec<f64> {
        assert!(j < self.width(), "column {j} of {}", self.width());
        self.values.iter().skip(j).step_by(self.width()).copied().collect()
    }

    /// The rows at these places, in this order; a place may come twice.
    ///
    /// # Panics
    /// Where there is no such row.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        let values = rows.iter().flat_map(|i| self.row_values(*i)).copied().collect();
        Self { names: self.names.clone(), values }
    }

    /// The columns at these places, in this order.
    ///
    /// # Errors
    /// No columns, or one of them twice.
    ///
    /// # Panics
    /// Where there is no such column.
    pub fn with_columns(&self, columns: &[usize]) -> Result<Self, LearnError> {
        let names = columns.iter().map(|j| self.names[*j].clone()).collect();
        let values = self.rows().flat_map(|row| columns.iter().map(|j| row[*j])).collect();
        Self::new(names, values)
    }

    /// Where the column of this name stands.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|n| n == name)
    }

    /// Checks that the columns are those of `names`, in their order.
    ///
    /// # Errors
    /// The first column that differs, is missing, or is too many.
    pub fn has_columns(&self, names: &[String]) -> Result<(), LearnError> {
        let shown = |n: Option<&String>| n.map_or_else(|| "missing".to_owned(), |n| format!("`{n}`"));
        let differs = (0..names.len().max(self.width())).find(|j| names.get(*j) != self.names.get(*j));
        differs.map_or(Ok(()), |column| {
            let found = shown(self.names.get(column));
            let expected = names.get(column).map_or_else(|| "nothing".to_owned(), |n| format!("`{n}`"));
            Err(LearnError::Columns { column, found, expected })
        })
    }

    /// Checks a list that must have one finite number a row, such as a target.
    ///
    /// # Errors
    /// Another length, or the first number that is not finite.
    pub fn check_target(&self, what: &str, target: &[f64]) -> Result<(), LearnError> {
        if target.len() != self.len() {
            return Err(LearnError::Length { what: what.to_owned(), found: target.len(), rows: self.len() });
        }
        match target.iter().position(|v| !v.is_finite()) {
            Some(row) => Err(LearnError::NotFinite { row, column: what.to_owned(), value: target[row] }),
            None => Ok(()),
        }
    }
}
