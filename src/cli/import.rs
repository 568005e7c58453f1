//! `roofswap import FILE... [-o FILE]`: reports of profilers as one canonical CSV.

use super::{load, output};
use crate::measurement::import::{Job, NeverCancelled, read_file};
use crate::measurement::{CanonicalRow, write_csv};
use crate::session::Session;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "Example: roofswap import report.ncu-rep --gpu rtx-3090 -o measured.csv")]
pub(super) struct ImportArgs {
    /// Reports: .ncu-rep, ncu --csv, nvprof --csv, nsys kernel summaries
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write the rows into this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The GPU of reports that do not name theirs
    #[arg(long, value_name = "GPU")]
    gpu: Option<String>,
}

pub(super) fn run(args: &ImportArgs) -> Result<()> {
    let session = load::session(&[])?;
    let rows = import_measurements(&args.files, args.gpu.as_deref(), &session)?;
    let csv = write_csv(&rows);
    match &args.output {
        Some(path) => output::file(path, &csv),
        None => output::answer(&csv),
    }
}

/// The rows of all these reports, GPUs by the catalogue's ids; what was refused or is missing is said on stderr.
fn import_measurements(files: &[PathBuf], gpu: Option<&str>, session: &Session) -> Result<Vec<CanonicalRow>> {
    let gpu = gpu.map(|name| session.gpus.position(name)).transpose()?;
    let gpu = gpu.map(|at| session.gpus.entries()[at].id.as_str());
    let mut rows = Vec::new();
    for path in files {
        rows.extend(rows_of(path, gpu, session)?);
    }
    Ok(rows)
}

fn rows_of(path: &Path, gpu: Option<&str>, session: &Session) -> Result<Vec<CanonicalRow>> {
    let (file, strings) = (path.display().to_string(), NeverCancelled::default());
    let mut read = read_file(path, &Job { gpu, ..strings.job(&file) })?;
    read.name_gpus(&session.gpus);
    output::remarks(&read.refused, read.refused_count);
    for remark in &read.remarks {
        output::remark(format!("{file}: {remark}"));
    }
    output::remark(format!("{file}: {} rows read, {} refused", read.rows.len(), read.refused_count));
    if read.rows.is_empty() {
        bail!("{file}: has no usable launch");
    }
    Ok(read.rows)
}
