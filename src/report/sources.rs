//! What a combined answer is made of, for tables and for the dashboard.

use super::cell::TableCell;
use super::predictions::Comparison;
use super::shown;
use super::table::TableColumn;
use crate::answer::{Answer, Share};
use crate::catalogue::Catalogue;
use crate::gpu::{Gpu, GpuId};
use crate::kernel::Kernel;
use crate::predict::Subject;

/// What `predict` adds to its columns where several sources are asked: the share of a source in the combined time, 0 to 1,
/// and how far the sources of a combined time are apart, as the weighted standard deviation of ln T.
pub const COLUMNS: [TableColumn; 2] = [TableColumn::right("weight"), TableColumn::right("spread")];

/// An answer as rows: where it is combined, the answer of each source with its share first.
#[must_use]
pub fn source_rows<'a>(
    gpus: &'a Catalogue<Gpu>,
    kernels: &'a Catalogue<Kernel>,
    subject: &'a Subject,
    answer: &'a Answer,
) -> Vec<Comparison<'a>> {
    let of = |answer: &'a Answer| Comparison::new(gpus, kernels, subject, answer);
    let shares = answer.combined.iter().flat_map(|c| &c.shares);
    let mut all: Vec<Comparison<'a>> =
        shares.map(|s| Comparison { share: Some(s.weight), ..of(&s.answer) }).collect();
    all.push(of(answer));
    all
}

/// The ids of a combined answer's sources, the heaviest first.
pub(super) fn ids(answer: &Answer, id_of: impl Fn(GpuId) -> String) -> Vec<String> {
    let shares = answer.combined.iter().flat_map(|c| &c.shares);
    shares.map(|s| id_of(s.answer.source)).collect()
}

/// One source's name; `3 sources` for a combined answer of several.
pub(super) fn width_word(row: &Comparison<'_>) -> String {
    match row.answer.combined.as_ref().map(|combined| combined.counted().count()) {
        Some(1) => row.several.first().cloned().unwrap_or_default(),
        Some(n) => counted_sources(n),
        None => row.start_words(),
    }
}

/// `3 sources`.
fn counted_sources(n: usize) -> String {
    if n == 1 { "1 source".into() } else { format!("{n} sources") }
}

/// What stands in [`COLUMNS`].
pub(super) fn cells(row: &Comparison<'_>) -> [TableCell; 2] {
    let spread = row.answer.combined.as_ref().map(|c| c.spread);
    [TableCell::maybe(row.share, TableCell::number), TableCell::maybe(spread, TableCell::number)]
}

/// How far the sources of a combined answer are apart; nothing for a plain one.
pub(super) fn table_note(row: &Comparison<'_>) -> Option<String> {
    let said = spread(row.answer)?;
    Some(format!("{} on {}: {said}", row.configuration(), row.target.id))
}

/// `geometric mean of 3 sources, agreeing within 12 %`, `1 source`; nothing for a plain answer.
#[must_use]
pub fn spread(answer: &Answer) -> Option<String> {
    let combined = answer.combined.as_ref()?;
    let (count, apart) = (combined.counted().count(), spread_percent(combined.spread));
    let sources = match (answer.is_without_source, count) {
        (false, _) => counted_sources(count),
        (true, 1) => "1 GPU".into(),
        (true, _) => format!("{count} GPUs"),
    };
    Some(if count == 1 { sources } else { format!("geometric mean of {sources}, agreeing within {apart}") })
}

/// `3, ±12 %`: how many sources, and how far they are apart; `1` for a plain answer, nothing where there is none.
#[must_use]
pub fn brief(answer: &Answer) -> Option<String> {
    answer.prediction.as_ref().ok()?;
    Some(match &answer.combined {
        Some(c) if c.shares.len() > 1 => format!("{}, ±{}", c.counted().count(), spread_percent(c.spread)),
        _ => "1".into(),
    })
}

/// `12 %`: how far apart a factor e^spread is.
fn spread_percent(spread: f64) -> String {
    let percent = 100.0 * (spread.exp() - 1.0);
    let decimals = usize::from(percent < 1.0);
    format!("{percent:.decimals$} %")
}

/// Each source's prediction and share: `titan-v: 31.8 µs ◆, 57 %`; nothing for a plain answer.
#[must_use]
pub fn source_lines(gpus: &Catalogue<Gpu>, answer: &Answer) -> Vec<String> {
    let shares = answer.combined.iter().flat_map(|c| &c.shares);
    let line = |s: &Share| {
        let id = &gpus[s.answer.source].id;
        let timed = s.answer.source_time.as_ref().map(shown::source_time).unwrap_or_default();
        let said = shown::predicted(&s.answer).unwrap_or_default();
        format!("{id:<20}{timed:>12} → {said:<12}{:>5.0} %", 100.0 * s.weight)
    };
    shares.map(line).collect()
}
