//! The worker's part of files: measurements read and audited, folders listed, charts written, the selection remembered.

use super::watch::JobWatch;
use crate::application::{Application, PartOfTrace, is_application, launches_in_words, read_application};
use crate::audit::{AuditSheet, audit, read_file};
use crate::chart::{ChartSpec, SvgTheme, render_svg, suggested_size};
use crate::config::write_whole;
use crate::measurement::{CanonicalRow, write_csv};
use crate::report::audit::Digest;
use crate::session::{Session, loaded_rows_text};
use crate::tui::message::{LoadedFiles, Message, UserFile, builds_text};
use crate::tui::panes::files::listing::{FileEntry, FolderListing, MOST_ENTRIES};
use crate::tui::ranked::LoadedMix;
use crate::tui::refused::RefusedCounts;
use crate::whatif::ScenarioPage;
use crate::workload::MixFile;
use std::path::{Path, PathBuf, absolute};

/// Reads these files into a copy of the session; what cannot be read is among the notices.
pub(super) fn load_files(session: &Session, files: &[UserFile], watch: &JobWatch<'_>) -> Message {
    let mut session = session.clone();
    let built_in = session.kernels.entries().len();
    let (mut notices, mut rows, mut refused, mut unnamed) = (Vec::new(), 0, RefusedCounts::default(), None);
    let (mut applications, mut builds, mut empty) = (Vec::new(), Vec::new(), Vec::new());
    for file in files {
        let path = &file.path;
        if is_application(path) {
            match read_trace(path, &PartOfTrace::default(), watch) {
                Ok(application) => applications.push(application),
                Err(why) => {
                    refused.files += 1;
                    empty.push((path.clone(), Some(why.clone())));
                    notices.push(why);
                }
            }
            continue;
        }
        watch.report_progress(format!("reading {} …", path.display()));
        match watch.watch_reading(path, || session.add_file_of(path, file.gpu.as_deref(), watch.progress)) {
            Ok(added) => {
                rows += added.rows;
                refused.rows += added.refused;
                if !added.kernels.is_empty() {
                    builds.push(builds_text(&session, &added, built_in));
                } else if added.rows == 0 {
                    empty.push((path.clone(), None));
                }
                notices.extend(added.notices);
                unnamed = unnamed.or_else(|| added.unnamed.map(|stated| (path.clone(), stated)));
            }
            Err(why) => {
                refused.files += 1;
                empty.push((path.clone(), Some(why.clone())));
                notices.push(why);
            }
        }
    }
    session.arrange();
    let summary = loaded_text(rows, refused, &applications, &builds);
    let loaded = LoadedFiles { session, notices, refused, summary, unnamed, applications, empty };
    Message::Loaded(Box::new(loaded))
}

/// `7 measured rows loaded, 2 rows refused: ! lists them`, or the application or the builds that were read.
fn loaded_text(
    rows: usize,
    refused: RefusedCounts,
    applications: &[Application],
    builds: &[String],
) -> String {
    let of_application = applications.last().map(|application| {
        format!("application {}: {}", application.file_name(), launches_in_words(application))
    });
    let has_other = of_application.is_some() || refused.files > 0 || !builds.is_empty();
    let of_rows = (rows > 0 || !has_other).then(|| loaded_rows_text(rows));
    let of_refused = (!refused.is_none()).then(|| format!("{}: ! lists them", refused.in_words()));
    let all = [of_application, of_rows].into_iter().flatten().chain(builds.iter().cloned()).chain(of_refused);
    all.collect::<Vec<_>>().join(", ")
}

/// A mix of kernels, all of which the session knows.
pub(super) fn read_mix(session: &Session, path: &Path) -> Result<LoadedMix, String> {
    const FORM: &str = "a mix is TOML: a [[kernel]] with `kernel`, `size` and `calls` for each kernel";
    let mix = MixFile::read(path).map_err(|why| format!("{why}; {FORM}"))?;
    let workload = mix.load_into(&mut session.clone()).map_err(|why| why.to_string())?;
    Ok(LoadedMix { name: workload.name, kernels: mix.typed_kernels(session), mix })
}

/// This part of a trace, or why there is none.
pub(super) fn part_read(path: &Path, part: PartOfTrace, watch: &JobWatch<'_>) -> Message {
    match read_trace(path, &part, watch) {
        Ok(application) => Message::ApplicationRead(Box::new((application, part))),
        Err(why) => Message::NotImported(why),
    }
}

/// The application of this part of a trace.
fn read_trace(path: &Path, part: &PartOfTrace, watch: &JobWatch<'_>) -> Result<Application, String> {
    let read = watch.watch_reading(path, || read_application(path, watch.progress));
    let recorded = read.map_err(|why| why.to_string())?;
    // Ranges and GPUs are typed as commands here, not as flags.
    let typed = |why: String| why.replace("--range", "range").replace("--device", "device");
    recorded.application(part).map_err(|why| format!("{}: {}", path.display(), typed(why)))
}

/// The readable entries of a folder, as many as a person can use.
pub(super) fn list_folder(asked: PathBuf) -> FolderListing {
    // Also what cannot be read has a full name, so that there is a way up from it.
    let full = std::fs::canonicalize(&asked).or_else(|_| absolute(&asked));
    let folder = full.unwrap_or_else(|_| asked.clone());
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(e) => {
            let remark = format!("cannot be read: {e}");
            return FolderListing { asked, folder, entries: Vec::new(), remark };
        }
    };
    let (mut found, mut unreadable, mut more) = (Vec::new(), 0_usize, false);
    for entry in entries.flatten() {
        if found.len() == MOST_ENTRIES {
            more = true;
            break;
        }
        match entry.file_name().into_string() {
            Ok(name) if !name.contains(char::is_control) => {
                // What a link points to decides; a broken one is a file whose reading says why.
                let plain = entry.file_type().is_ok_and(|t| t.is_file());
                let is_file = plain || !entry.path().is_dir();
                found.push(FileEntry { is_file, name });
            }
            _ => unreadable += 1,
        }
    }
    found.sort();
    let mut remarks = Vec::new();
    if more {
        remarks.push(format!("only {MOST_ENTRIES} entries are listed; give others with `roofswap import`"));
    }
    if unreadable > 0 {
        remarks.push(format!("{unreadable} names that cannot be shown are left out"));
    }
    FolderListing { asked, folder, entries: found, remark: remarks.join("; ") }
}

/// What the audit finds in these files together, and which of them it could not read.
pub(super) fn audit_files(session: &Session, files: &[PathBuf]) -> Digest {
    let gpus = session.stock_gpus();
    let mut sheet = AuditSheet::new(gpus, &session.kernels);
    // A trace of an application holds no rows.
    let measured = files.iter().filter(|file| !is_application(file));
    let read = measured.map(|file| read_file(file, &mut sheet));
    let not_audited = read.filter_map(|r| r.err().map(|e| e.to_string())).collect();
    let findings = audit(&sheet);
    Digest { not_audited, ..Digest::from_findings(&sheet, &findings) }
}

/// Writes a chart into a file that does not exist yet.
pub(super) fn write_chart(path: &Path, spec: &ChartSpec, theme: SvgTheme) -> Result<String, String> {
    write_new(path, || render_svg(spec, theme, suggested_size(spec)).map_err(|e| e.to_string()))
}

/// Writes scenarios side by side into a file that does not exist yet: HTML, or Markdown where its name ends so.
pub(super) fn write_page(path: &Path, page: &ScenarioPage) -> Result<String, String> {
    write_new(path, || page.text_for_file(path).map(String::into_bytes).map_err(|e| e.to_string()))
}

/// Writes rows as a canonical CSV into a file that does not exist yet.
pub(super) fn write_rows(path: &Path, rows: &[CanonicalRow]) -> Result<String, String> {
    write_new(path, || Ok(write_csv(rows)))
}

fn write_new(path: &Path, bytes: impl FnOnce() -> Result<Vec<u8>, String>) -> Result<String, String> {
    let name = path.display();
    if path.exists() {
        return Err(format!("{name} exists; nothing was written; type another name"));
    }
    let bytes = bytes().map_err(|e| format!("{name}: {e}"))?;
    write_whole(path, &bytes).map_err(|e| format!("{name} was not written: {e}"))?;
    Ok(format!("wrote {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_listed_folders_first_and_a_huge_one_in_part() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("z")).unwrap();
        std::fs::write(folder.path().join("a\u{7}"), "").unwrap();
        std::fs::write(folder.path().join("b.log"), "").unwrap();
        let listing = list_folder(folder.path().to_path_buf());
        let names: Vec<&str> = listing.entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["z", "b.log"]);
        assert!(listing.remark.contains("1 names that cannot be shown"), "{}", listing.remark);
        (0..=MOST_ENTRIES).for_each(|i| drop(std::fs::File::create(folder.path().join(i.to_string()))));
        let listing = list_folder(folder.path().to_path_buf());
        assert_eq!(listing.entries.len(), MOST_ENTRIES);
        assert!(listing.remark.contains("only 20000 entries are listed"), "{}", listing.remark);
        assert!(list_folder(folder.path().join("none")).remark.contains("cannot be read"));
        let lost = list_folder("none/at/all".into());
        assert!(
            lost.folder.is_absolute() && lost.folder.ends_with("none/at/all"),
            "{}",
            lost.folder.display()
        );
    }

    #[test]
    fn builds_alone_are_no_rows_that_are_missing() {
        let builds = ["16 builds of 16 kernels read".to_string()];
        let said = |rows, builds: &[String]| loaded_text(rows, RefusedCounts::default(), &[], builds);
        assert_eq!(said(0, &builds), "16 builds of 16 kernels read");
        assert_eq!(said(2, &builds), "2 measured rows loaded, 16 builds of 16 kernels read");
        assert_eq!(said(0, &[]), "0 measured rows loaded");
    }

    #[test]
    fn reports_are_audited_and_files_that_cannot_be_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("runs.csv");
        std::fs::write(&good, "gpu,kernel,problem,time_ms\ntitan-v,mine,n=1,1\n").unwrap();
        let files = [good, folder.path().join("none.csv")];
        let digest = audit_files(&Session::load(None).unwrap(), &files);
        assert!(digest.summary.ends_with("in 1 row"), "{}", digest.summary);
        assert!(matches!(&digest.not_audited[..], [one] if one.contains("none.csv: no such file")));
    }
}
