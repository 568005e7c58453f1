//! How wide the screen is, where the answer goes to one.

use crate::report::{Table, TableFormat};
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

/// A footnote (`[12] text`) in lines of at most so many characters, broken between words, those behind the first under its text; any
/// other line as it is. A word that is wider stands alone.
pub(super) fn footnote_lines(line: &str, width: usize) -> String {
    let number = line.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map(|(number, _)| number);
    let is_number = |n: &&str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    let Some(number) = number.filter(is_number) else { return line.into() };
    if line.width() <= width {
        return line.into();
    }
    let indent = number.len() + 3;
    let (mut lines, mut used) = (String::new(), 0);
    for word in line.split(' ') {
        let wide = word.width();
        if used > indent && used + 1 + wide > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            used = indent;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += wide;
    }
    lines
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
        for line in ["[1, 2, 3] of a list of numbers", "{\"a\": [1] }", "plain words that are long", ""] {
            assert_eq!(footnote_lines(line, 10), line);
        }
    }
}
