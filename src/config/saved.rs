//! What was selected last.

use crate::catalogue::SpecFile;
use serde::{Deserialize, Serialize};

/// The selection, in words that survive a changed catalogue; what no longer exists is skipped when it is restored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// Source GPU id.
    pub source: Option<String>,
    /// Target GPU ids, the main one first.
    pub targets: Vec<String>,
    /// Kernel id.
    pub kernel: Option<String>,
    /// Its size.
    pub problem: Option<String>,
    /// Model id.
    pub model: Option<String>,
    /// `peak` or `achieved`.
    pub ceilings: Option<String>,
    /// `exact` or `study`.
    pub rules: Option<String>,
    /// Theme name.
    pub theme: Option<String>,
    /// Typed kernels, each in its one-line form: `4.2ms on rtx-3090, name gemm_tiled, n=2048`.
    pub typed: Vec<String>,
    /// Lines of typed kernels that were dropped or replaced since the file was read; no part of the file.
    #[serde(skip)]
    pub dropped: Vec<String>,
    /// Whether the selection of the file stays as it is, since the dashboard began without it; no part of the file.
    #[serde(skip)]
    pub keeps_selection: bool,
    /// What the file said when the dashboard began; no part of it.
    #[serde(skip)]
    pub at_start: Option<Box<Self>>,
}

/// What is written of one choice: the one of the file, where nothing else was chosen since the start.
fn chosen<T: Clone + PartialEq + Default>(now: &T, at_start: Option<&T>, in_file: &T) -> T {
    let is_kept = at_start == Some(now) && *in_file != T::default();
    if is_kept { in_file.clone() } else { now.clone() }
}

impl Saved {
    /// Reads a state file's text; anything damaged counts as nothing saved.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        SpecFile { name: "", text }.parse().unwrap_or_default()
    }

    /// The same beside what another dashboard has written meanwhile: what was chosen here since the start, else what was chosen there;
    /// the kernels typed there stay, but for those that were dropped here, and those that were dropped there are dropped. A damaged
    /// file drops nothing.
    #[must_use]
    pub fn beside(&self, in_file: &Self) -> Self {
        let is_new = |line: &&String| !self.typed.contains(line) && !self.dropped.contains(line);
        let at_start = self.at_start.as_deref();
        let was_there = |line: &String| at_start.is_some_and(|saved| saved.typed.contains(line));
        let is_file = *in_file != Self::default();
        let is_kept = |line: &&String| !(is_file && was_there(line) && !in_file.typed.contains(line));
        let typed = in_file.typed.iter().filter(is_new).chain(self.typed.iter().filter(is_kept)).cloned();
        let typed = typed.collect();
        let one = |of: fn(&Self) -> &Option<String>| chosen(of(self), at_start.map(of), of(in_file));
        if self.keeps_selection {
            return Self { theme: one(|saved| &saved.theme), typed, ..in_file.clone() };
        }
        Self {
            source: one(|saved| &saved.source),
            targets: chosen(&self.targets, at_start.map(|saved| &saved.targets), &in_file.targets),
            kernel: one(|saved| &saved.kernel),
            problem: one(|saved| &saved.problem),
            model: one(|saved| &saved.model),
            ceilings: one(|saved| &saved.ceilings),
            rules: one(|saved| &saved.rules),
            theme: one(|saved| &saved.theme),
            typed,
            dropped: Vec::new(),
            keeps_selection: false,
            at_start: None,
        }
    }

    /// The text of a state file.
    #[must_use]
    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_comes_back_and_damage_counts_as_nothing() {
        let saved =
            Saved { source: Some("titan-v".into()), targets: vec!["rtx-4070".into()], ..Saved::default() };
        assert_eq!(Saved::parse(&saved.to_text()), saved);
        assert_eq!(Saved::parse("source = ["), Saved::default());
        assert_eq!(Saved::parse("\u{0}\u{1}"), Saved::default());
    }

    #[test]
    fn two_dashboards_do_not_lose_each_others_kernels() {
        let with = |typed: &[&str], dropped: &[&str]| Saved {
            typed: typed.iter().map(ToString::to_string).collect(),
            dropped: dropped.iter().map(ToString::to_string).collect(),
            ..Saved::default()
        };
        // Both began with `a`; one typed `b`, the other one `c` and dropped `a`.
        let first = with(&["a", "b"], &[]).beside(&with(&["a"], &[]));
        assert_eq!(first.typed, ["a", "b"]);
        let second = Saved { source: Some("l4".into()), ..with(&["c"], &["a"]) }.beside(&first);
        assert_eq!(
            (second.typed.as_slice(), second.source.as_deref()),
            (&["b".into(), "c".into()][..], Some("l4"))
        );
        assert!(!second.to_text().contains("dropped"));
    }

    #[test]
    fn a_kernel_that_one_dashboard_drops_does_not_come_back_from_the_other() {
        let of = |typed: &[&str]| Saved {
            source: Some("l4".into()),
            typed: typed.iter().map(ToString::to_string).collect(),
            ..Saved::default()
        };
        let start = Some(Box::new(of(&["a", "b"])));
        let first = Saved { dropped: vec!["b".into()], at_start: start.clone(), ..of(&["a"]) };
        let file = first.beside(&of(&["a", "b"]));
        assert_eq!(file.typed, ["a"]);
        let second = Saved { at_start: start.clone(), ..of(&["a", "b", "c"]) };
        assert_eq!(second.beside(&file).typed, ["a", "c"], "what was typed since stays");
        assert_eq!(second.beside(&Saved::default()).typed, ["a", "b", "c"], "a damaged file drops nothing");
    }

    #[test]
    fn a_dashboard_that_began_without_the_selection_leaves_it() {
        let file = Saved { source: Some("l4".into()), typed: vec!["a".into()], ..Saved::default() };
        let at_start = Some(Box::new(Saved { keeps_selection: true, ..Saved::default() }));
        let fresh = Saved {
            source: Some("t4".into()),
            targets: vec!["h200".into()],
            typed: vec!["b".into()],
            theme: Some("light".into()),
            keeps_selection: true,
            at_start,
            ..Saved::default()
        };
        let written = fresh.beside(&file);
        assert_eq!((written.source.as_deref(), written.targets.len()), (Some("l4"), 0));
        assert_eq!((written.typed, written.theme), (vec!["a".into(), "b".into()], Some("light".into())));
        assert!(!fresh.to_text().contains("keeps_selection"));
    }

    #[test]
    fn two_dashboards_do_not_lose_each_others_choices() {
        let start = Saved { source: Some("l4".into()), targets: vec!["t4".into()], ..Saved::default() };
        let since = |saved: Saved| Saved { at_start: Some(Box::new(start.clone())), ..saved };
        let first = since(Saved { model: Some("hybrid".into()), ..start.clone() }).beside(&start);
        let second = since(Saved { targets: vec!["a100".into()], ..start.clone() }).beside(&first);
        assert_eq!(second.model.as_deref(), Some("hybrid"));
        assert_eq!((second.targets.as_slice(), second.source.as_deref()), (&["a100".into()][..], Some("l4")));
        let alone = since(start.clone()).beside(&Saved::default());
        assert_eq!(alone.source.as_deref(), Some("l4"), "the first one writes all of it");
    }
}
