//! The file that `measure` writes and continues, and what stands in the `about.toml` beside it.

use super::rows::{RunMachine, row_key};
use super::{MeasureOptions, Planned};
use crate::measurement::{CanonicalRow, Number, write_csv};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Why a file is not continued.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is no file of ours, or damaged.
    #[error("{file}:{line}: {why}; give another name with -o, or move the file away")]
    NotOurs {
        /// The file.
        file: String,
        /// The line; the first is 1.
        line: u64,
        /// The value and what was expected.
        why: String,
    },
    /// It was measured elsewhere.
    #[error(
        "{file}:{line}: {what} is `{theirs}`, here it is `{ours}`; one file holds one GPU and one driver: give another name with -o"
    )]
    Elsewhere {
        /// The file.
        file: String,
        /// The line; the first is 1.
        line: u64,
        /// The column.
        what: &'static str,
        /// In the file.
        theirs: String,
        /// Here.
        ours: String,
    },
}

/// The rows of a measurement file, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    rows: Vec<CanonicalRow>,
    keys: BTreeSet<(String, String, String)>,
}

impl Document {
    /// What stands in a file that `measure` wrote on this machine; a blank file is an empty document.
    ///
    /// # Errors
    /// [`DocumentError`] for a file of another GPU or driver, or of somebody else.
    pub fn continued(text: &str, file: &str, machine: &RunMachine) -> Result<Self, DocumentError> {
        let mut document = Self::default();
        if text.trim().is_empty() {
            return Ok(document);
        }
        let not_ours = |line, why: String| DocumentError::NotOurs { file: file.into(), line, why };
        let mut reader = csv::ReaderBuilder::new().from_reader(text.as_bytes());
        let header = reader.headers().map_err(|e| not_ours(1, e.to_string()))?.clone();
        for record in reader.records() {
            let record =
                record.map_err(|e| not_ours(e.position().map_or(0, csv::Position::line), e.to_string()))?;
            let line = record.position().map_or(0, csv::Position::line);
            let fields: BTreeMap<&str, &str> = header.iter().zip(record.iter()).collect();
            let row = canonical_row(&fields).map_err(|why| not_ours(line, why))?;
            is_from(&row, machine).map_err(|(what, theirs, ours)| DocumentError::Elsewhere {
                file: file.into(),
                line,
                what,
                theirs,
                ours,
            })?;
            document.add_rows(vec![row]);
        }
        Ok(document)
    }

    /// Puts rows at the end.
    pub fn add_rows(&mut self, rows: Vec<CanonicalRow>) {
        self.keys.extend(rows.iter().map(row_key));
        self.rows.extend(rows);
    }

    /// Whether a row of this key is there.
    #[must_use]
    pub fn has(&self, key: &(String, String, String)) -> bool {
        self.keys.contains(key)
    }

    /// The rows.
    #[must_use]
    pub fn canonical_rows(&self) -> &[CanonicalRow] {
        &self.rows
    }

    /// As a file.
    #[must_use]
    pub fn file_bytes(&self) -> Vec<u8> {
        write_csv(&self.rows)
    }
}

/// One line of a file.
fn canonical_row(fields: &BTreeMap<&str, &str>) -> Result<CanonicalRow, String> {
    let text = |name: &str| fields.get(name).copied().unwrap_or("").to_string();
    let shape = |name: &str| -> Result<Option<[u64; 3]>, String> {
        let typed = text(name);
        if typed.is_empty() {
            return Ok(None);
        }
        let mut all = [1; 3];
        for (slot, part) in all.iter_mut().zip(typed.split('x')) {
            *slot =
                part.parse().map_err(|_| format!("{name} is `{typed}`; expected numbers such as 16x16"))?;
        }
        Ok(Some(all))
    };
    let mut row = CanonicalRow {
        gpu: text("gpu"),
        kernel: text("kernel"),
        problem: text("problem"),
        variant: text("variant"),
        dtype: text("dtype"),
        block: shape("block")?,
        grid: shape("grid")?,
        source: text("source"),
        ..CanonicalRow::default()
    };
    if row.gpu.is_empty() || row.kernel.is_empty() {
        return Err("has no gpu or no kernel; expected a file that `roofswap measure` wrote".into());
    }
    for number in Number::ALL {
        let typed = text(number.column());
        if !typed.is_empty() {
            let value = typed.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0);
            let value = value.ok_or_else(|| {
                format!("{} is `{typed}`; expected a number of at least 0", number.column())
            })?;
            row.numbers.insert(*number, value);
        }
    }
    let known = |name: &str| {
        ["gpu", "kernel", "problem", "variant", "dtype", "block", "grid", "source"].contains(&name)
            || Number::ALL.iter().any(|n| n.column() == name)
    };
    let further = fields.iter().filter(|(name, value)| !known(name) && !value.is_empty());
    row.attributes = further.map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect();
    Ok(row)
}

/// Whether a row was measured here; else what differs: column, there, here.
fn is_from(row: &CanonicalRow, machine: &RunMachine) -> Result<(), (&'static str, String, String)> {
    let theirs = |name: &str| row.attributes.get(name).cloned().unwrap_or_default();
    for (what, theirs, ours) in [
        ("gpu", row.gpu.clone(), &machine.gpu),
        ("gpu_uuid", theirs("gpu_uuid"), &machine.facts.uuid),
        ("driver", theirs("driver"), &machine.version.driver),
    ] {
        if theirs != *ours {
            return Err((what, theirs, ours.clone()));
        }
    }
    Ok(())
}

/// The first line of an `about.toml` that belongs to this file: what tells ours from others.
#[must_use]
pub(crate) fn about_mark(file: &str) -> String {
    format!("# Written by `roofswap measure` for {file}.")
}

/// The `about.toml` of a measured file.
#[must_use]
pub fn about_text(
    file: &str,
    machine: &RunMachine,
    document: &Document,
    options: &MeasureOptions,
    day: &str,
) -> String {
    let quoted = |text: &str| toml::Value::from(text).to_string();
    let RunMachine { gpu, facts, version } = machine;
    let limit = facts.power_limit_w.map_or_else(|| "unknown".into(), |w| format!("{w} W"));
    let mut by: Vec<&str> = document
        .canonical_rows()
        .iter()
        .filter_map(|r| r.attributes.get("compiled_by"))
        .map(String::as_str)
        .collect();
    by.sort_unstable();
    by.dedup();
    let mut text = about_mark(file) + "\n";
    let title = format!("{} kernels of roofswap's suite on {}", kernels(document), facts.name);
    let source = document.canonical_rows().first().map_or("roofswap measure", |r| r.source.as_str());
    let _ = write!(
        text,
        "title = {}\nkind = \"measured\"\nsource = {}\nrows = {}\n\n",
        quoted(&title),
        quoted(source),
        document.canonical_rows().len()
    );
    let _ = write!(
        text,
        "[origin]\ngpu = {}\nname = {}\nuuid = {}\ndriver = {}\ncuda = \"{}.{}\"\npower_limit = {}\nmig = {}\nfirst_day = {}\ncompiled_by = {}\n\n",
        quoted(gpu),
        quoted(&facts.name),
        quoted(&facts.uuid),
        quoted(&version.driver),
        version.cuda.0,
        version.cuda.1,
        quoted(&limit),
        facts.mig,
        quoted(day),
        quoted(&by.join(", ")),
    );
    let _ = write!(
        text,
        r#"[timing]
method = "two events around launches back to back; time per launch; the launches of a trial stand in the column launches"
trials = "{trials}, each of {usual} to {most} launches (fewer where a launch takes longer than {long:.0} ms); mean, standard deviation (n - 1), median; none left out, all in trials_ms"
warm_up = "{warm} launches"
buffers = "random, never all zero, from the seed {seed}; warm rows use the same buffers in every launch, cold rows (variant caches=cold) as many copies in turn as exceed twice the L2"
checked = "one launch against a CPU reference before any timing; a configuration whose answer was wrong has no row"
sampled = "clocks, power, temperature, utilisation through NVML while launches ran, in every other trial; a sample counts only if launches were still running after it"

[units]
time_ms = "milliseconds per launch, mean over the trials"
time_std_ms = "milliseconds, standard deviation over the trials"
regs_per_thread = "32-bit registers per thread, by the driver"
power_w = "watts of the board, mean of the samples"
"#,
        trials = options.trials,
        usual = options.usual_launches,
        most = options.most_launches,
        long = 2e3 * options.budget.0 / (options.trials * options.usual_launches) as f64,
        warm = options.warm_up,
        seed = options.seed,
    );
    text
}

fn kernels(document: &Document) -> usize {
    document.canonical_rows().iter().map(|r| r.kernel.as_str()).collect::<BTreeSet<_>>().len()
}

impl Planned<'_> {
    /// Whether both timings of it are in the document, or the warm one where there can be no cold one.
    #[must_use]
    pub fn is_in(&self, document: &Document) -> bool {
        let [warm, _] = self.keys();
        // Both rows of a configuration are written at once, and some have no cold one.
        document.has(&warm)
    }
}
