//! What a chart is drawn from: lines, shapes and texts with their place in pixels. Knows no drawing library.

use super::layout::Rect;
use super::{Dash, Meaning};

/// A place in pixels, y downwards.
pub(super) type PixelPlace = (f64, f64);

/// What a stroke or fill stands for; the theme turns it into a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Paper,
    Text,
    Muted,
    Grid,
    Frame,
    Of(Meaning),
}

/// Which end of a text its x names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing to draw.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Path {
        points: Vec<PixelPlace>,
        ink: Ink,
        alpha: f64,
        width: u32,
        dash: Dash,
    },
    Polygon {
        points: Vec<PixelPlace>,
        ink: Ink,
        alpha: f64,
    },
    Circle {
        at: PixelPlace,
        radius: u32,
        ink: Ink,
        alpha: f64,
    },
    /// `y` is the top of the em box.
    Text {
        text: String,
        x: f64,
        y: f64,
        size: f64,
        anchor: Anchor,
        bold: bool,
        ink: Ink,
    },
}

impl Item {
    pub(super) fn line_item(a: PixelPlace, b: PixelPlace, ink: Ink) -> Self {
        Self::Path { points: vec![a, b], ink, alpha: 1.0, width: 1, dash: Dash::Solid }
    }

    pub(super) fn rect(r: Rect, ink: Ink, alpha: f64) -> Self {
        Self::Polygon { points: corners(r)[..4].to_vec(), ink, alpha }
    }

    pub(super) fn outline(r: Rect, ink: Ink) -> Self {
        Self::Path { points: corners(r).to_vec(), ink, alpha: 1.0, width: 1, dash: Dash::Solid }
    }

    pub(super) fn text_item(text: String, (x, y): PixelPlace, size: f64, anchor: Anchor, ink: Ink) -> Self {
        Self::Text { text, x, y, size, anchor, bold: false, ink }
    }
}

fn corners(r: Rect) -> [PixelPlace; 5] {
    [(r.x, r.y), (r.right(), r.y), (r.right(), r.bottom()), (r.x, r.bottom()), (r.x, r.y)]
}

/// Text sizes in pixels.
pub(super) const TITLE: f64 = 19.0;
pub(super) const BODY: f64 = 13.0;
pub(super) const SMALL: f64 = 12.0;
