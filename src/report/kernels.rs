//! The kernel catalogue: one row per kernel, or one kernel with every formula and where it comes from.

use super::cell::Cell;
use super::table::{Column, Table};
use crate::catalogue::SourceTable;
use crate::kernel::{Count, Instance, Kernel, NameFacts, Problem};
use crate::roofline::pipe_of;
use crate::units::{Bytes, Flops, significant};
use std::sync::Arc;

/// A kernel with what the session knows of it.
#[derive(Debug, Clone)]
pub struct KernelRow<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The size it is shown at.
    pub size: Problem,
    /// The code variant it is shown in.
    pub variant: Arc<str>,
    /// Everything evaluated at that size, where its formulas allow.
    pub instance: Option<Instance>,
    /// Ids of the GPUs it was timed on.
    pub measured_on: Vec<String>,
}

/// One row per kernel.
#[must_use]
pub fn list(kernels: &[KernelRow<'_>]) -> Table {
    let mut table = Table::new(vec![
        Column::left("id"),
        Column::left("category"),
        Column::left("keys"),
        Column::left("sizes"),
        Column::left("shown_at"),
        Column::right("flops"),
        Column::right("dram_bytes"),
        Column::right("flop_per_byte"),
        Column::left("measured_on"),
    ]);
    table.rows = kernels.iter().map(row).collect();
    table
}

/// [`list`] for people.
#[must_use]
pub fn overview(kernels: &[KernelRow<'_>]) -> Table {
    let names = [("shown_at", "at"), ("flops", "FLOPs"), ("dram_bytes", "DRAM"), ("flop_per_byte", "FLOP/B")];
    list(kernels).renamed(&names).renamed(&[("measured_on", "timed on")])
}

fn row(k: &KernelRow<'_>) -> Vec<Cell> {
    let kernel = k.kernel;
    let work = k.instance.as_ref().map(|i| i.work);
    let count = |c| work.and_then(|w| w.get(c));
    vec![
        Cell::text(&kernel.id),
        Cell::text(&kernel.category),
        Cell::List(kernel.keys.clone()),
        Cell::List(kernel.sizes.iter().map(|(_, p)| kernel.short_problem(p)).collect()),
        Cell::text(kernel.short_problem(&k.size)),
        Cell::maybe(count(Count::Flops), |v| Cell::shown(v, Flops(v).to_string())),
        Cell::maybe(count(Count::DramBytes), |v| Cell::shown(v, Bytes(v).to_string())),
        Cell::maybe(work.and_then(|w| w.intensity()), |i| Cell::shown(i.0, significant(i.0))),
        Cell::List(k.measured_on.clone()),
    ]
}

/// One kernel: sizes, launch, every formula with its value and source, registers, and what is unknown.
#[must_use]
pub fn show(k: &KernelRow<'_>, sources: &SourceTable) -> Table {
    let kernel = k.kernel;
    let mut sheet = Sheet { sources, rows: Vec::new() };
    sheet.size_and_launch(k);
    sheet.counts(k);
    for ((major, minor), known) in &kernel.compiled {
        let r = &known.value;
        let items = [
            ("registers per thread", Some(r.registers)),
            ("static shared bytes, as compiled", r.static_smem_bytes),
            ("barriers", r.barriers),
            ("spill stores, bytes per thread", r.spill_store_bytes),
            ("spill loads, bytes per thread", r.spill_load_bytes),
            ("stack bytes per thread", r.stack_bytes),
            ("threads per block, at most", r.max_threads),
            ("threads per block, required", r.required_threads()),
        ];
        for (name, value) in items.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            sheet.add(&format!("{name}, {major}.{minor}"), "", Cell::number(value), &known.source, "");
        }
    }
    sheet.arithmetic(kernel);
    sheet.where_it_runs(kernel);
    let unknown = kernel.unknown.iter();
    unknown.for_each(|(item, why)| sheet.add(item, "", Cell::text("unknown"), "", why));
    let mut table = Table::new(vec![
        Column::left("item"),
        Column::left("formula"),
        Column::right("value"),
        Column::left("source"),
        Column::left("note"),
    ]);
    let size = kernel.short_problem(&k.size);
    let at = if size.is_empty() { size } else { format!("at {size}") };
    let parts = [
        format!("{} ({})", kernel.name, kernel.id),
        kernel.category.clone(),
        kernel.dtype.clone(),
        at,
        k.variant.to_string(),
    ];
    table.title = parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" · ");
    table.rows = sheet.rows;
    table.notes = std::iter::once(kernel.summary.clone()).chain(kernel.cautions.clone()).collect();
    if !k.measured_on.is_empty() {
        table.notes.push(format!("timed on {}", k.measured_on.join(", ")));
    }
    table
}

struct Sheet<'a> {
    sources: &'a SourceTable,
    rows: Vec<Vec<Cell>>,
}

impl Sheet<'_> {
    fn add(&mut self, item: &str, formula: &str, value: Cell, source: &str, note: &str) {
        let title = self.sources.get(source).map_or(source, |s| s.title.as_str());
        self.rows.push(vec![
            Cell::text(item),
            Cell::text(formula),
            value,
            Cell::text(title),
            Cell::text(note),
        ]);
    }

    fn size_and_launch(&mut self, k: &KernelRow<'_>) {
        for (name, problem) in &k.kernel.sizes {
            let size = Cell::text(problem.to_string());
            self.add(&format!("size {name}"), "", size, &k.kernel.source, "");
        }
        if k.kernel.has_formulas() {
            let runs_as = k.kernel.runs_as;
            self.add("runs as", "", Cell::text(runs_as.word()), "", runs_as.sentence());
        }
        if !k.kernel.variant_keys().is_empty() {
            let keys = Cell::text(k.kernel.variant_keys().join(", "));
            self.add("variant keys", "", keys, "", "read by the formulas");
        }
        let Some(instance) = &k.instance else { return };
        if let Some(launch) = &instance.launch {
            self.add("block", "", Cell::text(dimensions(launch.block)), "", "threads");
            self.add("grid", "", Cell::text(dimensions(launch.grid)), "", "blocks");
        }
        let bytes = |b: Option<u32>| Cell::maybe(b, Cell::number);
        self.add("static shared memory", "", bytes(instance.smem_static), "", "bytes per block");
        self.add("dynamic shared memory", "", bytes(instance.smem_dynamic), "", "bytes per block");
    }

    /// The pipe of its FLOPs, where that is no vector pipe, and what its name says of it.
    fn arithmetic(&mut self, kernel: &Kernel) {
        let choice = pipe_of(kernel);
        if choice.pipe.is_tensor() {
            self.add("arithmetic", "", Cell::text(choice.pipe.to_string()), "", choice.why);
        }
        let facts = NameFacts::of_name(&kernel.name);
        let by_x = |tile: [u32; 3]| {
            let used = tile.iter().filter(|n| **n > 0).map(ToString::to_string);
            used.collect::<Vec<_>>().join("x")
        };
        let said = [
            ("tile", facts.tile.filter(|_| facts.is_tensor).map(by_x)),
            ("stages", facts.stages.filter(|_| facts.is_tensor).map(|n| n.to_string())),
            ("tensor instruction", facts.instruction),
        ];
        for (item, value) in said {
            if let Some(value) = value {
                self.add(item, "", Cell::text(value), "", "read from its name");
            }
        }
    }

    fn where_it_runs(&mut self, kernel: &Kernel) {
        if let Some(codes) = &kernel.codes {
            let listed = Cell::List(codes.words());
            self.add(
                "code that was loaded",
                "",
                listed,
                "",
                "it runs on nothing else; compute_? = PTX was not looked for",
            );
        }
        if !kernel.needs.is_empty() {
            let needs = Cell::List(kernel.needs.iter().map(|f| f.word().to_string()).collect());
            self.add("needs", "", needs, &kernel.source, "features without which it runs nowhere");
        }
    }

    fn counts(&mut self, k: &KernelRow<'_>) {
        for (name, formula) in k.kernel.lets() {
            self.add(name, formula, Cell::text(""), "", "a part of the formulas below");
        }
        for count in Count::ALL {
            let Some(c) = k.kernel.count(count) else { continue };
            let value = k.instance.as_ref().and_then(|i| i.work.get(count));
            let value = Cell::maybe(value, Cell::number);
            self.add(count.name(), c.formula.text(), value, &c.source, c.note.as_deref().unwrap_or(""));
        }
    }
}

/// `32x32`: dimensions of 1 at the end are left out.
#[must_use]
pub fn dimensions<T: Copy + PartialEq + From<u8> + ToString>(all: [T; 3]) -> String {
    let used = all.iter().rposition(|d| *d != T::from(1)).map_or(1, |i| i + 1);
    all[..used].iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_of_one_are_left_out_at_the_end_only() {
        assert_eq!(dimensions([256_u32, 1, 1]), "256");
        assert_eq!(dimensions([1_u32, 1, 1]), "1");
        assert_eq!(dimensions([1_u64, 16, 1]), "1x16");
    }
}
