//! `roofswap import FILE... [-o FOLDER]`.

use super::choices::FormatChoice;
use super::{load, output};
use crate::catalogue::{SourceTable, SpecFile, read_limited};
use crate::compiler::{self, Architecture, CompilerReport, JoinedKernel};
use crate::config::user_folder;
use crate::kernel::{Kernel, ResourcesFile};
use crate::report::Format;
use crate::report::compiled;
use crate::session::{Recognised, recognise_path};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Example: roofswap import build.log kernels.sm_90.cubin -o ~/.config/roofswap/kernels"
)]
pub(super) struct ImportArgs {
    /// Compilers' reports: `ptxas -v` (also within nvcc's output), `cuobjdump --dump-resource-usage`, cubins
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write one kernel file per kernel into this folder
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// The architecture of a report that names none, such as sm_89
    #[arg(long, value_name = "ARCH")]
    arch: Option<Architecture>,
    /// How to write the table
    #[arg(long, value_enum, default_value = "table")]
    format: FormatChoice,
}

pub(super) fn run(args: &ImportArgs) -> Result<()> {
    let session = load::session(&[])?;
    let reports: Vec<CompilerReport> =
        args.files.iter().filter_map(|file| report_of(file, args.arch)).collect();
    if reports.is_empty() {
        bail!("nothing was imported");
    }
    let folder = args.output.as_deref().map(Folder::open).transpose()?;
    let taken = folder.as_ref().map(Folder::taken).unwrap_or_default();
    let (kernels, remarks) = compiler::join(&reports, &taken);
    output::remarks(&remarks, remarks.len());
    let format: Format = args.format.into();
    let table = if format.is_for_people() { compiled::overview(&reports) } else { compiled::table(&reports) };
    output::answer(table.render(format).as_bytes())?;
    if let Some(folder) = &folder {
        write_all(folder, &kernels)?;
    }
    let known = |k: &&JoinedKernel| session.kernels.get(&k.id).is_some();
    let over: Vec<&str> = kernels.iter().filter(known).map(|k| k.id.as_str()).collect();
    if !over.is_empty() {
        let how = "laid over their own; on a GPU where somebody timed them, the timed build counts";
        output::remark(format!("kernels of the catalogue, {how}: {}", over.join(", ")));
    }
    how_to_use(folder.as_ref(), &kernels, |k| {
        session.kernels.get(&k.id).map(|at| &session.kernels.entries()[at])
    });
    Ok(())
}

/// One file's report; what cannot be read is said, and the other files still count.
fn report_of(file: &Path, arch: Option<Architecture>) -> Option<CompilerReport> {
    match recognise_path(file) {
        Recognised::Measurements => {
            let file = file.display();
            let how = "it needs no import: give it to any command with --data";
            output::remark(format!("{file}: is a measurement file; {how}"));
            None
        }
        Recognised::CompilerReport => match compiler::read_path(file, arch) {
            Ok(report) => {
                output::remarks(&report.refused, report.refused_count);
                output::remarks(&report.remarks, report.remarks.len());
                Some(report)
            }
            Err(why) => {
                output::remark(why);
                None
            }
        },
    }
}

/// Says what to do with what was read.
fn how_to_use<'a>(
    folder: Option<&Folder>,
    kernels: &[JoinedKernel],
    known: impl Fn(&JoinedKernel) -> Option<&'a Kernel>,
) {
    let Some(home) = user_folder().map(|f| f.join("kernels")) else { return };
    let at_home =
        |f: &Folder| f.path.canonicalize().ok().is_some_and(|p| home.canonicalize().ok() == Some(p));
    match folder {
        None => output::remark(format!("to use them, add -o {}", home.display())),
        Some(folder) if !at_home(folder) => {
            output::remark(format!("to use them, copy the files into {}", home.display()));
        }
        Some(_) => {}
    }
    let without_launch = |k: &&JoinedKernel| known(k).is_none_or(|k| !k.has_formulas());
    if let Some(new) = kernels.iter().find(without_launch) {
        let example = format!("roofswap occupancy --kernel {} --threads 256 --gpu rtx-4070", new.id);
        output::remark(format!("then for example: {example}"));
    }
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
    fn open(path: &Path) -> Result<Self> {
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

    /// The ids in use, with the symbols they belong to.
    fn taken(&self) -> HashMap<String, String> {
        let pair = |(id, e): (&String, &Existing)| (id.clone(), e.file.symbol().to_string());
        self.files.iter().map(pair).collect()
    }

    /// Writes a kernel's file, or adds the kernel's resources to the file it has; says why not.
    fn write(&self, kernel: &JoinedKernel) -> Result<()> {
        let text = |compiled: &_, aliases: &[String]| {
            ResourcesFile::text(&kernel.id, &kernel.name, &kernel.symbol, aliases, compiled)
        };
        let Some(existing) = self.files.get(&kernel.id) else {
            let path = self.path.join(format!("{}.toml", kernel.id));
            if path.exists() {
                let how = "rename it, or give another folder";
                bail!("{}: exists and was not written by import; {how}", path.display());
            }
            return output::file(&path, text(&kernel.compiled, &kernel.aliases).as_bytes());
        };
        let name = existing.path.display().to_string();
        let file = SpecFile { name: &name, text: &existing.text };
        let mut compiled = existing.file.compiled(file, &SourceTable::new())?;
        if existing.file.written(&compiled) != existing.text {
            bail!("{name}: was changed by hand and is left alone; rename it, or give another folder");
        }
        compiled.extend(kernel.compiled.clone());
        output::file(&existing.path, existing.file.written(&compiled).as_bytes())
    }
}

fn write_all(folder: &Folder, kernels: &[JoinedKernel]) -> Result<()> {
    let refused: Vec<String> =
        kernels.iter().filter_map(|k| folder.write(k).err()).map(|e| format!("{e:#}")).collect();
    output::remarks(&refused, refused.len());
    let written = kernels.len() - refused.len();
    if written == 0 {
        bail!("nothing was written into {}", folder.path.display());
    }
    let files = if written == 1 { "file" } else { "files" };
    output::remark(format!("{written} kernel {files} written into {}", folder.path.display()));
    Ok(())
}
