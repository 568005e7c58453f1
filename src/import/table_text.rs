//! Tables as spreadsheets save them, as the tables that they were made of: columns separated by `;` or tabs as separated by commas, and
//! lines that end in carriage returns as lines.

use super::decoded::PieceReader;
use std::io::{BufRead, BufReader, Read, Result as IoResult};

/// The longest line whose separators are looked at; readers refuse longer ones.
const LONGEST_LINE: u64 = 1 << 20;

/// How much text is made at once.
const PIECE: usize = 16 << 10;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TextForm {
    separator: u8,
    line_end: u8,
}

impl TextForm {
    /// The form of a file that begins like this; `None` where readers know it as it stands, or in no form.
    pub(super) fn from_head(head: &[u8], is_known: impl Fn(&[u8]) -> bool) -> Option<Self> {
        let has = |byte: u8| memchr::memchr(byte, head).is_some();
        if head.is_empty() || has(0) {
            return None;
        }
        let line_end = if has(b'\r') && !has(b'\n') { b'\r' } else { b'\n' };
        if line_end == b'\n' && is_known(head) {
            return None;
        }
        let forms = [b',', b';', b'\t'].map(|separator| Self { separator, line_end });
        let fits = |form: &Self| has(form.separator) && is_known(&form.rewritten(head));
        // What nobody knows is read line by line all the same.
        forms.into_iter().find(fits).or((line_end == b'\r').then_some(forms[0]))
    }

    fn rewritten(self, head: &[u8]) -> Vec<u8> {
        let (mut out, mut quoted) = (Vec::with_capacity(head.len()), false);
        head.split_inclusive(|b| *b == self.line_end)
            .for_each(|line| self.rewrite(line, &mut quoted, &mut out));
        out
    }

    /// The text of this reader with commas and line feeds.
    pub(super) fn reader<'a>(self, from: impl Read + Send + 'a) -> Box<dyn Read + Send + 'a> {
        let (mut from, mut quoted, mut line) = (BufReader::new(from), false, Vec::new());
        Box::new(PieceReader::new(move || -> IoResult<Vec<u8>> {
            let mut out = Vec::new();
            while out.len() < PIECE {
                line.clear();
                if from.by_ref().take(LONGEST_LINE).read_until(self.line_end, &mut line)? == 0 {
                    break;
                }
                self.rewrite(&line, &mut quoted, &mut out);
            }
            Ok(out)
        }))
    }

    /// Appends a line; `quoted` says whether it begins within quotation marks, and then whether it ends so.
    fn rewrite(self, line: &[u8], quoted: &mut bool, out: &mut Vec<u8>) {
        let has_end = line.last() == Some(&self.line_end);
        let line = &line[..line.len() - usize::from(has_end)];
        let (line, end) = line.strip_suffix(b"\r").map_or((line, &b""[..]), |line| (line, &b"\r"[..]));
        // Words between the rows of a table have quotation marks as they like.
        let is_row = *quoted || line.first() == Some(&b'"') || memchr::memchr(self.separator, line).is_some();
        if self.separator == b',' || !is_row {
            out.extend_from_slice(line);
        } else {
            self.rewrite_cells(line, quoted, out);
        }
        out.extend_from_slice(end);
        out.extend(has_end.then_some(b'\n'));
    }

    fn rewrite_cells(self, line: &[u8], quoted: &mut bool, out: &mut Vec<u8>) {
        let mut start = 0;
        for at in memchr::memchr2_iter(b'"', self.separator, line) {
            if line[at] == b'"' {
                *quoted = !*quoted;
            } else if !*quoted {
                push_cell(&line[start..at], out);
                out.push(b',');
                start = at + 1;
            }
        }
        push_cell(&line[start..], out);
    }
}

/// A cell with a comma needs quotation marks now: `(256, 1, 1)`, `0,5`.
fn push_cell(cell: &[u8], out: &mut Vec<u8>) {
    let needs_marks = memchr::memchr(b',', cell).is_some() && memchr::memchr(b'"', cell).is_none();
    let marks = &b"\""[..usize::from(needs_marks)];
    [marks, cell, marks].into_iter().for_each(|part| out.extend_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_known(head: &[u8]) -> bool {
        head.starts_with(b"a,b\n") || head.starts_with(b"a,b\r\n")
    }

    /// As a reader of tables sees it.
    fn seen(text: &str) -> String {
        let mut out = String::new();
        match TextForm::from_head(text.as_bytes(), is_known) {
            Some(form) => form.reader(text.as_bytes()).read_to_string(&mut out).unwrap(),
            None => text.as_bytes().read_to_string(&mut out).unwrap(),
        };
        out
    }

    #[test]
    fn a_table_is_the_same_whatever_separates_its_columns_and_lines() {
        for (text, read) in [
            ("a;b\n1;(2, 3)\n", "a,b\n1,\"(2, 3)\"\n"),
            ("a\tb\r\n1\t0,5\r\n", "a,b\r\n1,\"0,5\"\r\n"),
            ("a;b\n\"x;y\";\"2,\"\"3\"\n", "a,b\n\"x;y\",\"2,\"\"3\"\n"),
            ("a;b\n\"x\ny;z\";3", "a,b\n\"x\ny;z\",3"),
            ("a;b\nsays, \"no\n1;2\n", "a,b\nsays, \"no\n1,2\n"),
            ("a,b\r1,2\r", "a,b\n1,2\n"),
            ("a;b\r1;2", "a,b\n1,2"),
            ("a,b\n1;2,3\n", "a,b\n1;2,3\n"),
            ("c;b\n1;2\n", "c;b\n1;2\n"),
            ("c\rd", "c\nd"),
            ("", ""),
        ] {
            assert_eq!(seen(text), read, "{text:?}");
        }
        let long = format!("a;b\n{}", "1;(2, 3)\n".repeat(20_000));
        assert_eq!(seen(&long), format!("a,b\n{}", "1,\"(2, 3)\"\n".repeat(20_000)));
        assert_eq!(TextForm::from_head(b"a;b\r\0", is_known), None, "no text");
    }
}
