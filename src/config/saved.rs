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
}

impl Saved {
    /// Reads a state file's text; anything damaged counts as nothing saved.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
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
}
