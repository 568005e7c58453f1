//! Occupancy on source and target side by side: every limit with its block count, the limiter and its change marked, the
//! next step, waves and tail, what a block gets. Zoomed, with the curves beside it.
//!
//! ```text
//! ┌3 Occupancy ──────────────────┐
//! │             TITAN V RTX 4070 │
//! │ registers       2 ◀      1 ◀ │
//! │ occupancy     100 %     67 % │
//! │ limited by regs+warps → regs │
//! └──────────────────────────────┘
//! ```

use super::curves::{draw_curves, shows_curves};
use crate::gpu::Gpu;
use crate::kernel::BlockSize;
use crate::occupancy::{
    BestBlock, BlockNeeds, Change, Occupancy, Resource, Rules, Waves, best_block, needed_for_one_more,
    next_step, occupancy, waves,
};
use crate::predict::RegistersFrom;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::panes::frame::pane_frame;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, paragraph, wrap};
use crate::units::significant;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

/// Width of the names, cut short and in full.
const NAMES: [usize; 2] = [10, 24];

/// From this width on the names stand in full.
const ROOM_FOR_NAMES: usize = 42;

/// Width of the numbers beside curves.
const TABLE: u16 = 46;

/// A name, cut short for a narrow pane, and in full.
type LongAndShort = [&'static str; 2];

/// What a line is called at this width, and how wide that is.
fn name_at(names: LongAndShort, width: usize) -> (&'static str, usize) {
    let full = usize::from(width >= ROOM_FOR_NAMES);
    (names[full], NAMES[full])
}

/// Draws the pane.
pub(super) fn draw_occupancy(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let beside = format!("{} rules", state.selection.settings.rules.as_str());
    let mut inside = pane_frame(buffer, area, state, Pane::Occupancy, &beside, look);
    if shows_curves(state) {
        let right = Rect { x: inside.x + TABLE + 2, width: inside.width - TABLE - 2, ..inside };
        draw_curves(buffer, right, state, look);
        inside.width = TABLE;
    }
    let mut all = occupancy_lines(state, usize::from(inside.width), look);
    let page = usize::from(inside.height);
    let below = all.len().saturating_sub(page);
    if below > 0 && state.table_end {
        all.drain(..below);
    } else if below > 0 && state.focus == Pane::Occupancy {
        // The line that says so takes one away.
        all.truncate(page.saturating_sub(1));
        all.push(Line::styled(
            clipped_text(&format!("{} more lines: PgDn", below + 1), usize::from(inside.width)),
            look.dim(),
        ));
    }
    for (y, line) in (inside.y..inside.bottom()).zip(all) {
        line.render(Rect { y, height: 1, ..inside }, buffer);
    }
}

/// Two numbers with their styles, under the two GPUs.
type StyledPair = [(String, Style); 2];

fn pair_line(names: LongAndShort, pair: StyledPair, width: usize, look: Look<'_>) -> Line<'static> {
    let (name, room) = name_at(names, width);
    let column = width.saturating_sub(room) / 2;
    let [a, b] = pair;
    Line::from(vec![
        Span::styled(format!("{name:<room$}"), look.dim()),
        Span::styled(format!("{:>column$}", clipped_text(&a.0, column.saturating_sub(1))), a.1),
        Span::styled(format!("{:>column$}", clipped_text(&b.0, column.saturating_sub(1))), b.1),
    ])
}

/// One GPU, what a block asks of it and what that comes to.
struct OccupancySide<'a> {
    gpu: &'a Gpu,
    needs: BlockNeeds,
    registers: &'a RegistersFrom,
    occupancy: Occupancy,
    waves: Option<Waves>,
    rules: Rules,
}

/// Both sides; `None` where the launch shape is not known.
fn sides(state: &DashboardState) -> Option<[OccupancySide<'_>; 2]> {
    let answer = state.answer();
    let of = |i: usize| {
        let (gpu, needs, occupancy) = (state.pair()[i], answer.needs[i]?, answer.occupancy[i]?);
        let waves = answer.launch[i].and_then(|l| waves(gpu, &occupancy, l.block_count()));
        let registers = &answer.registers[i];
        Some(OccupancySide { gpu, needs, registers, occupancy, waves, rules: answer.settings.rules })
    };
    Some([of(0)?, of(1)?])
}

/// Whether every warp slot is taken, so that nothing is left to gain.
fn full(side: &OccupancySide<'_>) -> bool {
    side.occupancy.active_warps == side.occupancy.max_warps
}

/// What the pane says, most important first: it is cut at the bottom.
fn occupancy_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let gpus = state.pair();
    let is_edited = state.answer().edited_launch.is_some();
    let mark = |i: usize| if i == 1 && is_edited { "◇ " } else { "" };
    let names = [0, 1].map(|i| (format!("{}{}", mark(i), gpus[i].short_name()), look.side(i)));
    let mut out = vec![pair_line(["", ""], names, width, look)];
    let refusals = state.answer().launch_refusal;
    for (gpu, refusal) in gpus.iter().zip(refusals).filter_map(|(g, r)| r.map(|r| (g, r))) {
        let text = format!("{}: {refusal}", gpu.short_name());
        out.extend(wrap(&text, width).into_iter().map(|t| Line::styled(t, look.refusal())));
    }
    let Some(sides) = sides(state) else {
        out.push(Line::styled(clipped_text("launch shape unknown: no occupancy", width), look.caution()));
        return out;
    };
    let both = sides.each_ref().map(|s| s.occupancy);
    // What everything below rests on, where nobody stated it.
    out.extend(
        unstated_block(state, &sides)
            .map(|texts| plain(["thr/block", "threads per block"], texts, width, look)),
    );
    out.extend(Resource::shown(&both).map(|resource| limit(resource, both, width, look)));
    let plain = |(names, texts): NamedSides| plain(names, texts, width, look);
    out.push(plain((
        ["occupancy", "occupancy"],
        both.map(|o| format!("{} %", significant(100.0 * o.fraction()))),
    )));
    out.extend(limiter_change(both, width, look));
    out.extend(of_build(state, width, look));
    out.extend((0..2).flat_map(|i| next(&sides[i], i, width, look)));
    out.extend(launch_lines(&sides).map(plain));
    out.extend(gets(&sides).map(plain));
    out.extend(asks(&sides).map(plain));
    out.extend(one_more(&sides).into_iter().map(plain));
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
    let full = match resource {
        Resource::Registers => "blocks by registers",
        Resource::SharedMemory => "blocks by shared memory",
        Resource::Warps => "blocks by warps",
        Resource::Blocks => "blocks by block slots",
        Resource::Barriers => "blocks by barriers",
    };
    pair_line([resource.as_str(), full], sides.map(cell), width, look)
}

/// A name and what it is on source and target.
type NamedSides = (LongAndShort, [String; 2]);

/// Two plain numbers; the mark's two columns stay free, so that all numbers stand under each other.
fn plain(names: LongAndShort, texts: [String; 2], width: usize, look: Look<'_>) -> Line<'static> {
    pair_line(names, texts.map(|t| (format!("{t}  "), look.text())), width, look)
}

/// `limited by warps → regs+warps`, where it is not the same on both sides.
fn limiter_change([a, b]: [Occupancy; 2], width: usize, look: Look<'_>) -> Option<Line<'static>> {
    a.limiter_change(&b)?;
    let short = |resource: Resource| match resource {
        Resource::Registers => "regs",
        Resource::SharedMemory => "smem",
        other => other.as_str(),
    };
    let words = |o: Occupancy| o.limiters().map(short).collect::<Vec<_>>().join("+");
    let text = format!("{} → {}", words(a), words(b));
    Some(Line::from(vec![
        Span::styled("limited by ", look.dim()),
        Span::styled(clipped_text(&text, width.saturating_sub(11)), look.limiter()),
    ]))
}

/// The smallest change that puts more warps on the SM, in at most two lines.
fn next(side: &OccupancySide<'_>, i: usize, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let text = match next_step(&side.gpu.cuda.limits, side.needs, side.rules) {
        Some(step) => step.to_string(),
        None if full(side) => "at max occupancy".into(),
        None => "no single change raises it".into(),
    };
    let (head, room) = name_at([["S next ", "source next step"], ["T next ", "target next step"]][i], width);
    let room = if room == NAMES[0] { head.len() } else { room };
    let texts = wrap(&text, width.saturating_sub(room)).into_iter().take(2).enumerate();
    let line = |(n, text)| {
        let name = format!("{:<room$}", if n == 0 { head } else { "" });
        Line::from(vec![Span::styled(name, look.dim()), Span::styled(text, look.side(i))])
    };
    texts.map(line).collect()
}

/// What must be said of the build behind the resources, each once.
fn of_build(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let said = state.answer().of_builds();
    said.iter().flat_map(|caution| paragraph(&caution.to_string(), width, look.caution())).collect()
}

/// Threads per block of a kernel whose launch shape is unknown, marked where they are assumed.
fn unstated_block(state: &DashboardState, sides: &[OccupancySide<'_>; 2]) -> Option<[String; 2]> {
    let unknown = state.answer().launch.iter().all(Option::is_none);
    let block = state.rows[state.selected].instance.block_size.filter(|_| unknown)?;
    let mark = if matches!(block, BlockSize::Assumed(_)) { "~" } else { "" };
    Some(sides.each_ref().map(|s| format!("{mark}{}", s.needs.threads)))
}

/// How the grid falls on each GPU, and the block size that would suit it best.
fn launch_lines(sides: &[OccupancySide<'_>; 2]) -> impl Iterator<Item = NamedSides> {
    let wave = |f: fn(Waves) -> String| sides.each_ref().map(|s| s.waves.map_or("-".into(), f));
    let best = |f: fn(&BestBlock, &Gpu) -> String| {
        let of =
            |s: &OccupancySide<'_>| best_block(&s.gpu.cuda.limits, s.needs, s.rules).map(|b| f(&b, s.gpu));
        sides.each_ref().map(|s| of(s).unwrap_or("-".into()))
    };
    [
        (
            ["warps/SM", "active warps per SM"],
            sides.each_ref().map(|s| format!("{}/{}", s.occupancy.active_warps, s.occupancy.max_warps)),
        ),
        (
            ["blocks/SM", "active blocks per SM"],
            sides.each_ref().map(|s| s.occupancy.active_blocks.to_string()),
        ),
        (["waves", "waves"], wave(|w| significant(w.waves))),
        (["last wave", "fill of the last wave"], wave(|w| format!("{} %", significant(100.0 * w.last_fill)))),
        (["idle SMs", "idle SMs in it"], wave(|w| w.idle_sms.to_string())),
        (["wave eff.", "wave efficiency"], wave(|w| format!("{} %", significant(100.0 * w.efficiency())))),
        (["sugg. blk", "suggested block size"], best(|b, _| b.threads.to_string())),
        (["fill GPU", "blocks to fill the GPU"], best(|b, gpu| b.min_grid(gpu.sms.value).to_string())),
        (["blk/wave", "blocks per wave"], wave(|w| w.blocks_per_wave.to_string())),
    ]
    .into_iter()
}

/// What one block gets, in whole allocation units, and what an SM is set to.
fn gets(sides: &[OccupancySide<'_>; 2]) -> impl Iterator<Item = NamedSides> {
    let of = |f: fn(&OccupancySide<'_>) -> String| sides.each_ref().map(f);
    let reserve =
        |s: &OccupancySide<'_>| if s.rules == Rules::Exact { s.gpu.cuda.limits.smem_reserved } else { 0 };
    let mut all = vec![
        (["alloc regs", "allocated registers"], of(|s| s.occupancy.allocated_registers.to_string())),
        (
            ["alloc smem", "allocated shared memory"],
            of(|s| format!("{} B", s.occupancy.allocated_shared_memory)),
        ),
    ];
    if sides.iter().any(|s| reserve(s) > 0) {
        all.push((
            [" reserved", "reserved by the driver"],
            sides.each_ref().map(|s| format!("{} B", reserve(s))),
        ));
    }
    all.push((
        ["smem/SM", "shared memory per SM"],
        of(|s| format!("{} KiB", significant(f64::from(s.occupancy.shared_memory_per_sm) / 1024.0))),
    ));
    all.into_iter()
}

/// What one block asks for.
fn asks(sides: &[OccupancySide<'_>; 2]) -> impl Iterator<Item = NamedSides> {
    let of = |f: fn(&BlockNeeds) -> String| sides.each_ref().map(|s| f(&s.needs));
    [
        (["thr/block", "threads per block"], of(|n| n.threads.to_string())),
        (
            ["regs/thr", "registers per thread"],
            of(|n| if n.regs_per_thread == 0 { "unknown".into() } else { n.regs_per_thread.to_string() }),
        ),
        ([" from", "  registers from"], sides.each_ref().map(|s| s.registers.origin_text())),
        (["smem/blk", "shared memory per block"], of(|n| format!("{} B", n.smem()))),
    ]
    .into_iter()
}

/// What each limiting resource would have to fall to, for one block more; nothing where that alone does not gain it.
fn one_more(sides: &[OccupancySide<'_>; 2]) -> Vec<NamedSides> {
    let limits = |r: &Resource| sides.iter().any(|s| s.occupancy.is_limiter(*r) && !full(s));
    let needed = |s: &OccupancySide<'_>, resource: Resource| {
        // Where something else limits as well, one change alone gains nothing: the next step says which do together.
        let gains = |c: &Change| {
            let then = occupancy(&s.gpu.cuda.limits, c.applied(s.needs), s.rules);
            then.active_blocks > s.occupancy.active_blocks || then.active_warps > s.occupancy.active_warps
        };
        let limiter = Some(s).filter(|s| s.occupancy.is_limiter(resource) && !full(s));
        let change = limiter
            .and_then(|s| needed_for_one_more(&s.gpu.cuda.limits, s.needs, s.rules, resource))
            .filter(gains);
        change
            .map_or("-".into(), |c| c.to_string().split_once('→').map_or(String::new(), |(_, to)| to.into()))
    };
    let name = |resource: Resource| match resource {
        Resource::Registers => ["+1 blk:reg", "registers for +1 block"],
        Resource::SharedMemory => ["+1 blk:shm", "shared mem for +1 block"],
        Resource::Warps => ["+1 blk:thr", "threads for +1 block"],
        Resource::Blocks => ["more warps", "threads for more warps"],
        Resource::Barriers => ["+1 blk:bar", "barriers for +1 block"],
    };
    let row = |r: Resource| (name(r), sides.each_ref().map(|s| needed(s, r)));
    Resource::ALL.into_iter().filter(limits).map(row).collect()
}
