//! Files that travel with the program: catalogues read on every core, and tables of rooms that lie outside this crate.

use super::{Catalogue, CatalogueEntry, FileError, SpecFile};
use crate::cores;
use include_dir::File;

/// What joins GPUs to their hosts.
pub const HOST_LINKS: SpecFile<'static> =
    SpecFile { name: "specs/host-links.toml", text: include_str!("../../specs/host-links.toml") };

/// The arguments of a framework's operators, and how they are counted.
pub const FRAMEWORK_OPERATORS: SpecFile<'static> = SpecFile {
    name: "specs/framework-operators.toml",
    text: include_str!("../../specs/framework-operators.toml"),
};

/// A catalogue of shipped files, in their order, and those that were refused. `folder` is where they lie in the sources; `what`
/// is what an entry is called. None of them may need another one.
pub fn load_shipped_files<'f, T: CatalogueEntry + Send>(
    what: &'static str,
    folder: &str,
    files: impl Iterator<Item = &'f File<'f>>,
    read: impl Fn(SpecFile<'_>) -> Result<T, FileError> + Sync,
) -> (Catalogue<T>, Vec<FileError>) {
    let files: Vec<(String, &str)> = files
        .filter(|file| file.path().extension().is_some_and(|end| end == "toml"))
        .map(|file| (format!("{folder}/{}", file.path().display()), file.contents_utf8().unwrap_or_default()))
        .collect();
    let entries: Vec<Result<T, FileError>> =
        cores::collect(files.len(), |at| read(SpecFile { name: &files[at].0, text: files[at].1 }));
    let mut catalogue = Catalogue::new(what);
    catalogue.reserve(files.len());
    let mut refused = Vec::new();
    for ((name, text), entry) in files.iter().zip(entries) {
        let file = SpecFile { name, text };
        let added = entry.and_then(|entry| catalogue.insert(entry).map_err(|clash| file.clash(&clash)));
        refused.extend(added.err());
    }
    (catalogue, refused)
}
