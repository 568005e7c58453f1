//! Colours of what is printed on a terminal: the marks of numbers as in the dashboard, headings bold, footnotes dim. A file or a
//! pipe gets none.

use std::io::IsTerminal;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const PLAIN: &str = "\x1b[0m";

/// Whether standard output shows colours: a terminal that is not dumb, and nobody set `NO_COLOR` (no-color.org).
pub(super) fn shows_colours() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    std::io::stdout().is_terminal() && !is_dumb && !is_set("NO_COLOR")
}

/// The same text in colours.
pub(super) fn coloured(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let after_blank = |at: usize| at == 0 || lines[at - 1].trim().is_empty();
    let colour = |(at, line): (usize, &&str)| {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        if is_footnote(line) {
            format!("{DIM}{line}{PLAIN}")
        } else if after_blank(at) && is_heading(line) && !next.trim().is_empty() {
            format!("{BOLD}{line}{PLAIN}")
        } else {
            line.chars().map(coloured_mark).collect()
        }
    };
    lines.iter().enumerate().map(colour).collect::<Vec<_>>().join("\n")
}

/// `[1] fits in L2 on the target`.
fn is_footnote(line: &str) -> bool {
    let number = line.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    number.is_some_and(|(number, _)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

/// A line of column heads: words in columns, and no number's mark.
fn is_heading(line: &str) -> bool {
    line.trim().matches("  ").count() >= 2 && !line.contains(['●', '◆', '~', '{', '"'])
}

/// A mark in the colour of what it says: measured, scaled from a measurement.
fn coloured_mark(letter: char) -> String {
    match letter {
        '●' => format!("{GREEN}{letter}{PLAIN}"),
        '◆' => format!("{YELLOW}{letter}{PLAIN}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_headings_and_footnotes_are_coloured_and_nothing_else_is_changed() {
        let table =
            "saxpy · 1 ms\n\n #  GPU    time  notes\n 1  L4  2 ms ◆    [1]\n\n[1] short\n● measured\n";
        let shown = coloured(table);
        assert!(shown.contains("\x1b[1m #  GPU    time  notes\x1b[0m"), "{shown:?}");
        assert!(
            shown.contains("2 ms \x1b[33m◆\x1b[0m") && shown.contains("\x1b[2m[1] short\x1b[0m"),
            "{shown:?}"
        );
        assert!(
            shown.starts_with("saxpy · 1 ms\n") && shown.ends_with("\x1b[32m●\x1b[0m measured\n"),
            "{shown:?}"
        );
        let mut bare = shown;
        for code in [BOLD, DIM, GREEN, YELLOW, PLAIN] {
            bare = bare.replace(code, "");
        }
        assert_eq!(bare, table);
        let json = "[\n  {\n    \"gpu\": \"l4\",\n    \"time_ms\": 2\n  }\n]\n";
        assert_eq!(coloured(json), json);
    }
}
