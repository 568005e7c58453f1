//! Paper 4's Tables II and III: linear regressions of the tiled kernel's time and power on M, N, K and the tile's side, on its
//! two raw files. What they hold is read as it stands: a power there belongs to a whole process and to no launch, so that the
//! importer makes no measurement of it.

use super::models::{Paper4Architecture, Scores, values_at};
use super::numpy::train_test_split;
use super::tables::{SPLIT, TESTED};
use crate::learn::{LearnError, LearningTable, Progress, Recipe};
use std::path::{Path, PathBuf};

/// Its columns, as the files' headers have them.
pub const FEATURES: [&str; 4] = ["M", "N", "K", "Tile Size"];
/// The largest file that is read: a guard against damage.
const LARGEST: u64 = 16 << 20;

/// What a file holds beside the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TiledTarget {
    /// Milliseconds of one launch: Table II.
    Time,
    /// Mean watts of a process: Table III.
    Power,
}

impl TiledTarget {
    const ALL: [Self; 2] = [Self::Time, Self::Power];

    /// Its column in the file.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Time => "Execution Time",
            Self::Power => "Average Power Usage (W)",
        }
    }

    /// The number of its table in the paper.
    #[must_use]
    pub fn table_number(self) -> &'static str {
        match self {
            Self::Time => "II",
            Self::Power => "III",
        }
    }

    /// The word in tables.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Time => "time, ms",
            Self::Power => "power, W",
        }
    }

    /// The coefficients of [`FEATURES`] and R2, as printed.
    #[must_use]
    pub fn published(self) -> [&'static str; 5] {
        match self {
            Self::Time => ["-0.672907", "1.222868", "8.127956", "-2588.457605", "0.1344"],
            Self::Power => ["0.001255", "0.001584", "0.002479", "-0.769036", "0.8209"],
        }
    }
}

/// The rows of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct TiledRows {
    /// What they say.
    pub target: TiledTarget,
    /// M, N, K and the tile's side.
    pub features: Vec<[f64; 4]>,
    /// Milliseconds or watts.
    pub values: Vec<f64>,
}

/// One regression.
#[derive(Debug, Clone, PartialEq)]
pub struct TiledRegression {
    /// Of what.
    pub target: TiledTarget,
    /// Rows trained on and tested.
    pub rows: (usize, usize),
    /// Of [`FEATURES`], in milliseconds or watts for each unit.
    pub coefficients: [f64; 4],
    /// On the tested rows.
    pub r2: f64,
}

impl TiledRegression {
    /// Name, ours and published of every number of its table.
    pub fn named_numbers(&self) -> impl Iterator<Item = (String, f64, &'static str)> {
        let names = FEATURES.iter().map(|f| format!("coefficient of {f}")).chain(["R2".to_string()]);
        let ours: Vec<f64> = self.coefficients.into_iter().chain([self.r2]).collect();
        names.zip(ours).zip(self.target.published()).map(|((name, ours), published)| (name, ours, published))
    }
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TiledError {
    /// It cannot be read.
    #[error("{file}: {what}")]
    File {
        /// Its path.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// A field that is no number.
    #[error("{file}:{line}: {column}: `{value}`; expected a number")]
    Field {
        /// Its path.
        file: String,
        /// The header is line 1.
        line: usize,
        /// The column.
        column: &'static str,
        /// What stands there.
        value: String,
    },
}

/// The rows of a file; `None` where it is no file of this study's tiled kernel.
///
/// # Errors
/// [`TiledError`] where it cannot be read, or a field is no number.
pub fn read_tiled(path: &Path) -> Result<Option<TiledRows>, TiledError> {
    let file = path.display().to_string();
    let refuse = |what: String| TiledError::File { file: file.clone(), what };
    let length = std::fs::metadata(path).map_err(|e| refuse(format!("cannot be read: {e}")))?.len();
    if length > LARGEST || path.is_dir() {
        return Ok(None);
    }
    let bytes = std::fs::read(path).map_err(|e| refuse(format!("cannot be read: {e}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let header: Vec<&str> = lines.next().map_or("", |(_, line)| line).split(',').map(str::trim).collect();
    let place = |column: &str| header.iter().position(|h| *h == column);
    let Some(target) = TiledTarget::ALL.into_iter().find(|t| place(t.column()).is_some()) else {
        return Ok(None);
    };
    let columns = FEATURES.into_iter().chain([target.column()]);
    let Some(places) = columns.clone().map(place).collect::<Option<Vec<usize>>>() else { return Ok(None) };
    let mut rows = TiledRows { target, features: Vec::new(), values: Vec::new() };
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        let mut numbers = [0.0; 5];
        for ((slot, place), column) in numbers.iter_mut().zip(&places).zip(columns.clone()) {
            let value = cells.get(*place).copied().unwrap_or_default();
            let known = value.parse::<f64>().ok().filter(|v| v.is_finite());
            *slot = known.ok_or_else(|| TiledError::Field {
                file: file.clone(),
                line: at + 1,
                column,
                value: value.chars().take(40).collect(),
            })?;
        }
        let [m, n, k, tile, value] = numbers;
        rows.features.push([m, n, k, tile]);
        rows.values.push(value);
    }
    Ok(Some(rows))
}

/// The files of the tiled kernel's study among these, and the others.
///
/// # Errors
/// As [`read_tiled`].
pub fn tiled_files(files: &[PathBuf]) -> Result<(Vec<TiledRows>, Vec<PathBuf>), TiledError> {
    let (mut tiled, mut others) = (Vec::new(), Vec::new());
    for path in files {
        match read_tiled(path)? {
            Some(rows) => tiled.push(rows),
            None => others.push(path.clone()),
        }
    }
    Ok((tiled, others))
}

/// Least squares on four fifths of the rows, judged on the others.
///
/// # Errors
/// [`LearnError`] where there are too few rows.
pub fn regress(rows: &TiledRows, progress: &Progress) -> Result<TiledRegression, LearnError> {
    let (train, test) = train_test_split(rows.values.len(), TESTED, SPLIT);
    let names = FEATURES.iter().map(ToString::to_string).collect();
    let table = LearningTable::new(names, rows.features.concat())?;
    let recipe = Recipe { scaled: false, ..Paper4Architecture::Linear.recipe(0) };
    let fitted = recipe.fit_model(&table.select(&train), &values_at(&rows.values, &train), progress)?;
    let said = fitted.predict(&table.select(&test))?;
    let scores = Scores::from_predictions(&values_at(&rows.values, &test), &said)
        .ok_or_else(|| LearnError::NoMeaning { what: "the tested rows".into() })?;
    let at_zero = fitted.predict_row(&[0.0; 4]);
    let coefficients = std::array::from_fn(|j| {
        let mut unit = [0.0; 4];
        unit[j] = 1.0;
        fitted.predict_row(&unit) - at_zero
    });
    Ok(TiledRegression { target: rows.target, rows: (train.len(), test.len()), coefficients, r2: scores.r2 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    }

    #[test]
    fn a_linear_function_comes_back() {
        let mut text = String::from("M,N,K,Tile Size,Average Power Usage (W)\n");
        for i in 0..40_u32 {
            let (m, n, k, tile) = (i % 7, (i * i) % 11, (i * 5) % 13, [1, 4, 8, 16, 32][i as usize % 5]);
            let watts = 40.0 + 0.5 * f64::from(m) - 0.25 * f64::from(n) + 2.0 * f64::from(k)
                - 0.125 * f64::from(tile);
            text.push_str(&format!("{m},{n},{k},{tile},{watts}\n"));
        }
        let rows = read_tiled(file(&text).path()).unwrap().unwrap();
        assert_eq!((rows.target, rows.values.len()), (TiledTarget::Power, 40));
        let found = regress(&rows, &Progress::default()).unwrap();
        for (ours, known) in found.coefficients.into_iter().zip([0.5, -0.25, 2.0, -0.125]) {
            assert!((ours - known).abs() < 1e-9, "{found:?}");
        }
        assert!((found.r2 - 1.0).abs() < 1e-9 && found.rows == (32, 8), "{found:?}");
    }

    #[test]
    fn other_files_are_left_alone_and_damage_is_named() {
        assert_eq!(read_tiled(file("gpu,kernel,time_ms\n").path()).unwrap(), None);
        let damaged = read_tiled(file("M,N,K,Tile Size,Execution Time\n8,8,8,x,1\n").path()).unwrap_err();
        assert!(damaged.to_string().ends_with(":2: Tile Size: `x`; expected a number"), "{damaged}");
    }
}
