//! Carries remedies out on a copy: a clean CSV, and a log of every change.

use super::kept::KeptRecords;
use super::{AuditSheet, Edit, Finding};
use crate::text::harmless_line;
use std::collections::{BTreeMap, HashMap};

/// A repaired copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// Every row that is left, every column as it was, but for the changes.
    pub csv: String,
    /// One line per change: file, line, gpu, kernel, problem, change, column, old, new, check, why.
    pub log: String,
    /// Rows that went because they cannot be used.
    pub dropped: usize,
    /// Rows that went because another stands for them.
    pub merged: usize,
    /// Fields that were changed.
    pub changed: usize,
}

const LOG: [&str; 11] =
    ["file", "line", "gpu", "kernel", "problem", "change", "column", "old", "new", "check", "why"];

/// What happens to one row, all findings together.
#[derive(Default)]
struct Fate<'f> {
    gone: Option<(&'f Edit, &'f Finding)>,
    set: BTreeMap<&'static str, (&'f str, &'f Finding)>,
}

/// Applies every remedy. The worst finding goes first: a row that is dropped is not changed, and of two values for a field
/// the first stands. Rows that could not be read are left out, and the log says so of each that is described.
#[must_use]
pub fn fix(sheet: &AuditSheet<'_>, findings: &[Finding]) -> Fixed {
    let mut fates: HashMap<usize, Fate<'_>> = HashMap::new();
    for finding in findings {
        for (row, edit) in &finding.remedy.edits {
            let fate = fates.entry(*row).or_default();
            match edit {
                Edit::Set { column, value } => {
                    fate.set.entry(column).or_insert((value, finding));
                }
                // A row that cannot be used is stronger than one that another stands for.
                Edit::Drop if !matches!(fate.gone, Some((Edit::Drop, _))) => {
                    fate.gone = Some((edit, finding))
                }
                Edit::Drop => {}
                Edit::MergeInto(_) => {
                    fate.gone.get_or_insert((edit, finding));
                }
            }
        }
    }
    write(sheet, &fates)
}

fn write(sheet: &AuditSheet<'_>, fates: &HashMap<usize, Fate<'_>>) -> Fixed {
    let mut columns = sheet.columns.clone();
    let added = fates.values().flat_map(|f| f.set.keys()).map(ToString::to_string);
    let mut added: Vec<String> = added.filter(|c| !columns.contains(c)).collect();
    added.sort();
    added.dedup();
    columns.extend(added);
    let (mut csv, mut log) = (csv::Writer::from_writer(Vec::new()), csv::Writer::from_writer(Vec::new()));
    let in_memory = "writing rows of equal length to memory cannot fail";
    csv.write_record(&columns).expect(in_memory);
    log.write_record(LOG).expect(in_memory);
    let mut fixed = Fixed { csv: String::new(), log: String::new(), dropped: 0, merged: 0, changed: 0 };
    let none = Fate::default();
    for row in 0..sheet.rows.len() {
        let fate = fates.get(&row).unwrap_or(&none);
        for line in log_lines(sheet, row, fate, &mut fixed) {
            log.write_record(line.map(|cell| harmless_line(&cell))).expect(in_memory);
        }
        if fate.gone.is_none() {
            csv.write_record(fields(sheet, row, fate, &columns)).expect(in_memory);
        }
    }
    for record in refused_lines(sheet) {
        log.write_record(record.map(|cell| harmless_line(&cell))).expect(in_memory);
    }
    let text = |w: csv::Writer<Vec<u8>>| {
        String::from_utf8(w.into_inner().expect(in_memory)).expect("every field is UTF-8")
    };
    (fixed.csv, fixed.log) = (text(csv), text(log));
    fixed
}

/// Rows that could not be read: they are not in the copy, and the log must not hide it.
fn refused_lines(sheet: &AuditSheet<'_>) -> Vec<[String; LOG.len()]> {
    let line = |file: &str, line: String, column: &str, why: String| {
        let mut record = [""; LOG.len()].map(str::to_string);
        (record[0], record[1], record[6], record[10]) = (file.to_string(), line, column.to_string(), why);
        record[5] = "refused".into();
        record
    };
    let described = sheet.refused.iter();
    let mut all: Vec<_> =
        described.map(|e| line(&e.file, e.line.to_string(), &e.column, e.message.clone())).collect();
    let more = sheet.refused_count.saturating_sub(sheet.refused.len());
    if more > 0 {
        all.push(line("", String::new(), "", format!("{more} more rows that could not be read")));
    }
    all
}

fn fields(sheet: &AuditSheet<'_>, row: usize, fate: &Fate<'_>, columns: &[String]) -> Vec<String> {
    let mut fields = vec![String::new(); columns.len()];
    let places = &sheet.files[sheet.rows.row(row).file].columns;
    let record = sheet.records.whole(row);
    for (place, text) in places.iter().zip(KeptRecords::fields(&record)) {
        fields[*place] = text.to_string();
    }
    for (column, (value, _)) in &fate.set {
        if let Some(at) = columns.iter().position(|c| c == column) {
            fields[at] = (*value).to_string();
        }
    }
    fields
}

fn log_lines(sheet: &AuditSheet<'_>, row: usize, fate: &Fate<'_>, fixed: &mut Fixed) -> Vec<[String; 11]> {
    let r = &sheet.rows.row(row);
    let line = |change: &str, column: &str, old: &str, new: &str, of: &Finding| {
        let place = [sheet.files[r.file].name.clone(), r.line.to_string()];
        let names = [r.gpu, r.kernel, r.problem].map(|w| sheet.text_of(w).to_string());
        let [file, number] = place;
        let [gpu, kernel, problem] = names;
        let rest = [change, column, old, new, of.check, &of.remedy.text].map(str::to_string);
        let [change, column, old, new, check, why] = rest;
        [file, number, gpu, kernel, problem, change, column, old, new, check, why]
    };
    match fate.gone {
        Some((Edit::MergeInto(into), of)) => {
            fixed.merged += 1;
            let to = format!("line {}", sheet.rows.row(*into).line);
            return vec![line("merged into", "time_ms", &sheet.field(row, "time_ms"), &to, of)];
        }
        Some((_, of)) => {
            fixed.dropped += 1;
            return vec![line("dropped", "time_ms", &sheet.field(row, "time_ms"), "", of)];
        }
        None => {}
    }
    let changes = fate.set.iter().filter(|(column, (value, _))| sheet.field(row, column) != *value);
    let lines: Vec<_> = changes
        .map(|(column, (value, of))| line("set", column, &sheet.field(row, column), value, of))
        .collect();
    fixed.changed += lines.len();
    lines
}
