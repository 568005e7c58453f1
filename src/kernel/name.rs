//! Kernel names short enough to read: a profiler's name is the whole C++ signature, up to 512 KiB of it.
//!
//! ```
//! use roofswap_engine::kernel::short_name;
//! let full = "void cutlass::Kernel<cutlass_80_simt_sgemm_128x128_8x4_nn_align1>(T1::Params)";
//! assert_eq!(short_name(full), "cutlass::Kernel");
//! ```

use super::symbol::{demangled_name, first_name};
use hashbrown::{HashMap, HashSet};
use std::borrow::Cow;

/// The longest label, in characters.
pub const WIDEST_LABEL: usize = 48;

/// So many names are compared each with each.
const MOST_COMPARED: usize = 300;

/// How often texts are cut anew that look alike behind their first difference, too.
const MOST_CUTS: usize = 4;

/// The label of a demangled kernel name: without return type, template arguments and parameters, and with `…` in the
/// middle where it is still long. What is no C++ signature stays as it is, but for its length.
#[must_use]
pub fn short_name(full: &str) -> String {
    short_name_within(full, WIDEST_LABEL)
}

/// [`short_name`] in at most so many characters.
#[must_use]
pub fn short_name_within(full: &str, width: usize) -> String {
    clip_middle(&pieces(full).bare, width)
}

/// The label with its template arguments, for kernels whose [`short_name`] is the same.
#[must_use]
pub fn long_name(full: &str) -> String {
    long_name_within(full, WIDEST_LABEL)
}

/// [`long_name`] in at most so many characters.
#[must_use]
pub fn long_name_within(full: &str, width: usize) -> String {
    clip_middle(&pieces(full).with_arguments, width)
}

/// At most `width` characters, `…` in the middle where some are left out.
#[must_use]
pub fn clip_middle(text: &str, width: usize) -> String {
    // No character is more than four bytes; a long name need not be counted to its end.
    if text.len() <= width || (text.len() <= 4 * width && text.chars().count() <= width) {
        return text.to_string();
    }
    let kept = width.saturating_sub(1);
    let head: String = text.chars().take(kept.div_ceil(2)).collect();
    let mut tail: Vec<char> = text.chars().rev().take(kept / 2).collect();
    tail.reverse();
    head + "…" + &tail.into_iter().collect::<String>()
}

/// A text in so many characters; where one of these other texts is cut alike, as its first word and what tells it from those: of
/// `aten::bmm [96,3137,64]` beside `aten::bmm [96,3137,8]` `bmm…64]`. `clip` cuts a text that stands alone.
pub fn clip_at_difference<'a>(
    text: &str,
    others: impl Iterator<Item = &'a str>,
    width: usize,
    clip: impl Fn(&str) -> String,
) -> String {
    let whole = clip(text);
    let alike = others.filter(|other| *other != text && clip(other) == whole);
    let same_letters = |other: &str| text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let Some(same) = alike.map(same_letters).min() else { return whole };
    let letters: Vec<char> = text.chars().collect();
    let from = letters[..same].iter().rposition(|letter| !letter.is_alphanumeric()).map_or(0, |at| at + 1);
    let head: Vec<char> = first_word(text).chars().take(width / 2).collect();
    let room = width.saturating_sub(head.len() + 1);
    // A long word that differs at its end alone loses its begin.
    let is_seen = letters.len() - from <= room || same - from + 1 < room;
    let from = if is_seen { from } else { same - room / 2 };
    let (head, tail) = (String::from_iter(head), &letters[from..]);
    if tail.len() <= room {
        return format!("{head}…{}", String::from_iter(tail));
    }
    let end = if room > 0 { "…" } else { "" };
    format!("{head}…{}{end}", String::from_iter(&tail[..room.saturating_sub(1)]))
}

/// Texts in so many characters each: without their middle, or cut where they differ from those that would look alike.
#[must_use]
pub fn clip_apart(texts: &[String], width: usize) -> Vec<String> {
    let mut clipped: Vec<String> = texts.iter().map(|text| clip_alone(text, width)).collect();
    for _ in 0..MOST_CUTS {
        let Some(next) = cut_again(texts, &clipped, width) else { break };
        clipped = next;
    }
    for (place, named) in by_differences(texts, &clipped, width) {
        clipped[place] = named;
    }
    clipped
}

/// Names that would look alike as their first word and all that they differ in, which has room in narrow columns, too; cut apart where
/// that does not tell them apart.
#[must_use]
pub fn names_by_difference(names: &[String], width: usize) -> Vec<String> {
    let mut named = names.to_vec();
    for (place, name) in by_differences(names, &vec![String::new(); names.len()], width) {
        named[place] = name;
    }
    let is_apart = count_distinct(&named) == count_distinct(names);
    if is_apart || names.len() > MOST_COMPARED { named } else { clip_apart(names, width) }
}

/// How many of these texts differ.
#[must_use]
pub fn count_distinct(texts: &[String]) -> usize {
    texts.iter().collect::<HashSet<_>>().len()
}

/// The form of some texts that tells most of them apart, the first one of equals.
#[must_use]
pub fn most_distinct<const N: usize>(forms: [Vec<String>; N]) -> Vec<String> {
    forms.into_iter().rev().max_by_key(|form| count_distinct(form)).unwrap_or_default()
}

/// The parts between such characters that all of these texts have.
#[must_use]
pub fn shared_parts<'t>(texts: &'t [String], is_end: impl Fn(char) -> bool + Copy) -> HashSet<&'t str> {
    let parts = texts.iter().map(|text| text.split(is_end).collect::<HashSet<&'t str>>());
    parts.reduce(|shared, own| &shared & &own).unwrap_or_default()
}

/// What is still cut alike, since it differs in several places, is shown as its first word and all that it differs in: instances of one
/// template are `device_kernel…3…64` and `device_kernel…4…64`.
fn by_differences(texts: &[String], clipped: &[String], width: usize) -> Vec<(usize, String)> {
    let mut of_shown: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (text, shown) in texts.iter().zip(clipped) {
        of_shown.entry(shown).or_default().insert(text);
    }
    let is_alike = |place: &usize| of_shown[clipped[*place].as_str()].len() > 1;
    let alike: Vec<usize> = (0..texts.len()).filter(is_alike).collect();
    let mut of_word: HashMap<&str, Vec<usize>> = HashMap::new();
    for place in alike {
        of_word.entry(first_word(&texts[place])).or_default().push(place);
    }
    let mut named = Vec::new();
    for (head, places) in of_word {
        let words: Vec<Vec<&str>> = places.iter().map(|place| words_of(&texts[*place])).collect();
        let differs = |at: &usize| words.iter().any(|other| other.get(*at) != words[0].get(*at));
        let most = words.iter().map(Vec::len).max().unwrap_or(0);
        let differing: Vec<usize> = (0..most).filter(differs).collect();
        for (place, words) in places.iter().zip(&words) {
            let parts: Vec<&str> = differing.iter().filter_map(|at| words.get(*at).copied()).collect();
            let parts = parts.join("…");
            let room = width.saturating_sub(parts.chars().count() + 1);
            let head: String = head.chars().take(room.max(width / 4)).collect();
            named.push((*place, clip_middle(&format!("{head}…{parts}"), width)));
        }
    }
    named
}

/// The letters and digits between the signs of a text.
fn words_of(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
        .collect()
}

/// The first word of a name without its namespaces; template arguments have namespaces of their own.
fn first_word(text: &str) -> &str {
    let text = text.strip_prefix("void ").unwrap_or(text);
    let word = text.split([' ', '<']).next().unwrap_or_default();
    word.rsplit("::").next().unwrap_or_default()
}

/// A text without its middle; of template arguments their end says nothing.
fn clip_alone(text: &str, width: usize) -> String {
    if !text.ends_with('>') || text.chars().count() <= width {
        return clip_middle(text, width);
    }
    let head: String = text.chars().take(width.saturating_sub(1)).collect();
    head + "…"
}

/// Those of these texts that are cut alike where they differ; `None` where all are apart.
fn cut_again(texts: &[String], clipped: &[String], width: usize) -> Option<Vec<String>> {
    let mut alike: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (text, shown) in texts.iter().zip(clipped) {
        alike.entry(shown).or_default().insert(text);
    }
    let cut = |(text, shown): (&String, &String)| {
        clip_at_difference(text, alike[shown.as_str()].iter().copied(), width, |_| shown.clone())
    };
    let is_apart = alike.values().all(|texts| texts.len() == 1);
    (!is_apart).then(|| texts.iter().zip(clipped).map(cut).collect())
}

/// A signature taken apart.
struct Pieces<'a> {
    bare: String,
    with_arguments: Cow<'a, str>,
}

/// What is in brackets of either kind is dropped; where the brackets do not match, nothing is.
fn pieces(full: &str) -> Pieces<'_> {
    let full = full.trim();
    if let Some(name) = demangled_name(full) {
        let Pieces { bare, with_arguments } = pieces(&name);
        return Pieces { bare, with_arguments: Cow::Owned(with_arguments.into_owned()) };
    }
    if let Some(bare) = first_name(full) {
        return Pieces { bare, with_arguments: Cow::Borrowed(full) };
    }
    // A kernel returns nothing: its return type is always this one.
    let name = full.strip_prefix("void ").unwrap_or(full);
    let whole = || Pieces { bare: name.to_string(), with_arguments: Cow::Borrowed(name) };
    let (mut bare, mut kept_from, mut open, mut before) = (String::new(), 0, Vec::new(), b' ');
    for (i, byte) in name.bytes().enumerate() {
        match byte {
            b'<' if opens(name, i, before) || (before == b'<' && !open.is_empty()) => {
                if open.is_empty() {
                    bare.push_str(&name[kept_from..i]);
                }
                open.push(b'>');
            }
            b'(' if open.is_empty() && opens(name, i, before) => {
                bare.push_str(&name[kept_from..i]);
                return Pieces { bare, with_arguments: Cow::Borrowed(&name[..i]) };
            }
            b'(' if !open.is_empty() => open.push(b')'),
            b'{' if !open.is_empty() => open.push(b'}'),
            b'>' | b')' | b'}' if open.last() == Some(&byte) && before != b'-' => {
                open.pop();
                kept_from = i + 1;
            }
            _ => {}
        }
        before = byte;
    }
    if !open.is_empty() {
        return whole();
    }
    bare.push_str(&name[kept_from..]);
    if bare.is_empty() { whole() } else { Pieces { bare, with_arguments: Cow::Borrowed(name) } }
}

/// Whether the bracket at `i` belongs to the name before it: `k<`, `k(`, `k<int>(`; not `conv (3x3)`, `a < b`,
/// `(anonymous namespace)::k`, and not the signs of an operator.
fn opens(name: &str, i: usize, before: u8) -> bool {
    let named = before.is_ascii_alphanumeric() || matches!(before, b'_' | b'>' | b')' | b'}' | b']');
    let head = &name.as_bytes()[..i];
    if head.ends_with(b"operator") {
        return false;
    }
    if name.as_bytes()[i] == b'<' {
        return named && !head.ends_with(b"operator<");
    }
    // `operator<(`, `operator==(`, `operator<=>(`
    let signs = |n: usize| head.len().checked_sub(n).map(|at| head.split_at(at));
    let of_operator =
        |n| signs(n).is_some_and(|(h, s)| h.ends_with(b"operator") && s.iter().all(u8::is_ascii_punctuation));
    named || (1..=3).any(of_operator)
}

/// The names of a typed list, parted at `;` and at commas that stand in no brackets: `saxpy,fft<4096, EPT<16>>` is two.
#[must_use]
pub fn listed_names(list: &str) -> Vec<&str> {
    let mut open = 0_usize;
    let parts = list.split(|c| {
        match c {
            '<' | '(' | '[' | '{' => open += 1,
            '>' | ')' | ']' | '}' => open = open.saturating_sub(1),
            _ => {}
        }
        matches!(c, ',' | ';') && open == 0
    });
    parts.map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_that_differ_in_several_places_show_all_of_them() {
        let name = |stages: u32, tile: u32| {
            format!(
                "cutlass::device_kernel<cutlass::gemm::Collective<Stages<{stages}>, cute::tuple<cute::C<{tile}>, cute::C<128>>>, int>"
            )
        };
        let all: Vec<String> =
            [(3, 64), (3, 128), (4, 64), (4, 128)].map(|(stages, tile)| name(stages, tile)).into();
        let cut = ["3…64", "3…128", "4…64", "4…128"].map(|parts| format!("device_kernel…{parts}"));
        assert_eq!(names_by_difference(&all, 48), cut);
        assert_eq!(names_by_difference(&all, 16)[1], "device_ker…3…128");
        assert_eq!(names_by_difference(&all[..1], 200), all[..1]);
        let far = all.iter().map(|name| name.replace(">, cute", &format!(">, {}, cute", "X".repeat(60))));
        assert_eq!(clip_apart(&far.collect::<Vec<_>>(), 30), cut);
    }

    #[test]
    fn a_list_of_names_is_parted_outside_of_brackets() {
        let fft = "vector_fft<4096, EPT<16>, 1>";
        assert_eq!(listed_names(fft), [fft]);
        assert_eq!(
            listed_names(&format!("saxpy,{fft};gemm(int, float)")),
            ["saxpy", fft, "gemm(int, float)"]
        );
        assert_eq!(listed_names("a->b, c"), ["a->b", "c"]);
        assert_eq!(listed_names(""), [""]);
    }

    #[test]
    fn signatures_become_names() {
        for (full, short) in [
            ("saxpy", "saxpy"),
            ("void gemm<float>(int)", "gemm"),
            ("saxpy(int, float, float const*, float*)", "saxpy"),
            (
                "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)",
                "at::native::vectorized_elementwise_kernel",
            ),
            ("void (anonymous namespace)::reduce<512u, (bool)1>(float*)", "(anonymous namespace)::reduce"),
            ("void k<(3 > 2), &f<int>>::run(int)", "k::run"),
            ("void f<decltype(a->b)>(int)", "f"),
            ("thing::operator()(int) const", "thing::operator()"),
            ("bool operator<(A const&, B const&)", "bool operator<"),
            // Not C++.
            ("BlackScholes:BlackScholesGPU", "BlackScholes:BlackScholesGPU"),
            ("conv (3x3)", "conv (3x3)"),
            ("a < b", "a < b"),
            ("broken<int", "broken<int"),
            // Not demangled.
            ("_Z5saxpyifPKfPf", "saxpy"),
            ("_ZN7cutlass13device_kernelINS_4gemm6kernelEEEvT_", "cutlass::device_kernel"),
            ("_Z99saxpy", "_Z99saxpy"),
            ("_ZTI", "_ZTI"),
            ("", ""),
        ] {
            assert_eq!(short_name(full), short, "{full}");
        }
        assert_eq!(long_name("void k<float, 3>(int)"), "k<float, 3>");
        let referring_back = long_name("_ZN7cutlass13device_kernelINS_4gemm6kernelEEEvT_");
        assert_eq!(referring_back, "cutlass::device_kernel<cutlass::gemm::kernel>");
    }

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(clip_middle("abcdefghij", 5), "ab…ij");
        assert_eq!(clip_middle("äöüäöüäöü", 9), "äöüäöüäöü");
        let long = format!("void cutlass_80_{}_align1<int>(int)", "x".repeat(1 << 19));
        let short = short_name(&long);
        assert!(short.starts_with("cutlass_80_") && short.ends_with("_align1"), "{short}");
        assert_eq!(short.chars().count(), WIDEST_LABEL);
    }

    #[test]
    fn half_a_mebibyte_of_brackets_is_no_trouble() {
        for full in ["<".repeat(1 << 19), "k<".repeat(1 << 18), "k(".repeat(1 << 18), "é<".repeat(1 << 17)] {
            assert!(short_name(&full).chars().count() <= WIDEST_LABEL);
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_name_of_bounded_length(full in "\\PC{0,40}[<>(){}a-z: é-]{0,60}") {
            prop_assert!(short_name(&full).chars().count() <= WIDEST_LABEL);
            prop_assert!(long_name(&full).chars().count() <= WIDEST_LABEL);
            prop_assert_eq!(short_name(&full).is_empty(), full.trim().is_empty() || full.trim_start() == "void");
        }
    }

    #[test]
    fn operators_that_begin_alike_show_where_they_differ() {
        let products = ["aten::bmm [96,3137,64] [96,64,3137]", "aten::bmm [96,3137,3137] [96,3137,64]"];
        let begin = |text: &str, width: usize| match text.len() <= width {
            true => text.to_string(),
            false => format!("{}…", &text[..width - 1]),
        };
        let cut = |text: &str, width| {
            clip_at_difference(text, products.into_iter(), width, |text| begin(text, width))
        };
        assert_eq!(products.map(|text| cut(text, 15)), ["bmm…64] [96,64…", "bmm…3137] [96,…"]);
        assert_eq!(products.map(|text| cut(text, 22)), ["aten::bmm [96,3137,64…", "aten::bmm [96,3137,31…"]);
        assert_eq!(products.map(|text| cut(text, 5)), ["bm…6…", "bm…3…"]);
        assert_eq!(cut("aten::mul [8,12,3137]", 12), "aten::mul […");
    }

    #[test]
    fn names_that_were_cut_before_are_cut_where_they_differ() {
        let names =
            ["tn", "nn"].map(|layout| format!("cutlass_80_tensorop_bf16…_256x128_64x3_{layout}_align2"));
        assert_eq!(clip_apart(&names, 16), ["cutlass_…tn_ali…", "cutlass_…nn_ali…"]);
    }

    #[test]
    fn names_that_differ_in_the_middle_alone_are_cut_there() {
        let names = ["gemm_tilesize128x128_stage3_align8", "gemm_tilesize128x256_stage3_align8"];
        let cut = clip_apart(&names.map(String::from), 20);
        assert!(cut[0] != cut[1] && cut.iter().all(|name| name.chars().count() <= 20), "{cut:?}");
        assert_eq!(clip_apart(&["abcdefghij".to_string()], 5), ["ab…ij"]);
    }

    #[test]
    fn names_that_look_alike_behind_their_first_difference_are_cut_at_the_next() {
        let arguments = ["4, AddFunctor<float, float>", "4, AddFunctor<float, long>", "2, MulFunctor<n::T>"];
        let cut = clip_apart(&arguments.map(|all| format!("very_long_kernel<{all}>")), 16);
        assert!(
            cut.iter().all(|name| name.starts_with("very_lon…") && name.chars().count() <= 16),
            "{cut:?}"
        );
        assert!(cut[0] != cut[1] && cut[1] != cut[2], "{cut:?}");
    }
}
