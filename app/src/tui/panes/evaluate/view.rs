//! The models measured on the loaded rows: scores, each kernel and each pair of GPUs, the distribution, and on a wide screen
//! predicted over measured.
//!
//! ```text
//! ╔ Models on the loaded rows ═══════════════════════════════════════════════════╗
//! ║ leave-one-GPU-out: no measurement on the target is used; peak roofs, …        ║
//! ║                             median        within     rank         ║
//! ║ model               n  MAPE %    %   ratio  25 %  accuracy coverage ║
//! ║ efficiency-transfer   168    53.2    41.0  1.000     33.9     70.1       88.1 ║
//! ║ same-time             168    73.0    50.2  1.000     25.6     50.0       86.3 ║
//! ╚══════════════════════════════════════════════════════════════════════════════╝
//! ```

use super::outcome::Evaluated;
use crate::chart::ChartSpec;
use crate::evaluate::Score;
use crate::kernel::clip_apart;
use crate::report::evaluation::{NOTHING_IN_COMMON, ScoredGroup, covered_by};
use crate::tui::canvas;
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::panes::frame::{draw_lines, pane_frame};
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_middle, clipped_text, pad_right, paragraph, with_whole_columns};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// The fewest columns of the table where there is room for them.
const TABLE: u16 = 77;
/// Columns of the chart that names leave, with the gap before it.
const CHART: u16 = 38;
/// Below this there is no room for a chart beside the table.
const ROOM_FOR_CHART: u16 = TABLE + 36;
/// Columns of the numbers of a score.
const NUMBERS: [usize; 7] = [6, 8, 7, 6, 7, 9, 9];
/// The fewest columns of a name, where it is longer.
const NAME: usize = 24;

/// Draws the evaluation.
pub(super) fn draw_evaluation(buffer: &mut Buffer, body: Rect, state: &DashboardState, look: Look<'_>) {
    let about = format!("on the loaded rows: {}", state.protocol.as_str());
    let Some(evaluated) = &state.evaluated else {
        let inside = pane_frame(buffer, body, state, Pane::Errors, &about, look);
        let text = state.jobs.text_of(WorkerJob::Evaluate).unwrap_or("cancelled").to_string();
        return Line::styled(text, look.dim()).render(first_line(inside), buffer);
    };
    // What the sheet leaves of the body inside its border.
    let inner = (body.width.saturating_sub(2), body.height.saturating_sub(2));
    let beside = evaluated.chart.as_ref().ok().filter(|_| inner.0 >= ROOM_FOR_CHART);
    let most = match beside {
        Some(_) => (inner.0 - CHART).max(TABLE),
        None => inner.0.saturating_sub(1),
    };
    let width = table_width(evaluated).max(TABLE).min(most);
    let lines = evaluation_lines(evaluated, usize::from(width), look);
    let page = usize::from(inner.1);
    let scroll = state.scrolls[Pane::Errors];
    let top = scroll.first_line(lines.len(), page);
    let more = scroll.range_shown(lines.len(), page).map_or_else(String::new, |range| format!(", {range}"));
    let inside = pane_frame(buffer, body, state, Pane::Errors, &format!("{about}{more}"), look);
    if inside.height == 0 {
        return;
    }
    draw_lines(buffer, Rect { x: inside.x + 1, width, ..inside }, lines, top);
    if let Some(spec) = beside {
        let x = inside.x + width + 2;
        let chart = Rect { x, width: inside.right() - x, ..inside };
        scatter(buffer, chart, evaluated.model, spec, look);
    }
}

fn first_line(inside: Rect) -> Rect {
    Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), height: inside.height.min(1), ..inside }
}

fn scatter(buffer: &mut Buffer, area: Rect, model: &str, spec: &ChartSpec, look: Look<'_>) {
    let width = usize::from(area.width);
    let title = paragraph(&format!("predicted vs measured: {model}"), width, look.title());
    let legend = paragraph("equal; +25 % dashed, -25 % dotted", width, look.dim());
    let (above, below) = (title.len() as u16, legend.len() as u16);
    let Some(height) = area.height.checked_sub(above + below).filter(|height| *height >= 6) else { return };
    draw_lines(buffer, Rect { height: above, ..area }, title, 0);
    draw_lines(buffer, Rect { y: area.bottom() - below, height: below, ..area }, legend, 0);
    canvas::draw_chart(buffer, Rect { y: area.y + above, height, ..area }, spec, look);
}

fn evaluation_lines(evaluated: &Evaluated, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let mut all = paragraph(&evaluated.subtitle, width, look.dim());
    if let Err(why) = &evaluated.chart
        && evaluated.models.iter().all(|(_, asked, _)| *asked == 0)
    {
        all.extend(paragraph(why, width, look.refusal()));
        return all;
    }
    all.extend(heads("model", width, look));
    let style = |model: &str| if model.starts_with(evaluated.model) { look.predicted() } else { look.text() };
    for (model, asked, score) in &evaluated.models {
        let text = match score {
            Some(score) => score_line(model, score, width),
            None => format!("{model:<22} not applicable to any of the {asked} cases"),
        };
        all.push(Line::styled(clipped_text(&text, width), style(model)));
    }
    all.extend(common(evaluated, width, look, style));
    if !evaluated.of_labels.is_empty() {
        all.extend(paragraph(evaluated.of_labels, width, look.dim()));
    }
    for (title, groups) in
        [("kernel, worst first", &evaluated.kernels), ("pair, worst first", &evaluated.pairs)]
    {
        all.push(Line::default());
        all.extend(heads(title, width, look));
        let names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
        let line =
            |(g, name): (&ScoredGroup, String)| Line::styled(score_line(&name, &g.score, width), look.text());
        all.extend(groups.iter().zip(clip_apart(&names, name_width(width))).map(line));
    }
    all.push(Line::default());
    all.extend(paragraph(
        &format!("predicted over measured: {}", evaluated.distribution.join(", ")),
        width,
        look.text(),
    ));
    all.extend(evaluated.refused.iter().flat_map(|why| paragraph(why, width, look.refusal())));
    all
}

/// The models side by side where each answered other questions.
fn common(
    evaluated: &Evaluated,
    width: usize,
    look: Look<'_>,
    style: impl Fn(&str) -> Style,
) -> Vec<Line<'static>> {
    let scored = evaluated.common.iter().filter_map(|(model, score)| Some((model, (*score)?)));
    let rows = scored.map(|(m, score)| Line::styled(score_line(m, &score, width), style(m)));
    let rows: Vec<Line<'static>> = rows.collect();
    let text = match rows.len() {
        0 if evaluated.common.is_empty() => return Vec::new(),
        0 => return paragraph(NOTHING_IN_COMMON, width, look.dim()),
        _ => format!("on the cases {}:", covered_by(&evaluated.common)),
    };
    std::iter::once(Line::styled(text, look.dim())).chain(rows).collect()
}

/// The heading in two lines: the longer words stand above each other.
fn heads(first: &str, width: usize, look: Look<'_>) -> [Line<'static>; 2] {
    let upper = columns("", ["", "", "median", "", "within", "rank", ""].map(String::from), width);
    let names = ["n", "MAPE %", "%", "ratio", "25 %", "accuracy", "coverage"];
    [upper, columns(first, names.map(String::from), width)].map(|text| Line::styled(text, look.dim()))
}

/// Columns of the table with its longest name whole.
fn table_width(evaluated: &Evaluated) -> u16 {
    let names = evaluated.kernels.iter().chain(&evaluated.pairs).map(|group| group.name.width());
    (names.max().unwrap_or(0).max(NAME) + 1 + NUMBERS.iter().sum::<usize>()) as u16
}

/// The name, whole where there is room for it beside all columns, and as many whole columns as have room.
fn columns(name: &str, cells: [String; 7], width: usize) -> String {
    let room = name_width(width);
    with_whole_columns(pad_right(&clipped_middle(name, room), room + 1), &cells, &NUMBERS, width)
}

/// What all columns leave for a name.
fn name_width(width: usize) -> usize {
    width.saturating_sub(NUMBERS.iter().sum::<usize>() + 1).max(NAME)
}

fn score_line(name: &str, score: &Score, width: usize) -> String {
    let e = score.errors;
    let whole = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.0}"));
    columns(
        name,
        [
            e.n.to_string(),
            format!("{:.1}", e.mape_percent),
            format!("{:.1}", e.median_ape_percent),
            format!("{:.2}", e.median_ratio),
            format!("{:.0}", e.within_25_percent),
            whole(score.order_accuracy_percent),
            whole(score.coverage_90_percent),
        ],
        width,
    )
}
