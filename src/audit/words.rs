//! Texts that repeat, kept once.

use std::collections::HashMap;

/// A text that repeats, kept once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub(super) u32);

/// Texts by number.
#[derive(Debug, Default)]
pub(super) struct NumberedWords {
    texts: Vec<String>,
    numbers: HashMap<String, Word>,
}

impl NumberedWords {
    pub(super) fn intern(&mut self, text: &str) -> Word {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let word = Word(self.texts.len() as u32);
        self.texts.push(text.to_string());
        self.numbers.insert(text.to_string(), word);
        word
    }

    /// The text of a word.
    pub(super) fn text(&self, word: Word) -> &str {
        &self.texts[word.0 as usize]
    }
}
