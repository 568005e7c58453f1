//! The findings of an audit, as a table for people and as records for programs.

use super::{Table, TableCell, TableColumn, TableFormat};
use crate::audit::{AuditSheet, Finding, Severity, check_named, counts};
use crate::text::harmless_line;

/// Findings grouped by severity for people, one record each for programs.
#[must_use]
pub fn findings(sheet: &AuditSheet<'_>, findings: &[Finding], format: TableFormat) -> String {
    if !format.is_for_people() {
        return record_table(sheet, findings).render(format);
    }
    let mut out = String::new();
    for severity in Severity::ALL {
        let of: Vec<&Finding> = findings.iter().filter(|f| f.severity == severity).collect();
        if !of.is_empty() {
            out += &group(sheet, severity, &of, format);
        }
    }
    let line = finding_summary(sheet, findings);
    if format == TableFormat::Markdown { out + &format!("{line}\n") } else { out + &line + "\n" }
}

/// `3 errors, 0 warnings, 2 notes in 243 rows`.
#[must_use]
pub fn finding_summary(sheet: &AuditSheet<'_>, findings: &[Finding]) -> String {
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let [errors, warnings, notes] = counts(findings);
    let refused = match sheet.refused_count {
        0 => String::new(),
        n => format!(", {n} refused"),
    };
    format!(
        "{}, {}, {} in {}{refused}",
        plural(errors, "error"),
        plural(warnings, "warning"),
        plural(notes, "note"),
        plural(sheet.rows.len(), "row")
    )
}

/// What an audit found, in words: what the dashboard keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Each finding with its [`finding_lines`], worst first.
    pub findings: Vec<(Severity, [String; 4])>,
    /// [`finding_summary`].
    pub summary: String,
    /// Files that could not be audited, each with the reason.
    pub not_audited: Vec<String>,
}

impl Digest {
    /// In words.
    #[must_use]
    pub fn from_findings(sheet: &AuditSheet<'_>, findings: &[Finding]) -> Self {
        let in_words = findings.iter().map(|f| (f.severity, finding_lines(sheet, f)));
        Self {
            findings: in_words.collect(),
            summary: finding_summary(sheet, findings),
            not_audited: Vec::new(),
        }
    }

    /// How many of this severity.
    #[must_use]
    pub fn severity_count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|(s, _)| *s == severity).count()
    }
}

/// What a person reads of one finding: heading, then evidence, harm and remedy.
#[must_use]
pub fn finding_lines(sheet: &AuditSheet<'_>, finding: &Finding) -> [String; 4] {
    let harm = check_named(finding.check).map_or("", |c| c.harm);
    let rows =
        if finding.rows.is_empty() { String::new() } else { format!(" ({})", sheet.places(&finding.rows)) };
    [
        format!("{} {}: {}{rows}", finding.severity.as_str(), finding.check, finding.subject),
        finding.evidence.clone(),
        format!("effect on models: {harm}"),
        format!("--fix: {}", finding.remedy.text),
    ]
}

fn group(sheet: &AuditSheet<'_>, severity: Severity, of: &[&Finding], format: TableFormat) -> String {
    let columns = ["check", "subject", "rows", "places", "evidence", "fix"];
    let mut table = Table::new(columns.map(TableColumn::left).to_vec());
    table.title = format!("{}s: {}", severity.as_str(), of.len());
    let mut harms: Vec<String> = Vec::new();
    for f in of {
        let harm = format!("effect on models ({}): {}", f.check, check_named(f.check).map_or("", |c| c.harm));
        if !harms.contains(&harm) {
            harms.push(harm);
        }
        table.rows.push(vec![
            TableCell::text(f.check),
            TableCell::text(&f.subject),
            TableCell::number(f.rows.len() as f64),
            TableCell::text(sheet.places(&f.rows)),
            TableCell::text(&f.evidence),
            TableCell::text(&f.remedy.text),
        ]);
    }
    if format == TableFormat::Markdown {
        table.notes = harms;
        return table.render(format) + "\n";
    }
    // Evidence is a sentence: a column of it would be wider than any screen.
    let mut out = format!("{}\n\n", table.title);
    for f in of {
        let [heading, evidence, _, fix] = finding_lines(sheet, f);
        let [heading, evidence, fix] = [heading, evidence, fix].map(|line| harmless_line(&line));
        out += &format!("{heading}\n    {evidence}\n    {fix}\n");
    }
    out += "\n";
    for harm in harms {
        out += &format!("{harm}\n");
    }
    out + "\n"
}

fn record_table(sheet: &AuditSheet<'_>, findings: &[Finding]) -> Table {
    let columns = ["severity", "check", "subject", "row_count", "evidence", "harm", "fix", "changes", "rows"];
    let mut table = Table::new(columns.map(TableColumn::left).to_vec());
    table.rows = findings
        .iter()
        .map(|f| {
            vec![
                TableCell::text(f.severity.as_str()),
                TableCell::text(f.check),
                TableCell::text(&f.subject),
                TableCell::number(f.rows.len() as f64),
                TableCell::text(&f.evidence),
                TableCell::text(check_named(f.check).map_or("", |c| c.harm)),
                TableCell::text(&f.remedy.text),
                TableCell::number(f.remedy.edits.len() as f64),
                TableCell::List(sheet.row_lines(&f.rows)),
            ]
        })
        .collect();
    table
}
