//! What can be wrong with data, parameters and model files: where it is, what is there, what to do.

/// Why something could not be learned, predicted, saved or loaded.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A number that is NaN or infinite.
    #[error(
        "row {row}, column `{column}`: {value} is not a finite number; drop the row or fill the gap first"
    )]
    NotFinite {
        /// Counted from 0, without the header.
        row: usize,
        /// The column's name.
        column: String,
        /// What stands there.
        value: f64,
    },
    /// The numbers do not fill whole rows.
    #[error(
        "row {row} has {found} of {width} numbers: {count} numbers do not make rows of {width}; give one per column"
    )]
    Width {
        /// The incomplete row, from 0.
        row: usize,
        /// Numbers it has.
        found: usize,
        /// Columns.
        width: usize,
        /// Numbers altogether.
        count: usize,
    },
    /// A table without columns.
    #[error("the table has no columns: a model needs at least one")]
    NoColumns,
    /// Two columns of one name.
    #[error("column {column} is called `{name}` like column {first}: give each its own name")]
    TwiceNamed {
        /// The second, from 0.
        column: usize,
        /// The first, from 0.
        first: usize,
        /// Their name.
        name: String,
    },
    /// A table whose columns are not those that the model was trained on.
    #[error("column {column} is {found}, but the model was trained with {expected} there")]
    Columns {
        /// From 0.
        column: usize,
        /// What is there.
        found: String,
        /// What should be.
        expected: String,
    },
    /// Not one target (or group) per row.
    #[error("`{what}` has {found} values for {rows} rows; give one per row")]
    Length {
        /// Which list.
        what: String,
        /// Its length.
        found: usize,
        /// Rows of the table.
        rows: usize,
    },
    /// Too few rows, groups or targets.
    #[error("{found} {what}: {why} needs at least {needed}")]
    TooFew {
        /// Of what.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
        /// What needs them.
        why: String,
    },
    /// A parameter outside its range.
    #[error("{model}: {parameter} = {value}; it must be {expected}")]
    Parameter {
        /// The regressor.
        model: &'static str,
        /// Its parameter.
        parameter: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// Finite numbers whose sums or squares are not.
    #[error(
        "{model}: numbers overflow ({what}); scale the features and the target, or take their logarithms"
    )]
    Overflow {
        /// The regressor.
        model: &'static str,
        /// Which number.
        what: String,
    },
    /// A metric that has no meaning on the target it was asked about.
    #[error(
        "the error metric has no meaning for {what}: no rows, a true value of 0 under a percentage, or no variance"
    )]
    NoMeaning {
        /// What it was asked about.
        what: String,
    },
    /// Somebody cancelled it.
    #[error("cancelled")]
    Cancelled,
    /// A model file that cannot be used.
    #[error("{file}: {what}; delete it or train again")]
    File {
        /// Its path.
        file: String,
        /// What is wrong, and where.
        what: String,
    },
}

impl From<crate::progress::Cancelled> for LearnError {
    fn from(_: crate::progress::Cancelled) -> Self {
        Self::Cancelled
    }
}
