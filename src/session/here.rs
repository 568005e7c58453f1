//! The GPU at hand, for both the command line and the dashboard: what the catalogue calls it, one kernel measured at once,
//! and the file that a whole run goes into.

use super::Session;
use crate::calendar::utc_date;
use crate::config::write_whole;
use crate::device::driver::{DeviceError, Driver, DriverVersion, GpuFacts, choose};
use crate::device::measure::{
    Document, DocumentError, MeasureOptions, Planned, RunMachine, RunSetup, RunWatch, about_mark, about_text,
    measure,
};
use crate::device::probe::known;
use crate::device::suite::{SuiteCase, SuiteKernel, SuiteRun, reference::reference, shipped_suite};
use crate::gpu::{ComputeCapability, LimitsTable, SmLimits};
use crate::kernel::{KernelId, Problem};
use crate::measurement::CanonicalRow;
use crate::progress::Progress;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a measured configuration came to, for the dashboard.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredHere {
    /// The warm row and, where there can be one, the cold one.
    pub rows: Vec<CanonicalRow>,
    /// In one line.
    pub summary: String,
    /// What else has to be said.
    pub notices: Vec<String>,
}

/// Only keeps rows.
#[derive(Default)]
struct RowsOnly(Vec<CanonicalRow>);

impl RunWatch for RowsOnly {
    fn begins(&mut self, _: usize, _: usize, _: &str) {}
    fn take_rows(&mut self, rows: Vec<CanonicalRow>) -> Result<(), String> {
        self.0.extend(rows);
        Ok(())
    }
}

impl Session {
    /// Trials of a kernel that is timed here, warm and cold.
    #[must_use]
    pub fn trials_here() -> usize {
        2 * MeasureOptions::default().trials
    }

    /// The GPU with the name that the catalogue gives it: its id, or the driver's name where it has none.
    #[must_use]
    pub fn machine(&self, facts: &GpuFacts, version: DriverVersion) -> RunMachine {
        let id = known(&facts.name, facts.mig, &self.gpus).map(|g| g.id.clone());
        RunMachine { gpu: id.unwrap_or_else(|| facts.name.clone()), facts: facts.clone(), version }
    }

    /// The limits of this GPU's compute capability; `None` where we know none.
    #[must_use]
    pub fn limits_of(facts: &GpuFacts) -> Option<SmLimits> {
        let (major, minor) = facts.capability;
        LimitsTable::shipped().ok()?.limits_at(ComputeCapability { major, minor })
    }

    /// Times one kernel at one size on a GPU of this machine: the first one, or that of the id where several are here.
    ///
    /// # Errors
    /// In one line: no driver, no such kernel in the suite, a wrong answer, too little memory, cancelled.
    pub fn measure_here(
        &self,
        driver: &dyn Driver,
        prefer: &[&str],
        kernel: KernelId,
        problem: &Problem,
        progress: &Progress,
    ) -> Result<MeasuredHere, String> {
        let suite = shipped_suite().map_err(|e| e.to_string())?;
        let kernel = &self.kernels[kernel];
        let of = suite.iter().find(|k| k.id == kernel.id).ok_or_else(|| {
            format!("{} is not in the suite of kernels that can be measured here", kernel.label())
        })?;
        let gpus = driver.gpus().map_err(|e| e.to_string())?;
        let facts = self.preferred(&gpus, prefer).map_err(|e| e.to_string())?;
        let machine = self.machine(facts, driver.version());
        let limits = Self::limits_of(facts);
        let options = MeasureOptions::default();
        let planned = one(of, kernel, problem, &options)?;
        let mut plan = crate::device::measure::MeasurePlan { configurations: vec![planned] };
        let mut device = driver.open_device(facts.index).map_err(|e| e.to_string())?;
        let setup =
            RunSetup { machine: &machine, limits: limits.as_ref(), options: &options, reference, progress };
        let mut keep = RowsOnly::default();
        let done = measure(&mut *device, &mut plan, setup, &mut keep).map_err(|e| e.to_string())?;
        if let Some(failed) = done.failed.first().or(done.skipped.first().filter(|_| keep.0.is_empty())) {
            return Err(format!("{}: {}", failed.name, failed.why));
        }
        let Some(warm) = keep.0.first() else { return Err("cancelled".into()) };
        let summary = format!("{} on {}: {}", kernel.label(), machine.gpu, told(&keep.0, warm));
        let differs = done.differences.iter().map(|d| format!("{}: {}", d.name, d.why));
        let notices = differs.chain(done.remarks.iter().cloned()).collect();
        Ok(MeasuredHere { rows: keep.0, summary, notices })
    }

    /// The first GPU of the machine that the catalogue calls by one of these ids, else the only one.
    fn preferred<'a>(&self, gpus: &'a [GpuFacts], prefer: &[&str]) -> Result<&'a GpuFacts, DeviceError> {
        let id = |g: &GpuFacts| known(&g.name, g.mig, &self.gpus).map(|k| k.id.as_str());
        let wanted = prefer.iter().find_map(|p| gpus.iter().find(|g| id(g) == Some(*p)));
        wanted.map_or_else(|| choose(gpus, None), Ok)
    }
}

/// The suite's kernel at any size.
fn one<'a>(
    of: &'a SuiteKernel,
    kernel: &'a crate::kernel::Kernel,
    problem: &Problem,
    options: &MeasureOptions,
) -> Result<Planned<'a>, String> {
    let run = SuiteRun { size: "here".into(), problem: Some(problem.to_string()) };
    let case = SuiteCase::new(of, kernel, &run, options.seed).map_err(|e| e.to_string())?;
    Ok(Planned { of, kernel, case })
}

/// `24.6 µs ± 0.4 % warm, 31.0 µs cold`.
fn told(rows: &[CanonicalRow], warm: &CanonicalRow) -> String {
    use crate::measurement::Number;
    use crate::units::Seconds;
    let ms = |row: &CanonicalRow, n| row.get(n).unwrap_or(0.0);
    let time = |row: &CanonicalRow| Seconds::from_millis(ms(row, Number::Time)).to_string();
    let std = 100.0 * ms(warm, Number::TimeStd) / ms(warm, Number::Time).max(f64::MIN_POSITIVE);
    let cold = rows.get(1).map(|row| format!(", {} cold", time(row))).unwrap_or_default();
    format!("{} ± {std:.1} % warm{cold}", time(warm))
}

/// The file that a run writes, with the `about.toml` beside it. Every change is written whole, to a temporary name first, so
/// that neither Ctrl-C nor a full disk leaves half a file.
#[derive(Debug)]
pub struct MeasureFile {
    path: PathBuf,
    about: PathBuf,
    machine: RunMachine,
    options: MeasureOptions,
    day: String,
    document: Document,
}

impl MeasureFile {
    /// The file at this path: what stands in it is kept and continued.
    ///
    /// # Errors
    /// In one line: a folder that is not there or cannot be written, a file of another GPU or driver, or of somebody else.
    pub fn open_file(path: &Path, machine: RunMachine, options: MeasureOptions) -> Result<Self, String> {
        let name = path.display().to_string();
        if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
            return Err(format!("{name}: is no plain file; give the name of a file with -o"));
        }
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(e) => return Err(format!("{name}: cannot be read: {e}")),
        };
        let document =
            Document::continued(&text, &name, &machine).map_err(|e: DocumentError| e.to_string())?;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // Before anything is timed, not after.
        tempfile::tempfile_in(folder).map_err(|e| {
            format!(
                "{name}: folder {} cannot be written: {e}; create it, or give another -o",
                folder.display()
            )
        })?;
        let file = file_name(path);
        let (about, day) = about_of(path, folder, &file);
        Ok(Self { path: path.into(), about, machine, options, day, document })
    }

    /// What is in it.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Where its `about.toml` is.
    #[must_use]
    pub fn about(&self) -> &Path {
        &self.about
    }

    /// Adds rows and writes both files.
    ///
    /// # Errors
    /// In one line, naming the file; what was written before is still there.
    pub fn add_rows(&mut self, rows: Vec<CanonicalRow>) -> Result<(), String> {
        self.document.add_rows(rows);
        let about =
            about_text(&file_name(&self.path), &self.machine, &self.document, &self.options, &self.day);
        for (path, bytes) in [(&self.path, self.document.file_bytes()), (&self.about, about.into_bytes())] {
            write_whole(path, &bytes).map_err(|e| {
                format!(
                    "{}: was not written: {e}; what was written before is still there, run the same command again to go on",
                    path.display()
                )
            })?;
        }
        Ok(())
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Where the `about.toml` of this file goes, and the day it says: `about.toml`, unless that belongs to another file.
fn about_of(path: &Path, folder: &Path, file: &str) -> (PathBuf, String) {
    let plain = folder.join("about.toml");
    let (about, text) = match std::fs::read_to_string(&plain) {
        Ok(text) if text.starts_with(&about_mark(file)) => (plain, text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => (plain, String::new()),
        _ => {
            let own = path.with_extension("about.toml");
            let text = std::fs::read_to_string(&own).unwrap_or_default();
            (own, text)
        }
    };
    let known = text.parse::<toml::Table>().ok();
    let known = known.and_then(|t| Some(t.get("origin")?.get("first_day")?.as_str()?.to_string()));
    (about, known.unwrap_or_else(today))
}

/// Today, as `2026-11-21`.
fn today() -> String {
    utc_date(SystemTime::now()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_in_one_folder_have_an_about_each() {
        let folder = tempfile::tempdir().unwrap();
        let session = Session::load(None).unwrap();
        let facts = crate::device::fake::small_gpu();
        let machine = session.machine(&facts, DriverVersion::default());
        assert_eq!(machine.gpu, "rtx-4070");
        let open = |name: &str| {
            MeasureFile::open_file(&folder.path().join(name), machine.clone(), MeasureOptions::default())
        };
        let row = CanonicalRow { gpu: "rtx-4070".into(), kernel: "saxpy".into(), ..CanonicalRow::default() };
        for (name, about) in [("a.csv", "about.toml"), ("b.csv", "b.about.toml"), ("a.csv", "about.toml")] {
            let mut file = open(name).unwrap();
            let mut row = row.clone();
            row.attributes.insert("gpu_uuid".into(), facts.uuid.clone());
            file.add_rows(vec![row]).unwrap();
            assert_eq!(file.about().file_name().unwrap(), about);
        }
        let mut first = open("a.csv").unwrap();
        assert_eq!(first.document().canonical_rows().len(), 2);
        assert!(open(".").unwrap_err().contains("is no plain file"));
        if Path::new("/dev/full").exists() {
            assert!(
                MeasureFile::open_file(Path::new("/dev/full"), machine.clone(), MeasureOptions::default())
                    .is_err()
            );
        }
        assert!(open("none/a.csv").unwrap_err().contains("none cannot be written"));
        std::fs::write(folder.path().join("c.csv"), "x,y\n1,2\n").unwrap();
        assert!(open("c.csv").unwrap_err().contains("c.csv:2"));
        // What cannot be written is said with its name, and what was there stays.
        let there = std::fs::read(folder.path().join("a.csv")).unwrap();
        let gone = folder.path().with_extension("moved");
        std::fs::rename(folder.path(), &gone).unwrap();
        let why = first.add_rows(vec![row]).unwrap_err();
        assert!(
            why.contains("a.csv: was not written") && why.contains("run the same command again"),
            "{why}"
        );
        assert_eq!(std::fs::read(gone.join("a.csv")).unwrap(), there);
        std::fs::rename(&gone, folder.path()).unwrap();
    }
}
