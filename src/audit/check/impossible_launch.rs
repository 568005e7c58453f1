//! Launches that cannot start: what was timed is the refusal.

use super::super::series::{shown_ms, stated_launch, times};
use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use super::compiled::registers;
use std::collections::BTreeMap;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "impossible-launch",
    title: "more threads, registers or shared memory than a block may have",
    harm: "the kernel never ran: the time is not a kernel time",
    run: impossible_launch_findings,
};

fn impossible_launch_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<(Word, Word), (Vec<usize>, String)> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        let Some(gpu) = sheet.gpu(&row) else { continue };
        let by_log = registers(sheet, &row);
        let mut stated = stated_launch(&row);
        if let Some(c) = &by_log {
            stated.regs_per_thread = Some(c.registers);
        }
        let Some(refusal) = stated.refusal(&gpu.cuda.limits) else { continue };
        let said = by_log.map_or(String::new(), |c| format!(" (registers of {})", c.place));
        let entry = found.entry((row.kernel, row.gpu)).or_insert_with(|| (Vec::new(), String::new()));
        entry.0.push(i);
        entry.1 = format!("{refusal}{said}");
    }
    found
        .into_iter()
        .map(|((kernel, gpu), (rows, why))| {
            let (mean, ..) = times(sheet, &rows);
            let evidence = format!("{why}; {} is the time of a launch that was refused", shown_ms(mean));
            let subject = format!("{}, {}", sheet.text_of(gpu), sheet.text_of(kernel));
            let remedy = Remedy::drop(&rows, "there is no kernel time in them");
            Finding { check: CHECK.id, severity: Severity::Error, subject, rows, evidence, remedy }
        })
        .collect()
}
