//! Numbers that know where they come from.

use super::Spanned;
use super::{FileError, SpecFile};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// How far to trust a number. The four look different on screen, in exports and here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberOrigin {
    /// Somebody measured it and said how.
    Measured,
    /// A vendor's document or a paper states it.
    Published,
    /// Computed from published numbers by a stated rule.
    Derived,
    /// Nobody stated it for this part.
    Assumed,
}

impl NumberOrigin {
    /// The word used on screen and in exports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Published => "published",
            Self::Derived => "derived",
            Self::Assumed => "assumed",
        }
    }
}

/// A document, data set or rule that numbers come from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// How far to trust what it says.
    pub kind: NumberOrigin,
    /// Its exact title.
    pub title: String,
    /// Who published it.
    #[serde(default)]
    pub publisher: String,
    /// Where it is, if that is certain.
    #[serde(default)]
    pub url: Option<String>,
}

/// Sources by id (`specs/sources.toml`).
pub type SourceTable = BTreeMap<String, Source>;

/// The sources that a file may name: those shipped, and its own where those do not have one of that id.
#[must_use]
pub fn joined_sources<'s>(own: &SourceTable, shipped: &'s SourceTable) -> Cow<'s, SourceTable> {
    // Copied only where it changes: it has some hundred sources, and there are hundreds of files.
    if own.is_empty() {
        return Cow::Borrowed(shipped);
    }
    let mut all = own.clone();
    all.extend(shipped.clone());
    Cow::Owned(all)
}

/// A value with its origin, its source's id and what has to be said about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sourced<T> {
    /// The value; its unit is in its type.
    pub value: T,
    /// How far to trust it.
    pub origin: NumberOrigin,
    /// Id in the [`SourceTable`].
    pub source: Arc<str>,
    /// A remark: the method, the rule, what another document says.
    pub note: Option<Arc<str>>,
    /// For prices: the day the price was seen.
    pub date: Option<Arc<str>>,
}

impl<T> Sourced<T> {
    /// The same provenance for another value.
    pub fn map<U>(&self, f: impl FnOnce(&T) -> U) -> Sourced<U> {
        Sourced {
            value: f(&self.value),
            origin: self.origin,
            source: self.source.clone(),
            note: self.note.clone(),
            date: self.date.clone(),
        }
    }
}

/// A number as a file writes it: `{ value = 46, source = "ada-whitepaper", note = "..." }`.
#[derive(Debug, Clone, Deserialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a number with its source, `{ value = 46, source = \"own\" }`, where [sources.own] has kind and title"
)]
pub struct NumberFile {
    value: Spanned<f64>,
    source: Spanned<String>,
    kind: Option<NumberOrigin>,
    note: Option<String>,
    date: Option<String>,
}

/// What is said of a source that no table has: a user has no file but the one that names it.
pub(crate) fn unknown_source(id: &str) -> String {
    format!(
        "unknown source `{id}`; describe it in this file: a table [sources.{id}] with kind = \"measured\" \
         (or \"published\", \"derived\", \"assumed\") and title = \"…\""
    )
}

impl NumberFile {
    /// Where in the file the number stands.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Checks the number: finite, above zero, its source known.
    ///
    /// # Errors
    /// [`FileError`] with file, line, field, value and what was expected.
    pub fn checked_number(
        &self,
        field: &str,
        file: SpecFile<'_>,
        sources: &SourceTable,
    ) -> Result<Sourced<f64>, FileError> {
        let value = *self.value.get_ref();
        if !(value.is_finite() && value > 0.0) {
            let message = format!("{field} = {value}: expected a finite number above 0");
            return Err(file.file_error(Some(self.value.span()), message));
        }
        let id = self.source.get_ref();
        let Some(source) = sources.get(id) else {
            let message = format!("{field}: {}", unknown_source(id));
            return Err(file.file_error(Some(self.source.span()), message));
        };
        Ok(Sourced {
            value,
            origin: self.kind.unwrap_or(source.kind),
            source: id.as_str().into(),
            note: self.note.as_deref().map(Into::into),
            date: self.date.as_deref().map(Into::into),
        })
    }
}

/// The sources that travel with the program (`specs/sources.toml`).
///
/// # Errors
/// [`FileError`] where the file does not parse (a test reads it).
pub fn shipped_sources() -> Result<SourceTable, FileError> {
    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/specs/sources.toml"));
    SpecFile { name: "specs/sources.toml", text }.parse()
}
