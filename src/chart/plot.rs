//! What is inside the plot: marks and the labels beside them.

use super::item::{Anchor, Ink, Item, PixelPlace, SMALL};
use super::layout::{LabelSize, LevelLine, Placer, Rect, clean, clipped_line, likely_width, shorten, width};
use super::marker::{AROUND, RADIUS, SegmentLook, arrow, bar, diamond_around, marker, segment, stroke};
use super::{Axis, ChartSpec, Dash, Hatch, Mark, Meaning, Scale, Shape};

/// A label is not cut below this many pixels; it is left out.
const LEAST_LABEL: f64 = 40.0;

/// Where a value of the x axis stands, if it stands anywhere.
pub(super) fn x_place(spec: &ChartSpec, area: Rect, value: f64) -> Option<f64> {
    axis_position(&spec.x, value)
        .map(|p| if is_slots(&spec.x) { area.x + p * area.w } else { (area.x + p * area.w).round() })
}

/// Where a value of the y axis stands; categories run downwards, numbers upwards.
pub(super) fn y_place(spec: &ChartSpec, area: Rect, value: f64) -> Option<f64> {
    let p = axis_position(&spec.y, value)?;
    let p = if is_slots(&spec.y) { p } else { 1.0 - p };
    Some((area.y + p * area.h).round())
}

fn axis_position(axis: &Axis, value: f64) -> Option<f64> {
    // Far outside is far enough: coordinates stay small numbers.
    axis.scale.position_of(value).map(|p| p.clamp(-50.0, 50.0))
}

fn is_slots(axis: &Axis) -> bool {
    matches!(axis.scale, Scale::Category(_))
}

/// Of more measured times than this a diamond is compared with the first.
const MOST_COMPARED: usize = 256;

/// A label that waits for its place.
struct Waiting<'a> {
    at: PixelPlace,
    text: &'a str,
    ink: Ink,
    /// Names of lines first, then points, then ridge points.
    rank: u8,
    /// In rows: how far the marks of the same lane reach.
    reach: Option<(f64, f64)>,
    /// Where the level line begins that ends here and that it names, such as a roof: it stands on that line or nowhere.
    line_start: Option<f64>,
}

/// The height of a row with two lanes of text.
const LEAST_ROW: f64 = 26.0;

/// The plot while it is drawn.
struct Plot<'a, 'b> {
    spec: &'a ChartSpec,
    area: Rect,
    items: &'b mut Vec<Item>,
    placer: Placer,
    waiting: Vec<Waiting<'a>>,
    /// In rows: y, left and right end of each marker and band; labels stand beside all of them.
    lanes: Vec<(f64, f64, f64)>,
    outside: usize,
}

/// Draws every mark, then the labels. Returns what could not be drawn, in words.
pub(super) fn plot_items(spec: &ChartSpec, area: Rect, items: &mut Vec<Item>) -> Vec<String> {
    let placer = Placer::new(area.grown(-3.0));
    let mut plot = Plot { spec, area, items, placer, waiting: Vec::new(), lanes: Vec::new(), outside: 0 };
    plot.slots();
    plot.bars();
    plot.segments();
    // Bands first: they must not tint the markers of other points.
    for mark in &spec.marks {
        if let Mark::Point { meaning, at, interval: Some(ends), .. } = mark
            && plot.inside(*at).is_some()
        {
            plot.interval(*at, *ends, *meaning);
        }
    }
    plot.covered_diamonds();
    for mark in &spec.marks {
        plot.mark(mark);
    }
    let unlabelled = plot.labels();
    let mut lost = Vec::new();
    if plot.outside > 0 {
        let verb = if plot.outside == 1 { "lies" } else { "lie" };
        lost.push(format!("{} of the marks {verb} outside the axes", plot.outside));
    }
    if unlabelled > 0 {
        let verb = if unlabelled == 1 { "has" } else { "have" };
        lost.push(format!("{unlabelled} of the labels {verb} no room"));
    }
    lost
}

impl<'a> Plot<'a, '_> {
    fn at(&self, (x, y): (f64, f64)) -> Option<PixelPlace> {
        Some((x_place(self.spec, self.area, x)?, y_place(self.spec, self.area, y)?))
    }

    /// As [`Self::at`], for points that must stand inside.
    fn inside(&self, at: (f64, f64)) -> Option<PixelPlace> {
        let (x, y) = self.at(at)?;
        self.area.grown(1.0).holds(&Rect { x, y, w: 0.0, h: 0.0 }).then_some((x, y))
    }

    /// Diamonds that the circle of a measured time would cover, larger and below it; those that it leaves free are drawn in their turn.
    fn covered_diamonds(&mut self) {
        for mark in &self.spec.marks {
            if let Mark::Point { meaning, shape: shape @ (Shape::Predicted | Shape::Estimated), at, .. } =
                mark
                && let Some(place) = self.inside(*at)
                && self.is_covered(place)
            {
                diamond_around(place, *meaning, *shape, self.items);
            }
        }
    }

    /// Whether a measured time stands so near that its circle covers a diamond here.
    fn is_covered(&self, (x, y): PixelPlace) -> bool {
        let is_near = |(a, b): PixelPlace| (a - x).hypot(b - y) < RADIUS + 2.0;
        let measured = |mark: &&Mark| matches!(mark, Mark::Point { shape: Shape::Measured, .. });
        let mut circles = self.spec.marks.iter().filter(measured).take(MOST_COMPARED);
        circles.any(|mark| matches!(mark, Mark::Point { at, .. } if self.inside(*at).is_some_and(is_near)))
    }

    /// Lines between categories.
    fn slots(&mut self) {
        if let Scale::Category(names) = &self.spec.y.scale {
            for i in 1..names.len() {
                if let Some(y) = y_place(self.spec, self.area, i as f64 - 0.5) {
                    self.items.push(Item::line_item((self.area.x, y), (self.area.right(), y), Ink::Grid));
                }
            }
        }
    }

    fn mark(&mut self, mark: &'a Mark) {
        match mark {
            Mark::Line { meaning, dash, points, .. } => self.draw_line(points, *meaning, *dash),
            Mark::Point { meaning, shape, at, label, .. } => {
                let Some(place) = self.inside(*at) else {
                    self.outside += 1;
                    return;
                };
                let is_diamond = matches!(shape, Shape::Predicted | Shape::Estimated);
                let is_covered = is_diamond && self.is_covered(place);
                if !is_covered {
                    marker(place, *meaning, *shape, self.items);
                }
                let radius = match shape {
                    Shape::Other => 2.0,
                    _ if is_covered => RADIUS + AROUND + 1.0,
                    _ => RADIUS + 1.0,
                };
                self.placer.add_marker(place, radius);
                if is_slots(&self.spec.y) {
                    self.lanes.push((place.1, place.0, place.0));
                }
                self.wait(place, label, Ink::Of(*meaning), 1);
            }
            Mark::Arrow { from, to } => match (self.inside(*from), self.inside(*to)) {
                (Some(from), Some(to)) => arrow(from, to, self.items),
                _ => self.outside += 1,
            },
            Mark::Label { meaning, at, text } => match self.inside(*at) {
                Some(place) => match self.start_of_line(at.0, at.1) {
                    Some(start) => self.wait_on_line(start, place, text, Ink::Of(*meaning)),
                    None => self.wait(place, text, Ink::Of(*meaning), 2),
                },
                None => self.outside += 1,
            },
            Mark::Cell { meaning, column, row, strength, label } => {
                self.cell(*column, *row, *meaning, *strength, label);
            }
            Mark::Bar { .. } | Mark::Segment { .. } => {}
        }
    }

    /// The parts of stacked bars, each with its text where that fits.
    fn segments(&mut self) {
        let Scale::Category(slots) = &self.spec.y.scale else { return };
        let height = 0.5 * self.area.h / slots.len().max(1) as f64;
        for mark in &self.spec.marks {
            let Mark::Segment { meaning, slot, from, to, strength, hatch, label } = mark else { continue };
            let ends = self.at((*from, *slot as f64)).zip(self.at((*to, *slot as f64)));
            let Some((a, b)) = ends.and_then(|(a, b)| clipped_line(&self.area, a, b)) else { continue };
            // Above the middle of the slot: a point with its interval and label may stand below.
            let place = Rect { x: a.0, y: (a.1 - height * 0.8).round(), w: b.0 - a.0, h: height.round() };
            let look = SegmentLook { meaning: *meaning, strength: *strength, hatch: *hatch };
            segment(place, look, self.items);
            let text = clean(label, 40);
            let wide = likely_width(&text, SMALL) + 6.0;
            if wide <= place.w {
                if *hatch != Hatch::Plain {
                    let under = Rect { x: place.x + (place.w - wide) / 2.0, w: wide, ..place.grown(-2.0) };
                    self.items.push(Item::rect(under, Ink::Paper, 0.75));
                }
                let middle =
                    ((place.x + place.w / 2.0).round(), (place.y + place.h / 2.0 - SMALL * 0.55).round());
                self.items.push(Item::text_item(text, middle, SMALL, Anchor::Middle, Ink::Text));
            }
        }
    }

    /// A cell of a matrix with its text in the middle.
    fn cell(&mut self, column: usize, row: usize, meaning: Meaning, strength: f64, label: &str) {
        let (Scale::Category(columns), Scale::Category(rows)) = (&self.spec.x.scale, &self.spec.y.scale)
        else {
            self.outside += 1;
            return;
        };
        if column >= columns.len() || row >= rows.len() {
            self.outside += 1;
            return;
        }
        let (w, h) = (self.area.w / columns.len() as f64, self.area.h / rows.len() as f64);
        let place =
            Rect { x: self.area.x + column as f64 * w, y: self.area.y + row as f64 * h, w, h }.grown(-1.0);
        self.items.push(Item::rect(place, Ink::Paper, 1.0));
        // Never so full that the text in it is hard to read.
        self.items.push(Item::rect(place, Ink::Of(meaning), 0.55 * strength.clamp(0.0, 1.0)));
        let text = shorten(&clean(label, 40), SMALL, w - 4.0);
        let at = ((place.x + place.w / 2.0).round(), (place.y + place.h / 2.0 - SMALL * 0.55).round());
        self.items.push(Item::text_item(text, at, SMALL, Anchor::Middle, Ink::Text));
    }

    fn wait(&mut self, at: PixelPlace, text: &'a str, ink: Ink, rank: u8) {
        if !text.is_empty() {
            let reach = is_slots(&self.spec.y).then_some((at.0, at.0));
            self.waiting.push(Waiting { at, text, ink, rank, reach, line_start: None });
        }
    }

    fn wait_on_line(&mut self, start: f64, at: PixelPlace, text: &'a str, ink: Ink) {
        self.waiting.push(Waiting { at, text, ink, rank: 0, reach: None, line_start: Some(start) });
    }

    /// Where the line at one height begins that ends at this place of the right edge; `None` where none does.
    fn start_of_line(&self, end: f64, height: f64) -> Option<f64> {
        let is_end = matches!(self.spec.x.scale, Scale::Log { max, .. } if end >= max);
        let start = |mark: &Mark| match mark {
            Mark::Line { points, .. } => match points[..] {
                [.., from, to] if from.1 == height && to == (end, height) => Some(from.0),
                _ => None,
            },
            _ => None,
        };
        let start = self.spec.marks.iter().find_map(start).filter(|_| is_end)?;
        x_place(self.spec, self.area, start)
    }

    fn draw_line(&mut self, points: &[(f64, f64)], meaning: Meaning, dash: Dash) {
        let mut run: Vec<PixelPlace> = Vec::new();
        let mut drawn = 0;
        for pair in points.windows(2) {
            let ends = self.at(pair[0]).zip(self.at(pair[1]));
            let Some((a, b)) = ends.and_then(|(a, b)| clipped_line(&self.area, a, b)) else { continue };
            self.placer.add_line(a, b, if meaning == Meaning::Dim { 1.0 } else { 3.0 });
            if run.last() != Some(&a) {
                self.stroke_run(std::mem::take(&mut run), meaning, dash);
                run.push(a);
            }
            run.push(b);
            drawn += 1;
        }
        self.stroke_run(run, meaning, dash);
        self.outside += usize::from(drawn == 0);
    }

    fn stroke_run(&mut self, run: Vec<PixelPlace>, meaning: Meaning, dash: Dash) {
        if run.len() > 1 {
            stroke(run, meaning, dash, self.items);
        }
    }

    /// The interval of a point, a pale band with caps along the value axis.
    fn interval(&mut self, (x, y): (f64, f64), (low, high): (f64, f64), meaning: Meaning) {
        let sideways = is_slots(&self.spec.y);
        let ends = if sideways { [(low, y), (high, y)] } else { [(x, low), (x, high)] };
        let (Some(a), Some(b)) = (self.at(ends[0]), self.at(ends[1])) else { return };
        let Some((a, b)) = clipped_line(&self.area, a, b) else { return };
        let ink = Ink::Of(meaning);
        let across = |(x, y): PixelPlace, by: f64| if sideways { (x, y + by) } else { (x + by, y) };
        let points = vec![across(a, -4.0), across(b, -4.0), across(b, 4.0), across(a, 4.0)];
        self.items.push(Item::Polygon { points, ink, alpha: 0.3 });
        for end in [a, b] {
            self.items.push(Item::line_item(across(end, -5.0), across(end, 5.0), ink));
        }
        self.placer.add_line(a, b, 3.0);
        if sideways {
            self.lanes.push((a.1, a.0.min(b.0), a.0.max(b.0)));
        }
    }

    /// Bars of one slot stand side by side in the order they come.
    fn bars(&mut self) {
        let spec = self.spec;
        let Scale::Category(names) = &spec.y.scale else {
            self.outside += spec.marks.iter().filter(|m| matches!(m, Mark::Bar { .. })).count();
            return;
        };
        let mut count = vec![0_usize; names.len()];
        for mark in &spec.marks {
            if let Mark::Bar { slot, .. } = mark {
                count.get_mut(*slot).into_iter().for_each(|c| *c += 1);
            }
        }
        let mut seen = vec![0_usize; names.len()];
        for mark in &spec.marks {
            let Mark::Bar { meaning, slot, value, label, .. } = mark else { continue };
            let end = x_place(spec, self.area, *value);
            let (Some(n), Some(end)) = (count.get(*slot), end) else {
                self.outside += 1;
                continue;
            };
            let slot_height = self.area.h / names.len() as f64;
            let h = 0.76 * slot_height / *n as f64;
            let y = self.area.y + (*slot as f64 + 0.12) * slot_height + seen[*slot] as f64 * h;
            seen[*slot] += 1;
            let end = end.clamp(self.area.x, self.area.right());
            let r = Rect {
                x: self.area.x,
                y: (y + 1.0).round(),
                w: end - self.area.x,
                h: (h - 2.0).max(1.0).round(),
            };
            bar(r, *meaning, self.items);
            self.wait((end, r.y + r.h / 2.0), label, Ink::Text, 1);
        }
    }

    /// Puts every label beside what it names; returns how many found no room.
    fn labels(&mut self) -> usize {
        let mut waiting = std::mem::take(&mut self.waiting);
        // In rows this thin, texts would cover the marks of their neighbours: none is tried, however many there are.
        if let Scale::Category(names) = &self.spec.y.scale
            && self.area.h < LEAST_ROW * names.len() as f64
        {
            return waiting.len();
        }
        for label in &mut waiting {
            let lane = self.lanes.iter().filter(|(y, _, _)| *y == label.at.1);
            label.reach =
                label.reach.map(|r| lane.fold(r, |(a, b), (_, low, high)| (a.min(*low), b.max(*high))));
        }
        waiting.sort_by_key(|w| w.rank);
        let mut lost = 0;
        for label in &waiting {
            let text = clean(label.text, 200);
            let full = width(&text, SMALL).min(self.area.w - 20.0);
            let mut found = None;
            // Half the name of a roof's GPU tells nothing: the legend has all of it.
            let shares: &[f64] = if label.line_start.is_some() { &[1.0] } else { &[1.0, 0.6, 0.35] };
            for &share in shares {
                let room = full * share;
                let text = shorten(&text, SMALL, room);
                if text.is_empty() || (share < 1.0 && room < LEAST_LABEL) {
                    break;
                }
                let size = (width(&text, SMALL) + 2.0, SMALL + 2.0);
                let place = match (label.line_start, label.reach) {
                    (Some(start), _) => self.placer.place_on_line(
                        LevelLine { start, end: label.at.0, y: label.at.1 },
                        LabelSize { w: size.0, h: size.1 },
                    ),
                    (None, Some(reach)) => self.placer.place_in_row(reach, label.at.1, size),
                    (None, None) => self.placer.free_place(label.at, size),
                };
                if let Some(r) = place {
                    found = Some((text, r));
                    break;
                }
            }
            let Some((text, r)) = found else {
                lost += 1;
                continue;
            };
            self.draw_label(text, r, label);
        }
        lost
    }

    fn draw_label(&mut self, text: String, r: Rect, label: &Waiting<'_>) {
        let near = (label.at.0.clamp(r.x, r.right()), label.at.1.clamp(r.y, r.bottom()));
        let far = (near.0 - label.at.0).hypot(near.1 - label.at.1) > 24.0;
        if far && label.reach.is_none() && label.line_start.is_none() {
            self.items.push(Item::line_item(label.at, near, Ink::Frame));
        }
        // The text's own edge stands where it points to, since its width is an estimate.
        let likely = likely_width(&text, SMALL).min(r.w);
        let (x, anchor, left) = if r.x > label.at.0 {
            (r.x + 1.0, Anchor::Start, r.x)
        } else if r.right() < label.at.0 {
            (r.right() - 1.0, Anchor::End, r.right() - likely)
        } else {
            (r.x + r.w / 2.0, Anchor::Middle, r.x + (r.w - likely) / 2.0)
        };
        self.items.push(Item::rect(Rect { x: left, w: likely, ..r }, Ink::Paper, 0.8));
        self.items.push(Item::text_item(text, (x.round(), r.y + 1.0), SMALL, anchor, label.ink));
    }
}

/// A height at which the marks have room.
pub(super) fn natural_height(spec: &ChartSpec) -> f64 {
    let Scale::Category(names) = &spec.y.scale else { return 480.0 };
    let bars = spec.marks.iter().filter(|m| matches!(m, Mark::Bar { .. })).count();
    let slot = if bars > 0 { (24.0 * bars as f64 / names.len() as f64 + 14.0).max(32.0) } else { 38.0 };
    slot * names.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Axis;

    fn spec(heights: &[f64]) -> ChartSpec {
        let (x, y) = (Scale::Log { min: 0.01, max: 100.0 }, Scale::Log { min: 1e9, max: 1e14 });
        let roof = |(place, height): (usize, &f64)| {
            let points = vec![(0.01, height * 1e-3), (10.0, *height), (100.0, *height)];
            let line =
                Mark::Line { name: String::new(), meaning: Meaning::Source, dash: Dash::Solid, points };
            let text = format!("the roof of GPU {place}");
            [line, Mark::Label { meaning: Meaning::Source, at: (100.0, *height), text }]
        };
        ChartSpec {
            title: String::new(),
            subtitle: String::new(),
            x: Axis { label: String::new(), scale: x },
            y: Axis { label: String::new(), scale: y },
            marks: heights.iter().enumerate().flat_map(roof).collect(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn the_name_of_a_roof_is_nearer_to_its_own_than_to_any_other_and_no_two_overlap() {
        for step in [1.02, 1.1, 1.2, 1.3, 1.5, 2.0, 4.0] {
            for count in 1..6 {
                let heights: Vec<f64> = (0..count).map(|i| 1e12 * f64::powi(step, i)).collect();
                let (spec, area) = (spec(&heights), Rect { x: 0.0, y: 0.0, w: 700.0, h: 420.0 });
                let mut items = Vec::new();
                plot_items(&spec, area, &mut items);
                let texts: Vec<(&str, f64, f64)> = items
                    .iter()
                    .filter_map(|item| match item {
                        Item::Text { text, x, y, .. } => Some((text.as_str(), *x, y + SMALL / 2.0)),
                        _ => None,
                    })
                    .collect();
                assert!(!texts.is_empty(), "{step} {count}: at least one has room");
                for (text, x, middle) in &texts {
                    let distance = |height: &f64| (y_place(&spec, area, *height).unwrap() - middle).abs();
                    let own = heights[text.rsplit(' ').next().unwrap().parse::<usize>().unwrap()];
                    let nearest = heights.iter().map(distance).fold(f64::INFINITY, f64::min);
                    assert!(distance(&own) <= nearest, "{text} of {heights:?} stands at another one");
                    for (other, left, height) in texts.iter().filter(|t| t.0 != *text) {
                        let apart = (height - middle).abs() >= SMALL || (left - x).abs() >= 100.0;
                        assert!(apart, "{text} and {other}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_prediction_is_seen_around_a_measured_time_at_its_place() {
        for shape in [Shape::Predicted, Shape::Estimated] {
            let mut spec = spec(&[]);
            for (shape, at) in [(Shape::Measured, (1.0, 1e12)), (shape, (1.0, 1.02e12))] {
                let (name, label, interval) = (String::new(), String::new(), None);
                spec.marks.push(Mark::Point { name, meaning: Meaning::Target, shape, at, interval, label });
            }
            let mut items = Vec::new();
            plot_items(&spec, Rect { x: 0.0, y: 0.0, w: 700.0, h: 420.0 }, &mut items);
            let ink = Ink::Of(Meaning::Target);
            let is_diamond = |item: &Item| matches!(item, Item::Polygon { ink: i, .. } if *i == ink);
            let circles = items.iter().rposition(|item| matches!(item, Item::Circle { .. })).unwrap();
            let under = items[..circles].iter().find(|item| is_diamond(item)).unwrap();
            let Item::Polygon { points, .. } = under else { panic!("{under:?}") };
            // The paper around the circle ends at RADIUS + 1 from its middle.
            let side = (points[1].0 - points[3].0) / 2.0 / f64::sqrt(2.0);
            assert!(side > RADIUS + 2.0, "{points:?}");
            assert!(!items[circles..].iter().any(is_diamond), "nothing covers the circle");
        }
    }

    #[test]
    fn the_name_of_a_roof_is_whole_or_left_to_the_legend() {
        for w in [300.0, 340.0, 380.0, 420.0, 460.0] {
            let mut items = Vec::new();
            plot_items(&spec(&[1e12, 1e12, 1.02e12]), Rect { x: 0.0, y: 0.0, w, h: 420.0 }, &mut items);
            let is_cut = |item: &Item| matches!(item, Item::Text { text, .. } if text.contains('…'));
            assert!(!items.iter().any(is_cut), "{w}: {items:?}");
        }
    }
}
