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
use crate::kernel::BlockSize;
use crate::occupancy::{Occupancy, Resource, Waves, next_step, waves};
use crate::predict::Caution;
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
    let names = [0, 1].map(|i| (gpus[i].short_name().to_string(), look.side(i)));
    let mut out = vec![row("", names, width, look)];
    for (gpu, refusal) in gpus.iter().zip(answer.launch_refusal).filter_map(|(g, r)| r.map(|r| (g, r))) {
        let text = format!("{}: {refusal}", gpu.short_name());
        out.extend(wrap(&text, width).into_iter().map(|t| Line::styled(t, look.refusal())));
    }
    let [Some(a), Some(b)] = answer.occupancy else {
        out.push(Line::styled(clip("launch shape unknown: no occupancy", width), look.caution()));
        return out;
    };
    // What everything below rests on, where nobody stated it.
    out.extend(unstated_block(state).map(|texts| plain("thr/block", texts, width, look)));
    out.extend(Resource::shown(&[a, b]).map(|resource| limit(resource, [a, b], width, look)));
    out.extend(resident([a, b]).map(|(name, texts)| plain(name, texts, width, look)));
    let mut said: Vec<&Caution> = Vec::new();
    for caution in answer.build.iter().flatten() {
        if !said.contains(&caution) {
            said.push(caution);
            out.extend(
                wrap(&caution.to_string(), width).into_iter().map(|t| Line::styled(t, look.caution())),
            );
        }
    }
    out.extend([0, 1].map(|side| next(state, side, width, look)));
    out.extend(launch(state, [a, b]).into_iter().map(|(name, texts)| plain(name, texts, width, look)));
    out
}

/// How many blocks a resource allows on either side, the limiter marked.
fn limit(resource: Resource, sides: [Occupancy; 2], width: usize, look: Look<'_>) -> Line<'static> {
    let cell = |side: Occupancy| {
        let text = side.limit(resource).map_or("none".into(), |l| l.to_string());
        if side.is_limiter(resource) {
            (format!("{text} ◀"), look.limiter())
        } else {
            (format!("{text}  "), look.text())
        }
    };
    row(resource.word(), sides.map(cell), width, look)
}

/// A name and what it is on source and target.
type Named = (&'static str, [String; 2]);

/// Two plain numbers; the mark's two columns stay free, so that all numbers stand under each other.
fn plain(name: &str, texts: [String; 2], width: usize, look: Look<'_>) -> Line<'static> {
    row(name, texts.map(|t| (format!("{t}  "), look.text())), width, look)
}

/// Active warps and occupancy.
fn resident(sides: [Occupancy; 2]) -> [Named; 2] {
    [
        ("warps/SM", sides.map(|o| format!("{}/{}", o.active_warps, o.max_warps))),
        ("occupancy", sides.map(|o| format!("{:.0} %", 100.0 * o.fraction()))),
    ]
}

/// The smallest change that lets one more block in.
fn next(state: &State, side: usize, width: usize, look: Look<'_>) -> Line<'static> {
    let rules = state.selection.settings.rules;
    let step = state.answer().needs[side].and_then(|n| next_step(&state.pair()[side].limits, n, rules));
    let text = step.map_or("no one change helps".into(), |s| s.to_string());
    Line::from(vec![
        Span::styled(if side == 0 { "next S " } else { "next T " }, look.dim()),
        Span::styled(clip(&text, width.saturating_sub(7)), look.side(side)),
    ])
}

/// Threads per block of a kernel whose launch shape is unknown, marked where they are assumed.
fn unstated_block(state: &State) -> Option<[String; 2]> {
    let answer = state.answer();
    let block = state.rows[state.selected].instance.block_size.filter(|_| answer.launch.is_none())?;
    let mark = if matches!(block, BlockSize::Assumed(_)) { "~" } else { "" };
    let [Some(a), Some(b)] = answer.needs else { return None };
    Some([a, b].map(|n| format!("{mark}{}", n.threads)))
}

/// Waves and tail of the grid, then what one block asks for.
fn launch(state: &State, sides: [Occupancy; 2]) -> Vec<Named> {
    let answer = state.answer();
    let gpus = state.pair();
    let wave = |i: usize| answer.launch.and_then(|l| waves(gpus[i], &sides[i], l.blocks()));
    let of_wave = |f: fn(Waves) -> String| [0, 1].map(|i| wave(i).map_or("-".into(), f));
    let mut all = vec![
        ("waves", of_wave(|w| significant(w.waves))),
        ("tail", of_wave(|w| format!("{:.0} %", 100.0 * w.tail))),
        ("blk/wave", of_wave(|w| w.blocks_per_wave.to_string())),
        ("blk/SM", sides.map(|o| o.active_blocks.to_string())),
    ];
    if let [Some(source), Some(target)] = answer.needs {
        let needs = [source, target];
        let regs = |r: u32| if r == 0 { "unknown".into() } else { r.to_string() };
        all.push(("regs/thr", needs.map(|n| regs(n.regs_per_thread))));
        all.push(("smem/blk", needs.map(|n| format!("{} B", n.smem_static.saturating_add(n.smem_dynamic)))));
        if answer.launch.is_some() {
            all.push(("thr/block", needs.map(|n| n.threads.to_string())));
        }
    }
    all
}
