//! The catalogue: S marks the source, T the target, + further targets; wide panes show the numbers too.
//!
//! ```text
//! ┌1 GPUs ──────────────┐
//! │ S TITAN V       7.0 │
//! │   RTX 2080 Ti   7.5 │
//! │ T RTX 4070      8.9 │
//! └─────────────────────┘
//! ```

use crate::gpu::{Ceilings, Gpu, GpuId};
use crate::predict::SourceKind;
use crate::report::shown;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::panes::frame::pane_frame;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_apart, clipped_text, pad_right};
use crate::units::significant;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// A column of numbers: heading, width, and what it shows of a GPU.
type GpuColumn = (&'static str, usize, fn(&Gpu, Ceilings) -> String);

/// In the order they appear as the pane grows.
/// From the ninth on, what models divide by; `~` where it follows from the architecture.
const COLUMNS: [GpuColumn; 15] = [
    ("cc", 5, |g, _| g.cuda.compute_capability.to_string()),
    ("TFLOP/s", 8, |g, c| significant(g.compute(c).value.0 / 1e12)),
    ("GB/s", 6, |g, c| significant(g.bandwidth(c).value.0 / 1e9)),
    ("SMs", 5, |g, _| g.sms.value.to_string()),
    ("MHz", 6, |g, _| format!("{:.0}", g.boost_clock.value.0 / 1e6)),
    ("L2 MiB", 7, |g, _| significant(g.l2_size.value.0 / 1_048_576.0)),
    ("W", 5, |g, _| format!("{:.0}", g.power_limit.value.0)),
    ("year", 6, |g, _| g.launch_year.to_string()),
    ("FP32 sust.", 11, |g, _| shown::constant(g.fp32_sustained().value.0 / 1e12, g.fp32_sustained().origin)),
    ("DRAM sust.", 11, |g, _| {
        shown::constant(g.bandwidth_sustained().value.0 / 1e9, g.bandwidth_sustained().origin)
    }),
    ("L2 GB/s", 8, |g, _| {
        shown::constant(g.l2_bandwidth_or_derived().value.0 / 1e9, g.l2_bandwidth_or_derived().origin)
    }),
    ("LD/ST", 7, |g, _| shown::constant(g.sm.lsu_lanes.value, g.sm.lsu_lanes.origin)),
    ("loads/clk", 10, |g, _| shown::constant(g.sm.global_per_clock.value, g.sm.global_per_clock.origin)),
    ("sh B/clk", 9, |g, _| {
        shown::constant(g.sm.shared_bytes_per_clock.value, g.sm.shared_bytes_per_clock.origin)
    }),
    ("issue", 6, |g, _| shown::constant(g.sm.issue_per_clock.value, g.sm.issue_per_clock.origin)),
];

/// From this width on a narrow list shows the speedup on each GPU.
const ROOM_FOR_SPEEDUP: usize = 22;

/// From this width on a list shows numbers of the GPUs.
const ROOM_FOR_NUMBERS: usize = 60;

/// The narrowest a name gets before number columns come.
const NAME: usize = 12;

fn columns(width: usize) -> &'static [GpuColumn] {
    // Further columns come only when the longest names stay readable.
    let fits = |n: usize| {
        COLUMNS[..n].iter().map(|c| c.1).sum::<usize>() + 3 + if n > 1 { 22 } else { NAME } <= width
    };
    // A narrow list is the narrow board: a speedup on each GPU.
    let most = if width < ROOM_FOR_NUMBERS { 1 } else { COLUMNS.len() };
    let n = (0..=most).rev().find(|n| fits(*n)).unwrap_or(0);
    &COLUMNS[..n]
}

/// Whether a heading stands above the first GPU: where there are several columns.
pub(super) fn has_heading(area: Rect) -> bool {
    columns(usize::from(area.width.saturating_sub(2))).len() > 1
}

/// GPUs on one page.
pub(super) fn gpus_in(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(2)).saturating_sub(usize::from(has_heading(area))).max(1)
}

/// Draws the pane.
pub(super) fn draw_gpus(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let all = state.session.listed_gpus().count();
    let beside = match state.gpus.len() {
        n if n == all || state.gpu_filter.is_empty() => n.to_string(),
        n => format!("{n}/{all} “{}”", state.gpu_filter),
    };
    let inside = pane_frame(buffer, area, state, Pane::Gpus, &beside, look);
    let width = usize::from(inside.width);
    let columns = columns(width);
    let mut y = inside.y;
    if has_heading(area) {
        let heads: String = columns.iter().map(|(head, w, _)| format!("{head:>w$}")).collect();
        Line::styled(format!("{:>width$}", heads), look.dim())
            .render(Rect { y, height: 1, ..inside }, buffer);
        y += 1;
    }
    if state.gpus.is_empty() && inside.height > 0 {
        let text = clipped_text("none; Esc clears", width);
        Line::styled(text, look.caution()).render(Rect { y, height: 1, ..inside }, buffer);
    }
    let start = page_start(state.gpu_cursor, gpus_in(area), state.gpus.len());
    for (i, gpu) in state.gpus.iter().enumerate().skip(start).take(gpus_in(area)) {
        let under = state.focus == Pane::Gpus && i == state.gpu_cursor;
        let row = Rect { y, height: 1, ..inside };
        gpu_line(state, *gpu, i == state.gpu_cursor, width, columns, look).render(row, buffer);
        if under {
            buffer.set_style(row, look.selection());
        }
        y += 1;
    }
}

/// The speedup of the selected kernel there: of targets that of its row, of other GPUs as the board has it, with the mark of a
/// measured time where it is that of one.
fn speedup(state: &DashboardState, gpu: GpuId) -> String {
    let of_row = if gpu == state.target() {
        shown::speedup(state.answer())
    } else {
        state
            .further_targets()
            .into_iter()
            .find(|t| t.answer.target == gpu)
            .and_then(|t| shown::speedup(t.answer))
    };
    let of_board = || {
        let row = state.ranked.row_of(gpu)?;
        let text = row.speedup_text()?;
        let mark = if row.is_measured { SourceKind::Measured.mark() } else { ' ' };
        Some(format!("{text}{mark}"))
    };
    let text = of_row.map(|text| format!("{text} ")).or_else(of_board);
    text.map_or_else(String::new, |text| format!("{text:>8}"))
}

fn gpu_line(
    state: &DashboardState,
    at: GpuId,
    cursor: bool,
    width: usize,
    columns: &[GpuColumn],
    look: Look<'_>,
) -> Line<'static> {
    let gpu = &state.session.gpus[at];
    let (is_source, is_target) = (at == state.selection.source, at == state.target());
    let (mark, style) = match (is_source, is_target) {
        (true, true) => ("ST", look.source()),
        (true, false) => ("S", look.source()),
        (false, true) => ("T", look.target()),
        _ if state.selection.targets.contains(&at) => ("+", look.target()),
        _ => (" ", look.text()),
    };
    let narrow = columns.len() <= 1;
    let numbers: String = if narrow && width >= ROOM_FOR_SPEEDUP {
        speedup(state, at)
    } else {
        let show = |(_, w, show): &GpuColumn| format!("{:>w$}", show(gpu, state.selection.settings.ceilings));
        columns.iter().map(show).collect()
    };
    let name_width = width.saturating_sub(3 + numbers.width());
    let names = state.gpus.iter().map(|gpu| state.session.gpus[*gpu].short_name());
    let room = name_width.saturating_sub(usize::from(!numbers.is_empty()));
    let name = clipped_apart(gpu.short_name(), names, room);
    Line::from(vec![
        Span::styled(format!("{mark:<2}"), style),
        Span::styled(if cursor { "▸" } else { " " }, look.key()),
        Span::styled(pad_right(&name, name_width), style),
        Span::styled(numbers, if is_source || is_target { style } else { look.dim() }),
    ])
}
