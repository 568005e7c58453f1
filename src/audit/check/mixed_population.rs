//! A standard deviation far above what that GPU shows elsewhere: the mean is of different things.
//!
//! The yardstick is the GPU's own: what its other kernels show that take about as long (jitter is larger in short launches).
//! A row is far above where its std/mean is three times what nine of ten of them have, and a fifth at least; two equal
//! halves that differ by a half have a fifth. Heavy tails of a busy host do that too, so it is an error only where the mean
//! itself is spoiled (its standard error is 5 % or more, or nobody knows the trials) or where half of the
//! kernel's rows on this GPU have the same ratio, as an average over two settings has and accidents have not.

use super::super::others::Others;
use super::super::rows::SheetRow;
use super::super::series::shown_ms;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use crate::measurement::Number;
use std::collections::BTreeMap;

const FAR: f64 = 3.0;
const MOST: f64 = 0.9;
const LEAST: f64 = 0.2;
/// Rows within this factor of a row's time are its neighbours.
const AROUND: f64 = 4.0;
/// Fewer neighbours say nothing; then all rows of the GPU are heard.
const ENOUGH: usize = 8;
/// Fewer rows of other kernels than this are no yardstick.
const FEWEST: usize = 4;
/// The mean is spoiled from this standard error on.
const SPOILED: f64 = 0.05;
/// std/mean of two rows within this factor is the same.
const SAME: f64 = 1.1;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "mixed-population",
    title: "a standard deviation far above what the GPU shows elsewhere",
    harm: "the mean belongs to no run that took place: a model is fitted to a kernel that does not exist",
    run: mixed_population_findings,
};

/// One row's scatter.
struct Scatter {
    row: usize,
    kernel: Word,
    ln_time: f64,
    ratio: f64,
}

fn mixed_population_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let std = |r: &SheetRow<'_>| r.get(Number::TimeStd).filter(|s| *s > 0.0);
    let mut by_gpu: BTreeMap<Word, Vec<u32>> = BTreeMap::new();
    for (row, r) in (0..).zip(sheet.rows.iter()).filter(|(_, r)| std(r).is_some()) {
        by_gpu.entry(r.gpu).or_default().push(row);
    }
    let mut kernels: BTreeMap<(Word, Word), Vec<Far>> = BTreeMap::new();
    for (gpu, rows) in by_gpu {
        let scatter = |row: u32| {
            let (row, r) = (row as usize, sheet.rows.row(row as usize));
            let (ln_time, ratio) = (r.time_ms().ln(), std(&r)? / r.time_ms());
            Some(Scatter { row, kernel: r.kernel, ln_time, ratio })
        };
        let mut all: Vec<Scatter> = rows.into_iter().filter_map(scatter).collect();
        all.sort_by(|a, b| a.ln_time.total_cmp(&b.ln_time));
        for far in outliers(&all) {
            kernels.entry((sheet.rows.row(far.row).kernel, gpu)).or_default().push(far);
        }
    }
    let mut rows: BTreeMap<(Word, Word), usize> = BTreeMap::new();
    sheet.rows.iter().for_each(|r| *rows.entry((r.kernel, r.gpu)).or_default() += 1);
    kernels.into_iter().flat_map(|(key, far)| findings(sheet, &far, rows[&key])).collect()
}

/// A row far above its neighbours.
#[derive(Clone, Copy)]
struct Far {
    row: usize,
    ratio: f64,
    usual: f64,
}

/// Those of these rows, sorted by time, that are far above their neighbours.
fn outliers(all: &[Scatter]) -> Vec<Far> {
    let ratios: Vec<(f64, Word)> = all.iter().map(|s| (s.ratio, s.kernel)).collect();
    let mut others = Others::new(&ratios);
    let (mut low, mut high) = (0, 0);
    let mut found = Vec::new();
    for s in all.iter().filter(|s| s.ratio >= LEAST) {
        while all.get(high).is_some_and(|o| o.ln_time <= s.ln_time + AROUND.ln()) {
            others.enter(high);
            high += 1;
        }
        while all[low].ln_time < s.ln_time - AROUND.ln() {
            others.leave(low);
            low += 1;
        }
        let around = Some(others.in_window(s.kernel, MOST)).filter(|(n, _)| *n >= ENOUGH);
        let (n, usual) = around.unwrap_or_else(|| others.of_all(s.kernel, MOST));
        if n >= FEWEST && s.ratio > FAR * usual {
            found.push(Far { row: s.row, ratio: s.ratio, usual });
        }
    }
    found
}

/// The rows of one kernel on one GPU: those that are spoiled, and those that are only noisy.
fn findings(sheet: &AuditSheet<'_>, far: &[Far], rows: usize) -> Vec<Finding> {
    let mut logs: Vec<f64> = far.iter().map(|f| f.ratio.ln()).collect();
    logs.sort_by(f64::total_cmp);
    let comes_back = |f: &Far| {
        let (ln, apart) = (f.ratio.ln(), SAME.ln());
        let same = logs.partition_point(|l| *l < ln + apart) - logs.partition_point(|l| *l <= ln - apart);
        same >= 2 && 2 * same >= rows
    };
    let spoiled = |f: &&Far| {
        if has_listed_trials(sheet, f.row) {
            return false;
        }
        let error = sheet.rows.row(f.row).get(Number::Trials).map(|t| f.ratio / t.max(1.0).sqrt());
        error.is_none_or(|e| e >= SPOILED) || comes_back(f)
    };
    let (bad, noisy): (Vec<&Far>, Vec<&Far>) = far.iter().partition(spoiled);
    let of = |rows: Vec<&Far>, severity| (!rows.is_empty()).then(|| rows_finding(sheet, &rows, severity));
    [of(bad, Severity::Error), of(noisy, Severity::Note)].into_iter().flatten().collect()
}

/// Whether a row lists its trials: they can still be told apart.
fn has_listed_trials(sheet: &AuditSheet<'_>, row: usize) -> bool {
    !sheet.field(row, "trials_ms").is_empty()
}

fn rows_finding(sheet: &AuditSheet<'_>, far: &[&Far], severity: Severity) -> Finding {
    let worst = far.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)).unwrap_or(&far[0]);
    let row = &sheet.rows.row(worst.row);
    let rows: Vec<usize> = far.iter().map(|f| f.row).collect();
    let is_listed = has_listed_trials(sheet, worst.row);
    let tail = match severity {
        Severity::Note if is_listed => "; its trials stand in trials_ms, one by one",
        Severity::Note => "; over many trials its mean still holds: the host's jitter, or rare slow launches",
        _ => "; runs of different settings were averaged",
    };
    let evidence = format!(
        "std/mean {:.2} at {} ({} ± {}); nine of ten rows of its other kernels that take about as long have less than {:.4}{tail}",
        worst.ratio,
        sheet.text_of(row.problem),
        shown_ms(row.time_ms()),
        shown_ms(row.get(Number::TimeStd).unwrap_or(0.0)),
        worst.usual,
    );
    let remedy = match severity {
        Severity::Note if is_listed => {
            Remedy::leave("the median and the trials beside the mean are what was measured")
        }
        Severity::Note => Remedy::leave("the mean is sound"),
        _ => Remedy::drop(&rows, "the runs cannot be told apart any more"),
    };
    let subject = format!("{}, {}", sheet.text_of(row.gpu), sheet.text_of(row.kernel));
    Finding { check: CHECK.id, severity, subject, rows, evidence, remedy }
}
