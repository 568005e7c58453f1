//! Texts on their way out: short enough for a message, and harmless to the terminal that shows them.

use unicode_width::UnicodeWidthStr;

/// What stands for a character that is not shown.
pub const REPLACED: char = '\u{fffd}';

/// The mark of a number that rests on an estimate and on no measurement.
pub const ESTIMATED: char = '~';

/// `29.7 µs`, or `~29.7 µs` where it rests on an estimate and on no measurement: the mark of every such time, interval and ratio, but
/// for times in columns and headings where each has the mark of its kind (● ◆ ~) behind it.
#[must_use]
pub fn marked_estimate(number: impl std::fmt::Display, rests_on_measurement: bool) -> String {
    if rests_on_measurement { number.to_string() } else { format!("{ESTIMATED}{number}") }
}

/// Why a file cannot be read, behind its name: `no such file`.
#[must_use]
pub fn unreadable(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file".into(),
        ErrorKind::IsADirectory => "is a folder; give a file in it".into(),
        ErrorKind::PermissionDenied => "cannot be read: no permission".into(),
        _ => format!("cannot be read: {error}"),
    }
}

/// The first `most` characters.
#[must_use]
pub fn clipped_text(text: impl AsRef<str>, most: usize) -> String {
    text.as_ref().chars().take(most).collect()
}

/// Units that stand behind their number with a space between.
const UNITS: [&str; 21] = [
    "%", "ns", "µs", "ms", "s", "W", "kW", "J", "mJ", "µJ", "MHz", "GHz", "B", "KiB", "MiB", "GiB", "GB/s",
    "TB/s", "GFLOP/s", "TFLOP/s", "bit",
];

/// The parts of a text that end with such a character, a number and the unit behind it in one.
pub fn parts_with_units(text: &str, is_end: impl Fn(char) -> bool) -> Vec<&str> {
    let is_unit = |part: &str| UNITS.contains(&part.trim().trim_end_matches([',', ';', ':', ')', '.']));
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive(is_end) {
        let end = at + part.len();
        match ends.last_mut() {
            Some((begin, before))
                if is_unit(part)
                    && text[*begin..*before].trim_end().ends_with(|c: char| c.is_ascii_digit()) =>
            {
                *before = end;
            }
            _ => ends.push((at, end)),
        }
        at = end;
    }
    ends.into_iter().map(|(begin, end)| &text[begin..end]).collect()
}

/// The text in lines of so many columns, broken behind this character: the first line as wide as the one, all others as the other of
/// `widths`. What is wider is broken behind a slash, a semicolon or a plus, and what has no place to break stands alone. A
/// number keeps its unit.
#[must_use]
pub fn broken_lines(text: &str, at: char, widths: [usize; 2]) -> Vec<String> {
    let mut lines = vec![String::new()];
    let is_wide = |part: &str| part.trim_end().width() > widths[0].min(widths[1]);
    let parts = parts_with_units(text, |c| c == at).into_iter().flat_map(|part| {
        let is_wide = is_wide(part);
        part.split_inclusive(move |c: char| is_wide && matches!(c, '/' | ';' | '+'))
    });
    for part in parts {
        let room = widths[usize::from(lines.len() > 1)];
        let line = lines.last_mut().expect("there is a first line");
        if !line.is_empty() && line.width() + part.trim_end().width() > room {
            lines.push(part.into());
        } else {
            line.push_str(part);
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

/// `t4, l4, a10 and 122 more`: so many of these names.
#[must_use]
pub fn first_names(names: &[impl AsRef<str>], most: usize) -> String {
    let named = names.iter().take(most).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// `rtx-3090, v100-sxm2-16gb`: the names of GPUs, beyond three how many there are.
#[must_use]
pub fn gpus_in_words(names: &[impl AsRef<str>]) -> String {
    if names.len() > 3 { format!("{} GPUs", names.len()) } else { first_names(names, names.len()) }
}

/// What a number that was refused is told of, where it has a comma in it.
#[must_use]
pub fn comma_hint(number: &str) -> &'static str {
    if number.contains(',') { "; decimals have a point" } else { "" }
}

/// `1 row`, `12 rows`.
#[must_use]
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Whether a terminal or a reader takes this character for something else than a letter: control characters (C0, DEL, C1),
/// line and paragraph separators, and invisible ones that join, part or turn the text around (Unicode TR 36, "bidirectional
/// text spoofing").
#[must_use]
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// One line that can be shown anywhere: every harmful character becomes U+FFFD.
#[must_use]
pub fn harmless_line(text: &str) -> String {
    text.chars().map(|c| if is_harmful(c) { REPLACED } else { c }).collect()
}

/// JSON that says the same in characters that can be shown anywhere: every harmful one in a string becomes its `\\u` escape.
/// Those below space are escaped by whoever writes JSON; what is left of them are its own line breaks.
#[must_use]
pub fn harmless_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for c in json.chars() {
        if c < '\u{7f}' || !is_harmful(c) {
            shown.push(c);
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}")));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_letter_is_replaced() {
        assert_eq!(harmless_line("a\x1b[31mb\u{9b}c\u{202e}d\u{200b}e\nf\u{2028}"), "a�[31mb�c�d�e�f�");
        assert_eq!(harmless_line("Größe µ 漢字 ─ ⋯"), "Größe µ 漢字 ─ ⋯");
        assert_eq!(clipped_text("äöü", 2), "äö");
    }

    #[test]
    fn a_number_keeps_its_unit() {
        let text = "exact occupancy · 90 % intervals (12.0 MiB of 36.0 MiB), SM 2520 MHz; 5 s";
        let parts = parts_with_units(text, |c| c == ' ');
        for together in ["90 % ", "(12.0 MiB ", "36.0 MiB), ", "2520 MHz; ", "5 s"] {
            assert!(parts.contains(&together), "{together}: {parts:?}");
        }
        assert_eq!(parts.concat(), text);
        assert_eq!(
            broken_lines(text, ' ', [20; 2])[..3],
            ["exact occupancy ·", "90 % intervals", "(12.0 MiB of"]
        );
    }

    #[test]
    fn a_long_list_says_how_many_more_there_are() {
        let named = |most| first_names(&["t4", "l4", "a10"], most);
        assert_eq!([named(2), named(3)], ["t4, l4 and 1 more", "t4, l4, a10"]);
    }

    #[test]
    fn json_keeps_what_it_says_without_harmful_characters() {
        let said = serde_json::json!({ "name": "a\x1bb\u{9b}c\u{202e}d\u{7f}e\u{e0041}µ" });
        let shown = harmless_json(&format!("{said:#}"));
        assert_eq!(shown, "{\n  \"name\": \"a\\u001bb\\u009bc\\u202ed\\u007fe\\udb40\\udc41µ\"\n}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), said);
    }
}
