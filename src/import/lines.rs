//! Text reports line by line, and tables in them: what every importer of text checks in the same way.

use super::records::Records;
use super::{ImportJob, ImportRefusal};
use crate::measurement::{LONGEST_MS, ReadError, is_column, wrong_width_text};
use std::io::BufRead;

/// A refusal of this column.
pub(super) fn refusal(column: &str, why: impl Into<String>) -> ImportRefusal {
    (clipped_cell(column), why.into())
}

/// A field short enough for a message.
pub(super) fn clipped_cell(text: &str) -> String {
    crate::text::clipped_text(text, 60)
}

/// Whether the head of a file holds all of these words.
pub(super) fn has_all(head: &[u8], words: &[&str]) -> bool {
    words.iter().all(|w| head.windows(w.len()).any(|at| at == w.as_bytes()))
}

/// The lines of a report as text; see [`Records`] for what no line may hold.
pub(super) struct Lines<'a> {
    records: Records<'a>,
    text: String,
}

impl<'a> Lines<'a> {
    pub(super) fn new(reader: &'a mut dyn BufRead, job: &'a ImportJob<'a>) -> Self {
        Self { records: Records::new(reader, job), text: String::new() }
    }

    /// The next line with its number, without its end; bytes that are no UTF-8 become U+FFFD, which [`TableRow::cut`] refuses.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &str)>, ReadError> {
        let Some(line) = self.records.next_line()? else { return Ok(None) };
        self.text.clear();
        self.text.push_str(&String::from_utf8_lossy(line));
        Ok(Some((self.records.line_number(), self.text.trim_end_matches('\r'))))
    }
}

/// The names of a table's columns.
#[derive(Debug, Default, Clone)]
pub(super) struct TableHeader(Vec<String>);

impl TableHeader {
    /// From the line that names them.
    pub(super) fn cut(line: &str) -> Self {
        Self(cells(line).map(str::to_string).collect())
    }

    /// The names, in order.
    pub(super) fn names(&self) -> &[String] {
        &self.0
    }

    /// Where this column stands.
    pub(super) fn column_named(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|n| n == name)
    }

    /// Where this column stands, if it does; then it must stand there once.
    pub(super) fn once(&self, name: &str, job: &ImportJob<'_>) -> Result<Option<usize>, ReadError> {
        self.column_named(name).map(|_| self.need(name, job)).transpose()
    }

    /// Where this column stands, in a file that is nothing without it; it must stand there once.
    pub(super) fn need(&self, name: &str, job: &ImportJob<'_>) -> Result<usize, ReadError> {
        let mut places = self.0.iter().enumerate().filter(|(_, n)| *n == name).map(|(i, _)| i);
        let seen = || crate::text::clipped_text(self.0.join(","), 120);
        let first = places
            .next()
            .ok_or_else(|| job.read_error(format!("no column `{name}`; the header names: {}", seen())))?;
        match places.next() {
            None => Ok(first),
            Some(_) => Err(job.read_error(format!("column `{name}` stands twice; keep one"))),
        }
    }
}

/// One row of a table.
pub(super) struct TableRow<'l> {
    header: &'l TableHeader,
    cells: Vec<&'l str>,
}

impl<'l> TableRow<'l> {
    /// Cuts a line at its commas.
    pub(super) fn cut(header: &'l TableHeader, line: &'l str) -> Result<Self, ImportRefusal> {
        if line.contains('\u{fffd}') {
            return Err(refusal("row", "is not UTF-8; save the file as UTF-8"));
        }
        let cells: Vec<&str> = cells(line).collect();
        let (found, expected) = (cells.len(), header.0.len());
        if found != expected {
            return Err(refusal("row", wrong_width_text(found, expected, false)));
        }
        Ok(Self { header, cells })
    }

    /// The text of a column; blank where there is no such column.
    pub(super) fn text_at(&self, at: Option<usize>) -> &'l str {
        at.map_or("", |at| self.cells[at])
    }

    /// The text of a column that must not be blank.
    pub(super) fn word_at(&self, at: usize) -> Result<&'l str, ImportRefusal> {
        match self.cells[at] {
            "" => Err(refusal(&self.header.0[at], "is blank; expected a name")),
            word => Ok(word),
        }
    }

    /// The number of a column; blank, `N/A` and `[N/A]` are unknown.
    pub(super) fn number_at(&self, at: usize) -> Result<Option<f64>, ImportRefusal> {
        read_number(self.cells[at], &self.header.0[at])
    }

    /// The number of a column, where there is one: a spread of one sample is printed as `inf` or `nan`, and unknown.
    pub(super) fn loose_number(&self, at: Option<usize>) -> Option<f64> {
        self.text_at(at).parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0)
    }

    /// A whole number of at least 1.
    pub(super) fn size(&self, at: usize) -> Result<u64, ImportRefusal> {
        let text = self.cells[at];
        let size = text.parse::<u64>().ok().filter(|n| (1..=1 << 53).contains(n));
        size.ok_or_else(|| {
            refusal(
                &self.header.0[at],
                format!("`{}`: expected a whole number from 1 to 2^53", clipped_cell(text)),
            )
        })
    }

    /// A time in units of this many milliseconds; blank is unknown.
    pub(super) fn time_ms(&self, at: usize, unit_ms: f64) -> Result<Option<f64>, ImportRefusal> {
        let Some(time) = self.number_at(at)? else { return Ok(None) };
        let ms = time * unit_ms;
        if ms > 0.0 && ms <= LONGEST_MS {
            return Ok(Some(ms));
        }
        Err(refusal(&self.header.0[at], format!("{time:?}: expected a time above 0 and below eleven days")))
    }
}

/// A number of at least 0; blank, `N/A` and `[N/A]` are unknown.
pub(super) fn read_number(text: &str, column: &str) -> Result<Option<f64>, ImportRefusal> {
    if matches!(text, "" | "N/A" | "[N/A]" | "n/a") {
        return Ok(None);
    }
    let number = text.parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
    let why =
        || refusal(column, format!("`{}`: expected a number of at least 0, or blank", clipped_cell(text)));
    number.map(Some).ok_or_else(why)
}

/// The fields of a line. The programs read here quote nothing; a spreadsheet that saved the file again may have.
pub(super) fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(',').map(|cell| {
        let cell = cell.trim();
        cell.strip_prefix('"').and_then(|c| c.strip_suffix('"')).unwrap_or(cell)
    })
}

/// `Axis Size` -> `axis_size`: a problem key.
pub(super) fn snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.trim_end_matches('_').to_string()
}

/// The name of a further column: never one of the canonical columns, whose meaning it need not have.
pub(super) fn attribute(name: &str) -> String {
    let snake = snake(name);
    if is_column(&snake) { snake + "_as_read" } else { snake }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_keys_and_never_canonical_columns() {
        assert_eq!(snake("Axis Size"), "axis_size");
        assert_eq!(snake("T{ct}"), "t_ct");
        assert_eq!(attribute("Grid"), "grid_as_read");
        assert_eq!(attribute("Time (ms)"), "time_ms_as_read");
        assert_eq!(attribute("GFLOP/s"), "gflop_s");
    }
}
