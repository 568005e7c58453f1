//! A size in few columns: what tells two rows of a kernel apart stands at its end.

use crate::tui::text::clipped_text;
use unicode_width::UnicodeWidthStr;

/// A size in at most so many columns: `n=1024 caches=cold` becomes `n=1024 cold`, then `n=1… cold`.
pub(super) fn clipped_size(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    let words: Vec<&str> = text.split(' ').map(without_key).collect();
    let short = words.join(" ");
    if short.width() <= width {
        return short;
    }
    match words.split_last() {
        Some((last, before)) if !before.is_empty() && is_word(last) && width > 4 => {
            let last = clipped_text(last, width / 2 + 1);
            let before = clipped_text(&before.join(" "), width - 1 - last.width());
            format!("{before} {last}")
        }
        _ => clipped_text(&short, width),
    }
}

/// The word behind `=`; numbers keep their key.
fn without_key(text: &str) -> &str {
    text.split_once('=').map_or(text, |(_, value)| if is_word(value) { value } else { text })
}

/// Whether it is a word and no number.
fn is_word(text: &str) -> bool {
    !text.contains('=') && text.starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::clipped_size;

    #[test]
    fn words_of_variants_stay_to_be_told_apart() {
        for (text, width, cut) in [
            ("n=1024", 9, "n=1024"),
            ("n=1024 caches=cold", 18, "n=1024 caches=cold"),
            ("n=1024 caches=cold", 11, "n=1024 cold"),
            ("n=1024 caches=cold", 9, "n=1… cold"),
            ("n=1024 caches=warm", 9, "n=1… warm"),
            ("n=268435456", 9, "n=268435…"),
            ("m=512 n=512 k=512", 9, "m=512 n=…"),
        ] {
            assert_eq!(clipped_size(text, width), cut, "{text} {width}");
        }
    }
}
