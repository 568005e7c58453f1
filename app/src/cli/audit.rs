//! `roofswap audit FILE...`.

use super::choices::FormatChoice;
use super::{Usage, load, output};
use crate::audit::{AuditSheet, Finding, Fixed, Severity, SheetKind, audit, fix, read_file};
use crate::report::audit as report;
use crate::text::counted;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap audit runs.csv gpu_metrics.json ptxas.log --fix -o clean.csv")]
pub(super) struct AuditArgs {
    /// Measurements (canonical CSV, or any report that `import` reads), calibration files (JSON, NAME=value lines), compiler logs (ptxas -v)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write a repaired copy; the files given are never touched
    #[arg(long, requires = "output")]
    fix: bool,
    /// The repaired copy, a CSV
    #[arg(short, long, value_name = "FILE", requires = "fix")]
    output: Option<PathBuf>,
    /// Where each change is listed, as CSV [default: the repaired copy's name with .log behind it]
    #[arg(long, value_name = "FILE", requires = "fix")]
    log: Option<PathBuf>,
    /// Exit with 1 where there is an error; without it findings are no failure
    #[arg(long)]
    strict: bool,
    /// How to write the findings
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run_audit(args: &AuditArgs) -> Result<()> {
    let targets = targets(args)?;
    let session = load::session(&[])?;
    let mut sheet = AuditSheet::new(&session.gpus, &session.kernels);
    for path in &args.files {
        if let SheetKind::Calibration(0) | SheetKind::CompilerLog(0) = read_file(path, &mut sheet)? {
            output::remark(format!("{}: says nothing that the audit uses", path.display()));
        }
    }
    output::refused(&sheet.refused, sheet.refused_count);
    if sheet.rows.is_empty() && sheet.calibrations.is_empty() {
        bail!(
            "none of these files has a usable row; expected a canonical CSV (gpu,kernel,problem,time_ms …) or a report that `roofswap import` reads"
        );
    }
    let findings = audit(&sheet);
    output::answer(report::findings(&sheet, &findings, args.format.into()).as_bytes())?;
    if let Some((clean, log)) = targets {
        write_fixed(&fix(&sheet, &findings), &sheet, &clean, &log)?;
    }
    strict(args.strict, &findings, sheet.refused_count)
}

/// A row that cannot be read is an error as much as one that contradicts itself.
fn strict(asked: bool, findings: &[Finding], refused: usize) -> Result<()> {
    let errors = findings.iter().filter(|f| f.severity == Severity::Error).count();
    if asked && errors + refused > 0 {
        bail!("{errors} errors and {refused} refused rows, and --strict was given");
    }
    Ok(())
}

/// Where the copy and its log go; refused where one is an input or both are one.
fn targets(args: &AuditArgs) -> Result<Option<(PathBuf, PathBuf)>> {
    let Some(clean) = args.output.clone().filter(|_| args.fix) else { return Ok(None) };
    if [Some(&clean), args.log.as_ref()].into_iter().flatten().any(|path| output::is_stdout(path)) {
        let text = "the findings go to standard output: give the repaired copy and its log names of files";
        return Err(Usage(text.into()).into());
    }
    let log = args.log.clone().unwrap_or_else(|| {
        let mut name = clean.clone().into_os_string();
        name.push(".log");
        name.into()
    });
    for target in [&clean, &log] {
        output::is_no_input(target, args.files.iter().map(PathBuf::as_path))?;
    }
    if output::is_same(&clean, &log) {
        let text = format!("{} cannot be both the repaired copy and its log", log.display());
        return Err(Usage(text).into());
    }
    Ok(Some((clean, log)))
}

fn write_fixed(fixed: &Fixed, sheet: &AuditSheet<'_>, clean: &Path, log: &Path) -> Result<()> {
    // Whoever is stopped between both has a log too many, and no copy without its log.
    output::file(log, fixed.log.as_bytes())?;
    output::file(clean, fixed.csv.as_bytes())?;
    let (read, refused) = (sheet.rows.len(), sheet.refused_count);
    output::remark(format!(
        "{}: {} of {}; {refused} could not be read, {} dropped, {} merged, {} changed; see {}",
        clean.display(),
        read - fixed.dropped - fixed.merged,
        counted(read + refused, "row"),
        fixed.dropped,
        fixed.merged,
        counted(fixed.changed, "field"),
        log.display()
    ));
    Ok(())
}
