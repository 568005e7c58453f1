//! Reading one small TOML file: size limit, encoding, and errors that name file and line.

use super::library_toml::library_tree;
use super::plain_toml::plain_tree;
use super::toml_tree::{TextSpan, TomlTree};
use super::toml_values::{Unfit, tree_value};
use super::{NameClash, normalise};
use crate::text::unreadable;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::DeTable;

/// The largest spec, config or state file that is read; a real one has a few kilobytes.
const LARGEST_FILE: u64 = 1 << 20;

/// Why a file was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}", line.map(|l| format!(":{l}")).unwrap_or_default())]
pub struct FileError {
    /// The file as it was named.
    pub file: String,
    /// Its line, where one is to blame; the first is 1.
    pub line: Option<usize>,
    /// The field, the value, what was expected and what to do.
    pub message: String,
}

/// The text of a TOML file together with its name, so that an error can say where.
#[derive(Debug, Clone, Copy)]
pub struct SpecFile<'a> {
    /// As shown in errors.
    pub name: &'a str,
    /// The whole text.
    pub text: &'a str,
}

/// How a field is written, for the error about one that is not written like that.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FieldExample {
    /// Its whole name, or that of a table for all fields in it.
    pub(crate) field: &'static str,
    /// The line to write; `@` stands for the name of the field in its table.
    pub(crate) line: &'static str,
}

/// A key as a file has to write it.
fn bare_or_quoted(key: &str) -> Cow<'_, str> {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if key.chars().all(is_bare) { key.into() } else { format!("{key:?}").into() }
}

impl SpecFile<'_> {
    /// Parses the text as `T`.
    ///
    /// # Errors
    /// [`FileError`] with the line of the first thing that does not fit.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        self.parse_with(&[])
    }

    /// Parses the text as `T`; an error in a field that has an example says it.
    ///
    /// # Errors
    /// [`FileError`] with the line of the first thing that does not fit.
    pub(crate) fn parse_with<T: DeserializeOwned>(&self, examples: &[FieldExample]) -> Result<T, FileError> {
        let plain = plain_tree(self.text).and_then(|tree| tree_value(&tree).ok());
        if let Some(value) = plain {
            return Ok(value);
        }
        let document = self.library_document()?;
        let tree = library_tree(&document);
        tree_value(&tree).map_err(|why| self.does_not_fit(&tree, &why, examples))
    }

    /// The text by the library, which reads all of TOML and says what is wrong.
    fn library_document(&self) -> Result<Spanned<DeTable<'_>>, FileError> {
        DeTable::parse(self.text).map_err(|why| self.in_one_line(why.span(), why.message()))
    }

    /// The whole name of the field before what is wrong with it, and an example of it behind.
    fn does_not_fit(&self, tree: &TomlTree<'_>, why: &Unfit, examples: &[FieldExample]) -> FileError {
        let path = why.span().map(|span| tree.path_to(span)).unwrap_or_default();
        let mut message = why.message().to_string();
        if let Some(last) = path.last() {
            let field = path.iter().map(|key| bare_or_quoted(key)).collect::<Vec<_>>().join(".");
            message = format!("{field}: {message}");
            let fits = |e: &&FieldExample| e.field == field || field.starts_with(&format!("{}.", e.field));
            // Of a name that is not known there is nothing to write.
            let is_name = why.span().is_some_and(|span| self.text.get(span.range()) == Some(last));
            if let Some(example) = examples.iter().find(fits).filter(|_| !is_name) {
                let line = example.line.replace('@', &bare_or_quoted(last));
                message = format!("{message}; write {line}");
            }
        }
        self.in_one_line(why.span().map(TextSpan::range), &message)
    }

    fn in_one_line(&self, span: Option<Range<usize>>, message: &str) -> FileError {
        self.file_error(span, message.trim().replace('\n', "; "))
    }

    /// An error at this place of the text.
    #[must_use]
    pub fn file_error(&self, span: Option<Range<usize>>, message: impl Into<String>) -> FileError {
        let line = span.map(|s| 1 + self.text.bytes().take(s.start).filter(|b| *b == b'\n').count());
        FileError { file: self.name.to_string(), line, message: message.into() }
    }

    /// An error about a name, at the first line that has it.
    pub(crate) fn clash(&self, clash: &NameClash) -> FileError {
        let has = |line: &str| !line.trim_start().starts_with('#') && normalise(line).contains(&clash.name);
        let line = self.text.lines().position(has).map(|i| i + 1);
        FileError { file: self.name.to_string(), line, message: clash.to_string() }
    }
}

/// Reads a small UTF-8 file.
///
/// # Errors
/// [`FileError`] if it cannot be read, is larger than 1 MiB, is no regular file, or is not UTF-8.
pub fn read_limited(path: &Path) -> Result<String, FileError> {
    let refuse = |line, message: String| FileError { file: path.display().to_string(), line, message };
    let meta = std::fs::metadata(path).map_err(|e| refuse(None, unreadable(&e)))?;
    if meta.is_dir() {
        return Err(refuse(None, unreadable(&ErrorKind::IsADirectory.into())));
    }
    if !meta.is_file() {
        return Err(refuse(None, "is not a regular file; give a file".into()));
    }
    if meta.len() > LARGEST_FILE {
        let found = meta.len();
        return Err(refuse(
            None,
            format!("has {found} bytes; expected a text file of at most {LARGEST_FILE}"),
        ));
    }
    let opened = File::open(path).map_err(|e| refuse(None, unreadable(&e)))?;
    limited_text(opened, &path.display().to_string())
}

/// Reads a small UTF-8 text; `file`: what it is called.
///
/// # Errors
/// [`FileError`] if it cannot be read, is larger than 1 MiB, or is not UTF-8.
pub fn limited_text(from: impl Read, file: &str) -> Result<String, FileError> {
    let refuse = |line, message: String| FileError { file: file.into(), line, message };
    let mut bytes = Vec::new();
    from.take(LARGEST_FILE + 1).read_to_end(&mut bytes).map_err(|e| refuse(None, unreadable(&e)))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(refuse(
            None,
            format!("is larger than {LARGEST_FILE} bytes; expected a text file of at most that"),
        ));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
        refuse(Some(line), format!("is not UTF-8 (byte {at}); save it as UTF-8"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parse_error_names_file_and_line() {
        let file = SpecFile { name: "x.toml", text: "a = 1\nb = = 2\n" };
        let error = file.parse::<toml::Table>().unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("x.toml", Some(2)));
        assert!(error.to_string().starts_with("x.toml:2: "), "{error}");
    }

    #[test]
    fn unreadable_things_are_refused_with_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let latin = folder.path().join("latin.toml");
        std::fs::write(&latin, b"a = 1\nname = \"caf\xe9\"\n").unwrap();
        assert_eq!(read_limited(&latin).unwrap_err().line, Some(2));
        assert!(read_limited(folder.path()).unwrap_err().message.contains("a folder"));
        assert!(read_limited(&folder.path().join("none")).unwrap_err().message.contains("no such file"));
        let big = folder.path().join("big");
        std::fs::File::create(&big).unwrap().set_len(200 << 20).unwrap();
        assert!(read_limited(&big).unwrap_err().message.contains("at most"));
        let endless = limited_text(std::io::repeat(b'a'), "standard input").unwrap_err();
        assert!(endless.message.contains("larger than 1048576 bytes"), "{endless}");
    }
}
