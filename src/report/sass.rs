//! What listings of machine code say: the mix of instructions per kernel or per block, and two listings beside each other.

use super::cell::Cell;
use super::table::{Column, Table};
use crate::compiler::sass::{Block, Compared, Kind, SassFunction, Special};
use crate::kernel::{Operations, Precision};
use crate::units::significant;

/// Longer names are cut for people.
const LONGEST: usize = 48;

/// One row per function: instructions by class, and the special functions in it.
#[must_use]
pub fn mix(functions: &[&SassFunction]) -> Table {
    let mut columns = vec![Column::left("kernel"), Column::left("architecture"), Column::right("blocks")];
    columns.extend(count_columns());
    columns.push(Column::left("symbol"));
    let mut table = Table::new(columns);
    for f in functions {
        let mut row = vec![Cell::text(&f.name), Cell::text(f.architecture.to_string())];
        row.push(Cell::number(f.blocks.len() as u32));
        row.push(Cell::number(f.instructions()));
        row.extend(Kind::ALL.map(|k| Cell::number(f.count(k))));
        row.extend([Cell::List(words(&f.special())), Cell::text(&f.symbol)]);
        table.rows.push(row);
    }
    table
}

/// One row per basic block of these functions.
#[must_use]
pub fn blocks(functions: &[&SassFunction]) -> Table {
    let mut columns = vec![Column::left("kernel"), Column::left("architecture"), Column::left("block")];
    columns.extend(count_columns());
    let mut table = Table::new(columns);
    for f in functions {
        for b in &f.blocks {
            let mut row =
                vec![Cell::text(&f.name), Cell::text(f.architecture.to_string()), Cell::text(place(b))];
            row.push(Cell::number(b.instructions()));
            row.extend(Kind::ALL.map(|k| Cell::number(b.count(k))));
            row.push(Cell::List(words(&b.special)));
            table.rows.push(row);
        }
    }
    table
}

fn count_columns() -> impl Iterator<Item = Column> {
    let kinds = Kind::ALL.into_iter().map(|k| Column::right(k.word()));
    std::iter::once(Column::right("instructions")).chain(kinds).chain([Column::left("special")])
}

/// `0x130`, or `0x130 (subroutine)`.
fn place(block: &Block) -> String {
    format!("{:#x}{}", block.address, if block.subroutine { " (subroutine)" } else { "" })
}

fn words(special: &[Special]) -> Vec<String> {
    special.iter().map(|s| s.word().to_string()).collect()
}

/// [`mix`] or [`blocks`] for people: classes that nobody has are left out, symbols as well, long names are cut.
#[must_use]
pub fn overview(table: Table) -> Table {
    let mut table = short_names(table);
    let empty: Vec<&'static str> = table
        .columns
        .iter()
        .enumerate()
        .filter(|(i, c)| {
            let is_count = Kind::ALL.iter().any(|k| k.word() == c.name);
            is_count && table.rows.iter().all(|r| r[*i] == Cell::number(0u32))
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
        if let Cell::Text(name) = &mut row[0]
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
        Column::left("kernel"),
        Column::left("source_architecture"),
        Column::left("target_architecture"),
        Column::left("precision"),
        Column::right("source_instructions"),
        Column::right("target_instructions"),
        Column::right("source_flops"),
        Column::right("target_flops"),
        Column::right("flop_factor"),
        Column::right("least"),
        Column::right("most"),
        Column::right("special_blocks"),
        Column::left("special"),
    ]);
    for c in all {
        for precision in Precision::ALL {
            let r = c.rewritten(precision);
            if r.source.flops() + r.target.flops() <= 0.0 && precision == Precision::Double {
                continue;
            }
            let special: Vec<Special> = c.pairs.iter().flat_map(|p| p.special.iter().copied()).collect();
            table.rows.push(vec![
                Cell::text(&c.source.name),
                Cell::text(c.source.architecture.to_string()),
                Cell::text(c.target.architecture.to_string()),
                Cell::text(precision.dtype()),
                Cell::number(c.source.instructions()),
                Cell::number(c.target.instructions()),
                Cell::number(r.source.flops()),
                Cell::number(r.target.flops()),
                factor(r.factor()),
                factor(r.least),
                factor(r.most),
                Cell::number(c.pairs.len() as u32),
                Cell::List(unique(&special)),
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
fn factor(value: f64) -> Cell {
    if value.is_finite() { Cell::shown(value, significant(value)) } else { Cell::text("unbounded") }
}

/// [`comparison`] for people.
#[must_use]
pub fn comparison_overview(all: &[Compared<'_>]) -> Table {
    let mut table = short_names(comparison(all));
    table.notes.push(
        "FLOPs of the target's code over the source's, every block once: only blocks with special functions are compared \
         (paper 2, section 4.2); least and most: whatever block runs how often"
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
        Column::left("kernel"),
        Column::left("special"),
        Column::left("source_blocks"),
        Column::left("target_blocks"),
        Column::right("source_fp32_flops"),
        Column::right("target_fp32_flops"),
        Column::right("source_fp64_flops"),
        Column::right("target_fp64_flops"),
        Column::right("source_instructions"),
        Column::right("target_instructions"),
    ]);
    for c in all {
        for p in &c.pairs {
            let places =
                |blocks: &[&Block]| Cell::text(blocks.iter().map(|b| place(b)).collect::<Vec<_>>().join(" "));
            let size = |blocks: &[&Block]| {
                Cell::number(blocks.iter().fold(0u32, |s, b| s.saturating_add(b.instructions())))
            };
            let mut row = vec![
                Cell::text(&c.source.name),
                Cell::text(words(&p.special).join(", ")),
                places(&p.source),
                places(&p.target),
            ];
            for precision in Precision::ALL {
                row.extend(p.operations(precision).map(|o: Operations| Cell::number(o.flops())));
            }
            row.extend([size(&p.source), size(&p.target)]);
            table.rows.push(row);
        }
    }
    table
}
