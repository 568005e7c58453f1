//! What `occupancy` answers: per GPU every limit, what limits, and the next step.

use super::cell::Cell;
use super::shown;
use super::table::{Column, Table};
use crate::gpu::Gpu;
use crate::kernel::Launch;
use crate::occupancy::{BlockNeeds, Rules, launch_refusal, next_step, occupancy, waves};
use crate::units::significant;

/// One GPU and what a block asks of it.
#[derive(Debug, Clone)]
pub struct Resident<'a> {
    /// The GPU.
    pub gpu: &'a Gpu,
    /// What a block asks for.
    pub needs: BlockNeeds,
    /// The grid, where it is known.
    pub launch: Option<Launch>,
    /// Which arithmetic.
    pub rules: Rules,
    /// What must be said about the registers; empty for nothing.
    pub remark: String,
}

/// One row per GPU.
#[must_use]
pub fn table(rows: &[Resident<'_>]) -> Table {
    let mut table = Table::new(vec![
        Column::left("gpu"),
        Column::right("threads"),
        Column::right("regs"),
        Column::right("smem_bytes"),
        Column::right("by_registers"),
        Column::right("by_shared_memory"),
        Column::right("by_warps"),
        Column::right("by_blocks"),
        Column::left("limiters"),
        Column::right("active_blocks"),
        Column::right("active_warps"),
        Column::right("max_warps"),
        Column::right("occupancy"),
        Column::right("waves"),
        Column::right("tail"),
        Column::left("next_step"),
        Column::left("remarks"),
    ]);
    table.rows = rows.iter().map(row).collect();
    if let Some(first) = rows.first() {
        table.title = format!("blocks that fit one SM, by limit · {} rules", first.rules.word());
    }
    table
}

fn row(r: &Resident<'_>) -> Vec<Cell> {
    let (needs, limits) = (r.needs, &r.gpu.limits);
    let o = occupancy(limits, needs, r.rules);
    let refusal = launch_refusal(limits, needs, r.launch.as_ref());
    let on_gpu = r.launch.and_then(|l| waves(r.gpu, &o, l.blocks()));
    let unlimited = |limit: Option<u32>| Cell::maybe(limit, Cell::number);
    let known = |n: u32| if n == 0 { Cell::Null } else { Cell::number(n) };
    let percent = |f: f64| Cell::shown(f, format!("{:.0} %", 100.0 * f));
    let remarks = refusal.map(|why| why.to_string()).into_iter().chain(Some(r.remark.clone()));
    vec![
        Cell::text(&r.gpu.id),
        Cell::number(needs.threads),
        known(needs.regs_per_thread),
        Cell::number(f64::from(needs.smem_static) + f64::from(needs.smem_dynamic)),
        unlimited(o.by_registers),
        unlimited(o.by_shared_memory),
        Cell::number(o.by_warps),
        Cell::number(o.by_blocks),
        Cell::List(o.limiters().map(|l| l.word().to_string()).collect()),
        Cell::number(o.active_blocks),
        Cell::number(o.active_warps),
        Cell::number(o.max_warps),
        percent(o.fraction()),
        Cell::maybe(on_gpu, |w| Cell::shown(w.waves, significant(w.waves))),
        Cell::maybe(on_gpu, |w| percent(w.tail)),
        Cell::maybe(next_step(limits, needs, r.rules), |s| Cell::text(s.to_string())),
        Cell::List(remarks.filter(|text| !text.is_empty()).collect()),
    ]
}

/// For people: short headings, active and maximum warps in one column, remarks as footnotes.
///
/// ```text
/// gpu       threads  regs  shared B  by regs  by shared  by warps  by blocks  limiters          blocks  warps  …
/// rtx-4070     1024    37      8192        1         11         1         24  registers, warps       1  32/48  …
/// ```
#[must_use]
pub fn overview(rows: &[Resident<'_>]) -> Table {
    let mut table = table(rows);
    let silent = table.rows.iter().all(|cells| cells.last() == Some(&Cell::List(Vec::new())));
    if let Some(at) = table.columns.iter().position(|c| c.name == "active_warps") {
        for (cells, row) in table.rows.iter_mut().zip(rows) {
            cells[at] = Cell::text(shown::warps(&occupancy(&row.gpu.limits, row.needs, row.rules)));
        }
    }
    let names = [
        ("smem_bytes", "shared B"),
        ("by_registers", "by regs"),
        ("by_shared_memory", "by shared"),
        ("by_warps", "by warps"),
        ("by_blocks", "by blocks"),
        ("active_blocks", "blocks"),
        ("active_warps", "warps"),
        ("tail", "last wave"),
        ("next_step", "next step"),
        ("remarks", "notes"),
    ];
    let hidden: &[&str] = if silent { &["max_warps", "notes"] } else { &["max_warps"] };
    table.renamed(&names).footnoted("notes").without(hidden)
}
