//! Texts that repeat, kept once.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// A text that repeats, kept once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub(super) u32);

/// Texts by number, in one piece of memory: a table has millions of them.
#[derive(Debug, Default)]
pub(super) struct NumberedWords {
    text: String,
    /// Where each text ends.
    ends: Vec<usize>,
    numbers: HashTable<Word>,
    hasher: DefaultHashBuilder,
}

impl NumberedWords {
    pub(super) fn intern(&mut self, text: &str) -> Word {
        let hash = self.hasher.hash_one(text);
        if let Some(known) = self.numbers.find(hash, |word| self.text(*word) == text) {
            return *known;
        }
        let word = Word(self.ends.len() as u32);
        self.text.push_str(text);
        self.ends.push(self.text.len());
        let Self { text, ends, numbers, hasher } = self;
        numbers.insert_unique(hash, word, |word| hasher.hash_one(text_at(text, ends, *word)));
        word
    }

    /// The text of a word.
    pub(super) fn text(&self, word: Word) -> &str {
        text_at(&self.text, &self.ends, word)
    }
}

fn text_at<'t>(text: &'t str, ends: &[usize], word: Word) -> &'t str {
    let place = word.0 as usize;
    let start = place.checked_sub(1).map_or(0, |before| ends[before]);
    &text[start..ends[place]]
}

/// Some of the words, a bit for each.
#[derive(Debug, Default)]
pub(super) struct WordSet(Vec<u64>);

impl WordSet {
    pub(super) fn insert(&mut self, word: Word) {
        let place = word.0 as usize / 64;
        if place >= self.0.len() {
            self.0.resize(place + 1, 0);
        }
        self.0[place] |= 1 << (word.0 % 64);
    }

    pub(super) fn contains(&self, word: Word) -> bool {
        self.0.get(word.0 as usize / 64).is_some_and(|bits| bits & 1 << (word.0 % 64) != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number() {
        let mut words = NumberedWords::default();
        let numbers = ["a", "", "bc", "a", "", "b"].map(|text| words.intern(text).0);
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!([0, 1, 2, 3].map(|number| words.text(Word(number))), ["a", "", "bc", "b"]);
    }

    #[test]
    fn a_set_holds_what_was_put_in() {
        let mut set = WordSet::default();
        [0, 63, 64, 200].into_iter().for_each(|number| set.insert(Word(number)));
        let held: Vec<u32> = (0..300).filter(|number| set.contains(Word(*number))).collect();
        assert_eq!(held, [0, 63, 64, 200]);
    }
}
