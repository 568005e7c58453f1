//! What compilers say of kernels: one row per kernel and architecture.

use super::cell::TableCell;
use super::table::{Table, TableColumn};
use crate::compiler::CompilerReport;
use crate::kernel::Resources;

/// One row per build, in the order of the reports.
#[must_use]
pub fn compiled_table(reports: &[CompilerReport]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::left("architecture"),
        TableColumn::right("registers"),
        TableColumn::right("static_smem_bytes"),
        TableColumn::right("barriers"),
        TableColumn::right("spill_store_bytes"),
        TableColumn::right("spill_load_bytes"),
        TableColumn::right("stack_bytes"),
        TableColumn::right("max_threads"),
        TableColumn::left("required_block"),
        TableColumn::left("symbol"),
        TableColumn::left("from"),
    ]);
    for report in reports {
        let from = format!("{} ({})", report.file, report.format.as_str());
        table.rows.extend(report.kernels.iter().map(|k| {
            let mut row = vec![TableCell::text(&k.name), TableCell::text(k.architecture.to_string())];
            row.extend(resource_cells(&k.resources));
            row.extend([TableCell::text(&k.symbol), TableCell::text(&from)]);
            row
        }));
    }
    table
}

fn resource_cells(r: &Resources) -> Vec<TableCell> {
    let maybe = |n: Option<u32>| TableCell::maybe(n, TableCell::number);
    let block = r.required_block.map(|[x, y, z]| format!("{x}x{y}x{z}"));
    vec![
        TableCell::number(r.registers),
        maybe(r.static_smem_bytes),
        maybe(r.barriers),
        maybe(r.spill_store_bytes),
        maybe(r.spill_load_bytes),
        maybe(r.stack_bytes),
        maybe(r.max_threads),
        TableCell::maybe(block, TableCell::text),
    ]
}

/// [`compiled_table`] for people: short headings, files as footnotes, without symbols and without bounds where nobody set any;
/// long names are cut.
///
/// ```text
/// kernel      for    regs  shared B  barriers  spill st B  spill ld B  stack B  from
/// matmul_big  sm_89    24      1024         1          24          12       16  [1]
/// ```
#[must_use]
pub fn overview_table(reports: &[CompilerReport]) -> Table {
    const LONGEST: usize = 48;
    let names = [
        ("architecture", "for"),
        ("registers", "regs"),
        ("static_smem_bytes", "shared B"),
        ("spill_store_bytes", "spill st B"),
        ("spill_load_bytes", "spill ld B"),
        ("stack_bytes", "stack B"),
        ("max_threads", "max thr"),
        ("required_block", "block"),
    ];
    let mut table = compiled_table(reports);
    for row in &mut table.rows {
        if let TableCell::Text(name) = &mut row[0]
            && let Some((cut, _)) = name.char_indices().nth(LONGEST)
        {
            name.truncate(cut);
            name.push('…');
        }
    }
    let builds = || reports.iter().flat_map(|r| &r.kernels).map(|k| &k.resources);
    let mut hidden = vec!["symbol"];
    if builds().all(|r| r.max_threads.is_none()) {
        hidden.push("max_threads");
    }
    if builds().all(|r| r.required_block.is_none()) {
        hidden.push("required_block");
    }
    table.without(&hidden).renamed(&names).footnoted("from")
}
