//! Occupancy as a curve: over block size, registers and shared memory, and how well the waves of a grid fill a GPU over the
//! problem size, on source and target in one chart.
//!
//! ```text
//! 100 ┤────────┐             source ─── target ╌╌╌
//!     │╌╌╌╌╌┐  └────S──┐     the chosen block marked on both
//!   0 └─────┴──────────┴──
//! ```

use super::curve_view::{CurveView, chosen, dash, percent, side_name};
use super::wave_curve::{of_size, wave_of};
use super::{Axis, ChartSpec, Mark, Meaning, Scale, caption};
use crate::occupancy::{Over, sweep};
use crate::pair::Side;

/// What occupancy or wave efficiency is drawn over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Curve {
    /// Occupancy over threads per block.
    #[default]
    Block,
    /// Occupancy over registers per thread.
    Registers,
    /// Occupancy over shared memory per block.
    SharedMemory,
    /// Wave efficiency over the problem size.
    Size,
}

impl Curve {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 4] = [Self::Block, Self::Registers, Self::SharedMemory, Self::Size];

    /// What it is called on screen.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Block => "occupancy % / block size",
            Self::Registers => "occupancy % / registers",
            Self::SharedMemory => "occupancy % / shared memory",
            Self::Size => "wave efficiency % / problem size",
        }
    }

    /// The word in file names.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Registers => "registers",
            Self::SharedMemory => "shared-memory",
            Self::Size => "size",
        }
    }

    fn over(self) -> Option<Over> {
        match self {
            Self::Block => Some(Over::Block),
            Self::Registers => Some(Over::Registers),
            Self::SharedMemory => Some(Over::SharedMemory),
            Self::Size => None,
        }
    }
}

/// Draws one curve.
#[must_use]
pub fn curve_chart(view: &CurveView<'_>, curve: Curve) -> ChartSpec {
    let (x, marks) = match curve.over() {
        Some(over) => (axis(view, over), of_block(view, over)),
        None => of_size(view),
    };
    let (of, y) = match curve {
        Curve::Size => ("Waves", "wave efficiency, %"),
        _ => ("Occupancy", "occupancy, % of the warps an SM can hold"),
    };
    let mut notes: Vec<String> = view.show.shown().filter_map(|side| note(view, side, curve)).collect();
    let of_builds = view.answer.of_builds().into_iter().map(ToString::to_string);
    if notes.is_empty() {
        let what = if curve == Curve::Size {
            "the grid is not known: no waves"
        } else {
            "no block is known: no occupancy"
        };
        notes.push(what.into());
    }
    notes.extend(of_builds);
    let words = match curve {
        Curve::Size => "share of the block slots that have a block, over all waves of the grid",
        _ => "resident warps where one thing changes and all others stay as they are",
    };
    let size = view.kernel.short_problem(view.problem);
    ChartSpec {
        title: format!("{of} of {}", caption::title(view.kernel, &size, view.gpus, view.show)),
        subtitle: format!("{words}; {} rules", view.answer.settings.rules.as_str()),
        x,
        y: Axis { label: y.into(), scale: y_scale(curve, &marks) },
        marks,
        notes,
    }
}

/// Percent from 0; of waves, which are nearly full where they are many, from the ten below the lowest. Room above the full
/// line, so that it does not lie on the frame.
fn y_scale(curve: Curve, marks: &[Mark]) -> Scale {
    let lines =
        marks.iter().filter_map(|m| if let Mark::Line { points, .. } = m { Some(points) } else { None });
    let lowest = lines.flatten().map(|(_, y)| *y).fold(100.0, f64::min);
    let min = if curve == Curve::Size { ((lowest / 10.0).floor() * 10.0).clamp(0.0, 90.0) } else { 0.0 };
    Scale::Linear { min, max: 100.0 + 0.05 * (100.0 - min) }
}

// ---------------------------------------------------------------------------------------------------------------------
// Over one resource of the block

/// The larger of the two GPUs' ends: the smaller one's curve falls to 0 there.
fn most(view: &CurveView<'_>, over: Over) -> u32 {
    let ends = view.show.shown().map(|side| over.most(&view.gpus[side].cuda.limits));
    ends.max().unwrap_or(0).max(1)
}

fn axis(view: &CurveView<'_>, over: Over) -> Axis {
    let (label, scale) = match over {
        Over::Block => ("block size, threads", 1.0),
        Over::Registers => ("registers per thread, regs", 1.0),
        Over::SharedMemory => ("shared memory of a block, KiB", 1.0 / 1024.0),
    };
    Axis { label: label.into(), scale: Scale::Linear { min: 0.0, max: scale * f64::from(most(view, over)) } }
}

/// A value on the axis: bytes as KiB, all others as they are.
fn x_position(over: Over, value: u32) -> f64 {
    if over == Over::SharedMemory { f64::from(value) / 1024.0 } else { f64::from(value) }
}

fn of_block(view: &CurveView<'_>, over: Over) -> Vec<Mark> {
    let lines = view.show.shown().filter_map(|side| steps(view, side, over));
    let points = view.show.shown().filter_map(|side| chosen_block(view, side, over));
    lines.chain(points).collect()
}

/// One GPU's occupancy as a line in steps.
fn steps(view: &CurveView<'_>, side: Side, over: Over) -> Option<Mark> {
    let (needs, rules) = (view.answer.needs[side]?, view.answer.settings.rules);
    let limits = &view.gpus[side].cuda.limits;
    let max_warps = f64::from(limits.warps_per_sm());
    let mut points = Vec::new();
    let mut from = x_position(over, over.least());
    for stretch in sweep(limits, needs, rules, over, most(view, over)) {
        let y = 100.0 * (f64::from(stretch.active_warps) / max_warps);
        let to = x_position(over, stretch.to);
        points.extend([(from, y), (to, y)]);
        from = to;
    }
    Some(Mark::Line {
        name: side_name(view, side),
        meaning: Meaning::side_colour(side),
        dash: dash(side),
        points,
    })
}

/// Where the kernel stands now; nowhere with registers that are not known.
fn chosen_block(view: &CurveView<'_>, side: Side, over: Over) -> Option<Mark> {
    let (needs, o) = (view.answer.needs[side]?, view.answer.occupancy[side]?);
    let value = over.swept_value(&needs);
    if value < over.least() || value > most(view, over) {
        return None;
    }
    let what = match over {
        Over::Block => format!("{value} threads per block"),
        Over::Registers => format!("{value} registers per thread"),
        Over::SharedMemory => format!("{value} B of shared memory per block"),
    };
    let label = percent(o.fraction());
    Some(chosen(view, side, &what, (x_position(over, value), 100.0 * o.fraction()), label))
}

// ---------------------------------------------------------------------------------------------------------------------
// In words

/// What one GPU makes of the chosen size, in one line.
fn note(view: &CurveView<'_>, side: Side, curve: Curve) -> Option<String> {
    let (gpu, needs) = (view.gpus[side], view.answer.needs[side]?);
    if let Some(refusal) = &view.answer.launch_refusal[side] {
        return Some(format!("{}: {refusal}", gpu.short_name()));
    }
    let o = view.answer.occupancy[side]?;
    if curve == Curve::Size {
        let w = wave_of(view, side, view.answer.launch[side]?.block_count())?;
        return Some(format!("{}: {}", gpu.short_name(), caption::waves(&w)));
    }
    Some(format!(
        "{}: {} threads, {} registers per thread, {} B of shared memory: {}, {} of {} warps ({}), {}",
        gpu.short_name(),
        needs.threads,
        if needs.regs_per_thread == 0 { "unknown".into() } else { needs.regs_per_thread.to_string() },
        needs.smem(),
        if o.active_blocks == 1 { "1 block".into() } else { format!("{} blocks", o.active_blocks) },
        o.active_warps,
        o.max_warps,
        percent(o.fraction()),
        o.limit_text()
    ))
}
