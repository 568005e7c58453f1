//! Occupancy on source and target side by side: every limit with its block count, the limiter marked, waves and tail, the
//! next step.
//!
//! ```text
//! ┌3 Occupancy ──────────────────┐
//! │              TITAN V RTX 4070│
//! │ registers       2 ◀      1 ◀ │
//! │ active      2x32/64  1x32/48 │
//! └──────────────────────────────┘
//! ```

use super::border::pane_frame;
use crate::occupancy::{Resource, next_step, waves};
use crate::tui::canvas;
use crate::tui::export::occupancy_spec;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::text::{clip, wrap};
use crate::units::significant;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Width of the names.
const NAMES: usize = 10;

/// Draws the pane.
pub fn view(buffer: &mut Buffer, area: Rect, state: &State, look: Look<'_>) {
    let beside = format!("rules {}", state.selection.settings.rules.word());
    let mut inside = pane_frame(buffer, area, state, Pane::Occupancy, &beside, look);
    if state.zoomed().is_some() && inside.width >= 76 {
        let bars = Rect { x: inside.x + 48, width: inside.width - 48, ..inside };
        canvas::bars(buffer, bars, &occupancy_spec(state), look);
        inside.width = 46;
    }
    for (y, line) in (inside.y..inside.bottom()).zip(lines(state, usize::from(inside.width), look)) {
        line.render(Rect { y, height: 1, ..inside }, buffer);
    }
}

/// Two numbers with their styles, under the two GPUs.
type Pair = [(String, Style); 2];

fn row(name: &str, pair: Pair, width: usize, look: Look<'_>) -> Line<'static> {
    let column = width.saturating_sub(NAMES) / 2;
    let [a, b] = pair;
    Line::from(vec![
        Span::styled(format!("{name:<NAMES$}"), look.dim()),
        Span::styled(format!("{:>column$}", clip(&a.0, column.saturating_sub(1))), a.1),
        Span::styled(format!("{:>column$}", clip(&b.0, column.saturating_sub(1))), b.1),
    ])
}

/// What the pane says, most important first: it is cut at the bottom.
fn lines(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let answer = state.answer();
    let gpus = state.pair();
    let mut out =
        vec![row("", [0, 1].map(|i| (gpus[i].short_name().to_string(), look.side(i))), width, look)];
    for (i, refusal) in answer.launch_refusal.iter().enumerate().filter_map(|(i, r)| r.map(|r| (i, r))) {
        let text = format!("{}: {refusal}", gpus[i].short_name());
        out.extend(wrap(&text, width).into_iter().map(|t| Line::styled(t, look.refusal())));
    }
    let [Some(a), Some(b)] = answer.occupancy else {
        out.push(Line::styled(clip("launch shape unknown: no occupancy", width), look.caution()));
        return out;
    };
    let sides = [a, b];
    for resource in Resource::ALL {
        let cell = |i: usize| {
            let text = sides[i].limit(resource).map_or("none".into(), |l| l.to_string());
            if sides[i].is_limiter(resource) {
                (format!("{text} ◀"), look.limiter())
            } else {
                (format!("{text}  "), look.text())
            }
        };
        out.push(row(resource.word(), [cell(0), cell(1)], width, look));
    }
    let both = |f: &dyn Fn(usize) -> String| [0, 1].map(|i| (format!("{}  ", f(i)), look.text()));
    out.push(row(
        "warps/SM",
        both(&|i| format!("{}/{}", sides[i].active_warps, sides[i].max_warps)),
        width,
        look,
    ));
    out.push(row("occupancy", both(&|i| format!("{:.0} %", 100.0 * sides[i].fraction())), width, look));
    let next = |i: usize| {
        answer.needs[i].and_then(|n| next_step(&gpus[i].limits, n, state.selection.settings.rules))
    };
    for i in [0, 1] {
        let text = next(i).map_or("no one change helps".into(), |s| s.to_string());
        let label = if i == 0 { "next S " } else { "next T " };
        out.push(Line::from(vec![
            Span::styled(label, look.dim()),
            Span::styled(clip(&text, width.saturating_sub(7)), look.side(i)),
        ]));
    }
    let wave = |i: usize| answer.launch.and_then(|l| waves(gpus[i], &sides[i], l.blocks()));
    let of_wave = |f: fn(crate::occupancy::Waves) -> String| {
        [0, 1].map(|i| (wave(i).map_or("-  ".into(), |w| format!("{}  ", f(w))), look.text()))
    };
    out.push(row("waves", of_wave(|w| significant(w.waves)), width, look));
    out.push(row("tail", of_wave(|w| format!("{:.0} %", 100.0 * w.tail)), width, look));
    out.push(row("blk/wave", of_wave(|w| w.blocks_per_wave.to_string()), width, look));
    out.push(row("blk/SM", both(&|i| sides[i].active_blocks.to_string()), width, look));
    if let [Some(n), Some(m)] = answer.needs {
        let regs = |r: u32| if r == 0 { "unknown  ".into() } else { format!("{r}  ") };
        out.push(row(
            "regs/thr",
            [(regs(n.regs_per_thread), look.text()), (regs(m.regs_per_thread), look.text())],
            width,
            look,
        ));
        let smem =
            |n: crate::occupancy::BlockNeeds| format!("{} B  ", n.smem_static.saturating_add(n.smem_dynamic));
        out.push(row("smem/blk", [(smem(n), look.text()), (smem(m), look.text())], width, look));
        out.push(row("thr/block", both(&|i| [n, m][i].threads.to_string()), width, look));
    }
    out
}
