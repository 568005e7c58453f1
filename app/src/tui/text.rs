//! Text that has to fit: cut, wrapped, padded, in paragraphs; and the line that is typed.

use crate::kernel::clip_middle;
use crate::text::{counted, parts_with_units};
use ratatui::style::Style;
use ratatui::text::Line;
use tui_input::{Input, InputRequest};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text in at most `width` columns, its end marked if it was cut.
pub fn clipped_text(text: &str, width: usize) -> String {
    if text.len() <= width || text.width() <= width {
        return text.to_string();
    }
    let mut used = 0;
    let mut out = String::new();
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used + 1 > width {
            break;
        }
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Below this width half a name says less than its begin.
const LEAST_HALVED: usize = 16;

/// The same with `…` in the middle, where there is room for both halves: names that begin alike differ at their ends.
pub fn clipped_middle(text: &str, width: usize) -> String {
    let has_wide_letters = !text.is_ascii() && text.width() != text.chars().count();
    if width >= LEAST_HALVED && !has_wide_letters {
        clip_middle(text, width)
    } else {
        clipped_text(text, width)
    }
}

/// A name cut so that it differs from all of these names cut alike: at its end, without its brand, or further left.
pub fn clipped_apart<'a>(name: &str, others: impl Iterator<Item = &'a str> + Clone, width: usize) -> String {
    if name.width() <= width || !name.is_ascii() {
        return clipped_text(name, width);
    }
    let is_apart = |form: &usize| {
        let own = cut_name(name, *form, width);
        others.clone().filter(|other| *other != name).all(|other| cut_name(other, *form, width) != own)
    };
    cut_name(name, (0..=width).find(is_apart).unwrap_or(0), width)
}

/// The forms of a name that is too long: 0 `RTX 4060 …`, 1 `4060 Lapt…`, from 2 on so many letters of its end less one, `RTX …Laptop`.
fn cut_name(name: &str, form: usize, width: usize) -> String {
    let is_brand = |word: &str| word.chars().all(char::is_alphabetic);
    let bare =
        name.split_once(' ').filter(|(first, rest)| is_brand(first) && rest.contains(char::is_numeric));
    let (letters, tail) = (name.chars().count(), form.saturating_sub(1));
    match form {
        0 => clipped_text(name, width),
        _ if letters <= width => name.to_string(),
        1 => clipped_text(bare.map_or(name, |(_, rest)| rest), width),
        _ => {
            let head: String = name.chars().take(width.saturating_sub(1 + tail)).collect();
            head + "…" + &name.chars().skip(letters - tail.min(letters)).collect::<String>()
        }
    }
}

/// A padded name and as many whole columns, each right in its width, as have room behind it.
pub fn with_whole_columns(name: String, cells: &[String], widths: &[usize], width: usize) -> String {
    let mut line = name;
    for (cell, columns) in cells.iter().zip(widths) {
        if line.width() + columns > width {
            break;
        }
        line.push_str(&pad_left(cell, *columns));
    }
    line
}

/// Words in lines of at most `width`; a longer word, such as a path, goes on in the next line, and a number keeps its unit.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let parts = parts_with_units(text, char::is_whitespace).into_iter();
    for word in parts.map(str::trim).filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.extend(pieces(word, width.max(2))),
        }
    }
    lines
}

/// [`wrap`] in at most so many lines, at least one: the end of the last one is marked if something was left out behind a whole word.
pub fn wrap_at_most(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines = wrap(text, width);
    if lines.len() > most.max(1) {
        let rest = lines.split_off(most.max(1) - 1).join(" ");
        let whole_words = wrap(&rest, width.saturating_sub(2)).into_iter().next();
        lines.push(clipped_text(&format!("{} …", whole_words.unwrap_or_default()), width));
    }
    lines
}

/// A word in pieces of at most `width` columns, at least two.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let last = pieces.len() - 1;
        if pieces[last].width() + c.width().unwrap_or(0) > width {
            pieces.push(c.to_string());
        } else {
            pieces[last].push(c);
        }
    }
    pieces
}

/// So many of these lines; the last one says how many are left out.
pub fn first_lines(mut lines: Vec<String>, most: usize, width: usize) -> Vec<String> {
    let left_out = lines.len().saturating_sub(most);
    lines.truncate(most);
    if let Some(last) = lines.last_mut().filter(|_| left_out > 0) {
        let more = format!(" … {}", counted(left_out, "more line"));
        let whole_words = wrap(last, width.saturating_sub(more.chars().count())).into_iter().next();
        *last = format!("{}{more}", whole_words.unwrap_or_default());
    }
    lines
}

/// Lines of one style.
pub fn paragraph(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    wrap(text, width).into_iter().map(|t| Line::styled(t, style)).collect()
}

/// Text in `width` columns, with blanks behind it; wide characters count as what they take.
pub fn pad_right(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Text in `width` columns, with blanks before it.
pub fn pad_left(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.width())))
}

/// The longest text that is typed; a pasted file must not become a filter.
pub const LONGEST_TYPED: usize = 400;

/// Changes a typed line, which is never longer than `longest` bytes.
pub fn edit_line(input: &mut Input, request: InputRequest, longest: usize) {
    let inserts = matches!(request, InputRequest::InsertChar(_));
    if !inserts || input.value().len() < longest {
        input.handle(request);
    }
}

/// `1 more target`, `3 more targets`.
#[must_use]
pub fn more_targets(count: usize) -> String {
    format!("{count} more target{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{clipped_apart, wrap, wrap_at_most};

    #[test]
    fn names_that_begin_alike_are_cut_where_they_are_alike() {
        let cut = |name: &str, others: &[&str], width| clipped_apart(name, others.iter().copied(), width);
        let a100s = ["A100 PCIe 40 GB", "A100 PCIe 80 GB", "A100 SXM4 40 GB"];
        assert_eq!(cut(a100s[0], &a100s, 15), "A100 PCIe 40 GB");
        assert_eq!(cut(a100s[0], &[a100s[0], a100s[2]], 10), "A100 PCIe…");
        assert_eq!(cut(a100s[0], &a100s[..2], 10), "A100…40 GB");
        assert_eq!(cut(a100s[1], &a100s[..2], 10), "A100…80 GB");
        let slices = ["A100 SXM4 80 GB MIG 1g.10gb", "A100 SXM4 80 GB MIG 2g.20gb"];
        assert_eq!(cut(slices[0], &slices, 15), "A100 SXM4 …10gb");
        let boards = ["RTX 4060 Laptop", "RTX 4060 Ti", "RTX 4060 Ti 16 GB"];
        assert_eq!(boards.map(|name| cut(name, &boards, 10)), ["4060 Lapt…", "4060 Ti", "4060 Ti 1…"]);
        assert_eq!(cut("same", &["same"], 3), "sa…");
    }

    #[test]
    fn lines_that_are_left_out_are_marked() {
        assert_eq!(wrap_at_most("one two three four", 5, 2), ["one", "two …"]);
        assert_eq!(wrap_at_most("one two", 5, 2), ["one", "two"]);
    }

    #[test]
    fn a_number_keeps_its_unit_in_the_line() {
        assert_eq!(wrap("idle 0.4 %, 8 rows", 8), ["idle", "0.4 %, 8", "rows"]);
        assert_eq!(wrap("window 12.5 ms long", 11), ["window", "12.5 ms", "long"]);
    }

    #[test]
    fn a_word_that_is_longer_than_a_line_goes_on_in_the_next() {
        let lines = wrap("wrote board-of-a-long-name.svg twice", 12);
        assert_eq!(lines, ["wrote", "board-of-a-l", "ong-name.svg", "twice"]);
        assert_eq!(wrap("日本語", 2), ["日", "本", "語"]);
    }
}
