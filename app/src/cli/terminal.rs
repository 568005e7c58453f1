//! How wide the screen is, where the answer goes to one.

use crate::report::{Table, TableFormat};
use crate::text::broken_lines;
use std::io::IsTerminal;
use unicode_width::UnicodeWidthStr;

/// Characters of a line on the terminal that the answer goes to: `COLUMNS` where it is set, else what the terminal says;
/// `None` for a file or a pipe, which takes any width.
pub(super) fn screen_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let stated = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let measured = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    stated.or_else(measured).filter(|width| *width > 0)
}

/// A table as wide as the screen at most, where it is one for the screen: these columns are left out in turn until it fits.
pub(super) fn fitted_to_screen(table: Table, format: TableFormat, least_needed: &[&str]) -> Table {
    match screen_width() {
        Some(width) if format == TableFormat::Table => table.fitted(width, least_needed),
        _ => table,
    }
}

/// The table with shorter names in this column, where it is one for the screen and has no room there otherwise.
pub(super) fn shortened_on_screen(table: Table, format: TableFormat, column: &str) -> Table {
    match screen_width() {
        Some(width) if format == TableFormat::Table => table.shortened(width, column),
        _ => table,
    }
}

/// A footnote (`[12] text`) or a sentence in lines of at most so many characters, broken between words, those behind the first under its
/// text; a legend between its marks; any other line as it is. A word that is wider stands alone.
pub(super) fn footnote_lines(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.into();
    }
    if line.starts_with('●') {
        return legend_lines(line, width);
    }
    let is_number = |n: &&str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    let number = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(number, _)| number);
    let number = number.filter(is_number);
    let indent = match number {
        Some(number) => number.len() + 3,
        None if is_sentence(line) => 2,
        None => return line.into(),
    };
    // The first word stands behind its number, however wide.
    let begin = number.map_or(0, |_| indent);
    let (before, text) = line.split_at(begin);
    let lines = broken_lines(text, ' ', [width - begin.min(width), width - indent.min(width)]);
    format!("{before}{}", lines.join(&format!("\n{}", " ".repeat(indent))))
}

/// A legend (`● measured  ◆ scaled from a measurement`) in lines of at most so many characters, each with whole entries.
fn legend_lines(legend: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for entry in legend.split("  ") {
        match lines.last_mut() {
            Some(line) if line.width() + 2 + entry.width() <= width => line.push_str(&format!("  {entry}")),
            _ => lines.push(entry.into()),
        }
    }
    lines.join("\n")
}

/// Whether a line is words for people: no row of a table, no data, no command to copy.
fn is_sentence(line: &str) -> bool {
    const COMMANDS: [&str; 3] = ["ncu ", "nsys ", "roofswap "];
    let begins = line.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '◇' | '≤' | '≥' | '~'));
    let is_value = |value: &str| {
        let begins =
            value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '[' | '{' | '-'));
        begins || value.starts_with("true") || value.starts_with("false")
    };
    let is_setting = line.split_once(" = ").is_some_and(|(key, value)| !key.contains(' ') && is_value(value));
    let is_data = line.contains("  ") || is_setting;
    // Changes of a GPU (`mem=+20%,l2=72MiB`) have commas in a word, too.
    let is_record = |word: &str| {
        let word = word.trim_end_matches(',');
        word.contains(',') && !is_grouped_number(word) && word.split(',').any(|cell| !cell.contains('='))
    };
    let is_csv = line.split(' ').any(is_record);
    begins && !is_data && !is_csv && !COMMANDS.iter().any(|command| line.starts_with(command))
}

/// `173,680`.
fn is_grouped_number(word: &str) -> bool {
    let mut groups = word.split(',');
    let is_digits = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    groups.next().is_some_and(|first| first.len() <= 3 && is_digits(first))
        && groups.all(|group| group.len() == 3 && is_digits(group))
}

/// The table in this format; on the screen, words of its last column that have no room there go on below.
pub(super) fn text_on_screen(table: &Table, format: TableFormat) -> String {
    match screen_width() {
        Some(width) if format == TableFormat::Table => table.to_text_within(width),
        _ => table.render(format),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footnote_is_broken_between_words_and_other_lines_are_left_alone() {
        let note = "[3] registers unknown: occupancy is an upper bound";
        let broken = "[3] registers unknown:\n    occupancy is an upper\n    bound";
        assert_eq!(footnote_lines(note, 26), broken);
        assert_eq!(footnote_lines(note, 80), note);
        let wide = "[12] a_word_that_is_wider_than_the_screen and more";
        assert_eq!(
            footnote_lines(wide, 12),
            "[12] a_word_that_is_wider_than_the_screen\n     and\n     more"
        );
        for line in ["[1, 2, 3] of a list of numbers", "{\"a\": [1] }", ""] {
            assert_eq!(footnote_lines(line, 10), line);
        }
    }

    #[test]
    fn a_legend_is_broken_between_its_marks() {
        let legend = "● measured  ◆ scaled  ~ modelled without one  * best in time and power";
        let broken = "● measured  ◆ scaled  ~ modelled without one\n* best in time and power";
        assert_eq!(footnote_lines(legend, 50), broken);
    }

    #[test]
    fn a_title_with_changes_of_a_gpu_is_broken_between_words() {
        let title = "bert.json · ◇ H100 with mem=+20%,sm=+10%: 3.90 ms ◆ (3.90–3.91 ms), as fast";
        let broken = "bert.json · ◇ H100 with\n  mem=+20%,sm=+10%: 3.90 ms ◆\n  (3.90–3.91 ms), as fast";
        assert_eq!(footnote_lines(title, 30), broken);
    }

    #[test]
    fn a_sentence_is_broken_between_words_and_data_and_commands_are_not() {
        let broken = "at most: with\n  kernels that take\n  no time (Amdahl)";
        assert_eq!(footnote_lines("at most: with kernels that take no time (Amdahl)", 19), broken);
        let broken = "from 173,680\n  errors; wider";
        assert_eq!(footnote_lines("from 173,680 errors; wider", 16), broken);
        let broken = "b = transpose of a,\n  rows x cols";
        assert_eq!(footnote_lines("b = transpose of a, rows x cols", 19), broken);
        let whole =
            ["titan-v,saxpy,n=1 of it", "ncu --set full -o x y", "saxpy  24.6 µs  10.9 µs", "a = 1 # b c d"];
        whole.iter().for_each(|line| assert_eq!(footnote_lines(line, 10), *line));
    }
}
