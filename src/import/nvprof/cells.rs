//! What the cells of both tables have in common.

use crate::import::ImportJob;
use crate::measurement::CanonicalRow;

/// A device as nvprof writes it, `Tesla K40c (0)`, without its number.
fn device(text: &str) -> &str {
    let number = |id: &str| {
        id.strip_suffix(')').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    text.rsplit_once(" (").filter(|(_, id)| number(id)).map_or(text, |(name, _)| name)
}

/// A row with its GPU, kernel and place.
pub(super) fn start(device_text: &str, line: u64, job: &ImportJob<'_>) -> CanonicalRow {
    CanonicalRow {
        gpu: device(device_text).to_string(),
        source: format!("{}:{line}", job.file),
        ..CanonicalRow::default()
    }
}

/// A number of at least 0, as nvprof writes it.
pub(super) fn plain(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0)
}
