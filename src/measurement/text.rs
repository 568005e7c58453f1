//! Where rows come from: texts that nearly every row has one of its own of. Those of a chunk stand in one piece of memory.

use super::packed_column::PackedColumn;
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Where a row comes from, as it says.
#[derive(Debug, Clone, Copy)]
pub struct RowSource<'a> {
    /// All of it, or all but its number, and at least a colon.
    head: &'a str,
    number: Option<u32>,
}

impl<'a> RowSource<'a> {
    /// The text.
    #[must_use]
    pub fn text(self) -> Cow<'a, str> {
        let Some(number) = self.number else { return Cow::Borrowed(self.head) };
        const DIGITS: usize = 10;
        let mut text = String::with_capacity(self.head.len() + DIGITS);
        text.push_str(self.head);
        text.push_str(&number.to_string());
        Cow::Owned(text)
    }

    /// What stands before the first colon; the whole text where it has none.
    #[must_use]
    pub fn collection(self) -> &'a str {
        self.head.split(':').next().unwrap_or(self.head)
    }
}

impl fmt::Display for RowSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// The texts of the rows of a chunk.
#[derive(Debug)]
pub(super) enum RowSources {
    /// One text, and a number behind it each, less the place of its row: a report's file and its lines, which mostly follow each other.
    Numbered(String, PackedColumn<u32>),
    /// One after another, and where each begins and ends.
    Apart(String, PackedColumn<Range<u32>>),
}

impl RowSources {
    /// That of this row.
    pub(super) fn source(&self, row: u32) -> RowSource<'_> {
        match self {
            Self::Numbered(head, numbers) => {
                RowSource { head, number: Some(numbers.value(row).wrapping_add(row)) }
            }
            Self::Apart(texts, places) => {
                let place = places.value(row);
                RowSource { head: &texts[place.start as usize..place.end as usize], number: None }
            }
        }
    }
}

/// A short text in the room of one pointer.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SharedWord(Arc<Box<str>>);

impl Deref for SharedWord {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for SharedWord {
    fn from(text: &str) -> Self {
        Self(Arc::new(text.into()))
    }
}

impl fmt::Display for SharedWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for SharedWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Texts being collected.
#[derive(Debug, Default)]
pub(super) struct Texts {
    all: String,
    places: Vec<Range<u32>>,
}

impl Texts {
    /// Adds one; the same as the one before takes no room. What is past 4 GiB in one chunk is left blank: that is no text
    /// to say where a row comes from.
    pub(super) fn add_text(&mut self, text: &str) {
        let last = self.places.last().filter(|p| self.all[p.start as usize..p.end as usize] == *text);
        let place = last.cloned().unwrap_or_else(|| {
            let start = self.all.len();
            match (u32::try_from(start), u32::try_from(start + text.len())) {
                (Ok(start), Ok(end)) => {
                    self.all.push_str(text);
                    start..end
                }
                _ => 0..0,
            }
        });
        self.places.push(place);
    }

    /// All that were added.
    pub(super) fn packed(self) -> RowSources {
        if let Some(numbered) = self.numbered() {
            return numbered;
        }
        let mut places = PackedColumn::default();
        self.places.into_iter().for_each(|place| places.push(place));
        RowSources::Apart(self.all.into_boxed_str().into_string(), places.packed())
    }

    /// The texts as one and a number each; `None` where they are not alike in all else, as in `log.csv:4` and `log.csv:12`.
    fn numbered(&self) -> Option<RowSources> {
        let (mut head, mut numbers) = (None, PackedColumn::default());
        for (row, place) in (0u32..).zip(&self.places) {
            let text = &self.all[place.start as usize..place.end as usize];
            let (this, number) = text.split_at(text.trim_end_matches(|c: char| c.is_ascii_digit()).len());
            let is_plain = this.contains(':') && (number == "0" || !number.starts_with('0'));
            if !is_plain || *head.get_or_insert(this) != this {
                return None;
            }
            numbers.push(number.parse::<u32>().ok()?.wrapping_sub(row));
        }
        Some(RowSources::Numbered(head?.to_string(), numbers.packed()))
    }
}

/// What a variant says of this key: `cold` of `timing` in `tile=8;timing=cold`.
pub(super) fn variant_value<'v>(variant: &'v str, key: &str) -> Option<&'v str> {
    let mut pairs = variant.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(all: &[&str]) -> RowSources {
        let mut texts = Texts::default();
        all.iter().for_each(|text| texts.add_text(text));
        let packed = texts.packed();
        let found: Vec<String> = (0..).take(all.len()).map(|row| packed.source(row).to_string()).collect();
        assert_eq!(found, all);
        packed
    }

    #[test]
    fn texts_are_those_that_were_added() {
        for all in [&["a", "é", "é", "", "a"][..], &["a", ""], &["", ""], &["7"]] {
            assert!(matches!(packed(all), RowSources::Apart(..)), "{all:?}");
        }
    }

    #[test]
    fn lines_of_one_file_are_numbers() {
        let first = "a:b/log.csv:4";
        for (head, all) in [
            ("a:b/log.csv:", [first, "a:b/log.csv:4294967295", first]),
            ("a:b/log.csv:", [first, "a:b/log.csv:0", "a:b/log.csv:10"]),
            ("a:row", ["a:row1", "a:row0", "a:row1"]),
        ] {
            let found = packed(&all);
            assert!(matches!(&found, RowSources::Numbered(text, _) if text == head), "{found:?}");
            assert_eq!(found.source(1).collection(), "a");
        }
        for other in
            ["a:b/log.csv:04", "a:b/log.csv:4294967296", "a:b/log.txt:5", "a:b/log.csv:", "4", "", "a:+4"]
        {
            let found = packed(&[first, other]);
            assert!(matches!(found, RowSources::Apart(..)) && found.source(0).collection() == "a", "{other}");
        }
        assert_eq!(packed(&["log.csv"]).source(0).collection(), "log.csv");
    }
}
