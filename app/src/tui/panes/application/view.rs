//! How the Application view is drawn: the window in words, a bar of letters per GPU, what must be said of the totals, the groups, what
//! to profile next.

use super::super::frame::{draw_lines, pane_frame};
use super::findings::{ApplicationFindings, GroupSort};
use super::group_list::group_lines;
use super::notes::{note_lines, profile_lines};
use crate::application::{
    Application, BarPart, GroupForecast, KernelCategory, TargetForecast, bar_parts, percent,
};
use crate::gpu::GpuId;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{
    clipped_apart, clipped_text, first_lines, pad_left, pad_right, paragraph, wrap_at_most,
};
use crate::units::{range, significant};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// The fewest and most columns of a GPU's name before its bar.
const NAME: (usize, usize) = (18, 42);
/// Columns of the numbers behind a bar.
const NUMBERS: usize = 34;
/// The fewest columns of a bar.
const LEAST_BAR: usize = 5;
/// The most GPUs with a bar.
const MOST_BARS: usize = 6;

/// Draws the pane.
pub(super) fn draw_application(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let found = &state.application;
    let Some(application) = &found.application else {
        let inside = pane_frame(buffer, area, state, Pane::Application, "", look);
        return draw_invitation(buffer, inside, look);
    };
    let title = heading(found, application, usize::from(area.width.saturating_sub(19)));
    let inside = pane_frame(buffer, area, state, Pane::Application, &title, look);
    let width = usize::from(inside.width.saturating_sub(1));
    let parts = Sections::of_area(state, application, area);
    let mut lines = above_groups(state, application, area, look);
    lines.truncate(parts.totals);
    lines.extend(parts.notes.into_iter().map(|text| Line::styled(text, look.caution())));
    let (groups, left_out) = group_lines(state, application, width, parts.groups, look);
    lines.extend(groups);
    let mut below: Vec<Line<'static>> = Vec::new();
    for (place, text) in parts.profile.iter().enumerate() {
        let style = if place == 0 { look.title() } else { look.text() };
        below.push(Line::styled(clipped_text(text, width), style));
    }
    if let Some(detail) = detail(state) {
        let wrapped = wrap_at_most(&detail, width, detail_lines(area));
        below.extend(wrapped.into_iter().map(|text| Line::styled(text, look.dim())));
    }
    let gap = usize::from(inside.height).saturating_sub(lines.len() + below.len());
    lines.extend((0..gap).map(|_| Line::default()));
    lines.extend(below);
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
    draw_lines(buffer, text, lines, 0);
    say_left_out(buffer, area, state, &left_out, look);
}

/// Which targets have no column or no bar: on the frame, so that no line is lost.
fn say_left_out(buffer: &mut Buffer, area: Rect, state: &DashboardState, columns: &[GpuId], look: Look<'_>) {
    let forecasts = state.application.forecasts.as_ref().and_then(|found| found.as_ref().ok());
    let bars = forecasts.map_or(&[][..], |all| all.get(MOST_BARS..).unwrap_or_default());
    let names = |gpus: &mut dyn Iterator<Item = GpuId>| {
        gpus.map(|gpu| state.session.gpus[gpu].short_name()).collect::<Vec<_>>().join(", ")
    };
    let [columns, bars] = [
        ("column", names(&mut columns.iter().copied())),
        ("bar", names(&mut bars.iter().map(|forecast| forecast.target))),
    ]
    .map(|(what, names)| Some(format!("no room for the {what} of {names}")).filter(|_| !names.is_empty()));
    let said: Vec<String> = columns.into_iter().chain(bars).collect();
    if !said.is_empty() {
        let text = format!(" {} ", said.join("; "));
        let text = clipped_text(&text, usize::from(area.width.saturating_sub(4)));
        buffer.set_string(area.x + 2, area.bottom() - 1, text, look.caution());
    }
}

fn draw_invitation(buffer: &mut Buffer, inside: Rect, look: Look<'_>) {
    const TEXT: &str = "No application. Enter picks a file: a trace of PyTorch or JAX (.json, .json.gz) or an Nsight Systems export \
                        (nsys export --type sqlite). Or start with roofswap --data trace.json.gz.";
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    draw_lines(buffer, text, paragraph(TEXT, usize::from(text.width), look.dim()), 0);
}

/// `by calls, GPU 1, range step, host 1.30×, trace.json.gz, NVIDIA H100 80GB HBM3`: what was chosen first, since the end is cut; without the
/// file, which the first line names, where there is no room for it.
fn heading(found: &ApplicationFindings, application: &Application, width: usize) -> String {
    let file = application.file_name();
    let gpu = if application.gpu_name.is_empty() { "GPU not named" } else { &application.gpu_name };
    let mut words = shown_words(found, application);
    words.extend(found.part_words());
    words.extend([file.to_string(), gpu.to_string()]);
    if words.join(", ").width() > width {
        words.remove(words.len() - 2);
    }
    crate::text::harmless_line(&words.join(", "))
}

/// `12/90 groups “gemm” with 61.2 % of the time`, `by calls, reversed`; nothing of what is as it was read.
fn shown_words(found: &ApplicationFindings, application: &Application) -> Vec<String> {
    let mut words = Vec::new();
    if !found.filter.trim().is_empty() {
        let share = found.shown.iter().fold(0.0, |sum, place| sum + application.groups[*place].share);
        let (shown, all) = (found.shown.len(), application.groups.len());
        let share = percent(100.0 * share);
        words.push(format!("{shown}/{all} groups “{}” with {share} of the time", found.filter.trim()));
    }
    let (sort, is_reversed) = found.sort;
    if found.sort != <(GroupSort, bool)>::default() {
        words.push(format!("by {}{}", sort.as_str(), if is_reversed { ", reversed" } else { "" }));
    }
    words
}

/// What stands where, from the top of the pane.
struct Sections {
    /// Lines of the window, the bars and their legend.
    totals: usize,
    /// What must be said of the totals.
    notes: Vec<String>,
    /// How many groups have room.
    groups: usize,
    /// What to profile next, under the groups.
    profile: Vec<String>,
}

impl Sections {
    /// The rows that the groups do not need are those of the notes, then of what to profile; one note has room before all but a few
    /// groups.
    fn of_area(state: &DashboardState, application: &Application, area: Rect) -> Self {
        let inside = usize::from(area.height.saturating_sub(2));
        let width = usize::from(area.width.saturating_sub(3));
        let bars = match &state.application.forecasts {
            Some(Ok(forecasts)) => {
                forecasts.len().min(MOST_BARS) + legend_lines(application, forecasts, width, area).len()
            }
            _ => 1,
        };
        let totals = usize::from(application.timeline.is_some()) + bars;
        // The heading of the groups takes a line.
        let room = inside.saturating_sub(totals + 1 + detail_lines(area));
        let wanted = state.application.shown.len().min((room * 3 / 5).max(FEW_GROUPS));
        let spare = room.saturating_sub(wanted).max(usize::from(room > FEW_GROUPS));
        let notes = first_lines(note_lines(state, application, width), spare, width);
        let mut profile = profile_lines(&state.application, state, width);
        let left = spare - notes.len();
        profile.truncate(if left > 1 { left } else { 0 });
        let groups = room.saturating_sub(notes.len() + profile.len()).max(1);
        Self { totals, notes, groups, profile }
    }
}

/// So many groups stand before anything is said of the totals.
const FEW_GROUPS: usize = 4;

/// Lines inside the frame before the first group.
pub(super) fn first_group_line(state: &DashboardState, area: Rect) -> usize {
    let Some(application) = &state.application.application else { return 0 };
    let parts = Sections::of_area(state, application, area);
    parts.totals + parts.notes.len() + 1
}

/// How many groups have room.
pub(super) fn groups_shown(state: &DashboardState, area: Rect) -> usize {
    let Some(application) = &state.application.application else { return 1 };
    Sections::of_area(state, application, area).groups
}

/// Lines for the group under the cursor.
fn detail_lines(area: Rect) -> usize {
    if area.height < 18 { 1 } else { 3 }
}

fn above_groups(
    state: &DashboardState,
    application: &Application,
    area: Rect,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let width = usize::from(area.width.saturating_sub(3));
    let mut lines: Vec<Line<'static>> = Vec::new();
    if let Some(line) = &application.timeline {
        let share = |nanoseconds: i64| 100.0 * nanoseconds as f64 / line.window.nanoseconds().max(1) as f64;
        let mut parts = [
            ("kernels", line.kernels),
            ("copies alone", line.copy_only),
            ("launch gaps", line.idle.launch_gap),
            ("host", line.idle.host),
            ("synchronising", line.idle.synchronisation),
            ("unknown", line.idle.unknown),
        ];
        // The largest is not the one that a narrow screen cuts.
        parts.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        let parts = parts.into_iter().filter(|(_, time)| *time > 0);
        let mut parts: Vec<String> =
            parts.map(|(name, time)| format!("{name} {}", percent(share(time)))).collect();
        let text = |parts: &[String]| format!("window {}: {}", line.window.seconds(), parts.join(", "));
        // The smallest have no room on a narrow screen.
        while parts.len() > 1 && text(&parts).width() > width {
            parts.pop();
        }
        lines.push(Line::styled(clipped_text(&text(&parts), width), look.text()));
    }
    match &state.application.forecasts {
        Some(Ok(forecasts)) => lines.extend(bar_lines(state, application, forecasts, area, look)),
        Some(Err(why)) => lines.push(Line::styled(clipped_text(why, width), look.caution())),
        None => lines.push(Line::styled("predicting …", look.dim())),
    }
    lines
}

/// The letter of a part of a bar.
fn letter(name: &str) -> char {
    let known = KernelCategory::ALL.into_iter().find(|c| c.as_str() == name);
    match known {
        Some(KernelCategory::Gemm) => 'M',
        Some(KernelCategory::Attention) => 'A',
        Some(KernelCategory::Convolution) => 'C',
        Some(KernelCategory::Normalisation) => 'N',
        Some(KernelCategory::Reduction) => 'R',
        Some(KernelCategory::Elementwise) => 'E',
        Some(KernelCategory::Movement) => 'V',
        Some(KernelCategory::Communication) => 'X',
        Some(KernelCategory::Graph) => 'G',
        Some(KernelCategory::Other) => 'O',
        None => match name {
            "not predicted" => '?',
            "copies alone" => 'c',
            "launch gaps" => '-',
            "host-bound" => '.',
            _ => '~',
        },
    }
}

fn part_style(part: &BarPart, look: Look<'_>) -> Style {
    match letter(part.name) {
        '?' => look.caution(),
        'c' => look.source(),
        '-' | '.' | '~' => look.dim(),
        _ => look.target(),
    }
}

/// Cells of the parts of a bar, by their shares of so many columns: whole ones of the right sum, at least one of whatever takes time.
fn bar_cells(shares: &[f64], columns: usize) -> Vec<usize> {
    let exact: Vec<f64> =
        shares.iter().map(|share| if *share > 0.0 { share * columns as f64 } else { 0.0 }).collect();
    let parts = exact.iter().filter(|cells| **cells > 0.0).count();
    let all = (exact.iter().sum::<f64>().round() as usize).max(parts).min(columns);
    let mut cells: Vec<usize> =
        exact.iter().map(|cells| if *cells > 0.0 { (cells.floor() as usize).max(1) } else { 0 }).collect();
    // Of the parts those that have too few get what is left, and those that have too much give it.
    let missing = |cells: &[usize], at: usize| exact[at] - cells[at] as f64;
    let by_missing = |cells: &[usize], a: usize, b: usize| missing(cells, a).total_cmp(&missing(cells, b));
    while cells.iter().sum::<usize>() < all {
        let Some(at) = (0..cells.len()).max_by(|a, b| by_missing(&cells, *a, *b)) else { break };
        cells[at] += 1;
    }
    while cells.iter().sum::<usize>() > all {
        let fewest = if cells.iter().any(|cells| *cells > 1) { 2 } else { 1 };
        let giving = (0..cells.len()).filter(|at| cells[*at] >= fewest);
        let Some(at) = giving.min_by(|a, b| by_missing(&cells, *a, *b)) else { break };
        cells[at] -= 1;
    }
    cells
}

/// One bar per GPU, the source's first, and what the letters mean.
fn bar_lines(
    state: &DashboardState,
    application: &Application,
    forecasts: &[TargetForecast],
    area: Rect,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let width = usize::from(area.width.saturating_sub(3));
    let shown = &forecasts[..forecasts.len().min(MOST_BARS)];
    let longest = shown.iter().map(|f| f.time_range().value.0).fold(0.0, f64::max);
    let named = |f: &TargetForecast| state.session.gpus[f.target].short_name().width() + 1;
    let longest_name = shown.iter().map(named).max().unwrap_or(0);
    let is_own = |f: &TargetForecast| Some(f.target) == state.application.source;
    let texts = |has_interval: bool| -> (Vec<String>, usize) {
        let texts: Vec<String> = shown.iter().map(|f| numbers(f, is_own(f), has_interval)).collect();
        let widest = texts.iter().map(|text| text.width()).max().unwrap_or(0);
        (texts, width.saturating_sub(LEAST_BAR + 1 + widest))
    };
    // The interval gives way, then the name: no number is cut.
    let (texts, room) = Some(texts(true)).filter(|(_, room)| *room >= NAME.0).unwrap_or_else(|| texts(false));
    let name_width = longest_name.clamp(NAME.0, NAME.1.min(width / 4).max(NAME.0)).min(room.max(LEAST_BAR));
    let columns = width.saturating_sub(name_width + NUMBERS + 2).max(LEAST_BAR);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (forecast, text) in shown.iter().zip(texts) {
        let names = shown.iter().map(|other| state.session.gpus[other.target].short_name());
        let name = clipped_apart(state.session.gpus[forecast.target].short_name(), names, name_width - 1);
        let mut spans = vec![Span::styled(pad_right(&name, name_width), look.text())];
        let parts = bar_parts(application, forecast);
        let shares: Vec<f64> = parts.iter().map(|part| part.time.0 / longest.max(1e-12)).collect();
        let cells = bar_cells(&shares, columns);
        for (part, cells) in parts.iter().zip(&cells).filter(|(_, cells)| **cells > 0) {
            let letters: String = std::iter::repeat_n(letter(part.name), *cells).collect();
            spans.push(Span::styled(letters, part_style(part, look)));
        }
        spans.push(Span::raw(" ".repeat(columns - cells.iter().sum::<usize>() + 1)));
        spans.push(Span::styled(text, look.text()));
        lines.push(Line::from(spans));
    }
    let legend = legend_lines(application, forecasts, width, area);
    lines.extend(legend.into_iter().map(|text| Line::styled(text, look.dim())));
    lines
}

/// What the letters of the bars mean, in as many lines as that takes where a pane of this size has room.
fn legend_lines(
    application: &Application,
    forecasts: &[TargetForecast],
    width: usize,
    area: Rect,
) -> Vec<String> {
    let shown = forecasts.iter().take(MOST_BARS);
    let mut used: Vec<&'static str> = Vec::new();
    for part in shown.flat_map(|forecast| bar_parts(application, forecast)) {
        if part.time.0 > 0.0 && !used.contains(&part.name) {
            used.push(part.name);
        }
    }
    let mut lines = vec![String::new()];
    for part in used.iter().map(|name| format!("{} {name}", letter(name))) {
        let last = &lines[lines.len() - 1];
        let is_first = last.is_empty();
        if !is_first && last.width() + 2 + part.width() > width && lines.len() < detail_lines(area) {
            lines.push(part);
        } else if let Some(last) = lines.last_mut() {
            *last = if is_first { part } else { format!("{last}  {part}") };
        }
    }
    lines.into_iter().map(|line| clipped_text(&line, width)).collect()
}

/// `346 ms ◆ (185–655 ms) 0.462×`, or without its interval; of the program's own GPU as it was recorded the time alone.
fn numbers(forecast: &TargetForecast, is_own: bool, has_interval: bool) -> String {
    let (time, speedup) = (forecast.time_range(), forecast.overall_speedup());
    let value = pad_left(&time.value.to_string(), 8);
    let mark = forecast.kind.mark();
    match (is_own, (speedup - 1.0).abs() < AS_RECORDED) {
        (true, true) => format!("{value} recorded"),
        (true, false) => format!("{value} modelled {}×", significant(speedup)),
        _ if !has_interval => format!("{value} {mark} {}×", significant(speedup)),
        _ => format!("{value} {mark} ({}) {}×", range(time.low, time.high), significant(speedup)),
    }
}

/// A window that is replayed as it was recorded is this near to itself.
const AS_RECORDED: f64 = 1e-6;

/// The group under the cursor: what its time on the target rests on, its operator, its counts.
fn detail(state: &DashboardState) -> Option<String> {
    let group = state.application.group_under_cursor()?;
    let mut parts: Vec<String> = vec![group.category.as_str().to_string()];
    if let Some(forecast) =
        state.application.first_target().and_then(|t| t.groups.get(state.application.cursor))
    {
        parts.push(rests_on(forecast));
    }
    parts.extend(group.operator_words());
    parts.extend(group.counts.as_ref().map(|c| format!("counts: {}", c.from)));
    Some(crate::text::harmless_line(&parts.join(", ")))
}

fn rests_on(forecast: &GroupForecast) -> String {
    let limit = forecast.limit.map(|l| format!(", limited by {}", l.as_str())).unwrap_or_default();
    let reason = forecast.reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
    let ends = range(forecast.time.low, forecast.time.high);
    format!("{} ({ends}){limit}{reason}", forecast.basis.as_str())
}

#[cfg(test)]
mod tests {
    use super::bar_cells;

    #[test]
    fn no_part_of_a_bar_vanishes_and_no_bar_is_longer_than_its_columns() {
        assert_eq!(bar_cells(&[0.5, 0.004, 0.496], 20), [10, 1, 9]);
        assert_eq!(bar_cells(&[0.02, 0.02, 0.02, 0.0, 0.2], 10), [1, 1, 1, 0, 1]);
        assert_eq!(bar_cells(&[0.24, 0.24, 0.24, 0.24, 0.04], 5), [1, 1, 1, 1, 1]);
        assert_eq!(bar_cells(&[0.9, 0.1], 1), [1, 0], "more parts than columns: the longest stay");
        for columns in 1..60 {
            let shares = [0.31, 0.003, 0.2, 0.07, 0.402, 0.015];
            let cells = bar_cells(&shares, columns);
            assert_eq!(cells.iter().sum::<usize>(), columns, "{cells:?}");
            assert!(columns < 6 || cells.iter().all(|cells| *cells > 0), "{cells:?}");
        }
    }
}
