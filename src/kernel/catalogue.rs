//! The kernel catalogue: the files under `specs/kernels` that travel with the program, and those a user adds.

use super::{Kernel, ResourcesFile, file};
use crate::catalogue::{Catalogue, FileError, SourceTable, SpecFile, load_shipped_files};
use include_dir::{Dir, include_dir};

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/specs/kernels");

/// Reads the shipped kernels, by name; files that do not load are returned beside them.
#[must_use]
pub fn load_shipped(sources: &SourceTable) -> (Catalogue<Kernel>, Vec<FileError>) {
    // None holds resources alone: each is parsed once.
    let read = |file: SpecFile<'_>| file::kernel_from_file(file, sources);
    let (mut kernels, refused) = load_shipped_files("kernel", "specs/kernels", SHIPPED.files(), read);
    kernels.sort_by_key(|k| k.id.clone());
    (kernels, refused)
}

/// A kernel file that was read and checked, and is in no catalogue yet.
#[derive(Debug)]
pub enum CheckedKernelFile {
    /// A kernel.
    Kernel(Box<Kernel>),
    /// What a compiler says of one; its numbers are checked as it is laid over its kernel.
    Resources(ResourcesFile),
}

impl CheckedKernelFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`FileError`] with the line to blame.
    pub fn from_file(file: SpecFile<'_>, sources: &SourceTable) -> Result<Self, FileError> {
        // No file is both: a kernel has a problem, and resources alone have none.
        file::kernel_from_file(file, sources)
            .map(|kernel| Self::Kernel(Box::new(kernel)))
            .or_else(|why| ResourcesFile::recognise(file)?.map(Self::Resources).ok_or(why))
    }

    /// Adds it: a kernel, or resources that are laid over the kernel of that name, where there is one.
    ///
    /// # Errors
    /// [`FileError`] with the line to blame; the catalogue is unchanged then.
    pub fn add_to(
        self,
        kernels: &mut Catalogue<Kernel>,
        file: SpecFile<'_>,
        sources: &SourceTable,
    ) -> Result<(), FileError> {
        let kernel = match self {
            Self::Kernel(kernel) => *kernel,
            Self::Resources(resources) => resources.over(file, sources, kernels)?,
        };
        kernels.insert(kernel).map_err(|clash| file.clash(&clash))
    }
}

/// Adds the kernel that this text describes, or replaces the one with the same id. A resources file is laid over the
/// kernel of that name instead, where there is one.
///
/// # Errors
/// [`FileError`] with the line to blame; the catalogue is unchanged then.
pub fn load_text(
    file: SpecFile<'_>,
    sources: &SourceTable,
    kernels: &mut Catalogue<Kernel>,
) -> Result<(), FileError> {
    CheckedKernelFile::from_file(file, sources)?.add_to(kernels, file, sources)
}
