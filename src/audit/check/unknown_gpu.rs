//! GPUs that the catalogue does not have: most checks need their limits and ceilings.

use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use crate::catalogue::user_path_text;
use std::collections::BTreeMap;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "unknown-gpu",
    title: "rows of a GPU that the catalogue does not have",
    harm: "its rows cannot be loaded; checks that need the GPU's limits were skipped",
    run: unknown_gpu_findings,
};

fn unknown_gpu_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<Word, Vec<usize>> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate().filter(|(_, row)| sheet.gpu(row).is_none()) {
        found.entry(row.gpu).or_default().push(i);
    }
    let finding = |(gpu, rows): (Word, Vec<usize>)| {
        let name = sheet.text_of(gpu);
        let near = sheet.gpus.position(name).err().map(|e| e.to_string()).unwrap_or_default();
        let subject: String = crate::text::clipped_text(name, 60);
        let remedy = Remedy::leave(format!(
            "name it as `roofswap gpus` does, or describe it in a file in the GPU folder {}",
            user_path_text("gpus")
        ));
        Finding { check: CHECK.id, severity: Severity::Warning, subject, evidence: near, rows, remedy }
    };
    found.into_iter().map(finding).collect()
}
