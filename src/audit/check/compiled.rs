//! Registers that contradict what the compiler says, in a log given as a file. The catalogue's kernel files say what our own
//! sources need; another build may differ, and nothing is wrong with it.

use super::super::sheet::{Row, Sheet};
use super::super::words::Word;
use super::super::{Check, Compiled, Edit, Finding, Remedy, Severity, compiled};
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
    let cc = sheet.gpu(row)?.cuda.compute_capability;
    let name = sheet.text(row.kernel);
    let index = sheet.by_build.get_or_init(|| compiled::index(&sheet.compiled));
    let place = index.get(&(name.to_ascii_lowercase(), (cc.major, cc.minor))).copied().flatten()?;
    sheet.compiled.get(place)
}

/// A contradiction: row, compiled registers, where they are said.
struct Contradiction {
    row: usize,
    truth: u32,
    said: String,
}

fn run(sheet: &Sheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<Word, Vec<Contradiction>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        let Some(told) = row.get(Number::RegsPerThread) else { continue };
        let Some(log) = registers(sheet, row) else { continue };
        if f64::from(log.registers) != told {
            let said = log.place.clone();
            found.entry(row.kernel).or_default().push(Contradiction { row: i, truth: log.registers, said });
        }
    }
    found.into_iter().map(|(kernel, all)| finding(sheet, kernel, &all)).collect()
}

fn finding(sheet: &Sheet<'_>, kernel: Word, all: &[Contradiction]) -> Finding {
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
    let remedy = Remedy::set("the registers of the compiler log", edits);
    let subject = sheet.text(kernel).to_string();
    Finding { check: CHECK.id, severity: Severity::Warning, subject, rows, evidence, remedy }
}
