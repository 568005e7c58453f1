//! What listings of machine code say: the mix of instructions per kernel or per block, and two listings beside each other.

use super::cell::TableCell;
use super::table::{Table, TableColumn};
use crate::compiler::sass::{Block, Compared, OpcodeKind, SassFunction, Special};
use crate::kernel::{Operations, VectorPrecision};
use crate::units::significant;

/// Longer names are cut for people.
const LONGEST: usize = 48;

/// One row per function: instructions by class, and the special functions in it.
#[must_use]
pub fn mix(functions: &[&SassFunction]) -> Table {
    let mut columns =
        vec![TableColumn::left("kernel"), TableColumn::left("architecture"), TableColumn::right("blocks")];
    columns.extend(count_columns());
    columns.push(TableColumn::left("symbol"));
    let mut table = Table::new(columns);
    for f in functions {
        let mut row = vec![TableCell::text(&f.name), TableCell::text(f.architecture.to_string())];
        row.push(TableCell::number(f.blocks.len() as u32));
        row.push(TableCell::number(f.instructions()));
        row.extend(OpcodeKind::ALL.map(|k| TableCell::number(f.kind_count(k))));
        row.extend([TableCell::List(words(&f.special())), TableCell::text(&f.symbol)]);
        table.rows.push(row);
    }
    table
}

/// One row per basic block of these functions.
#[must_use]
pub fn block_table(functions: &[&SassFunction]) -> Table {
    let mut columns =
        vec![TableColumn::left("kernel"), TableColumn::left("architecture"), TableColumn::left("block")];
    columns.extend(count_columns());
    let mut table = Table::new(columns);
    for f in functions {
        for b in &f.blocks {
            let mut row = vec![
                TableCell::text(&f.name),
                TableCell::text(f.architecture.to_string()),
                TableCell::text(block_place(b)),
            ];
            row.push(TableCell::number(b.instructions()));
            row.extend(OpcodeKind::ALL.map(|k| TableCell::number(b.kind_count(k))));
            row.push(TableCell::List(words(&b.special)));
            table.rows.push(row);
        }
    }
    table
}

fn count_columns() -> impl Iterator<Item = TableColumn> {
    let kinds = OpcodeKind::ALL.into_iter().map(|k| TableColumn::right(k.as_str()));
    std::iter::once(TableColumn::right("instructions")).chain(kinds).chain([TableColumn::left("special")])
}

/// `0x130`, or `0x130 (subroutine)`.
fn block_place(block: &Block) -> String {
    format!("{:#x}{}", block.address, if block.subroutine { " (subroutine)" } else { "" })
}

fn words(special: &[Special]) -> Vec<String> {
    special.iter().map(|s| s.as_str().to_string()).collect()
}

/// [`mix`] or [`block_table`] for people: classes that nobody has are left out, symbols as well, long names are cut.
#[must_use]
pub fn overview_table(table: Table) -> Table {
    let mut table = short_names(table);
    let empty: Vec<&'static str> = table
        .columns
        .iter()
        .enumerate()
        .filter(|(i, c)| {
            let is_count = OpcodeKind::ALL.iter().any(|k| k.as_str() == c.name);
            is_count && table.rows.iter().all(|r| r[*i] == TableCell::number(0u32))
        })
        .map(|(_, c)| c.name)
        .chain(["symbol"])
        .collect();
    let note = "counts are of the code, not of a run: every instruction once; packed ones (FFMA2) are two";
    table.notes.push(note.into());
    let renamed = [
        ("architecture", "for"),
        ("instructions", "instr"),
        ("float_other", "float"),
        ("conversion", "conv"),
        ("integer", "int"),
        ("global_load", "ldg"),
        ("global_store", "stg"),
        ("shared_load", "lds"),
        ("shared_store", "sts"),
    ];
    table.without(&empty).renamed(&renamed)
}

fn short_names(mut table: Table) -> Table {
    for row in &mut table.rows {
        if let TableCell::Text(name) = &mut row[0]
            && let Some((cut, _)) = name.char_indices().nth(LONGEST)
        {
            name.truncate(cut);
            name.push('…');
        }
    }
    table
}

/// One row per kernel and width of two listings: FLOPs of the code, the factor on the target, and its limits.
#[must_use]
pub fn comparison(all: &[Compared<'_>]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::left("source_architecture"),
        TableColumn::left("target_architecture"),
        TableColumn::left("precision"),
        TableColumn::right("source_instructions"),
        TableColumn::right("target_instructions"),
        TableColumn::right("source_flops"),
        TableColumn::right("target_flops"),
        TableColumn::right("flop_factor"),
        TableColumn::right("least"),
        TableColumn::right("most"),
        TableColumn::right("special_blocks"),
        TableColumn::left("special"),
    ]);
    for c in all {
        for precision in VectorPrecision::ALL {
            let r = c.rewritten(precision);
            if r.source.flops() + r.target.flops() <= 0.0 && precision == VectorPrecision::Double {
                continue;
            }
            let special: Vec<Special> = c.pairs.iter().flat_map(|p| p.special.iter().copied()).collect();
            table.rows.push(vec![
                TableCell::text(&c.source.name),
                TableCell::text(c.source.architecture.to_string()),
                TableCell::text(c.target.architecture.to_string()),
                TableCell::text(precision.dtype()),
                TableCell::number(c.source.instructions()),
                TableCell::number(c.target.instructions()),
                TableCell::number(r.source.flops()),
                TableCell::number(r.target.flops()),
                factor_cell(r.rewrite_factor()),
                factor_cell(r.least),
                factor_cell(r.most),
                TableCell::number(c.pairs.len() as u32),
                TableCell::List(unique(&special)),
            ]);
        }
    }
    table
}

fn unique(special: &[Special]) -> Vec<String> {
    let mut sorted = special.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    words(&sorted)
}

/// A factor for people in few digits; without end where the source has no FLOPs to compare with.
fn factor_cell(value: f64) -> TableCell {
    if value.is_finite() { TableCell::shown(value, significant(value)) } else { TableCell::text("unbounded") }
}

/// [`comparison`] for people.
#[must_use]
pub fn comparison_overview(all: &[Compared<'_>]) -> Table {
    let mut table = short_names(comparison(all));
    let is_weighed = !all.is_empty() && all.iter().all(|c| c.executed.is_some());
    table.notes.push(
        if is_weighed {
            "factor: target FLOPs over source FLOPs, each block weighted by the threads that executed it; only blocks with special functions are \
             compared (paper 2, section 4.2); least and most: where blocks are not paired one to one"
        } else {
            "factor: target FLOPs over source FLOPs, each block counted once; only blocks with special functions are compared \
             (paper 2, section 4.2); least and most: bounds over all block counts; --block-counts gives them"
        }
        .into(),
    );
    table.renamed(&[
        ("source_architecture", "from"),
        ("target_architecture", "to"),
        ("precision", "type"),
        ("source_instructions", "instr"),
        ("target_instructions", "instr on target"),
        ("source_flops", "FLOPs"),
        ("target_flops", "FLOPs on target"),
        ("flop_factor", "factor"),
        ("special_blocks", "blocks"),
    ])
}

/// One row per pair of blocks that implement the same special functions.
#[must_use]
pub fn pairs(all: &[Compared<'_>]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::left("special"),
        TableColumn::left("source_blocks"),
        TableColumn::left("target_blocks"),
        TableColumn::right("source_fp32_flops"),
        TableColumn::right("target_fp32_flops"),
        TableColumn::right("source_fp64_flops"),
        TableColumn::right("target_fp64_flops"),
        TableColumn::right("source_instructions"),
        TableColumn::right("target_instructions"),
    ]);
    for c in all {
        for p in &c.pairs {
            let places = |blocks: &[&Block]| {
                TableCell::text(blocks.iter().map(|b| block_place(b)).collect::<Vec<_>>().join(" "))
            };
            let size = |blocks: &[&Block]| {
                TableCell::number(blocks.iter().fold(0u32, |s, b| s.saturating_add(b.instructions())))
            };
            let mut row = vec![
                TableCell::text(&c.source.name),
                TableCell::text(words(&p.special).join(", ")),
                places(&p.source),
                places(&p.target),
            ];
            for precision in VectorPrecision::ALL {
                row.extend(p.operations(precision).map(|o: Operations| TableCell::number(o.flops())));
            }
            row.extend([size(&p.source), size(&p.target)]);
            table.rows.push(row);
        }
    }
    table
}
