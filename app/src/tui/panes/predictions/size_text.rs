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

/// A size in at most so many columns: `n=1024 caches=cold` becomes `n=1024 cold`, then `1024 cold`; what has no room after that is
/// left out whole, words before numbers: a number is cut only where it is alone.
pub(super) fn clipped_size(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_string();
    }
    if let Some(shapes) = shapes(text) {
        return clipped_text(shapes, width);
    }
    let parts = parts_of(text);
    let forms = [with_keys(&parts), bare(&parts)];
    if let Some(whole) = forms.into_iter().find(|form| form.width() <= width) {
        return whole;
    }
    let numbers: Vec<&str> = parts.iter().copied().filter(|part| !is_word(without_key(part))).collect();
    let first = if numbers.is_empty() { &parts } else { &numbers };
    let begins = || (1..=first.len()).rev().map(|count| &first[..count]);
    let mut cut = begins().map(with_keys).chain(begins().map(bare)).map(|form| form + " …");
    cut.find(|form| form.width() <= width).unwrap_or_else(|| clipped_text(&values(first), width))
}

/// Sizes of one kernel in at most so many columns each: where some would look alike, what tells them apart alone, whole: all of it, then
/// the fewest parts that do; where no such part has room, in the form that tells most of them apart.
pub(super) fn sizes_apart(texts: &[String], width: usize) -> Vec<String> {
    let all = count_distinct(texts);
    let alone = || texts.iter().map(|text| clipped_size(text, width)).collect::<Vec<_>>();
    if all <= 1 || texts.iter().any(|text| shapes(text).is_some()) {
        return most_distinct([alone(), clip_apart(texts, width)]);
    }
    let keys = differing_keys(texts);
    let every: Vec<&str> = texts.iter().flat_map(|text| parts_of(text)).map(key_of).collect();
    let shown = |keys: &[&str], form: Form| -> Option<Vec<String>> {
        let cut = |text: &String| if text.width() <= width { text.clone() } else { form(text, keys, width) };
        let sizes: Vec<String> = texts.iter().map(cut).collect();
        let fits = sizes.iter().all(|size| size.width() <= width);
        (fits && count_distinct(&sizes) == all).then_some(sizes)
    };
    let in_forms = |keys: &[&str], forms: &[Form]| forms.iter().find_map(|form| shown(keys, *form));
    let fewest = || {
        let few = (1..=MOST_PARTS.min(keys.len())).map(|count| chosen(&keys, count));
        few.flat_map(|sets| FORMS.map(|form| sets.iter().find_map(|keys| shown(keys, form)))).flatten().next()
    };
    in_forms(&every, &[all_parts, own_values])
        .or_else(|| in_forms(&keys, &FORMS))
        .or_else(fewest)
        .unwrap_or_else(|| most_distinct([alone(), clip_apart(texts, width)]))
}

/// How the parts of these keys are written of a size, in about so many columns.
type Form = fn(&str, &[&str], usize) -> String;

/// The forms of what tells sizes apart, the plainest first.
const FORMS: [Form; 3] = [own_parts, own_values, own_cut_word];

/// The most parts that are tried for those that tell sizes apart, or that are read without their keys.
const MOST_PARTS: usize = 3;

/// `n=1024 caches=cold` as `n=1024 cold`.
fn all_parts(text: &str, _: &[&str], _: usize) -> String {
    with_keys(&parts_of(text))
}

/// `args=input;workload=full` as `…full`.
fn own_parts(text: &str, keys: &[&str], _: usize) -> String {
    format!("…{}", with_keys(&parts_of_keys(text, keys)))
}

/// `rows=2;cols=2 timing=batch` as `2 2 batch`.
fn own_values(text: &str, keys: &[&str], _: usize) -> String {
    bare(&parts_of_keys(text, keys))
}

/// `rows=16384 timing=batch` as `16384 ba…`: a word at the end gives way, no number does.
fn own_cut_word(text: &str, keys: &[&str], width: usize) -> String {
    let own = parts_of_keys(text, keys);
    let all = bare(&own);
    let ends_in_word = own.last().is_some_and(|part| is_word(without_key(part)));
    let numbers = values(&own[..own.len().saturating_sub(1)]).width();
    if ends_in_word && numbers + 3 < width { clipped_text(&all, width) } else { all }
}

fn parts_of(text: &str) -> Vec<&str> {
    text.split([' ', ';']).collect()
}

fn parts_of_keys<'t>(text: &'t str, keys: &[&str]) -> Vec<&'t str> {
    parts_of(text).into_iter().filter(|part| keys.contains(&key_of(part))).collect()
}

/// The keys whose parts are not the same in all of these sizes, those of numbers first.
fn differing_keys(texts: &[String]) -> Vec<&str> {
    let shared = shared_parts(texts, |c| c == ' ' || c == ';');
    let own = texts.iter().flat_map(|text| parts_of(text)).filter(|part| !shared.contains(part));
    let (words, numbers): (Vec<&str>, Vec<&str>) = own.partition(|part| is_word(without_key(part)));
    let mut keys: Vec<&str> = Vec::new();
    for key in numbers.into_iter().chain(words).map(key_of) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Every choice of so many of these keys, the first ones first.
fn chosen<'t>(keys: &[&'t str], count: usize) -> Vec<Vec<&'t str>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let with_first = |at: usize| {
        let rest = chosen(&keys[at + 1..], count - 1);
        rest.into_iter().map(move |others| [vec![keys[at]], others].concat())
    };
    (0..keys.len()).flat_map(with_first).collect()
}

/// `n=1024 cold`: numbers with their keys.
fn with_keys(parts: &[&str]) -> String {
    parts.iter().map(|part| without_key(part)).collect::<Vec<_>>().join(" ")
}

/// The values of few parts; more of them are nothing without their keys.
fn bare(parts: &[&str]) -> String {
    if parts.len() > MOST_PARTS { with_keys(parts) } else { values(parts) }
}

/// `1024 cold`.
fn values(parts: &[&str]) -> String {
    let value = |part: &&'_ str| part.split_once('=').map_or(*part, |(_, value)| value).to_string();
    parts.iter().map(value).collect::<Vec<_>>().join(" ")
}

/// An interval in at most so many columns: one of two units loses its blanks before its end is cut.
pub(super) fn clipped_interval(text: &str, width: usize) -> String {
    if text.width() <= width { text.to_string() } else { clipped_text(&text.replace(' ', ""), width) }
}

/// The key of a part; of a word without one the word.
fn key_of(part: &str) -> &str {
    part.split_once('=').map_or(part, |(key, _)| key)
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
            ("n=1024 caches=cold", 9, "1024 cold"),
            ("n=16384 caches=warm", 9, "n=16384 …"),
            ("n=268435456", 9, "268435456"),
            ("m=512 n=512 k=512", 9, "m=512 …"),
            ("timing=batch rows=16384", 9, "16384 …"),
            ("m=512 n=65536000", 9, "m=512 …"),
            ("n=1024 beta=0", 9, "1024 0"),
            ("b=32;m=256;n=512", 9, "b=32 …"),
            ("b=16;ic=64;oc=64;h=56;pad=1", 9, "b=16 …"),
            ("b=16;s=2048;h=32;kv=8", 14, "b=16 s=2048 …"),
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
        // Numbers that are whole, of those that tell them apart; words where numbers do not.
        let square = ["m=512;n=512;k=512", "m=1024;n=1024;k=1024", "m=16384;n=16384;k=16384"];
        assert_eq!(apart(&square, 9), ["…m=512", "…m=1024", "…m=16384"]);
        let batches =
            ["rows=16384;cols=1024 batch", "rows=16384;cols=2048 batch", "rows=16384;cols=2048 cold"];
        assert_eq!(apart(&batches, 9), ["1024 bat…", "2048 bat…", "2048 cold"]);
        let timings = [
            "rows=16384;cols=1024;timing=batch",
            "rows=16384;cols=1024;timing=cold",
            "rows=2048;cols=16384;timing=cold",
        ];
        assert_eq!(apart(&timings, 9), ["16384 ba…", "16384 co…", "2048 cold"]);
    }
}
