//! Sizes and intervals in few columns: what tells two rows of a kernel apart stands at the end of a size.

use crate::kernel::{clip_apart, count_distinct, most_distinct, shared_parts};
use crate::tui::text::clipped_text;
use unicode_width::UnicodeWidthStr;

/// The shapes behind an operator of a trace, which tell rows apart: kernels are named after their operator, too.
fn shapes(text: &str) -> Option<&str> {
    text.find(" [").map(|blank| &text[blank + 1..])
}

/// How many columns a size wants before the table has its others.
pub(super) fn wished_width(text: &str) -> usize {
    shapes(text).unwrap_or(text).width()
}

/// A size in at most so many columns: `n=1024 caches=cold` becomes `n=1024 cold`, then `n=1… cold`.
pub(super) fn clipped_size(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    if let Some(shapes) = shapes(text) {
        return clipped_text(shapes, width);
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
        _ => with_last_number(&short, width).unwrap_or_else(|| clipped_text(&short, width)),
    }
}

/// Sizes of one kernel in at most so many columns each: where some would look alike, in the form that tells most of them apart.
pub(super) fn sizes_apart(texts: &[String], width: usize) -> Vec<String> {
    let alone = |texts: &[String]| texts.iter().map(|text| clipped_size(text, width)).collect::<Vec<_>>();
    let all = count_distinct(texts);
    let whole = alone(texts);
    if count_distinct(&whole) == all {
        return whole;
    }
    let words = [false, true].map(|is_brief| differing_words(texts, width, is_brief));
    if let Some(apart) = words.iter().map(|own| alone(own)).find(|cut| count_distinct(cut) == all) {
        return apart;
    }
    most_distinct(words.map(|own| clip_apart(&own, width)))
}

/// `args=input;workload=full` beside `args=input;workload=small` is `…full`, where it has no room; if brief numbers lose their keys, too.
fn differing_words(texts: &[String], width: usize, is_brief: bool) -> Vec<String> {
    let is_end = |c: char| c == ' ' || c == ';';
    let shared = shared_parts(texts, is_end);
    let value =
        |word: &'_ str| word.split_once('=').map_or_else(|| word.to_string(), |(_, value)| value.into());
    let own = |text: &String| {
        let own = text.split(is_end).filter(|word| !shared.contains(word)).map(without_key);
        let own: Vec<String> = own.map(|word| if is_brief { value(word) } else { word.into() }).collect();
        let is_whole = text.width() <= width || own.is_empty();
        let mark = if shared.is_empty() || is_brief { "" } else { "…" };
        if is_whole { text.clone() } else { format!("{mark}{}", own.join(" ")) }
    };
    texts.iter().map(own).collect()
}

/// `m=512;n=512;k=512` as `m=… k=512`: of few numbers the last one stays, of one before it the key and `=` are seen at least.
fn with_last_number(text: &str, width: usize) -> Option<String> {
    let (before, last) = text.rsplit_once([' ', ';'])?;
    let others = before.split([' ', ';']).count();
    let least = if others > 1 { 2 } else { 3 };
    let has_room = others < MOST_NUMBERS && last.width() + least < width;
    has_room.then(|| format!("{} {last}", clipped_text(before, width - 1 - last.width())))
}

/// A size of more numbers seldom differs in its last one.
const MOST_NUMBERS: usize = 4;

/// An interval in at most so many columns: one of two units loses its blanks before its end is cut.
pub(super) fn clipped_interval(text: &str, width: usize) -> String {
    if text.width() <= width { text.to_string() } else { clipped_text(&text.replace(' ', ""), width) }
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
    use super::{clipped_interval, clipped_size, sizes_apart};

    #[test]
    fn a_wide_interval_keeps_both_units() {
        assert_eq!(clipped_interval("~4.24 µs–1.04 ms", 15), "~4.24µs–1.04ms");
        assert_eq!(clipped_interval("~854 ns–99.7 µs", 15), "~854 ns–99.7 µs");
    }

    #[test]
    fn words_of_variants_stay_to_be_told_apart() {
        for (text, width, cut) in [
            ("n=1024", 9, "n=1024"),
            ("n=1024 caches=cold", 18, "n=1024 caches=cold"),
            ("n=1024 caches=cold", 11, "n=1024 cold"),
            ("n=1024 caches=cold", 9, "n=1… cold"),
            ("n=1024 caches=warm", 9, "n=1… warm"),
            ("n=268435456", 9, "n=268435…"),
            ("m=512 n=512 k=512", 9, "m=… k=512"),
            ("m=512 n=512 k=1024", 9, "m… k=1024"),
            ("m=512 n=65536000", 9, "m=512 n=…"),
            ("n=1024 beta=0", 9, "n=1024 b…"),
            ("b=32;m=256;n=512", 9, "b=… n=512"),
            ("b=16;ic=64;oc=64;h=56;pad=1", 9, "b=16;ic=…"),
            ("aten::index_select [2,512] [141]", 32, "aten::index_select [2,512] [141]"),
            ("aten::index_select [2,512] [141]", 13, "[2,512] [141]"),
            ("aten::index_select [30522,512] [141]", 9, "[30522,5…"),
        ] {
            assert_eq!(clipped_size(text, width), cut, "{text} {width}");
        }
    }

    #[test]
    fn sizes_of_one_kernel_are_cut_where_they_differ() {
        let apart = |texts: &[&str], width: usize| {
            sizes_apart(&texts.iter().map(ToString::to_string).collect::<Vec<_>>(), width)
        };
        let workloads = ["args=input00;workload=full", "args=input00;workload=small"];
        assert_eq!(apart(&workloads, 9), ["…full", "…small"]);
        assert_eq!(apart(&workloads, 30), workloads);
        let tall = ["m=1024;n=64;k=64;b=16;c=1", "m=1024;n=128;k=64;b=16;c=1"];
        assert_eq!(apart(&tall, 9), ["…n=64", "…n=128"]);
        let timings =
            ["rows=2;cols=2 timing=batch", "rows=2;cols=2 timing=cold", "rows=4;cols=4 timing=cold"];
        assert_eq!(apart(&timings, 9), ["2 2 batch", "2 2 cold", "4 4 cold"]);
    }
}
