//! The GPU and kernel files, and the names, of the user's folder: each is read once, kernels on all cores.

use crate::catalogue::{Catalogue, FileError, SourceTable, SpecFile, read_limited};
use crate::config::{Aliases, toml_files};
use crate::cores;
use crate::gpu::{self, Gpu, LimitsTable};
use crate::kernel::{CheckedKernelFile, Kernel};
use crate::power::check_board_limit;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So many kernel files are held as text at once.
const FILES_AT_ONCE: usize = 64;

/// What the files are checked against.
#[derive(Clone, Copy)]
pub(super) struct KnownFacts<'a> {
    pub(super) sources: &'a SourceTable,
    pub(super) limits: &'a LimitsTable,
}

/// Lays a user's folder over the catalogues; what was refused of it.
pub(super) fn load_user_folder(
    folder: &Path,
    known: KnownFacts<'_>,
    gpus: &mut Arc<Catalogue<Gpu>>,
    kernels: &mut Catalogue<Kernel>,
) -> Vec<String> {
    let mut refused = Vec::new();
    let mut files_of = |name: &str| {
        toml_files(&folder.join(name)).unwrap_or_else(|why| {
            refused.push(why);
            Vec::new()
        })
    };
    let (gpu_files, kernel_files) = (files_of("gpus"), files_of("kernels"));
    if !gpu_files.is_empty() {
        // Copied only where something is laid over it.
        refused.extend(add_gpu_files(&gpu_files, known, Arc::make_mut(gpus)));
    }
    refused.extend(add_kernel_files(&kernel_files, known, kernels));
    refused.extend(add_aliases(&folder.join("aliases.toml"), kernels).err());
    refused.iter().map(ToString::to_string).collect()
}

/// A file of the user's, as it is called in messages.
struct FolderFile {
    name: String,
    text: String,
}

impl FolderFile {
    fn read(path: &Path) -> Result<Self, FileError> {
        Ok(Self { name: path.display().to_string(), text: read_limited(path)? })
    }

    fn spec(&self) -> SpecFile<'_> {
        SpecFile { name: &self.name, text: &self.text }
    }
}

/// Adds GPUs. What is laid over a GPU comes after the GPU, whatever the files are called, and hypothetical ones come last.
fn add_gpu_files(paths: &[PathBuf], known: KnownFacts<'_>, gpus: &mut Catalogue<Gpu>) -> Vec<FileError> {
    let mut refused = Vec::new();
    let mut files = Vec::new();
    let mut hypothetical = Vec::new();
    for path in paths {
        match FolderFile::read(path) {
            Ok(file) if gpu::is_hypothetical_file(&file.text) => hypothetical.push((file.name, file.text)),
            Ok(file) => files.push(file),
            Err(why) => refused.push(why),
        }
    }
    files.sort_by_cached_key(|file| gpu::is_overlay(&file.text));
    for file in &files {
        refused.extend(gpu::load_text(file.spec(), known.sources, known.limits, gpus).err());
    }
    refused.extend(gpu::load_hypothetical(&hypothetical, gpus, check_board_limit));
    refused
}

/// Adds kernels. Resources are laid over kernels, so that the kernels come first, whatever the files are called.
fn add_kernel_files(
    paths: &[PathBuf],
    known: KnownFacts<'_>,
    kernels: &mut Catalogue<Kernel>,
) -> Vec<FileError> {
    let read = |path: &PathBuf| {
        let file = FolderFile::read(path)?;
        let checked = CheckedKernelFile::from_file(file.spec(), known.sources)?;
        Ok((file, checked))
    };
    let mut add = |file: Result<(FolderFile, CheckedKernelFile), FileError>| {
        let (file, checked) = file?;
        checked.add_to(kernels, file.spec(), known.sources)
    };
    let (mut resources, mut refused) = (Vec::new(), Vec::new());
    for some in paths.chunks(FILES_AT_ONCE) {
        let read: Vec<Result<_, FileError>> = cores::collect(some.len(), |at| read(&some[at]));
        let is_later = |file: &Result<_, _>| matches!(file, Ok((_, CheckedKernelFile::Resources(_))));
        let (later, now): (Vec<_>, Vec<_>) = read.into_iter().partition(is_later);
        resources.extend(later);
        refused.extend(now.into_iter().map(&mut add).filter_map(Result::err));
    }
    refused.extend(resources.into_iter().map(&mut add).filter_map(Result::err));
    refused
}

/// What the user calls kernels.
fn add_aliases(path: &Path, kernels: &mut Catalogue<Kernel>) -> Result<(), FileError> {
    if !path.exists() {
        return Ok(());
    }
    let file = FolderFile::read(path)?;
    let aliases = Aliases::from_file(file.spec())?;
    aliases.pairs().for_each(|(full, short)| kernels.nickname(full, short));
    Ok(())
}
