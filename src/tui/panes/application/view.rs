//! How the Application view is drawn: the window in words, a bar of letters per GPU, the groups.

use super::super::frame::{draw_lines, pane_frame};
use super::findings::ApplicationFindings;
use crate::application::{
    Application, BarPart, ForecastSettings, GroupForecast, KernelCategory, TargetForecast, bar_parts, percent,
};
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, pad_left, pad_right, paragraph, wrap};
use crate::units::{range, significant};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// The fewest and most columns of a GPU's name before its bar.
const NAME: (usize, usize) = (18, 42);
/// The fewest columns of a kernel's name.
const KERNEL: usize = 12;
/// Columns of the time on a target.
const ON_TARGET: usize = 10;
/// Columns of the numbers behind a bar.
const NUMBERS: usize = 34;
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
    let mut lines = above_groups(state, application, width, look);
    lines.truncate(usize::from(inside.height.saturating_sub(3 + detail_lines(area) as u16)));
    lines.extend(group_lines(state, application, width, groups_shown(state, area), look));
    if let Some(detail) = detail(state, application) {
        let most = detail_lines(area);
        let mut wrapped = wrap(&detail, width);
        if let Some(rest) = wrapped.get(most - 1..).filter(|rest| rest.len() > 1).map(|rest| rest.join(" ")) {
            wrapped.truncate(most - 1);
            wrapped.push(clipped_text(&rest, width));
        }
        let gap = usize::from(inside.height).saturating_sub(lines.len() + wrapped.len());
        lines.extend((0..gap).map(|_| Line::default()));
        lines.extend(wrapped.into_iter().map(|text| Line::styled(text, look.dim())));
    }
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
    draw_lines(buffer, text, lines, 0);
}

fn draw_invitation(buffer: &mut Buffer, inside: Rect, look: Look<'_>) {
    const TEXT: &str = "No application. Enter picks a file: a PyTorch profiler trace (.json, .json.gz) or an Nsight Systems export \
                        (nsys export --type sqlite). Or start with roofswap --data trace.json.gz.";
    let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    draw_lines(buffer, text, paragraph(TEXT, usize::from(text.width), look.dim()), 0);
}

/// `GPU 1, range step, host 1.30x, trace.json.gz, NVIDIA H100 80GB HBM3`: what was chosen first, since the end is cut; without the
/// file, which the first line names, where there is no room for it.
fn heading(found: &ApplicationFindings, application: &Application, width: usize) -> String {
    let file = application.file_name();
    let gpu = if application.gpu_name.is_empty() { "GPU not named" } else { &application.gpu_name };
    let mut words = Vec::new();
    if application.devices.len() > 1 {
        words.push(format!("GPU {}", application.device_index));
    }
    words.extend(application.range.as_ref().map(|range| format!("range {range}")));
    if found.settings.host != ForecastSettings::default().host {
        words.push(format!("host {}×", significant(found.settings.host)));
    }
    words.extend([file.to_string(), gpu.to_string()]);
    if words.join(", ").width() > width {
        words.remove(words.len() - 2);
    }
    crate::text::harmless_line(&words.join(", "))
}

/// Lines inside the frame before the first group.
pub(super) fn first_group_line(state: &DashboardState) -> usize {
    let Some(application) = &state.application.application else { return 0 };
    // The window, the bars, their legend, the heading of the table.
    let bars = match &state.application.forecasts {
        Some(Ok(forecasts)) => forecasts.len().min(MOST_BARS) + 1,
        _ => 1,
    };
    usize::from(application.timeline.is_some()) + bars + 1
}

/// How many groups have room.
pub(super) fn groups_shown(state: &DashboardState, area: Rect) -> usize {
    let inside = usize::from(area.height.saturating_sub(2));
    inside.saturating_sub(first_group_line(state) + detail_lines(area)).max(1)
}

/// Lines for the group under the cursor.
fn detail_lines(area: Rect) -> usize {
    if area.height < 18 { 1 } else { 3 }
}

fn above_groups(
    state: &DashboardState,
    application: &Application,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
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
        let parts: Vec<String> =
            parts.map(|(name, time)| format!("{name} {}", percent(share(time)))).collect();
        let window = line.window.seconds();
        let text = format!("window {window}: {}", parts.join(", "));
        lines.push(Line::styled(clipped_text(&text, width), look.text()));
    }
    match &state.application.forecasts {
        Some(Ok(forecasts)) => lines.extend(bar_lines(state, application, forecasts, width, look)),
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

/// One bar per GPU, the source's first, and what the letters mean.
fn bar_lines(
    state: &DashboardState,
    application: &Application,
    forecasts: &[TargetForecast],
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let shown = &forecasts[..forecasts.len().min(MOST_BARS)];
    let longest = shown.iter().map(|f| f.time_range().value.0).fold(0.0, f64::max);
    let named = |f: &TargetForecast| state.session.gpus[f.target].short_name().width() + 1;
    let longest_name = shown.iter().map(named).max().unwrap_or(0);
    let name_width = longest_name.clamp(NAME.0, NAME.1.min(width / 4).max(NAME.0));
    let columns = width.saturating_sub(name_width + NUMBERS + 2).max(8);
    let mut used: Vec<&'static str> = Vec::new();
    let mut lines: Vec<Line<'static>> = Vec::new();
    for forecast in shown {
        let name = clipped_text(state.session.gpus[forecast.target].short_name(), name_width - 1);
        let mut spans = vec![Span::styled(pad_right(&name, name_width), look.text())];
        let (mut filled, mut until) = (0, 0.0);
        for part in bar_parts(application, forecast) {
            until += part.time.0;
            let end = ((until / longest.max(1e-12)) * columns as f64).round() as usize;
            let letters = end.min(columns).saturating_sub(filled);
            if letters > 0 {
                let text: String = std::iter::repeat_n(letter(part.name), letters).collect();
                spans.push(Span::styled(text, part_style(&part, look)));
                filled += letters;
                if !used.contains(&part.name) {
                    used.push(part.name);
                }
            }
        }
        spans.push(Span::raw(" ".repeat(columns - filled.min(columns) + 1)));
        spans.push(Span::styled(numbers(forecast), look.text()));
        lines.push(Line::from(spans));
    }
    let legend: Vec<String> = used.iter().map(|name| format!("{} {name}", letter(name))).collect();
    lines.push(Line::styled(clipped_text(&legend.join("  "), width), look.dim()));
    lines
}

/// `346 ms (185–655 ms) 0.462x`.
fn numbers(forecast: &TargetForecast) -> String {
    let (time, speedup) = (forecast.time_range(), forecast.overall_speedup());
    if time.low == time.high {
        return pad_left(&time.value.to_string(), 8);
    }
    let value = pad_left(&time.value.to_string(), 8);
    format!("{value} ({}) {}×", range(time.low, time.high), significant(speedup))
}

/// The forecasts of the groups on the first target that is not the program's own GPU.
fn first_target(state: &DashboardState) -> Option<&TargetForecast> {
    let forecasts = state.application.forecasts.as_ref()?.as_ref().ok()?;
    forecasts.get(1)
}

fn group_lines(
    state: &DashboardState,
    application: &Application,
    width: usize,
    shown: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let target = first_target(state);
    let start = page_start(state.application.cursor, shown, application.groups.len());
    let name_room = width.saturating_sub(if target.is_some() { 43 + ON_TARGET } else { 33 }).max(KERNEL);
    let names = application.groups.iter().skip(start).take(shown);
    let names: Vec<String> =
        names.map(|group| crate::text::harmless_line(&group.label_within(name_room))).collect();
    let name = names.iter().map(|name| name.width()).max().unwrap_or(0).clamp(KERNEL, name_room);
    // What the kernels leave makes the name of the GPU whole.
    let on = target.map_or("", |t| state.session.gpus[t.target].short_name());
    let on_width = on.width().clamp(ON_TARGET, ON_TARGET + name_room - name);
    let on = clipped_text(on, on_width);
    let mut head = format!(
        "{} {} {} {} {}",
        pad_right("kernel", name),
        pad_left("share", 7),
        pad_left("calls", 6),
        pad_left("total", 8),
        pad_left("mean", 8)
    );
    if target.is_some() {
        head.push_str(&format!(" {} {}", pad_left(&on, on_width), pad_left("speedup", 8)));
    }
    let mut lines = vec![Line::styled(clipped_text(&head, width), look.title())];
    for (place, group) in application.groups.iter().enumerate().skip(start).take(shown) {
        let label = &names[place - start];
        let mut text = format!(
            "{} {} {} {} {}",
            pad_right(&clipped_text(label, name), name),
            pad_left(&format!("{:.1} %", 100.0 * group.share), 7),
            pad_left(&group.calls.to_string(), 6),
            pad_left(&group.total.to_string(), 8),
            pad_left(&group.mean().to_string(), 8)
        );
        if let Some(forecast) = target.and_then(|t| t.groups.get(place)) {
            let speedup = group.mean() / forecast.time.value;
            let mark = if forecast.basis.is_predicted() { "" } else { "?" };
            let time = format!("{mark}{}", forecast.time.value);
            text.push_str(&format!(
                " {} {}",
                pad_left(&time, on_width),
                pad_left(&format!("{}×", significant(speedup)), 8)
            ));
        }
        let style = if place == state.application.cursor { look.selection() } else { look.text() };
        lines.push(Line::styled(pad_right(&clipped_text(&text, width), width), style));
    }
    lines
}

/// The group under the cursor: what its time on the target rests on, its operator, its counts.
fn detail(state: &DashboardState, application: &Application) -> Option<String> {
    let group = application.groups.get(state.application.cursor)?;
    let mut parts: Vec<String> = vec![group.category.as_str().to_string()];
    if let Some(forecast) = first_target(state).and_then(|t| t.groups.get(state.application.cursor)) {
        parts.push(rests_on(forecast));
    }
    parts.extend(group.operator_words());
    parts.extend(group.counts.as_ref().map(|c| format!("counts: {}", c.from)));
    Some(crate::text::harmless_line(&parts.join(", ")))
}

fn rests_on(forecast: &GroupForecast) -> String {
    let limit = forecast.limit.map(|l| format!(", limit {}", l.as_str())).unwrap_or_default();
    let reason = forecast.reason.as_ref().map(|r| format!(": {r}")).unwrap_or_default();
    let ends = range(forecast.time.low, forecast.time.high);
    format!("{}{limit} ({ends}){reason}", forecast.basis.as_str())
}
