//! Themes as data: a meaning gets a colour name and attributes (`assets/themes/*.toml`). No drawing code names a colour.

use crate::catalogue::{FileError, SpecFile};
use serde::Deserialize;

/// How text of one meaning looks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Paint {
    /// An ANSI colour name (`light-cyan`); none = the terminal's own.
    pub color: Option<String>,
    /// The same where the terminal shows all colours: `#7fd0e8`.
    pub rgb: Option<String>,
    /// An ANSI colour behind the text; none = the terminal's own.
    pub background: Option<String>,
    /// The same where the terminal shows all colours.
    pub background_rgb: Option<String>,
    /// Bold.
    pub bold: bool,
    /// Dim.
    pub dim: bool,
    /// Reversed.
    pub reversed: bool,
    /// Underlined.
    pub underlined: bool,
}

/// One paint per meaning.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaintTheme {
    /// Its name: `dark`, `light`, `mono`.
    pub name: String,
    /// Plain text.
    pub text: Paint,
    /// Context and hints.
    pub dim: Paint,
    /// Headings of panes and columns.
    pub title: Paint,
    /// Border of the pane that has the keyboard.
    pub focus: Paint,
    /// Borders of the others.
    pub border: Paint,
    /// The source GPU.
    pub source: Paint,
    /// The target GPU.
    pub target: Paint,
    /// The resource that limits.
    pub limiter: Paint,
    /// A timed number.
    pub measured: Paint,
    /// A predicted number.
    pub predicted: Paint,
    /// A number without a measurement behind it.
    pub estimated: Paint,
    /// Something the reader must know.
    pub caution: Paint,
    /// Something that cannot be.
    pub refusal: Paint,
    /// The selected row.
    pub selection: Paint,
    /// Keys in the footer and in help.
    pub key: Paint,
}

impl PaintTheme {
    /// The same theme in the colours that the terminal shows: all of them, or the sixteen of ANSI.
    #[must_use]
    pub fn in_all_colours(mut self) -> Self {
        for paint in self.paints_mut() {
            paint.color = paint.rgb.take().or(paint.color.take());
            paint.background = paint.background_rgb.take().or(paint.background.take());
        }
        self
    }

    fn paints_mut(&mut self) -> [&mut Paint; 15] {
        [
            &mut self.text,
            &mut self.dim,
            &mut self.title,
            &mut self.focus,
            &mut self.border,
            &mut self.source,
            &mut self.target,
            &mut self.limiter,
            &mut self.measured,
            &mut self.predicted,
            &mut self.estimated,
            &mut self.caution,
            &mut self.refusal,
            &mut self.selection,
            &mut self.key,
        ]
    }
}

/// A theme that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown theme `{name}`; the themes are: {known}")]
pub struct ThemeError {
    /// As typed.
    pub name: String,
    /// What there is.
    pub known: String,
}

/// The shipped themes, `dark` first.
///
/// # Errors
/// [`FileError`] where one does not parse (a test reads them).
pub fn themes() -> Result<Vec<PaintTheme>, FileError> {
    [
        (
            "assets/themes/dark.toml",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/themes/dark.toml")),
        ),
        (
            "assets/themes/light.toml",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/themes/light.toml")),
        ),
        (
            "assets/themes/mono.toml",
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/themes/mono.toml")),
        ),
    ]
    .into_iter()
    .map(|(name, text)| SpecFile { name, text }.parse())
    .collect()
}

impl PaintTheme {
    /// The theme of this name.
    ///
    /// # Errors
    /// [`ThemeError`] listing all.
    pub fn named(name: &str, all: &[Self]) -> Result<Self, ThemeError> {
        let known = || all.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = all.iter().find(|t| t.name == name).cloned();
        found.ok_or_else(|| ThemeError { name: crate::text::clipped_text(name, 40), known: known() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_themes_load_and_mono_names_no_colour() {
        let all = themes().unwrap();
        assert_eq!(all.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["dark", "light", "mono"]);
        let mono = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/themes/mono.toml"));
        assert!(!mono.contains("color"));
        for theme in all.clone() {
            let shown = theme.clone().in_all_colours();
            assert_eq!(shown.source.color.is_some(), theme.name != "mono");
            assert!(shown.source.color.as_deref().is_none_or(|c| c.starts_with('#')), "{shown:?}");
        }
        assert!(PaintTheme::named("pink", &all).unwrap_err().to_string().contains("dark, light, mono"));
    }
}
