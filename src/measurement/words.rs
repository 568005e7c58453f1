//! Texts and problem sizes that repeat from row to row, kept once.

use crate::kernel::{KernelId, Problem};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;
use std::sync::Arc;

/// How many different ones are remembered. A file with more (a source of its own for every row) starts over, so that
/// remembering never costs more than the rows do; the same text may be kept twice then.
const REMEMBERED: usize = 1 << 14;

/// Texts by their bytes.
#[derive(Debug, Default)]
pub(super) struct SharedWords {
    known: HashTable<Arc<str>>,
    blank: Arc<str>,
    hasher: DefaultHashBuilder,
    last: Arc<str>,
    /// How many were new, less how many were known.
    surprise: i64,
}

impl SharedWords {
    /// The text of these bytes without white space around it; `None` if it is no UTF-8.
    pub(super) fn shared_text(&mut self, bytes: &[u8]) -> Option<Arc<str>> {
        if bytes.is_empty() {
            return Some(self.blank.clone());
        }
        if bytes == self.last.as_bytes() {
            return Some(self.last.clone());
        }
        // Nearly every row has another one: looking for it is in vain.
        if self.surprise > REMEMBERED as i64 / 2 {
            return std::str::from_utf8(bytes).ok().map(|text| text.trim().into());
        }
        let hash = self.hasher.hash_one(bytes);
        let word = match self.known.find(hash, |w| w.as_bytes() == bytes) {
            Some(known) => {
                self.surprise -= 1;
                known.clone()
            }
            None => {
                let text = std::str::from_utf8(bytes).ok()?;
                let trimmed = text.trim();
                if trimmed.len() < text.len() {
                    return self.shared_text(trimmed.as_bytes());
                }
                self.surprise += 1;
                self.remember(hash, text.into())
            }
        };
        self.last.clone_from(&word);
        Some(word)
    }

    fn remember(&mut self, hash: u64, word: Arc<str>) -> Arc<str> {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let hasher = &self.hasher;
        self.known.insert_unique(hash, word.clone(), |w| hasher.hash_one(w.as_bytes()));
        word
    }
}

/// Problems by text, and by kernel where its formulas complete them.
#[derive(Debug, Default)]
pub(super) struct Problems {
    known: HashTable<KnownWords>,
    hasher: DefaultHashBuilder,
    /// How many were new, less how many were known.
    surprise: i64,
}

#[derive(Debug)]
struct KnownWords {
    kernel: Option<KernelId>,
    text: Box<[u8]>,
    problem: Arc<Problem>,
}

impl Problems {
    /// The problem that these bytes name for this kernel, by `read` where they are new.
    pub(super) fn shared_problem<E>(
        &mut self,
        kernel: Option<KernelId>,
        text: &[u8],
        read: impl FnOnce() -> Result<Problem, E>,
    ) -> Result<Arc<Problem>, E> {
        // Nearly every row has another one, even after the table was full twice: looking for it is in vain.
        if self.surprise > 2 * REMEMBERED as i64 {
            self.known = HashTable::default();
            return read().map(Arc::new);
        }
        let hash = self.hasher.hash_one((kernel, text));
        if let Some(known) = self.known.find(hash, |k| k.kernel == kernel && *k.text == *text) {
            self.surprise -= 1;
            return Ok(known.problem.clone());
        }
        let problem = Arc::new(read()?);
        self.surprise += 1;
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let (hasher, known) =
            (&self.hasher, KnownWords { kernel, text: text.into(), problem: problem.clone() });
        self.known.insert_unique(hash, known, |k| hasher.hash_one((k.kernel, &*k.text)));
        Ok(problem)
    }
}
