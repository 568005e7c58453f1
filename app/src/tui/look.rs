//! From meanings to styles: the only place where a theme's colour names become the terminal's.

use crate::chart::Meaning;
use crate::config::{Paint, PaintTheme};
use crate::pair::Side;
use ratatui::style::{Color, Modifier, Style};

/// Styles by meaning.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a>(pub &'a PaintTheme);

/// One method per meaning, so that drawing code asks for a meaning and never for a colour.
macro_rules! meanings {
    ($($name:ident),+) => {
        impl Look<'_> {
            $(
                /// The style of this meaning.
                #[must_use]
                pub fn $name(&self) -> Style {
                    style(&self.0.$name)
                }
            )+
        }
    };
}

meanings!(
    text, dim, title, focus, border, source, target, limiter, measured, predicted, estimated, caution,
    refusal, selection, key
);

impl Look<'_> {
    /// The style of a chart's mark.
    #[must_use]
    pub fn mark(&self, meaning: Meaning) -> Style {
        match meaning {
            Meaning::Source => self.source(),
            Meaning::Target => self.target(),
            Meaning::Further(place) => style(&self.0.further[place % self.0.further.len()]),
            Meaning::Limiter => self.limiter(),
            Meaning::Dim => self.dim(),
        }
    }

    /// The style of either GPU.
    #[must_use]
    pub fn side(&self, side: Side) -> Style {
        self.mark(Meaning::side_colour(side))
    }

    /// The style of a column: the source's (0), the target's (1) or a further target's (2, …).
    #[must_use]
    pub fn column(&self, place: usize) -> Style {
        match place {
            0 => self.source(),
            1 => self.target(),
            further => self.mark(Meaning::Further(further - 2)),
        }
    }
}

fn style(paint: &Paint) -> Style {
    let mut style = Style::default();
    // A name no terminal knows paints nothing.
    if let Some(color) = paint.color.as_deref().and_then(|c| c.parse::<Color>().ok()) {
        style = style.fg(color);
    }
    if let Some(color) = paint.background.as_deref().and_then(|c| c.parse::<Color>().ok()) {
        style = style.bg(color);
    }
    for (on, modifier) in [
        (paint.bold, Modifier::BOLD),
        (paint.dim, Modifier::DIM),
        (paint.reversed, Modifier::REVERSED),
        (paint.underlined, Modifier::UNDERLINED),
    ] {
        if on {
            style = style.add_modifier(modifier);
        }
    }
    style
}

/// What `--ascii` shows instead of a symbol; one column wide like the original.
#[must_use]
pub fn ascii(symbol: &str) -> &'static str {
    let Some(c) = symbol.chars().next() else { return " " };
    match c {
        '═' => "=",
        '“' | '”' => "\"",
        '÷' => "/",
        '─' | '━' | '┄' | '┈' | '–' | '—' | '╌' => "-",
        '│' | '┃' | '║' | '┆' | '▏' => "|",
        // Corners and crossings, whatever lines meet there.
        '┌'..='╋' | '╔' | '╗' | '╚' | '╝' | '╒'..='╬' => "+",
        '●' => "o",
        '◆' => "*",
        '○' | '◇' => "~",
        '◀' | '≤' => "<",
        '▶' | '▸' | '→' | '›' => ">",
        '×' => "x",
        'µ' => "u",
        'η' => "e",
        '·' | '∙' => ".",
        '…' => ".",
        '²' => "2",
        '▓' => "=",
        '░' => "-",
        '▲' => "^",
        '▼' => "v",
        '█' | '▉' | '▊' | '▋' | '▌' | '▍' | '▎' => "#",
        '\u{2800}' => " ",
        '\u{2801}'..='\u{28ff}' => braille(c),
        _ => "?",
    }
}

/// A dot pattern as the character that lies where most of its dots lie.
fn braille(c: char) -> &'static str {
    let dots = (c as u32 - 0x2800) as u8;
    let (upper, lower) = ((dots & 0b0001_1011).count_ones(), (dots & 0b1110_0100).count_ones());
    match (dots.count_ones(), upper > lower) {
        (5.., _) => "#",
        (_, true) => "'",
        (_, false) => ".",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::themes;

    #[test]
    fn every_colour_of_the_shipped_themes_is_one_that_terminals_know() {
        for theme in themes().unwrap() {
            let look = Look(&theme);
            let has_colour =
                look.source().fg.is_some() && look.limiter().fg.is_some() && look.refusal().fg.is_some();
            assert_eq!(has_colour, theme.name != "mono", "{}", theme.name);
        }
    }
}
