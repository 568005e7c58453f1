//! Texts that nearly every row has one of its own of: those of a chunk stand in one piece of memory.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::{Arc, LazyLock};

/// A text that shares its memory with those of other rows, and knows the file that they were read from.
#[derive(Clone)]
pub struct SharedText {
    of_chunk: Arc<ChunkTexts>,
    /// Where it begins; of a chunk whose texts differ in their numbers alone, the number.
    start: u32,
    end: u32,
}

/// The texts of the rows of a chunk, and the file as messages name it.
#[derive(Default)]
struct ChunkTexts {
    file: Arc<str>,
    texts: String,
    /// Whether the chunk's texts are this one with a number behind it each: a report's file and its lines.
    is_numbered: bool,
}

impl SharedText {
    /// The text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        if self.of_chunk.is_numbered {
            return Cow::Owned(format!("{}{}", self.of_chunk.texts, self.start));
        }
        Cow::Borrowed(self.head())
    }

    /// What stands before the first of these characters, which is no digit; the whole text where it has none.
    #[must_use]
    pub fn before(&self, mark: char) -> &str {
        let head = self.head();
        head.split(mark).next().unwrap_or(head)
    }

    /// The text; of a chunk whose texts differ in their numbers alone, all but the number and at least a colon.
    fn head(&self) -> &str {
        let ChunkTexts { texts, is_numbered, .. } = &*self.of_chunk;
        if *is_numbered { texts } else { &texts[self.start as usize..self.end as usize] }
    }

    /// The file that its row was read from, as messages name it; empty where it was read from none.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.of_chunk.file
    }
}

impl Default for SharedText {
    fn default() -> Self {
        static BLANK: LazyLock<Arc<ChunkTexts>> = LazyLock::new(Arc::default);
        Self { of_chunk: BLANK.clone(), start: 0, end: 0 }
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
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

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        let mut texts = Texts::default();
        texts.add_text(text);
        texts.take_texts(&Arc::default()).next().unwrap_or_default()
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}
impl Eq for SharedText {}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text(), f)
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

    /// All that were added, in order, of rows of this file.
    pub(super) fn take_texts(&mut self, file: &Arc<str>) -> impl Iterator<Item = SharedText> + use<> {
        let numbered = self.numbered();
        let mut texts = std::mem::take(&mut self.all);
        let mut places = std::mem::take(&mut self.places);
        let is_numbered = numbered.is_some();
        if let Some(numbered) = numbered {
            (texts, places) = (numbered.head, numbered.numbers.into_iter().map(|n| n..n).collect());
        }
        texts.shrink_to_fit();
        let of_chunk = Arc::new(ChunkTexts { file: file.clone(), texts, is_numbered });
        places.into_iter().map(move |p| SharedText { of_chunk: of_chunk.clone(), start: p.start, end: p.end })
    }

    /// The texts as one and a number each; `None` where they are not alike in all else, as in `log.csv:4` and `log.csv:12`.
    fn numbered(&self) -> Option<NumberedTexts> {
        let mut all = self.places.iter().map(|p| {
            let (head, number) = self.all[p.start as usize..p.end as usize].rsplit_once(':')?;
            let is_plain = !number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
            Some((head, number.parse::<u32>().ok().filter(|_| is_plain)?))
        });
        let (head, first) = all.next()??;
        let numbers = all.map(|one| one.filter(|(other, _)| *other == head).map(|(_, number)| number));
        let numbers = std::iter::once(Some(first)).chain(numbers).collect::<Option<Vec<u32>>>()?;
        Some(NumberedTexts { head: format!("{head}:"), numbers })
    }
}

/// Texts that differ in their last numbers alone.
struct NumberedTexts {
    head: String,
    numbers: Vec<u32>,
}

/// What a variant says of this key: `cold` of `timing` in `tile=8;timing=cold`.
pub(super) fn variant_value<'v>(variant: &'v str, key: &str) -> Option<&'v str> {
    let mut pairs = variant.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_that_were_added() {
        let mut texts = Texts::default();
        ["a", "é", "é", "", "a"].into_iter().for_each(|text| texts.add_text(text));
        let found: Vec<SharedText> = texts.take_texts(&"f.csv".into()).collect();
        assert_eq!(found, ["a", "é", "é", "", "a"].map(SharedText::from));
        assert_eq!((found[3].file(), SharedText::default().file()), ("f.csv", ""));
        assert_eq!(texts.take_texts(&"f.csv".into()).count(), 0);
        assert_eq!(format!("{:?}", found[1]), "\"é\"");
    }

    #[test]
    fn lines_of_one_file_are_numbers() {
        let texts = |all: &[&str]| -> Vec<SharedText> {
            let mut texts = Texts::default();
            all.iter().for_each(|text| texts.add_text(text));
            let found: Vec<SharedText> = texts.take_texts(&"f.csv".into()).collect();
            assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), all);
            found
        };
        let found = texts(&["a:b/log.csv:4", "a:b/log.csv:4294967295", "a:b/log.csv:4"]);
        assert_eq!((&*found[0].of_chunk.texts, found[1].before(':')), ("a:b/log.csv:", "a"));
        for other in
            ["a:b/log.csv:04", "a:b/log.csv:4294967296", "a:b/log.txt:5", "a:b/log.csv:", "4", "", "a:+4"]
        {
            let found = texts(&["a:b/log.csv:4", other]);
            assert!(!found[0].of_chunk.is_numbered && found[0].before(':') == "a", "{other}");
        }
        assert_eq!(texts(&["log.csv"])[0].before(':'), "log.csv");
    }
}
