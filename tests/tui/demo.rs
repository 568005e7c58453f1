//! The moving picture of the README: a script played to the real program in a pseudo-terminal. What it shows is kept as an
//! asciicast (`docs/pictures/demo.cast`, for asciinema's players) and as an SVG that moves by itself. Every test run plays the
//! script again and waits for each kept screen to come, so neither drifts.
//! `ROOFSWAP_REDRAW=1 cargo test --test tui demo` records it anew.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml allows it in test functions; their helpers stand outside"
)]

use crate::picture::{DARK, Glyph, assert_kept, line_svg, line_top, page_svg};
use crate::walk::{Walk, fresh, start_command};
use portable_pty::CommandBuilder;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::num::NonZero;
use vt100::{Color, Parser, Screen};

/// Columns and lines.
const SIZE: (u16, u16) = (110, 32);

/// One step: keys, what is then on the screen, what is said of it, and how long it stays, in seconds.
struct Step {
    keys: &'static str,
    shows: &'static str,
    caption: &'static str,
    stays: f64,
}

const fn step(keys: &'static str, shows: &'static str, caption: &'static str, stays: f64) -> Step {
    Step { keys, shows, caption, stays }
}

const SCRIPT: [Step; 12] = [
    step("", "TITAN V ▶ RTX 4070", "one measurement on TITAN V: what would it take on RTX 4070?", 3.0),
    step("+", "n=1024", "+  a larger problem", 1.5),
    step("x", "RTX 4070 ▶ TITAN V", "x  source and target swapped", 1.5),
    step("x", "TITAN V ▶ RTX 4070", "x  and back", 1.0),
    step(":", "Command", ":  a command", 0.7),
    step("h100-sxm5", "h100-sxm5_", ":h100-sxm5  another target", 1.0),
    step("\r", "TITAN V ▶ H100", "every pane follows", 2.5),
    step("\r", "Explanation", "Enter  why: source time times every factor", 4.0),
    step("\r", "Predictions", "", 0.5),
    step("2", "Board", "2  all GPUs, fastest first", 3.5),
    step("3", "What if", "3  the target, number by number: which of them matter", 3.0),
    step("LL", "◇", "L  more of one: every view follows", 3.5),
];

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

fn blank_terminal() -> Parser {
    Parser::new(cells(SIZE.1), cells(SIZE.0), 0)
}

fn started() -> Walk {
    let mut command = CommandBuilder::new(crate::walk::PROGRAM);
    command.args(["--fresh", "--theme", "dark"]);
    command.env("TERM", "xterm-256color");
    command.env("COLORTERM", "truecolor");
    start_command(SIZE.0, SIZE.1, fresh(), command)
}

/// The screens after each step, played anew.
fn recorded() -> Vec<Screen> {
    let mut walk = started();
    let screens = SCRIPT.iter().map(|step| {
        walk.press(step.keys).wait(step.shows).wait_until_silent();
        walk.screen.screen().clone()
    });
    let screens = screens.collect();
    walk.press("q");
    assert_eq!(walk.gone().0, 0);
    screens
}

/// The recording, format version 2 of asciinema: a header, then what is written at which second.
fn asciicast(screens: &[Screen]) -> String {
    let header = serde_json::json!({
        "version": 2, "width": SIZE.0, "height": SIZE.1, "title": "roofswap", "env": { "TERM": "xterm-256color" }
    });
    let mut out = format!("{header}\n");
    let (mut shown, mut seconds) = (blank_terminal().screen().clone(), 0.0);
    for (screen, step) in screens.iter().zip(&SCRIPT) {
        writeln!(out, "{}", serde_json::json!([seconds, "o", screen.contents_diff(&shown)])).unwrap();
        shown = screen.clone();
        seconds += step.stays;
    }
    out
}

/// The screens of a recording.
fn screens_of_cast(cast: &str) -> Vec<Screen> {
    let mut terminal = blank_terminal();
    let events =
        cast.lines().skip(1).map(|line| serde_json::from_str::<(f64, String, String)>(line).unwrap());
    let screens = events.map(|(_, _, written)| {
        terminal.process(written.as_bytes());
        terminal.screen().clone()
    });
    screens.collect()
}

fn hexadecimal(colour: Color) -> Option<String> {
    match colour {
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        Color::Default | Color::Idx(_) => None,
    }
}

fn screen_glyphs(screen: &Screen) -> Vec<Vec<Glyph>> {
    (0..SIZE.1).map(|line| line_glyphs(screen, line)).collect()
}

/// What is seen of a line: a blank has no ink.
fn line_glyphs(screen: &Screen, line: u16) -> Vec<Glyph> {
    (0..SIZE.0)
        .map(|column| {
            let cell = screen.cell(line, column).unwrap();
            let paper = hexadecimal(cell.bgcolor());
            if cell.contents().trim().is_empty() {
                return Glyph { text: " ".into(), paper, ..Glyph::default() };
            }
            Glyph { text: cell.contents().into(), ink: hexadecimal(cell.fgcolor()), paper, bold: cell.bold() }
        })
        .collect()
}

/// The same with blanks in the colours of the letter before them, so that words of one colour are one run.
fn joined_words(mut line: Vec<Glyph>) -> Vec<Glyph> {
    for at in 1..line.len() {
        if line[at].text == " " && line[at].paper == line[at - 1].paper {
            line[at] = Glyph { text: " ".into(), ..line[at - 1].clone() };
        }
    }
    line
}

/// The steps during which something is on the screen: from one, up to another.
type Shown = std::ops::Range<usize>;

/// Runs of equal things, one per step.
fn runs(drawn: &[String]) -> impl Iterator<Item = (Shown, &String)> {
    let mut from = 0;
    drawn.chunk_by(|a, b| a == b).map(move |run| {
        let shown = from..from + run.len();
        from = shown.end;
        (shown, &run[0])
    })
}

/// A picture that moves: each line of each screen once, shown as long as it stands, over and over; what was pressed below.
fn moving_svg(screens: &[Screen]) -> String {
    let lines = usize::from(SIZE.1);
    let mut out = page_svg(usize::from(SIZE.0), lines + 2, DARK);
    let mut groups = String::new();
    let mut shown_in = BTreeMap::new();
    let mut add = |drawn: &[String]| {
        for (shown, svg) in runs(drawn).filter(|(_, svg)| !svg.is_empty()) {
            let next = shown_in.len();
            let class: usize = *shown_in.entry((shown.start, shown.end)).or_insert(next);
            write!(groups, "<g class=\"s{class}\">\n{svg}</g>\n").unwrap();
        }
    };
    for line in 0..SIZE.1 {
        let top = line_top(usize::from(line));
        let drawn: Vec<String> =
            screens.iter().map(|s| line_svg(&joined_words(line_glyphs(s, line)), top, DARK)).collect();
        add(&drawn);
    }
    let captions: Vec<String> = SCRIPT
        .iter()
        .map(|step| line_svg(&caption_glyphs(step.caption), line_top(lines + 1), DARK))
        .collect();
    add(&captions);
    out.push_str(&animation(&shown_in));
    out + &groups + "</svg>\n"
}

fn caption_glyphs(caption: &str) -> Vec<Glyph> {
    let letter =
        |c: char| Glyph { text: c.to_string(), ink: Some("#f0c674".into()), paper: None, bold: true };
    caption.chars().map(letter).collect()
}

/// When each class of lines is visible.
fn animation(shown_in: &BTreeMap<(usize, usize), usize>) -> String {
    let ends: Vec<f64> = SCRIPT
        .iter()
        .scan(0.0, |seconds, step| {
            *seconds += step.stays;
            Some(*seconds)
        })
        .collect();
    let whole = ends[ends.len() - 1];
    let percent = |step: usize| if step == 0 { 0.0 } else { 100.0 * ends[step - 1] / whole };
    let mut style = String::from("<style>\n");
    for (&(from, to), class) in shown_in {
        if (from, to) == (0, SCRIPT.len()) {
            continue;
        }
        let before = if from == 0 { String::new() } else { "0%{visibility:hidden}".into() };
        let after = if to == SCRIPT.len() {
            String::new()
        } else {
            format!("{:.3}%{{visibility:hidden}}", percent(to))
        };
        writeln!(style, "@keyframes k{class}{{{before}{:.3}%{{visibility:visible}}{after}}}", percent(from))
            .unwrap();
        writeln!(style, ".s{class}{{animation:k{class} {whole}s step-end infinite}}").unwrap();
    }
    style + "</style>\n"
}

#[test]
fn the_demo_is_what_the_program_shows() {
    if std::env::var_os("ROOFSWAP_REDRAW").is_some() {
        assert_kept("demo.cast", &asciicast(&recorded()));
    }
    let cast =
        std::fs::read_to_string(concat!(env!("ROOFSWAP_CHECKOUT"), "/docs/pictures/demo.cast")).unwrap();
    let kept = screens_of_cast(&cast);
    assert_eq!(kept.len(), SCRIPT.len(), "the script has changed: record it anew");
    let svg = moving_svg(&kept);
    assert_kept("demo.svg", &svg);
    assert!(svg.len() < 300_000, "{} bytes", svg.len());
    roxmltree::Document::parse(&svg).unwrap();
    let mut walk = started();
    for (step, screen) in SCRIPT.iter().zip(&kept) {
        let wanted = screen_glyphs(screen);
        walk.press(step.keys).wait_for_screen(step.caption, |shown| screen_glyphs(shown) == wanted);
    }
    walk.press("q");
    assert_eq!(walk.gone().0, 0);
}
