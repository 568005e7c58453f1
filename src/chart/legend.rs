//! The legend: one column per GPU, the rest in the shorter one, under the plot, so that it never covers data.

use super::item::{Anchor, BODY, Ink, Item, PixelPlace};
use super::layout::{Rect, clean, wrap};
use super::marker::SegmentLook;
use super::{Dash, Mark, Meaning, Shape, marker};

const LINE: f64 = BODY * 1.45;
const SAMPLE: f64 = 34.0;
const GAP: f64 = 10.0;
const BELOW: f64 = 8.0;

/// What stands before a legend text.
#[derive(Debug, Clone, Copy, PartialEq)]
enum LegendSample {
    Line(Meaning, Dash),
    Point(Meaning, Shape),
    Bar(Meaning),
    /// A part of a stacked bar.
    Segment(SegmentLook),
}

impl LegendSample {
    fn meaning(self) -> Meaning {
        match self {
            Self::Line(m, _) | Self::Point(m, _) | Self::Bar(m) => m,
            Self::Segment(look) => look.meaning,
        }
    }
}

/// The entries of a chart, wrapped.
#[derive(Debug)]
pub(super) struct Legend {
    columns: Vec<Vec<(LegendSample, Vec<String>)>>,
    column_width: f64,
    dropped: usize,
}

impl Legend {
    /// Collects the named marks, each name once.
    pub(super) fn new(marks: &[Mark], room: f64) -> Self {
        let mut entries: Vec<(LegendSample, &str)> = Vec::new();
        for mark in marks {
            let (sample, name) = match mark {
                Mark::Line { name, meaning, dash, .. } => (LegendSample::Line(*meaning, *dash), name),
                Mark::Point { name, meaning, shape, .. } => (LegendSample::Point(*meaning, *shape), name),
                Mark::Bar { name, meaning, .. } => (LegendSample::Bar(*meaning), name),
                Mark::Segment { label, meaning, strength, hatch, .. } => {
                    let look = SegmentLook { meaning: *meaning, strength: *strength, hatch: *hatch };
                    (LegendSample::Segment(look), label)
                }
                Mark::Arrow { .. } | Mark::Label { .. } | Mark::Cell { .. } => continue,
            };
            if !name.is_empty() && !entries.iter().any(|(_, n)| *n == name) {
                entries.push((sample, name));
            }
        }
        let of = |wanted: &[Meaning]| -> Vec<(LegendSample, &str)> {
            entries.iter().filter(|(s, _)| wanted.contains(&s.meaning())).copied().collect()
        };
        let mut columns: Vec<_> =
            [of(&[Meaning::Source]), of(&[Meaning::Target])].into_iter().filter(|c| !c.is_empty()).collect();
        let further: Vec<(LegendSample, &str)> = entries
            .iter()
            .filter(|(sample, _)| matches!(sample.meaning(), Meaning::Further(_)))
            .copied()
            .collect();
        if !further.is_empty() {
            columns.push(further);
        }
        let rest = of(&[Meaning::Limiter, Meaning::Dim]);
        match columns.iter_mut().min_by_key(|c| c.len()) {
            Some(shortest) if !rest.is_empty() => shortest.extend(rest),
            None => columns.push(rest),
            Some(_) => {}
        }
        let column_width = room / columns.len().max(1) as f64;
        let text = |(sample, name): (LegendSample, &str)| {
            (sample, wrap(&clean(name, 500), BODY, column_width - SAMPLE - 2.0 * GAP, 3))
        };
        let columns = columns.into_iter().map(|c| c.into_iter().map(text).collect()).collect();
        Self { columns, column_width, dropped: 0 }
    }

    fn line_count(column: &[(LegendSample, Vec<String>)]) -> usize {
        column.iter().map(|(_, lines)| lines.len()).sum()
    }

    /// Its height in pixels with the space below; 0 without entries.
    pub(super) fn height(&self) -> f64 {
        let lines = self.columns.iter().map(|c| Self::line_count(c)).max().unwrap_or(0)
            + usize::from(self.dropped > 0);
        if lines == 0 { 0.0 } else { lines as f64 * LINE + BELOW }
    }

    /// Gives up the last entry of the longest column, for want of room. `false` if there is none.
    pub(super) fn drop_row(&mut self) -> bool {
        let longest = self.columns.iter_mut().max_by_key(|c| Self::line_count(c));
        let dropped = longest.is_some_and(|c| c.pop().is_some());
        self.dropped += usize::from(dropped);
        dropped
    }

    /// Draws it with its upper left corner here.
    pub(super) fn add_items(&self, (left, top): PixelPlace, items: &mut Vec<Item>) {
        for (i, column) in self.columns.iter().enumerate() {
            let x = (left + i as f64 * self.column_width).round();
            let mut y = top;
            for (sample, lines) in column {
                draw_sample(*sample, (x, y + BODY * 0.55), items);
                for line in lines {
                    let at = (x + SAMPLE + GAP, y.round());
                    items.push(Item::text_item(line.clone(), at, BODY, Anchor::Start, Ink::Text));
                    y += LINE;
                }
            }
        }
        if self.dropped > 0 {
            let text = format!("… {} more", self.dropped);
            let at = (left, (top + self.height() - BELOW - LINE).round());
            items.push(Item::text_item(text, at, BODY, Anchor::Start, Ink::Muted));
        }
    }
}

fn draw_sample(sample: LegendSample, (x, y): PixelPlace, items: &mut Vec<Item>) {
    let (x, y) = (x.round(), y.round());
    match sample {
        LegendSample::Line(meaning, dash) => {
            marker::stroke(vec![(x, y), (x + SAMPLE, y)], meaning, dash, items)
        }
        LegendSample::Point(meaning, shape) => marker::marker((x + SAMPLE / 2.0, y), meaning, shape, items),
        LegendSample::Bar(meaning) => marker::bar(sample_rect(x, y), meaning, items),
        LegendSample::Segment(look) => marker::segment(sample_rect(x, y), look, items),
    }
}

fn sample_rect(x: f64, y: f64) -> Rect {
    Rect { x: x + 4.0, y: y - 6.0, w: SAMPLE - 8.0, h: 12.0 }
}
