//! What was selected last.

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
}

impl Saved {
    /// Reads a state file's text; anything damaged counts as nothing saved.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
    }

    /// The same beside what another dashboard has written meanwhile: the selection is that of the last one, and the kernels typed there
    /// stay, but for those that were dropped here.
    #[must_use]
    pub fn beside(&self, in_file: &Self) -> Self {
        let is_new = |line: &&String| !self.typed.contains(line) && !self.dropped.contains(line);
        let typed = in_file.typed.iter().filter(is_new).chain(&self.typed).cloned().collect();
        Self { typed, dropped: Vec::new(), ..self.clone() }
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
}
