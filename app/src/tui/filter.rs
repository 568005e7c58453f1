//! The fuzzy filter of every list (kernels, GPUs, commands, files): every word typed must be found, as it stands or as
//! letters in this order.

/// How much of a long text is looked at, from its start: a profiler's name may be half a mebibyte.
const LOOKED_AT: usize = 512;

/// What was typed, ready to be looked for.
pub(super) struct Filter {
    words: Vec<Vec<u8>>,
}

impl Filter {
    pub(super) fn new(typed: &str) -> Self {
        Self { words: typed.to_lowercase().split_whitespace().map(|w| w.as_bytes().to_vec()).collect() }
    }

    /// Whether nothing is asked for, so that everything fits.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The items whose texts fit, the best first; those that fit equally well stay in their order.
    pub(super) fn ranked<T>(&self, items: impl IntoIterator<Item = (T, Vec<String>)>) -> Vec<T> {
        let (mut found, mut scores) = (Vec::new(), Vec::new());
        for (item, texts) in items {
            if let Some(score) = self.score_of_texts(&texts) {
                found.push(Some(item));
                scores.push(score);
            }
        }
        best_first(&scores).into_iter().filter_map(|place| found[place].take()).collect()
    }

    fn score_of_texts(&self, texts: &[String]) -> Option<u32> {
        self.score(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// How well these texts fit; `None` if a word is in none of them. Each word counts where it fits best.
    pub(super) fn score(&self, texts: &[&str]) -> Option<u32> {
        let best = |word: &Vec<u8>| texts.iter().filter_map(|text| fit(word, head(text))).max();
        self.words.iter().map(best).sum()
    }
}

/// The places of these scores, the highest first; equal ones stay in their order.
fn best_first(scores: &[u32]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..scores.len()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(scores[*place]));
    places
}

fn head(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(LOOKED_AT)]
}

/// A word that stands there goes before scattered letters, the start of a text or of a word before its middle, and letters
/// close together before others; letters scattered over more than twice the word are no match.
fn fit(word: &[u8], text: &[u8]) -> Option<u32> {
    let lower = |i: usize| text[i].to_ascii_lowercase();
    let begins = |i: usize| i == 0 || !text[i - 1].is_ascii_alphanumeric();
    let ends = |i: usize| i + 1 == text.len() || !text[i + 1].is_ascii_alphanumeric();
    let mut best = None;
    for start in (0..text.len()).filter(|i| lower(*i) == word[0]) {
        let (mut at, mut gaps) = (start, 0);
        let found = word[1..].iter().all(|letter| {
            let next = (at + 1..text.len()).take(word.len() + 2).find(|i| lower(*i) == *letter);
            next.map(|i| (gaps, at) = (gaps + i - at - 1, i)).is_some()
        });
        if found && gaps <= word.len() && (gaps == 0 || word[0].is_ascii_alphabetic()) {
            let whole = if gaps == 0 { 1000 } else { 400 - 20 * gaps.min(15) as u32 };
            let place = if start == 0 { 200 } else { u32::from(begins(start)) * 100 };
            // A word of its own goes before the beginning of a longer one.
            let exact = u32::from(gaps == 0 && begins(start) && ends(at)) * 150;
            best = best.max(Some(whole + place + exact));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order<'a>(typed: &str, texts: &[&'a str]) -> Vec<&'a str> {
        let filter = Filter::new(typed);
        let mut found: Vec<(u32, &str)> =
            texts.iter().filter_map(|t| filter.score(&[t]).map(|s| (s, *t))).collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, t)| t).collect()
    }

    #[test]
    fn what_stands_there_goes_before_scattered_letters() {
        let kernels = ["shared_transpose", "matmul_tiled", "naive_transpose", "saxpy", "matmul_naive"];
        assert_eq!(order("naive", &kernels), ["naive_transpose", "matmul_naive"]);
        assert_eq!(order("mmt", &kernels), [""; 0]);
        assert_eq!(order("mtml", &kernels), ["matmul_tiled", "matmul_naive"]);
        assert_eq!(order("SAX", &kernels), ["saxpy"]);
        assert_eq!(order("", &kernels), kernels);
    }

    #[test]
    fn digits_alone_must_stand_together() {
        assert_eq!(order("4096", &["n=4096", "n=1408096", "n=40196"]), ["n=4096"]);
        assert_eq!(order("rtx40", &["rtx-4070", "rtx-3090", "gtx-1080-ti"]), ["rtx-4070"]);
    }

    #[test]
    fn ten_thousand_long_names_are_filtered() {
        let name = format!("void at::native::kernel<{}>(int)", "at::native::functor<float>, ".repeat(4000));
        let filter = Filter::new("vectorized float");
        let found = (0..10_000).filter(|_| filter.score(&[&name, "n=4096"]).is_some()).count();
        assert_eq!(found, 0);
    }
}
