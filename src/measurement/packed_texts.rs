//! Texts of packed rows: what repeats stands once.

use super::packed_bytes::{PackedBytes, put_whole};
use hashbrown::HashMap;
use std::sync::Arc;

/// As many texts are kept apart from their rows, and as many bytes of them: a report of a million different names would only be copied.
const MOST_TEXTS: usize = 1 << 14;
const MOST_BYTES: usize = 4 << 20;

/// Texts by number.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TextPool {
    texts: Vec<Arc<str>>,
    places: HashMap<Arc<str>, u32>,
    bytes: usize,
}

impl TextPool {
    /// Writes a text: its number, or 0 and the text itself where it has none.
    pub(super) fn put_text(&mut self, out: &mut Vec<u8>, text: &str) {
        match self.place(text) {
            Some(place) => put_whole(out, u64::from(place) + 1),
            None => {
                put_whole(out, 0);
                put_whole(out, text.len() as u64);
                out.extend_from_slice(text.as_bytes());
            }
        }
    }

    fn place(&mut self, text: &str) -> Option<u32> {
        if let Some(place) = self.places.get(text) {
            return Some(*place);
        }
        if self.texts.len() >= MOST_TEXTS || self.bytes + text.len() > MOST_BYTES {
            return None;
        }
        let place = u32::try_from(self.texts.len()).ok()?;
        let kept: Arc<str> = text.into();
        self.bytes += text.len();
        self.texts.push(kept.clone());
        self.places.insert(kept, place);
        Some(place)
    }

    /// Reads what [`TextPool::put_text`] wrote.
    pub(super) fn take_text(&self, from: &mut PackedBytes<'_>, text: &mut String) {
        text.clear();
        if let Some(place) = from.whole().checked_sub(1) {
            text.push_str(&self.texts[place as usize]);
            return;
        }
        let length = from.whole() as usize;
        text.push_str(&String::from_utf8_lossy(from.take_bytes(length)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_whether_they_are_kept_apart_or_not() {
        let (mut pool, mut out) = (TextPool::default(), Vec::new());
        let long = "x".repeat(MOST_BYTES);
        let texts: Vec<String> = (0..2 * MOST_TEXTS).map(|n| format!("t{}", n % (MOST_TEXTS + 9))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).chain([long.as_str(), ""]).collect();
        texts.iter().for_each(|text| pool.put_text(&mut out, text));
        assert_eq!(pool.texts.len(), MOST_TEXTS);
        let (mut from, mut read) = (PackedBytes { bytes: &out, at: 0 }, String::new());
        for text in texts {
            pool.take_text(&mut from, &mut read);
            assert!(read == text);
        }
        assert_eq!(from.at, out.len());
    }
}
