//! Text that has to fit: cut, wrapped, padded, in paragraphs; and the line that is typed.

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

/// Words in lines of at most `width`; a longer word, such as a path, goes on in the next line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
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
    use super::wrap;

    #[test]
    fn a_word_that_is_longer_than_a_line_goes_on_in_the_next() {
        let lines = wrap("wrote board-of-a-long-name.svg twice", 12);
        assert_eq!(lines, ["wrote", "board-of-a-l", "ong-name.svg", "twice"]);
        assert_eq!(wrap("日本語", 2), ["日", "本", "語"]);
    }
}
