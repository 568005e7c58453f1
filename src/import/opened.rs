//! A file that was opened once, and is recognised by its first bytes: what a pipe has given does not come again.

use super::decoded::{GZIP, decoded};
use super::memory_room::check_room;
use super::table_text::TextForm;
use super::{HEAD, Importer, recognise};
use crate::columnar::{TableForm, text_of_file, text_of_stream};
use crate::measurement::ReadError;
use crate::text::unreadable;
use std::fs::File;
use std::io::{Cursor, Error, ErrorKind, Read, Result as IoResult, Seek, SeekFrom};
use std::path::Path;

/// How an SQLite file begins.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Whether a file that starts like this may be a trace of PyTorch or JAX: an object or list, with the word of an event or a key
/// of Kineto.
#[must_use]
pub fn is_event_trace(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    let has = |word: &&str| memchr::memmem::find(text, word.as_bytes()).is_some();
    let opens = matches!(text.first(), Some(b'{' | b'['));
    let keys = [r#""traceEvents""#, r#""deviceProperties""#, r#""schemaVersion""#, r#""ph""#];
    opens && keys.iter().any(has)
}

/// What to do with a file that starts like this and is no file of measurements; `None` where it may be one.
fn advice_for(head: &[u8]) -> Option<&'static str> {
    if head.starts_with(SQLITE) {
        return Some(
            "is an SQLite file, as Nsight Systems exports a trace: give it to `roofswap app`, or export its kernels with \
             `nsys stats --report cuda_gpu_kern_sum --format csv`",
        );
    }
    if head.starts_with(&GZIP) {
        return Some("is compressed twice (gzip): unpack it with `gunzip -k`");
    }
    (recognise(head).is_none() && is_event_trace(head))
        .then_some("is a trace of an application (PyTorch, JAX): give it to `roofswap app`")
}

/// Whether a reader knows a file that starts like this.
fn is_known(head: &[u8]) -> bool {
    names_rows(head) || recognise(head).is_some() || is_event_trace(head)
}

/// Whether the first line names the columns of measured rows.
fn names_rows(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let first = text.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    let header = String::from_utf8_lossy(first).to_lowercase();
    let has = |column: &str| header.split(',').any(|c| c.trim().trim_matches('"') == column);
    has("gpu") && has("kernel")
}

/// What a file of measurements is.
#[derive(Debug, Clone, Copy)]
pub enum FileFormat {
    /// The canonical CSV.
    Canonical,
    /// A report that this importer reads.
    Report(&'static Importer),
    /// Neither; the caller may know more.
    Unknown,
}

impl FileFormat {
    /// The format of a file that begins like this, in UTF-8.
    #[must_use]
    pub fn from_head(head: &[u8]) -> Self {
        if names_rows(head) {
            return Self::Canonical;
        }
        recognise(head).map_or(Self::Unknown, Self::Report)
    }
}

/// A file, a pipe or standard input, from its first byte, decoded. A table of a data engine is read as the CSV that its rows would make,
/// in which the first row is line 1, and a table that readers know but for its separators and line ends with those they expect.
pub struct OpenedFile<'a> {
    file: String,
    size: Option<u64>,
    head: Cursor<Vec<u8>>,
    rest: Box<dyn Read + Send + 'a>,
}

impl OpenedFile<'static> {
    /// Opens this path; `-` is standard input.
    ///
    /// # Errors
    /// [`ReadError`] if it cannot be opened or read, or is a folder.
    pub fn path(path: &Path) -> Result<Self, ReadError> {
        if path.as_os_str() == "-" {
            return Self::from_reader(std::io::stdin(), "standard input");
        }
        let file = path.display().to_string();
        let refuse = |message: String| ReadError { file: file.clone(), message };
        let opened = File::open(path).map_err(|e| refuse(unreadable(&e)))?;
        let meta = opened.metadata().map_err(|e| refuse(unreadable(&e)))?;
        if meta.is_dir() {
            return Err(refuse(unreadable(&ErrorKind::IsADirectory.into())));
        }
        if !meta.is_file() {
            return Self::from_reader(opened, &file);
        }
        let first = first_bytes(&opened).map_err(|e| refuse(unreadable(&e)))?;
        if let Some(form) = TableForm::from_head(&first) {
            let text = text_of_file(form, opened).map_err(refuse)?;
            return Self::from_text(text, &file);
        }
        let size = (!first.starts_with(&GZIP)).then_some(meta.len());
        Ok(Self { size, ..Self::from_reader(opened, &file)? })
    }
}

impl<'a> OpenedFile<'a> {
    /// The same of any reader; `file` is how messages name it.
    ///
    /// # Errors
    /// [`ReadError`] if its first bytes cannot be read.
    pub fn from_reader(from: impl Read + Send + 'a, file: &str) -> Result<Self, ReadError> {
        let from = decoded(from)
            .map_err(|e| ReadError { file: file.into(), message: format!("cannot be read: {e}") })?;
        let opened = Self::from_text(from, file)?;
        match TableForm::from_head(opened.head()) {
            Some(form) => {
                let text = text_of_stream(form, opened);
                Self::from_text(text.map_err(|message| ReadError { file: file.into(), message })?, file)
            }
            None => Ok(opened),
        }
    }

    /// The same of a reader of text.
    fn from_text(mut rest: Box<dyn Read + Send + 'a>, file: &str) -> Result<Self, ReadError> {
        let refuse = |e: Error| ReadError { file: file.into(), message: format!("cannot be read: {e}") };
        let mut head = take_head(&mut rest).map_err(refuse)?;
        if let Some(form) = TextForm::from_head(&head, is_known) {
            rest = form.reader(Cursor::new(head).chain(rest));
            head = take_head(&mut rest).map_err(refuse)?;
        }
        if let Some(message) = advice_for(&head) {
            return Err(ReadError { file: file.into(), message: message.into() });
        }
        Ok(Self { file: file.into(), size: None, head: Cursor::new(head), rest })
    }

    /// How messages name it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// How many bytes there are, where that is known before they are read.
    #[must_use]
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// That all of it has room in memory, for those who keep its rows.
    ///
    /// # Errors
    /// [`ReadError`] where it may need more than this process can still have.
    pub(crate) fn check_room(&self) -> Result<(), ReadError> {
        check_room(&self.file, self.size)
    }

    /// Its first bytes, at most [`HEAD`].
    #[must_use]
    pub fn head(&self) -> &[u8] {
        self.head.get_ref()
    }

    /// What it is, by its first bytes.
    #[must_use]
    pub fn format(&self) -> FileFormat {
        FileFormat::from_head(self.head())
    }
}

impl Read for OpenedFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
        match self.head.read(buffer)? {
            0 => self.rest.read(buffer),
            n => Ok(n),
        }
    }
}

/// How a file begins; it is read from the beginning afterwards.
fn first_bytes(mut file: &File) -> IoResult<Vec<u8>> {
    let mut first = Vec::new();
    file.take(8).read_to_end(&mut first)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(first)
}

fn take_head(from: &mut dyn Read) -> IoResult<Vec<u8>> {
    let mut head = Vec::new();
    from.take(HEAD as u64).read_to_end(&mut head).map(|_| head)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    /// Gives one byte at a time, as a slow pipe may.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> IoResult<usize> {
            let n = buffer.len().min(1).min(self.0.len());
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn all(bytes: &[u8]) -> IoResult<String> {
        let mut text = String::new();
        let mut opened = OpenedFile::from_reader(Slow(bytes), "f").map_err(|e| Error::other(e.message))?;
        opened.read_to_string(&mut text).map(|_| text)
    }

    #[test]
    fn every_byte_comes_once_whatever_the_encoding() {
        let text = "gpu,kernel,time_ms\n𝒳µ,saxpy,1\n".repeat(3000);
        assert_eq!(all(text.as_bytes()).unwrap(), text);
        for bytes_of in [u16::to_le_bytes, u16::to_be_bytes] {
            let marked = format!("\u{feff}{text}");
            let wide: Vec<u8> = marked.encode_utf16().flat_map(bytes_of).collect();
            assert_eq!(all(&wide).unwrap(), text);
            assert!(all(&wide[..wide.len() - 1]).unwrap_err().to_string().contains("begins like UTF-16"));
        }
        for short in ["", "a", "ab", "abc"] {
            assert_eq!(all(short.as_bytes()).unwrap(), short);
        }
        assert!(all(b"\xff\xfe\x00\xd8a\x00").is_err(), "half a pair");
    }

    #[test]
    fn a_trace_is_sent_to_the_command_that_reads_it() {
        let sqlite = OpenedFile::from_reader(&b"SQLite format 3\0\x10\0"[..], "t.sqlite").err().unwrap();
        assert!(sqlite.message.contains("give it to `roofswap app`"), "{sqlite}");
        assert!(
            refused(b"{\n \"schemaVersion\": 1, \"traceEvents\": [").contains("give it to `roofswap app`")
        );
        assert!(refused(b"\x1f\x8b\x08\0").contains("begins like gzip"));
        assert_eq!(refused(b"{\"a\": 1}"), "", "other JSON has its own readers");
    }

    /// Why a file that begins like this is refused; empty where it is not.
    fn refused(head: &[u8]) -> String {
        OpenedFile::from_reader(head, "t").err().map(|why| why.message).unwrap_or_default()
    }

    #[test]
    fn a_table_is_known_whatever_separates_its_columns() {
        for text in [
            "gpu;kernel;time_ms\nl4;mine;0,5\n",
            "\u{feff}\"GPU\"\tkernel\ttime_ms\r\n",
            "gpu;kernel;time_ms\rl4;mine;5\r",
            "gpu,kernel,note\nl4,mine,a;b\tc\n",
        ] {
            let opened = OpenedFile::from_reader(text.as_bytes(), "t").unwrap();
            assert!(matches!(opened.format(), FileFormat::Canonical), "{text}");
        }
    }

    #[test]
    fn a_compressed_file_is_read_as_it_was_before() {
        let packed = |bytes: &[u8]| {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            std::io::Write::write_all(&mut gzip, bytes).unwrap();
            gzip.finish().unwrap()
        };
        let text = "gpu,kernel,time_ms\nl4,mine,1\n";
        assert_eq!(all(&packed(text.as_bytes())).unwrap(), text);
        let wide: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(all(&packed(&wide)).unwrap(), text);
        let whole = packed(text.repeat(3000).as_bytes());
        assert!(all(&whole[..whole.len() / 2]).is_err(), "cut off");
        assert!(refused(&packed(b"{\"traceEvents\": [")).contains("give it to `roofswap app`"));
        assert!(refused(&packed(&packed(b"a"))).contains("twice"));
    }

    #[test]
    fn a_file_of_measurements_is_what_its_first_line_says() {
        for head in ["gpu,kernel,problem,time_ms\n", "\u{feff}Kernel, GPU ,time_ms\r\n"] {
            assert!(matches!(FileFormat::from_head(head.as_bytes()), FileFormat::Canonical), "{head:?}");
        }
        for head in ["ptxas info    : gpu,kernel\n", "", "{}"] {
            assert!(matches!(FileFormat::from_head(head.as_bytes()), FileFormat::Unknown), "{head:?}");
        }
    }
}
