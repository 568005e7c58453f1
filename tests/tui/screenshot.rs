//! The picture of the README: the first screen as SVG, drawn again and compared at every test run.
//! `ROOFSWAP_REDRAW=1 cargo test --test tui screenshot` writes it anew.

#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their helpers stand outside"
)]

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use roofswap::session::Session;
use roofswap::tui::{DashboardOptions, Message, first_state, update, view};
use std::fmt::Write;

const SIZE: (u16, u16) = (132, 38);
const CELL: (f32, f32) = (8.4, 17.0);
const INK: &str = "#d0d7de";
const PAPER: &str = "#0d1117";

fn rgb(color: Color) -> &'static str {
    match color {
        Color::LightCyan => "#56d4dd",
        Color::LightYellow => "#e3b341",
        Color::LightMagenta => "#d2a8ff",
        Color::LightGreen => "#56d364",
        Color::LightRed => "#ff7b72",
        Color::Yellow => "#d29922",
        Color::DarkGray => "#484f58",
        Color::Gray => "#8b949e",
        _ => INK,
    }
}

/// Colour and weight of a cell; reversed cells swap ink and paper.
fn paint(cell: &Cell) -> (&'static str, bool, bool) {
    let reversed = cell.modifier.contains(Modifier::REVERSED);
    (if reversed { PAPER } else { rgb(cell.fg) }, cell.modifier.contains(Modifier::BOLD), reversed)
}

/// Braille as dots: fonts disagree about its width.
fn dots(text: &str, left: f32, top: f32, ink: &str) -> String {
    let mut path = String::new();
    for (i, c) in text.chars().enumerate() {
        let pattern = (c as u32).checked_sub(0x2800).filter(|p| *p < 256).unwrap_or(0);
        for (bit, (dx, dy)) in
            [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)].into_iter().enumerate()
        {
            if pattern & (1 << bit) != 0 {
                let x = left + (i as f32 + 0.25 + 0.5 * dx as f32) * CELL.0;
                let y = top + (0.125 + 0.25 * dy as f32) * CELL.1;
                write!(path, "M{x:.1} {y:.1}h0").unwrap();
            }
        }
    }
    if path.is_empty() {
        return path;
    }
    format!("<path d=\"{path}\" stroke=\"{ink}\" stroke-width=\"2\" stroke-linecap=\"round\"/>\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn svg(buffer: &Buffer) -> String {
    let (w, h) = (f32::from(SIZE.0) * CELL.0, f32::from(SIZE.1) * CELL.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{PAPER}\"/>\n",
        w + 24.0,
        h + 24.0
    );
    for y in 0..SIZE.1 {
        let mut x = 0;
        while x < SIZE.0 {
            let style = paint(&buffer[(x, y)]);
            let mut end = x;
            let mut text = String::new();
            while end < SIZE.0 && paint(&buffer[(end, y)]) == style {
                text.push_str(buffer[(end, y)].symbol());
                end += 1;
            }
            let (left, top) = (12.0 + f32::from(x) * CELL.0, 12.0 + f32::from(y) * CELL.1);
            let width = f32::from(end - x) * CELL.0;
            if style.2 {
                writeln!(out, "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{INK}\"/>", CELL.1).unwrap();
            }
            out.push_str(&dots(&text, left, top, style.0));
            let text: String =
                text.chars().map(|c| if ('\u{2800}'..='\u{28ff}').contains(&c) { ' ' } else { c }).collect();
            if !text.trim().is_empty() {
                let weight = if style.1 { " font-weight=\"bold\"" } else { "" };
                writeln!(
                    out,
                    "<text x=\"{left:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" fill=\"{}\"{weight}>{}</text>",
                    top + 13.0,
                    style.0,
                    escape(&text)
                )
                .unwrap();
            }
            x = end;
        }
    }
    out + "</svg>\n"
}

#[test]
fn the_picture_of_the_readme_is_the_first_screen() {
    let mut state = first_state(Session::load(None).unwrap(), &DashboardOptions::default()).unwrap();
    update(&mut state, Message::Resize(SIZE.0, SIZE.1));
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1)).unwrap();
    terminal.draw(|frame| view(frame, &state)).unwrap();
    let drawn = svg(terminal.backend().buffer());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/screenshot.svg");
    if std::env::var_os("ROOFSWAP_REDRAW").is_some() {
        std::fs::write(file, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(
        kept == drawn,
        "{file} is out of date: ROOFSWAP_REDRAW=1 cargo test --test tui screenshot draws it anew"
    );
}
