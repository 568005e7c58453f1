//! Times of first launches: a floor of milliseconds below which no size goes.
//!
//! A first launch loads the module and sets up the context: milliseconds, whatever the size. A kernel's rows are said to
//! sit on such a floor where its shortest times lie within a half over sizes that differ by a factor of eight, the floor
//! is twenty times any launch or dispatch floor (25 µs), and the roofs explain less than a tenth of it.

use super::super::rows::SheetRow;
use super::super::series::{ideal, points, shown_ms};
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use super::ignored_size;
use crate::measurement::Number;
use std::collections::{BTreeMap, HashSet};

const WITHIN: f64 = 1.5;
const GROWTH: f64 = 8.0;
const SIZES: usize = 3;
const LEAST_MS: f64 = 20.0 * 0.025;
const EXPLAINED: f64 = 0.1;
/// A row is kept where the floor is at most a quarter of it.
const DROWNED: f64 = 4.0;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "first-launch",
    title: "a floor of milliseconds that does not depend on the size",
    harm: "most of the time is module loading: small sizes look up to a hundred times slower than they are",
    run: first_launch_findings,
};

fn first_launch_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let ignored = ignored_size::fixed_rows(sheet);
    let rows = || sheet.rows.iter().enumerate().filter(|(i, _)| !ignored.contains(i));
    let key = |r: &SheetRow<'_>| (r.file, r.gpu, r.kernel);
    let mut floors: BTreeMap<(usize, Word, Word), f64> = BTreeMap::new();
    for (_, r) in rows() {
        let least = floors.entry(key(&r)).or_insert(f64::INFINITY);
        *least = r.time_ms().min(*least);
    }
    // Of most tables no row is left.
    floors.retain(|_, floor| *floor >= LEAST_MS);
    let mut groups: BTreeMap<(usize, Word, Word), Vec<usize>> = BTreeMap::new();
    for (i, r) in rows().filter(|(_, r)| floors.contains_key(&key(r))) {
        groups.entry(key(&r)).or_default().push(i);
    }
    groups.into_values().filter_map(|rows| floor(sheet, &rows)).collect()
}

fn floor(sheet: &AuditSheet<'_>, rows: &[usize]) -> Option<Finding> {
    let time = |r: &usize| sheet.rows.row(*r).time_ms();
    let floor = rows.iter().map(time).fold(f64::INFINITY, f64::min);
    if floor < LEAST_MS {
        return None;
    }
    let near: Vec<usize> = rows.iter().copied().filter(|r| time(r) <= WITHIN * floor).collect();
    let sizes = points(sheet, near.iter().map(|row| *row as u32));
    let (first, last) = sizes.points.first().zip(sizes.points.last())?;
    let explained =
        |r: usize| ideal(sheet, &sheet.rows.row(r)).is_some_and(|s| s * 1e3 < EXPLAINED * time(&r));
    if sizes.points.len() < SIZES || last.work < GROWTH * first.work || !sizes.rows_of(last).any(explained) {
        return None;
    }
    let drowned: Vec<usize> = rows.iter().copied().filter(|r| time(r) < DROWNED * floor).collect();
    let row = &sheet.rows.row(rows[0]);
    let single: HashSet<_> =
        drowned.iter().map(|r| sheet.rows.row(*r).get(Number::Trials).map(|t| t as u64)).collect();
    let trials = if single == HashSet::from([Some(1)]) { "; one trial each" } else { "" };
    let evidence = format!(
        "no time below {}: {} rows within {WITHIN} times of it over a {:.0}-fold growth of the work, {:.1} % of which the roofs explain at most{trials}",
        shown_ms(floor),
        near.len(),
        last.work / first.work,
        100.0
            * sizes
                .rows_of(last)
                .filter_map(|r| Some(ideal(sheet, &sheet.rows.row(r))? * 1e3 / time(&r)))
                .fold(0.0, f64::max),
    );
    let subject = format!("{}, {}", sheet.text_of(row.gpu), sheet.text_of(row.kernel));
    let text = format!("below {} a quarter or more is the floor", shown_ms(DROWNED * floor));
    let remedy = Remedy::drop(&drowned, text);
    Some(Finding { check: CHECK.id, severity: Severity::Error, subject, rows: drowned, evidence, remedy })
}
