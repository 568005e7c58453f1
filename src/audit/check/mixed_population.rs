//! A standard deviation far above what that GPU shows elsewhere: the mean is of different things.
//!
//! The yardstick is the GPU's own: the median and the spread of ln(std/mean) over its rows that take about as long (jitter
//! is larger in short launches). A row is far above at five such spreads and at a fifth of its mean; two equal halves
//! that differ by a half have a fifth. Heavy tails of a busy host do that too, so it is an error only where the mean
//! itself is spoiled (its standard error is 5 % or more, or nobody knows the trials) or where the same ratio of std to
//! mean comes back at another size, as an average over two settings does and an accident does not.

use super::super::series::shown_ms;
use super::super::sheet::{Sheet, Word};
use super::super::statistics::middle_and_spread;
use super::super::{Check, Finding, Remedy, Severity};
use crate::measurement::Number;
use std::collections::BTreeMap;

const FAR: f64 = 5.0;
const LEAST: f64 = 0.2;
/// Rows within this factor of a row's time are its neighbours.
const AROUND: f64 = 4.0;
/// Fewer neighbours say nothing; then all rows of the GPU are heard.
const ENOUGH: usize = 8;
/// ln(std/mean) spreads at least this much: a std over ten trials is itself uncertain by a quarter.
const LEAST_SPREAD: f64 = 0.25;
/// The mean is spoiled from this standard error on.
const SPOILED: f64 = 0.05;
/// std/mean of two rows within this factor is the same.
const SAME: f64 = 1.1;

pub(in super::super) const CHECK: Check = Check {
    id: "mixed-population",
    title: "a standard deviation far above what the GPU shows elsewhere",
    harm: "the mean belongs to no run that took place: a model learns a kernel that does not exist",
    run,
};

/// One row's scatter.
struct Scatter {
    row: usize,
    ln_time: f64,
    ln_ratio: f64,
}

fn run(sheet: &Sheet<'_>) -> Vec<Finding> {
    let mut by_gpu: BTreeMap<Word, Vec<Scatter>> = BTreeMap::new();
    for (row, r) in sheet.rows.iter().enumerate() {
        if let Some(std) = r.get(Number::TimeStd).filter(|s| *s > 0.0) {
            let scatter = Scatter { row, ln_time: r.time_ms().ln(), ln_ratio: (std / r.time_ms()).ln() };
            by_gpu.entry(r.gpu).or_default().push(scatter);
        }
    }
    let mut kernels: BTreeMap<(Word, Word), Vec<Far>> = BTreeMap::new();
    for (gpu, mut all) in by_gpu {
        all.sort_by(|a, b| a.ln_time.total_cmp(&b.ln_time));
        for far in outliers(&all) {
            kernels.entry((sheet.rows[far.row].kernel, gpu)).or_default().push(far);
        }
    }
    kernels.into_iter().flat_map(|((_, _), far)| findings(sheet, &far)).collect()
}

/// A row far above its neighbours.
#[derive(Clone, Copy)]
struct Far {
    row: usize,
    ratio: f64,
    usual: f64,
}

fn outliers(all: &[Scatter]) -> Vec<Far> {
    let candidates = all.iter().filter(|s| s.ln_ratio >= LEAST.ln());
    candidates
        .filter_map(|s| {
            let low = all.partition_point(|o| o.ln_time < s.ln_time - AROUND.ln());
            let high = all.partition_point(|o| o.ln_time <= s.ln_time + AROUND.ln());
            let near = if high - low > ENOUGH { &all[low..high] } else { all };
            let mut ratios: Vec<f64> = near.iter().filter(|o| o.row != s.row).map(|o| o.ln_ratio).collect();
            if ratios.len() < 4 {
                return None;
            }
            let (middle, spread) = middle_and_spread(&mut ratios);
            let far = s.ln_ratio - middle > FAR * spread.max(LEAST_SPREAD);
            far.then(|| Far { row: s.row, ratio: s.ln_ratio.exp(), usual: middle.exp() })
        })
        .collect()
}

/// The rows of one kernel on one GPU: those that are spoiled, and those that are only noisy.
fn findings(sheet: &Sheet<'_>, far: &[Far]) -> Vec<Finding> {
    let comes_back = |f: &Far| {
        let same = |o: &&Far| o.row != f.row && (o.ratio / f.ratio).ln().abs() < SAME.ln();
        far.iter().filter(|o| sheet.rows[o.row].problem != sheet.rows[f.row].problem).any(|o| same(&o))
    };
    let spoiled = |f: &&Far| {
        let error = sheet.rows[f.row].get(Number::Trials).map(|t| f.ratio / t.max(1.0).sqrt());
        error.is_none_or(|e| e >= SPOILED) || comes_back(f)
    };
    let (bad, noisy): (Vec<&Far>, Vec<&Far>) = far.iter().partition(spoiled);
    let of = |rows: Vec<&Far>, severity| (!rows.is_empty()).then(|| finding(sheet, &rows, severity));
    [of(bad, Severity::Error), of(noisy, Severity::Note)].into_iter().flatten().collect()
}

fn finding(sheet: &Sheet<'_>, far: &[&Far], severity: Severity) -> Finding {
    let worst = far.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)).unwrap_or(&far[0]);
    let row = &sheet.rows[worst.row];
    let rows: Vec<usize> = far.iter().map(|f| f.row).collect();
    let tail = match severity {
        Severity::Note => "; over many trials its mean still holds: the host's jitter, or rare slow launches",
        _ => "; runs of different settings were averaged",
    };
    let evidence = format!(
        "std/mean {:.2} at {} ({} ± {}); rows of this GPU that take about as long have {:.4}{tail}",
        worst.ratio,
        sheet.text(row.problem),
        shown_ms(row.time_ms()),
        shown_ms(row.get(Number::TimeStd).unwrap_or(0.0)),
        worst.usual,
    );
    let remedy = match severity {
        Severity::Note => Remedy::leave("the mean is sound"),
        _ => Remedy::drop(&rows, "the runs cannot be told apart any more"),
    };
    let subject = format!("{}, {}", sheet.text(row.gpu), sheet.text(row.kernel));
    Finding { check: CHECK.id, severity, subject, rows, evidence, remedy }
}
