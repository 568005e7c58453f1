//! The findings of an audit, as a table for people and as records for programs.

use super::{Cell, Column, Format, Table};
use crate::audit::{Finding, Severity, Sheet, check, counts};
use crate::text::harmless_line;

/// Findings grouped by severity for people, one record each for programs.
#[must_use]
pub fn findings(sheet: &Sheet<'_>, findings: &[Finding], format: Format) -> String {
    if !format.is_for_people() {
        return records(sheet, findings).render(format);
    }
    let mut out = String::new();
    for severity in Severity::ALL {
        let of: Vec<&Finding> = findings.iter().filter(|f| f.severity == severity).collect();
        if !of.is_empty() {
            out += &group(sheet, severity, &of, format);
        }
    }
    let line = summary(sheet, findings);
    if format == Format::Markdown { out + &format!("{line}\n") } else { out + &line + "\n" }
}

/// `3 errors, 0 warnings, 2 notes in 243 rows`.
#[must_use]
pub fn summary(sheet: &Sheet<'_>, findings: &[Finding]) -> String {
    let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    let [errors, warnings, notes] = counts(findings);
    let refused = match sheet.refused_count {
        0 => String::new(),
        n => format!(", {n} refused"),
    };
    format!(
        "{}, {}, {} in {} rows{refused}",
        plural(errors, "error"),
        plural(warnings, "warning"),
        plural(notes, "note"),
        sheet.rows.len()
    )
}

/// What an audit found, in words: what the dashboard keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digest {
    /// Each finding with its [`lines`], worst first.
    pub findings: Vec<(Severity, [String; 4])>,
    /// [`summary`].
    pub summary: String,
    /// Files that could not be audited, each with the reason.
    pub not_audited: Vec<String>,
}

impl Digest {
    /// In words.
    #[must_use]
    pub fn of(sheet: &Sheet<'_>, findings: &[Finding]) -> Self {
        let in_words = findings.iter().map(|f| (f.severity, lines(sheet, f)));
        Self { findings: in_words.collect(), summary: summary(sheet, findings), not_audited: Vec::new() }
    }

    /// How many of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|(s, _)| *s == severity).count()
    }
}

/// What a person reads of one finding: heading, then evidence, harm and remedy.
#[must_use]
pub fn lines(sheet: &Sheet<'_>, finding: &Finding) -> [String; 4] {
    let harm = check(finding.check).map_or("", |c| c.harm);
    let rows =
        if finding.rows.is_empty() { String::new() } else { format!(" ({})", sheet.places(&finding.rows)) };
    [
        format!("{} {}: {}{rows}", finding.severity.word(), finding.check, finding.subject),
        finding.evidence.clone(),
        format!("to a model: {harm}"),
        format!("--fix: {}", finding.remedy.text),
    ]
}

fn group(sheet: &Sheet<'_>, severity: Severity, of: &[&Finding], format: Format) -> String {
    let columns = ["check", "subject", "rows", "places", "evidence", "fix"];
    let mut table = Table::new(columns.map(Column::left).to_vec());
    table.title = format!("{}s: {}", severity.word(), of.len());
    let mut harms: Vec<String> = Vec::new();
    for f in of {
        let harm = format!("{}: {}", f.check, check(f.check).map_or("", |c| c.harm));
        if !harms.contains(&harm) {
            harms.push(harm);
        }
        table.rows.push(vec![
            Cell::text(f.check),
            Cell::text(&f.subject),
            Cell::number(f.rows.len() as f64),
            Cell::text(sheet.places(&f.rows)),
            Cell::text(&f.evidence),
            Cell::text(&f.remedy.text),
        ]);
    }
    if format == Format::Markdown {
        table.notes = harms;
        return table.render(format) + "\n";
    }
    // Evidence is a sentence: a column of it would be wider than any screen.
    let mut out = format!("{}\n\n", table.title);
    for f in of {
        let [heading, evidence, _, fix] = lines(sheet, f);
        let [heading, evidence, fix] = [heading, evidence, fix].map(|line| harmless_line(&line));
        out += &format!("{heading}\n    {evidence}\n    {fix}\n");
    }
    out += "\n";
    for harm in harms {
        out += &format!("to a model, {harm}\n");
    }
    out + "\n"
}

fn records(sheet: &Sheet<'_>, findings: &[Finding]) -> Table {
    let columns = ["severity", "check", "subject", "row_count", "evidence", "harm", "fix", "changes", "rows"];
    let mut table = Table::new(columns.map(Column::left).to_vec());
    table.rows = findings
        .iter()
        .map(|f| {
            vec![
                Cell::text(f.severity.word()),
                Cell::text(f.check),
                Cell::text(&f.subject),
                Cell::number(f.rows.len() as f64),
                Cell::text(&f.evidence),
                Cell::text(check(f.check).map_or("", |c| c.harm)),
                Cell::text(&f.remedy.text),
                Cell::number(f.remedy.edits.len() as f64),
                Cell::List(sheet.lines(&f.rows)),
            ]
        })
        .collect();
    table
}
