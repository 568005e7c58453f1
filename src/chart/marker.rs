//! What a point, a line, a bar and an arrow look like, in the plot and in the legend.

use super::item::{Ink, Item, PixelPlace};
use super::layout::Rect;
use super::{Dash, Meaning, Shape};

/// Half the size of a marker.
pub(super) const RADIUS: f64 = 6.0;

/// A line in the colour and dash of its kind.
pub(super) fn stroke(points: Vec<PixelPlace>, meaning: Meaning, dash: Dash, items: &mut Vec<Item>) {
    let width = if meaning == Meaning::Dim { 1 } else { 2 };
    items.push(Item::Path { points, ink: Ink::Of(meaning), alpha: 1.0, width, dash });
}

/// ● measured, ◆ predicted, a hollow diamond for an estimate, a square for what is chosen, a dot for others.
pub(super) fn marker((x, y): PixelPlace, meaning: Meaning, shape: Shape, items: &mut Vec<Item>) {
    let ink = Ink::Of(meaning);
    let diamond = |r: f64| vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)];
    match shape {
        Shape::Measured => {
            items.push(Item::Circle { at: (x, y), radius: RADIUS as u32 + 1, ink: Ink::Paper, alpha: 1.0 });
            items.push(Item::Circle { at: (x, y), radius: RADIUS as u32, ink, alpha: 1.0 });
        }
        Shape::Predicted | Shape::Estimated => {
            items.push(Item::Polygon { points: diamond(RADIUS + 3.0), ink: Ink::Paper, alpha: 1.0 });
            items.push(Item::Polygon { points: diamond(RADIUS + 1.0), ink, alpha: 1.0 });
            if shape == Shape::Estimated {
                items.push(Item::Polygon { points: diamond(RADIUS - 2.0), ink: Ink::Paper, alpha: 1.0 });
            }
        }
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

/// A part of a stacked bar: the fuller, the stronger its colour.
pub(super) fn segment(r: Rect, meaning: Meaning, strength: f64, items: &mut Vec<Item>) {
    items.push(Item::rect(r, Ink::Paper, 1.0));
    items.push(Item::rect(r, Ink::Of(meaning), 0.15 + 0.6 * strength.clamp(0.0, 1.0)));
    items.push(Item::outline(r, Ink::Paper));
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
