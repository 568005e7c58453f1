//! The board drawn: as many columns as fit, the bar in what is left.
//!
//! ```text
//! ┌ Board ─ saxpy n=2^28 from V100: 122 GPUs by time ──────────────────────────────┐
//! │    GPU                  speedup (90 %)               time  speedup  limit  …   │
//! │ ▸T H100 SXM5 80 GB      ██████████████▓▓▓░░░      1.17 ms    3.50×  DRAM       │
//! └────────────────────────────────────────────────────────────────────────────────┘
//! ```

use super::row_names::{RowNames, cut_names, only_gpu};
use crate::rank::{RankOrder, RankedRow, marked_name};
use crate::report::shown;
use crate::text::counted;
use crate::tui::asked_workload::AskedAbout;
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::panes::frame::{draw_lines, pane_frame};
use crate::tui::panes::header::beside_source;
use crate::tui::ranked::{BoardRows, RowPlace};
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_middle, clipped_text, pad_left, pad_right, paragraph};
use crate::units::significant;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// From this width on the row under the cursor is told beside the list.
const ROOM_FOR_DETAIL: u16 = 130;
/// Columns of that.
const DETAIL: u16 = 40;
/// The narrowest and widest bar.
const BAR: (usize, usize) = (10, 48);
/// Over the bar, where it is wide enough.
const BAR_HEADING: &str = "speedup, 90 %";
/// Over a narrower one; the column of the speedup has its own heading.
const NARROW_BAR_HEADING: &str = "interval";
/// Columns before the name: cursor, mark, pin.
const MARKS: usize = 4;
/// A bar is cut at so many times the longest speedup.
const CUT: f64 = 1.25;

/// A column of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BoardColumn {
    Time,
    Speedup,
    Limit,
    Occupancy,
    Memory,
    Power,
    Energy,
    Hourly,
    Runs,
    Launch,
}

impl BoardColumn {
    /// Every column as it stands, with its width, the first to go last.
    const ALL: [(Self, usize, &'static str); 10] = [
        (Self::Time, 11, "time"),
        (Self::Speedup, 9, "speedup"),
        (Self::Limit, 11, "limit"),
        (Self::Occupancy, 7, "occ."),
        (Self::Memory, 6, "fits"),
        (Self::Power, 9, "power"),
        (Self::Energy, 10, "energy"),
        (Self::Hourly, 8, "$/h"),
        (Self::Runs, 10, "$/M runs"),
        (Self::Launch, 10, "launch $"),
    ];

    /// The lowest are kept where not all fit.
    fn rank(self, order: RankOrder) -> usize {
        match (self, order) {
            // What the rows are sorted by; of times the speedup says it, too.
            (Self::Speedup, RankOrder::Time)
            | (Self::Energy, RankOrder::PerfPerWatt)
            | (Self::Runs | Self::Launch, RankOrder::PerfPerDollar) => 0,
            (Self::Time, _) => 1,
            (Self::Speedup, _) => 2,
            (Self::Limit, _) => 3,
            (Self::Power, _) => 4,
            (Self::Energy, _) => 5,
            (Self::Hourly, _) => 6,
            (Self::Runs | Self::Launch, _) => 7,
            (Self::Memory, _) => 8,
            (Self::Occupancy, _) => 9,
        }
    }

    /// What a click on its heading sorts by.
    fn order(self) -> Option<RankOrder> {
        match self {
            Self::Time | Self::Speedup => Some(RankOrder::Time),
            Self::Power | Self::Energy => Some(RankOrder::PerfPerWatt),
            Self::Hourly | Self::Runs | Self::Launch => Some(RankOrder::PerfPerDollar),
            Self::Limit | Self::Occupancy | Self::Memory => None,
        }
    }

    fn text(self, row: &RankedRow) -> String {
        let dash = || "-".to_string();
        match self {
            Self::Time => {
                let mark = row.kind().mark();
                row.time.map_or_else(dash, |t| format!("{t} {mark}"))
            }
            Self::Speedup => row.speedup_text().unwrap_or_else(dash),
            Self::Limit => row.limit.map_or_else(dash, |l| l.as_str().to_string()),
            Self::Occupancy => row.occupancy.map_or_else(dash, |o| format!("{:.0} %", 100.0 * o)),
            Self::Memory => row.fits_memory.map_or("?".into(), |f| if f { "yes" } else { "no" }.into()),
            Self::Power => row.power_text().unwrap_or_else(dash),
            Self::Energy => row.energy_text().unwrap_or_else(dash),
            Self::Hourly => row.price.as_ref().map_or_else(dash, |p| significant(p.usd_per_hour)),
            Self::Runs => row.run_cost_text().unwrap_or_else(dash),
            Self::Launch => row.launch_usd.map_or_else(dash, |usd| format!("{usd:.0}")),
        }
    }
}

/// What fits into a width: names, the bar, columns.
struct BoardWidths {
    names: RowNames,
    name: usize,
    bar: usize,
    columns: Vec<(BoardColumn, usize, &'static str)>,
    /// Names that have no room, and what is shown of them.
    names_cut: Vec<(String, String)>,
}

fn widths(state: &DashboardState, rows: &[&RankedRow], width: usize) -> BoardWidths {
    let most = match (width, state.ranked.rows) {
        (..50, _) => 12,
        (50..100, BoardRows::Gpus) => 21,
        // What leaves room for the narrowest bar, the time and the speedup.
        (50..100, _) => width - MARKS - 2 - BAR.0 - 20,
        (_, BoardRows::Gpus) => usize::MAX,
        (_, _) => 64.min(width / 3),
    };
    let names = RowNames::of_rows(state, rows, most);
    let all: Vec<String> = rows.iter().map(|row| names.row_name(row)).collect();
    let longest = all.iter().map(|name| name.width()).max().unwrap_or(12);
    let mut name = longest.min(most).max(12) + 1;
    let names_cut = if longest < name { Vec::new() } else { cut_names(state, all, name - 1) };
    let order = state.ranked.order;
    let has_prices = state.ranked.board.as_ref().is_some_and(|b| b.has_prices);
    let offered = |c: BoardColumn| match c {
        BoardColumn::Hourly | BoardColumn::Runs => has_prices,
        BoardColumn::Launch => !has_prices && order == RankOrder::PerfPerDollar,
        // Of an application no single limit or occupancy is known.
        _ => rows.iter().any(|row| c.text(row) != "-"),
    };
    let mut by_rank: Vec<_> = BoardColumn::ALL.into_iter().filter(|c| offered(c.0)).collect();
    by_rank.sort_by_key(|c| c.0.rank(order));
    let least = if width < 50 { BAR.0 } else { (width / 8).clamp(BAR.0, 32) };
    let mut left = width.saturating_sub(MARKS + name + least + 1);
    let mut kept = Vec::new();
    for (place, column) in by_rank.into_iter().enumerate() {
        // Keys over values may be longer than these: two columns go before them.
        if place == 2 {
            let of_heading = (names.heading().width().min(most) + 1).saturating_sub(name).min(left);
            (name, left) = (name + of_heading, left - of_heading);
        }
        if column.1 <= left {
            left -= column.1;
            kept.push(column);
        }
    }
    kept.sort_by_key(|c| BoardColumn::ALL.iter().position(|all| all.0 == c.0));
    BoardWidths { names, name, bar: (least + left).min(BAR.1), columns: kept, names_cut }
}

/// The list's part of the inside.
fn list_width(area: Rect) -> u16 {
    let inside = area.width.saturating_sub(2);
    if inside >= ROOM_FOR_DETAIL { inside - DETAIL - 2 } else { inside }
}

/// Rows on one page.
pub(super) fn rows_of_board(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(3)).max(1)
}

/// What a click on this column of the heading sorts by.
pub(super) fn order_under(state: &DashboardState, area: Rect, column: usize) -> Option<RankOrder> {
    let rows = state.ranked.shown_rows(&state.session);
    let widths = widths(state, &rows, usize::from(list_width(area)));
    let mut right = MARKS + widths.name + widths.bar + 1;
    let under = widths.columns.into_iter().find(|c| {
        right += c.1;
        column < right
    });
    under.and_then(|c| c.0.order())
}

/// Draws the pane.
pub(super) fn draw_board(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let rows = state.ranked.shown_rows(&state.session);
    let title = beside(state, &rows, usize::from(area.width.saturating_sub(13)));
    let inside = pane_frame(buffer, area, state, Pane::Ranking, &title, look);
    if inside.height < 2 {
        return;
    }
    let list = Rect { width: list_width(area), ..inside };
    let line_at = |y: u16| Rect { y, height: 1, ..list };
    if rows.is_empty() {
        let lines = paragraph(why_empty(state), usize::from(list.width), look.caution());
        draw_lines(buffer, inside, lines, 0);
        return;
    }
    let widths = widths(state, &rows, usize::from(list.width));
    heading(state, &widths, look).render(line_at(inside.y), buffer);
    let places: Vec<RowPlace> = rows.iter().map(|row| RowPlace::of_row(row)).collect();
    let cursor = state.board_cursor(&places);
    let start = page_start(cursor, rows_of_board(area), rows.len());
    let page = || rows.iter().skip(start).take(rows_of_board(area));
    let pareto = state.ranked.pareto_marks(&rows);
    // One scale for all pages.
    let longest = rows.iter().filter_map(|row| row.speedup).fold(0.0, f64::max) * CUT;
    for ((at, row), y) in page().enumerate().zip(inside.y + 1..inside.bottom()) {
        let scale = BarScale { longest, bar: widths.bar };
        board_line(state, row, pareto[at + start], &widths, scale, look).render(line_at(y), buffer);
        if at + start == cursor {
            buffer.set_string(list.x, y, "▸", look.key());
            if state.focus == Pane::Ranking {
                buffer.set_style(line_at(y), look.selection());
            }
        }
    }
    if list.width < inside.width {
        let x = list.right() + 2;
        let detail = Rect { x, width: inside.right().saturating_sub(x), ..inside };
        let lines = detail_lines(state, rows[cursor], pareto[cursor], usize::from(detail.width), look);
        draw_lines(buffer, detail, lines, 0);
    }
    let of_row = || {
        interval_line(rows[cursor], &widths.names, usize::from(area.width.saturating_sub(6)))
            .filter(|_| list.width == inside.width)
    };
    let why = why_no_speedup(state).map(|text| (text, look.caution()));
    if let Some((text, style)) = why.or_else(|| of_row().map(|text| (text, look.text()))) {
        let text = clipped_text(&format!(" {text} "), usize::from(area.width.saturating_sub(4)));
        buffer.set_string(area.x + 2, area.bottom() - 1, text, style);
    }
}

/// Why no row has a speedup: on the frame, so that no row of the board is lost.
fn why_no_speedup(state: &DashboardState) -> Option<String> {
    let board = state.ranked.board.as_ref().filter(|board| board.source_time.is_none())?;
    let is_timed = board.rows.iter().any(|row| row.time.is_some());
    is_timed.then(|| format!("no speedup: {}", board.source_words()))
}

/// How sure the time of the row under the cursor is, where it is not told beside the list.
fn interval_line(row: &RankedRow, names: &RowNames, width: usize) -> Option<String> {
    let interval = format!("90 % interval {}", row.interval_text()?);
    let count = row.cautions.len();
    let cautions = if count == 0 { String::new() } else { format!(", {}", counted(count, "caution")) };
    let room = |said: &str| width.saturating_sub(said.width() + 2);
    // The cautions give way, then the name.
    let whole = format!("{interval}{cautions}");
    let said = if room(&whole) < 6 { interval } else { whole };
    let name = clipped_middle(&names.row_name(row), room(&said));
    Some(if room(&said) < 4 { said } else { format!("{name}: {said}") })
}

/// Why there is no row.
pub(super) fn why_empty(state: &DashboardState) -> &str {
    match (&state.ranked.refused, &state.ranked.board) {
        (Some(why), _) => why,
        (None, Some(_)) if state.ranked.rows == BoardRows::Gpus => "no GPU matches the filter: Esc clears it",
        (None, Some(_)) => "no row matches the filter: Esc clears it",
        (None, None) => "ranking the GPUs …",
    }
}

/// A workload's name in the title is not cut shorter than this.
const LEAST_WORKLOAD: usize = 12;

/// What is ranked, how many, by what, in so many columns: the first line says what and from where, too.
fn beside(state: &DashboardState, rows: &[&RankedRow], width: usize) -> String {
    let Some(board) = &state.ranked.board else { return String::new() };
    let order = state.ranked.order_in_words();
    let reversed = if state.ranked.reversed { ", reversed" } else { "" };
    let kind = state.ranked.rows;
    let shown = state.ranked.chosen_count(&state.session);
    let what = if shown == 1 { kind.singular() } else { kind.as_str() };
    let on = only_gpu(state, rows)
        .map_or_else(String::new, |gpu| format!(" on {}", state.session.gpus[gpu].short_name()));
    let is_each = state.ranked.each_architecture && kind == BoardRows::Gpus;
    let each = if is_each { ", one of each architecture," } else { "" };
    let of = match state.ranked.filter.trim() {
        "" => each.trim_end_matches(',').to_string(),
        filter => format!("{each} “{filter}”"),
    };
    // Rows of the question before stay until those of this one are there.
    let anew = if state.jobs.is_running(WorkerJob::Rank) { ", ranking anew …" } else { "" };
    let counted = format!("{shown} {what}{on}{of} by {order}{reversed}{anew}");
    let all = beside_source(state, state.asked_about() == AskedAbout::Application);
    let question = format!(" from {}{all}: {counted}", board.source_name);
    let part = state.asked_part();
    let before_name = if part.is_empty() { String::new() } else { format!("{part}, ") };
    match width.saturating_sub(before_name.width() + question.width()) {
        room if room >= LEAST_WORKLOAD.min(board.workload.width()) => {
            before_name + &clipped_middle(&board.workload, room) + &question
        }
        _ if part.is_empty() => counted,
        _ if part.width() + question.width() <= width => part + &question,
        _ => format!("{part}: {counted}"),
    }
}

fn heading(state: &DashboardState, widths: &BoardWidths, look: Look<'_>) -> Line<'static> {
    let bar = widths.bar;
    let over_bar = if bar < BAR_HEADING.width() { NARROW_BAR_HEADING } else { BAR_HEADING };
    let mut spans = vec![
        Span::raw(" ".repeat(MARKS)),
        Span::styled(
            pad_right(&clipped_text(widths.names.heading(), widths.name - 1), widths.name),
            look.title(),
        ),
        Span::styled(pad_right(over_bar, bar + 1), look.title()),
    ];
    let sorted = state.ranked.order;
    spans.extend(widths.columns.iter().map(|(column, width, head)| {
        let own = match column {
            BoardColumn::Time => sorted == RankOrder::Time,
            BoardColumn::Energy => sorted == RankOrder::PerfPerWatt,
            BoardColumn::Runs => sorted == RankOrder::PerfPerDollar,
            _ => false,
        };
        let mark = match (own, state.ranked.reversed) {
            (false, _) => "",
            (true, false) => "▲",
            (true, true) => "▼",
        };
        Span::styled(place_cell(*column, &format!("{head}{mark}"), *width), look.title())
    }));
    Line::from(spans)
}

/// Words stand left, numbers right.
fn place_cell(column: BoardColumn, text: &str, width: usize) -> String {
    match column {
        BoardColumn::Limit => format!("  {}", pad_right(&clipped_text(text, width - 2), width - 2)),
        _ => pad_left(&clipped_text(text, width - 1), width),
    }
}

fn board_line(
    state: &DashboardState,
    row: &RankedRow,
    is_pareto: bool,
    widths: &BoardWidths,
    scale: BarScale,
    look: Look<'_>,
) -> Line<'static> {
    let selection = &state.selection;
    // That of an application is the GPU that it ran on.
    let source = state.ranked.board.as_ref().map_or(selection.source, |board| board.source);
    let (mark, style) = match row.gpu {
        gpu if gpu == source => ("S", look.source()),
        gpu if gpu == state.target() => ("T", look.target()),
        gpu if selection.targets.contains(&gpu) => ("+", look.target()),
        _ => (" ", look.text()),
    };
    let pin = if state.ranked.is_pinned(row) { "^" } else { " " };
    let pareto = if is_pareto { "*" } else { " " };
    let [solid, shade, light] = scale.bar_parts(row);
    let blank = scale.bar - solid - shade - light;
    let name = widths.names.row_name(row);
    let cut = widths.names_cut.iter().find(|(whole, _)| *whole == name).map_or(name, |(_, cut)| cut.clone());
    let of_bar = time_style(row, look);
    let mut spans = vec![
        Span::raw(" "),
        Span::styled(format!("{mark}{pin}"), style),
        Span::styled(pareto, look.measured()),
        Span::styled(pad_right(&cut, widths.name), style),
        Span::styled("█".repeat(solid), of_bar),
        Span::styled("▓".repeat(shade), of_bar),
        Span::styled("░".repeat(light), look.dim()),
        Span::raw(" ".repeat(blank + 1)),
    ];
    spans.extend(widths.columns.iter().map(|(column, width, _)| {
        let style = column_style(*column, row, look);
        Span::styled(place_cell(*column, &column.text(row), *width), style)
    }));
    Line::from(spans)
}

/// The colour of measured, scaled and modelled times.
fn time_style(row: &RankedRow, look: Look<'_>) -> Style {
    match (row.is_measured, row.rests_on_measurement) {
        (true, _) => look.measured(),
        (false, true) => look.predicted(),
        (false, false) => look.estimated(),
    }
}

fn column_style(column: BoardColumn, row: &RankedRow, look: Look<'_>) -> Style {
    match column {
        BoardColumn::Time => time_style(row, look),
        BoardColumn::Memory if row.fits_memory == Some(false) => look.refusal(),
        BoardColumn::Speedup => look.text(),
        _ => look.dim(),
    }
}

/// What a full bar stands for, and how many cells it has.
#[derive(Debug, Clone, Copy)]
struct BarScale {
    longest: f64,
    bar: usize,
}

impl BarScale {
    /// Cells of a bar: up to the slow end of the interval, up to the speedup, up to the fast end.
    fn bar_parts(self, row: &RankedRow) -> [usize; 3] {
        let (Some(speedup), Some(time)) = (row.speedup, row.time) else { return [0; 3] };
        let width = self.bar;
        let cells = |speedup: f64| {
            let share = speedup / self.longest;
            if share.is_finite() { ((share * width as f64).round() as usize).min(width) } else { 0 }
        };
        let at = |end: Option<crate::units::Seconds>| end.map_or(speedup, |end| speedup * time.0 / end.0);
        let middle = cells(speedup).max(1).min(width);
        let low = cells(at(row.high)).min(middle);
        let high = cells(at(row.low)).max(middle);
        [low, middle - low, high - middle]
    }
}

/// The row under the cursor in full.
fn detail_lines(
    state: &DashboardState,
    row: &RankedRow,
    is_pareto: bool,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let gpu = &state.session.gpus[row.gpu];
    let mut lines = paragraph(&marked_name(row), width, look.title());
    lines.push(Line::default());
    let mut fact = |name: &str, text: String| {
        if text == "-" {
            return;
        }
        let text = clipped_text(&text, width.saturating_sub(16));
        lines.push(Line::from(vec![Span::styled(format!("{name:<16}"), look.dim()), Span::raw(text)]));
    };
    let column = |column: BoardColumn| column.text(row);
    fact("time", column(BoardColumn::Time));
    if let Some(interval) = row.interval_text() {
        fact("90 % interval", interval);
    }
    fact("speedup", column(BoardColumn::Speedup));
    if let Some(speedup) = row.speedup_as_profiled_text() {
        fact(shown::AS_PROFILED, speedup);
    }
    fact("limited by", column(BoardColumn::Limit));
    fact("occupancy", column(BoardColumn::Occupancy));
    fact("fits memory", column(BoardColumn::Memory));
    for (name, text) in [("board power", row.power_text()), ("energy per run", row.energy_text())] {
        if let Some(text) = text {
            fact(name, text);
        }
    }
    if let Some(price) = &row.price {
        fact(
            "per hour",
            format!("$ {} {} {}", significant(price.usd_per_hour), price.provider, price.region),
        );
        fact("price of", price.date.clone().unwrap_or_else(|| "no date".into()));
        fact("million runs", format!("$ {}", column(BoardColumn::Runs)));
    }
    if let Some(usd) = row.launch_usd {
        fact("launch price", format!("$ {} ({})", significant(usd), row.launch_year));
    }
    fact("architecture", format!("{}, {}", gpu.architecture, gpu.cuda.compute_capability));
    fact("memory", format!("{} GB/s", significant(gpu.bandwidth_peak.value.0 / 1e9)));
    lines.push(Line::default());
    for caution in &row.cautions {
        lines.extend(paragraph(&format!("! {caution}"), width, look.caution()));
    }
    if is_pareto {
        let kind = state.ranked.rows.singular();
        let text = match state.ranked.rows {
            BoardRows::Blocks => {
                "* block size to take on its GPU (the kernel's own where it is as fast)".into()
            }
            _ => format!("* no other {kind} is both faster and cheaper, or faster with less power"),
        };
        lines.extend(paragraph(&text, width, look.measured()));
    }
    lines
}
