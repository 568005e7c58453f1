//! Where each column of a file stands, found once.

use super::Number;
use super::canonical::is_column;
use super::measured::NumberPlace;
use csv::ByteRecord;
use std::sync::Arc;

/// Places of the columns in a record.
#[derive(Debug)]
pub(super) struct RecordColumns {
    pub(super) gpu: usize,
    pub(super) kernel: usize,
    pub(super) time: usize,
    pub(super) problem: Option<usize>,
    pub(super) variant: Option<usize>,
    pub(super) dtype: Option<usize>,
    pub(super) block: Option<usize>,
    pub(super) grid: Option<usize>,
    pub(super) source: Option<usize>,
    /// Every number column but the time.
    pub(super) numbers: Vec<(Number, NumberPlace, usize)>,
    /// Columns nobody knows.
    pub(super) attributes: Vec<(Arc<str>, usize)>,
}

impl RecordColumns {
    /// Finds them by the header.
    ///
    /// # Errors
    /// What is wrong with it, and what was expected.
    pub(super) fn from_header(header: &ByteRecord) -> Result<Self, String> {
        let names = header_names(header.iter())?;
        let place = |name: &str| names.iter().position(|n| n == name);
        let needed = |name: &str| place(name).ok_or_else(|| missing(name, &names));
        let others = Number::ALL.iter().filter(|n| **n != Number::Time);
        let unknown = names.iter().enumerate().filter(|(_, name)| !is_column(name));
        Ok(Self {
            gpu: needed("gpu")?,
            kernel: needed("kernel")?,
            time: needed("time_ms")?,
            problem: place("problem"),
            variant: place("variant"),
            dtype: place("dtype"),
            block: place("block"),
            grid: place("grid"),
            source: place("source"),
            numbers: others
                .filter_map(|n| place(n.column()).map(|i| (*n, NumberPlace::column_place(*n), i)))
                .collect(),
            attributes: unknown.map(|(i, name)| (name.as_str().into(), i)).collect(),
        })
    }
}

/// The names of a canonical header, each of them once.
///
/// # Errors
/// Which one stands twice, or which one is needed and missing.
pub(crate) fn header_names<'h>(header: impl Iterator<Item = &'h [u8]>) -> Result<Vec<String>, String> {
    // A byte-order mark in front of the first name is no part of it.
    let plain = |n: &[u8]| String::from_utf8_lossy(n).trim().trim_start_matches('\u{feff}').to_string();
    let names: Vec<String> = header.map(plain).collect();
    if let Some(twice) = twice(&names) {
        let short: String = crate::text::clipped_text(twice, 40);
        return Err(format!("column `{short}` stands twice; keep one"));
    }
    match ["gpu", "kernel", "time_ms"].into_iter().find(|needed| names.iter().all(|n| n != needed)) {
        Some(name) => Err(missing(name, &names)),
        None => Ok(names),
    }
}

fn missing(name: &str, names: &[String]) -> String {
    let seen: String = crate::text::clipped_text(names.join(","), 80);
    if let [only] = names
        && let Some(mark) = [';', '\t', '|'].into_iter().find(|mark| only.contains(*mark))
    {
        return format!("its columns are separated by {mark:?}: separate them by commas (found: {seen})");
    }
    let seen = if seen.trim().is_empty() { "nothing".into() } else { seen };
    let plain = |text: &str| text.to_lowercase().replace(['-', ' ', '.'], "_");
    let is_near = |found: &&String| {
        let found = plain(found);
        found == name || (name == "time_ms" && (found == "time" || found.starts_with("time_")))
    };
    if let Some(near) = names.iter().find(is_near) {
        let near = crate::text::clipped_text(near, 40);
        let unit = if name == "time_ms" { ", in milliseconds" } else { "" };
        return format!("no column `{name}`: rename `{near}` to `{name}`{unit} (found: {seen})");
    }
    format!(
        "no column `{name}`; expected a canonical CSV whose first line names gpu, kernel, problem, time_ms … (found: {seen})"
    )
}

/// A name that two columns have.
fn twice(names: &[String]) -> Option<&str> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|w| w[0] == w[1]).map(|w| w[0])
}
