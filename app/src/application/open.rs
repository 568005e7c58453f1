//! A file of an application, whatever it is called: recognised by content, compressed or not.

use super::kineto::read_kineto;
use super::nsys::{is_sqlite, read_nsys};
use super::recorded::{Application, PartOfTrace, application_of};
use super::reports::application_of_rows;
use super::trace::RecordedTrace;
use crate::import::{CountedReader, FileFormat, ImportJob, OpenedFile, decoded, is_event_trace, read_report};
use crate::measurement::ReadError;
use crate::progress::Progress;
use crate::text::unreadable;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek};
use std::path::Path;

/// How many bytes of a file are looked at to recognise it.
const HEAD: usize = 64 << 10;

/// What a file holds.
pub enum Recorded {
    /// A trace with a time line.
    Trace(Box<RecordedTrace>),
    /// Totals of a report, without a time line.
    Totals(Box<Application>),
}

impl Recorded {
    /// The application of this part.
    ///
    /// # Errors
    /// What to type instead: a GPU or a range that the file does not have.
    pub fn application(&self, part: &PartOfTrace) -> Result<Application, String> {
        match self {
            Self::Trace(trace) => application_of(trace, part),
            Self::Totals(application) => match (&part.range, part.device) {
                (None, None) => Ok((**application).clone()),
                (Some(_), _) => Err(format!("--range: {} has no time line", application.file)),
                (None, Some(_)) => Err(format!("--device: {} does not tell GPUs apart", application.file)),
            },
        }
    }
}

/// Whether a file starts like a trace of an application, with a time line.
#[must_use]
pub fn is_application(path: &Path) -> bool {
    let Ok(mut opened) = File::open(path) else { return false };
    if !opened.metadata().is_ok_and(|m| m.is_file()) {
        return false;
    }
    let Ok(head) = take_head(&mut opened) else { return false };
    let head = decoded(Cursor::new(head)).and_then(|mut from| take_head(&mut from)).unwrap_or_default();
    is_sqlite(&head) || is_event_trace(&head)
}

/// Reads a file: a PyTorch trace (also gzipped), an Nsight Systems export, the summary of `nsys stats`, a report of ncu or nvprof.
/// `-` is standard input.
///
/// # Errors
/// [`ReadError`] if it cannot be opened, is of no known kind, is damaged as a whole, or was cancelled.
pub fn read_application(path: &Path, progress: &Progress) -> Result<Recorded, ReadError> {
    let file = path.display().to_string();
    if path.as_os_str() == "-" {
        return read_stream(Box::new(std::io::stdin()), "standard input", progress);
    }
    let refuse = |message: String| ReadError { file: file.clone(), message };
    let cannot = |e: std::io::Error| refuse(unreadable(&e));
    let mut opened = File::open(path).map_err(cannot)?;
    let meta = opened.metadata().map_err(cannot)?;
    if meta.is_dir() {
        return Err(refuse(unreadable(&ErrorKind::IsADirectory.into())));
    }
    progress.expect(usize::try_from(meta.len()).unwrap_or(usize::MAX));
    let mut head = Vec::new();
    (&opened).take(16).read_to_end(&mut head).map_err(cannot)?;
    // A named pipe has no beginning to go back to, and gives what was read of it only once.
    if is_sqlite(&head) && opened.rewind().is_ok() {
        let counted = CountedReader::new(opened, ImportJob::new(&file, progress));
        return read_nsys(counted, &file, progress).and_then(with_activity);
    }
    read_stream(Box::new(Cursor::new(head).chain(opened)), &file, progress)
}

/// A trace in which a GPU did something; of any other nothing that is typed makes an application.
fn with_activity(trace: RecordedTrace) -> Result<Recorded, ReadError> {
    match trace.without_activity() {
        Some(message) => Err(ReadError { file: trace.file, message }),
        None => Ok(Recorded::Trace(Box::new(trace))),
    }
}

/// Reads what comes from a pipe.
fn read_stream(
    from: Box<dyn Read + Send + '_>,
    file: &str,
    progress: &Progress,
) -> Result<Recorded, ReadError> {
    let refuse = |message: String| ReadError { file: file.to_string(), message };
    let cannot = |e: std::io::Error| refuse(unreadable(&e));
    let counted = CountedReader::new(from, ImportJob::new(file, progress));
    let mut from = decoded(BufReader::with_capacity(HEAD, counted)).map_err(cannot)?;
    let head = take_head(&mut from).map_err(cannot)?;
    if is_sqlite(&head) {
        return Err(refuse("is an SQLite file: give its name, uncompressed".into()));
    }
    let is_trace = is_event_trace(&head);
    let whole = Cursor::new(head).chain(from);
    if is_trace {
        return read_kineto(whole, file, progress).and_then(with_activity);
    }
    let opened = OpenedFile::from_reader(whole, file)?;
    if matches!(opened.format(), FileFormat::Unknown) {
        let what = if opened.head().is_empty() { "is empty" } else { "is of no known format" };
        return Err(refuse(format!(
            "{what}; expected a PyTorch or JAX trace (.json, .json.gz), an Nsight Systems export (.sqlite) or a report of ncu, nsys or nvprof"
        )));
    }
    let quiet = progress.aside();
    let imported = read_report(opened, &ImportJob::new(file, &quiet))?;
    Ok(Recorded::Totals(Box::new(application_of_rows(imported, file)?)))
}

/// The first bytes; fewer where the file ends or breaks off.
fn take_head(from: &mut dyn Read) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    match from.take(HEAD as u64).read_to_end(&mut head) {
        Err(e) if head.is_empty() => Err(e),
        // The same error comes again behind these bytes.
        _ => Ok(head),
    }
}
