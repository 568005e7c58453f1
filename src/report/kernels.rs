//! The kernel catalogue: one row per kernel, or one kernel with every formula and where it comes from.

use super::cell::TableCell;
use super::spool::Spool;
use super::spooled_table::{SpooledTable, TableFrame};
use super::table::{Table, TableColumn, TableFormat};
use crate::catalogue::SourceTable;
use crate::kernel::{Count, Instance, Kernel, NameFacts, Problem, ProductSizes, StatedArithmetic};
use crate::roofline::pipe_of;
use crate::units::{Bytes, Flops, significant};
use std::io::{Result, Write};
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

/// The columns of the list of kernels, of which [`kernel_cells`] is a row.
#[must_use]
pub fn kernel_columns() -> Vec<TableColumn> {
    vec![
        TableColumn::left("id"),
        TableColumn::left("category"),
        TableColumn::left("keys"),
        TableColumn::left("sizes"),
        TableColumn::left("shown_at"),
        TableColumn::right("flops"),
        TableColumn::right("dram_bytes"),
        TableColumn::right("flop_per_byte"),
        TableColumn::left("measured_on"),
    ]
}

/// Headings for people.
const SHORT: [(&str, &str); 5] = [
    ("shown_at", "at"),
    ("flops", "FLOPs"),
    ("dram_bytes", "DRAM"),
    ("flop_per_byte", "FLOP/B"),
    ("measured_on", "timed on"),
];

/// The list of kernels for people: a file may name hundreds of thousands, and their rows are written down as they come.
#[derive(Debug)]
pub struct KernelsOverview(SpooledTable);

impl Default for KernelsOverview {
    fn default() -> Self {
        let short = |column: TableColumn| match SHORT.iter().find(|(name, _)| *name == column.name) {
            Some((_, name)) => TableColumn { name, ..column },
            None => column,
        };
        Self(SpooledTable::new(kernel_columns().into_iter().map(short).collect(), ""))
    }
}

impl KernelsOverview {
    /// Adds a kernel.
    ///
    /// # Errors
    /// What the file system says, where the rows no longer fit into memory.
    pub fn add_kernel(&mut self, kernel: &KernelRow<'_>) -> Result<()> {
        self.0.push(kernel_cells(kernel))
    }

    /// Writes the table, on a screen of so many characters without the columns that have no room.
    ///
    /// # Errors
    /// What the file system or the writer says.
    pub fn write(self, format: TableFormat, screen: Option<usize>, out: &mut dyn Write) -> Result<()> {
        let screen = screen.filter(|_| format == TableFormat::Table);
        let frame = TableFrame {
            least_needed: &["timed on", "sizes", "category", "keys"],
            // An id is typed as it stands here.
            shortened: &["at"],
            last_left_out: &["FLOP/B", "DRAM"],
            screen,
            notes: screen.map(|_| Spool::default()),
            ..TableFrame::default()
        };
        self.0.write(frame, format, out)
    }
}

/// One row per kernel.
#[must_use]
pub fn kernel_cells(k: &KernelRow<'_>) -> Vec<TableCell> {
    let kernel = k.kernel;
    let work = k.instance.as_ref().map(|i| i.work);
    let count = |c| work.and_then(|w| w.get(c));
    vec![
        TableCell::text(&kernel.id),
        TableCell::text(&kernel.category),
        TableCell::List(kernel.keys.clone()),
        TableCell::List(kernel.sizes.iter().map(|(_, p)| kernel.short_problem(p)).collect()),
        TableCell::text(kernel.short_problem(&k.size)),
        TableCell::maybe(count(Count::Flops), |v| TableCell::shown(v, Flops(v).to_string())),
        TableCell::maybe(count(Count::DramBytes), |v| TableCell::shown(v, Bytes(v).to_string())),
        TableCell::maybe(work.and_then(|w| w.intensity()), |i| TableCell::shown(i.0, significant(i.0))),
        TableCell::List(k.measured_on.clone()),
    ]
}

/// One kernel: sizes, launch, every formula with its value and source, registers, and what is unknown.
#[must_use]
pub fn show(k: &KernelRow<'_>, sources: &SourceTable) -> Table {
    let kernel = k.kernel;
    let mut sheet = KernelSheet { sources, rows: Vec::new() };
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
            sheet.add_item(
                &format!("{name}, {major}.{minor}"),
                "",
                TableCell::number(value),
                &known.source,
                "",
            );
        }
    }
    sheet.arithmetic(kernel);
    sheet.where_it_runs(kernel);
    let unknown = kernel.unknown.iter();
    unknown.for_each(|(item, why)| sheet.add_item(item, "", TableCell::text("unknown"), "", why));
    let mut table = Table::new(vec![
        TableColumn::left("item"),
        TableColumn::left("formula"),
        TableColumn::right("value"),
        TableColumn::left("source"),
        TableColumn::left("note"),
    ]);
    let size = kernel.short_problem(&k.size);
    let at = if size.is_empty() { size } else { format!("at {size}") };
    let parts = [
        format!("{} ({})", kernel.name(), kernel.id),
        kernel.category.clone(),
        kernel.dtype.clone(),
        at,
        k.variant.to_string(),
    ];
    table.title = parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(" · ");
    table.rows = sheet.rows;
    table.notes = std::iter::once(kernel.summary.clone()).chain(kernel.cautions.clone()).collect();
    for (capability, cautions) in &kernel.cautions_on {
        table.notes.extend(cautions.iter().map(|text| format!("compute capability {capability}: {text}")));
    }
    if !k.measured_on.is_empty() {
        table.notes.push(format!("timed on {}", k.measured_on.join(", ")));
    }
    table
}

struct KernelSheet<'a> {
    sources: &'a SourceTable,
    rows: Vec<Vec<TableCell>>,
}

impl KernelSheet<'_> {
    fn add_item(&mut self, item: &str, formula: &str, value: TableCell, source: &str, note: &str) {
        let title = self.sources.get(source).map_or(source, |s| s.title.as_str());
        self.rows.push(vec![
            TableCell::text(item),
            TableCell::text(formula),
            value,
            TableCell::text(title),
            TableCell::text(note),
        ]);
    }

    fn size_and_launch(&mut self, k: &KernelRow<'_>) {
        for (name, problem) in &k.kernel.sizes {
            let size = TableCell::text(problem.to_string());
            self.add_item(&format!("size {name}"), "", size, &k.kernel.source, "");
        }
        if k.kernel.has_formulas() {
            let runs_as = k.kernel.runs_as;
            self.add_item("runs as", "", TableCell::text(runs_as.as_str()), "", runs_as.sentence());
        }
        if !k.kernel.variant_keys().is_empty() {
            let keys = TableCell::text(k.kernel.variant_keys().join(", "));
            self.add_item("variant keys", "", keys, "", "read by the formulas");
        }
        let Some(instance) = &k.instance else { return };
        if let Some(launch) = &instance.launch {
            self.add_item("block", "", TableCell::text(dimensions(launch.block)), "", "threads");
            self.add_item("grid", "", TableCell::text(dimensions(launch.grid)), "", "blocks");
        }
        if let Some(ProductSizes { batch, m, n, k }) = instance.library_product {
            let by = if batch > 1.0 { format!("{batch} x ") } else { String::new() };
            let sizes = TableCell::text(format!("{by}{m} x {k} by {k} x {n}"));
            self.add_item("matrix product", "", sizes, "", "cut into the whole tiles of a library's kernel");
        }
        let bytes = |b: Option<u32>| TableCell::maybe(b, TableCell::number);
        self.add_item("static shared memory", "", bytes(instance.smem_static), "", "bytes per block");
        self.add_item("dynamic shared memory", "", bytes(instance.smem_dynamic), "", "bytes per block");
    }

    /// The pipe of its FLOPs, where that is no vector pipe, and what its name says of it.
    fn arithmetic(&mut self, kernel: &Kernel) {
        let choice = pipe_of(kernel);
        let stated = kernel.stated_arithmetic.as_ref();
        if choice.pipe.is_tensor() || stated.is_some_and(StatedArithmetic::names_pipe) {
            self.add_item("arithmetic", "", TableCell::text(choice.pipe.to_string()), "", choice.why);
        }
        let facts = kernel.arithmetic_facts();
        let named = NameFacts::of_name(kernel.name());
        let by_x = |tile: [u32; 3]| {
            let used = tile.iter().filter(|n| **n > 0).map(ToString::to_string);
            used.collect::<Vec<_>>().join("x")
        };
        let said = [
            ("tile", facts.tile.map(by_x), facts.tile == named.tile),
            ("stages", facts.stages.map(|n| n.to_string()), facts.stages == named.stages),
            ("tensor instruction", facts.instruction.clone(), facts.instruction == named.instruction),
        ];
        let is_told = facts.is_tensor || stated.is_some();
        for (item, value, is_named) in said {
            if let Some(value) = value.filter(|_| is_told) {
                let by = stated.filter(|_| !is_named).map_or("read from its name", |s| s.source.as_str());
                self.add_item(item, "", TableCell::text(value), "", by);
            }
        }
    }

    fn where_it_runs(&mut self, kernel: &Kernel) {
        if let Some(codes) = &kernel.codes {
            let listed = TableCell::List(codes.words());
            self.add_item(
                "code that was loaded",
                "",
                listed,
                "",
                "it runs on nothing else; compute_? = PTX was not looked for",
            );
        }
        if !kernel.needs.is_empty() {
            let needs = TableCell::List(kernel.needs.iter().map(|f| f.as_str().to_string()).collect());
            self.add_item("needs", "", needs, &kernel.source, "features without which it runs nowhere");
        }
    }

    fn counts(&mut self, k: &KernelRow<'_>) {
        for (name, formula) in k.kernel.lets() {
            self.add_item(name, formula, TableCell::text(""), "", "a part of the formulas below");
        }
        for count in Count::ALL {
            let Some(c) = k.kernel.count_formula(count) else { continue };
            let value = k.instance.as_ref().and_then(|i| i.work.get(count));
            let value = TableCell::maybe(value, TableCell::number);
            self.add_item(
                count.name(),
                c.formula.source_text(),
                value,
                &c.source,
                c.note.as_deref().unwrap_or(""),
            );
        }
        let Some(instructions) = k.kernel.instruction_formulas() else { return };
        let operations = k.instance.as_ref().and_then(|i| i.mix.single);
        let values = operations.map_or([None; 3], |o| [o.fma, o.add, o.mul].map(Some));
        for ((name, formula), value) in instructions.named().into_iter().zip(values) {
            let value = TableCell::maybe(value, TableCell::number);
            self.add_item(name, formula.source_text(), value, &instructions.source, "executed, by thread");
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
