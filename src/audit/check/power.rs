//! Power that was read while the GPU idled, or is missing.
//!
//! A reading belongs to the kernel only if the GPU was busy while it was taken. Where utilisation stands beside it, 90 %
//! is asked for. Where it does not, a power below one and a half times idle is suspicious where the row claims a tenth
//! of a roof.

use super::super::robust::{median, range};
use super::super::rows::SheetRow;
use super::super::series::ideal;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Edit, Finding, Remedy, Severity};
use crate::measurement::{BUSY_PERCENT, Number};
use std::collections::{BTreeMap, BTreeSet};

const NEAR_IDLE: f64 = 1.5;
const WORKS: f64 = 0.1;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "power",
    title: "power was read while the GPU idled",
    harm: "energy is power x time: these rows say that work is nearly free",
    run: power_findings,
};

fn power_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let with_power = sheet.rows.iter().filter(|r| r.get(Number::Power).is_some());
    let with_power: BTreeSet<(usize, Word)> = with_power.map(|r| (r.file, r.gpu)).collect();
    let mut gpus: BTreeMap<(usize, Word), Vec<usize>> = BTreeMap::new();
    for (i, r) in sheet.rows.iter().enumerate().filter(|(_, r)| with_power.contains(&(r.file, r.gpu))) {
        gpus.entry((r.file, r.gpu)).or_default().push(i);
    }
    gpus.values().flat_map(|rows| of_gpu(sheet, rows)).collect()
}

fn of_gpu(sheet: &AuditSheet<'_>, rows: &[usize]) -> Vec<Finding> {
    let with: Vec<usize> =
        rows.iter().copied().filter(|r| sheet.rows.row(*r).get(Number::Power).is_some()).collect();
    let (idle, rest): (Vec<usize>, Vec<usize>) = with.iter().partition(|r| low_use(&sheet.rows.row(**r)));
    let near: Vec<usize> = rest.into_iter().filter(|r| near_idle(sheet, &sheet.rows.row(*r))).collect();
    let mut found = Vec::new();
    if !idle.is_empty() {
        let why =
            format!("{} of {} readings at a utilisation below {BUSY_PERCENT} %", idle.len(), with.len());
        found.push(rows_finding(sheet, &idle, why));
    }
    if !near.is_empty() {
        let why = format!(
            "{} of {} readings near the idle power though a tenth of a roof was reached",
            near.len(),
            with.len()
        );
        found.push(rows_finding(sheet, &near, why));
    }
    if with.len() < rows.len() {
        let missing: Vec<usize> =
            rows.iter().copied().filter(|r| sheet.rows.row(*r).get(Number::Power).is_none()).collect();
        found.push(Finding {
            check: CHECK.id,
            severity: Severity::Note,
            subject: sheet.text_of(sheet.rows.row(rows[0]).gpu).to_string(),
            evidence: format!("power is missing in {} of {} rows", missing.len(), rows.len()),
            rows: missing,
            remedy: Remedy::leave("nothing can be said of them"),
        });
    }
    found
}

fn low_use(row: &SheetRow<'_>) -> bool {
    row.get(Number::GpuUtil).is_some_and(|u| u < BUSY_PERCENT)
}

fn near_idle(sheet: &AuditSheet<'_>, row: &SheetRow<'_>) -> bool {
    let idle = sheet.gpu(row).and_then(|g| g.idle_power.as_ref()).map(|p| p.value.0);
    let near = idle.zip(row.get(Number::Power)).is_some_and(|(i, p)| p < NEAR_IDLE * i);
    near && row.get(Number::GpuUtil).is_none() && ideal(sheet, row).is_some_and(|s| s > WORKS * row.seconds())
}

fn rows_finding(sheet: &AuditSheet<'_>, rows: &[usize], why: String) -> Finding {
    let power = |r: &usize| sheet.rows.row(*r).get(Number::Power);
    let mut all: Vec<f64> = rows.iter().filter_map(power).collect();
    let (low, high) = range(all.iter().copied());
    let evidence = format!("{why}: {low:.0} to {high:.0} W, {:.0} W in the middle", median(&mut all));
    let blank = |column: &'static str| Edit::Set { column, value: String::new() };
    let edits = rows
        .iter()
        .flat_map(|r| {
            let energy = sheet.rows.row(*r).get(Number::Energy).map(|_| (*r, blank("energy_j")));
            std::iter::once((*r, blank("power_w"))).chain(energy)
        })
        .collect();
    Finding {
        check: CHECK.id,
        severity: Severity::Warning,
        subject: sheet.text_of(sheet.rows.row(rows[0]).gpu).to_string(),
        rows: rows.to_vec(),
        evidence,
        remedy: Remedy::set("power and energy blank; the times stay", edits),
    }
}
