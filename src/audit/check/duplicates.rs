//! One configuration that stands several times for one GPU.
//!
//! Repeats are no fault: they show the noise. Rows equal to the last digit are copies; repeats that differ by more than a
//! factor of two are of different things. Rows whose clocks differ are different configurations, as for predictions.

use super::super::robust::{median, range};
use super::super::series::shown_ms;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use crate::measurement::{Number, SAME_CLOCK};
use crate::text::counted;
use hashbrown::DefaultHashBuilder;
use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasher;

const CONTRADICTS: f64 = 2.0;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "duplicates",
    title: "one configuration stands several times for one GPU",
    harm: "repeats weigh as often as they stand, and rows in training and test at once make a model look better than it is",
    run: duplicates_findings,
};

type DuplicateKey = (Word, Word, Word, Word, Word, Option<[u32; 3]>);

fn duplicates_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let configuration = |row: &usize| -> DuplicateKey {
        let r = &sheet.rows.row(*row);
        (r.gpu, r.kernel, r.problem, r.variant, r.dtype, r.block)
    };
    let mut rows = rows_with_twins(sheet.rows.len(), configuration);
    rows.sort_unstable_by_key(|row| (configuration(row), *row));
    let alike = rows.chunk_by(|a, b| configuration(a) == configuration(b)).filter(|alike| alike.len() > 1);
    let groups = alike.flat_map(|alike| by_clock(sheet, alike.to_vec()));
    let mut kernels: BTreeMap<(Word, Word), Vec<Vec<usize>>> = BTreeMap::new();
    for rows in groups.filter(|g| g.len() > 1) {
        let first = &sheet.rows.row(rows[0]);
        kernels.entry((first.gpu, first.kernel)).or_default().push(rows);
    }
    let mut found = Vec::new();
    let mut repeats: BTreeMap<Word, Vec<Vec<usize>>> = BTreeMap::new();
    for ((_, kernel), groups) in kernels {
        let sorted = SortedGroups::from_groups(sheet, groups);
        found.extend(copied(sheet, sorted.copies));
        found.extend(contradictions(sheet, &sorted.contradicting));
        repeats.entry(kernel).or_default().extend(sorted.repeats);
    }
    found.extend(repeats.values().filter_map(|groups| repeated(sheet, groups)));
    found
}

/// The rows whose configuration has a row before or after; of most there is one row. Found by hashes that lie side by side: looking
/// rows up in the order of their configurations takes longer than all else.
fn rows_with_twins(rows: usize, configuration: impl Fn(&usize) -> DuplicateKey) -> Vec<usize> {
    let hasher = DefaultHashBuilder::default();
    let mut hashes: Vec<(u32, u32)> = Vec::with_capacity(rows);
    for row in 0..rows {
        let place = u32::try_from(row).expect("a sheet holds fewer than 2^32 rows");
        hashes.push((hasher.hash_one(configuration(&row)) as u32, place));
    }
    hashes.sort_unstable();
    let alike = hashes.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1);
    alike.flatten().map(|(_, row)| *row as usize).collect()
}

/// Splits rows where the SM clock or the memory clock jumps.
fn by_clock(sheet: &AuditSheet<'_>, rows: Vec<usize>) -> Vec<Vec<usize>> {
    let mut groups = vec![rows];
    for number in [Number::SmClock, Number::MemClock] {
        let clock = |r: &usize| sheet.rows.row(*r).get(number).unwrap_or(0.0);
        groups = groups.into_iter().flat_map(|rows| of_one_clock(rows, clock)).collect();
    }
    groups
}

/// The rows by clock, those together that are as near to the slowest as the clocks of one configuration are.
fn of_one_clock(mut rows: Vec<usize>, clock: impl Fn(&usize) -> f64) -> Vec<Vec<usize>> {
    rows.sort_by(|a, b| clock(a).total_cmp(&clock(b)));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for row in rows {
        let is_near = |slowest: &usize| clock(&row) <= (1.0 + SAME_CLOCK) * clock(slowest);
        match groups.last_mut().filter(|group| is_near(&group[0])) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// What groups of rows alike are.
#[derive(Default)]
struct SortedGroups {
    copies: Vec<usize>,
    contradicting: Vec<Vec<usize>>,
    repeats: Vec<Vec<usize>>,
}

impl SortedGroups {
    fn from_groups(sheet: &AuditSheet<'_>, groups: Vec<Vec<usize>>) -> Self {
        let mut sorted = Self::default();
        for mut rows in groups {
            rows.sort_unstable();
            let mut seen = HashSet::new();
            let (other, same): (Vec<usize>, Vec<usize>) =
                rows.iter().partition(|r| seen.insert(sheet.records.whole(**r)));
            sorted.copies.extend(same);
            let (low, high) = range(other.iter().map(|r| sheet.rows.row(*r).time_ms()));
            match other.len() {
                0 | 1 => {}
                _ if high > CONTRADICTS * low => sorted.contradicting.push(other),
                _ => sorted.repeats.push(other),
            }
        }
        sorted
    }
}

fn rows_finding(
    sheet: &AuditSheet<'_>,
    severity: Severity,
    rows: Vec<usize>,
    evidence: String,
    remedy: Remedy,
) -> Finding {
    let row = &sheet.rows.row(rows[0]);
    let subject = format!("{}, {}", sheet.text_of(row.gpu), sheet.text_of(row.kernel));
    Finding { check: CHECK.id, severity, subject, rows, evidence, remedy }
}

/// Rows equal in every field, wherever they come from.
fn copied(sheet: &AuditSheet<'_>, rows: Vec<usize>) -> Option<Finding> {
    rows.first()?;
    let evidence = match rows.len() {
        1 => "1 row repeats another one in every field".to_string(),
        n => format!("{n} rows repeat another one in every field"),
    };
    let remedy = Remedy::drop(&rows, "copies add nothing");
    Some(rows_finding(sheet, Severity::Warning, rows, evidence, remedy))
}

fn contradictions(sheet: &AuditSheet<'_>, groups: &[Vec<usize>]) -> Option<Finding> {
    let spread = |rows: &Vec<usize>| range(rows.iter().map(|r| sheet.rows.row(*r).time_ms()));
    let worst = groups.iter().max_by(|a, b| {
        let ratio = |g: &Vec<usize>| spread(g).1 / spread(g).0;
        ratio(a).total_cmp(&ratio(b))
    })?;
    let (low, high) = spread(worst);
    let evidence = format!(
        "{} whose repeats differ by more than a factor of {CONTRADICTS}: {} and {} at {}",
        counted(groups.len(), "configuration"),
        shown_ms(low),
        shown_ms(high),
        sheet.text_of(sheet.rows.row(worst[0]).problem)
    );
    let remedy = Remedy::leave("which one is right cannot be told from these files");
    Some(rows_finding(sheet, Severity::Warning, groups.concat(), evidence, remedy))
}

fn repeated(sheet: &AuditSheet<'_>, groups: &[Vec<usize>]) -> Option<Finding> {
    groups.first()?;
    let rows = groups.concat();
    let mut spreads: Vec<f64> = groups
        .iter()
        .map(|g| range(g.iter().map(|r| sheet.rows.row(*r).time_ms())))
        .map(|(low, high)| 100.0 * (high / low - 1.0))
        .collect();
    let evidence = format!(
        "{} are repeats of {}; their times lie {:.2} % apart in the middle",
        counted(rows.len(), "row"),
        counted(groups.len(), "configuration"),
        median(&mut spreads)
    );
    let remedy = Remedy::leave("repeats show the noise; the later row is the one that is used");
    let subject = sheet.text_of(sheet.rows.row(rows[0]).kernel).to_string();
    Some(Finding { subject, ..rows_finding(sheet, Severity::Note, rows, evidence, remedy) })
}
