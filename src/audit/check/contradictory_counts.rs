//! Counts of one row that cannot both be true: the rules are those of every prediction (`kernel::contradictions`).

use super::super::sheet::{Row, Sheet};
use super::super::words::Word;
use super::super::{Check, Finding, Remedy, Severity};
use crate::catalogue::Feature;
use crate::kernel::{Contradiction, Count, Work, contradictions};
use crate::measurement::Number;
use std::collections::BTreeMap;

pub(in super::super) const CHECK: Check = Check {
    id: "contradictory-counts",
    title: "counts of one row that cannot both be true",
    harm: "one of them is of another launch, unit or metric: a model that takes both as they stand binds on the wrong part",
    run,
};

fn run(sheet: &Sheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<(Word, Count, Count), Vec<(usize, Contradiction)>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        let tensor = sheet.kernel(row).is_some_and(|k| k.needs.contains(&Feature::Tensor));
        for c in contradictions(&work(row), sheet.text(row.dtype), tensor) {
            found.entry((row.kernel, c.count, c.against)).or_default().push((i, c));
        }
    }
    found.into_iter().map(|((kernel, ..), rows)| finding(sheet, kernel, &rows)).collect()
}

/// The counts that the row itself brings.
fn work(row: &Row) -> Work {
    Count::ALL.into_iter().fold(Work::default(), |work, count| {
        let column = Number::ALL.iter().find(|n| n.column() == count.name());
        work.with(count, column.and_then(|n| row.get(*n)))
    })
}

fn finding(sheet: &Sheet<'_>, kernel: Word, found: &[(usize, Contradiction)]) -> Finding {
    let rows: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
    let far = |c: &Contradiction| c.value / c.limit.max(f64::MIN_POSITIVE);
    let (row, worst) = found.iter().max_by(|a, b| far(&a.1).total_cmp(&far(&b.1))).unwrap_or(&found[0]);
    let evidence = format!(
        "{} at {}, but {}",
        worst.named(|_| String::new()),
        sheet.text(sheet.rows[*row].problem),
        worst.why
    );
    let subject = sheet.text(kernel).to_string();
    let remedy = Remedy::leave("which of the two is wrong is unknown; count both in one profiler run");
    Finding { check: CHECK.id, severity: Severity::Warning, subject, rows, evidence, remedy }
}
