//! Registers that contradict what the compiler says, in a log given as a file. The catalogue's kernel files say what our own
//! sources need; another build may differ, and nothing is wrong with it.

use super::super::rows::SheetRow;
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, CompiledReport, Edit, Finding, Remedy, Severity, compiled};
use crate::measurement::Number;
use std::collections::BTreeMap;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "registers",
    title: "registers are not those the compiler gave",
    harm: "occupancy and the limiting resource are those of another build",
    run: compiled_findings,
};

/// What a log says of this row's kernel on this row's architecture, if the logs say one thing.
pub(super) fn registers<'s>(sheet: &'s AuditSheet<'_>, row: &SheetRow<'_>) -> Option<&'s CompiledReport> {
    if sheet.compiled.is_empty() {
        return None;
    }
    let cc = sheet.gpu(row)?.cuda.compute_capability;
    let name = sheet.text_of(row.kernel);
    let index = sheet.by_build.get_or_init(|| compiled::index(&sheet.compiled));
    let place = index.get(&(name.to_ascii_lowercase(), (cc.major, cc.minor))).copied().flatten()?;
    sheet.compiled.get(place)
}

/// A contradiction: row, compiled registers, where they are said.
struct RegisterContradiction {
    row: usize,
    truth: u32,
    said: String,
}

fn compiled_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<Word, Vec<RegisterContradiction>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        let Some(told) = row.get(Number::RegsPerThread) else { continue };
        let Some(log) = registers(sheet, &row) else { continue };
        if f64::from(log.registers) != told {
            let said = log.place.clone();
            found.entry(row.kernel).or_default().push(RegisterContradiction {
                row: i,
                truth: log.registers,
                said,
            });
        }
    }
    found.into_iter().map(|(kernel, all)| kernel_finding(sheet, kernel, &all)).collect()
}

fn kernel_finding(sheet: &AuditSheet<'_>, kernel: Word, all: &[RegisterContradiction]) -> Finding {
    let mut by_gpu: BTreeMap<&str, &RegisterContradiction> = BTreeMap::new();
    for c in all {
        by_gpu.entry(sheet.text_of(sheet.rows.row(c.row).gpu)).or_insert(c);
    }
    let each: Vec<String> = by_gpu
        .iter()
        .map(|(gpu, c)| format!("{gpu} {} ({})", c.truth, c.said.rsplit('/').next().unwrap_or("")))
        .collect();
    let told = sheet.rows.row(all[0].row).get(Number::RegsPerThread).unwrap_or(0.0);
    let evidence = format!("the rows have {told}; compiled: {}", each.join(", "));
    let rows: Vec<usize> = all.iter().map(|c| c.row).collect();
    let edits = all
        .iter()
        .map(|c| (c.row, Edit::Set { column: "regs_per_thread", value: c.truth.to_string() }))
        .collect();
    let remedy = Remedy::set("the registers of the compiler log", edits);
    let subject = sheet.text_of(kernel).to_string();
    Finding { check: CHECK.id, severity: Severity::Warning, subject, rows, evidence, remedy }
}
