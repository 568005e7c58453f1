//! A table for people of any number of rows: how wide a column is says its longest cell, so that all rows are written down before
//! the first is printed.

use super::cell::TableCell;
use super::footnotes::Footnotes;
use super::spool::Spool;
use super::table::{
    TableColumn, TableFormat, left_out_note, markdown_head, markdown_line, one_line, shortened_width,
    text_line,
};
use crate::kernel::clip_middle;
use std::io::{BufReader, BufWriter, Read, Result, Write};
use unicode_width::UnicodeWidthStr;

/// Rows with their column widths and footnotes; one column has texts that stand under the table, each once.
#[derive(Debug)]
pub(super) struct SpooledTable {
    columns: Vec<TableColumn>,
    footnoted: &'static str,
    widths: Vec<usize>,
    rows: BufWriter<Spool>,
    count: usize,
    footnotes: Footnotes,
}

/// A column wider than this may stand under its rows.
const WIDE: usize = 16;

/// What stands around the rows.
#[derive(Debug, Default)]
pub(super) struct TableFrame<'a> {
    /// Above the rows; blank = nothing.
    pub(super) title: String,
    /// Columns that are left out.
    pub(super) hidden: &'a [&'a str],
    /// A column that no row can go without: where it is wide and the rows have no room for it, it stands in a line under each.
    pub(super) under_rows: Option<&'a str>,
    /// Columns that are left out in turn until the rows are as wide as the screen.
    pub(super) least_needed: &'a [&'a str],
    /// A column whose texts lose their middle where the rows have no room even then.
    pub(super) shortened: Option<&'a str>,
    /// How wide the screen is; `None` = any width.
    pub(super) screen: Option<usize>,
    /// Under the footnotes, a line each; `None` = nothing stands under the rows.
    pub(super) notes: Option<Spool>,
}

impl SpooledTable {
    pub(super) fn new(columns: Vec<TableColumn>, footnoted: &'static str) -> Self {
        let widths = columns.iter().map(|column| column.name.width()).collect();
        let rows = BufWriter::new(Spool::default());
        Self { columns, footnoted, widths, rows, count: 0, footnotes: Footnotes::default() }
    }

    /// Adds a row, a cell for every column.
    pub(super) fn push(&mut self, row: Vec<TableCell>) -> Result<()> {
        for ((cell, column), width) in row.into_iter().zip(&self.columns).zip(&mut self.widths) {
            let cell = if column.name == self.footnoted { self.footnotes.numbered(cell) } else { cell };
            let text = one_line(&cell.for_people());
            *width = text.width().max(*width);
            write_text(&mut self.rows, &text)?;
        }
        self.count += 1;
        Ok(())
    }

    /// Writes the table.
    pub(super) fn write(
        mut self,
        frame: TableFrame<'_>,
        format: TableFormat,
        out: &mut dyn Write,
    ) -> Result<()> {
        let under = self.column_under_rows(&frame);
        let (is_shown, left_out) = self.columns_that_fit(&frame, under);
        let short = self.shortened_column(&frame, &is_shown);
        if let Some((at, width)) = short {
            self.widths[at] = width;
        }
        let shown = |at: &usize| is_shown[*at];
        let (columns, widths): (Vec<TableColumn>, Vec<usize>) =
            (0..self.columns.len()).filter(shown).map(|at| (self.columns[at], self.widths[at])).unzip();
        let is_markdown = format == TableFormat::Markdown;
        if !frame.title.is_empty() {
            writeln!(out, "{}{}", one_line(&frame.title), if self.count > 0 { "\n" } else { "" })?;
        }
        // Without rows it is its title and its notes, as every table.
        if self.count > 0 {
            let names: Vec<String> = columns.iter().map(|c| c.name.to_string()).collect();
            let head =
                if is_markdown { markdown_head(&columns) } else { text_line(&names, &columns, &widths) };
            out.write_all(head.as_bytes())?;
        }
        let rows = self.rows.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        let mut rows = BufReader::new(rows.into_reader()?);
        for _ in 0..self.count {
            let all = is_shown.iter().map(|shown| Ok((*shown, read_text(&mut rows)?)));
            let mut all: Vec<(bool, String)> = all.collect::<Result<_>>()?;
            if let Some((at, width)) = short {
                all[at].1 = clip_middle(&all[at].1, width);
            }
            let below = under.map(|at| format!("  {} {}\n", self.columns[at].name, all[at].1));
            let cells = all.into_iter().filter(|(shown, _)| *shown).map(|(_, text)| text);
            let line = match is_markdown {
                true => markdown_line(cells),
                false => text_line(&cells.collect::<Vec<_>>(), &columns, &widths),
            };
            out.write_all(line.as_bytes())?;
            out.write_all(below.unwrap_or_default().as_bytes())?;
        }
        let Some(mut notes) = frame.notes else { return Ok(()) };
        if let Some(note) = left_out {
            writeln!(notes, "{note}")?;
        }
        writeln!(out)?;
        write_notes(self.footnotes, notes, is_markdown, out)
    }

    /// The place of the column that stands under each row, if it must.
    fn column_under_rows(&self, frame: &TableFrame<'_>) -> Option<usize> {
        let (screen, name) = (frame.screen?, frame.under_rows?);
        let shown = |name: &str| !frame.hidden.contains(&name);
        let at = self.columns.iter().position(|column| column.name == name && shown(name))?;
        let all: Vec<bool> = self.columns.iter().map(|column| shown(column.name)).collect();
        (self.widths[at] > WIDE && self.row_width(&all) > screen).then_some(at)
    }

    /// How wide a row of these columns is.
    fn row_width(&self, is_shown: &[bool]) -> usize {
        let widths = self.widths.iter().zip(is_shown).filter(|(_, shown)| **shown);
        let (count, sum) = widths.fold((0, 0), |(count, sum), (width, _)| (count + 1, sum + width));
        sum + 2 * usize::saturating_sub(count, 1)
    }

    /// The column that is shortened, and how wide it is then.
    fn shortened_column(&self, frame: &TableFrame<'_>, is_shown: &[bool]) -> Option<(usize, usize)> {
        let at = self.columns.iter().position(|column| Some(column.name) == frame.shortened)?;
        let over = self.row_width(is_shown).checked_sub(frame.screen?)?;
        Some((at, shortened_width(self.widths[at], over)))
    }

    /// Which columns stand in the rows, and what is said of those that had no room.
    fn columns_that_fit(&self, frame: &TableFrame<'_>, under: Option<usize>) -> (Vec<bool>, Option<String>) {
        let mut is_shown: Vec<bool> = self.columns.iter().map(|c| !frame.hidden.contains(&c.name)).collect();
        if let Some(at) = under {
            is_shown[at] = false;
        }
        let Some(screen) = frame.screen else { return (is_shown, None) };
        let mut left_out: Vec<&str> = Vec::new();
        for name in frame.least_needed {
            if self.row_width(&is_shown) <= screen {
                break;
            }
            let at = self.columns.iter().position(|column| column.name == *name);
            if let Some(at) = at.filter(|at| is_shown[*at]) {
                is_shown[at] = false;
                left_out.push(name);
            }
        }
        let note = left_out_note(screen, &left_out);
        (is_shown, note)
    }
}

/// Footnotes with their numbers, then the other notes.
fn write_notes(footnotes: Footnotes, notes: Spool, is_markdown: bool, out: &mut dyn Write) -> Result<()> {
    let mark = if is_markdown { "- " } else { "" };
    for line in footnotes.into_lines() {
        writeln!(out, "{mark}{}", one_line(&line))?;
    }
    for note in std::io::BufRead::lines(BufReader::new(notes.into_reader()?)) {
        writeln!(out, "{mark}{}", note?)?;
    }
    Ok(())
}

fn write_text(out: &mut impl Write, text: &str) -> Result<()> {
    let length = u32::try_from(text.len()).map_err(std::io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(text.as_bytes())
}

fn read_text(from: &mut impl Read) -> Result<String> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut text = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut text)?;
    String::from_utf8(text).map_err(std::io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::super::table::Table;
    use super::*;

    /// The same rows as a [`Table`] and as a spooled one, in both forms.
    fn both(rows: &[Vec<TableCell>], format: TableFormat) -> [String; 2] {
        let columns = [TableColumn::left("name"), TableColumn::right("ms"), TableColumn::left("notes")];
        let table = Table {
            title: "T\u{1b}".into(),
            rows: rows.to_vec(),
            notes: vec!["legend".into()],
            ..Table::new(columns.to_vec())
        };
        let mut spooled = SpooledTable::new(columns.to_vec(), "notes");
        rows.iter().for_each(|row| spooled.push(row.clone()).unwrap());
        let mut notes = Spool::default();
        notes.write_all(b"legend\n").unwrap();
        let mut out = Vec::new();
        let (title, hidden, notes) = ("T\u{1b}".into(), &["ms"][..], Some(notes));
        let frame = TableFrame { title, hidden, notes, ..TableFrame::default() };
        spooled.write(frame, format, &mut out).unwrap();
        [table.footnoted("notes").without(&["ms"]).render(format), String::from_utf8(out).unwrap()]
    }

    #[test]
    fn a_spooled_table_shortens_names_as_any_other() {
        let columns = [TableColumn::left("name"), TableColumn::right("ms"), TableColumn::left("notes")];
        let row = |name: &str| vec![TableCell::text(name), TableCell::number(1.5), TableCell::Null];
        let rows = [row("sm90_xmma_gemm_bf16bf16_tilesize128x128x64"), row("saxpy")];
        let mut spooled = SpooledTable::new(columns.to_vec(), "notes");
        rows.iter().for_each(|row| spooled.push(row.clone()).unwrap());
        let mut out = Vec::new();
        let frame = TableFrame { shortened: Some("name"), screen: Some(40), ..TableFrame::default() };
        spooled.write(frame, TableFormat::Table, &mut out).unwrap();
        let table = Table { rows: rows.to_vec(), ..Table::new(columns.to_vec()) };
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, table.shortened(40, "name").to_text());
        assert!(text.contains('…') && text.lines().all(|line| line.width() <= 40), "{text}");
    }

    #[test]
    fn a_spooled_table_reads_as_any_other() {
        let list = |texts: &[&str]| TableCell::List(texts.iter().map(ToString::to_string).collect());
        let row =
            |name: &str, notes: &[&str]| vec![TableCell::text(name), TableCell::number(1.5), list(notes)];
        let rows = [
            row("a|b\\", &["x", "y\n"]),
            row("ü\u{1b}[2J and wide 漢字", &["y\n"]),
            row("", &[]),
            row("plain", &["z", "x"]),
        ];
        for format in [TableFormat::Table, TableFormat::Markdown] {
            for rows in [&rows[..], &rows[..1], &[]] {
                let [whole, spooled] = both(rows, format);
                assert_eq!(whole, spooled);
            }
        }
    }

    #[test]
    fn more_than_memory_holds_comes_back() {
        let mut table = SpooledTable::new(vec![TableColumn::left("name")], "notes");
        let long = "k".repeat(1 << 20);
        (0..9).for_each(|_| table.push(vec![TableCell::text(&*long)]).unwrap());
        let mut out = Vec::new();
        let notes = Some(Spool::default());
        let frame = TableFrame { title: "T".into(), notes, ..TableFrame::default() };
        table.write(frame, TableFormat::Table, &mut out).unwrap();
        let lines: Vec<&str> = std::str::from_utf8(&out).unwrap().lines().collect();
        assert_eq!(
            (lines.len(), lines[2], lines[3..12].iter().filter(|l| **l == long).count()),
            (13, "name", 9)
        );
    }

    #[test]
    fn columns_without_room_are_left_out_and_named() {
        let columns = ["name", "bound", "occupancy"].map(TableColumn::left);
        let written = |screen: Option<usize>| {
            let mut table = SpooledTable::new(columns.to_vec(), "notes");
            table.push(["saxpy", "DRAM", "100 %"].map(TableCell::text).to_vec()).unwrap();
            let (least_needed, notes) = (&["occupancy", "bound"][..], Some(Spool::default()));
            let frame = TableFrame { least_needed, screen, notes, ..TableFrame::default() };
            let mut out = Vec::new();
            table.write(frame, TableFormat::Table, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(Some(23)), written(None), "it fits");
        let narrow = written(Some(22));
        assert_eq!(narrow, "name   bound\nsaxpy  DRAM\n\nleft out to fit 22 characters: occupancy\n");
    }

    #[test]
    fn a_wide_column_that_no_row_can_go_without_stands_under_each() {
        let columns = ["name", "variant", "bound"].map(TableColumn::left);
        let written = |screen: Option<usize>| {
            let mut table = SpooledTable::new(columns.to_vec(), "notes");
            table.push(["saxpy", "tile=1;unroll=16;vector=4", "DRAM"].map(TableCell::text).to_vec()).unwrap();
            table.push(["saxpy", "tile=2", "DRAM"].map(TableCell::text).to_vec()).unwrap();
            let (under_rows, least_needed) = (Some("variant"), &["bound"][..]);
            let frame = TableFrame { under_rows, least_needed, screen, ..TableFrame::default() };
            let mut out = Vec::new();
            table.write(frame, TableFormat::Table, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(Some(39)), written(None), "it fits");
        let narrow = written(Some(38));
        assert_eq!(
            narrow,
            "name   bound\nsaxpy  DRAM\n  variant tile=1;unroll=16;vector=4\nsaxpy  DRAM\n  variant tile=2\n"
        );
    }
}
