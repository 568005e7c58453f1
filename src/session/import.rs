//! Files that are recognised by their content, whatever they are called: the one place that says which reader is whose.

use super::Session;
use crate::catalogue::{Catalogue, NumberOrigin};
use crate::compiler::{self, CompilerReport, JoinedKernel, TakenNames};
use crate::import::{FileFormat, OpenedFile, REPORTS};
use crate::kernel::{Kernel, KernelId};
use crate::measurement::counted_reasons;
use crate::progress::Progress;
use crate::text::counted;
use std::collections::BTreeSet;
use std::path::Path;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recognised {
    /// Measurements in the canonical CSV.
    Canonical,
    /// Measurements in a format that an importer knows.
    Report,
    /// What a compiler says of kernels, or nothing that is known: the reader of reports says why in the best words.
    CompilerReport,
}

/// What was added from one file, for people.
#[derive(Debug, Clone, Default)]
pub struct Added {
    /// What was added, in one line.
    pub summary: String,
    /// What was refused or has to be known.
    pub notices: Vec<String>,
    /// How much was refused.
    pub refused: usize,
    /// How many measured rows were added.
    pub rows: usize,
    /// The compute capabilities that rows without a GPU state; `None` where every row names its GPU.
    pub unnamed: Option<BTreeSet<String>>,
    /// The kernels that came with it or have resources of it, the first one first.
    pub kernels: Vec<KernelId>,
}

impl Recognised {
    /// What an open file is.
    #[must_use]
    pub fn from_opened(opened: &OpenedFile<'_>) -> Self {
        match opened.format() {
            FileFormat::Canonical => Self::Canonical,
            FileFormat::Report(_) => Self::Report,
            FileFormat::Unknown => Self::CompilerReport,
        }
    }
}

/// Reads a compiler's report that is open; `arch` as in [`compiler::read_report`].
///
/// # Errors
/// Why it is none; where nobody knows what it is, everything that was looked for.
pub fn read_compiled(
    opened: OpenedFile<'_>,
    arch: Option<compiler::CodeArchitecture>,
) -> Result<CompilerReport, String> {
    if opened.head().iter().all(u8::is_ascii_whitespace) {
        return Err(format!(
            "{}: is empty; expected {MEASUREMENTS}, {REPORTS}, or of a compiler",
            opened.file()
        ));
    }
    let (file, size, table) = (opened.file().to_string(), opened.size(), first_line_of_table(opened.head()));
    let is_listing = compiler::sass::is_listing(opened.head());
    let read = compiler::read_from(opened, size, &file, arch);
    read.map_err(|why| match table {
        _ if is_listing => format!("{file}: is a listing of machine code; `roofswap sass {file}` reads it"),
        Some(first) if !missing_columns(&first).is_empty() => {
            let missing = missing_columns(&first).join("`, `");
            format!("{file}:1: `{first}`: no column `{missing}`; expected {MEASUREMENTS}")
        }
        Some(first) => format!(
            "{file}: is a table of no known kind (its first line: `{first}`); expected {MEASUREMENTS}, {REPORTS}, or of a compiler"
        ),
        None if why.is_foreign => format!("{why}; or {MEASUREMENTS}, or {REPORTS}"),
        None => why.to_string(),
    })
}

/// What a file of measurements is, for messages.
const MEASUREMENTS: &str = "measurements (a CSV whose first line names gpu, kernel, problem, time_ms)";

/// The columns that the first line of a table of measurements lacks; none where it has too few of them to be one.
fn missing_columns(first: &str) -> Vec<&'static str> {
    const NEEDED: [&str; 4] = ["gpu", "kernel", "problem", "time_ms"];
    let has = |name: &&&str| first.split([',', ';', ' ']).any(|cell| cell.trim() == **name);
    let missing: Vec<&str> = NEEDED.iter().filter(|name| !has(name)).copied().collect();
    if missing.len() <= 1 { missing } else { Vec::new() }
}

/// The first line of a text that looks like a table, shortened.
fn first_line_of_table(head: &[u8]) -> Option<String> {
    const SHOWN: usize = 80;
    let text = std::str::from_utf8(&head[..head.len().min(4096)]).ok()?;
    let first = text.trim_start_matches('\u{feff}').lines().find(|l| !l.trim().is_empty())?;
    let cells = |separator: char| first.split(separator).count() >= 3;
    let plain = !first.contains(char::is_control) || first.contains('\t');
    (plain && [',', ';', '\t'].into_iter().any(cells) && !first.contains("ptxas"))
        .then(|| crate::text::clipped_text(first.trim().replace('\t', " "), SHOWN))
}

/// `1 measured row loaded`, `27 measured rows loaded`.
#[must_use]
pub fn loaded_rows_text(rows: usize) -> String {
    let plural = if rows == 1 { "" } else { "s" };
    format!("{rows} measured row{plural} loaded")
}

impl Session {
    /// Adds a file of the user's, whatever it is.
    ///
    /// # Errors
    /// The reader's words if nothing in it could be read; nothing is added then.
    pub fn add_file(&mut self, path: &Path) -> Result<Added, String> {
        self.add_file_watched(path, &Progress::default())
    }

    /// [`Session::add_file`] for those who watch how far it is, or may cancel it.
    ///
    /// # Errors
    /// The reader's words as there, and if it was cancelled; nothing is added then.
    pub fn add_file_watched(&mut self, path: &Path, progress: &Progress) -> Result<Added, String> {
        self.add_file_of(path, None, progress)
    }

    /// [`Session::add_file_watched`] of a report that names no GPU: its rows are of this one.
    ///
    /// # Errors
    /// The reader's words as there.
    pub fn add_file_of(
        &mut self,
        path: &Path,
        gpu: Option<&str>,
        progress: &Progress,
    ) -> Result<Added, String> {
        let opened = OpenedFile::path(path).map_err(|e| e.to_string())?;
        match Recognised::from_opened(&opened) {
            Recognised::Canonical | Recognised::Report => {
                let loaded = self.add_opened_of(opened, gpu, progress).map_err(|e| e.to_string())?;
                let mut notices: Vec<String> =
                    counted_reasons(&loaded.refused).into_iter().map(|(_, text)| text).collect();
                notices.extend(loaded.remarks);
                let summary = loaded_rows_text(loaded.rows);
                Ok(Added {
                    summary,
                    notices,
                    refused: loaded.refused_count,
                    rows: loaded.rows,
                    unnamed: loaded.unnamed,
                    kernels: Vec::new(),
                })
            }
            Recognised::CompilerReport => self.add_compiler_report(opened),
        }
    }

    /// Adds what a compiler says of kernels.
    ///
    /// # Errors
    /// As [`read_compiled`].
    pub fn add_compiler_report(&mut self, opened: OpenedFile<'_>) -> Result<Added, String> {
        read_compiled(opened, None).map(|report| self.add_report(report))
    }

    fn add_report(&mut self, mut report: CompilerReport) -> Added {
        let mut notices: Vec<String> = report.refused.iter().map(ToString::to_string).collect();
        notices.append(&mut report.remarks);
        let (kernels, remarks) =
            compiler::join(std::slice::from_ref(&report), &TakenNames::taken_ids(&self.kernels));
        notices.extend(remarks);
        let spilling = report.kernels.iter().filter(|k| k.resources.spills().is_some()).count();
        let spills = if spilling > 0 { format!(", {spilling} spill") } else { String::new() };
        let (builds, of) = (counted(report.kernels.len(), "build"), counted(kernels.len(), "kernel"));
        let summary = format!("{builds} of {of} read{spills}");
        notices.extend(self.add_compiled(&kernels));
        let kernels = kernels.iter().filter_map(|k| self.kernels.id_named(&k.id)).collect();
        Added { summary, notices, refused: report.refused_count, kernels, ..Added::default() }
    }

    /// Lays these resources over the kernels of the same names; a kernel that the catalogue does not have is added, known
    /// by nothing else. What could not be added is returned.
    pub fn add_compiled(&mut self, kernels: &[JoinedKernel]) -> Vec<String> {
        self.edit(|workspace| lay_compiled(&mut workspace.kernels, kernels))
    }
}

/// Lays these resources over the kernels of the same names, or adds them; what could not be added is returned.
fn lay_compiled(catalogue: &mut Catalogue<Kernel>, kernels: &[JoinedKernel]) -> Vec<String> {
    let mut refused = Vec::new();
    for joined in kernels {
        let mut kernel = match catalogue.id_named(&joined.id) {
            Some(at) => catalogue[at].clone(),
            None => {
                let free = |alias: &&String| catalogue.id_named(alias).is_none();
                let aliases = joined.aliases.iter().filter(free).cloned().collect();
                Kernel::from_compiler(&joined.id, &joined.name, aliases)
            }
        };
        debug_assert!(joined.compiled.values().all(|c| c.origin == NumberOrigin::Published));
        kernel.lay_over(&joined.symbol, joined.compiled.clone(), Some(&joined.codes));
        refused.extend(catalogue.insert(kernel).err().map(|clash| clash.to_string()));
    }
    refused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_nobody_knows_is_told_what_was_looked_for() {
        let said = |text: &str| {
            read_compiled(OpenedFile::from_reader(text.as_bytes(), "mine.csv").unwrap(), None).unwrap_err()
        };
        let table = said("name,device,ms\nsaxpy,l4,1\n");
        for word in ["`name,device,ms`", "names gpu, kernel", "mixbench", "of a compiler"] {
            assert!(table.contains(word), "{word}: {table}");
        }
        assert!(said("hello\n").contains("not a compiler report"));
        assert!(said(".target sm_89\n").contains("is PTX"));
    }

    #[test]
    fn a_report_is_laid_over_the_kernel_of_its_name_and_brings_new_ones() {
        let mut session = Session::load(None).unwrap();
        let before = session.kernels.entries().len();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("saxpy,kernel.csv");
        let line = |name: &str, regs: u32| {
            format!(
                "ptxas info : Compiling entry function '{name}' for 'sm_89'\nptxas info : Used {regs} registers\n"
            )
        };
        std::fs::write(&file, line("_Z5saxpyPf", 77) + &line("_Z4minePf", 9)).unwrap();
        let added = session.add_file(&file).unwrap();
        assert_eq!(added.summary, "2 builds of 2 kernels read");
        assert_eq!(session.kernels.entries().len(), before + 1);
        let saxpy = session.kernels.entry_named("saxpy").unwrap();
        assert_eq!(saxpy.resources_on(8, 9).unwrap().resources.registers, 77);
        assert_eq!(saxpy.resources_on(5, 2).unwrap().resources.registers, 8, "other architectures stay");
        assert!(saxpy.has_formulas());
        assert!(!session.kernels.entry_named("mine").unwrap().has_formulas());
    }
    #[test]
    fn overloads_are_not_taken_for_one_another() {
        let mut session = Session::load(None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut add = |kernels: &[(&str, u32)]| {
            let file = folder.path().join("build.log");
            let line = |(name, regs): &(&str, u32)| {
                format!(
                    "ptxas info : Compiling entry function '{name}' for 'sm_89'\nptxas info : Used {regs} registers\n"
                )
            };
            std::fs::write(&file, kernels.iter().map(line).collect::<String>()).unwrap();
            let added = session.add_file(&file).unwrap();
            let registers = |id: &str| {
                let found = session.kernels.id_named(id).map(|at| &session.kernels[at]);
                found.and_then(|k| k.resources_on(8, 9)).map(|c| c.resources.registers)
            };
            let ids = ["saxpy", "saxpy_2", "saxpy_3", "k", "k_2"];
            (ids.map(registers), added)
        };
        let ([before, ..], _) = add(&[("other", 8)]);
        let (both, added) = add(&[("_Z5saxpyPdS_id", 101), ("_Z5saxpyPfS_if", 102)]);
        assert_eq!(both, [before, Some(101), Some(102), None, None], "the catalogue's stays as it is");
        assert!(added.notices[0].contains("several kernels are called saxpy"), "{:?}", added.notices);
        assert_eq!(add(&[("_Z5saxpyPfS_if", 103)]).0, [before, Some(101), Some(103), None, None]);
        // Two reports, one after the other.
        add(&[("_Z1kf", 11)]);
        assert_eq!(add(&[("_Z1ki", 12)]).0[3..], [Some(11), Some(12)]);
        assert_eq!(add(&[("_Z1kf", 13)]).0[3..], [Some(13), Some(12)]);
    }
}
