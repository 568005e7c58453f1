//! Draws a [`ChartSpec`] into terminal cells: lines in braille, points as the marks of the whole tool, labels where nothing
//! else stands.

use super::axis_ticks::{axis_unit, ticks};
use super::look::Look;
use crate::chart::{Axis, ChartSpec, Dash, Mark, Meaning, Scale, Shape};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

/// Columns for the vertical axis' numbers.
const Y_LABELS: u16 = 5;
/// The longest line between a point and its text, in cells.
const LONGEST_TIE: i32 = 8;

/// One cell's braille dots, and the style of what was drawn into it last.
type DotCell = (u8, Style);

/// A text in the plot.
#[derive(Debug, Clone, PartialEq)]
struct PlacedText {
    column: u16,
    row: u16,
    text: String,
    /// The point that it is about.
    point: Option<[u16; 2]>,
}

/// A chart on its way into cells.
struct Canvas<'a> {
    plot: Rect,
    x: &'a Axis,
    y: &'a Axis,
    cells: Vec<DotCell>,
    /// Cells of the bars of points.
    bars: Vec<bool>,
    /// Cells that text or a mark has taken.
    taken: Vec<bool>,
    /// Where points stand: column and row inside the plot.
    points: Vec<[u16; 2]>,
    /// Where texts stand: column, row and width inside the plot.
    texts: Vec<PlacedText>,
    look: Look<'a>,
}

/// Draws a chart whose axes are both numbers; anything else leaves the area empty.
pub fn draw_chart(buffer: &mut Buffer, area: Rect, spec: &ChartSpec, look: Look<'_>) {
    let _ = drawn_canvas(buffer, area, spec, look);
}

/// Draws a chart, and says where its points and texts stand.
fn drawn_canvas<'a>(
    buffer: &mut Buffer,
    area: Rect,
    spec: &'a ChartSpec,
    look: Look<'a>,
) -> Option<Canvas<'a>> {
    let (x, y) = (&spec.x, &spec.y);
    let drawable = |axis: &Axis| axis.scale.is_sound() && !matches!(axis.scale, Scale::Category(_));
    if !drawable(x) || !drawable(y) || area.width < Y_LABELS + 8 || area.height < 4 {
        return None;
    }
    let plot =
        Rect { x: area.x + Y_LABELS, y: area.y, width: area.width - Y_LABELS, height: area.height - 1 };
    let count = usize::from(plot.width) * usize::from(plot.height);
    let cells = vec![(0, Style::default()); count];
    let mut canvas = Canvas {
        plot,
        x,
        y,
        cells,
        bars: vec![false; count],
        taken: vec![false; count],
        points: Vec::new(),
        texts: Vec::new(),
        look,
    };
    canvas.axes(buffer);
    for mark in &spec.marks {
        canvas.draw_lines(mark);
    }
    canvas.paint_lines(buffer);
    canvas.vertical_unit(buffer);
    // The fastest point first: one that must make room for it moves down, as the slower one should. Context last, labels
    // after every point: so they keep out of each other's way.
    let is_context = |m: &&Mark| matches!(m, Mark::Point { shape: Shape::Other, .. });
    let height = |m: &Mark| if let Mark::Point { at, .. } = m { at.1 } else { 0.0 };
    let mut order: Vec<usize> = (0..spec.marks.len()).filter(|i| !is_context(&&spec.marks[*i])).collect();
    order.sort_by(|a, b| height(&spec.marks[*b]).total_cmp(&height(&spec.marks[*a])));
    let mut points = vec![None; spec.marks.len()];
    for i in order {
        points[i] = canvas.point(buffer, &spec.marks[i]);
    }
    for mark in spec.marks.iter().filter(is_context) {
        canvas.point(buffer, mark);
    }
    // Names of roofs first: each stands on its own line.
    let names_roof = |mark: &&Mark| matches!(mark, Mark::Label { at, .. } if canvas_end(&spec.x, at.0));
    for mark in spec.marks.iter().filter(names_roof) {
        canvas.draw_label(buffer, mark, None);
    }
    for (mark, point) in spec.marks.iter().zip(points).filter(|(mark, _)| !names_roof(mark)) {
        canvas.draw_label(buffer, mark, point);
    }
    Some(canvas)
}

/// Whether a value stands at the right end of a logarithmic axis, where names of roofs do.
fn canvas_end(axis: &Axis, value: f64) -> bool {
    matches!(axis.scale, Scale::Log { max, .. } if value >= max)
}

impl Canvas<'_> {
    /// The place of a value in dots: two per column, four per row, row 0 on top.
    fn dot(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let (across, up) = (self.x.scale.position_of(x)?, self.y.scale.position_of(y)?);
        let (w, h) = (f64::from(self.plot.width) * 2.0 - 1.0, f64::from(self.plot.height) * 4.0 - 1.0);
        Some((across * w, (1.0 - up) * h))
    }

    /// The column of a place in dots, if it lies inside the plot.
    fn column(&self, dx: f64) -> Option<u16> {
        let column = (dx.round() / 2.0).floor();
        (column >= 0.0 && column < f64::from(self.plot.width)).then_some(column as u16)
    }

    /// The row of a place in dots, if it lies inside the plot.
    fn row_at(&self, dy: f64) -> Option<u16> {
        let row = (dy.round() / 4.0).floor();
        (row >= 0.0 && row < f64::from(self.plot.height)).then_some(row as u16)
    }

    /// The cell of a value, if it lies inside the plot.
    fn cell(&self, at: (f64, f64)) -> Option<(u16, u16)> {
        let (dx, dy) = self.dot(at)?;
        Some((self.column(dx)?, self.row_at(dy)?))
    }

    fn index(&self, column: u16, row: u16) -> usize {
        usize::from(row) * usize::from(self.plot.width) + usize::from(column)
    }

    /// The axis lines with their numbers.
    fn axes(&self, buffer: &mut Buffer) {
        let dim = self.look.dim();
        let bottom = self.plot.bottom();
        for (value, text) in ticks(self.y, usize::from(self.plot.height / 2)) {
            let Some(place) = self.y.scale.position_of(value) else { continue };
            if let Some(row) = self.row_at((1.0 - place) * (f64::from(self.plot.height) * 4.0 - 1.0)) {
                let width = usize::from(Y_LABELS) - 1;
                let at = (self.plot.x - Y_LABELS, self.plot.y + row);
                buffer.set_stringn(at.0, at.1, format!("{text:>width$}┤"), width + 1, dim);
            }
        }
        let unit = axis_unit(self.x);
        let unit_at = self.plot.right().saturating_sub(unit.width() as u16);
        let mut free_from = self.plot.x;
        for (value, text) in ticks(self.x, usize::from(self.plot.width / 8)) {
            let Some(place) = self.x.scale.position_of(value) else { continue };
            let Some(column) = self.column(place * (f64::from(self.plot.width) * 2.0 - 1.0)) else {
                continue;
            };
            let x = (self.plot.x + column).saturating_sub(text.width() as u16 / 2).max(self.plot.x);
            // The unit stands at the end, whatever number would stand there.
            if x >= free_from && x + (text.width() as u16) < unit_at {
                buffer.set_string(x, bottom, &text, dim);
                free_from = x + text.width() as u16 + 1;
            }
        }
        buffer.set_string(unit_at, bottom, unit, dim);
    }

    /// The unit of a logarithmic vertical axis, in the corner where roofs begin.
    fn vertical_unit(&mut self, buffer: &mut Buffer) {
        let unit = axis_unit(self.y).to_string();
        let width = unit.width() as u16;
        if matches!(self.y.scale, Scale::Log { .. }) && width + 2 < self.plot.width {
            self.write(buffer, [0, 0], &unit, self.look.dim());
        }
    }

    fn draw_lines(&mut self, mark: &Mark) {
        match mark {
            Mark::Line { meaning, dash, points, .. } => {
                let style = self.look.mark(*meaning);
                for pair in points.windows(2) {
                    self.segment(pair[0], pair[1], style, *dash);
                }
            }
            Mark::Arrow { from, to } => self.segment(*from, *to, self.look.predicted(), Dash::Dotted),
            Mark::Point { meaning, at, interval: Some((low, high)), .. } => {
                let style = self.look.mark(*meaning);
                self.segment((at.0, *low), (at.0, *high), style, Dash::Solid);
                self.take_bar(at.0, *low, *high);
            }
            _ => {}
        }
    }

    fn segment(&mut self, from: (f64, f64), to: (f64, f64), style: Style, dash: Dash) {
        let (Some(a), Some(b)) = (self.dot(from), self.dot(to)) else { return };
        let steps = (b.0 - a.0).abs().max((b.1 - a.1).abs()).ceil().clamp(1.0, 4000.0) as u32;
        for i in 0..=steps {
            // Which of the steps are inked, so that the levels differ without colour.
            let inked = match dash {
                Dash::Solid => true,
                Dash::Dashed => i % 6 < 4,
                Dash::Dotted => i % 3 == 0,
                Dash::DashDot => matches!(i % 8, 0..=3 | 6),
                Dash::LongDash => i % 10 < 8,
            };
            let t = f64::from(i) / f64::from(steps);
            if inked {
                self.ink(a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t, style);
            }
        }
    }

    /// Remembers the cells of a bar from one value up to another.
    fn take_bar(&mut self, x: f64, low: f64, high: f64) {
        let (Some((dx, bottom)), Some((_, top))) = (self.dot((x, low)), self.dot((x, high))) else { return };
        let Some(column) = self.column(dx) else { return };
        for row in 0..self.plot.height {
            let first = f64::from(row) * 4.0;
            if first + 3.0 >= top.round() && first <= bottom.round() {
                let i = self.index(column, row);
                self.bars[i] = true;
            }
        }
    }

    fn ink(&mut self, dx: f64, dy: f64, style: Style) {
        const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let (x, y) = (dx.round(), dy.round());
        if x < 0.0
            || y < 0.0
            || x >= f64::from(self.plot.width) * 2.0
            || y >= f64::from(self.plot.height) * 4.0
        {
            return;
        }
        let (x, y) = (x as u16, y as u16);
        let i = self.index(x / 2, y / 4);
        self.cells[i].0 |= DOTS[usize::from(y % 4)][usize::from(x % 2)];
        self.cells[i].1 = style;
    }

    fn paint_lines(&self, buffer: &mut Buffer) {
        for row in 0..self.plot.height {
            for column in 0..self.plot.width {
                let (dots, style) = self.cells[self.index(column, row)];
                if let Some(c) = char::from_u32(0x2800 + u32::from(dots)).filter(|_| dots != 0) {
                    buffer[(self.plot.x + column, self.plot.y + row)].set_char(c).set_style(style);
                }
            }
        }
    }

    /// Draws a point and says where it stands: in its own cell, or beside it where another point has that.
    fn point(&mut self, buffer: &mut Buffer, mark: &Mark) -> Option<[u16; 2]> {
        let Mark::Point { meaning, shape, at, .. } = mark else { return None };
        let (column, row) = self.cell(*at)?;
        let (symbol, style) = match shape {
            Shape::Measured => ('●', self.look.mark(*meaning)),
            Shape::Predicted if matches!(meaning, Meaning::Further(_)) => ('◆', self.look.mark(*meaning)),
            Shape::Predicted => ('◆', self.look.predicted()),
            Shape::Estimated if *meaning == Meaning::Source => ('○', self.look.mark(*meaning)),
            Shape::Estimated => ('◇', self.look.mark(*meaning)),
            Shape::Chosen => (if *meaning == Meaning::Source { 'S' } else { 'T' }, self.look.mark(*meaning)),
            Shape::Other => ('·', self.look.dim()),
        };
        // A column is a small part of a decade, a row a large one.
        let around = [(0, 0), (1, 0), (-1, 0), (2, 0), (-2, 0), (0, 1), (0, -1)];
        let mut places = around.into_iter().map(|(dx, dy)| (i32::from(column) + dx, i32::from(row) + dy));
        let (x, y) = match shape {
            // Context gives way to everything.
            Shape::Other => places.next().filter(|(x, y)| self.free(*x, *y, 1, false))?,
            _ => places.find(|(x, y)| self.free(*x, *y, 1, true))?,
        };
        let place = [x as u16, y as u16];
        let i = self.index(place[0], place[1]);
        if *shape != Shape::Other {
            self.taken[i] = true;
            self.points.push(place);
        }
        let cell = &mut buffer[(self.plot.x + place[0], self.plot.y + place[1])];
        cell.reset();
        cell.set_char(symbol).set_style(style);
        Some(place)
    }

    /// Writes over whatever was drawn there: nothing of a line's style shows through.
    fn write(&mut self, buffer: &mut Buffer, [x, y]: [u16; 2], text: &str, style: Style) {
        for column in x..x + text.width() as u16 {
            let i = self.index(column, y);
            self.taken[i] = true;
            buffer[(self.plot.x + column, self.plot.y + y)].reset();
        }
        buffer.set_string(self.plot.x + x, self.plot.y + y, text, style);
        self.texts.push(PlacedText { column: x, row: y, text: text.to_string(), point: None });
    }

    /// The name of a roof stands on its own line, at the right end: it can belong to no other. Where it is too long, its
    /// number alone.
    fn roof_label(&mut self, buffer: &mut Buffer, row: u16, text: &str, style: Style) {
        let number = text.rsplitn(3, ' ').take(2).collect::<Vec<_>>();
        let number = number.into_iter().rev().collect::<Vec<_>>().join(" ");
        for text in [text, &number] {
            let width = text.width() as u16;
            if width * 2 > self.plot.width && text != number {
                continue;
            }
            let right = (width.max(self.plot.width / 2)..=self.plot.width).rev().map(|end| end - width);
            // A cell stays free on the right, so that two names on one line stay apart.
            let free = |x: &u16| {
                let wide = if x + width < self.plot.width { width + 1 } else { width };
                self.free(i32::from(*x), i32::from(row), i32::from(wide), true)
            };
            // Beside a point it would read as the point's.
            let is_apart = |x: &u16| {
                let near = i32::from(*x) - 2..i32::from(x + width) + 2;
                !self.points.iter().any(|point| point[1] == row && near.contains(&i32::from(point[0])))
            };
            let mut free = right.filter(free).filter(is_apart);
            if let Some(x) = free.next() {
                self.write(buffer, [x, row], text, style);
                return;
            }
        }
    }

    fn draw_label(&mut self, buffer: &mut Buffer, mark: &Mark, point: Option<[u16; 2]>) {
        match mark {
            Mark::Point { label, meaning, .. } if !label.is_empty() => {
                if let Some(point) = point {
                    self.point_label(buffer, point, label, self.look.mark(*meaning));
                }
            }
            Mark::Label { at, text, meaning } => {
                let Some((column, row)) = self.cell(*at) else { return };
                let style = self.look.mark(*meaning);
                if canvas_end(self.x, at.0) {
                    return self.roof_label(buffer, row, text, style);
                }
                // Only where nothing else is: the legend says it too.
                let (at, width) = ([column, row].map(i32::from), text.width() as i32);
                if let Some([x, y]) = self.label_place(at, width, false) {
                    self.write(buffer, [x, y], text, style);
                } else if let Some([x, y]) = self.tied_place(at, width, false) {
                    self.draw_tie(buffer, [column, row], [x, y], style);
                    self.write(buffer, [x, y], text, style);
                }
            }
            _ => {}
        }
    }

    /// The text of a point: beside it, over a roof if it must, else at the end of a tie; curves are what is looked at, so a tie goes
    /// before a text that hides them. Where the whole text fits nowhere, what stands before its bracket may, or before its comma,
    /// then without the word that the mark says as well.
    fn point_label(&mut self, buffer: &mut Buffer, point: [u16; 2], text: &str, style: Style) {
        let at = point.map(i32::from);
        let before = [" (", ", "].map(|end| text.split(end).next().unwrap_or(text));
        let alone = ["measured ", "predicted "].iter().find_map(|word| before[0].strip_prefix(word));
        let forms: Vec<&str> = std::iter::once(text).chain(before).chain(alone).collect();
        // Whether it is tied, and whether it may lie over lines.
        let rounds = match self.y.scale {
            Scale::Log { .. } => [[(false, false), (false, true)], [(true, false), (true, true)]],
            _ => [[(false, false), (true, false)], [(false, true), (true, true)]],
        };
        for (form, (is_tied, over_ink)) in
            rounds.iter().flat_map(|round| forms.iter().flat_map(|form| round.map(|how| (*form, how))))
        {
            let tried = if is_tied { Self::tied_place } else { Self::label_place };
            let Some([x, y]) = tried(self, at, form.width() as i32, over_ink) else { continue };
            if is_tied {
                self.draw_tie(buffer, point, [x, y], style);
            }
            self.write(buffer, [x, y], form, style);
            if let Some(text) = self.texts.last_mut() {
                text.point = Some(point);
            }
            return;
        }
    }

    /// Where a text of this width stands so that it reads as this point's: beside it, or touching it from above or below where no
    /// other point is near.
    fn label_place(&self, at: [i32; 2], width: i32, over_ink: bool) -> Option<[u16; 2]> {
        let [column, row] = at;
        let beside = [[column + 2, row], [column - width - 1, row]];
        let touching = [
            [column - width / 2, row - 1],
            [column - width / 2, row + 1],
            [column + 1, row + 1],
            [column - width, row - 1],
            [column - width, row + 1],
        ];
        let touching = touching.into_iter().filter(|place| self.is_lonely(at, *place, width));
        let mut places = beside.into_iter().chain(touching);
        let place = places.find(|place| self.stands_apart(at, *place, width, over_ink));
        place.map(|place| place.map(|cell| cell as u16))
    }

    /// Where a text of this width stands at the end of a line down or up from this point, near before far.
    fn tied_place(&self, at: [i32; 2], width: i32, over_ink: bool) -> Option<[u16; 2]> {
        let [column, row] = at;
        let reach = |step: i32| {
            let line = (1..=LONGEST_TIE).map(move |k| row + k * step);
            line.take_while(|y| self.free(column, *y, 1, true))
        };
        let mut ends: Vec<i32> = reach(1).chain(reach(-1)).collect();
        ends.sort_by_key(|y| (y - row).abs());
        let mut places = ends.into_iter().flat_map(|y| [[column + 2, y], [column - width - 1, y]]);
        let place = places.find(|place| {
            self.free(column, place[1], 1, over_ink)
                && self.is_lonely(at, *place, width)
                && self.stands_apart(at, *place, width, over_ink)
        });
        place.map(|place| place.map(|cell| cell as u16))
    }

    /// The line from a point to its text, which ends in a corner beside the text. Bars and lines on its way stay.
    fn draw_tie(&mut self, buffer: &mut Buffer, [column, row]: [u16; 2], [x, y]: [u16; 2], style: Style) {
        let corner = match (y > row, x > column) {
            (true, true) => '└',
            (true, false) => '┘',
            (false, true) => '┌',
            (false, false) => '┐',
        };
        for at in row.min(y)..=row.max(y) {
            let i = self.index(column, at);
            let is_end = at == y;
            if at != row && (is_end || self.cells[i].0 == 0) {
                let cell = &mut buffer[(self.plot.x + column, self.plot.y + at)];
                cell.reset();
                cell.set_char(if is_end { corner } else { '│' }).set_style(style);
            }
            self.taken[i] = true;
        }
    }

    /// Whether no other point is near a text.
    fn is_lonely(&self, at: [i32; 2], [x, y]: [i32; 2], width: i32) -> bool {
        let is_near = |[column, row]: [i32; 2]| {
            (y - row).abs() <= 1 && (x - 2..x + width + 2).contains(&column) && [column, row] != at
        };
        !self.points.iter().any(|point| is_near(point.map(i32::from)))
    }

    /// Whether a text of this point may stand there: its cells are free of marks and bars, and no other mark, text or bar is close to
    /// its ends.
    fn stands_apart(&self, at: [i32; 2], [x, y]: [i32; 2], width: i32, over_ink: bool) -> bool {
        let index = |x: i32| {
            let is_foreign = x >= 0 && x < i32::from(self.plot.width) && [x, y] != at;
            is_foreign.then(|| self.index(x as u16, y as u16))
        };
        let is_taken = |x: i32| index(x).is_some_and(|i| self.taken[i]);
        let is_bar = |x: i32| x != at[0] && index(x).is_some_and(|i| self.bars[i]);
        self.free(x, y, width, over_ink)
            && ![x - 2, x - 1, x + width, x + width + 1].into_iter().any(is_taken)
            && !(x - 1..=x + width).any(is_bar)
    }

    fn free(&self, x: i32, y: i32, width: i32, over_ink: bool) -> bool {
        let inside =
            x >= 0 && y >= 0 && x + width <= i32::from(self.plot.width) && y < i32::from(self.plot.height);
        inside
            && (x..x + width).all(|c| {
                let i = self.index(c as u16, y as u16);
                !self.taken[i] && (over_ink || self.cells[i].0 == 0)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Settings;
    use crate::chart::{ChartSides, FurtherTarget, RooflineView, bandwidth_chart, roofline_chart};
    use crate::roofline::Level;
    use crate::session::Session;

    /// The roofline of a kernel from a source to targets, with all memory levels.
    fn chart(session: &Session, kernel: &str, gpus: &[&str]) -> ChartSpec {
        let kernel = session.kernels.position(kernel).unwrap();
        let subject = session.subject(kernel, &session.default_size(kernel, None), "").unwrap();
        let ids: Vec<_> = gpus.iter().map(|id| session.gpus.position(id).unwrap()).collect();
        let answers: Vec<_> = ids[1..]
            .iter()
            .map(|target| session.answer(&subject, ids[0], *target, Settings::default()))
            .collect();
        let further = answers[1..].iter().map(|a| FurtherTarget { gpu: &session.gpus[a.target], answer: a });
        let view = RooflineView {
            gpus: crate::pair::Pair::new(ids[0], ids[1]).map(|id| &session.gpus[id]),
            kernel: &session.kernels[kernel],
            problem: String::new(),
            answer: &answers[0],
            further: further.collect(),
            show: ChartSides::Both,
            levels: Level::ALL.to_vec(),
            others: vec![(0.25, 2e11), (2.0, 1e12)],
        };
        bandwidth_chart(&view).unwrap_or_else(|| roofline_chart(&view))
    }

    #[test]
    fn no_two_texts_overlap_on_any_screen_and_names_of_roofs_stand_on_them() {
        const TARGETS: [&str; 6] =
            ["titan-v", "rtx-4070", "h100-sxm5", "rtx-5090", "a100-sxm4-80gb", "gtx-titan-x"];
        let session = Session::load(None).unwrap();
        let theme = &crate::config::themes().unwrap()[0];
        for kernel in ["saxpy", "matmul_tiled", "naive_transpose", "histogram", "reduce_sum", "matmul_naive"]
        {
            for count in 2..=TARGETS.len() {
                let spec = chart(&session, kernel, &TARGETS[..count]);
                for (width, height) in [(29, 9), (61, 17), (78, 20), (108, 24), (198, 56)] {
                    let area = Rect::new(0, 0, width, height);
                    let mut buffer = Buffer::empty(area);
                    let canvas = drawn_canvas(&mut buffer, area, &spec, Look(theme)).unwrap();
                    let texts = &canvas.texts;
                    let what = format!("{kernel} on {count} GPUs at {width}x{height}");
                    assert_tied_to_points(&canvas, &buffer, &what);
                    for (i, one) in texts.iter().enumerate() {
                        let end = |text: &PlacedText| text.column + text.text.width() as u16;
                        assert!(end(one) <= width - Y_LABELS, "{what}: {one:?} leaves the plot");
                        for other in texts[i + 1..].iter().filter(|other| other.row == one.row) {
                            let apart = end(one) <= other.column || end(other) <= one.column;
                            assert!(apart, "{what}: {one:?} and {other:?}");
                        }
                    }
                    let at_end = |mark: &Mark| match mark {
                        Mark::Label { at, text, .. } if canvas_end(&spec.x, at.0) => {
                            Some((text.clone(), at.1))
                        }
                        _ => None,
                    };
                    for (name, rate) in spec.marks.iter().filter_map(at_end) {
                        let up = spec.y.scale.position_of(rate).unwrap();
                        let lines = f64::from(height - 1) * 4.0 - 1.0;
                        let row = (((1.0 - up) * lines).round() / 4.0).floor() as u16;
                        let written = texts.iter().filter(|text| text.text == name);
                        let on_own = |text: &PlacedText| text.row == row;
                        assert!(
                            written.clone().count() == 0 || written.clone().any(on_own),
                            "{what}: {name}"
                        );
                    }
                }
            }
        }
    }

    /// Bars of three points side by side leave the middle one's text a place at the end of its own bar, and a corner that says whose it is.
    #[test]
    fn the_label_of_a_bar_among_bars_hangs_on_it() {
        let point = |x: f64, name: &str| Mark::Point {
            name: String::new(),
            meaning: Meaning::Target,
            shape: Shape::Estimated,
            at: (x, 10.0),
            interval: Some((5.0, 20.0)),
            label: name.into(),
        };
        let axis = |label: &str| Axis { label: label.into(), scale: Scale::Log { min: 1.0, max: 100.0 } };
        let spec = ChartSpec {
            title: String::new(),
            subtitle: String::new(),
            x: axis("time, ms"),
            y: axis("energy, J"),
            // A column is a sixtieth of two decades.
            marks: vec![point(10.0, "left"), point(10.9, "middle"), point(11.8, "right")],
            notes: Vec::new(),
        };
        let area = Rect::new(0, 0, 65, 21);
        let mut buffer = Buffer::empty(area);
        let theme = &crate::config::themes().unwrap()[0];
        let canvas = drawn_canvas(&mut buffer, area, &spec, Look(theme)).unwrap();
        assert_tied_to_points(&canvas, &buffer, "three bars");
        let middle = canvas.texts.iter().find(|text| text.text == "middle").unwrap();
        let [column, row] = middle.point.unwrap();
        assert!(middle.row > row + 1, "below its bar: {middle:?}");
        let corner = buffer[(canvas.plot.x + column, canvas.plot.y + middle.row)].symbol();
        assert!("└┘".contains(corner), "{corner}");
    }

    /// Every label of a point stands beside it, touches it with no other point near, or is led to by a line.
    fn assert_tied_to_points(canvas: &Canvas<'_>, buffer: &Buffer, what: &str) {
        let symbol = |x: u16, y: u16| buffer[(canvas.plot.x + x, canvas.plot.y + y)].symbol();
        for text in &canvas.texts {
            let Some([column, row]) = text.point else { continue };
            let end = text.column + text.text.width() as u16;
            let is_beside = column + 2 == text.column || column == end + 1;
            let is_near = |point: &&[u16; 2]| {
                point[1].abs_diff(text.row) <= 1 && (text.column..=end + 1).contains(&(point[0] + 1))
            };
            let near: Vec<_> = canvas.points.iter().filter(is_near).collect();
            let is_tied = is_beside && "└┘┌┐".contains(symbol(column, text.row));
            let touches = text.row.abs_diff(row) == 1 && near == [&[column, row]];
            let stands_well = (is_beside && text.row == row) || (is_tied && near.is_empty()) || touches;
            assert!(stands_well, "{what}: {text:?} beside {near:?}");
        }
    }
}
