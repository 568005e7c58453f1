//! The occupancy chart: how many blocks each resource of an SM holds, on source and target.

use super::scale::end_of_bars;
use super::{Axis, ChartSides, ChartSpec, Mark, Meaning, Scale, caption};
use crate::answer::Answer;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::occupancy::{Occupancy, Resource, Rules, best_block, next_step, waves};
use crate::units::significant;

/// The mark of what limits, everywhere.
const LIMITER: char = '◀';

/// Draws the limits and the resident blocks of one answer.
#[must_use]
pub fn occupancy_chart(
    gpus: [&Gpu; 2],
    kernel: &Kernel,
    problem: &str,
    answer: &Answer,
    show: ChartSides,
) -> ChartSpec {
    let known: Vec<Occupancy> = answer.occupancy.iter().flatten().copied().collect();
    let resources: Vec<Resource> = Resource::shown(&known).collect();
    let mut slots: Vec<String> = resources.iter().map(|r| slot_name(*r).to_string()).collect();
    slots.push("active blocks".into());
    let mut marks = Vec::new();
    for (slot, resource) in resources.into_iter().enumerate() {
        for side in show.shown() {
            marks.extend(limit_bar(gpus[side], answer, side, slot, resource));
        }
    }
    for side in show.shown() {
        marks.extend(active_bar(gpus[side], answer, side, slots.len() - 1));
    }
    let values = marks.iter().map(|m| if let Mark::Bar { value, .. } = m { *value } else { 0.0 });
    let max = end_of_bars(values.fold(1.0, f64::max));
    let mut notes: Vec<String> = show.shown().flat_map(|side| side_notes(gpus[side], answer, side)).collect();
    notes.extend(limiter_note(answer, show));
    notes.extend(show.shown().flat_map(|side| registers_note(gpus[side], answer, side)));
    notes.extend(answer.of_builds().iter().map(ToString::to_string));
    ChartSpec {
        title: format!("Occupancy of {}", caption::title(kernel, problem, gpus, show)),
        subtitle: format!(
            "blocks each resource of one SM has room for; the smallest limits ({LIMITER}); {} rules",
            answer.settings.rules.as_str()
        ),
        x: Axis { label: "blocks per SM".into(), scale: Scale::Linear { min: 0.0, max } },
        y: Axis { label: String::new(), scale: Scale::Category(slots) },
        marks,
        notes,
    }
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
fn limit_bar(gpu: &Gpu, answer: &Answer, side: usize, slot: usize, resource: Resource) -> Option<Mark> {
    let occupancy = answer.occupancy[side]?;
    let unknown =
        resource == Resource::Registers && answer.needs[side].is_some_and(|n| n.regs_per_thread == 0);
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
        (side_name(gpu, side), Meaning::side_colour(side))
    };
    Some(Mark::Bar { name, meaning, slot, value, label: format!("{}: {text}", gpu.name) })
}

fn active_bar(gpu: &Gpu, answer: &Answer, side: usize, slot: usize) -> Option<Mark> {
    let o = answer.occupancy[side]?;
    let (name, meaning) = (side_name(gpu, side), Meaning::side_colour(side));
    let label = format!(
        "{}: {}, {} of {} warps ({})",
        gpu.name,
        o.active_blocks,
        o.active_warps,
        o.max_warps,
        share_text(&o)
    );
    Some(Mark::Bar { name, meaning, slot, value: f64::from(o.active_blocks), label })
}

fn side_name(gpu: &Gpu, side: usize) -> String {
    let role = if side == 0 { "source" } else { "target" };
    format!("{} ({role}, compute capability {})", gpu.name, gpu.cuda.compute_capability)
}

/// Occupancy in percent.
fn share_text(o: &Occupancy) -> String {
    format!("{} %", significant(100.0 * o.fraction()))
}

/// What limits on either GPU, where that is not the same.
fn limiter_note(answer: &Answer, show: ChartSides) -> Option<String> {
    let ([Some(source), Some(target)], ChartSides::Both) = (answer.occupancy, show) else { return None };
    let [there, here] = source.limiter_change(&target)?;
    Some(format!("the limiter changes: {there} → {here}"))
}

/// What one GPU does with the launch: refusal, occupancy, waves, next step.
fn side_notes(gpu: &Gpu, answer: &Answer, side: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(refusal) = &answer.launch_refusal[side] {
        notes.push(format!("{}: {refusal}", gpu.name));
        return notes;
    }
    let (Some(o), Some(needs)) = (answer.occupancy[side], answer.needs[side]) else {
        notes.push(format!("{}: the launch shape is not known, so its occupancy is not either", gpu.name));
        return notes;
    };
    let mut text = format!(
        "{}: occupancy {} ({} of {} warps); limited by {}",
        gpu.name,
        share_text(&o),
        o.active_warps,
        o.max_warps,
        o.limiter_words()
    );
    if let Some(w) = answer.launch[side].and_then(|l| waves(gpu, &o, l.block_count())) {
        text += &format!("; {}", caption::waves(&w));
    }
    if let Some(step) = next_step(&gpu.cuda.limits, needs, answer.settings.rules) {
        text += &format!("; next step {step}");
    }
    if let Some(best) = best_block(&gpu.cuda.limits, needs, answer.settings.rules) {
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
fn registers_note(gpu: &Gpu, answer: &Answer, side: usize) -> Option<String> {
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
        gpu.name,
        needs.threads,
        needs.smem()
    ))
}
