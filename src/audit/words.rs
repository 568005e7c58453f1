//! Texts that repeat, kept once.

use std::collections::HashMap;
use std::sync::Arc;

/// A text that repeats, kept once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(pub(super) u32);

/// Texts by number.
#[derive(Debug, Default)]
pub(super) struct NumberedWords {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Word>,
}

impl NumberedWords {
    pub(super) fn intern(&mut self, text: &str) -> Word {
        if let Some(known) = self.numbers.get(text) {
            return *known;
        }
        let word = Word(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, word);
        word
    }

    /// The text of a word.
    pub(super) fn text(&self, word: Word) -> &str {
        &self.texts[word.0 as usize]
    }
}
