//! The list: a number per line with its value, what is changed of it, and where it comes from.
//!
//! ```text
//! ▸ memory bandwidth         605 GB/s    +20 %  typed
//!   L2 size                  36.0 MiB           published
//! ```

use super::lines::{WhatIfLine, what_if_lines};
use crate::gpu::GpuNumber;
use crate::predict::LaunchNumber;
use crate::session::EditedGpu;
use crate::tui::asked_workload::AskedAbout;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::panes::frame::draw_lines;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, pad_left, pad_right};
use crate::units::significant;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Columns of the marks, a value, and a change.
const MARKS: usize = 2;
const VALUE: usize = 13;
const CHANGE: usize = 9;
/// Columns of the word that says where a value comes from, and of the list from which on it has room.
const SOURCE: usize = 10;
const ROOM_FOR_SOURCE: usize = 54;

/// Lines above the first of the list, inside the frame.
pub(super) fn first_list_line(state: &DashboardState) -> usize {
    head_lines(state, state.areas().pane_area(Pane::WhatIf))
}

/// Lines that say the time and what a run draws, above everything. Of an application nobody knows what it draws.
pub(super) fn head_lines(state: &DashboardState, area: Rect) -> usize {
    match area.height {
        ..14 => 1,
        20.. if state.asked_about() != AskedAbout::Application => 3,
        _ => 2,
    }
}

/// Lines of the list that have room.
pub(super) fn lines_shown(state: &DashboardState) -> usize {
    let area = state.areas().pane_area(Pane::WhatIf);
    usize::from(area.height.saturating_sub(2)).saturating_sub(head_lines(state, area)).max(1)
}

/// How many rows the list has: a heading stands above the launch.
pub(super) fn row_count(lines: &[WhatIfLine]) -> usize {
    lines.len() + usize::from(numbers_of_gpu(lines) < lines.len())
}

fn numbers_of_gpu(lines: &[WhatIfLine]) -> usize {
    lines.iter().filter(|line| matches!(line, WhatIfLine::Number(_))).count()
}

/// The row of the cursor.
pub(super) fn row_of_cursor(state: &DashboardState) -> usize {
    let lines = what_if_lines(state);
    let cursor = state.what_if.cursor.min(lines.len() - 1);
    cursor + usize::from(cursor >= numbers_of_gpu(&lines))
}

/// The line that stands in a row; none in the heading's and below the last.
pub(super) fn line_at_row(lines: &[WhatIfLine], row: usize) -> Option<usize> {
    let heading = numbers_of_gpu(lines);
    match row {
        row if row == heading => None,
        row if row > heading => Some(row - 1).filter(|line| *line < lines.len()),
        row => Some(row),
    }
}

/// What a row of the list shows.
struct ListCells {
    name: &'static str,
    value: String,
    change: String,
    source: &'static str,
}

/// Draws the list into this area.
pub(super) fn draw_list(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let lines = what_if_lines(state);
    let cursor = row_of_cursor(state);
    let rows = usize::from(area.height).max(1);
    let start = page_start(cursor, rows, row_count(&lines));
    let edited = state.edited_gpu();
    let width = usize::from(area.width);
    let drawn = (start..row_count(&lines)).take(rows).map(|row| match line_at_row(&lines, row) {
        None => Line::styled(clipped_text(&launch_heading(state), width), look.title()),
        Some(line) => {
            let is_under = row == cursor;
            let drawn = list_line(state, &edited, lines[line], width, look);
            if is_under { mark_cursor(drawn, look) } else { drawn }
        }
    });
    draw_lines(buffer, area, drawn.collect(), 0);
    let below = row_count(&lines).saturating_sub(start + rows);
    if below > 0 {
        let text = clipped_text(&format!(" {below} more below "), width);
        let x = area.right().saturating_sub(text.width() as u16);
        // On the frame, so that no line of the list is lost.
        buffer.set_string(x, area.bottom(), text, look.dim());
    }
    if state.focus == Pane::WhatIf && cursor >= start {
        let y = area.y + (cursor - start) as u16;
        if y < area.bottom() {
            buffer.set_style(Rect { y, height: 1, ..area }, look.selection());
        }
    }
}

fn mark_cursor(mut line: Line<'static>, look: Look<'_>) -> Line<'static> {
    if let Some(first) = line.spans.first_mut() {
        *first = Span::styled("▸", look.key());
    }
    line
}

/// The kernel whose launch it is.
fn launch_heading(state: &DashboardState) -> String {
    format!(" launch of {}", state.kernel().label())
}

fn cells_of(state: &DashboardState, edited: &EditedGpu, line: WhatIfLine) -> ListCells {
    match line {
        WhatIfLine::Number(number) => number_cells(state, edited, number),
        WhatIfLine::Size => size_cells(state),
        WhatIfLine::Element => element_cells(state),
        WhatIfLine::Launch(number) => launch_cells(state, number),
    }
}

/// A line of the list as text: what stands in its columns.
pub(super) fn line_text(state: &DashboardState, line: WhatIfLine) -> String {
    let cells = cells_of(state, &state.edited_gpu(), line);
    let named = format!("{} {}", cells.name, cells.value);
    let words = [named.as_str(), cells.change.as_str(), cells.source];
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(", ")
}

fn list_line(
    state: &DashboardState,
    edited: &EditedGpu,
    line: WhatIfLine,
    width: usize,
    look: Look<'_>,
) -> Line<'static> {
    let cells = cells_of(state, edited, line);
    let is_marked = matches!(line, WhatIfLine::Number(number) if state.what_if.marked.contains(&number));
    let shows_source = width >= ROOM_FOR_SOURCE;
    let source = if shows_source { SOURCE } else { 0 };
    let change = if width >= MARKS + VALUE + CHANGE + 12 { CHANGE } else { 0 };
    let value = cells.value.width().max(VALUE - 1) + 1;
    let name = width.saturating_sub(MARKS + value + change + source);
    let is_changed = !cells.change.is_empty();
    let style = if is_changed { look.estimated() } else { look.text() };
    let mut spans = vec![
        Span::raw(" "),
        Span::styled(if is_marked { "*" } else { " " }, look.measured()),
        Span::styled(pad_right(&clipped_text(cells.name, name), name), style),
        Span::styled(pad_left(&cells.value, value), style),
    ];
    if change > 0 {
        spans.push(Span::styled(pad_left(&clipped_text(&cells.change, change - 1), change), style));
    }
    if shows_source {
        spans.push(Span::styled(format!(" {}", clipped_text(cells.source, source - 1)), look.dim()));
    }
    Line::from(spans)
}

/// A number of the GPU: typed, following from one that was, or as its source has it.
fn number_cells(state: &DashboardState, edited: &EditedGpu, number: GpuNumber) -> ListCells {
    let base = &state.session.gpus[edited.base];
    let own = state.own_launch_overhead(number);
    let stated = own.or(base.number(number)).unwrap_or_default();
    let is_typed = edited.changes.get(number).is_some();
    let value = match (edited.changes.get(number), number) {
        // Tensor rates are several, and are shown as a multiple of those of the base.
        (Some(amount), GpuNumber::TensorRate) => amount.applied(stated),
        (Some(amount), GpuNumber::LaunchOverhead) => amount.applied(stated),
        (None, GpuNumber::LaunchOverhead) => stated,
        _ => state.pair().target.number(number).unwrap_or(stated),
    };
    let ratio = value / stated;
    let follows = !is_typed && (ratio - 1.0).abs() > 1e-6;
    let is_set = state.session.stock(edited.base).number(number) != base.number(number);
    let of_setting = matches!(number, GpuNumber::SmClock | GpuNumber::DataRate | GpuNumber::PowerLimit);
    ListCells {
        name: number.title(),
        value: number.in_words(value),
        change: if is_typed || follows { relative_change(ratio) } else { String::new() },
        source: match (is_typed, follows) {
            (true, _) => "typed",
            (_, true) => "follows",
            // Clocks and limits that were typed for the base, and what follows from them.
            _ if is_set && of_setting => "typed",
            _ if is_set => "follows",
            _ if own.is_some() && state.asks_of_operator() => "in graph",
            // Of this kernel on this GPU, which is not what the GPU's file states.
            _ if own.is_some() && own != base.number(number) => "in kernel",
            _ => base.number_origin(number).map_or("", |origin| origin.as_str()),
        },
    }
}

/// `+20 %`, `-5 %`; from three times on `×3.00`.
fn relative_change(ratio: f64) -> String {
    if ratio >= 3.0 {
        return format!("×{}", significant(ratio));
    }
    let percent = (ratio - 1.0) * 100.0;
    let digits = if (percent - percent.round()).abs() < 0.05 { 0 } else { 1 };
    format!("{percent:+.digits$} %")
}

fn size_cells(state: &DashboardState) -> ListCells {
    ListCells {
        name: "problem size",
        value: clipped_text(&size_as_it_is(state), 24),
        change: String::new(),
        source: "",
    }
}

fn size_as_it_is(state: &DashboardState) -> String {
    let subject = &state.rows[state.selected];
    let size = state.kernel().short_problem(&subject.problem);
    format!("{size} {}", subject.variant).trim_end().to_string()
}

fn element_cells(state: &DashboardState) -> ListCells {
    let is_changed = state.launch_changes().element().is_some();
    ListCells {
        name: "element type",
        value: Some(state.element_now()).filter(|name| !name.is_empty()).unwrap_or("unknown".into()),
        change: if is_changed { "set".into() } else { String::new() },
        source: if is_changed { "typed" } else { "" },
    }
}

fn launch_cells(state: &DashboardState, number: LaunchNumber) -> ListCells {
    let changed = state.launch_changes().changed_value(number);
    let value = state.launch_value_now(number);
    let is_unknown = number == LaunchNumber::Registers && value == 0;
    let stated = state.launch_value_stated(number).unwrap_or(0);
    let change = match changed {
        Some(value) if stated > 0 => relative_change(f64::from(value) / f64::from(stated)),
        Some(_) => "set".into(),
        None => String::new(),
    };
    let registers = state.answer().registers.target.origin_text();
    ListCells {
        name: number.title(),
        value: if is_unknown { "unknown".into() } else { number.in_words(value) },
        change,
        source: match (changed, number) {
            (Some(_), _) => "typed",
            (None, LaunchNumber::Registers) => register_word(&registers),
            (None, _) => "",
        },
    }
}

/// Whose registers these are, in a word that has room.
fn register_word(word: &str) -> &'static str {
    match word {
        "measured" => "measured",
        "typed" => "typed",
        "compiler" => "compiler",
        "other GPU" => "other GPU",
        "at least" => "at least",
        "unknown" => "",
        _ => "other cc",
    }
}
