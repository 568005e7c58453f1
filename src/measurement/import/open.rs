//! From a file to rows: recognises by content, reads.

use super::{Counted, HEAD, IMPORTERS, Imported, Importer, Job};
use crate::catalogue::Catalogue;
use crate::gpu::Gpu;
use crate::measurement::ReadError;
use crate::measurement::opened::{Format, Opened};
use std::io::{BufRead, BufReader, Read};

/// Finds the importer of an open file by what it contains, and reads it.
///
/// # Errors
/// [`ReadError`] if it is of no known format, or is damaged as a whole.
pub fn read_opened(opened: Opened<'_>, job: &Job<'_>) -> Result<Imported, ReadError> {
    let Format::Report(importer) = opened.format() else {
        return Err(job.refuse(unrecognised(&opened)));
    };
    let mut whole = BufReader::with_capacity(HEAD, Counted::new(opened, *job));
    importer.import(&mut whole, job)
}

/// [`read_opened`] from any reader.
///
/// # Errors
/// [`ReadError`] as there, and if its first bytes cannot be read.
pub fn read_bytes(from: impl Read + Send, job: &Job<'_>) -> Result<Imported, ReadError> {
    read_opened(Opened::of(from, job.file)?, job)
}

/// What to do about a file that no importer knows.
fn unrecognised(opened: &Opened<'_>) -> String {
    match opened.format() {
        Format::Canonical => "is a measurement file already: give it with --data".into(),
        _ if opened.head().is_empty() => "is empty; give a report".into(),
        _ => format!("is of no known format; these can be imported: {}", known_formats()),
    }
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
                name.clone_from(&gpus[known].id);
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
