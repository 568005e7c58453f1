//! `roofswap import` of reports of profilers, tuners and benchmarks: rows as one canonical CSV, measured roofs as GPU files.

use super::{Usage, load, output};
use crate::config::user_folder;
use crate::measurement::import::{Imported, Job, NeverCancelled, Roof, overlays, read_file};
use crate::measurement::{CanonicalRow, write_csv};
use crate::session::Session;
use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Files from this size on get a progress bar.
const LARGE_BYTES: u64 = 4 << 20;

/// Reads reports, and writes what they measured. What was refused or is missing is said on stderr; a file of which nothing
/// can be used leaves the others.
pub(super) fn run(files: &[&Path], output: Option<&Path>, gpu: Option<&str>) -> Result<()> {
    if let Some(target) = output {
        output::is_no_input(target, files.iter().copied())?;
    }
    let session = load::session(&[])?;
    let gpu = gpu.map(|name| session.gpus.position(name)).transpose()?;
    let gpu = gpu.map(|at| session.gpus.entries()[at].id.as_str());
    let (mut rows, mut roofs) = (Vec::new(), Vec::new());
    for path in files {
        match read(path, gpu, &session) {
            Ok(found) => {
                rows.extend(found.rows);
                roofs.extend(found.roofs);
            }
            Err(why) => output::remark(format!("{why:#}")),
        }
    }
    match (rows.is_empty(), roofs.is_empty()) {
        (true, true) => bail!("nothing was imported"),
        (true, false) => write_roofs(&roofs, output, &session),
        (false, some) => {
            if !some {
                output::remark(
                    "measured roofs were read too: import their file alone to have them as a GPU file",
                );
            }
            write_rows(&rows, output)
        }
    }
}

/// One report, with its remarks said.
fn read(path: &Path, gpu: Option<&str>, session: &Session) -> Result<Imported> {
    let (file, strings) = (path.display().to_string(), NeverCancelled::default());
    let job = Job { gpu, ..strings.job(&file) };
    let mut found = with_bar(path, &job, || read_file(path, &job))?;
    found.name_gpus(&session.gpus);
    output::remarks(&found.refused, found.refused_count);
    for remark in &found.remarks {
        output::remark(format!("{file}: {remark}"));
    }
    let (rows, roofs, refused) = (found.rows.len(), found.roofs.len(), found.refused_count);
    let roofs = if roofs > 0 { format!(", {roofs} measured roofs") } else { String::new() };
    output::remark(format!("{file}: {rows} rows{roofs} read, {refused} refused"));
    Ok(found)
}

/// Shows how far a large file is read, where somebody looks at stderr. Ctrl-C ends the program; nothing is half-written,
/// because nothing is written before all is read.
fn with_bar<T>(path: &Path, job: &Job<'_>, read: impl FnOnce() -> T) -> T {
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    if size < LARGE_BYTES {
        return read();
    }
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta} {msg}");
    let bar = ProgressBar::new(size).with_message(job.file.to_string());
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    std::thread::scope(|scope| {
        let (stop, stopped) = channel::<()>();
        let (shown, bytes) = (bar.clone(), job.bytes_read);
        scope.spawn(move || {
            while stopped.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                shown.set_position(bytes.load(Ordering::Relaxed));
            }
        });
        let done = read();
        drop(stop);
        bar.finish_and_clear();
        done
    })
}

fn write_rows(rows: &[CanonicalRow], output: Option<&Path>) -> Result<()> {
    match output {
        Some(path) if path.is_dir() => {
            let text = format!("{}: is a folder; give a CSV file, for example -o runs.csv", path.display());
            Err(Usage(text).into())
        }
        Some(path) => output::file(path, &write_csv(rows)),
        None => output::answer(&write_csv(rows)),
    }
}

/// A file for each GPU, to be laid over the one of the catalogue.
fn write_roofs(roofs: &[Roof], output: Option<&Path>, session: &Session) -> Result<()> {
    let (files, left_out) = overlays(roofs, &session.gpus, "measured roofs");
    output::remarks(&left_out, left_out.len());
    if files.is_empty() {
        bail!("none of the measured roofs belongs to a GPU of the catalogue");
    }
    let Some(folder) = output else {
        let all: String = files.iter().map(|f| f.text.as_str()).collect();
        output::answer(all.as_bytes())?;
        let home = user_folder().map(|f| f.join("gpus").display().to_string()).unwrap_or_default();
        output::remark(format!("to use them, add -o {home}"));
        return Ok(());
    };
    std::fs::create_dir_all(folder)?;
    for file in &files {
        let path = folder.join(format!("{}-achieved.toml", file.id));
        output::file(&path, file.text.as_bytes())?;
        output::remark(format!("{}: written", path.display()));
    }
    Ok(())
}
