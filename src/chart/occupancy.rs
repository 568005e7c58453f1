//! The occupancy chart: how many blocks each resource of an SM holds, on source and target.

use super::further::note_left_out;
use super::scale::end_of_bars;
use super::{Axis, ChartSides, ChartSpec, FurtherTarget, Mark, Meaning, Scale, caption, drawn_targets};
use crate::answer::Answer;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::occupancy::{Occupancy, Resource, Rules, next_step, suggested_block, waves};
use crate::pair::{Pair, Side};
use crate::units::significant;

/// The mark of what limits, everywhere.
const LIMITER: char = '◀';

/// One GPU of the chart.
#[derive(Clone, Copy)]
struct ChartedGpu<'a> {
    gpu: &'a Gpu,
    answer: &'a Answer,
    /// Which GPU of the answer it is.
    side: Side,
    /// What its bars stand for.
    meaning: Meaning,
}

impl ChartedGpu<'_> {
    fn occupancy(&self) -> Option<Occupancy> {
        self.answer.occupancy[self.side]
    }

    /// `TITAN V (source, compute capability 7.0)`.
    fn legend_name(&self) -> String {
        let role = self.side.as_str();
        format!("{} ({role}, compute capability {})", self.gpu.short_name(), self.gpu.cuda.compute_capability)
    }
}

/// What an occupancy chart shows.
#[derive(Debug, Clone, Copy)]
pub struct OccupancyView<'a> {
    /// Source and target.
    pub gpus: Pair<&'a Gpu>,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its size in short: `n=1048576`.
    pub problem: &'a str,
    /// What is known of source and target.
    pub answer: &'a Answer,
    /// Targets beside the main one; a chart draws the first of them.
    pub further: &'a [FurtherTarget<'a>],
    /// Which of the two GPUs.
    pub show: ChartSides,
}

impl<'a> OccupancyView<'a> {
    fn charted_gpus(&self) -> Vec<ChartedGpu<'a>> {
        let pair = self.show.shown().map(|side| {
            let (gpu, answer) = (self.gpus[side], self.answer);
            ChartedGpu { gpu, answer, side, meaning: Meaning::side_colour(side) }
        });
        let further: &'a [FurtherTarget<'a>] = if self.show.shows(Side::Target) { self.further } else { &[] };
        let further = drawn_targets(further).map(|(meaning, target)| {
            let FurtherTarget { gpu, answer } = target;
            ChartedGpu { gpu, answer, side: Side::Target, meaning }
        });
        pair.chain(further).collect()
    }
}

/// Draws the limits and the resident blocks of one kernel.
#[must_use]
pub fn occupancy_chart(view: &OccupancyView<'_>) -> ChartSpec {
    let (answer, show) = (view.answer, view.show);
    let gpus = view.charted_gpus();
    let known: Vec<Occupancy> = gpus.iter().filter_map(ChartedGpu::occupancy).collect();
    let resources: Vec<Resource> = Resource::shown(&known).collect();
    let mut slots: Vec<String> = resources.iter().map(|r| slot_name(*r).to_string()).collect();
    slots.push("active blocks".into());
    let mut marks = Vec::new();
    for (slot, resource) in resources.into_iter().enumerate() {
        marks.extend(gpus.iter().filter_map(|charted| limit_bar(charted, slot, resource)));
    }
    marks.extend(gpus.iter().filter_map(|charted| active_bar(charted, slots.len() - 1)));
    let values = marks.iter().map(|m| if let Mark::Bar { value, .. } = m { *value } else { 0.0 });
    let max = end_of_bars(values.fold(1.0, f64::max));
    let mut notes: Vec<String> = gpus.iter().flat_map(side_notes).collect();
    notes.extend(limiter_note(answer, show));
    notes.extend(gpus.iter().filter_map(registers_note));
    notes.extend(answer.of_builds().iter().map(ToString::to_string));
    let title = caption::title(view.kernel, view.problem, view.gpus, show);
    let names = gpus
        .iter()
        .filter(|charted| matches!(charted.meaning, Meaning::Further(_)))
        .map(|charted| charted.gpu.short_name().into());
    let title = std::iter::once(title).chain(names).collect::<Vec<String>>().join(", ");
    let mut chart = ChartSpec {
        title: format!("Occupancy of {title}"),
        subtitle: format!(
            "blocks each resource of one SM has room for; the smallest limits ({LIMITER}); {} rules",
            answer.settings.rules.as_str()
        ),
        x: Axis { label: "blocks per SM".into(), scale: Scale::Linear { min: 0.0, max } },
        y: Axis { label: String::new(), scale: Scale::Category(slots) },
        marks,
        notes,
    };
    note_left_out(&mut chart, view.further);
    chart
}

fn slot_name(resource: Resource) -> &'static str {
    match resource {
        Resource::Registers => "by registers",
        Resource::SharedMemory => "by shared memory",
        Resource::Warps => "by warps",
        Resource::Blocks => "by block slots",
        Resource::Barriers => "by barriers",
    }
}

/// The bar of one resource; none where the occupancy is not known.
fn limit_bar(charted: &ChartedGpu<'_>, slot: usize, resource: Resource) -> Option<Mark> {
    let occupancy = charted.occupancy()?;
    let needs = charted.answer.needs[charted.side];
    let unknown = resource == Resource::Registers && needs.is_some_and(|n| n.regs_per_thread == 0);
    let limits = occupancy.is_limiter(resource);
    let (value, text) = match occupancy.limit(resource) {
        Some(blocks) if limits => (f64::from(blocks), format!("{blocks} {LIMITER}")),
        Some(blocks) => (f64::from(blocks), blocks.to_string()),
        None if unknown => (0.0, "registers unknown".into()),
        None => (0.0, "no limit".into()),
    };
    let (name, meaning) = if limits {
        (format!("{LIMITER} limits the resident blocks"), Meaning::Limiter)
    } else {
        (charted.legend_name(), charted.meaning)
    };
    Some(Mark::Bar { name, meaning, slot, value, label: format!("{}: {text}", charted.gpu.short_name()) })
}

fn active_bar(charted: &ChartedGpu<'_>, slot: usize) -> Option<Mark> {
    let o = charted.occupancy()?;
    let (name, meaning) = (charted.legend_name(), charted.meaning);
    let label = format!(
        "{}: {}, {} of {} warps ({})",
        charted.gpu.short_name(),
        o.active_blocks,
        o.active_warps,
        o.max_warps,
        share_text(&o)
    );
    Some(Mark::Bar { name, meaning, slot, value: f64::from(o.active_blocks), label })
}

/// Occupancy in percent.
fn share_text(o: &Occupancy) -> String {
    format!("{} %", significant(100.0 * o.fraction()))
}

/// What limits on either GPU, where that is not the same.
fn limiter_note(answer: &Answer, show: ChartSides) -> Option<String> {
    let (Pair { source: Some(source), target: Some(target) }, ChartSides::Both) = (answer.occupancy, show)
    else {
        return None;
    };
    source.limit_change_text(&target)
}

/// What one GPU does with the launch: refusal, occupancy, waves, next step.
fn side_notes(charted: &ChartedGpu<'_>) -> Vec<String> {
    let ChartedGpu { gpu, answer, side, .. } = *charted;
    let mut notes = Vec::new();
    if let Some(refusal) = &answer.launch_refusal[side] {
        notes.push(format!("{}: {refusal}", gpu.short_name()));
        return notes;
    }
    let (Some(o), Some(needs)) = (answer.occupancy[side], answer.needs[side]) else {
        notes.push(format!(
            "{}: the launch shape is not known, so its occupancy is not either",
            gpu.short_name()
        ));
        return notes;
    };
    let mut text = format!(
        "{}: occupancy {} ({} of {} warps); {}",
        gpu.short_name(),
        share_text(&o),
        o.active_warps,
        o.max_warps,
        o.limit_text()
    );
    if let Some(w) = answer.launch[side].and_then(|l| waves(gpu, &o, l.block_count())) {
        text += &format!("; {}", caption::waves(&w));
    }
    if let Some(step) = next_step(&gpu.cuda.limits, needs, answer.settings.rules) {
        text += &format!("; next step {step}");
    }
    if let Some(best) = suggested_block(&gpu.cuda.limits, needs, answer.settings.rules) {
        let grid = best.min_grid(gpu.sms.value);
        text += &format!(
            "; best block {} thr ({}, {grid} blocks fill it)",
            best.threads,
            share_text(&best.occupancy)
        );
    }
    notes.push(text);
    notes
}

/// Resources of a block, and whose registers they are.
fn registers_note(charted: &ChartedGpu<'_>) -> Option<String> {
    let ChartedGpu { gpu, answer, side, .. } = *charted;
    let needs = answer.needs[side]?;
    let registers = match needs.regs_per_thread {
        0 => "an unknown number of registers (treated as no limit)".to_string(),
        n => format!("{n} registers"),
    };
    let from = match needs.regs_per_thread {
        0 => String::new(),
        _ => format!(" ({})", answer.registers[side]),
    };
    let allocated = answer.occupancy[side].map_or(String::new(), |o| {
        let reserve = match (answer.settings.rules, gpu.cuda.limits.smem_reserved) {
            (Rules::Exact, n) if n > 0 => format!(", {n} of them reserved"),
            _ => String::new(),
        };
        format!(
            "; it gets {} registers and {} B{reserve}; an SM is set to {} B",
            o.allocated_registers, o.allocated_shared_memory, o.shared_memory_per_sm
        )
    });
    Some(format!(
        "{} per block: {} threads, {registers} per thread{from}, {} B of shared memory{allocated}",
        gpu.short_name(),
        needs.threads,
        needs.smem()
    ))
}
