//! From a path to rows: opens, recognises by content, reads.

use super::{Counted, HEAD, IMPORTERS, Imported, Importer, Job, recognise};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::measurement::ReadError;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

/// Opens a report, finds its importer by what it contains, and reads it.
///
/// # Errors
/// [`ReadError`] if it cannot be opened, is of no known format, or is damaged as a whole.
pub fn read_file(path: &Path, job: &Job<'_>) -> Result<Imported, ReadError> {
    let file = File::open(path).map_err(|e| job.refuse(format!("cannot be opened: {e}")))?;
    let meta = file.metadata().map_err(|e| job.refuse(format!("cannot be read: {e}")))?;
    if meta.is_dir() {
        return Err(job.refuse("is a folder; give a report in it"));
    }
    read_bytes(file, job)
}

/// [`read_file`] from any reader.
///
/// # Errors
/// [`ReadError`] as there.
pub fn read_bytes(from: impl Read, job: &Job<'_>) -> Result<Imported, ReadError> {
    let mut from = Counted::new(from, *job);
    let mut head = Vec::new();
    from.by_ref()
        .take(HEAD as u64)
        .read_to_end(&mut head)
        .map_err(|e| job.refuse(format!("cannot be read: {e}")))?;
    let importer = recognise(&head).ok_or_else(|| job.refuse(unrecognised(&head)))?;
    let mut whole = BufReader::with_capacity(HEAD, Cursor::new(head).chain(from));
    importer.import(&mut whole, job)
}

/// What to do about a file that no importer knows.
fn unrecognised(head: &[u8]) -> String {
    if head.is_empty() {
        return "is empty; give a report".into();
    }
    if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        return "is UTF-16; save it as UTF-8".into();
    }
    format!("is of no known format; these can be imported: {}", known_formats())
}

/// The formats that importers read, as a list for messages.
#[must_use]
pub fn known_formats() -> String {
    IMPORTERS.iter().map(|i| i.name).collect::<Vec<_>>().join(", ")
}

impl Importer {
    /// Reads the whole file; what names no GPU is of the one that the user named.
    ///
    /// # Errors
    /// [`ReadError`] if the file is damaged as a whole.
    pub fn import(&self, from: &mut dyn BufRead, job: &Job<'_>) -> Result<Imported, ReadError> {
        let mut read = (self.read)(from, job)?;
        read.fill_gpus(job.gpu);
        Ok(read)
    }
}

impl Imported {
    /// Gives rows and roofs without a GPU the one that the user named, or says that they have none.
    fn fill_gpus(&mut self, given: Option<&str>) {
        let roofs = self.roofs.iter_mut().map(|r| &mut r.gpu);
        let mut blank =
            self.rows.iter_mut().map(|r| &mut r.gpu).chain(roofs).filter(|n| n.is_empty()).peekable();
        match given.filter(|g| !g.is_empty()) {
            Some(given) => blank.for_each(|name| given.clone_into(name)),
            None if blank.peek().is_some() => {
                drop(blank);
                self.remarks.push("the report names no GPU: give --gpu ID".into());
            }
            None => {}
        }
    }

    /// Replaces the names that drivers give by the catalogue's ids; a name that it does not know stays, with a remark.
    pub fn name_gpus(&mut self, gpus: &Catalogue<Gpu>) {
        let mut unknown = std::collections::BTreeSet::new();
        let roofs = self.roofs.iter_mut().map(|r| &mut r.gpu);
        for name in self.rows.iter_mut().map(|r| &mut r.gpu).chain(roofs).filter(|n| !n.is_empty()) {
            if let Some(known) = gpus.get(name) {
                name.clone_from(&gpus.entries()[known].id);
                continue;
            }
            let text = format!(
                "GPU `{name}` is not in the catalogue; its rows cannot be loaded until a file in gpus/ of the user's folder \
                 describes it"
            );
            unknown.insert(text);
        }
        unknown.into_iter().for_each(|text| self.remark(text));
    }
}
