//! What a point, a line, a bar and an arrow look like, in the plot and in the legend.

use super::item::{Ink, Item, PixelPlace};
use super::layout::Rect;
use super::{Dash, Hatch, Meaning, Shape};

/// Half the size of a marker.
pub(super) const RADIUS: f64 = 6.0;

/// A line in the colour and dash of its kind.
pub(super) fn stroke(points: Vec<PixelPlace>, meaning: Meaning, dash: Dash, items: &mut Vec<Item>) {
    let width = if meaning == Meaning::Dim { 1 } else { 2 };
    items.push(Item::Path { points, ink: Ink::Of(meaning), alpha: 1.0, width, dash });
}

/// How much larger a diamond is of which a circle would leave nothing to see.
pub(super) const AROUND: f64 = 5.0;

/// A diamond that is seen around the circle of a measured time on it.
pub(super) fn diamond_around(at: PixelPlace, meaning: Meaning, shape: Shape, items: &mut Vec<Item>) {
    diamond(at, RADIUS + AROUND, Ink::Of(meaning), shape, items);
}

/// A diamond of this radius, hollow for an estimate.
fn diamond((x, y): PixelPlace, radius: f64, ink: Ink, shape: Shape, items: &mut Vec<Item>) {
    let mut fill = |r: f64, ink| {
        let points = vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)];
        items.push(Item::Polygon { points, ink, alpha: 1.0 });
    };
    fill(radius + 3.0, Ink::Paper);
    fill(radius + 1.0, ink);
    if shape == Shape::Estimated {
        fill(radius - 2.0, Ink::Paper);
    }
}

/// ● measured, ◆ predicted, a hollow diamond for an estimate, a square for what is chosen, a dot for others.
pub(super) fn marker((x, y): PixelPlace, meaning: Meaning, shape: Shape, items: &mut Vec<Item>) {
    let ink = Ink::Of(meaning);
    match shape {
        Shape::Measured => {
            items.push(Item::Circle { at: (x, y), radius: RADIUS as u32 + 1, ink: Ink::Paper, alpha: 1.0 });
            items.push(Item::Circle { at: (x, y), radius: RADIUS as u32, ink, alpha: 1.0 });
        }
        Shape::Predicted | Shape::Estimated => diamond((x, y), RADIUS, ink, shape, items),
        Shape::Chosen => {
            let square = |r: f64| Rect { x: x - r, y: y - r, w: 2.0 * r, h: 2.0 * r };
            items.push(Item::rect(square(RADIUS + 1.0), Ink::Paper, 1.0));
            items.push(Item::rect(square(RADIUS - 1.0), ink, 1.0));
            // The target's is hollow, so that the two differ without colour.
            if meaning == Meaning::Target {
                items.push(Item::rect(square(RADIUS - 3.0), Ink::Paper, 1.0));
            }
        }
        Shape::Other => items.push(Item::Circle { at: (x, y), radius: 3, ink, alpha: 0.8 }),
    }
}

/// A bar: the source's is full, the target's pale with an outline, so that they differ without colour.
pub(super) fn bar(r: Rect, meaning: Meaning, items: &mut Vec<Item>) {
    if r.w <= 0.0 {
        return;
    }
    let pale = matches!(meaning, Meaning::Target | Meaning::Further(_));
    items.push(Item::rect(r, Ink::Of(meaning), if pale { 0.45 } else { 1.0 }));
    if pale {
        items.push(Item::outline(r, Ink::Of(meaning)));
    }
}

/// What a part of a stacked bar looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SegmentLook {
    pub(super) meaning: Meaning,
    /// How full its colour is, 0 to 1.
    pub(super) strength: f64,
    pub(super) hatch: Hatch,
}

/// A part of a stacked bar: the fuller, the stronger its colour.
pub(super) fn segment(r: Rect, look: SegmentLook, items: &mut Vec<Item>) {
    let SegmentLook { meaning, strength, hatch } = look;
    items.push(Item::rect(r, Ink::Paper, 1.0));
    items.push(Item::rect(r, Ink::Of(meaning), 0.15 + 0.6 * strength.clamp(0.0, 1.0)));
    let ways: &[bool] = match hatch {
        Hatch::Plain => &[],
        Hatch::Rising => &[true],
        Hatch::Crossed => &[true, false],
    };
    for is_rising in ways {
        hatch_lines(r, *is_rising, Ink::Of(meaning), items);
    }
    items.push(Item::outline(r, Ink::Paper));
}

/// Slanted lines from edge to edge.
fn hatch_lines(r: Rect, is_rising: bool, ink: Ink, items: &mut Vec<Item>) {
    const APART: f64 = 6.0;
    let height = |along: f64| if is_rising { r.bottom() - along } else { r.y + along };
    let count = ((r.w + r.h) / APART).ceil() as usize;
    for place in 1..count {
        let start = place as f64 * APART - r.h;
        let [from, to] = [(-start).max(0.0), (r.w - start).min(r.h)];
        if to > from {
            let end = |along: f64| (r.x + start + along, height(along));
            items.push(Item::line_item(end(from), end(to), ink));
        }
    }
}

/// An arrow that leaves both markers free; none where they nearly touch.
pub(super) fn arrow(from: PixelPlace, to: PixelPlace, items: &mut Vec<Item>) {
    const HEAD: f64 = 9.0;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    if length < 3.0 * RADIUS + HEAD {
        return;
    }
    let (ux, uy) = (dx / length, dy / length);
    let along = |p: PixelPlace, by: f64| (p.0 + ux * by, p.1 + uy * by);
    let (tail, tip) = (along(from, RADIUS + 2.0), along(to, -(RADIUS + 3.0)));
    let base = along(tip, -HEAD);
    items.push(Item::line_item(tail, base, Ink::Text));
    let side = |by: f64| (base.0 - uy * by, base.1 + ux * by);
    items.push(Item::Polygon {
        points: vec![tip, side(HEAD / 2.0), side(-HEAD / 2.0)],
        ink: Ink::Text,
        alpha: 1.0,
    });
}
