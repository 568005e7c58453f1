//! The tornado in cells: a bar per number that matters, from the time with a fifth less to the time with a fifth more of it.
//!
//! ```text
//! -20 % ░  +20 % █     4.66 ms │ 7.00 ms
//! memory bandwidth     ██████████│░░░░░░░░░░░░
//! ```

use crate::tui::look::Look;
use crate::tui::text::{clipped_text, pad_left, pad_right, paragraph, wrap_at_most};
use crate::units::Seconds;
use crate::whatif::{TornadoBar, WhatIfAnswer};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// From this width on the two times stand behind each bar.
const ROOM_FOR_TIMES: usize = 64;
/// Columns of the two times.
const TIMES: usize = 24;

/// The tornado in this width and at most so many lines.
pub(super) fn tornado_lines(
    answer: &WhatIfAnswer,
    width: usize,
    height: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let bars: Vec<&TornadoBar> = answer.tornado.iter().filter(|bar| bar.matters()).collect();
    let Some(now) = answer.time.filter(|_| !bars.is_empty()) else {
        let text = if answer.time.is_some() { "no number of the GPU changes the time" } else { "no time" };
        return paragraph(text, width, look.dim());
    };
    let scale = BarScale::new(&bars, now, width);
    let mut lines = vec![scale.heading(look)];
    let room = height.saturating_sub(2).max(1);
    lines.extend(bars.iter().take(room).map(|bar| scale.bar_line(bar, now, look)));
    let left = height.saturating_sub(lines.len());
    let folded = answer.without_effect().filter(|_| left > 0).map(|text| wrap_at_most(&text, width, left));
    lines.extend(folded.into_iter().flatten().map(|text| Line::styled(text, look.dim())));
    lines
}

/// Where times lie on the bars.
struct BarScale {
    name: usize,
    bar: usize,
    has_times: bool,
    low: f64,
    high: f64,
}

impl BarScale {
    fn new(bars: &[&TornadoBar], now: Seconds, width: usize) -> Self {
        let has_times = width >= ROOM_FOR_TIMES;
        let longest = bars.iter().map(|bar| bar.number.title().width()).max().unwrap_or(0);
        let name = longest.min(if width < 40 { 16 } else { 24 }) + 1;
        let times = if has_times { TIMES } else { 0 };
        let ends = bars.iter().flat_map(|bar| [bar.less, bar.more]).flatten().map(|t| t.0);
        let (low, high) = ends.fold((now.0, now.0), |(low, high), t| (low.min(t), high.max(t)));
        Self { name, bar: width.saturating_sub(name + times).max(3), has_times, low, high }
    }

    /// The cell of a time.
    fn cell(&self, time: f64) -> usize {
        let share = (time - self.low) / (self.high - self.low);
        if share.is_finite() { (share * (self.bar - 1) as f64).round() as usize } else { 0 }
    }

    /// What the halves are, and the times at both ends.
    fn heading(&self, look: Look<'_>) -> Line<'static> {
        let legend = clipped_text("-20 % ░ +20 % █", self.name + self.bar);
        let ends = format!("{} … {}", Seconds(self.low), Seconds(self.high));
        let room = (self.name + self.bar).saturating_sub(legend.width() + 1);
        let ends = if ends.width() <= room { pad_left(&ends, room) } else { String::new() };
        let mut text = format!("{legend} {ends}");
        if self.has_times {
            text.push_str(&format!("{}{}", pad_left("-20 %", TIMES / 2), pad_left("+20 %", TIMES / 2)));
        }
        Line::styled(text, look.dim())
    }

    fn bar_line(&self, bar: &TornadoBar, now: Seconds, look: Look<'_>) -> Line<'static> {
        let middle = self.cell(now.0);
        let mut cells: Vec<(char, Style)> = vec![(' ', look.text()); self.bar];
        for (time, letter, style) in [(bar.less, '░', look.source()), (bar.more, '█', look.target())] {
            let Some(time) = time else { continue };
            let end = self.cell(time.0);
            let (from, to) = (end.min(middle), end.max(middle));
            cells[from..=to].iter_mut().for_each(|cell| *cell = (letter, style));
        }
        cells[middle] = ('│', look.limiter());
        let name = pad_right(&clipped_text(bar.number.title(), self.name - 1), self.name);
        let mut spans = vec![Span::styled(name, look.text())];
        spans.extend(cells.into_iter().map(|(letter, style)| Span::styled(letter.to_string(), style)));
        if self.has_times {
            for time in [bar.less, bar.more] {
                let text = time.map_or("cannot run".to_string(), |t| t.to_string());
                spans.push(Span::styled(pad_left(&text, TIMES / 2), look.text()));
            }
        }
        Line::from(spans)
    }
}
