//! Texts that nearly every row has one of its own of: those of a chunk stand in one piece of memory.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A text that shares its memory with those of other rows.
#[derive(Clone, Default)]
pub struct SharedText {
    all: Arc<String>,
    start: u32,
    end: u32,
}

impl Deref for SharedText {
    type Target = str;
    fn deref(&self) -> &str {
        &self.all[self.start as usize..self.end as usize]
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        let mut texts = Texts::default();
        texts.add_text(text);
        texts.take_texts().next().unwrap_or_default()
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
impl Eq for SharedText {}

impl fmt::Debug for SharedText {
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

    /// All that were added, in order.
    pub(super) fn take_texts(&mut self) -> impl Iterator<Item = SharedText> + use<> {
        let mut all = std::mem::take(&mut self.all);
        all.shrink_to_fit();
        let all = Arc::new(all);
        let places = std::mem::take(&mut self.places);
        places.into_iter().map(move |p| SharedText { all: all.clone(), start: p.start, end: p.end })
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

    #[test]
    fn texts_are_those_that_were_added() {
        let mut texts = Texts::default();
        ["a", "é", "é", "", "a"].into_iter().for_each(|text| texts.add_text(text));
        let found: Vec<SharedText> = texts.take_texts().collect();
        assert_eq!(found, ["a", "é", "é", "", "a"].map(SharedText::from));
        assert_eq!(texts.take_texts().count(), 0);
        assert_eq!(format!("{:?}", found[1]), "\"é\"");
    }
}
