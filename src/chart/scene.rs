//! A chart composed on a canvas: every line, shape and text with its place in pixels. Knows no drawing library.
//!
//! ```text
//! title
//! subtitle
//! y label
//!   ┌──────────────┐
//! 1 │ plot         │     what is inside: plot
//!   └──────────────┘
//!     1    10   100
//!        x label
//! legend                 one column per GPU: legend
//! notes
//! ```

use super::item::{Anchor, BODY, Ink, Item, SMALL, TITLE};
use super::layout::{Rect, clean, shorten, width, wrap};
use super::legend::Legend;
use super::{ChartSpec, Dash, Scale, SvgError, Tick, plot};
use crate::kernel::{clip_apart, most_distinct};

/// Everything to draw, back to front.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Scene {
    pub(super) items: Vec<Item>,
}

/// From one line of text to the next, in text sizes.
const LEADING: f64 = 1.4;
const MARGIN: f64 = 24.0;
/// Room right of the plot: half of the last tick's text.
const RIGHT: f64 = 40.0;
/// Under the plot: tick texts and the axis label.
const X_AXIS: f64 = 52.0;
/// The least height of a plot that still says something.
const LEAST_PLOT: f64 = 90.0;
/// Lines of notes that stay as long as there is a plot, the last of them for how many went.
const FIRST_NOTES: usize = 4;
/// Longest text looked at, in characters.
const LONGEST: usize = 2000;

/// The texts around the plot, wrapped to the canvas.
struct Surround {
    title: Vec<String>,
    subtitle: Vec<String>,
    y_label: Vec<String>,
    legend: Legend,
    notes: Vec<String>,
}

impl Surround {
    fn new(spec: &ChartSpec, width: f64) -> Self {
        let room = width - 2.0 * MARGIN;
        let text = |text: &str, size, most| wrap(&clean(text, LONGEST), size, room, most);
        Self {
            // Bold text is wider than the estimate.
            title: text(&spec.title, TITLE * 1.15, 2),
            subtitle: text(&spec.subtitle, BODY, 2),
            y_label: text(spec.y.title(), SMALL, 1),
            legend: Legend::new(&spec.marks, room),
            notes: spec.notes.iter().flat_map(|n| text(n, SMALL, 3)).collect(),
        }
    }

    fn above(&self) -> f64 {
        let lines = |lines: &[String], size: f64| lines.len() as f64 * size * LEADING;
        let label = if self.y_label.is_empty() { 6.0 } else { SMALL + 18.0 };
        MARGIN * 0.7 + lines(&self.title, TITLE) + lines(&self.subtitle, BODY) + label + 6.0
    }

    fn below(&self) -> f64 {
        let notes = self.notes.len() as f64 * SMALL * LEADING;
        X_AXIS + self.legend.height() + if notes > 0.0 { notes + 10.0 } else { 0.0 } + MARGIN * 0.7
    }

    /// Cuts notes until the plot keeps its share of the height, but not the first ones, which say most; where the plot
    /// would vanish, those as well, then the legend.
    fn fit_height(&mut self, height: f64) {
        let left = |s: &Self| height - s.above() - s.below();
        let all = self.notes.len();
        while left(self) < 0.4 * height && self.notes.len() > FIRST_NOTES {
            self.notes.pop();
        }
        if self.notes.len() < all {
            let more = all + 1 - self.notes.len();
            self.notes.pop();
            self.notes.push(format!("… {more} more lines of notes do not fit at this size"));
        }
        while left(self) < LEAST_PLOT && (self.notes.pop().is_some() || self.legend.drop_row()) {}
    }

    fn add_items(&self, plot: Rect, canvas: (f64, f64), items: &mut Vec<Item>) {
        let mut y = MARGIN * 0.7;
        for line in &self.title {
            let (text, ink) = (line.clone(), Ink::Text);
            items.push(Item::Text {
                text,
                x: MARGIN,
                y,
                size: TITLE,
                anchor: Anchor::Start,
                bold: true,
                ink,
            });
            y += TITLE * LEADING;
        }
        for line in &self.subtitle {
            items.push(Item::text_item(line.clone(), (MARGIN, y), BODY, Anchor::Start, Ink::Muted));
            y += BODY * LEADING;
        }
        for line in &self.y_label {
            let at = (MARGIN, plot.y - SMALL - 12.0);
            items.push(Item::text_item(line.clone(), at, SMALL, Anchor::Start, Ink::Text));
        }
        let legend = plot.bottom() + X_AXIS;
        self.legend.add_items((MARGIN, legend), items);
        let mut y = canvas.1 - MARGIN * 0.7 - self.notes.len() as f64 * SMALL * LEADING;
        for line in &self.notes {
            items.push(Item::text_item(line.clone(), (MARGIN, y), SMALL, Anchor::Start, Ink::Muted));
            y += SMALL * LEADING;
        }
    }
}

/// Composes a chart on a canvas of this size.
pub(super) fn compose(spec: &ChartSpec, width: u32, height: u32) -> Result<Scene, SvgError> {
    if !(160..=20_000).contains(&width) || !(160..=20_000).contains(&height) {
        return Err(SvgError::Size { width, height });
    }
    for (axis, name) in [(&spec.x, 'x'), (&spec.y, 'y')] {
        if !axis.scale.is_sound() {
            return Err(SvgError::Axis { axis: name });
        }
    }
    let canvas = (f64::from(width), f64::from(height));
    let mut surround = Surround::new(spec, canvas.0);
    // What did not find room is known only after drawing; its line is reserved by drawing twice.
    let (mut items, lost) = scene_items(spec, &mut surround, canvas)?;
    if let Some(note) = lost {
        surround = Surround::new(spec, canvas.0);
        surround.notes.insert(0, shorten(&note, SMALL, canvas.0 - 2.0 * MARGIN));
        items = scene_items(spec, &mut surround, canvas)?.0;
    }
    Ok(Scene { items })
}

/// Draws everything; the second value says what found no room.
fn scene_items(
    spec: &ChartSpec,
    surround: &mut Surround,
    canvas: (f64, f64),
) -> Result<(Vec<Item>, Option<String>), SvgError> {
    surround.fit_height(canvas.1);
    let ticks = y_ticks(spec, canvas);
    let gutter = ticks.iter().map(|t| width(&t.label, SMALL)).fold(0.0, f64::max);
    let (x, y) = ((MARGIN + gutter + 10.0).round(), surround.above().round());
    let (w, h) = (canvas.0 - RIGHT - x, (canvas.1 - surround.below() - y).floor());
    if h < LEAST_PLOT || w < LEAST_PLOT {
        let missing = (LEAST_PLOT - h).max(LEAST_PLOT - w).ceil() as u32;
        return Err(SvgError::TooSmall { width: canvas.0 as u32, height: canvas.1 as u32, missing });
    }
    let area = Rect { x, y, w, h };
    let mut items = vec![Item::rect(Rect { x: 0.0, y: 0.0, w: canvas.0, h: canvas.1 }, Ink::Paper, 1.0)];
    surround.add_items(area, canvas, &mut items);
    let thinned = axes(spec, area, ticks, &mut items);
    let lost = plot::plot_items(spec, area, &mut items);
    items.push(Item::outline(area, Ink::Frame));
    let mut said = Vec::new();
    if thinned > 1 {
        said.push(format!("only one name in {thinned} has room beside the axis"));
    }
    said.extend(lost);
    Ok((items, (!said.is_empty()).then(|| format!("at this size {}", said.join("; ")))))
}

/// Ticks of the y axis, cut to a share of the width; names that would look alike are cut where they differ.
fn y_ticks(spec: &ChartSpec, canvas: (f64, f64)) -> Vec<Tick> {
    let (most, room) = ((canvas.1 / 45.0) as usize, 0.3 * canvas.0);
    let mut ticks = spec.y.ticks(most);
    let labels: Vec<String> = ticks.iter().map(|tick| clean(&tick.label, LONGEST)).collect();
    let fits = |label: &String| width(label, SMALL) <= room;
    let cut = labels_apart(&labels, room);
    for ((tick, label), cut) in ticks.iter_mut().zip(labels).zip(cut) {
        tick.label = if fits(&label) { label } else { shorten(&cut, SMALL, room) };
    }
    ticks
}

/// Names in this room, cut so that they differ: in as many letters as have it.
fn labels_apart(labels: &[String], room: f64) -> Vec<String> {
    let fits = |label: &String| width(label, SMALL) <= room;
    if labels.iter().all(fits) {
        return labels.to_vec();
    }
    let most = (room / width("0", SMALL)) as usize;
    let in_letters =
        |letters: usize| most_distinct([clip_apart(labels, letters), with_whole_sizes(labels, letters)]);
    let whole = (most / 2..most).rev().map(in_letters).find(|all| all.iter().all(fits));
    whole.unwrap_or_else(|| in_letters(most))
}

/// Kernels with their sizes (`my_kernel n=1024`): the names alone are cut, and so apart from each other.
fn with_whole_sizes(labels: &[String], letters: usize) -> Vec<String> {
    let parts = labels.iter().map(|label| match label.rsplit_once(' ') {
        Some((name, size)) if size.contains('=') => (name.to_string(), format!(" {size}")),
        _ => (label.clone(), String::new()),
    });
    let (names, sizes): (Vec<String>, Vec<String>) = parts.unzip();
    let longest = sizes.iter().map(|size| size.chars().count()).max().unwrap_or(0);
    let names = clip_apart(&names, letters.saturating_sub(longest));
    names.into_iter().zip(sizes).map(|(name, size)| name + &size).collect()
}

/// Grid, ticks and labels of both axes. Returns what [`y_axis`] does.
fn axes(spec: &ChartSpec, area: Rect, ticks: Vec<Tick>, items: &mut Vec<Item>) -> usize {
    for value in spec.x.minor() {
        if let Some(x) = plot::x_place(spec, area, value).filter(|x| *x > area.x && *x < area.right()) {
            items.push(Item::Path {
                points: vec![(x, area.bottom() - 4.0), (x, area.bottom())],
                ink: Ink::Frame,
                alpha: 1.0,
                width: 1,
                dash: Dash::Solid,
            });
        }
    }
    let mut end = f64::NEG_INFINITY;
    for tick in spec.x.ticks((area.w / 75.0) as usize) {
        let Some(x) = plot::x_place(spec, area, tick.value) else { continue };
        if x < area.x || x > area.right() {
            continue;
        }
        items.push(Item::line_item((x, area.y), (x, area.bottom()), Ink::Grid));
        let label = shorten(&clean(&tick.label, LONGEST), SMALL, 2.0 * RIGHT - 8.0);
        let half = width(&label, SMALL) / 2.0;
        if x - half > end + 8.0 {
            items.push(Item::text_item(label, (x, area.bottom() + 7.0), SMALL, Anchor::Middle, Ink::Text));
            end = x + half;
        }
    }
    let at = (area.x + area.w / 2.0, area.bottom() + 25.0);
    let label = shorten(&clean(spec.x.title(), LONGEST), SMALL, area.w);
    items.push(Item::text_item(label, at, SMALL, Anchor::Middle, Ink::Text));
    y_axis(spec, area, ticks, items)
}

/// Grid and ticks of the y axis. Returns how many names share one text beside it (1: none).
fn y_axis(spec: &ChartSpec, area: Rect, ticks: Vec<Tick>, items: &mut Vec<Item>) -> usize {
    let (step, is_slots) = match &spec.y.scale {
        Scale::Category(names) => ((15.0 * names.len() as f64 / area.h).ceil().max(1.0) as usize, true),
        _ => (1, false),
    };
    let mut last = None;
    for (i, tick) in ticks.into_iter().enumerate() {
        let Some(y) = plot::y_place(spec, area, tick.value) else { continue };
        if y < area.y || y > area.bottom() {
            continue;
        }
        if !is_slots {
            items.push(Item::line_item((area.x, y), (area.right(), y), Ink::Grid));
        }
        if i % step == 0 && (is_slots || last.is_none_or(|l: f64| (l - y).abs() > SMALL + 3.0)) {
            last = Some(y);
            let at = (area.x - 8.0, (y - SMALL * 0.55).round());
            items.push(Item::text_item(tick.label, at, SMALL, Anchor::End, Ink::Text));
        }
    }
    step
}

/// The height at which nothing has to be left out, at this width.
pub(super) fn natural_height(spec: &ChartSpec, width: u32) -> f64 {
    let surround = Surround::new(spec, f64::from(width));
    let plot = plot::natural_height(spec);
    let around = surround.above() + surround.below() + SMALL * LEADING;
    // `fit` gives the plot 40 % of the height before any note.
    (around + plot).max(around / 0.59)
}
