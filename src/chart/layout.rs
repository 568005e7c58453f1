//! Text as boxes: how wide it is, how it wraps, and where a label finds room. No drawing.

use crate::text::harmless_line;

/// A rectangle in pixels, y downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) w: f64,
    pub(super) h: f64,
}

impl Rect {
    pub(super) fn right(&self) -> f64 {
        self.x + self.w
    }

    pub(super) fn bottom(&self) -> f64 {
        self.y + self.h
    }

    pub(super) fn grown(&self, by: f64) -> Self {
        Self { x: self.x - by, y: self.y - by, w: self.w + 2.0 * by, h: self.h + 2.0 * by }
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }

    pub(super) fn holds(&self, other: &Self) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && self.right() >= other.right()
            && self.bottom() >= other.bottom()
    }

    /// Whether the segment a-b touches the rectangle (Liang and Barsky's clipping).
    pub(super) fn is_crossed(&self, a: (f64, f64), b: (f64, f64)) -> bool {
        clipped_line(self, a, b).is_some()
    }
}

/// The part of a-b inside the rectangle (Liang and Barsky 1984).
pub(super) fn clipped_line(r: &Rect, a: (f64, f64), b: (f64, f64)) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (p, q) in [(-dx, a.0 - r.x), (dx, r.right() - a.0), (-dy, a.1 - r.y), (dy, r.bottom() - a.1)] {
        if p == 0.0 && q < 0.0 {
            return None;
        }
        if p < 0.0 {
            from = from.max(q / p);
        } else if p > 0.0 {
            to = to.min(q / p);
        }
    }
    let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
    (from <= to).then(|| (at(from), at(to)))
}

/// Text as XML and a line can hold it: control characters become spaces, other harmful ones are replaced, non-characters go.
pub(super) fn clean(text: &str, most: usize) -> String {
    let kept = text.chars().filter(|c| !matches!(c, '\u{FFFE}' | '\u{FFFF}'));
    harmless_line(&kept.take(most).map(|c| if c.is_control() { ' ' } else { c }).collect::<String>())
}

/// Width in ems, after DejaVu Sans, one of the widest of the fonts that `sans-serif` may turn out to be.
fn ems(c: char) -> f64 {
    match c {
        'm' | 'M' | 'W' | '@' | '%' | '…' => 1.0,
        'w' | '→' | '×' | '+' | '−' | '=' | '<' | '>' | '~' | '◀' | 'Q' | 'O' | 'G' | 'D' | 'N' | 'H' => {
            0.84
        }
        'i' | 'j' | 'l' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '/' | '(' | ')' | 'f' | 't'
        | 'r' | '-' => 0.42,
        'A'..='Z' => 0.7,
        '\u{2E80}'.. => 1.05,
        c if c.is_ascii() => 0.64,
        'µ' | '–' => 0.65,
        _ => 0.85,
    }
}

/// The width a text most likely has in pixels.
pub(super) fn likely_width(text: &str, size: f64) -> f64 {
    text.chars().map(ems).sum::<f64>() * size
}

/// The width to reserve for a text in pixels: no narrower than a monospaced font's.
pub(super) fn width(text: &str, size: f64) -> f64 {
    likely_width(text, size).max(text.chars().count() as f64 * MONOSPACED * size)
}

/// Width of a character of a monospaced font in ems.
const MONOSPACED: f64 = 0.6;

/// The text, cut with `…` if it is wider than `room`; empty if not even that fits.
pub(super) fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_string();
    }
    let (mut likely, mut monospaced) = (ems('…'), MONOSPACED);
    let fits = |c: &char| {
        likely += ems(*c);
        monospaced += MONOSPACED;
        likely.max(monospaced) * size <= room
    };
    let out: String = text.chars().take_while(fits).collect();
    let kept = out.trim_end();
    if kept.is_empty() { String::new() } else { format!("{kept}…") }
}

/// The text in lines of at most `room`, at most `most` of them; what is too long ends in `…`.
pub(super) fn wrap(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut words = text.split_whitespace().peekable();
    while let Some(first) = words.next() {
        if lines.len() + 1 == most {
            let rest: Vec<&str> = std::iter::once(first).chain(words).take(200).collect();
            lines.push(shorten(&rest.join(" "), size, room));
            break;
        }
        let mut line = first.to_string();
        while let Some(word) =
            words.next_if(|w| width(&line, size) + width(w, size) + MONOSPACED * size <= room)
        {
            line.push(' ');
            line.push_str(word);
        }
        lines.push(shorten(&line, size, room));
    }
    lines.retain(|l| !l.is_empty());
    lines
}

/// A line at one height, in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelLine {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) y: f64,
}

/// How large a label is, in pixels.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelSize {
    pub(super) w: f64,
    pub(super) h: f64,
}

/// A line that labels avoid, and how much.
#[derive(Debug)]
struct AvoidedLine {
    from: (f64, f64),
    to: (f64, f64),
    weight: f64,
}

/// Finds places for labels beside what they name, clear of each other.
#[derive(Debug)]
pub(super) struct Placer {
    within: Rect,
    taken: Vec<Rect>,
    markers: Vec<Rect>,
    lines: Vec<AvoidedLine>,
}

/// How far a label may stand from what it names, nearest first.
const GAPS: [f64; 6] = [9.0, 16.0, 26.0, 40.0, 60.0, 90.0];

impl Placer {
    pub(super) fn new(within: Rect) -> Self {
        Self { within, taken: Vec::new(), markers: Vec::new(), lines: Vec::new() }
    }

    /// A marker: labels avoid it where they can.
    pub(super) fn add_marker(&mut self, (x, y): (f64, f64), radius: f64) {
        self.markers.push(Rect { x: x - radius, y: y - radius, w: 2.0 * radius, h: 2.0 * radius });
    }

    /// A line: labels avoid it where they can, the more the heavier it is.
    pub(super) fn add_line(&mut self, from: (f64, f64), to: (f64, f64), weight: f64) {
        self.lines.push(AvoidedLine { from, to, weight });
    }

    /// The best free place for a label of this size beside `at`, which is then taken. `None` if there is none.
    pub(super) fn free_place(&mut self, at: (f64, f64), (w, h): (f64, f64)) -> Option<Rect> {
        const DIRECTIONS: [(f64, f64); 8] = [
            (1.0, 0.0),
            (1.0, 1.0),
            (1.0, -1.0),
            (-1.0, -1.0),
            (-1.0, 1.0),
            (-1.0, 0.0),
            (0.0, -1.0),
            (0.0, 1.0),
        ];
        let mut best: Option<(f64, Rect)> = None;
        for (ring, gap) in GAPS.into_iter().enumerate() {
            for (dx, dy) in DIRECTIONS {
                let (cx, cy) = (at.0 + dx * (gap + w / 2.0), at.1 + dy * (gap + h / 2.0));
                let room = Rect { x: (cx - w / 2.0).round(), y: (cy - h / 2.0).round(), w, h };
                let Some(cost) = self.cost(&room, ring) else { continue };
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, room));
                }
            }
        }
        let (_, found) = best?;
        self.taken.push(found.grown(2.0));
        Some(found)
    }

    /// A free place for the name of a level line: above it, else below, from its end leftwards, where no other
    /// line comes as near as its own. `None` if there is none: at another line it would name that one.
    pub(super) fn place_on_line(&mut self, line: LevelLine, size: LabelSize) -> Option<Rect> {
        const GAP: f64 = 3.0;
        const STEP: f64 = 12.0;
        let (LevelLine { start, end, y }, LabelSize { w, h }) = (line, size);
        let right = end.min(self.within.right());
        let steps = ((right - w - start.max(self.within.x)) / STEP).max(0.0) as u32;
        let rooms = (0..=steps).flat_map(|step| {
            let x = (right - w - f64::from(step) * STEP).round();
            [y - GAP - h, y + GAP].map(|y| Rect { x, y: y.round(), w, h })
        });
        let own = |line: &AvoidedLine| (line.from.1 - y).abs() < 1.0 && (line.to.1 - y).abs() < 1.0;
        let is_free = |room: &Rect| {
            // Another line as near as its own would be named by it as well.
            let near = room.grown(GAP + 0.5);
            self.within.holds(room)
                && !self.taken.iter().any(|taken| taken.overlaps(room))
                && !self.markers.iter().any(|marker| marker.overlaps(room))
                && !self.lines.iter().any(|line| !own(line) && near.is_crossed(line.from, line.to))
        };
        let found = rooms.into_iter().find(is_free)?;
        self.taken.push(found.grown(2.0));
        Some(found)
    }

    /// A free place for a label in a row whose marks reach from `left` to `right`: after them, before them, then beyond
    /// the labels that are there already.
    pub(super) fn place_in_row(
        &mut self,
        (left, right): (f64, f64),
        y: f64,
        (w, h): (f64, f64),
    ) -> Option<Rect> {
        // In the last row of thin ones half a label below its mark would leave the plot.
        let lowest = (self.within.bottom() - h).max(self.within.y);
        let top = (y - h / 2.0).round().clamp(self.within.y, lowest.floor().max(self.within.y));
        let after = Rect { x: (right + GAPS[0]).round(), y: top, w, h };
        let before = Rect { x: (left - GAPS[0] - w).round(), y: top, w, h };
        let beyond = |start: Rect, rightwards: bool| {
            let mut r = start;
            while let Some(t) = self.taken.iter().find(|t| t.overlaps(&r)) {
                r.x = if rightwards { (t.right() + GAPS[0]).round() } else { (t.x - GAPS[0] - w).round() };
                if !self.within.holds(&r) {
                    break;
                }
            }
            r
        };
        let free = |r: &Rect| self.within.holds(r) && !self.taken.iter().any(|t| t.overlaps(r));
        let found = [after, before, beyond(after, true), beyond(before, false)].into_iter().find(free)?;
        self.taken.push(found.grown(2.0));
        Some(found)
    }

    /// How bad a place is; `None` where it is taken or leaves the plot.
    fn cost(&self, room: &Rect, ring: usize) -> Option<f64> {
        if !self.within.holds(room) || self.taken.iter().any(|t| t.overlaps(room)) {
            return None;
        }
        let markers = self.markers.iter().filter(|m| m.overlaps(room)).count();
        let crossed = self.lines.iter().filter(|l| room.grown(1.0).is_crossed(l.from, l.to));
        let lines: f64 = crossed.map(|l| l.weight).sum();
        Some(ring as f64 + 8.0 * markers.min(9) as f64 + lines.min(30.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_fit_and_lose_nothing_until_the_last() {
        let text = "one two three four five six seven eight nine ten";
        let lines = wrap(text, 10.0, 90.0, 99);
        assert!(lines.iter().all(|l| width(l, 10.0) <= 90.0));
        assert_eq!(lines.join(" "), text);
        let cut = wrap(text, 10.0, 90.0, 2);
        assert_eq!(cut.len(), 2);
        assert!(cut[1].ends_with('…'));
        assert!(wrap("", 10.0, 90.0, 2).is_empty());
        assert!(wrap(&"x".repeat(10_000), 10.0, 90.0, 3).iter().all(|l| width(l, 10.0) <= 90.0));
        assert_eq!(shorten("abc", 10.0, 1.0), "");
    }

    #[test]
    fn text_never_breaks_xml() {
        assert_eq!(clean("a\u{0}b\nc\u{1b}\u{FFFF}", 99), "a b c ");
    }

    #[test]
    fn labels_of_one_place_stand_beside_each_other_and_a_full_plot_refuses() {
        let within = Rect { x: 0.0, y: 0.0, w: 200.0, h: 100.0 };
        let mut placer = Placer::new(within);
        let mut placed: Vec<Rect> = Vec::new();
        while let Some(r) = placer.free_place((100.0, 50.0), (60.0, 12.0)) {
            assert!(within.holds(&r) && placed.iter().all(|p| !p.overlaps(&r)));
            placed.push(r);
        }
        assert!((4..40).contains(&placed.len()), "{}", placed.len());
    }

    #[test]
    fn a_label_keeps_off_lines_where_it_can() {
        let mut placer = Placer::new(Rect { x: 0.0, y: 0.0, w: 300.0, h: 100.0 });
        placer.add_line((0.0, 50.0), (300.0, 50.0), 3.0);
        let r = placer.free_place((100.0, 50.0), (60.0, 12.0)).unwrap();
        assert!(!r.is_crossed((0.0, 50.0), (300.0, 50.0)), "{r:?}");
    }

    #[test]
    fn labels_in_a_row_keep_its_line() {
        let mut placer = Placer::new(Rect { x: 0.0, y: 0.0, w: 400.0, h: 100.0 });
        let mut place = || placer.place_in_row((150.0, 200.0), 50.0, (60.0, 12.0)).map(|r| r.x);
        assert_eq!(
            [place(), place(), place(), place(), place()],
            [Some(209.0), Some(81.0), Some(280.0), Some(10.0), None]
        );
    }

    #[test]
    fn a_label_of_the_last_row_stays_inside() {
        let within = Rect { x: 0.0, y: 0.0, w: 400.0, h: 100.0 };
        let placed = Placer::new(within).place_in_row((150.0, 200.0), 97.0, (60.0, 12.0)).unwrap();
        assert!(within.holds(&placed), "{placed:?}");
    }

    #[test]
    fn a_segment_is_cut_at_the_frame() {
        let r = Rect { x: 0.0, y: 0.0, w: 10.0, h: 10.0 };
        assert_eq!(clipped_line(&r, (-5.0, 5.0), (5.0, 5.0)), Some(((0.0, 5.0), (5.0, 5.0))));
        assert_eq!(clipped_line(&r, (-5.0, 20.0), (5.0, 20.0)), None);
        assert!(!r.is_crossed((11.0, 0.0), (11.0, 10.0)));
    }
}
