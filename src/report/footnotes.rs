//! Texts that stand under a table, and their numbers in its cells.

use super::cell::TableCell;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Texts under the table, each once, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    texts: Vec<Box<str>>,
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Footnotes {
    /// `[1 3]` in the place of these texts; nothing for none.
    pub(super) fn numbered(&mut self, cell: TableCell) -> TableCell {
        let numbers: Vec<String> = match cell {
            TableCell::Text(text) => vec![self.number(text)],
            TableCell::List(all) => all.into_iter().map(|text| self.number(text)).collect(),
            _ => Vec::new(),
        };
        if numbers.is_empty() { TableCell::Null } else { TableCell::Text(format!("[{}]", numbers.join(" "))) }
    }

    fn number(&mut self, text: String) -> String {
        let Self { texts, places, hasher } = self;
        let hash = hasher.hash_one(text.as_str());
        let known = places.find(hash, |place| *texts[*place as usize] == *text).copied();
        let place = known.unwrap_or_else(|| {
            let new = u32::try_from(texts.len()).expect("fewer than 2^32 texts fit into memory");
            texts.push(text.into());
            places.insert_unique(hash, new, |place| hasher.hash_one(&*texts[*place as usize]));
            new
        });
        (place + 1).to_string()
    }

    /// Every text behind its number, `[1] text`.
    pub(super) fn into_lines(self) -> impl Iterator<Item = String> {
        self.texts.into_iter().enumerate().map(|(at, text)| format!("[{}] {text}", at + 1))
    }
}
