//! Registers that contradict what the compiler says: a log given as a file, else the kernel's file in the catalogue.

use super::super::sheet::{Row, Sheet, Word};
use super::super::{Check, Compiled, Edit, Finding, Remedy, Severity};
use crate::measurement::Number;
use std::collections::BTreeMap;

pub(in super::super) const CHECK: Check = Check {
    id: "registers",
    title: "registers are not those the compiler gave",
    harm: "occupancy and the limiting resource are those of another build",
    run,
};

/// What a log says of this row's kernel on this row's architecture, if the logs say one thing.
pub(super) fn registers<'s>(sheet: &'s Sheet<'_>, row: &Row) -> Option<&'s Compiled> {
    let cc = sheet.gpu(row)?.compute_capability;
    let name = sheet.text(row.kernel);
    let fits = |c: &&Compiled| c.capability == (cc.major, cc.minor) && c.kernel.eq_ignore_ascii_case(name);
    let mut all = sheet.compiled.iter().filter(fits);
    let first = all.next()?;
    all.all(|c| c.registers == first.registers).then_some(first)
}

/// A contradiction: row, compiled registers, where they are said, whether in a log.
struct Contradiction {
    row: usize,
    truth: u32,
    said: String,
}

fn run(sheet: &Sheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<(bool, Word), Vec<Contradiction>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        let Some(told) = row.get(Number::RegsPerThread) else { continue };
        let log = registers(sheet, row).map(|c| (c.registers, format!("{}:{}", c.file, c.line)));
        let in_log = log.is_some();
        let filed = || {
            let (gpu, kernel) = sheet.gpu(row).zip(sheet.kernel(row))?;
            let cc = gpu.compute_capability;
            let known = kernel.registers_on(cc.major, cc.minor).filter(|r| r.borrowed_from.is_none())?;
            Some((known.per_thread, "the kernel's file".to_string()))
        };
        let Some((truth, said)) = log.or_else(filed) else { continue };
        if f64::from(truth) != told {
            found.entry((in_log, row.kernel)).or_default().push(Contradiction { row: i, truth, said });
        }
    }
    found.into_iter().map(|((in_log, kernel), all)| finding(sheet, in_log, kernel, &all)).collect()
}

fn finding(sheet: &Sheet<'_>, in_log: bool, kernel: Word, all: &[Contradiction]) -> Finding {
    let mut by_gpu: BTreeMap<&str, &Contradiction> = BTreeMap::new();
    for c in all {
        by_gpu.entry(sheet.text(sheet.rows[c.row].gpu)).or_insert(c);
    }
    let each: Vec<String> = by_gpu
        .iter()
        .map(|(gpu, c)| format!("{gpu} {} ({})", c.truth, c.said.rsplit('/').next().unwrap_or("")))
        .collect();
    let told = sheet.rows[all[0].row].get(Number::RegsPerThread).unwrap_or(0.0);
    let evidence = format!("the rows have {told}; compiled: {}", each.join(", "));
    let rows: Vec<usize> = all.iter().map(|c| c.row).collect();
    let edits = all
        .iter()
        .map(|c| (c.row, Edit::Set { column: "regs_per_thread", value: c.truth.to_string() }))
        .collect();
    let (severity, remedy) = if in_log {
        (Severity::Warning, Remedy::set("the registers of the compiler log", edits))
    } else {
        (
            Severity::Note,
            Remedy::leave("the catalogue's build may be another; give the compiler log to decide"),
        )
    };
    let subject = sheet.text(kernel).to_string();
    Finding { check: CHECK.id, severity, subject, rows, evidence, remedy }
}
