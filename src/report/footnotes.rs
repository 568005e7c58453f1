//! Texts that stand under a table, and their numbers in its cells.

use super::cell::TableCell;
use hashbrown::{DefaultHashBuilder, HashSet, HashTable};
use std::hash::BuildHasher;

/// So many GPUs or kernels of one note are named,
const NAMED: usize = 3;

/// of more than so many.
const ALL_NAMED: usize = 6;

/// Texts under the table, in the order in which they came. Those that differ only in the GPU or the kernel before the first colon are one.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    notes: Vec<SharedNote>,
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// One text, and what it is said of.
#[derive(Debug)]
struct SharedNote {
    head: Box<str>,
    text: Box<str>,
    /// Whether a GPU or a kernel stands before the text.
    has_subject: bool,
    /// The first of them.
    first: Vec<NamedSubject>,
    others: HashSet<Box<str>>,
}

/// A GPU or a kernel with the first clocks or part of the L2 it was named with, and its others, which differ from kernel to kernel.
#[derive(Debug)]
struct NamedSubject {
    /// The subject up to what a kernel makes of it: `t4 (70 W, `, or all of it where there is nothing.
    name: Box<str>,
    /// `SM 1590 to 1200 MHz)`; empty where there is nothing.
    settings: Box<str>,
    others: HashSet<Box<str>>,
}

impl NamedSubject {
    fn new(name: &str, settings: &str) -> Self {
        Self { name: name.into(), settings: settings.into(), others: HashSet::new() }
    }

    fn add_settings(&mut self, settings: &str) {
        if *self.settings != *settings && !self.others.contains(settings) {
            self.others.insert(settings.into());
        }
    }

    /// `t4 (70 W, SM 1590 to 1200 MHz)`; with one other `t4 (70 W, SM 1590 to 1200 MHz; SM 1590 to 1300 MHz)`, with more
    /// `t4 (70 W, SM 1590 to 1200 MHz and 2 more)`.
    fn words(&self) -> String {
        let Self { name, settings, others } = self;
        let mut further = others.iter();
        match (further.next(), others.len()) {
            (None, _) => format!("{name}{settings}"),
            (Some(other), 1) => format!("{name}{}; {other}", settings.trim_end_matches(')')),
            (_, more) => format!("{name}{} and {more} more)", settings.trim_end_matches(')')),
        }
    }
}

/// A subject with the settings that make it another one (`t4 (50 W, `), and what a kernel makes of them: the clocks that a limit leaves, the
/// part of the L2 that it takes.
fn split_settings(subject: &str) -> (&str, &str) {
    let Some(begin) = subject.find(" (").map(|at| at + 2) else { return (subject, "") };
    let settings = &subject[begin..];
    let limit = settings.find(" W, ").filter(|at| settings[..*at].parse::<f64>().is_ok());
    let is_share = settings.contains(" of ") && !settings.contains(" instead of ");
    subject.split_at(match limit {
        Some(limit) => begin + limit + " W, ".len(),
        None if is_share => begin,
        None => subject.len(),
    })
}

impl SharedNote {
    fn add_subject(&mut self, subject: &str) {
        if !self.has_subject {
            return;
        }
        let (name, settings) = split_settings(subject);
        if let Some(known) = self.first.iter_mut().find(|known| *known.name == *name) {
            known.add_settings(settings);
        } else if self.first.len() < ALL_NAMED {
            self.first.push(NamedSubject::new(name, settings));
        } else if !self.others.contains(name) {
            self.others.insert(name.into());
        }
    }

    /// `t4, l4: text`; of more than six `t4, l4, a10 and 120 more: text`.
    fn into_line(self) -> String {
        let Self { head, text, has_subject, first, others } = self;
        let shown = if others.is_empty() { first.len() } else { NAMED };
        let names: Vec<String> = first[..shown].iter().map(NamedSubject::words).collect();
        let named = format!("{head}{}", names.join(", "));
        match others.len() + first.len() - shown {
            _ if !has_subject => text.into(),
            0 => format!("{named}: {text}"),
            more => format!("{named} and {more} more: {text}"),
        }
    }
}

/// Whether a note says which GPUs or kernels it is of: `t4 (70 W), l4 and 12 more: text`.
pub(super) fn names_subject(note: &str) -> bool {
    let Some((before, _)) = note.split_once(": ") else { return false };
    let behind_first = before.trim_start_matches(|letter: char| letter != ' ' && letter != ',');
    behind_first.is_empty() || [" (", ", ", " and "].iter().any(|begin| behind_first.starts_with(begin))
}

/// A note taken apart: `saxpy n=2^24: `, `rtx-4070 (150 W)`, `short`.
struct NoteParts<'t> {
    /// What stands before the GPU or kernel: a kernel with its size, in a mix.
    head: &'t str,
    /// The GPU or kernel: a word without spaces before a colon, its settings in brackets behind it; empty where there is none.
    subject: &'t str,
    text: &'t str,
}

impl<'t> NoteParts<'t> {
    fn from_note(note: &'t str) -> Self {
        let whole = Self { head: "", subject: "", text: note };
        let Some((first, rest)) = note.split_once(": ") else { return whole };
        if Self::is_subject(first) {
            return Self { head: "", subject: first, text: rest };
        }
        let second = rest.split_once(": ").filter(|(second, _)| Self::is_subject(second));
        second.map_or(whole, |(subject, text)| Self { head: &note[..first.len() + 2], subject, text })
    }

    /// Whether this names a GPU or a kernel.
    fn is_subject(text: &str) -> bool {
        let settings = text.strip_suffix(')').and_then(|text| text.split_once(" ("));
        let word = settings.map_or(text, |(word, _)| word);
        !word.is_empty() && !word.contains(char::is_whitespace)
    }

    fn is_of(&self, known: &SharedNote) -> bool {
        let has_subject = !self.subject.is_empty();
        known.has_subject == has_subject && *known.head == *self.head && *known.text == *self.text
    }
}

impl Footnotes {
    /// `[1 3]` in the place of these texts; nothing for none.
    pub(super) fn numbered(&mut self, cell: TableCell) -> TableCell {
        let mut numbers: Vec<usize> = match cell {
            TableCell::Text(text) => vec![self.number(text)],
            TableCell::List(all) => all.into_iter().map(|text| self.number(text)).collect(),
            _ => Vec::new(),
        };
        // Of source and target the same is said once.
        numbers.sort_unstable();
        numbers.dedup();
        let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
        if words.is_empty() { TableCell::Null } else { TableCell::Text(format!("[{}]", words.join(" "))) }
    }

    fn number(&mut self, note: String) -> usize {
        let parts = NoteParts::from_note(&note);
        let Self { notes, places, hasher } = self;
        let hash = hasher.hash_one((parts.head, parts.text));
        let known = places.find(hash, |at| parts.is_of(&notes[*at as usize])).copied();
        let place = known.unwrap_or_else(|| {
            let new = u32::try_from(notes.len()).expect("fewer than 2^32 texts fit into memory");
            notes.push(SharedNote {
                head: parts.head.into(),
                text: parts.text.into(),
                has_subject: !parts.subject.is_empty(),
                first: Vec::new(),
                others: HashSet::new(),
            });
            places.insert_unique(hash, new, |at| {
                let known = &notes[*at as usize];
                hasher.hash_one((&*known.head, &*known.text))
            });
            new
        });
        notes[place as usize].add_subject(parts.subject);
        place as usize + 1
    }

    /// Every text, behind its number where some column shows it: `[1] text`.
    pub(super) fn into_lines(self, has_numbers: bool) -> impl Iterator<Item = String> {
        let number = move |at: usize| if has_numbers { format!("[{}] ", at + 1) } else { String::new() };
        self.notes.into_iter().enumerate().map(move |(at, note)| number(at) + &note.into_line())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(notes: &[&str]) -> (Vec<usize>, Vec<String>) {
        let mut all = Footnotes::default();
        let numbers = notes.iter().map(|note| all.number((*note).to_string())).collect();
        (numbers, all.into_lines(true).collect())
    }

    #[test]
    fn notes_that_differ_in_the_gpu_alone_are_one() {
        let (numbers, lines) = numbered(&["t4: short", "no counts", "l4: short", "t4: short", "t4: long"]);
        assert_eq!(numbers, [1, 2, 1, 1, 3]);
        assert_eq!(lines, ["[1] t4, l4: short", "[2] no counts", "[3] t4: long"]);
        let (numbers, lines) =
            numbered(&["saxpy n=4: t4: short", "dot n=4: t4: short", "saxpy n=4: l4: short"]);
        assert_eq!(numbers, [1, 2, 1]);
        assert_eq!(lines, ["[1] saxpy n=4: t4, l4: short", "[2] dot n=4: t4: short"]);
        let many: Vec<String> = (0..125).chain(0..9).map(|i| format!("gpu-{i}: short")).collect();
        let (numbers, lines) = numbered(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(numbers.iter().all(|number| *number == 1));
        assert_eq!(lines, ["[1] gpu-0, gpu-1, gpu-2 and 122 more: short"]);
        let (_, lines) = numbered(&[
            "t4 (70 W): short",
            "l4 (50 W, 2 GHz): short",
            "t4: short",
            "two (x): words (y): short",
        ]);
        assert_eq!(lines, ["[1] t4 (70 W), l4 (50 W, 2 GHz), t4: short", "[2] two (x): words (y): short"]);
    }

    #[test]
    fn numbers_of_a_cell_stand_in_their_order() {
        let mut all = Footnotes::default();
        let mut cell = |notes: &[&str]| {
            let list = notes.iter().map(|note| (*note).to_string()).collect();
            all.numbered(TableCell::List(list))
        };
        cell(&["a", "b", "c"]);
        assert_eq!(cell(&["d", "c", "a", "c"]), TableCell::Text("[1 3 4]".into()));
    }

    #[test]
    fn a_gpu_is_named_once_whatever_its_clocks() {
        let notes: Vec<String> = (0..9).map(|i| format!("t4 (70 W, {i} MHz): lower")).collect();
        let mut notes: Vec<&str> = notes.iter().map(String::as_str).collect();
        notes.extend(["l4 (70 W, 1 MHz): lower", "t4 (70 W, 0 MHz): lower", "t4: lower"]);
        let (numbers, lines) = numbered(&notes);
        assert!(numbers.iter().all(|number| *number == 1));
        assert_eq!(lines, ["[1] t4 (70 W, 0 MHz and 8 more), l4 (70 W, 1 MHz), t4: lower"]);
    }

    #[test]
    fn every_setting_of_a_gpu_is_named() {
        let (_, lines) = numbered(&[
            "t4 (70 W, SM 2 to 1 MHz): lower",
            "t4 (50 W, SM 3 to 1 MHz): lower",
            "t4 (50 W, SM 4 to 1 MHz): lower",
            "t4 (70 W): above",
            "t4 (50 W): above",
            "l4 (SM clock 1 MHz instead of 2 MHz, power limit 50 W instead of 70 W): set",
            "l4 (SM clock 1 MHz instead of 2 MHz, power limit 60 W instead of 70 W): set",
            "l4 (1 MiB of 48 MiB): fits",
            "l4 (2 MiB of 48 MiB): fits",
        ]);
        let set = "l4 (SM clock 1 MHz instead of 2 MHz, power limit";
        let expected = [
            "[1] t4 (70 W, SM 2 to 1 MHz), t4 (50 W, SM 3 to 1 MHz; SM 4 to 1 MHz): lower".to_string(),
            "[2] t4 (70 W), t4 (50 W): above".to_string(),
            format!("[3] {set} 50 W instead of 70 W), {set} 60 W instead of 70 W): set"),
            "[4] l4 (1 MiB of 48 MiB; 2 MiB of 48 MiB): fits".to_string(),
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_sentence_with_a_colon_names_no_gpu() {
        let (_, lines) = numbered(&["not counted: flops", "short", "t4: short", "counts contradict: flops"]);
        assert_eq!(
            lines,
            ["[1] not counted: flops", "[2] short", "[3] t4: short", "[4] counts contradict: flops"]
        );
    }
}
