//! The audit: what measurements say against themselves, found without being told any name.
//!
//! A [`AuditSheet`] holds the records of one or more files verbatim, typed rows beside them, and what calibration files and
//! compiler logs add. Every check is a function of a sheet alone, in a file of its own under `check/`; its thresholds
//! stand there with their reasons. Findings name rows, evidence, harm and remedy; [`fix`] carries remedies out on a copy.

mod calibration;
mod check;
mod compiled;
mod fix;
mod flat_runs;
mod kept;
mod others;
mod read;
mod robust;
mod rows;
mod series;
mod sheet;
mod words;

pub use calibration::ReachedCeiling;
pub use compiled::CompiledReport;
pub use fix::{Fixed, fix};
pub use read::{SheetKind, read_file, read_opened, read_text};
pub use rows::{SheetRow, SheetRows};
pub use sheet::AuditSheet;
pub use words::Word;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The rows are not what they say; a model that uses them is wrong.
    Error,
    /// Something about the rows contradicts something else.
    Warning,
    /// A true property of the rows that a model must know.
    Note,
}

impl Severity {
    /// All, worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// The word on screen and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One change that a remedy makes to one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The row goes.
    Drop,
    /// The row goes because another one (its place in the sheet) now stands for it.
    MergeInto(usize),
    /// One field gets another value.
    Set {
        /// The column.
        column: &'static str,
        /// The new text.
        value: String,
    },
}

/// What `--fix` would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remedy {
    /// In words.
    pub text: String,
    /// Rows and what happens to them; none = leave.
    pub edits: Vec<(usize, Edit)>,
}

impl Remedy {
    /// Nothing is changed, and why.
    fn leave(why: impl Into<String>) -> Self {
        Self { text: format!("leave: {}", why.into()), edits: Vec::new() }
    }

    /// All these rows go.
    fn drop(rows: &[usize], why: impl Into<String>) -> Self {
        let edits = rows.iter().map(|r| (*r, Edit::Drop)).collect();
        Self { text: format!("drop: {}", why.into()), edits }
    }

    /// Fields get other values.
    fn set(text: impl Into<String>, edits: Vec<(usize, Edit)>) -> Self {
        Self { text: format!("set: {}", text.into()), edits }
    }
}

/// One thing that is wrong, or has to be known.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Id of the check that found it.
    pub check: &'static str,
    /// How bad.
    pub severity: Severity,
    /// What it is about: `gtx-titan-x, saxpy`.
    pub subject: String,
    /// Places in [`AuditSheet::rows`].
    pub rows: Vec<usize>,
    /// With numbers.
    pub evidence: String,
    /// What `--fix` would do.
    pub remedy: Remedy,
}

/// One way in which measurements go wrong.
#[derive(Debug, Clone, Copy)]
pub struct AuditCheck {
    /// As findings name it.
    pub id: &'static str,
    /// What it looks for.
    pub title: &'static str,
    /// The effect of such rows on models.
    pub harm: &'static str,
    /// Looks.
    pub run: fn(&AuditSheet<'_>) -> Vec<Finding>,
}

/// Every check, in the order in which findings of one severity are shown.
pub const CHECKS: &[AuditCheck] = &[
    check::ignored_size::CHECK,
    check::unknown_gpu::CHECK,
    check::impossible_launch::CHECK,
    check::impossible_clock::CHECK,
    check::mixed_population::CHECK,
    check::first_launch::CHECK,
    check::beyond_roof::CHECK,
    check::work_differs::CHECK,
    check::kernel_file::CHECK,
    check::contradictory_counts::CHECK,
    check::copied::CHECK,
    check::compiled::CHECK,
    check::calibration::CHECK,
    check::idle_label::CHECK,
    check::power::CHECK,
    check::duplicates::CHECK,
    check::gather::CHECK,
    check::launch_floor::CHECK,
];

/// The check of this id.
#[must_use]
pub fn check_named(id: &str) -> Option<&'static AuditCheck> {
    CHECKS.iter().find(|c| c.id == id)
}

/// Everything that every check finds, worst first.
#[must_use]
pub fn audit(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = CHECKS.iter().flat_map(|c| (c.run)(sheet)).collect();
    // Stable: within a severity the order of the checks, and theirs, stays.
    found.sort_by_key(|f| f.severity);
    found
}

/// How many findings there are of each severity, in the order of [`Severity::ALL`].
#[must_use]
pub fn counts(findings: &[Finding]) -> [usize; 3] {
    Severity::ALL.map(|s| findings.iter().filter(|f| f.severity == s).count())
}
