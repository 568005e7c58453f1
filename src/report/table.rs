//! A table, and the four ways it is written.
//!
//! The text form looks like this; title and notes stand in the two forms for people only.
//!
//! ```text
//! titan-v → rtx-4070, components
//!
//! kernel  size           source     predicted
//! saxpy   n=1048576   24.6 µs ●    11.1 µs ◆
//!
//! [1] fits in L2
//! ```

use super::cell::TableCell;
pub use super::column::{Align, TableColumn};
use super::footnotes::{Footnotes, names_subject};
use super::stream::{StreamFormat, write_rows};
use crate::kernel::clip_apart;
use crate::text::{broken_lines, first_names, harmless_json};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Result, Write};
use unicode_width::UnicodeWidthStr;

/// JSON as every command prints it: indented, and without characters that a terminal or a reader takes for something else.
#[must_use]
pub fn pretty_json(value: &Value) -> String {
    harmless_json(&format!("{value:#}\n"))
}

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TableFormat {
    /// Aligned columns for a terminal.
    #[default]
    Table,
    /// An array of objects; numbers in full precision.
    Json,
    /// A header and rows; an absent value is empty, a list is joined with `; `.
    Csv,
    /// A pipe table.
    Markdown,
}

impl TableFormat {
    /// How programs read it; none where people do.
    #[must_use]
    pub fn for_programs(self) -> Option<StreamFormat> {
        match self {
            Self::Json => Some(StreamFormat::Json),
            Self::Csv => Some(StreamFormat::Csv),
            Self::Table | Self::Markdown => None,
        }
    }

    /// Whether a person reads it, so that units, marks and notes belong in it.
    #[must_use]
    pub fn is_for_people(self) -> bool {
        matches!(self, Self::Table | Self::Markdown)
    }
}

/// Columns, rows, and for people a title and notes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// Stands above the text forms; empty for none.
    pub title: String,
    /// The columns, in order.
    pub columns: Vec<TableColumn>,
    /// One cell per column.
    pub rows: Vec<Vec<TableCell>>,
    /// Stand under the text forms.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty table with these columns.
    #[must_use]
    pub fn new(columns: Vec<TableColumn>) -> Self {
        Self { columns, ..Self::default() }
    }

    /// The same table without some columns, and without the notes that explain them: those that begin with their name and a colon.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        self.notes.retain(|note| !explains_one_of(note, names));
        let keep: Vec<bool> = self.columns.iter().map(|c| !names.contains(&c.name)).collect();
        let kept = |i: usize| keep.get(i).copied().unwrap_or(true);
        let mut i = 0;
        self.columns.retain(|_| (kept(i), i += 1).0);
        for row in &mut self.rows {
            let mut i = 0;
            row.retain(|_| (kept(i), i += 1).0);
        }
        self
    }

    /// The same table for a screen of so many characters: columns are left out in this order until it fits, and a note says which.
    #[must_use]
    pub fn fitted(mut self, width: usize, least_needed: &[&str]) -> Self {
        let mut left_out: Vec<&str> = Vec::new();
        let rows_of_notes = self.rows_of_notes();
        // Nobody misses a column without anything in it.
        for name in least_needed.iter().filter(|name| **name != NOTES) {
            if self.text_width() > width && self.is_blank(name) {
                self = self.without(&[name]);
            }
        }
        for name in least_needed {
            if self.text_width() <= width {
                break;
            }
            if self.columns.iter().any(|c| c.name == *name) {
                self = self.without(&[name]);
                left_out.push(name);
                if *name == NOTES {
                    self.notes.iter_mut().for_each(|note| *note = note_of_rows(note, &rows_of_notes));
                }
            }
        }
        if !left_out.is_empty() {
            self.notes.push(left_out_note(width, &left_out));
        }
        self
    }

    /// The rows that each footnote's number stands in, by what their first column of words says; empty where all do.
    fn rows_of_notes(&self) -> HashMap<String, Vec<String>> {
        let place_of = |is_wanted: &dyn Fn(&TableColumn) -> bool| self.columns.iter().position(is_wanted);
        let names = place_of(&|column| column.align == Align::Left);
        let (Some(names), Some(notes)) = (names, place_of(&|column| column.name == NOTES)) else {
            return HashMap::new();
        };
        let mut rows_of: HashMap<String, Vec<String>> = HashMap::new();
        for row in &self.rows {
            let [name, numbers] = [names, notes].map(|at| row[at].for_people());
            for number in numbers.trim_matches(['[', ']']).split(' ') {
                rows_of.entry(number.into()).or_default().push(name.clone());
            }
        }
        rows_of.values_mut().filter(|rows| rows.len() == self.rows.len()).for_each(Vec::clear);
        rows_of
    }

    /// The same table with shorter texts in one column, without their middle, where its rows are wider than a screen of so many characters.
    #[must_use]
    pub fn shortened(mut self, width: usize, column: &str) -> Self {
        let Some(at) = self.columns.iter().position(|c| c.name == column) else { return self };
        let Some(over) = self.text_width().checked_sub(width).filter(|over| *over > 0) else { return self };
        let texts =
            || self.rows.iter().filter_map(|row| row.get(at)).map(|cell| one_line(&cell.for_people()));
        let longest = texts().map(|text| text.width()).max().unwrap_or(0);
        let most = shortened_width(longest, over, LEAST_NAME);
        let all: Vec<String> = texts().collect();
        let short = clip_apart(&all, most);
        for (row, text) in self.rows.iter_mut().zip(short) {
            row[at] = TableCell::Text(text);
        }
        self
    }

    /// Whether every row has nothing in this column.
    fn is_blank(&self, name: &str) -> bool {
        let at = self.columns.iter().position(|column| column.name == name);
        at.is_some_and(|at| self.rows.iter().all(|row| is_blank(&row[at].for_people())))
    }

    /// How wide the rows of [`Table::to_text`] are.
    fn text_width(&self) -> usize {
        let columns = (0..self.columns.len()).map(|at| self.column_width(at)).sum::<usize>();
        columns + 2 * self.columns.len().saturating_sub(1)
    }

    /// How wide a column of them is.
    fn column_width(&self, at: usize) -> usize {
        let cell_width = |cell: &TableCell| one_line(&cell.for_people()).width();
        let cells = self.rows.iter().filter_map(|row| row.get(at)).map(cell_width);
        cells.chain([self.columns[at].name.width()]).max().unwrap_or(0)
    }

    /// The same table with other headings, for people.
    #[must_use]
    pub fn renamed(mut self, names: &[(&str, &'static str)]) -> Self {
        for column in &mut self.columns {
            if let Some((_, new)) = names.iter().find(|(old, _)| *old == column.name) {
                column.name = new;
            }
        }
        self
    }

    /// Moves the texts of a column under the table, each once; `[1 3]` stands in its place.
    #[must_use]
    pub fn footnoted(mut self, column: &str) -> Self {
        let Some(at) = self.columns.iter().position(|c| c.name == column) else { return self };
        let mut footnotes = Footnotes::default();
        for cell in self.rows.iter_mut().filter_map(|row| row.get_mut(at)) {
            *cell = footnotes.numbered(std::mem::replace(cell, TableCell::Null));
        }
        let notes = footnotes.into_lines(true);
        self.notes = notes.chain(std::mem::take(&mut self.notes)).collect();
        self
    }

    /// [`Table::to_text`] on a screen of so many characters: words of the last column that have no room go on below, under their own; where
    /// too few have any, it and other wide columns of words stand in lines under each row.
    #[must_use]
    pub fn to_text_within(&self, width: usize) -> String {
        if self.text_width() <= width {
            return self.to_text();
        }
        let last = self.columns.len().saturating_sub(1);
        let is_of_words = self.columns.last().is_some_and(|column| column.align == Align::Left);
        if let Some(broken) = self.broken_in(last, width, LEAST_WORDS).filter(|_| is_of_words) {
            return broken.table.to_text();
        }
        let (mut rows, mut below) = (self.clone(), vec![String::new(); self.rows.len()]);
        while rows.text_width() > width {
            let Some(at) = rows.widest_column_of_words() else { break };
            let name = rows.columns[at].name;
            for (row, lines) in rows.rows.iter().zip(&mut below).filter(|(row, _)| row[at] != TableCell::Null)
            {
                lines.insert_str(0, &line_below(name, &one_line(&row[at].for_people()), ' ', Some(width)));
            }
            rows = rows.without(&[name]);
        }
        // Where that is not enough, words of any column go on below.
        match (0..rows.columns.len()).find_map(|at| rows.broken_in(at, width, LEAST_NAME)) {
            Some(broken) => broken.table.text_with_lines_below(&broken.spread(below)),
            None => rows.text_with_lines_below(&below),
        }
    }

    /// The same with rows of their own for the words of a column that have no room on a screen of so many characters; `None` where it has room,
    /// its words are too long to be broken, or it would be narrower than `least`.
    fn broken_in(&self, at: usize, width: usize, least: usize) -> Option<BrokenTable> {
        let over = self.text_width().checked_sub(width).filter(|over| *over > 0)?;
        let room = self.column_width(at).checked_sub(over).filter(|room| *room >= least)?;
        let mut broken = BrokenTable { table: Self { rows: Vec::new(), ..self.clone() }, lines: Vec::new() };
        for row in &self.rows {
            let lines = broken_lines(&one_line(&row[at].for_people()), ' ', [room; 2]);
            broken.lines.push(lines.len());
            let mut cells = row.clone();
            for line in lines {
                let empty = vec![TableCell::Text(String::new()); cells.len()];
                let mut before = std::mem::replace(&mut cells, empty);
                before[at] = TableCell::Text(line);
                broken.table.rows.push(before);
            }
        }
        Some(broken).filter(|broken| broken.table.text_width() <= width)
    }

    /// The widest column of words but the first, which names the row.
    fn widest_column_of_words(&self) -> Option<usize> {
        let of_words = (1..self.columns.len()).filter(|at| self.columns[*at].align == Align::Left);
        of_words.filter(|at| self.column_width(*at) > LEAST_NAME).max_by_key(|at| self.column_width(*at))
    }

    /// The table in this format; ends with a line break.
    #[must_use]
    pub fn render(&self, format: TableFormat) -> String {
        match format {
            TableFormat::Table => self.to_text(),
            TableFormat::Json => self.to_json(),
            TableFormat::Csv => self.to_csv(),
            TableFormat::Markdown => self.to_markdown(),
        }
    }

    /// Whether there is anything under its columns: without it, a table is its title and its notes.
    fn has_cells(&self) -> bool {
        !self.columns.is_empty() && !self.rows.is_empty()
    }

    /// Aligned columns, with title and notes.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.text_with_lines_below(&[])
    }

    /// [`Table::to_text`] with whole lines under each row.
    fn text_with_lines_below(&self, below: &[String]) -> String {
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|c| one_line(&c.for_people())).collect()).collect();
        let heading: Vec<String> = self.columns.iter().map(|c| c.name.to_string()).collect();
        let widths: Vec<usize> = (0..self.columns.len()).map(|at| self.column_width(at)).collect();
        let mut out = String::new();
        if !self.title.is_empty() {
            let below = if self.has_cells() { "\n\n" } else { "\n" };
            out.push_str(&format!("{}{below}", one_line(&self.title)));
        }
        if self.has_cells() {
            out.push_str(&text_line(&heading, &self.columns, &widths));
        }
        for (at, row) in rows.iter().enumerate().filter(|_| self.has_cells()) {
            out.push_str(&text_line(row, &self.columns, &widths));
            out.push_str(below.get(at).map_or("", String::as_str));
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            out.push_str(&format!("{}\n", one_line(note)));
        }
        out
    }

    /// Header and rows.
    #[must_use]
    pub fn to_csv(&self) -> String {
        self.streamed(StreamFormat::Csv)
    }

    /// An array of objects, keys in the order of the columns.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.streamed(StreamFormat::Json)
    }

    fn streamed(&self, format: StreamFormat) -> String {
        let mut out = Vec::new();
        self.stream(format, &mut out).expect("writing to memory cannot fail");
        String::from_utf8(out).expect("every cell is UTF-8")
    }

    /// Writes header and rows for programs, one by one.
    ///
    /// # Errors
    /// What the writer fails with.
    pub fn stream(&self, format: StreamFormat, out: impl Write) -> Result<()> {
        write_rows(out, &self.columns, format, &self.rows)
    }

    /// A pipe table, with title and notes.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            let below = if self.has_cells() { "\n\n" } else { "\n" };
            out.push_str(&format!("{}{below}", one_line(&self.title)));
        }
        if self.has_cells() {
            out.push_str(&markdown_head(&self.columns));
        }
        for row in &self.rows {
            out.push_str(&markdown_line(row.iter().map(TableCell::for_people)));
        }
        if !self.notes.is_empty() {
            out.push('\n');
        }
        for note in &self.notes {
            out.push_str(&format!("- {}\n", one_line(note)));
        }
        out
    }
}

/// A table whose rows go on below their own.
struct BrokenTable {
    table: Table,
    /// How many rows each row has become.
    lines: Vec<usize>,
}

impl BrokenTable {
    /// What stands under each row, under the last of what it has become.
    fn spread(&self, below: Vec<String>) -> Vec<String> {
        let under = |(text, lines): (String, &usize)| {
            std::iter::repeat_n(String::new(), lines.saturating_sub(1)).chain([text])
        };
        below.into_iter().zip(&self.lines).flat_map(under).collect()
    }
}

/// A line of aligned columns of these widths, with its end.
pub(super) fn text_line(row: &[String], columns: &[TableColumn], widths: &[usize]) -> String {
    let mut line = String::new();
    for ((text, column), width) in row.iter().zip(columns).zip(widths) {
        let gap = " ".repeat(width.saturating_sub(text.width()));
        let (before, after) =
            if column.align == Align::Right { (gap, String::new()) } else { (String::new(), gap) };
        line.push_str(&format!("{before}{text}{after}  "));
    }
    line.truncate(line.trim_end().len());
    line.push('\n');
    line
}

/// The first two lines of a pipe table.
pub(super) fn markdown_head(columns: &[TableColumn]) -> String {
    let rule = |c: &TableColumn| if c.align == Align::Right { "---:" } else { "---" };
    let rules: Vec<&str> = columns.iter().map(rule).collect();
    let names = columns.iter().map(|c| c.name.to_string());
    format!("{}| {} |\n", markdown_line(names), rules.join(" | "))
}

/// A line of a pipe table, with its end.
pub(super) fn markdown_line(cells: impl Iterator<Item = String>) -> String {
    let escaped = |text: String| one_line(&text).replace('\\', "\\\\").replace('|', "\\|");
    format!("| {} |\n", cells.map(escaped).collect::<Vec<_>>().join(" | "))
}

/// `  variant MWG=64;NWG=64`: what a row has no room for, broken behind this character into as many lines as the screen needs.
pub(super) fn line_below(name: &str, text: &str, at: char, screen: Option<usize>) -> String {
    let indent = " ".repeat(name.width() + 3);
    let room = screen.map_or(usize::MAX, |screen| screen.saturating_sub(indent.len()));
    let lines = broken_lines(text, at, [room; 2]);
    format!("  {name} {}\n", lines.join(&format!("\n{indent}")))
}

/// The column of footnotes' numbers.
const NOTES: &str = "notes";

/// A footnote with the names of its rows in place of the number that no column has any more; one that names its GPU without them.
fn note_of_rows(note: &str, rows_of_notes: &HashMap<String, Vec<String>>) -> String {
    let numbered = note.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    let numbered = numbered.filter(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
    let Some((number, text)) = numbered else { return note.to_string() };
    match rows_of_notes.get(number) {
        Some(rows) if !rows.is_empty() && !names_subject(text) => format!("{}: {text}", first_names(rows, 3)),
        _ => text.to_string(),
    }
}

/// Whether a note explains one of these columns: it begins with the name and a colon.
pub(super) fn explains_one_of(note: &str, names: &[&str]) -> bool {
    note.split_once(": ").is_some_and(|(name, _)| names.contains(&name))
}

/// Which columns a screen of so many characters goes without.
pub(super) fn left_out_note(width: usize, names: &[&str]) -> String {
    format!("left out to fit {width} characters: {}", names.join(", "))
}

/// A column of words is not made narrower than this.
const LEAST_WORDS: usize = 24;

/// A column of names is not made narrower than this.
pub(super) const LEAST_NAME: usize = 16;

/// How wide a column is that has to give so much of its width, and is not made narrower than `least`.
pub(super) fn shortened_width(width: usize, over: usize, least: usize) -> usize {
    width.saturating_sub(over).max(least).min(width)
}

/// Whether a cell says nothing.
pub(super) fn is_blank(text: &str) -> bool {
    matches!(text, "" | "-")
}

/// Names come from users' files: a control character must neither break the line nor reach the terminal.
pub(super) fn one_line(text: &str) -> String {
    crate::text::harmless_line(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_rows() -> Table {
        let mut t = Table::new(vec![
            TableColumn::left("name"),
            TableColumn::right("time_ms"),
            TableColumn::left("remarks"),
        ]);
        t.rows.push(vec![
            TableCell::text("a|b"),
            TableCell::shown(0.0245, "24.5 µs"),
            TableCell::List(vec!["x".into(), "y".into()]),
        ]);
        t.rows.push(vec![TableCell::text("ü\u{1b}[2J"), TableCell::Null, TableCell::List(Vec::new())]);
        t
    }

    #[test]
    fn footnotes_have_no_numbers_where_their_column_has_no_room() {
        let mut t = Table::new(["name", "notes"].map(TableColumn::left).to_vec());
        t.rows.push(vec![TableCell::text("n"), TableCell::List(vec!["first".into(), "second".into()])]);
        let narrow = t.footnoted("notes").fitted(4, &["notes"]);
        assert_eq!(narrow.notes, ["first", "second", "left out to fit 4 characters: notes"]);
    }

    #[test]
    fn text_is_aligned_by_what_is_seen_and_harmless_to_a_terminal() {
        let text = Table { title: "T".into(), notes: vec!["n".into()], ..two_rows() }.to_text();
        assert_eq!(
            text,
            "T\n\nname   time_ms  remarks\na|b    24.5 µs  x, y\nü\u{fffd}[2J        -  -\n\nn\n"
        );
    }

    #[test]
    fn a_column_that_is_left_out_is_not_explained() {
        let notes = ["time_ms: of a launch", "name: as typed", "note"].map(String::from).to_vec();
        let narrow = Table { notes, ..two_rows() }.fitted(14, &["time_ms"]);
        assert_eq!(narrow.notes[..2], ["name: as typed", "note"]);
        assert!(narrow.notes[2].contains("time_ms"), "{:?}", narrow.notes);
    }

    #[test]
    fn a_column_of_long_names_loses_their_middle_and_no_other_does() {
        let name = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64";
        let mut table = Table::new(vec![TableColumn::left("kernel"), TableColumn::left("size")]);
        for name in [name, "saxpy"] {
            table.rows.push(vec![TableCell::text(name), TableCell::text("n=1048576")]);
        }
        let lines = |width| table.clone().shortened(width, "kernel").to_text();
        assert_eq!(lines(80), table.to_text());
        let narrow = lines(40);
        assert!(narrow.lines().all(|line| line.width() <= 40), "{narrow}");
        for text in ["sm90_xmma_gemm…size128x128x64  n=1048576", "saxpy"] {
            assert!(narrow.contains(text), "{narrow}");
        }
        assert!(lines(10).contains("sm90_xmm…x128x64  n=1048576"), "{}", lines(10));
    }

    #[test]
    fn words_of_the_last_column_go_on_below_their_own_where_a_screen_has_no_room() {
        let mut table = Table::new(vec![TableColumn::right("time"), TableColumn::left("behind it")]);
        table
            .rows
            .push(vec![TableCell::text("24.6 µs"), TableCell::text("warps wait for loads and results")]);
        table.rows.push(vec![TableCell::text("8.9 µs"), TableCell::Null]);
        assert_eq!(table.to_text_within(41), table.to_text());
        let broken = "   time  behind it\n24.6 µs  warps wait for loads and\n         results\n 8.9 µs  -\n";
        assert_eq!(table.to_text_within(33), broken);
        let below = "   time\n24.6 µs\n  behind it warps wait for\n            loads and\n            results\n 8.9 µs\n";
        table.columns[0] = TableColumn::left("time");
        assert_eq!(table.to_text_within(28), below.replace(" 8.9 µs", "8.9 µs").replace("   time", "time"));
    }

    #[test]
    fn words_of_any_column_go_on_below_where_nothing_else_gives_way() {
        let columns = [TableColumn::left("field"), TableColumn::right("value"), TableColumn::left("note")];
        let row = |name: &str, note: &str| {
            vec![TableCell::text(name), TableCell::text("64"), TableCell::text(note)]
        };
        let rows = vec![row("integer multiply-add lanes", "as compute capability 9.0"), row("SMs", "")];
        let table = Table { rows, ..Table::new(columns.to_vec()) };
        let broken = "field                 value\ninteger multiply-add     64\nlanes\n  note as compute\n       capability 9.0\nSMs                      64\n  note\n";
        let shown = table.to_text_within(27);
        assert!(shown.lines().all(|line| line.width() <= 27), "{shown}");
        assert_eq!(shown.replace("  note\n", ""), broken.replace("  note\n", ""));
    }

    #[test]
    fn a_column_without_anything_in_it_goes_first_and_is_not_named() {
        let columns = ["name", "error", "bound"].map(TableColumn::left);
        let row = |name: &str| vec![TableCell::text(name), TableCell::Null, TableCell::text("DRAM")];
        let table = Table { rows: vec![row("saxpy"), row("dot")], ..Table::new(columns.to_vec()) };
        let fitted = table.clone().fitted(12, &["bound", "error"]);
        assert_eq!(fitted.to_text(), "name   bound\nsaxpy  DRAM\ndot    DRAM\n");
        assert_eq!(table.clone().fitted(40, &["bound", "error"]), table);
    }

    #[test]
    fn notes_without_their_column_say_whose_they_are() {
        let mut table = Table::new(["GPU", "notes"].map(TableColumn::left).to_vec());
        for (gpu, notes) in [
            ("L4", vec!["short", "l4 (9 W, 2 GHz), a2: slow"]),
            ("T4", vec!["short"]),
            ("A10", vec!["long", "short"]),
        ] {
            let notes = notes.into_iter().map(String::from).collect();
            table.rows.push(vec![TableCell::text(gpu), TableCell::List(notes)]);
        }
        table.notes.push("legend".into());
        let narrow = table.footnoted("notes").fitted(4, &["notes"]);
        let left_out = "left out to fit 4 characters: notes";
        assert_eq!(narrow.notes, ["short", "l4 (9 W, 2 GHz), a2: slow", "A10: long", "legend", left_out]);
    }

    #[test]
    fn json_keeps_order_numbers_and_nulls() {
        let rows: Value = serde_json::from_str(&two_rows().to_json()).unwrap();
        assert_eq!(rows[0].as_object().unwrap().keys().collect::<Vec<_>>(), ["name", "time_ms", "remarks"]);
        assert_eq!((rows[0]["time_ms"].as_f64(), rows[1]["time_ms"].is_null()), (Some(0.0245), true));
        assert_eq!(rows[0]["remarks"], serde_json::json!(["x", "y"]));
        assert_eq!(Table::default().to_json(), "[]\n");
        assert_eq!(TableCell::number(46).for_json().to_string(), "46");
        assert_eq!(TableCell::number(f64::NAN).for_json(), Value::Null);
    }

    #[test]
    fn csv_has_one_empty_field_per_absent_value() {
        assert_eq!(two_rows().to_csv(), "name,time_ms,remarks\na|b,0.0245,x | y\nü�[2J,,\n");
    }

    #[test]
    fn markdown_escapes_what_would_split_a_cell() {
        let text = two_rows().to_markdown();
        assert!(
            text.starts_with(
                "| name | time_ms | remarks |\n| --- | ---: | --- |\n| a\\|b | 24.5 µs | x, y |\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn a_footnote_is_printed_once_and_goes_before_the_other_notes() {
        let mut t = two_rows();
        t.rows[1][2] = TableCell::List(vec!["y".into(), "z".into()]);
        t.notes.push("legend".into());
        let t = t.footnoted("remarks").renamed(&[("remarks", "notes")]);
        assert_eq!((&t.rows[0][2], &t.rows[1][2]), (&TableCell::text("[1 2]"), &TableCell::text("[2 3]")));
        assert_eq!(t.notes, ["[1] x", "[2] y", "[3] z", "legend"]);
        assert_eq!(t.columns[2].name, "notes");
    }

    #[test]
    fn a_table_is_made_to_fit_and_says_what_is_missing() {
        let t = two_rows();
        assert_eq!(t.clone().fitted(80, &["remarks"]), t);
        let narrow = t.clone().fitted(16, &["remarks", "time_ms"]);
        assert_eq!(narrow.columns.len(), 2);
        assert_eq!(narrow.notes, ["left out to fit 16 characters: remarks"]);
        assert_eq!(t.fitted(3, &["remarks", "time_ms"]).columns.len(), 1);
    }

    #[test]
    fn a_column_can_be_left_out() {
        assert_eq!(two_rows().without(&["time_ms"]).to_csv(), "name,remarks\na|b,x | y\nü�[2J,\n");
    }
}
