//! A table for people of any number of rows: how wide a column is says its longest cell, so that all rows are written down before
//! the first is printed.

use super::cell::TableCell;
use super::footnotes::Footnotes;
use super::spool::Spool;
use super::table::{
    LEAST_NAME, TableColumn, TableFormat, explains_one_of, is_blank, left_out_note, line_below,
    markdown_head, markdown_line, one_line, shortened_width, text_line,
};
use crate::kernel::{clip_apart, clip_middle, shared_parts};
use std::collections::{HashMap, HashSet};
use std::io::{BufReader, BufWriter, Read, Result, Write};
use unicode_width::UnicodeWidthStr;

/// Rows with their column widths and footnotes; one column has texts that stand under the table, each once.
#[derive(Debug)]
pub(super) struct SpooledTable {
    columns: Vec<TableColumn>,
    footnoted: &'static str,
    widths: Vec<usize>,
    /// The texts of each column, as long as they are few.
    texts: Vec<Option<HashSet<String>>>,
    rows: BufWriter<Spool>,
    count: usize,
    footnotes: Footnotes,
}

/// A column wider than this may stand under its rows.
const WIDE: usize = 16;

/// Names are made this narrow where nothing else is left to give way.
const LEAST_OF_SEVERAL: usize = 10;

/// Of a column with more texts than this they are not kept.
const FEW_TEXTS: usize = 1024;

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
    /// Columns that are said once, before the title, where the screen has no room for them and every row has the same text there.
    pub(super) said_once: &'a [&'a str],
    /// Columns whose texts lose their middle, in turn, where the rows have no room even then.
    pub(super) shortened: &'a [&'a str],
    /// Columns that are left out in turn where even that is too wide.
    pub(super) last_left_out: &'a [&'a str],
    /// How wide the screen is; `None` = any width.
    pub(super) screen: Option<usize>,
    /// Under the footnotes, a line each; `None` = nothing stands under the rows.
    pub(super) notes: Option<Spool>,
}

impl SpooledTable {
    pub(super) fn new(columns: Vec<TableColumn>, footnoted: &'static str) -> Self {
        let widths = columns.iter().map(|column| column.name.width()).collect();
        let rows = BufWriter::new(Spool::default());
        let texts = vec![Some(HashSet::new()); columns.len()];
        Self { columns, footnoted, widths, texts, rows, count: 0, footnotes: Footnotes::default() }
    }

    /// Gives a column another heading.
    pub(super) fn rename(&mut self, old: &str, new: &'static str) {
        for (column, width) in self.columns.iter_mut().zip(&mut self.widths).filter(|(c, _)| c.name == old) {
            column.name = new;
            *width = new.width().max(*width);
        }
    }

    /// Adds a row, a cell for every column.
    pub(super) fn push(&mut self, row: Vec<TableCell>) -> Result<()> {
        let places = self.widths.iter_mut().zip(&mut self.texts);
        for ((cell, column), (width, texts)) in row.into_iter().zip(&self.columns).zip(places) {
            let cell = if column.name == self.footnoted { self.footnotes.numbered(cell) } else { cell };
            let text = one_line(&cell.for_people());
            *width = text.width().max(*width);
            match texts {
                Some(known) if known.contains(&text) => {}
                Some(known) if known.len() < FEW_TEXTS => drop(known.insert(text.clone())),
                _ => *texts = None,
            }
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
        let ShownColumns { is_shown, left_out, said_once, short } = self.columns_that_fit(&frame, under);
        for (at, width) in &short {
            self.widths[*at] = *width;
        }
        let apart: Vec<HashMap<String, String>> =
            short.iter().map(|(at, width)| self.texts_apart(*at, *width)).collect();
        let shown = |at: &usize| is_shown[*at];
        let (columns, widths): (Vec<TableColumn>, Vec<usize>) =
            (0..self.columns.len()).filter(shown).map(|at| (self.columns[at], self.widths[at])).unzip();
        let is_markdown = format == TableFormat::Markdown;
        if !frame.title.is_empty() {
            writeln!(out, "{said_once}{}{}", one_line(&frame.title), if self.count > 0 { "\n" } else { "" })?;
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
            for ((at, width), apart) in short.iter().zip(&apart) {
                let text = &mut all[*at].1;
                *text = apart.get(text).cloned().unwrap_or_else(|| clip_middle(text, *width));
            }
            let below = under
                .filter(|at| all[*at].1 != "-")
                .map(|at| line_below(self.columns[at].name, &all[at].1, ';', frame.screen));
            let cells = all.into_iter().filter(|(shown, _)| *shown).map(|(_, text)| text);
            let line = match is_markdown {
                true => markdown_line(cells),
                false => text_line(&cells.collect::<Vec<_>>(), &columns, &widths),
            };
            out.write_all(line.as_bytes())?;
            out.write_all(below.unwrap_or_default().as_bytes())?;
        }
        let Some(mut notes) = frame.notes else { return Ok(()) };
        if let (Some(screen), false) = (frame.screen, left_out.is_empty()) {
            writeln!(notes, "{}", left_out_note(screen, &left_out))?;
        }
        writeln!(out)?;
        let is_explained = |note: &str| !explains_one_of(note, &left_out);
        let has_numbers = !left_out.contains(&self.footnoted);
        write_notes(self.footnotes.into_lines(has_numbers), notes, is_explained, is_markdown, out)
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

    /// How wide these columns are once they have lost as much of their middles as these shown ones are too wide, in turn:
    /// none narrower than the first of these widths, then than the next.
    fn shortened_columns(
        &self,
        frame: &TableFrame<'_>,
        is_shown: &[bool],
        least_widths: &[usize],
    ) -> Vec<(usize, usize)> {
        let Some(screen) = frame.screen else { return Vec::new() };
        let mut over = self.row_width(is_shown).saturating_sub(screen);
        let places = frame.shortened.iter().filter_map(|name| self.place_of(name, is_shown));
        let mut short: Vec<(usize, usize)> = places.map(|at| (at, self.widths[at])).collect();
        for least in least_widths {
            for (_, width) in &mut short {
                let narrower = shortened_width(*width, over, *least);
                over -= *width - narrower;
                *width = narrower;
            }
        }
        short
    }

    /// The texts of a column in so many characters, those that would look alike cut where they differ; nothing where there are too many.
    fn texts_apart(&self, at: usize, width: usize) -> HashMap<String, String> {
        let texts: Vec<String> = self.texts[at].iter().flatten().cloned().collect();
        let short = clip_apart(&without_shared_pairs(&texts, width), width);
        texts.into_iter().zip(short).collect()
    }

    /// Whether every row has nothing in this column.
    fn is_blank(&self, at: usize) -> bool {
        self.texts[at].as_ref().is_some_and(|texts| texts.iter().all(|text| is_blank(text)))
    }

    /// The place of a column that is shown.
    fn place_of(&self, name: &str, is_shown: &[bool]) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name).filter(|at| is_shown[*at])
    }

    /// Which columns stand in the rows, and what is said of those that had no room.
    fn columns_that_fit<'a>(&self, frame: &TableFrame<'a>, under: Option<usize>) -> ShownColumns<'a> {
        let mut fitted = ShownColumns {
            is_shown: self.columns.iter().map(|c| !frame.hidden.contains(&c.name)).collect(),
            ..ShownColumns::default()
        };
        if let Some(at) = under {
            fitted.is_shown[at] = false;
        }
        let Some(screen) = frame.screen else { return fitted };
        let mut left_out: Vec<&'a str> = Vec::new();
        let mut leave_out = |is_shown: &mut Vec<bool>, name: &'a str| {
            if let Some(at) = self.place_of(name, is_shown) {
                is_shown[at] = false;
                left_out.push(name);
            }
        };
        let has_room = |is_shown: &[bool]| self.row_width(is_shown) <= screen;
        // Nobody misses a column without anything in it.
        for at in 0..self.columns.len() {
            let may_go = frame.least_needed.contains(&self.columns[at].name) && self.is_blank(at);
            fitted.is_shown[at] &= !may_go || has_room(&fitted.is_shown);
        }
        for name in frame.least_needed {
            if has_room(&fitted.is_shown) {
                break;
            }
            leave_out(&mut fitted.is_shown, name);
        }
        if self.row_width(&fitted.is_shown) > screen {
            fitted.said_once = self.say_once(frame, &mut fitted.is_shown);
        }
        fitted.short = self.shortened_columns(frame, &fitted.is_shown, &[LEAST_NAME]);
        for name in frame.last_left_out {
            if self.shortened_width(&fitted) <= screen {
                break;
            }
            leave_out(&mut fitted.is_shown, name);
            let least_widths = [LEAST_NAME, LEAST_OF_SEVERAL];
            fitted.short = self.shortened_columns(frame, &fitted.is_shown, &least_widths);
        }
        fitted.left_out = left_out;
        fitted
    }

    /// How wide a row is with the columns that are made narrower.
    fn shortened_width(&self, fitted: &ShownColumns<'_>) -> usize {
        let gained: usize = fitted.short.iter().map(|(at, width)| self.widths[*at] - width).sum();
        self.row_width(&fitted.is_shown) - gained
    }

    /// Takes out what is said once, of several rows, and says it: `saxpy n=1048576 · `.
    fn say_once(&self, frame: &TableFrame<'_>, is_shown: &mut [bool]) -> String {
        let mut said: Vec<&str> = Vec::new();
        for name in frame.said_once.iter().filter(|_| self.count > 1) {
            let Some(at) = self.place_of(name, is_shown) else { continue };
            let Some(texts) = self.texts[at].as_ref().filter(|texts| texts.len() == 1) else { continue };
            is_shown[at] = false;
            said.extend(texts.iter().map(String::as_str));
        }
        if said.is_empty() { String::new() } else { format!("{} · ", said.join(" ")) }
    }
}

/// Problems and launches (`grid=132;block=384;work=2`) that have no room in so many characters without what all of them say: `…work=2`.
fn without_shared_pairs(texts: &[String], width: usize) -> Vec<String> {
    let shared = shared_parts(texts, |c| c == ';');
    let own = |text: &String| {
        let own: Vec<&str> = text.split(';').filter(|pair| !shared.contains(pair)).collect();
        let is_whole = text.width() <= width || own.is_empty() || shared.is_empty();
        if is_whole { text.clone() } else { format!("…{}", own.join(";")) }
    };
    texts.iter().map(own).collect()
}

/// The columns of a table on a screen.
#[derive(Default)]
struct ShownColumns<'a> {
    /// Which stand in the rows.
    is_shown: Vec<bool>,
    /// The names of those that had no room.
    left_out: Vec<&'a str>,
    /// What is said of those that are the same in every row.
    said_once: String,
    /// Those that are made narrower, and how wide they are then.
    short: Vec<(usize, usize)>,
}

/// Footnotes, then the other notes that are wanted.
fn write_notes(
    footnotes: impl Iterator<Item = String>,
    notes: Spool,
    is_wanted: impl Fn(&str) -> bool,
    is_markdown: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let mark = if is_markdown { "- " } else { "" };
    for line in footnotes {
        writeln!(out, "{mark}{}", one_line(&line))?;
    }
    for note in std::io::BufRead::lines(BufReader::new(notes.into_reader()?)) {
        let note = note?;
        if is_wanted(&note) {
            writeln!(out, "{mark}{note}")?;
        }
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
        let frame = TableFrame { shortened: &["name"], screen: Some(40), ..TableFrame::default() };
        spooled.write(frame, TableFormat::Table, &mut out).unwrap();
        let table = Table { rows: rows.to_vec(), ..Table::new(columns.to_vec()) };
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, table.shortened(40, "name").to_text());
        assert!(text.contains('…') && text.lines().all(|line| line.width() <= 40), "{text}");
    }

    #[test]
    fn a_column_without_anything_in_it_goes_first_and_is_not_named() {
        let columns = ["name", "error", "bound"].map(TableColumn::left);
        let mut spooled = SpooledTable::new(columns.to_vec(), "");
        for name in ["saxpy", "dot"] {
            spooled.push(vec![TableCell::text(name), TableCell::Null, TableCell::text("DRAM")]).unwrap();
        }
        let mut out = Vec::new();
        let least_needed = &["bound", "error"];
        let frame = TableFrame {
            least_needed,
            screen: Some(12),
            notes: Some(Spool::default()),
            ..TableFrame::default()
        };
        spooled.write(frame, TableFormat::Table, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "name   bound\nsaxpy  DRAM\ndot    DRAM\n\n");
    }

    #[test]
    fn footnotes_have_no_numbers_where_their_column_has_no_room() {
        let columns = ["name", "notes"].map(TableColumn::left);
        let mut spooled = SpooledTable::new(columns.to_vec(), "notes");
        spooled.push(vec![TableCell::text("saxpy"), TableCell::List(vec!["t4: short".into()])]).unwrap();
        let mut out = Vec::new();
        let frame = TableFrame {
            last_left_out: &["notes"],
            screen: Some(8),
            notes: Some(Spool::default()),
            ..TableFrame::default()
        };
        spooled.write(frame, TableFormat::Table, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "name\nsaxpy\n\nt4: short\nleft out to fit 8 characters: notes\n");
    }

    #[test]
    fn hundreds_of_sizes_are_cut_where_they_differ() {
        let mut spooled = SpooledTable::new([TableColumn::left("size")].to_vec(), "");
        for grid in 100..300 {
            for work in ["", ";work=2"] {
                let size = format!("grid=4096;grid_y={grid};block=384;block_y=2{work}");
                spooled.push(vec![TableCell::text(size)]).unwrap();
            }
        }
        let mut out = Vec::new();
        let frame = TableFrame { shortened: &["size"], screen: Some(30), ..TableFrame::default() };
        spooled.write(frame, TableFormat::Table, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows: HashSet<&str> = text.lines().skip(1).collect();
        assert!(rows.len() == 400 && rows.iter().all(|row| row.width() <= 30), "{text}");
    }

    #[test]
    fn what_every_row_says_stands_in_the_title_where_the_screen_is_narrow() {
        let columns = ["kernel", "target", "ms", "speedup"].map(TableColumn::left);
        let row = |kernel: &str, target: &str| {
            let cells = [kernel, target, "1.5", "2.00"];
            cells.map(TableCell::text).to_vec()
        };
        let written = |kernels: [&str; 2], screen| {
            let mut spooled = SpooledTable::new(columns.to_vec(), "notes");
            spooled.push(row(kernels[0], "rtx-4070")).unwrap();
            spooled.push(row(kernels[1], "h100-sxm5")).unwrap();
            let frame = TableFrame {
                title: "T".into(),
                said_once: &["kernel"],
                shortened: &["kernel"],
                last_left_out: &["speedup"],
                screen: Some(screen),
                notes: Some(Spool::default()),
                ..TableFrame::default()
            };
            let mut out = Vec::new();
            spooled.write(frame, TableFormat::Table, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let name = "a_kernel_with_a_long_name";
        assert!(written([name; 2], 80).starts_with("T\n\nkernel "), "{}", written([name; 2], 80));
        let narrow = written([name; 2], 30);
        assert!(narrow.starts_with("a_kernel_with_a_long_name · T\n\ntarget  "), "{narrow}");
        let apart = written([name, "a_kernel_with_b_long_name"], 36);
        assert!(apart.contains("…a_long") && apart.contains("…b_long"), "{apart}");
        assert!(apart.contains("left out to fit 36 characters: speedup"), "{apart}");
        assert!(apart.lines().all(|line| line.width() <= 42), "{apart}");
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
