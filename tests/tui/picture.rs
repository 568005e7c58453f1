//! Screens as SVG: a cell's letter in its colours, braille as dots (fonts disagree about its width). The stills and the moving
//! picture of the README are drawn with it.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their helpers stand outside"
)]

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use std::fmt::Write;

/// Width and height of a cell.
pub const CELL: (f32, f32) = (8.4, 17.0);
/// The space around the screen.
pub const MARGIN: f32 = 12.0;

/// What a cell without a colour of its own is drawn in.
#[derive(Clone, Copy)]
pub struct PageColours {
    pub ink: &'static str,
    pub paper: &'static str,
}

pub const DARK: PageColours = PageColours { ink: "#d0d7de", paper: "#0d1117" };
pub const LIGHT: PageColours = PageColours { ink: "#1f2328", paper: "#ffffff" };

/// A cell: its letter (empty behind a wide one), and its colours where they are not the page's.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Glyph {
    pub text: String,
    pub ink: Option<String>,
    pub paper: Option<String>,
    pub bold: bool,
}

impl Glyph {
    fn has_style_of(&self, other: &Self) -> bool {
        (&self.ink, &self.paper, self.bold) == (&other.ink, &other.paper, other.bold)
    }
}

fn hexadecimal(color: Color) -> Option<String> {
    match color {
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        _ => None,
    }
}

fn glyph(cell: &Cell) -> Glyph {
    let bold = cell.modifier.contains(Modifier::BOLD);
    Glyph { text: cell.symbol().into(), ink: hexadecimal(cell.fg), paper: hexadecimal(cell.bg), bold }
}

/// The cells of a drawn screen, line by line. It must be drawn in all colours: those of a terminal's sixteen are its own.
pub fn drawn_glyphs(buffer: &Buffer) -> Vec<Vec<Glyph>> {
    buffer
        .content()
        .chunks(usize::from(buffer.area.width))
        .map(|line| line.iter().map(glyph).collect())
        .collect()
}

/// The path of a run's braille, and none where there is none.
fn braille_path(run: &[Glyph], left: f32, top: f32) -> String {
    const DOTS: [(u8, u8); 8] = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)];
    let mut path = String::new();
    for (i, glyph) in run.iter().enumerate() {
        let Some(pattern) = glyph.text.chars().next().filter(is_braille) else { continue };
        for (bit, (dx, dy)) in DOTS.into_iter().enumerate() {
            if (pattern as u32 - 0x2800) & (1 << bit) != 0 {
                let x = left + (i as f32 + 0.25 + 0.5 * f32::from(dx)) * CELL.0;
                let y = top + (0.125 + 0.25 * f32::from(dy)) * CELL.1;
                write!(path, "M{x:.1} {y:.1}h0").unwrap();
            }
        }
    }
    path
}

fn is_braille(letter: &char) -> bool {
    ('\u{2800}'..='\u{28ff}').contains(letter)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// One run of cells of the same style.
fn run_svg(run: &[Glyph], left: f32, top: f32, page: PageColours) -> String {
    let mut out = String::new();
    let ink = run[0].ink.as_deref().unwrap_or(page.ink);
    let width = run.len() as f32 * CELL.0;
    if let Some(paper) = &run[0].paper {
        writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{paper}\"/>",
            CELL.1
        )
        .unwrap();
    }
    let path = braille_path(run, left, top);
    if !path.is_empty() {
        writeln!(out, "<path d=\"{path}\" stroke=\"{ink}\" stroke-width=\"2\" stroke-linecap=\"round\"/>")
            .unwrap();
    }
    let text: String =
        run.iter().map(|g| if g.text.starts_with(|c| is_braille(&c)) { " " } else { &g.text }).collect();
    if !text.trim().is_empty() {
        let blanks = text.len() - text.trim_start().len();
        let (left, width) =
            (left + blanks as f32 * CELL.0, width - (run.len() - visible_cells(&text)) as f32 * CELL.0);
        let weight = if run[0].bold { " font-weight=\"bold\"" } else { "" };
        let baseline = top + 13.0;
        writeln!(
            out,
            "<text x=\"{left:.1}\" y=\"{baseline:.1}\" textLength=\"{width:.1}\" fill=\"{ink}\"{weight}>{}</text>",
            escaped(text.trim())
        )
        .unwrap();
    }
    out
}

/// The cells from the first letter to the last.
fn visible_cells(text: &str) -> usize {
    text.trim().chars().count()
}

/// A line of the screen, its top at the given height.
pub fn line_svg(line: &[Glyph], top: f32, page: PageColours) -> String {
    let mut out = String::new();
    let mut from = 0;
    for run in line.chunk_by(Glyph::has_style_of) {
        out.push_str(&run_svg(run, MARGIN + from as f32 * CELL.0, top, page));
        from += run.len();
    }
    out
}

/// The height of the top of a line.
pub fn line_top(line: usize) -> f32 {
    MARGIN + line as f32 * CELL.1
}

/// The page that the lines stand on: the opening tag and the background, for so many columns and lines.
pub fn page_svg(columns: usize, lines: usize, page: PageColours) -> String {
    let (width, height) = (columns as f32 * CELL.0 + 2.0 * MARGIN, lines as f32 * CELL.1 + 2.0 * MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"DejaVu Sans Mono, Menlo, \
         Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\" style=\"white-space:pre\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        page.paper
    )
}

/// A whole screen.
pub fn still_svg(lines: &[Vec<Glyph>], page: PageColours) -> String {
    let mut out = page_svg(lines[0].len(), lines.len(), page);
    for (at, line) in lines.iter().enumerate() {
        out.push_str(&line_svg(line, line_top(at), page));
    }
    out + "</svg>\n"
}

/// A picture of the docs as it is kept; with `ROOFSWAP_REDRAW` it is written first.
pub fn assert_kept(name: &str, drawn: &str) {
    let file = format!("{}/docs/pictures/{name}", env!("ROOFSWAP_CHECKOUT"));
    if std::env::var_os("ROOFSWAP_REDRAW").is_some() {
        std::fs::write(&file, drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == drawn,
        "{file} is out of date: ROOFSWAP_REDRAW=1 cargo test --test tui pictures draws it anew"
    );
}
