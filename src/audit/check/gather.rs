//! Gathers that are as quick as streaming: they gather nothing.
//!
//! A word at a random place costs its 32-byte sector. A kernel that calls itself random, gather or scatter, whose data is
//! several times L2 and whose words come at more than half the speed of this GPU's best stream, moved its words together:
//! all indices were equal or in order, as in a buffer of zeros. Zeros in other kernels leave no trace in the numbers.

use super::super::rows::SheetRow;
use super::super::series::shown_ms;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use super::ignored_size;
use crate::measurement::Number;
use std::collections::BTreeMap;

/// Words that say it alone, and words that say it of `random`.
const SAYS: [&str; 3] = ["gather", "scatter", "indirect"];
const RANDOMLY: [&str; 6] = ["access", "read", "write", "load", "copy", "walk"];
/// Below two L2 sizes much of the data stays in the cache.
const OUT_OF_CACHE: f64 = 2.0;
/// A random word could reach an eighth; half leaves room for partly ordered indices.
const AS_QUICK: f64 = 0.5;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "gather",
    title: "random access as quick as streaming",
    harm: "a model fitted to it underestimates random access",
    run: gather_findings,
};

fn gather_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let ignored = ignored_size::fixed_rows(sheet);
    let mut best: BTreeMap<Word, (f64, usize)> = BTreeMap::new();
    let mut random: BTreeMap<(Word, Word), Vec<(f64, usize)>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate().filter(|(i, _)| !ignored.contains(i)) {
        let Some(rate) = rate(sheet, &row) else { continue };
        if gathers(sheet.text_of(row.kernel)) {
            random.entry((row.gpu, row.kernel)).or_default().push((rate, i));
        } else {
            let entry = best.entry(row.gpu).or_insert((rate, i));
            *entry = if rate > entry.0 { (rate, i) } else { *entry };
        }
    }
    let quick = random.into_iter().filter_map(|((gpu, _), rows)| {
        let (stream, of) = *best.get(&gpu)?;
        let rows: Vec<(f64, usize)> =
            rows.into_iter().filter(|(rate, _)| *rate > AS_QUICK * stream).collect();
        (!rows.is_empty()).then(|| rows_finding(sheet, &rows, stream, of))
    });
    quick.collect()
}

/// Whether a kernel's name says that it reads or writes at random: `random_access`, but not `randomGenerator`.
fn gathers(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |all: &[&str]| words.iter().any(|w| all.contains(w));
    has(&SAYS) || (has(&["random"]) && has(&RANDOMLY))
}

/// Bytes per second of a row whose data does not fit the cache.
fn rate(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> Option<f64> {
    let l2 = sheet.gpu(row)?.l2_size.value.0;
    let set = sheet.working_set(row)?;
    let bytes = row.get(Number::DramBytes)?;
    (set > OUT_OF_CACHE * l2).then(|| bytes / row.seconds())
}

fn rows_finding(sheet: &AuditSheet<'_>, found: &[(f64, usize)], stream: f64, of: usize) -> Finding {
    let (rate, row) = found.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or(found[0]);
    let row = &sheet.rows.row(row);
    let evidence = format!(
        "{:.0} GB/s at {} ({}), {:.0} % of the best stream here ({}, {:.0} GB/s): random words would move 32-byte sectors and reach an eighth; the indices were equal or in order",
        rate / 1e9,
        sheet.text_of(row.problem),
        shown_ms(row.time_ms()),
        100.0 * rate / stream,
        sheet.text_of(sheet.rows.row(of).kernel),
        stream / 1e9,
    );
    Finding {
        check: CHECK.id,
        severity: Severity::Warning,
        subject: format!("{}, {}", sheet.text_of(row.gpu), sheet.text_of(row.kernel)),
        rows: found.iter().map(|(_, r)| *r).collect(),
        evidence,
        remedy: Remedy::leave("the times are true for what the buffers held"),
    }
}
