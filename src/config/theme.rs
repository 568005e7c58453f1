//! Themes as data: a meaning gets a colour name and attributes (`assets/themes/*.toml`). No drawing code names a colour.

use super::paths::toml_files;
use crate::catalogue::{FileError, SpecFile, read_limited};
use serde::Deserialize;
use std::path::Path;

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
    /// Further targets, in their order; those of a theme that names none look like plain text.
    #[serde(default)]
    pub further: [Paint; 3],
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

    fn paints_mut(&mut self) -> impl Iterator<Item = &mut Paint> {
        let named = [
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
        ];
        named.into_iter().chain(&mut self.further)
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

/// The shipped themes and the user's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThemeBook {
    /// The shipped ones, `dark` first, then the user's by file name; one with a shipped name stands in its place.
    pub themes: Vec<PaintTheme>,
    /// Files of the user's that were refused, and why.
    pub refused: Vec<String>,
}

impl ThemeBook {
    /// The shipped themes, and `themes/*.toml` of the user's folder.
    ///
    /// # Errors
    /// [`FileError`] where a shipped one does not parse (a test reads them).
    pub fn load(user_folder: Option<&Path>) -> Result<Self, FileError> {
        let mut book = Self { themes: themes()?, refused: Vec::new() };
        let files = user_folder.map_or_else(|| Ok(Vec::new()), |folder| toml_files(&folder.join("themes")));
        match files {
            Ok(files) => files.iter().for_each(|file| book.add_file(file)),
            Err(why) => book.refused.push(why.to_string()),
        }
        Ok(book)
    }

    fn add_file(&mut self, path: &Path) {
        let name = path.display().to_string();
        let theme =
            read_limited(path).and_then(|text| SpecFile { name: &name, text: &text }.parse::<PaintTheme>());
        match theme {
            Ok(theme) => match self.themes.iter_mut().find(|shipped| shipped.name == theme.name) {
                Some(shipped) => *shipped = theme,
                None => self.themes.push(theme),
            },
            Err(why) => self.refused.push(why.to_string()),
        }
    }
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

    #[test]
    fn a_theme_of_the_users_joins_or_replaces_and_a_wrong_one_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("themes")).unwrap();
        let dark = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/themes/dark.toml"));
        let named = |name: &str| dark.replacen("name = \"dark\"", &format!("name = \"{name}\""), 1);
        let put =
            |file: &str, text: &str| std::fs::write(folder.path().join("themes").join(file), text).unwrap();
        put("mine.toml", &named("mine"));
        put("light.toml", &named("light"));
        put("wrong.toml", &format!("{}colour = 1\n", named("wrong")));
        let book = ThemeBook::load(Some(folder.path())).unwrap();
        let names: Vec<&str> = book.themes.iter().map(|t| t.name.as_str()).collect();
        assert_eq!(names, ["dark", "light", "mono", "mine"]);
        assert_eq!(book.themes[1].text, book.themes[0].text, "the user's `light` replaces the shipped one");
        assert!(book.refused.len() == 1 && book.refused[0].contains("wrong.toml:"), "{:?}", book.refused);
    }
}
