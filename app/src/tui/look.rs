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

    /// The sixteen colours of a palette, in the order of ANSI, and what is behind them: on dark or on light.
    struct Palette {
        theme: &'static str,
        background: u32,
        colours: [u32; 16],
        /// The least contrast of text.
        least: f64,
    }

    const XTERM: [u32; 16] = [
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
        0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    ];
    const SOLARIZED: [u32; 16] = [
        0x073642, 0xdc322f, 0x859900, 0xb58900, 0x268bd2, 0xd33682, 0x2aa198, 0xeee8d5, 0x002b36, 0xcb4b16,
        0x586e75, 0x657b83, 0x839496, 0x6c71c4, 0x93a1a1, 0xfdf6e3,
    ];
    const VSCODE_LIGHT: [u32; 16] = [
        0x000000, 0xcd3131, 0x107c10, 0x949800, 0x0451a5, 0xbc05bc, 0x0598bc, 0x555555, 0x666666, 0xcd3131,
        0x14ce14, 0xb5ba00, 0x0451a5, 0xbc05bc, 0x0598bc, 0xa5a5a5,
    ];
    const VSCODE_DARK: [u32; 16] = [
        0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8, 0xbc3fbc, 0x11a8cd, 0xe5e5e5, 0x666666, 0xf14c4c,
        0x23d18b, 0xf5f543, 0x3b8eea, 0xd670d6, 0x29b8db, 0xe5e5e5,
    ];

    /// No accent of Solarized has 4.5 on its light background; bright blue of xterm has 4.43 on black.
    const PALETTES: [Palette; 5] = [
        Palette { theme: "light", background: 0xffffff, colours: XTERM, least: 4.5 },
        Palette { theme: "light", background: 0xffffff, colours: VSCODE_LIGHT, least: 4.5 },
        Palette { theme: "light", background: 0xfdf6e3, colours: SOLARIZED, least: 3.4 },
        Palette { theme: "dark", background: 0x000000, colours: XTERM, least: 4.4 },
        Palette { theme: "dark", background: 0x1e1e1e, colours: VSCODE_DARK, least: 4.5 },
    ];

    /// The contrast ratio of WCAG 2, from 1 to 21.
    fn contrast(a: u32, b: u32) -> f64 {
        let channel = |colour: u32, shift: u32| {
            let part = f64::from((colour >> shift) & 0xff) / 255.0;
            if part <= 0.039_28 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        let luminance =
            |colour| 0.2126 * channel(colour, 16) + 0.7152 * channel(colour, 8) + 0.0722 * channel(colour, 0);
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// One of sixteen in this palette, or the colour itself.
    fn shown_colour(colour: Color, palette: &[u32; 16]) -> u32 {
        const NAMED: [Color; 16] = [
            Color::Black,
            Color::Red,
            Color::Green,
            Color::Yellow,
            Color::Blue,
            Color::Magenta,
            Color::Cyan,
            Color::Gray,
            Color::DarkGray,
            Color::LightRed,
            Color::LightGreen,
            Color::LightYellow,
            Color::LightBlue,
            Color::LightMagenta,
            Color::LightCyan,
            Color::White,
        ];
        match colour {
            Color::Rgb(r, g, b) => u32::from_be_bytes([0, r, g, b]),
            named => palette[NAMED.iter().position(|other| *other == named).unwrap()],
        }
    }

    #[test]
    fn text_is_readable_in_the_usual_palettes() {
        assert!((contrast(0xffffff, 0x000000) - 21.0).abs() < 1e-9);
        assert!(contrast(0x00cd00, 0xffffff) < 2.2, "green of xterm is not read on white");
        for palette in &PALETTES {
            let theme = themes().unwrap().into_iter().find(|theme| theme.name == palette.theme).unwrap();
            for (theme, least) in [(theme.clone(), palette.least), (theme.in_all_colours(), 4.5)] {
                let look = Look(&theme);
                let further = (0..3).map(|place| ("further", look.mark(Meaning::Further(place))));
                let text = [
                    ("dim", look.dim()),
                    ("focus", look.focus()),
                    ("source", look.source()),
                    ("target", look.target()),
                    ("limiter", look.limiter()),
                    ("measured", look.measured()),
                    ("predicted", look.predicted()),
                    ("estimated", look.estimated()),
                    ("caution", look.caution()),
                    ("refusal", look.refusal()),
                    ("key", look.key()),
                ];
                for (meaning, style) in text.into_iter().chain(further) {
                    // What has no colour has that of the terminal's text.
                    let Some(colour) = style.fg else { continue };
                    let found = contrast(shown_colour(colour, &palette.colours), palette.background);
                    assert!(found >= least, "{meaning} of {}: {colour:?} has {found:.2}", palette.theme);
                }
            }
        }
    }
}
