//! One row per kernel and size, predicted again at every keystroke.
//!
//! ```text
//! ┌4 Predictions ─ 18 kernels · by kernel · MAPE 41 % over 14 measured ───────────────────────┐
//! │ kernel        size     TITAN V     RTX 4070   90 % interval  speedup  bound  occ  % of roof│
//! │▸matmul_tiled  n=512    95.1 µs ●   141 µs ◆   48.2–410 µs    0.68×    DRAM   100→67 .31    │
//! └────────────────────────────────────────────────────────────────────────────────────────────┘
//! ```

use super::names::{name_in_row, sizes_on_page};
use super::size_text::{clipped_interval, wished_width};
use crate::answer::Answer;
use crate::chart::Meaning;
use crate::pair::Pair;
use crate::predict::{Caution, Prediction, SourceKind, TimeEstimate};
use crate::report::{shown, sources};
use crate::tui::action::Action;
use crate::tui::arrange::rows_in;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::panes::frame::pane_frame;
use crate::tui::selection::Sort;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, more_targets, pad_left, pad_right};
use crate::units::significant;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::collections::HashMap;
use unicode_width::UnicodeWidthStr;

/// A column of the table.
#[derive(Clone, Copy, PartialEq)]
enum PredictionColumn {
    Kernel,
    Size,
    Source,
    StockTime,
    Predicted,
    Interval,
    Speedup,
    Measured,
    Error,
    Bound,
    Occupancy,
    Efficiency,
    Cautions,
    Further(usize),
    FurtherSpeedup(usize),
    FurtherInterval(usize),
    FurtherLimit(usize),
    Sources,
}

/// Room for a speedup and the space before it: `~0.0734×` needs a column more than `~0.734×`.
fn speedup_width(state: &DashboardState, rows: &[usize]) -> usize {
    let speedups = rows.iter().filter_map(|row| state.figures_of(*row)?.speedup);
    if speedups.fold(1.0, f64::min) < 0.1 { 9 } else { 8 }
}

/// The columns that fit, in the order they stand.
fn columns(state: &DashboardState, width: usize) -> Vec<(PredictionColumn, usize)> {
    // As wide as the timed rows need; names and variants of kernels that were not measured are cut rather than columns lost.
    let looked_at = &state.shown[..state.shown.len().min(200)];
    let timed: Vec<usize> = looked_at.iter().copied().filter(|r| state.rows[*r].config.is_some()).collect();
    let rows = if timed.is_empty() { looked_at } else { &timed[..] };
    let name = rows.iter().map(|r| state.kernel_of(*r).label().width()).max().unwrap_or(8);
    let widest = |rows: &[usize]| longest_of(rows, |row| wished_width(&state.size_of(row)));
    // Sizes of kernels that were not measured are numbers as well.
    let size = widest(rows).max(widest(looked_at).min(NARROW_SIZE));
    let longest = match width {
        ..50 => 12,
        50..100 => 18,
        _ => 40,
    };
    let kernel = name.clamp(8, longest);
    // The size is part of what a row is: below this width alone the source's time goes before it.
    let size_rank = if width < ROOM_FOR_SIZE { 3 } else { 0 };
    // (column, width, rank): the lowest ranks are kept.
    let mut all = vec![
        (PredictionColumn::Kernel, kernel + 3, 0),
        (PredictionColumn::Size, size_width(size, width, state.selection.targets.len()), size_rank),
        // Of several sources there is seldom one time, and always an interval.
        (PredictionColumn::Source, 11, if state.selection.all_sources { 4 } else { 1 }),
        (PredictionColumn::Predicted, 11, 0),
        (PredictionColumn::Interval, 16, if state.selection.all_sources { 1 } else { 4 }),
        (PredictionColumn::Speedup, speedup_width(state, looked_at), 0),
        (PredictionColumn::Measured, 11, 7),
        (PredictionColumn::Error, 10, 6),
        (PredictionColumn::Bound, 16, 8),
        (PredictionColumn::Occupancy, 11, 9),
        (PredictionColumn::Efficiency, 10, 10),
        (PredictionColumn::Cautions, 6, 11),
    ];
    let looks_at_stock = |row: &usize| state.figures_of(*row).is_some_and(|f| f.has_stock_time);
    if !state.selection.all_sources && looked_at.iter().any(looks_at_stock) {
        all.insert(3, (PredictionColumn::StockTime, 13, 5));
    }
    // Where no row was measured on the target, these two say nothing.
    let is_measured = |row: &usize| state.figures_of(*row).is_some_and(|f| f.measured.is_some());
    if !looked_at.iter().any(is_measured) {
        let says_nothing = |c| matches!(c, PredictionColumn::Measured | PredictionColumn::Error);
        all.retain(|(column, ..)| !says_nothing(*column));
    }
    if state.selection.all_sources {
        all.insert(4, (PredictionColumn::Sources, 11, 1));
    }
    all.extend((1..state.selection.targets.len()).flat_map(|i| further_columns(i - 1)));
    // The time at stock clocks does not take the place of the interval, which is wider.
    let interval = all.iter().position(|(column, ..)| *column == PredictionColumn::Interval);
    let mut by_rank: Vec<usize> = (0..all.len()).collect();
    by_rank.sort_by_key(|i| all[*i].2);
    let mut left = width;
    let mut kept = vec![false; all.len()];
    for i in by_rank {
        let needs = if all[i].0 == PredictionColumn::StockTime { interval } else { None };
        if all[i].1 <= left && needs.is_none_or(|needed: usize| kept[needed]) {
            left -= all[i].1;
            kept[i] = true;
        }
    }
    let kept = all.iter().zip(kept).filter(|(_, k)| *k).map(|((c, w, _), _)| (*c, *w));
    let whole = |column: PredictionColumn| match column {
        PredictionColumn::Kernel => longest_of(looked_at, |row| state.kernel_of(row).label().width()) + 3,
        PredictionColumn::Size => longest_of(looked_at, |row| state.size_of(row).width()) + 1,
        PredictionColumn::Source => state.pair().source.short_name().width() + 1,
        PredictionColumn::Predicted => state.pair().target.short_name().width() + 1,
        PredictionColumn::Further(i) => {
            state.session.gpus[state.selection.targets[i + 1]].short_name().width() + 1
        }
        _ => 0,
    };
    // What is left makes names whole that would be cut: of GPUs first, which are shorter and stand over every number.
    let mut kept: Vec<(PredictionColumn, usize)> = kept.collect();
    let is_row_name = |column| matches!(column, PredictionColumn::Kernel | PredictionColumn::Size);
    for of_rows in [false, true] {
        for (column, width) in kept.iter_mut().filter(|(column, _)| is_row_name(*column) == of_rows) {
            let more = whole(*column).saturating_sub(*width).min(left);
            left -= more;
            *width += more;
        }
    }
    kept
}

/// From this width on, that of a terminal of 60 columns, every row says its size.
const ROOM_FOR_SIZE: usize = 58;

/// Columns of the size in a narrow table: room for a key and seven digits.
const NARROW_SIZE: usize = 9;

/// Columns of the size and the space behind it, where the widest takes so many: of several targets it leaves room for them.
fn size_width(widest: usize, width: usize, targets: usize) -> usize {
    let most = match (width, targets) {
        (..100, _) => NARROW_SIZE,
        (_, 1) => 48,
        _ => 24,
    };
    widest.clamp(6, most) + 1
}

/// The columns of a further target, with their widths and ranks: what is not known of any other GPU before what is.
fn further_columns(place: usize) -> [(PredictionColumn, usize, usize); 4] {
    [
        (PredictionColumn::Further(place), 13, 2),
        (PredictionColumn::FurtherSpeedup(place), 8, 3),
        (PredictionColumn::FurtherInterval(place), 16, 4),
        (PredictionColumn::FurtherLimit(place), 11, 7),
    ]
}

/// The widest text of these rows.
fn longest_of(rows: &[usize], width: impl Fn(usize) -> usize) -> usize {
    rows.iter().map(|row| width(*row)).max().unwrap_or(0)
}

/// What all rows of a page have in common.
#[derive(Clone, Copy)]
struct Page<'a> {
    columns: &'a [(PredictionColumn, usize)],
    /// The sizes by their rows, as they are shown.
    sizes: &'a HashMap<usize, String>,
    look: Look<'a>,
}

impl Page<'_> {
    fn size(&self, row: usize) -> String {
        self.sizes.get(&row).cloned().unwrap_or_default()
    }
}

/// Draws the pane.
pub(super) fn draw_predictions(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let beside = beside(state, usize::from(area.width.saturating_sub(2)));
    let inside = pane_frame(buffer, area, state, Pane::Predictions, &beside, look);
    if inside.height == 0 {
        return;
    }
    let columns = columns(state, usize::from(inside.width));
    let line_at = |y: u16| Rect { y, height: 1, ..inside };
    head(state, &columns, look).render(line_at(inside.y), buffer);
    if state.shown.is_empty() {
        let kept = state.with_size(state.kernel().label());
        let filter = &state.row_filter;
        let text = format!("no kernel matches “{filter}”; Esc clears the filter; {kept} stays selected");
        Line::styled(clipped_text(&text, usize::from(inside.width)), look.caution())
            .render(line_at(inside.y + 1), buffer);
    }
    let size = columns.iter().find(|(column, _)| *column == PredictionColumn::Size);
    let sizes = size.map_or_else(HashMap::new, |(_, width)| sizes_on_page(state, width - 1));
    let page = Page { columns: &columns, sizes: &sizes, look };
    let cursor = state.cursor_line();
    let start = page_start(cursor, rows_in(area), state.table_lines());
    for (at, y) in (start..state.table_lines()).zip(inside.y + 1..inside.bottom()) {
        let row = state.row_on_line(at);
        row.map_or_else(|| fold(state, look), |row| row_line(state, row, page)).render(line_at(y), buffer);
        if at == cursor && state.focus == Pane::Predictions {
            buffer.set_style(line_at(y), look.selection());
        }
    }
}

/// The line that stands for the built-in kernels.
fn fold(state: &DashboardState, look: Look<'_>) -> Line<'static> {
    let mark = if state.workload.on_fold { "▸" } else { " " };
    let (sign, then) = if state.workload.unfolded { ("-", "fold") } else { ("+", "show") };
    let kernels = state.workload.built_in;
    Line::styled(format!("{mark} {sign} {kernels} built-in kernels (Enter {then}s them)"), look.dim())
}

/// What a click on this column of the heading sorts by.
pub(super) fn sort_under(state: &DashboardState, area: Rect, column: usize) -> Option<Sort> {
    let columns = columns(state, usize::from(area.width.saturating_sub(2)));
    let mut right = 0;
    let under = columns.into_iter().find(|(_, width)| {
        right += width;
        column < right
    });
    Some(match under?.0 {
        PredictionColumn::Kernel | PredictionColumn::Size => Sort::Kernel,
        PredictionColumn::Source => Sort::Source,
        PredictionColumn::Predicted => Sort::Predicted,
        PredictionColumn::Speedup => Sort::Speedup,
        PredictionColumn::Error => Sort::Error,
        _ => return None,
    })
}

/// How the targets that have no column are seen; nothing where all have one.
fn left_out(state: &DashboardState, width: usize) -> Option<String> {
    let columns = columns(state, width);
    let shown = columns.iter().filter(|(column, _)| matches!(column, PredictionColumn::Further(_))).count();
    let more = state.selection.targets.len() - 1 - shown;
    (more > 0).then(|| format!("{}: press {}", more_targets(more), state.key_for(Action::ViewBoard)))
}

/// How many rows, in which order, and how well this model does where the target was measured.
fn beside(state: &DashboardState, width: usize) -> String {
    let own = state.workload.own_rows;
    let rows = match state.shown.len() {
        n if n == state.rows.len() => format!("{n} rows"),
        n if own > 0 && state.row_filter.is_empty() => format!("{n} of your rows"),
        n => format!("{n}/{} rows “{}”", state.rows.len(), state.row_filter),
    };
    let arrow = if state.sort.1 { " reversed" } else { "" };
    let clocks = hidden_clocks(state, width).map_or_else(String::new, |name| format!(" · speedup at {name}"));
    let rows = format!("{rows} · by {}{arrow}{clocks}", state.sort.0.as_str());
    if state.pending.missing > 0 {
        return format!("{rows} · predicting {} of them …", state.pending.missing);
    }
    if let Some(left_out) = left_out(state, width) {
        return format!("{rows} · {left_out}");
    }
    let Some(scored) = state.errors[state.selection.settings.model.index()] else { return rows };
    let error = format!("{rows} · MAPE {} %", significant(scored.mape_percent));
    let forms = [format!("{error} over {} measured", scored.n), error];
    let room = width.saturating_sub(Pane::Predictions.title().width() + 5);
    forms.into_iter().find(|text| text.width() <= room).unwrap_or(rows)
}

/// The clocks that speedups are over, where times at others stand in the source's column and theirs have none.
fn hidden_clocks(state: &DashboardState, width: usize) -> Option<&'static str> {
    let is_shown = columns(state, width).iter().any(|(column, _)| *column == PredictionColumn::StockTime);
    if is_shown { None } else { clocks_name(state) }
}

fn head(state: &DashboardState, columns: &[(PredictionColumn, usize)], look: Look<'_>) -> Line<'static> {
    let Pair { source, target } = state.pair();
    let spans = columns.iter().map(|(column, width)| {
        let (text, style) = match column {
            PredictionColumn::Kernel => ("  kernel".to_string(), look.title()),
            PredictionColumn::Size => ("size".into(), look.title()),
            PredictionColumn::Source => (state.column_name(source, *width - 1), look.source()),
            PredictionColumn::StockTime => (stock_heading(state), look.source()),
            PredictionColumn::Predicted => (state.column_name(target, *width - 1), look.target()),
            PredictionColumn::Interval => ("90 % interval".into(), look.title()),
            PredictionColumn::Speedup => ("speedup".into(), look.title()),
            PredictionColumn::Measured => ("measured".into(), look.title()),
            PredictionColumn::Error => ("error".into(), look.title()),
            PredictionColumn::Bound => ("bound".into(), look.title()),
            PredictionColumn::Occupancy => ("occupancy".into(), look.title()),
            PredictionColumn::Efficiency => ("% of roof".into(), look.title()),
            PredictionColumn::Cautions => ("notes".into(), look.title()),
            PredictionColumn::Sources => ("sources".into(), look.source()),
            PredictionColumn::Further(i) => {
                let gpu = &state.session.gpus[state.selection.targets[i + 1]];
                (state.column_name(gpu, *width - 1), look.mark(Meaning::Further(*i)))
            }
            PredictionColumn::FurtherSpeedup(i) => ("speedup".into(), look.mark(Meaning::Further(*i))),
            PredictionColumn::FurtherInterval(i) => ("90 % interval".into(), look.mark(Meaning::Further(*i))),
            PredictionColumn::FurtherLimit(i) => ("limit".into(), look.mark(Meaning::Further(*i))),
        };
        let sorted = matches!(
            (column, state.sort.0),
            (PredictionColumn::Source, Sort::Source)
                | (PredictionColumn::Predicted, Sort::Predicted)
                | (PredictionColumn::Speedup, Sort::Speedup)
                | (PredictionColumn::Error, Sort::Error)
        );
        let text = match (sorted, text.as_str()) {
            // The arrow has no room behind the whole word.
            (true, "speedup") if *width < 9 => format!("speed{}", arrow(state)),
            (true, _) => format!("{}{}", clipped_text(&text, width - 2), arrow(state)),
            (false, _) => text,
        };
        Span::styled(cell_text(*column, &text, *width), style)
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// ▲ where the values of the sorted column grow downwards, ▼ where they fall: the largest speedup and error stand first unless reversed.
fn arrow(state: &DashboardState) -> &'static str {
    let (sort, is_reversed) = state.sort;
    let falls = matches!(sort, Sort::Speedup | Sort::Error) != is_reversed;
    if falls { "▼" } else { "▲" }
}

/// What the source is set to, where rows of it were measured at other clocks.
fn stock_heading(state: &DashboardState) -> String {
    clocks_name(state).unwrap_or_default().to_string()
}

fn clocks_name(state: &DashboardState) -> Option<&'static str> {
    state.shown.iter().find_map(|row| state.figures_of(*row)?.clocks_name)
}

/// The text of a cell in its column, cut where it has no room.
fn cell_text(column: PredictionColumn, text: &str, width: usize) -> String {
    let cut = match column {
        PredictionColumn::Interval | PredictionColumn::FurtherInterval(_) => clipped_interval,
        _ => clipped_text,
    };
    aligned_text(column, &cut(text, width - 1), width)
}

/// Words stand left, numbers right.
fn aligned_text(column: PredictionColumn, text: &str, width: usize) -> String {
    match column {
        PredictionColumn::Kernel | PredictionColumn::Size => pad_right(text, width),
        PredictionColumn::Bound | PredictionColumn::FurtherLimit(_) => {
            format!("  {}", pad_right(text, width - 2))
        }
        _ => pad_left(text, width),
    }
}

fn row_line(state: &DashboardState, row: usize, page: Page<'_>) -> Line<'static> {
    let Some(answer) = state.answers.whole(row) else {
        return unanswered(state, row, page);
    };
    if answer.prediction.is_err() {
        return refused(state, row, answer, page);
    }
    let spans = page.columns.iter().map(|(column, width)| {
        let (text, style) = cell(state, row, answer, *column, *width, page);
        Span::styled(cell_text(*column, &text, *width), style)
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// A row that the worker still predicts: its name and size.
fn unanswered(state: &DashboardState, row: usize, page: Page<'_>) -> Line<'static> {
    let spans = page.columns.iter().map(|(column, width)| {
        let text = match column {
            PredictionColumn::Kernel => name_in_row(state, row, *width),
            PredictionColumn::Size => page.size(row),
            _ => "…".into(),
        };
        Span::styled(cell_text(*column, &text, *width), page.look.dim())
    });
    Line::from(spans.collect::<Vec<_>>())
}

/// A row without a prediction: its name, its size, what was timed, and the reason over the rest of the line.
fn refused(state: &DashboardState, row: usize, answer: &Answer, page: Page<'_>) -> Line<'static> {
    let look = page.look;
    let why = answer.prediction.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let timed = answer.source_time.as_ref().is_some_and(|t| t.kind != SourceKind::Estimated);
    let mut spans = Vec::new();
    let mut rest = 0;
    for (column, width) in page.columns {
        if matches!(column, PredictionColumn::Kernel | PredictionColumn::Size)
            || (*column == PredictionColumn::Source && timed)
        {
            let (text, style) = cell(state, row, answer, *column, *width, page);
            spans.push(Span::styled(cell_text(*column, &text, *width), style));
        } else {
            rest += width;
        }
    }
    if let Some(m) = answer.measured {
        let text = format!(" measured {}", shown::measured(m.time, m.kind));
        rest = rest.saturating_sub(text.width());
        spans.push(Span::styled(text, look.measured()));
    }
    spans.push(Span::styled(format!(" {}", clipped_text(&why, rest.saturating_sub(1))), look.refusal()));
    Line::from(spans)
}

fn cell(
    state: &DashboardState,
    row: usize,
    answer: &Answer,
    column: PredictionColumn,
    width: usize,
    page: Page<'_>,
) -> (String, Style) {
    let look = page.look;
    let prediction = answer.prediction.as_ref().ok();
    let dash = || "-".to_string();
    match column {
        PredictionColumn::Kernel => (name_in_row(state, row, width), look.text()),
        PredictionColumn::Size => (page.size(row), look.dim()),
        PredictionColumn::Source => match &answer.source_time {
            Some(t) if !t.rests_on_measurement() => (shown::source_time(t), look.estimated()),
            Some(t) if t.kind == SourceKind::Estimated => (shown::source_time(t), look.predicted()),
            Some(t) => (shown::source_time(t), look.measured()),
            None => (dash(), look.dim()),
        },
        PredictionColumn::StockTime => (shown::stock_time(answer).unwrap_or_else(dash), look.predicted()),
        PredictionColumn::Predicted => {
            let style = if answer.is_estimate() { look.estimated() } else { look.predicted() };
            (shown::predicted(answer).unwrap_or_else(dash), style)
        }
        PredictionColumn::Interval => (shown::interval_or_levels(answer).unwrap_or_else(dash), look.dim()),
        PredictionColumn::Speedup => (shown::speedup(answer).unwrap_or_else(dash), look.text()),
        PredictionColumn::Measured => {
            (answer.measured.map_or_else(dash, |m| shown::measured(m.time, m.kind)), look.measured())
        }
        PredictionColumn::Error => (answer.error_percent().map_or_else(dash, shown::error_text), look.text()),
        PredictionColumn::Bound => {
            let both = prediction.and_then(|p| shown::bounds(p.bound_source, p.bound_target));
            (both.unwrap_or_else(dash), look.text())
        }
        PredictionColumn::Occupancy => (shown::occupancies(answer).unwrap_or_else(dash), look.text()),
        PredictionColumn::Efficiency => (shown::efficiency(answer).unwrap_or_else(dash), look.text()),
        PredictionColumn::Cautions => (prediction.map_or_else(dash, notes_text), look.caution()),
        PredictionColumn::Sources => (sources::brief(answer).unwrap_or_else(dash), look.dim()),
        PredictionColumn::Further(i)
        | PredictionColumn::FurtherSpeedup(i)
        | PredictionColumn::FurtherInterval(i)
        | PredictionColumn::FurtherLimit(i) => {
            let found = state.answers.on_further_targets(row).get(i).copied().flatten();
            let shown = found.and_then(|estimate| further_cell(answer, &estimate, column, look));
            shown.unwrap_or_else(|| (dash(), look.dim()))
        }
    }
}

/// How many cautions there are; `L2` where the target's cache alone holds the buffers.
fn notes_text(prediction: &Prediction) -> String {
    let in_l2 = prediction.cautions.iter().any(|c| matches!(c, Caution::FitsTargetL2 { .. }));
    format!("{}{}", if in_l2 { "L2 " } else { "" }, prediction.cautions.len())
}

/// What is known of a further target; `answer` is the main target's, from the same source.
fn further_cell(
    answer: &Answer,
    found: &TimeEstimate,
    column: PredictionColumn,
    look: Look<'_>,
) -> Option<(String, Style)> {
    // With all sources, each target has its own.
    let (mark, style) =
        if found.rests_on_measurement { ('◆', look.predicted()) } else { ('~', look.estimated()) };
    Some(match column {
        PredictionColumn::FurtherSpeedup(_) => {
            let speedup = answer.speedup()? * (answer.predicted_time()? / found.time);
            (shown::speedup_over_source(answer, speedup, found.rests_on_measurement), look.text())
        }
        PredictionColumn::FurtherInterval(_) => {
            let interval = found.interval?;
            (shown::marked_interval(interval.low, interval.high, found.rests_on_measurement), look.dim())
        }
        PredictionColumn::FurtherLimit(_) => (found.limit?.as_str().to_string(), look.text()),
        _ => (format!("{} {mark}", found.time), style),
    })
}
