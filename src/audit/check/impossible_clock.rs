//! Clocks that no such board runs at: predictions ignore them.

use super::super::sheet::AuditSheet;
use super::super::words::Word;
use super::super::{AuditCheck, Finding, Remedy, Severity};
use crate::measurement::Number;
use crate::text::counted;
use crate::units::Hertz;
use std::collections::BTreeMap;

pub(in super::super) const CHECK: AuditCheck = AuditCheck {
    id: "impossible-clock",
    title: "a clock that the board cannot run at",
    harm: "the clock is ignored: a time measured at another one than the stock clock is modelled at the stock clock",
    run: impossible_clock_findings,
};

const CLOCKS: [Number; 2] = [Number::SmClock, Number::MemClock];

fn impossible_clock_findings(sheet: &AuditSheet<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<(Word, Number), (Vec<usize>, String)> = BTreeMap::new();
    for (i, row) in sheet.rows.iter().enumerate() {
        let Some(gpu) = sheet.gpu(&row) else { continue };
        let stated = CLOCKS.map(|column| row.get(column).filter(|mhz| *mhz > 0.0).map(Hertz::from_mega));
        for (column, why) in CLOCKS.into_iter().zip(gpu.refused_clocks(stated)) {
            let Some(why) = why else { continue };
            found.entry((row.gpu, column)).or_insert_with(|| (Vec::new(), why.to_string())).0.push(i);
        }
    }
    let finding = |((gpu, column), (rows, why)): ((Word, Number), (Vec<usize>, String))| Finding {
        check: CHECK.id,
        severity: Severity::Warning,
        subject: format!("{}, {}", sheet.text_of(gpu), column.column()),
        evidence: format!("{why}; {}", counted(rows.len(), "row")),
        rows,
        remedy: Remedy::leave("write the clock in MHz, or leave it blank"),
    };
    found.into_iter().map(finding).collect()
}
