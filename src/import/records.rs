//! Lines and their quoted fields, one at a time and bounded: a report of any size takes the room of one line.

use super::ImportJob;
use crate::measurement::{ReadError, UNCLOSED_QUOTE};
use std::io::BufRead;

/// The longest line; kernel names can reach 512 KiB, and a raw page has thousands of columns.
const LONGEST_LINE: usize = 1 << 20;

/// How many lines a quoted field may span.
const MOST_LINES: usize = 64;

/// A report as lines of comma-separated fields.
pub(super) struct Records<'a> {
    from: &'a mut dyn BufRead,
    job: &'a ImportJob<'a>,
    line: Vec<u8>,
    /// Number of the last line read; the first is 1.
    at: u64,
}

impl<'a> Records<'a> {
    pub(super) fn new(from: &'a mut dyn BufRead, job: &'a ImportJob<'a>) -> Self {
        Self { from, job, line: Vec::new(), at: 0 }
    }

    /// The number of the line that was read last.
    pub(super) fn line_number(&self) -> u64 {
        self.at
    }

    /// The next line without its end; `None` after the last.
    pub(super) fn next_line(&mut self) -> Result<Option<&[u8]>, ReadError> {
        self.line.clear();
        Ok(if self.append()? { Some(&self.line) } else { None })
    }

    /// The line that was read last.
    pub(super) fn last_line(&self) -> &[u8] {
        &self.line
    }

    /// Splits the line that was read last, and takes in further lines where a quoted field goes on.
    pub(super) fn split(&mut self, fields: &mut Fields) -> Result<(), ReadError> {
        let first = self.at;
        while !fields.split(&self.line) {
            self.line.push(b'\n');
            if self.at - first >= MOST_LINES as u64 || !self.append()? {
                let what = format!("{UNCLOSED_QUOTE}, or export the report again");
                return Err(self.job.read_error(format!("line {first}: {what}")));
            }
        }
        Ok(())
    }

    /// Appends the next line; false at the end of the file.
    fn append(&mut self) -> Result<bool, ReadError> {
        if self.at.is_multiple_of(256) && self.job.is_cancelled() {
            return Err(self.job.read_error("cancelled"));
        }
        let mut any = false;
        loop {
            let chunk =
                self.from.fill_buf().map_err(|e| self.job.read_error(format!("cannot be read: {e}")))?;
            if chunk.is_empty() {
                break;
            }
            let end = chunk.iter().position(|b| *b == b'\n');
            let piece = &chunk[..end.unwrap_or(chunk.len())];
            (any, self.at) = (true, self.at + u64::from(!any));
            check_piece(piece, self.line.len())
                .map_err(|why| self.job.read_error(format!("line {} {why}", self.at)))?;
            self.line.extend_from_slice(piece);
            let taken = piece.len() + usize::from(end.is_some());
            self.from.consume(taken);
            if end.is_some() {
                break;
            }
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        if any && self.at == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        Ok(any)
    }
}

/// What no text report contains.
fn check_piece(piece: &[u8], before: usize) -> Result<(), &'static str> {
    if before + piece.len() > LONGEST_LINE {
        return Err("is longer than 1 MiB; expected a report with one launch or metric per line");
    }
    if piece.contains(&0) {
        return Err("contains a NUL byte: this is a binary file or UTF-16; save it as UTF-8");
    }
    Ok(())
}

/// The fields of one line, unquoted.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    /// Splits at commas outside of quotation marks; inside, two of them are one. False where the last is not closed.
    fn split(&mut self, line: &[u8]) -> bool {
        self.bytes.clear();
        self.ends.clear();
        let (mut quoted, mut i) = (false, 0);
        while i < line.len() {
            let rest = &line[i..];
            let run = rest.iter().position(|b| matches!(b, b'"' | b',')).unwrap_or(rest.len());
            self.bytes.extend_from_slice(&rest[..run]);
            match rest.get(run..) {
                Some([b'"', b'"', ..]) if quoted => {
                    self.bytes.push(b'"');
                    i += 1;
                }
                Some([b'"', ..]) => quoted = !quoted,
                Some([b',', ..]) if !quoted => self.ends.push(self.bytes.len()),
                Some([b',', ..]) => self.bytes.push(b','),
                _ => {}
            }
            i += run + 1;
        }
        self.ends.push(self.bytes.len());
        !quoted
    }

    /// Splits a line of a printed table at its columns, the last to the end of the line; thousands separators of numbers are
    /// dropped.
    pub(super) fn split_at_columns(&mut self, line: &[u8], columns: &[(usize, usize)]) {
        self.bytes.clear();
        self.ends.clear();
        for (place, (start, end)) in columns.iter().enumerate() {
            let is_last = place + 1 == columns.len();
            let end = if is_last { line.len() } else { (*end).min(line.len()) };
            let cell = line.get((*start).min(end)..end).unwrap_or_default().trim_ascii();
            let is_number = cell.iter().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'.'));
            self.bytes.extend(cell.iter().filter(|b| !(is_number && **b == b',')));
            self.ends.push(self.bytes.len());
        }
    }

    /// How much room it takes.
    pub(super) fn bytes_len(&self) -> usize {
        self.bytes.len() + std::mem::size_of_val(self.ends.as_slice())
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// This field; empty where there is none.
    pub(super) fn bytes_at(&self, at: usize) -> &[u8] {
        let Some(end) = self.ends.get(at) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..*end]
    }

    /// This field as text without blanks around it; `None` where it is not UTF-8.
    pub(super) fn text_at(&self, at: usize) -> Option<&str> {
        std::str::from_utf8(self.bytes_at(at)).ok().map(str::trim)
    }

    /// Where the field with this very text stands.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        (0..self.len()).find(|i| self.text_at(*i) == Some(name))
    }
}

/// The beginning of a file as lines, for whoever recognises formats; the last may be cut off.
pub(super) fn head_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    text.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImportJob;
    use crate::progress::Progress;

    fn all(text: &[u8]) -> Result<Vec<Vec<String>>, ReadError> {
        let strings = Progress::default();
        let job = ImportJob::new("report.csv", &strings);
        let mut from = text;
        let mut records = Records::new(&mut from, &job);
        let (mut fields, mut out) = (Fields::default(), Vec::new());
        while records.next_line()?.is_some() {
            records.split(&mut fields)?;
            out.push((0..fields.len()).map(|i| fields.text_at(i).unwrap_or("?").to_string()).collect());
        }
        Ok(out)
    }

    #[test]
    fn quotes_commas_line_ends_and_a_field_over_two_lines() {
        let read = all(b"\xef\xbb\xbf\"a,b\",c\r\n\"say \"\"no\"\"\",\n\"one\ntwo\",3").unwrap();
        assert_eq!(read, [vec!["a,b", "c"], vec!["say \"no\"", ""], vec!["one\ntwo", "3"]]);
    }

    #[test]
    fn what_never_ends_is_refused() {
        assert!(all(b"\"open\nand open").unwrap_err().message.contains("line 1: a quotation mark"));
        assert!(all(&vec![b'x'; LONGEST_LINE + 1]).unwrap_err().message.contains("longer than 1 MiB"));
        assert!(all(b"a\nb\0c").unwrap_err().message.contains("line 2 contains a NUL byte"));
    }
}
