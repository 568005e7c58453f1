//! A chart as an SVG file. The only file that names plotters: its bare SVG backend, without fonts, so that the same
//! chart gives the same bytes everywhere.

use super::SvgError;
use super::item::{Anchor, Ink, Item, PixelPlace};
use super::scene::{Scene, compose, natural_height};
use super::{ChartSpec, Dash, Meaning};
use plotters::prelude::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, RGBAColor, ShapeStyle, TextStyle};

/// plotters divides the font size by this before it writes it.
const FONT_SCALE: f64 = 1.24;

/// The colours of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SvgTheme {
    /// For paper and white pages.
    #[default]
    Light,
    /// For dark pages.
    Dark,
}

impl SvgTheme {
    /// After Okabe and Ito's palette, which stays apart for colour-blind readers.
    fn colour(self, ink: Ink) -> (u8, u8, u8) {
        let (light, dark) = match ink {
            Ink::Paper => (0xFFFFFF, 0x15181D),
            Ink::Text => (0x1B1F24, 0xE6EAF0),
            Ink::Muted => (0x4A525C, 0xAAB4C0),
            Ink::Grid => (0xE3E7EC, 0x2B3139),
            Ink::Frame => (0x9AA3AE, 0x6B7682),
            Ink::Of(Meaning::Source) => (0x0072B2, 0x56B4E9),
            Ink::Of(Meaning::Target) => (0xC24E00, 0xF0883E),
            Ink::Of(Meaning::Further(place)) => match place % 3 {
                0 => (0x00785A, 0x4CC9A0),
                1 => (0x5B4BB5, 0xA9A0F0),
                _ => (0x7A6A00, 0xD8C45A),
            },
            Ink::Of(Meaning::Limiter) => (0xA0357A, 0xE07BB8),
            Ink::Of(Meaning::Dim) => (0x77808B, 0x8A949F),
        };
        let [_, r, g, b] = u32::to_be_bytes(if self == Self::Light { light } else { dark });
        (r, g, b)
    }
}

/// Draws a chart as SVG. The same chart, theme and size give the same bytes.
///
/// # Errors
/// [`SvgError`] where the canvas is too small or an axis has no extent.
pub fn render_svg(spec: &ChartSpec, theme: SvgTheme, size: (u32, u32)) -> Result<Vec<u8>, SvgError> {
    let scene = compose(spec, size.0, size.1)?;
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    draw_scene(&scene, theme, SVGBackend::with_string(&mut text, size))
        .map_err(|e| SvgError::Draw(e.to_string()))?;
    Ok(text.into_bytes())
}

/// A size at which the chart has room for all its labels and notes.
#[must_use]
pub fn suggested_size(spec: &ChartSpec) -> (u32, u32) {
    const WIDTH: u32 = 1200;
    (WIDTH, natural_height(spec, WIDTH).clamp(400.0, 6000.0).ceil() as u32)
}

fn draw_scene(scene: &Scene, theme: SvgTheme, mut to: SVGBackend<'_>) -> Result<(), SvgError> {
    for item in &scene.items {
        draw_item(item, theme, &mut to)?;
    }
    to.present().map_err(refused)
}

fn draw_item(item: &Item, theme: SvgTheme, to: &mut SVGBackend<'_>) -> Result<(), SvgError> {
    let done = match item {
        Item::Path { points, ink, alpha, width, dash } => {
            let color = colour(theme, *ink, *alpha);
            let style = ShapeStyle { color, filled: false, stroke_width: *width };
            dashes(points, *dash)
                .into_iter()
                .try_for_each(|run| to.draw_path(run.into_iter().map(pixel), &style))
        }
        Item::Polygon { points, ink, alpha } => {
            to.fill_polygon(points.iter().copied().map(pixel), &colour(theme, *ink, *alpha))
        }
        Item::Circle { at, radius, ink, alpha } => {
            to.draw_circle(pixel(*at), *radius, &colour(theme, *ink, *alpha), true)
        }
        Item::Text { text, x, y, size, anchor, bold, ink } => {
            let weight = if *bold { FontStyle::Bold } else { FontStyle::Normal };
            let h = match anchor {
                Anchor::Start => HPos::Left,
                Anchor::Middle => HPos::Center,
                Anchor::End => HPos::Right,
            };
            let color = colour(theme, *ink, 1.0);
            let style = TextStyle::from(FontDesc::new(FontFamily::SansSerif, size * FONT_SCALE, weight))
                .color(&color)
                .pos(Pos::new(h, VPos::Top));
            to.draw_text(text, &style, pixel((*x, *y)))
        }
    };
    done.map_err(refused)
}

fn refused(error: impl std::fmt::Display) -> SvgError {
    SvgError::Draw(error.to_string())
}

fn colour(theme: SvgTheme, ink: Ink, alpha: f64) -> RGBAColor {
    let (r, g, b) = theme.colour(ink);
    RGBAColor(r, g, b, alpha)
}

fn pixel((x, y): PixelPlace) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

/// A polyline cut into the strokes of its dash; plotters' SVG knows none.
fn dashes(points: &[PixelPlace], dash: Dash) -> Vec<Vec<PixelPlace>> {
    let pattern: &[f64] = match dash {
        Dash::Solid => return vec![points.to_vec()],
        Dash::Dashed => &[10.0, 6.0],
        Dash::Dotted => &[2.0, 4.0],
        Dash::DashDot => &[12.0, 4.0, 2.0, 4.0],
        Dash::LongDash => &[18.0, 8.0],
    };
    let mut runs = Vec::new();
    let (mut at, mut left) = (0, pattern[0]);
    let mut run: Vec<PixelPlace> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let place = (a.0 + (b.0 - a.0) * done / length, a.1 + (b.1 - a.1) * done / length);
            if at % 2 == 0 {
                run.push(place);
                runs.push(std::mem::take(&mut run));
            } else {
                run = vec![place];
            }
            at = (at + 1) % pattern.len();
            left = pattern[at];
        }
        left -= length - done;
        if at % 2 == 0 {
            run.push(b);
        }
    }
    if run.len() > 1 {
        runs.push(run);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_their_share_and_end_where_the_line_ends() {
        let line = [(0.0, 0.0), (100.0, 0.0), (100.0, 60.0)];
        for dash in [Dash::Dashed, Dash::Dotted, Dash::DashDot, Dash::LongDash] {
            let runs = dashes(&line, dash);
            let length: f64 = runs
                .iter()
                .flat_map(|r| r.windows(2))
                .map(|p| (p[1].0 - p[0].0).hypot(p[1].1 - p[0].1))
                .sum();
            assert!((40.0..120.0).contains(&length), "{dash:?}: {length}");
        }
        assert_eq!(dashes(&line, Dash::Solid), [line.to_vec()]);
        assert!(dashes(&[], Dash::Dotted).is_empty());
    }
}
