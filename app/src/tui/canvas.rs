//! Draws a [`ChartSpec`] into terminal cells: lines in braille, points as the marks of the whole tool, labels where nothing
//! else stands.

use super::look::Look;
use crate::chart::{Axis, ChartSpec, Dash, Mark, Meaning, Scale, Shape};
use crate::units::prefixed;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

/// Columns for the vertical axis' numbers.
const Y_LABELS: u16 = 5;

/// One cell's braille dots, and the style of what was drawn into it last.
type DotCell = (u8, Style);

/// A text in the plot.
#[derive(Debug, Clone, PartialEq)]
struct PlacedText {
    column: u16,
    row: u16,
    text: String,
}

/// A chart on its way into cells.
struct Canvas<'a> {
    plot: Rect,
    x: &'a Axis,
    y: &'a Axis,
    cells: Vec<DotCell>,
    /// Cells that text or a mark has taken.
    taken: Vec<bool>,
    /// Where texts stand: column, row and width inside the plot.
    texts: Vec<PlacedText>,
    look: Look<'a>,
}

/// Draws a chart whose axes are both numbers; anything else leaves the area empty.
pub fn draw_chart(buffer: &mut Buffer, area: Rect, spec: &ChartSpec, look: Look<'_>) {
    let _ = drawn_texts(buffer, area, spec, look);
}

/// Draws a chart; the texts inside its plot, as they stand.
fn drawn_texts(buffer: &mut Buffer, area: Rect, spec: &ChartSpec, look: Look<'_>) -> Vec<PlacedText> {
    let (x, y) = (&spec.x, &spec.y);
    let drawable = |axis: &Axis| axis.scale.is_sound() && !matches!(axis.scale, Scale::Category(_));
    if !drawable(x) || !drawable(y) || area.width < Y_LABELS + 8 || area.height < 4 {
        return Vec::new();
    }
    let plot =
        Rect { x: area.x + Y_LABELS, y: area.y, width: area.width - Y_LABELS, height: area.height - 1 };
    let count = usize::from(plot.width) * usize::from(plot.height);
    let cells = vec![(0, Style::default()); count];
    let mut canvas = Canvas { plot, x, y, cells, taken: vec![false; count], texts: Vec::new(), look };
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
    canvas.texts
}

/// Values and texts beside an axis: every decade of a logarithmic one, about `most` even steps of another.
fn ticks(axis: &Axis, most: usize) -> Vec<(f64, String)> {
    match axis.scale {
        Scale::Log { min, max } => {
            let decades = (min.log10().ceil() as i32)..=(max.log10().floor() as i32);
            decades.map(|exponent| (10f64.powi(exponent), tick(exponent))).collect()
        }
        _ => axis.ticks(most).into_iter().map(|t| (t.value, short(t.value, t.label))).collect(),
    }
}

/// Whether a value stands at the right end of a logarithmic axis, where names of roofs do.
fn canvas_end(axis: &Axis, value: f64) -> bool {
    matches!(axis.scale, Scale::Log { max, .. } if value >= max)
}

/// The unit behind an axis' title: `performance, FLOP/s`.
fn axis_unit(axis: &Axis) -> &str {
    axis.label.rsplit([',', ' ']).next().unwrap_or_default().trim()
}

/// Large numbers with a prefix: `1.05M`.
fn short(value: f64, label: String) -> String {
    if value.abs() < 1e5 { label } else { prefixed(value, "").replace(' ', "") }
}

/// `100G`, `1T`, `10`, `0.1`: a decade in five columns.
fn tick(exponent: i32) -> String {
    let text = if exponent < 3 {
        format!("{}", 10f64.powi(exponent))
    } else {
        prefixed(10f64.powi(exponent), "").replace(".00", "").replace(".0", "").replace(' ', "")
    };
    if text.len() > 5 { format!("1e{exponent}") } else { text }
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
    fn point(&mut self, buffer: &mut Buffer, mark: &Mark) -> Option<(u16, u16)> {
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
        let around = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)];
        let mut places = around.into_iter().map(|(dx, dy)| (i32::from(column) + dx, i32::from(row) + dy));
        let (x, y) = match shape {
            // Context gives way to everything.
            Shape::Other => places.next().filter(|(x, y)| self.free(*x, *y, 1, false))?,
            _ => places.find(|(x, y)| self.free(*x, *y, 1, true))?,
        };
        let place = (x as u16, y as u16);
        let i = self.index(place.0, place.1);
        self.taken[i] = *shape != Shape::Other;
        let cell = &mut buffer[(self.plot.x + place.0, self.plot.y + place.1)];
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
        self.texts.push(PlacedText { column: x, row: y, text: text.to_string() });
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
            let mut free = right.filter(free);
            if let Some(x) = free.next() {
                self.write(buffer, [x, row], text, style);
                return;
            }
        }
    }

    fn draw_label(&mut self, buffer: &mut Buffer, mark: &Mark, point: Option<(u16, u16)>) {
        // A point's label may lie over a line if it must; a roof's or a ridge's only where nothing else is: the legend
        // says it too.
        let (place, text, style, tries) = match mark {
            Mark::Point { label, meaning, .. } if !label.is_empty() => {
                (point, label, self.look.mark(*meaning), &[false, true][..])
            }
            Mark::Label { at, text, meaning } => {
                (self.cell(*at), text, self.look.mark(*meaning), &[false][..])
            }
            _ => return,
        };
        let Some(place) = place else { return };
        if let Mark::Label { at, .. } = mark
            && canvas_end(self.x, at.0)
        {
            return self.roof_label(buffer, place.1, text, style);
        }
        // Where the whole text fits nowhere, what stands before its bracket may.
        let short = text.split(" (").next().unwrap_or(text);
        for text in [text.as_str(), short] {
            for &over_ink in tries {
                if let Some((x, y)) = self.label_place(place, text.width() as i32, over_ink) {
                    self.write(buffer, [x, y], text, style);
                    return;
                }
            }
        }
    }

    /// Beside the point, then above and below, near before far: the first place that is free and touches no other mark.
    fn label_place(&self, (column, row): (u16, u16), width: i32, over_ink: bool) -> Option<(u16, u16)> {
        let (column, row) = (i32::from(column), i32::from(row));
        let places = [
            (column + 2, row),
            (column - width - 1, row),
            (column - width / 2, row - 1),
            (column - width / 2, row + 1),
            (column + 1, row + 1),
            (column - width, row - 1),
            (column - width, row + 1),
            (column + 1, row + 2),
            (column - width, row + 2),
            (column - width, row - 2),
        ];
        let foreign = |x: i32, y: i32| {
            let inside = x >= 0 && x < i32::from(self.plot.width) && (x, y) != (column, row);
            inside && self.taken[self.index(x as u16, y as u16)]
        };
        let fits = |&(x, y): &(i32, i32)| {
            let ends = [x - 2, x - 1, x + width, x + width + 1];
            self.free(x, y, width, over_ink) && !ends.iter().any(|x| foreign(*x, y))
        };
        places.into_iter().find(fits).map(|(x, y)| (x as u16, y as u16))
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
                    let texts = drawn_texts(&mut buffer, area, &spec, Look(theme));
                    let what = format!("{kernel} on {count} GPUs at {width}x{height}");
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

    #[test]
    fn decades_fit_their_column() {
        for (exponent, text) in
            [(-2, "0.01"), (0, "1"), (2, "100"), (3, "1k"), (11, "100G"), (13, "10T"), (30, "1e30")]
        {
            assert_eq!(tick(exponent), text);
        }
    }
}
