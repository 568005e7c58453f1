//! `roofswap import` of compilers' reports: kernels with their resources.

use super::terminal::{fitted_to_screen, text_on_screen};
use super::{Usage, load, output};
use crate::catalogue::user_folder;
use crate::catalogue::{Catalogue, SourceTable, SpecFile, read_limited};
use crate::compiler::{self, CodeArchitecture, CompilerReport, JoinedKernel, TakenNames};
use crate::gpu::Gpu;
use crate::import::OpenedFile;
use crate::kernel::{Kernel, ResourcesFile};
use crate::report::TableFormat;
use crate::report::compiled;
use crate::session::read_compiled;
use crate::text::first_names;
use anyhow::{Context, Result, bail};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Columns that a narrow screen goes without, the first of them first.
const LEFT_OUT: [&str; 5] = ["barriers", "stack B", "spill ld B", "max thr", "block"];

/// Reads compilers' reports, prints what they say, and writes one kernel file per kernel into the folder `output`. How many of the
/// files could not be read.
pub(super) fn run_import_kernels(
    files: Vec<OpenedFile<'static>>,
    output: Option<&Path>,
    arch: Option<CodeArchitecture>,
    format: TableFormat,
) -> Result<usize> {
    let session = load::session(&[])?;
    let all = files.len();
    let reports: Vec<CompilerReport> = files.into_iter().filter_map(|file| report_of(file, arch)).collect();
    if reports.is_empty() {
        bail!("nothing was imported: no file here is a report that can be read");
    }
    let folder = output.map(Folder::open_folder).transpose()?;
    let mut taken = TakenNames::taken_ids(&session.kernels);
    folder.iter().for_each(|f| f.tell(&mut taken));
    let (kernels, remarks) = compiler::join(&reports, &taken);
    output::remarks(&remarks, remarks.len());
    let table = if format.is_for_people() {
        compiled::overview_table(&reports)
    } else {
        compiled::compiled_table(&reports)
    };
    let table = fitted_to_screen(table, format, &LEFT_OUT);
    output::answer(text_on_screen(&table, format).as_bytes())?;
    if let Some(folder) = &folder {
        write_all(folder, &kernels)?;
    }
    let known = |k: &JoinedKernel| session.kernels.id_named(&k.id).map(|at| &session.kernels[at]);
    laid_over(&kernels, known);
    how_to_use(folder.as_ref(), &kernels, known, &session.gpus);
    Ok(all - reports.len())
}

/// Says which kernels of the catalogue have these resources from now on.
fn laid_over<'a>(kernels: &[JoinedKernel], known: impl Fn(&JoinedKernel) -> Option<&'a Kernel>) {
    const SHOWN: usize = 10;
    let over = kernels.iter().filter(|k| known(k).is_some_and(Kernel::has_formulas));
    let over: Vec<&str> = over.map(|k| k.id.as_str()).collect();
    if over.is_empty() {
        return;
    }
    let names = first_names(&over, SHOWN);
    output::remark(format!(
        "matched built-in kernels by name: {names}; their registers and shared memory are overridden, except on GPUs \
         where the kernel was timed: there those of the timed build are used"
    ));
}

/// One file's report; what cannot be read is said, and the other files still count.
fn report_of(file: OpenedFile<'static>, arch: Option<CodeArchitecture>) -> Option<CompilerReport> {
    match read_compiled(file, arch) {
        Ok(report) => {
            output::remarks(&report.refused, report.refused_count);
            output::remarks(&report.remarks, report.remarks.len());
            Some(report)
        }
        Err(why) => {
            output::remark(why);
            None
        }
    }
}

/// Says what to do with what was read.
fn how_to_use<'a>(
    folder: Option<&Folder>,
    kernels: &[JoinedKernel],
    known: impl Fn(&JoinedKernel) -> Option<&'a Kernel>,
    gpus: &Catalogue<Gpu>,
) {
    let Some(home) = user_folder().map(|f| f.join("kernels")) else { return };
    let at_home =
        |f: &Folder| f.path.canonicalize().ok().is_some_and(|p| home.canonicalize().ok() == Some(p));
    match folder {
        None => {
            let how = "these kernels were shown, not kept; to use them in other commands, add -o";
            output::remark(format!("{how} {}", home.display()));
        }
        Some(folder) if !at_home(folder) => {
            let how = "other commands do not look there; to use these kernels, copy the files into";
            output::remark(format!("{how} {}", home.display()));
        }
        Some(_) => {}
    }
    let without_launch = |k: &&JoinedKernel| known(k).is_none_or(|k| !k.has_formulas());
    let with_gpu = |k| Some((k, gpu_of_build(k, gpus)?));
    if let Some((new, gpu)) = kernels.iter().filter(without_launch).find_map(with_gpu) {
        let example = format!("roofswap occupancy --kernel {} --threads 256 --gpu {}", new.id, gpu.id);
        output::remark(format!("then for example: {example}"));
    }
}

/// The first GPU that this kernel was compiled for.
fn gpu_of_build<'a>(kernel: &JoinedKernel, gpus: &'a Catalogue<Gpu>) -> Option<&'a Gpu> {
    let runs_its_code = |gpu: &&Gpu| {
        let capability = gpu.cuda.compute_capability;
        kernel.compiled.contains_key(&(capability.major, capability.minor))
    };
    gpus.entries().iter().find(runs_its_code)
}

/// A folder of kernel files, with the resources files that are there already.
struct Folder {
    path: PathBuf,
    /// Resources files by id.
    files: HashMap<String, Existing>,
}

/// A resources file that is there already.
struct Existing {
    path: PathBuf,
    text: String,
    file: ResourcesFile,
}

impl Folder {
    fn open_folder(path: &Path) -> Result<Self> {
        let is_name_of_file = path.extension().is_some_and(|end| end == "csv" || end == "toml");
        if is_name_of_file && !path.is_dir() {
            let text = format!(
                "{}: what a compiler reports becomes one file a kernel; give a folder, for example -o kernels",
                path.display()
            );
            return Err(Usage(text).into());
        }
        std::fs::create_dir_all(path)
            .with_context(|| format!("folder {} cannot be created", path.display()))?;
        let entries = std::fs::read_dir(path);
        let entries = entries.with_context(|| format!("folder {} cannot be read", path.display()))?;
        let mut files = HashMap::new();
        let toml = |p: &PathBuf| p.extension().is_some_and(|e| e == "toml");
        for path in entries.flatten().map(|e| e.path()).filter(toml) {
            let Ok(text) = read_limited(&path) else { continue };
            let name = path.display().to_string();
            if let Ok(Some(file)) = ResourcesFile::recognise(SpecFile { name: &name, text: &text }) {
                files.insert(file.id().to_string(), Existing { path, text, file });
            }
        }
        Ok(Self { path: path.to_path_buf(), files })
    }

    /// Says which ids are in use here, and which symbols they belong to.
    fn tell(&self, taken: &mut TakenNames) {
        self.files.iter().for_each(|(id, existing)| taken.add_taken(id, existing.file.symbol()));
    }

    /// Writes a kernel's file, or adds the kernel's resources to the file it has; says why not.
    fn write(&self, kernel: &JoinedKernel) -> Result<()> {
        let text = |compiled: &_, aliases: &[String]| {
            ResourcesFile::file_text(
                &kernel.id,
                &kernel.name,
                &kernel.symbol,
                aliases,
                compiled,
                Some(&kernel.codes),
            )
        };
        let Some(existing) = self.files.get(&kernel.id) else {
            let path = self.path.join(format!("{}.toml", kernel.id));
            if path.exists() {
                let how = "rename it, or give another folder with -o";
                bail!("{}: exists and was not written by import; it is left alone: {how}", path.display());
            }
            return output::file(&path, text(&kernel.compiled, &kernel.aliases).as_bytes());
        };
        let name = existing.path.display().to_string();
        let file = SpecFile { name: &name, text: &existing.text };
        let mut compiled = existing.file.compiled(file, &SourceTable::new())?;
        let mut codes = existing.file.codes(file)?;
        if existing.file.written(&compiled, codes.as_ref()) != existing.text {
            let how = "rename it, or give another folder with -o";
            bail!("{name}: was changed by hand since import wrote it; it is left alone: {how}");
        }
        compiled.extend(kernel.compiled.clone());
        codes.get_or_insert_default().join(&kernel.codes);
        output::file(&existing.path, existing.file.written(&compiled, codes.as_ref()).as_bytes())
    }
}

fn write_all(folder: &Folder, kernels: &[JoinedKernel]) -> Result<()> {
    let refused: Vec<String> =
        kernels.iter().filter_map(|k| folder.write(k).err()).map(|e| format!("{e:#}")).collect();
    output::remarks(&refused, refused.len());
    let written = kernels.len() - refused.len();
    if written == 0 {
        bail!("nothing was written into {}, for the reasons above", folder.path.display());
    }
    let files = if written == 1 { "file" } else { "files" };
    output::remark(format!("{written} kernel {files} written into {}", folder.path.display()));
    Ok(())
}
