//! Counts of one row that cannot both be true: the rules are those of every prediction (`kernel::contradictions`).

use super::super::rows::SheetRow;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use crate::catalogue::Feature;
use crate::kernel::{Count, CountContradiction, NameFacts, Work, contradictions};
use crate::measurement::Number;
use std::collections::BTreeMap;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "contradictory-counts",
    title: "counts of one row that cannot both be true",
    harm: "one is of another launch, unit or metric; models using both pick the wrong limit",
    run: contradictory_counts_findings,
};

/// How busy tensor pipes are, in percent, that do more than move constants: under 1.3 in kernels of our suite and of PyTorch without
/// tensor instructions on an H200.
const TENSOR_AT_WORK: f64 = 2.0;

fn contradictory_counts_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<(Word, Count, Count), Vec<(usize, CountContradiction)>> = BTreeMap::new();
    let columns = count_columns();
    for (i, row) in sheet.rows.iter().enumerate() {
        let by_name = || NameFacts::of_name(sheet.text_of(row.kernel)).is_tensor;
        let tensor = row.get(Number::PipeTensor).is_some_and(|percent| percent > TENSOR_AT_WORK)
            || sheet.kernel(&row).is_some_and(|k| k.needs.contains(&Feature::Tensor))
            || by_name();
        for c in contradictions(&work(&row, &columns), sheet.text_of(row.dtype), tensor) {
            found.entry((row.kernel, c.count, c.against)).or_default().push((i, c));
        }
    }
    found.into_iter().map(|((kernel, ..), rows)| kernel_finding(sheet, kernel, &rows)).collect()
}

/// The columns of the counts that rows bring.
fn count_columns() -> Vec<(Count, Number)> {
    let column = |count: Count| Number::ALL.iter().find(|n| n.column() == count.name());
    Count::ALL.into_iter().filter_map(|count| Some((count, *column(count)?))).collect()
}

/// The counts that the row itself brings.
fn work(row: &SheetRow<'_>, columns: &[(Count, Number)]) -> Work {
    columns.iter().fold(Work::default(), |work, (count, column)| work.with(*count, row.get(*column)))
}

fn kernel_finding(sheet: &AuditSheet<'_>, kernel: Word, found: &[(usize, CountContradiction)]) -> Finding {
    let rows: Vec<usize> = found.iter().map(|(row, _)| *row).collect();
    let far = |c: &CountContradiction| c.value / c.limit.max(f64::MIN_POSITIVE);
    let (row, worst) = found.iter().max_by(|a, b| far(&a.1).total_cmp(&far(&b.1))).unwrap_or(&found[0]);
    let evidence = format!(
        "{} at {}, but {}",
        worst.named(|_| String::new()),
        sheet.text_of(sheet.rows.row(*row).problem),
        worst.why
    );
    let subject = sheet.text_of(kernel).to_string();
    let remedy = Remedy::leave("which of the two is wrong is unknown; count both in one profiler run");
    Finding { check: CHECK.id, severity: Severity::Warning, subject, rows, evidence, remedy }
}
