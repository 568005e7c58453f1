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

use super::curves::{GAP, LEAST, LEAST_TABLE, draw_curves, has_room_for_curves, shows_curves};
use crate::answer::Answer;
use crate::gpu::Gpu;
use crate::kernel::BlockSize;
use crate::occupancy::{
    BestBlock, BlockNeeds, Change, LaunchRefusal, Occupancy, Resource, Rules, Waves, needed_for_one_more,
    next_step, occupancy, suggested_block, waves,
};
use crate::pair::Side;
use crate::predict::RegistersFrom;
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::panes::frame::pane_frame;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, more_targets, pad_left, paragraph, wrap, wrap_at_most};
use crate::units::significant;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// Width of the names, cut short and in full.
const NAMES: [usize; 2] = [10, 24];

/// From this width on the names stand in full beside two columns.
const ROOM_FOR_NAMES: usize = LEAST_TABLE as usize;

/// Width of the numbers beside curves, and how much wider it is for each further target.
const TABLE: u16 = 46;
const FURTHER_TABLE: u16 = 12;

/// A column narrower than this says nothing.
const LEAST_COLUMN: usize = 11;

/// A name, cut short for a narrow pane, and in full.
type LongAndShort = [&'static str; 2];

/// What a line is called beside so many columns at this width, and how wide that is.
fn name_at(names: LongAndShort, width: usize, columns: usize) -> (&'static str, usize) {
    let full = usize::from(width >= ROOM_FOR_NAMES + LEAST_COLUMN * columns.saturating_sub(2));
    (names[full], NAMES[full])
}

/// Columns of each number beside a name.
fn column_at(names: LongAndShort, width: usize, columns: usize) -> usize {
    width.saturating_sub(name_at(names, width, columns).1) / columns.max(1)
}

/// Draws the pane.
pub(super) fn draw_occupancy(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let beside = format!("{} rules", state.selection.settings.rules.as_str());
    let mut inside = pane_frame(buffer, area, state, Pane::Occupancy, &beside, look);
    if shows_curves(state) {
        let table = table_width(state, inside.width);
        let beside = table + GAP;
        let right = Rect { x: inside.x + beside, width: inside.width - beside, ..inside };
        draw_curves(buffer, right, state, look);
        inside.width = table;
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

/// Columns of the numbers beside curves: for further targets as much as leaves one curve its room.
fn table_width(state: &DashboardState, width: u16) -> u16 {
    let further = state.selection.targets.len().saturating_sub(1).min(8) as u16;
    let most = width.saturating_sub(GAP + LEAST.0).max(LEAST_TABLE);
    (TABLE + FURTHER_TABLE * further).min(most)
}

/// Numbers with their styles, one under each GPU.
type StyledCells = Vec<(String, Style)>;

fn cells_line(names: LongAndShort, cells: StyledCells, width: usize, look: Look<'_>) -> Line<'static> {
    let (name, room) = name_at(names, width, cells.len());
    let column = column_at(names, width, cells.len());
    let most = column.saturating_sub(1);
    let cells = cells.into_iter().map(|(text, style)| {
        // A unit that has no room stands at its number; the place of the mark is free for one that needs it, too.
        let text = match text.trim_end().rsplit_once(' ') {
            Some((number, unit)) if text.width() > most && unit.starts_with(char::is_alphabetic) => {
                format!("{number}{unit}  ")
            }
            _ => text,
        };
        let text = if text.width() > most { text.trim_end() } else { &text };
        Span::styled(pad_left(&clipped_text(text, most), column), style)
    });
    Line::from(
        std::iter::once(Span::styled(format!("{name:<room$}"), look.dim())).chain(cells).collect::<Vec<_>>(),
    )
}

/// How many GPUs have a column at this width: source and target always.
fn columns_at(width: usize) -> usize {
    (width.saturating_sub(NAMES[0]) / LEAST_COLUMN).max(2)
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

impl<'a> OccupancySide<'a> {
    /// A GPU as either side of an answer. `None` where the launch shape is not known.
    fn in_answer(gpu: &'a Gpu, answer: &'a Answer, side: Side) -> Option<Self> {
        let (needs, occupancy) = (answer.needs[side]?, answer.occupancy[side]?);
        let waves = answer.launch[side].and_then(|l| waves(gpu, &occupancy, l.block_count()));
        let registers = &answer.registers[side];
        Some(Self { gpu, needs, registers, occupancy, waves, rules: answer.settings.rules })
    }
}

/// Source, target and as many further targets as have a column; `None` where the launch shape is not known on the first two.
/// A further target that cannot launch it has no column: its refusal is said.
fn sides(state: &DashboardState, columns: usize) -> Option<Vec<OccupancySide<'_>>> {
    let pair = Side::ALL.map(|side| OccupancySide::in_answer(state.pair()[side], state.answer(), side));
    let mut all: Vec<_> = pair.known()?.into_iter().collect();
    let further = state.further_targets().into_iter();
    all.extend(
        further.filter_map(|t| OccupancySide::in_answer(t.gpu, t.answer, Side::Target)).take(columns - 2),
    );
    Some(all)
}

/// Whether every warp slot is taken, so that nothing is left to gain.
fn full(side: &OccupancySide<'_>) -> bool {
    side.occupancy.active_warps == side.occupancy.max_warps
}

/// What the pane says, most important first: it is cut at the bottom.
fn occupancy_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let sides = sides(state, columns_at(width));
    let gpus: Vec<&Gpu> = match &sides {
        Some(sides) => sides.iter().map(|side| side.gpu).collect(),
        None => state.pair().into_iter().collect(),
    };
    // What is changed of a launch is changed on every target.
    let is_edited = state.answer().edited_launch.is_some();
    let mark = |i: usize| if i > 0 && is_edited { "◇ " } else { "" };
    let most = column_at(["", ""], width, gpus.len()).saturating_sub(1);
    let name = |(gpu, i): (&&Gpu, usize)| {
        let short = state.column_name(gpu, most.saturating_sub(mark(i).width()));
        (format!("{}{short}", mark(i)), look.column(i))
    };
    let names = gpus.iter().zip(0..).map(name);
    let mut out = vec![cells_line(["", ""], names.collect(), width, look)];
    for (gpu, refusal) in launch_refusals(state) {
        let text = format!("{}: {refusal}", gpu.short_name());
        out.extend(wrap(&text, width).into_iter().map(|t| Line::styled(t, look.refusal())));
    }
    let Some(sides) = sides else {
        out.extend(paragraph("launch shape unknown: no occupancy", width, look.caution()));
        return out;
    };
    out.extend(columns_left_out(state, sides.len(), width, look));
    let all: Vec<Occupancy> = sides.iter().map(|s| s.occupancy).collect();
    // What everything below rests on, where nobody stated it.
    out.extend(
        unstated_block(state, &sides)
            .map(|texts| plain(["thr/block", "threads per block"], texts, width, look)),
    );
    out.extend(Resource::shown(&all).map(|resource| limit(resource, &all, width, look)));
    let plain = |(names, texts): NamedSides| plain(names, texts, width, look);
    out.push(plain((
        ["occupancy", "occupancy"],
        all.iter().map(|o| format!("{} %", significant(100.0 * o.fraction()))).collect(),
    )));
    out.extend(limiter_change([all[0], all[1]], width, look));
    out.extend(of_build(state, width, look));
    out.extend(sides.iter().zip(0..).flat_map(|(side, i)| next(side, [i, sides.len()], width, look)));
    out.extend(launch_lines(&sides).map(plain));
    out.extend(gets(&sides).map(plain));
    out.extend(asks(&sides).map(plain));
    out.extend(one_more(&sides).into_iter().map(plain));
    out
}

/// Which GPUs cannot launch the kernel, and why.
fn launch_refusals(state: &DashboardState) -> Vec<(&Gpu, LaunchRefusal)> {
    let pair = state.pair().into_iter().zip(state.answer().launch_refusal);
    let further = state.further_targets().into_iter().map(|t| (t.gpu, t.answer.launch_refusal.target));
    pair.chain(further).filter_map(|(gpu, refusal)| Some((gpu, refusal?))).collect()
}

/// How the targets without a column are seen.
fn columns_left_out(
    state: &DashboardState,
    shown: usize,
    width: usize,
    look: Look<'_>,
) -> Option<Line<'static>> {
    let answered = state.further_targets();
    let refused = answered.iter().filter(|t| t.answer.launch_refusal.target.is_some()).count();
    let missing = (state.selection.targets.len() + 1).saturating_sub(shown + refused);
    let [zoom, copy] = [Action::Zoom, Action::CopyCommand].map(|action| state.key_for(action));
    let is_zoomed = state.zoomed() == Some(Pane::Occupancy);
    let first = if is_zoomed && shows_curves(state) { format!("{zoom}, then ") } else { String::new() };
    let ways = match !is_zoomed && zoomed_columns(state) > shown {
        true => [format!("{zoom} in this pane"), zoom.to_string()],
        false => {
            [format!("{first}{copy} copies the command that prints all"), format!("{first}command on {copy}")]
        }
    };
    let forms = ways.map(|way| format!("{}: {way}", more_targets(missing)));
    let text = forms.iter().find(|text| text.width() <= width).unwrap_or(&forms[1]);
    (missing > 0).then(|| Line::styled(clipped_text(text, width), look.dim()))
}

/// How many GPUs have a column where the pane fills the screen.
fn zoomed_columns(state: &DashboardState) -> usize {
    let inside = state.size.0.saturating_sub(2);
    columns_at(usize::from(if has_room_for_curves(state) { table_width(state, inside) } else { inside }))
}

/// How many blocks a resource allows on either side, the limiter marked.
fn limit(resource: Resource, sides: &[Occupancy], width: usize, look: Look<'_>) -> Line<'static> {
    let cell = |side: &Occupancy| {
        let text = side.limit(resource).map_or("none".into(), |l| l.to_string());
        if side.is_limiter(resource) {
            (format!("{text} ◀"), look.limiter())
        } else {
            (format!("{text}  "), look.text())
        }
    };
    let names = match resource {
        Resource::Registers => ["by regs", "blocks by registers"],
        Resource::SharedMemory => ["by shared", "blocks by shared memory"],
        Resource::Warps => ["by warps", "blocks by warps"],
        Resource::Blocks => ["by slots", "blocks by block slots"],
        Resource::Barriers => ["by barrier", "blocks by barriers"],
    };
    cells_line(names, sides.iter().map(cell).collect(), width, look)
}

/// A name and what it is on each GPU.
type NamedSides = (LongAndShort, Vec<String>);

/// Plain numbers; the mark's two columns stay free, so that all numbers stand under each other.
fn plain(names: LongAndShort, texts: Vec<String>, width: usize, look: Look<'_>) -> Line<'static> {
    let cells = texts.into_iter().map(|t| (format!("{t}  "), look.text()));
    cells_line(names, cells.collect(), width, look)
}

/// `occupancy limit: warps → regs+warps`, where it is not the same on both sides.
fn limiter_change([a, b]: [Occupancy; 2], width: usize, look: Look<'_>) -> Option<Line<'static>> {
    a.limit_change_text(&b)?;
    let short = |resource: Resource| match resource {
        Resource::Registers => "regs",
        Resource::SharedMemory => "smem",
        other => other.as_str(),
    };
    let words = |o: Occupancy| o.limiters().map(short).collect::<Vec<_>>().join("+");
    let text = format!("{} → {}", words(a), words(b));
    let names = ["occupancy limit: ", "limit: "];
    let name = if names[0].width() + text.width() <= width { names[0] } else { names[1] };
    Some(Line::from(vec![
        Span::styled(name, look.dim()),
        Span::styled(clipped_text(&text, width.saturating_sub(name.width())), look.limiter()),
    ]))
}

/// The smallest change that puts more warps on the SM, in at most two lines.
fn next(
    side: &OccupancySide<'_>,
    [i, columns]: [usize; 2],
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let text = match next_step(&side.gpu.cuda.limits, side.needs, side.rules) {
        Some(step) => step.to_string(),
        None if full(side) => "at max occupancy".into(),
        None => "no single change raises it".into(),
    };
    let (head, room) = match i {
        0 => name_at(["S next ", "source next step"], width, columns),
        1 => name_at(["T next ", "target next step"], width, columns),
        _ => ("", name_at(["", ""], width, columns).1),
    };
    // One of several further targets is named.
    let named = format!("{} next ", clipped_text(side.gpu.short_name(), NAMES[1] - " next ".len()));
    let head = if i > 1 { &named } else { head };
    let room = if room == NAMES[0] { head.width() } else { room };
    let texts = wrap_at_most(&text, width.saturating_sub(room), 2).into_iter().enumerate();
    let line = |(n, text)| {
        let name = format!("{:<room$}", if n == 0 { head } else { "" });
        Line::from(vec![Span::styled(name, look.dim()), Span::styled(text, look.column(i))])
    };
    texts.map(line).collect()
}

/// What must be said of the build behind the resources, each once.
fn of_build(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let said = state.answer().of_builds();
    said.iter().flat_map(|caution| paragraph(&caution.to_string(), width, look.caution())).collect()
}

/// Threads per block of a kernel whose launch shape is unknown, marked where they are assumed.
fn unstated_block(state: &DashboardState, sides: &[OccupancySide<'_>]) -> Option<Vec<String>> {
    let unknown = state.answer().launch.iter().all(Option::is_none);
    let block = state.rows[state.selected].instance.block_size.filter(|_| unknown)?;
    let mark = if matches!(block, BlockSize::Assumed(_)) { "~" } else { "" };
    Some(sides.iter().map(|s| format!("{mark}{}", s.needs.threads)).collect())
}

/// How the grid falls on each GPU, and the block size that would suit it best.
fn launch_lines(sides: &[OccupancySide<'_>]) -> impl Iterator<Item = NamedSides> {
    let wave =
        |f: fn(Waves) -> String| sides.iter().map(|s| s.waves.map_or("-".into(), f)).collect::<Vec<_>>();
    let best = |f: fn(&BestBlock, &Gpu) -> String| {
        let of = |s: &OccupancySide<'_>| {
            suggested_block(&s.gpu.cuda.limits, s.needs, s.rules).map(|b| f(&b, s.gpu))
        };
        sides.iter().map(|s| of(s).unwrap_or("-".into())).collect::<Vec<_>>()
    };
    let number = |f: fn(&Occupancy) -> String| sides.iter().map(|s| f(&s.occupancy)).collect::<Vec<_>>();
    [
        (["warps/SM", "active warps per SM"], number(|o| format!("{}/{}", o.active_warps, o.max_warps))),
        (["blocks/SM", "active blocks per SM"], number(|o| o.active_blocks.to_string())),
        (["waves", "waves"], wave(|w| significant(w.waves))),
        (["last wave", "fill of the last wave"], wave(|w| format!("{} %", significant(100.0 * w.last_fill)))),
        (["idle SMs", "idle SMs in it"], wave(|w| w.idle_sms.to_string())),
        (["wave eff.", "wave efficiency"], wave(|w| format!("{} %", significant(100.0 * w.efficiency())))),
        (["suggested", "suggested block size"], best(|b, _| b.threads.to_string())),
        (["fill GPU", "blocks to fill the GPU"], best(|b, gpu| b.min_grid(gpu.sms.value).to_string())),
        (["per wave", "blocks per wave"], wave(|w| w.blocks_per_wave.to_string())),
    ]
    .into_iter()
}

/// What one block gets, in whole allocation units, and what an SM is set to.
fn gets(sides: &[OccupancySide<'_>]) -> impl Iterator<Item = NamedSides> {
    let of = |f: fn(&OccupancySide<'_>) -> String| sides.iter().map(f).collect::<Vec<_>>();
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
            sides.iter().map(|s| format!("{} B", reserve(s))).collect(),
        ));
    }
    all.push((
        ["smem/SM", "shared memory per SM"],
        of(|s| match s.occupancy.shared_memory_per_sm {
            bytes if bytes % 1024 == 0 => format!("{} KiB", bytes / 1024),
            bytes => format!("{} KiB", significant(f64::from(bytes) / 1024.0)),
        }),
    ));
    all.into_iter()
}

/// What one block asks for.
fn asks(sides: &[OccupancySide<'_>]) -> impl Iterator<Item = NamedSides> {
    let of = |f: fn(&BlockNeeds) -> String| sides.iter().map(|s| f(&s.needs)).collect::<Vec<_>>();
    [
        (["thr/block", "threads per block"], of(|n| n.threads.to_string())),
        (
            ["regs/thr", "registers per thread"],
            of(|n| if n.regs_per_thread == 0 { "unknown".into() } else { n.regs_per_thread.to_string() }),
        ),
        ([" from", "  registers from"], sides.iter().map(|s| s.registers.origin_text()).collect()),
        (["smem/blk", "shared memory per block"], of(|n| format!("{} B", n.smem()))),
    ]
    .into_iter()
}

/// What each limiting resource would have to fall to, for one block more; nothing where that alone does not gain it.
fn one_more(sides: &[OccupancySide<'_>]) -> Vec<NamedSides> {
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
    let row = |r: Resource| (name(r), sides.iter().map(|s| needed(s, r)).collect());
    Resource::ALL.into_iter().filter(limits).map(row).collect()
}
