//! What `occupancy` answers: per GPU every limit, what limits, and the next step.

use super::cell::TableCell;
use super::shown;
use super::table::{Table, TableColumn};
use crate::gpu::{Gpu, SmLimits};
use crate::kernel::Launch;
use crate::occupancy::{
    BlockNeeds, LaunchRefusal, Occupancy, Resource, Rules, launch_refusal, next_step, occupancy,
    suggested_block, waves,
};
use crate::predict::RegistersFrom;
use crate::text::first_names;
use crate::units::significant;

/// One GPU and what a block asks of it.
#[derive(Debug, Clone)]
pub struct Resident<'a> {
    /// The GPU.
    pub gpu: &'a Gpu,
    /// What a block asks for.
    pub needs: BlockNeeds,
    /// Whose registers these are; `None` where they were typed.
    pub registers: Option<RegistersFrom>,
    /// The grid, where it is known.
    pub launch: Option<Launch>,
    /// Why this very build cannot be launched so, where it is known.
    pub refusal: Option<LaunchRefusal>,
    /// Which arithmetic.
    pub rules: Rules,
    /// What must be said about the registers; empty for nothing.
    pub remark: String,
}

impl Resident<'_> {
    /// Why it cannot be launched so.
    fn refused(&self) -> Option<LaunchRefusal> {
        self.refusal.or_else(|| launch_refusal(&self.gpu.cuda.limits, self.needs, self.launch.as_ref()))
    }

    /// What is resident; nothing where it cannot be launched.
    fn resident(&self) -> Occupancy {
        let o = occupancy(&self.gpu.cuda.limits, self.needs, self.rules);
        // The study's formula knows no refusal.
        if self.rules == Rules::Exact && self.refused().is_some() { o.refused() } else { o }
    }
}

/// One row per GPU.
#[must_use]
pub fn occupancy_table(rows: &[Resident<'_>]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("gpu"),
        TableColumn::right("threads"),
        TableColumn::right("regs"),
        TableColumn::right("smem_bytes"),
        TableColumn::right("by_registers"),
        TableColumn::right("by_shared_memory"),
        TableColumn::right("by_warps"),
        TableColumn::right("by_blocks"),
        TableColumn::right("by_barriers"),
        TableColumn::left("limiters"),
        TableColumn::right("active_blocks"),
        TableColumn::right("active_warps"),
        TableColumn::right("max_warps"),
        TableColumn::right("occupancy"),
        TableColumn::right("allocated_registers"),
        TableColumn::right("allocated_smem_bytes"),
        TableColumn::right("smem_per_sm_bytes"),
        TableColumn::right("waves"),
        TableColumn::right("tail"),
        TableColumn::right("idle_sms"),
        TableColumn::right("best_block"),
        TableColumn::right("min_grid"),
        TableColumn::left("next_step"),
        TableColumn::left("regs_from"),
        TableColumn::left("remarks"),
    ]);
    table.rows = rows.iter().map(resident_cells).collect();
    if let Some(first) = rows.first() {
        table.title = format!("blocks that fit one SM, by limit (◀) · {} rules", first.rules.as_str());
    }
    table.notes = limiter_change(rows).into_iter().collect();
    table
}

/// With two GPUs: whether something else limits on the second.
fn limiter_change(rows: &[Resident<'_>]) -> Option<String> {
    let [from, to] = rows else { return None };
    let change = from.resident().limit_change_text(&to.resident())?;
    Some(format!("{change} ({} → {})", from.gpu.id, to.gpu.id))
}

fn resident_cells(r: &Resident<'_>) -> Vec<TableCell> {
    let (needs, limits) = (r.needs, &r.gpu.cuda.limits);
    let refusal = r.refused();
    let o = r.resident();
    let on_gpu = r.launch.and_then(|l| waves(r.gpu, &o, l.block_count()));
    let best = suggested_block(limits, needs, r.rules);
    let beside = refusal.filter(LaunchRefusal::is_beside_block);
    let of_block = || next_step(limits, needs, r.rules).map(|step| step.to_string());
    let step = beside.map_or_else(of_block, |why| why.grid_step());
    let unlimited = |limit: Option<u32>| TableCell::maybe(limit, TableCell::number);
    let known = |n: u32| if n == 0 { TableCell::Null } else { TableCell::number(n) };
    let percent = |f: f64| TableCell::shown(f, format!("{} %", significant(100.0 * f)));
    let own = refusal.map(|why| why.to_string()).into_iter().chain(what_the_code_must_ask_for(r));
    let own = own.chain(later_barriers(r));
    let remarks = own.chain(Some(r.remark.clone()));
    vec![
        TableCell::text(&r.gpu.id),
        TableCell::number(needs.threads),
        known(needs.regs_per_thread),
        TableCell::number(f64::from(needs.smem_static) + f64::from(needs.smem_dynamic)),
        unlimited(o.by_registers),
        unlimited(o.by_shared_memory),
        TableCell::number(o.by_warps),
        TableCell::number(o.by_blocks),
        unlimited(o.by_barriers),
        TableCell::List(o.limiters().map(|l| l.as_str().to_string()).collect()),
        TableCell::number(o.active_blocks),
        TableCell::number(o.active_warps),
        TableCell::number(o.max_warps),
        percent(o.fraction()),
        TableCell::number(o.allocated_registers),
        TableCell::number(o.allocated_shared_memory),
        TableCell::number(o.shared_memory_per_sm),
        TableCell::maybe(on_gpu, |w| TableCell::shown(w.waves, significant(w.waves))),
        TableCell::maybe(on_gpu, |w| percent(w.last_fill)),
        TableCell::maybe(on_gpu, |w| TableCell::number(w.idle_sms)),
        TableCell::maybe(best, |b| TableCell::number(b.threads)),
        TableCell::maybe(best, |b| TableCell::number(b.min_grid(r.gpu.sms.value) as f64)),
        TableCell::maybe(step, TableCell::text),
        TableCell::text(r.registers.as_ref().map_or("typed".into(), ToString::to_string)),
        TableCell::List(remarks.filter(|text| !text.is_empty()).collect()),
    ]
}

/// That NVIDIA's headers disagree on the barriers of an SM, where it changes how many blocks are resident.
fn later_barriers(r: &Resident<'_>) -> Option<String> {
    let limits = &r.gpu.cuda.limits;
    let (used, later) = (limits.barrier_pool?, limits.later_barrier_pool?);
    let by_later = SmLimits { barrier_pool: Some(later), ..*limits };
    let [now, then] = [limits, &by_later].map(|limits| occupancy(limits, r.needs, r.rules).active_blocks);
    (now != then).then(|| {
        format!(
            "{used} barriers per SM by CUDA 12.9's header are used; by CUDA 13.5's {later} fit {then} blocks"
        )
    })
}

/// For people: the limiting numbers marked, active and maximum warps in one column, what is the same for every GPU in the
/// title, remarks as footnotes.
///
/// ```text
/// 1024 threads, 8192 B of shared memory per block; blocks that fit one SM, by limit (◀) · exact rules
///
/// gpu       regs  by regs  shared  warps  blocks  warps/SM  occupancy  waves  tail  idle  best  next step
/// rtx-4070    37      1 ◀    11      1 ◀       1     32/48       67 %   22.3  26 %    34   768  1024→768 thr: 2 blk
/// ```
#[must_use]
pub fn overview_table(rows: &[Resident<'_>]) -> Table {
    let mut table = occupancy_table(rows);
    let silent = table.rows.iter().all(|cells| cells.last() == Some(&TableCell::List(Vec::new())));
    let all: Vec<Occupancy> = rows.iter().map(Resident::resident).collect();
    if let Some(at) = position(&table, "active_warps") {
        for (cells, o) in table.rows.iter_mut().zip(&all) {
            cells[at] = TableCell::text(shown::warps(o));
        }
    }
    table.notes.extend(whose_registers(rows));
    let mut hidden = vec!["max_warps", "limiters", "regs_from"];
    // What the units make of a block is for programs, and in the dashboard.
    hidden.extend(["allocated_registers", "allocated_smem_bytes", "smem_per_sm_bytes", "min_grid"]);
    hidden.extend(mark_limits(&mut table, &all));
    let empty = |name: &&str| {
        position(&table, name).is_some_and(|at| table.rows.iter().all(|cells| cells[at] == TableCell::Null))
    };
    hidden.extend(["waves", "tail", "idle_sms"].into_iter().filter(|name| empty(name)));
    let alike =
        |a: &BlockNeeds| rows.iter().all(|b| a.threads == b.needs.threads && a.smem() == b.needs.smem());
    if let Some(needs) = rows.first().map(|r| r.needs).filter(alike) {
        table.title = format!(
            "{} threads, {} B of shared memory per block; {}",
            needs.threads,
            needs.smem(),
            table.title
        );
        hidden.extend(["threads", "smem_bytes"]);
    }
    if silent {
        hidden.push("remarks");
    }
    table.without(&hidden).renamed(&HEADINGS).footnoted("notes")
}

/// What the launch needs of the kernel's code beside its resources.
fn what_the_code_must_ask_for(r: &Resident<'_>) -> Vec<String> {
    let (needs, limits) = (&r.needs, &r.gpu.cuda.limits);
    let mut all = Vec::new();
    if limits.cluster.is_some_and(|c| (c.portable + 1..=c.most).contains(&needs.cluster)) {
        let allow = "cudaFuncAttributeNonPortableClusterSizeAllowed";
        all.push(format!("{}: clusters of {} blocks need {allow}", r.gpu.id, needs.cluster));
    }
    if needs.smem_static > limits.smem_per_block {
        let most = limits.smem_per_block;
        all.push(format!(
            "only dynamic shared memory can opt in: no compiler takes more than {most} B of static"
        ));
    }
    all
}

/// `registers: compiler: roofswap-ptxas (titan-v, t4 and 3 more)`: a line for each source.
fn whose_registers(rows: &[Resident<'_>]) -> Vec<String> {
    const NAMED: usize = 3;
    let mut by_source: Vec<(String, Vec<&str>)> = Vec::new();
    for row in rows {
        let Some(from) = &row.registers else { continue };
        let said = from.to_string();
        match by_source.iter_mut().find(|(source, _)| *source == said) {
            Some((_, gpus)) => gpus.push(&row.gpu.id),
            None => by_source.push((said, vec![&row.gpu.id])),
        }
    }
    let line =
        |(source, gpus): (String, Vec<&str>)| format!("registers: {source} ({})", first_names(&gpus, NAMED));
    by_source.into_iter().map(line).collect()
}

/// The place of a column.
fn position(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|c| c.name == name)
}

/// Marks the limiting numbers. Returns the columns that need not be shown: slots and barriers are said where they limit.
fn mark_limits(table: &mut Table, all: &[Occupancy]) -> Vec<&'static str> {
    let mut hidden = Vec::new();
    for (name, resource) in LIMITS {
        let Some(at) = position(table, name) else { continue };
        for (cells, o) in table.rows.iter_mut().zip(all) {
            let mark = if o.is_limiter(resource) { '◀' } else { ' ' };
            cells[at] =
                TableCell::maybe(o.limit(resource), |blocks| TableCell::text(format!("{blocks} {mark}")));
        }
        let optional = matches!(resource, Resource::Blocks | Resource::Barriers);
        if optional && !all.iter().any(|o| o.is_limiter(resource)) {
            hidden.push(name);
        }
    }
    hidden
}

/// The columns of limits and what they are limits of.
const LIMITS: [(&str, Resource); 5] = [
    ("by_registers", Resource::Registers),
    ("by_shared_memory", Resource::SharedMemory),
    ("by_warps", Resource::Warps),
    ("by_blocks", Resource::Blocks),
    ("by_barriers", Resource::Barriers),
];

/// What columns are called for people.
const HEADINGS: [(&str, &str); 13] = [
    ("smem_bytes", "shared B"),
    ("by_registers", "by regs"),
    ("by_shared_memory", "shared"),
    ("by_warps", "warps"),
    ("by_blocks", "slots"),
    ("by_barriers", "barriers"),
    ("active_blocks", "blocks"),
    ("active_warps", "warps/SM"),
    ("tail", "last wave"),
    ("idle_sms", "idle SMs"),
    ("best_block", "best"),
    ("next_step", "next step"),
    ("remarks", "notes"),
];
