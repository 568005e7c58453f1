//! `roofswap import` of reports of profilers, tuners and benchmarks: rows as one canonical CSV, measured roofs as GPU files.

use super::training::with_moving;
use super::{Usage, load, output};
use crate::catalogue::user_folder;
use crate::import::{AchievedRoof, GivenProblem, ImportJob, Imported, OpenedFile, overlays, read_report};
use crate::measurement::{PackedRows, write_packed_to};
use crate::progress::Progress;
use crate::session::Session;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::path::Path;

/// Files from this size on get a progress bar.
const LARGE_BYTES: u64 = 4 << 20;

/// Reads reports, and writes what they measured. What was refused or is missing is said on stderr; a file of which nothing
/// can be used leaves the others. How many could not be read.
pub(super) fn run_import_measurements(
    files: Vec<OpenedFile<'static>>,
    output: Option<&Path>,
    gpu: Option<&str>,
    problems: &[GivenProblem],
) -> Result<usize> {
    let session = load::session(&[])?;
    let gpu = gpu.map(|name| session.gpus.position(name)).transpose()?;
    let gpu = gpu.map(|at| session.gpus[at].id.as_str());
    let (all, mut found) = (files.len(), Vec::new());
    for opened in files {
        match read_measurements(opened, gpu, &session) {
            Ok(read) => found.push(read),
            Err(why) => output::remark(format!("{why:#}")),
        }
    }
    give_problems(&mut found, problems, &session)?;
    for (file, read) in &found {
        is_of_some_gpu(file, read, &session)?;
    }
    let unread = all - found.len();
    let (mut rows, mut roofs) = (PackedRows::default(), Vec::new());
    for (file, read) in found {
        say(&file, &read);
        // The first ones are taken as they lie.
        if rows.is_empty() {
            rows = read.rows;
        } else {
            rows.extend(read.rows);
        }
        roofs.extend(read.roofs);
    }
    match (rows.is_empty(), roofs.is_empty()) {
        (true, true) => bail!("nothing was imported"),
        (true, false) => write_roofs(&roofs, output, &session)?,
        (false, some) => {
            if !some {
                output::remark(
                    "measured roofs were read too: import their file alone to have them as a GPU file",
                );
            }
            write_rows(&rows, output)?;
        }
    }
    Ok(unread)
}

/// Refuses rows that no command could use: of a report that names no GPU, where none was typed.
fn is_of_some_gpu(file: &str, read: &Imported, session: &Session) -> Result<()> {
    let Some(stated) = read.unnamed() else { return Ok(()) };
    let (why, gpu) = load::unnamed_gpu(&session.gpus, &stated);
    Err(Usage(format!("{file}: {why}; say which it was: --gpu {gpu}")).into())
}

/// One report and how messages name it.
fn read_measurements(
    opened: OpenedFile<'static>,
    gpu: Option<&str>,
    session: &Session,
) -> Result<(String, Imported)> {
    let (file, progress) = (opened.file().to_string(), Progress::default());
    let job = ImportJob { gpu, ..ImportJob::new(&file, &progress) };
    let mut found = with_bar(opened.size().unwrap_or(0), &job, || read_report(opened, &job))?;
    found.name_gpus(&session.gpus);
    Ok((file, found))
}

/// Gives the rows the sizes that were typed; what is still in other keys than the catalogue's is said.
fn give_problems(
    found: &mut [(String, Imported)],
    problems: &[GivenProblem],
    session: &Session,
) -> Result<()> {
    for given in problems {
        let mut changed = 0;
        for (_, read) in found.iter_mut() {
            changed += read.give_problem(given, &session.kernels)?;
        }
        if changed == 0 && !found.is_empty() {
            let names: BTreeSet<String> =
                found.iter().flat_map(|(_, r)| r.rows.iter()).map(|r| r.kernel).take(1000).collect();
            let names: Vec<String> = names.into_iter().take(5).collect();
            let text =
                format!("--problem {given} fits no row; some of their kernels are {}", names.join(", "));
            return Err(Usage(text).into());
        }
    }
    found.iter_mut().for_each(|(_, read)| read.remark_other_keys(&session.kernels));
    Ok(())
}

/// What has to be said of a report.
fn say(file: &str, found: &Imported) {
    output::refused(&found.refused, found.refused_count);
    for remark in &found.remarks {
        output::remark(format!("{file}: {remark}"));
    }
    let (rows, roofs, refused) = (found.rows.len(), found.roofs.len(), found.refused_count);
    let roofs = if roofs > 0 { format!(", {roofs} measured roofs") } else { String::new() };
    let plural = if rows == 1 { "" } else { "s" };
    output::remark(format!("{file}: {rows} row{plural}{roofs} read, {refused} refused"));
}

/// Shows how far a large file is read, where somebody looks at stderr. Ctrl-C ends the program; nothing is half-written,
/// because nothing is written before all is read.
pub(super) fn with_bar<T>(size: u64, job: &ImportJob<'_>, read: impl FnOnce() -> T) -> T {
    if size < LARGE_BYTES {
        return read();
    }
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta} {msg}");
    let bar = ProgressBar::new(size).with_message(job.file.to_string());
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    with_moving(&bar, &|| bar.set_position(job.progress.steps_done() as u64), read)
}

fn write_rows(rows: &PackedRows, output: Option<&Path>) -> Result<()> {
    match output {
        Some(path) if path.is_dir() => {
            let text = format!("{}: is a folder; give a CSV file, for example -o runs.csv", path.display());
            Err(Usage(text).into())
        }
        Some(path) => output::streamed_file(path, |file| write_packed_to(rows, file)),
        None => output::streamed_answer(|out| write_packed_to(rows, out)),
    }
}

/// A file for each GPU, to be laid over the one of the catalogue.
fn write_roofs(roofs: &[AchievedRoof], output: Option<&Path>, session: &Session) -> Result<()> {
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
    std::fs::create_dir_all(folder)
        .with_context(|| format!("folder {} cannot be created", folder.display()))?;
    for file in &files {
        let path = folder.join(format!("{}-achieved.toml", file.id));
        output::file(&path, file.text.as_bytes())?;
        output::remark(format!("{}: written", path.display()));
    }
    Ok(())
}
