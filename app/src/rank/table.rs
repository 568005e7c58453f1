//! A board as a table: eighteen columns for programs, marks, units and footnotes for people.

use super::board::{Board, ProfiledSource};
use super::order::{RankOrder, fastest_is_separate};
use super::row::RankedRow;
use crate::answer::COVERAGE;
use crate::report::{Table, TableCell, TableColumn, shown};
use crate::text::counted;
use crate::units::{Seconds, significant};

/// The columns of [`board_records`]: the contract of `rank --format json` and `--format csv`.
pub const BOARD_COLUMNS: [TableColumn; 18] = [
    TableColumn::left("gpu"),
    TableColumn::left("name"),
    TableColumn::right("time_ms"),
    TableColumn::right("low_ms"),
    TableColumn::right("high_ms"),
    TableColumn::right("speedup"),
    TableColumn::left("limit"),
    TableColumn::right("occupancy"),
    TableColumn::left("fits_memory"),
    TableColumn::right("board_power_w"),
    TableColumn::right("energy_j"),
    TableColumn::right("usd_per_hour"),
    TableColumn::left("price_date"),
    TableColumn::right("usd_per_million_runs"),
    TableColumn::left("pareto"),
    TableColumn::left("cautions"),
    TableColumn::right("speedup_over_profile"),
    TableColumn::left("time_kind"),
];

/// For programs: every column, full precision, null where there is none; the best row first.
#[must_use]
pub fn board_records(board: &Board) -> Table {
    let mut table = Table::new(BOARD_COLUMNS.to_vec());
    table.rows = board.rows.iter().map(record).collect();
    table
}

fn record(row: &RankedRow) -> Vec<TableCell> {
    let ms = |time: Option<Seconds>| TableCell::maybe(time.map(shown::millis), TableCell::number);
    vec![
        TableCell::text(&row.gpu_id),
        TableCell::text(marked_name(row)),
        ms(row.time),
        ms(row.low),
        ms(row.high),
        TableCell::maybe(row.speedup, TableCell::number),
        TableCell::maybe(row.limit, |limit| TableCell::text(limit.as_str())),
        TableCell::maybe(row.occupancy, TableCell::number),
        TableCell::maybe(row.fits_memory, TableCell::Flag),
        TableCell::maybe(row.board_power, |p| TableCell::number(p.0)),
        TableCell::maybe(row.energy, |e| TableCell::number(e.0)),
        TableCell::maybe(row.price.as_ref(), |p| TableCell::number(p.usd_per_hour)),
        TableCell::maybe(row.price.as_ref().and_then(|p| p.date.clone()), TableCell::text),
        TableCell::maybe(row.usd_per_million_runs, TableCell::number),
        TableCell::Flag(row.is_pareto),
        TableCell::List(row.cautions.clone()),
        TableCell::maybe(row.speedup_over_profile, TableCell::number),
        TableCell::maybe(row.time.map(|_| row.kind().as_str()), TableCell::text),
    ]
}

/// The columns for people, the first to go where there is no room last.
const LEAST_NEEDED: [&str; 11] = [
    "launch price",
    "price from",
    "fits",
    shown::AS_PROFILED,
    "occupancy",
    "energy",
    "power",
    "limit",
    "$/h",
    "notes",
    "interval",
];

/// For people, at most so many characters wide where that can be: columns that matter less are left out, and named.
///
/// ```text
/// saxpy n=268435456 · TITAN V 4.94 ms · by time · 90 % intervals
///
///       GPU            time             interval  speedup  limit  occupancy  power   energy
/// ◇1   B200        0.480 ms ◆  0.31–0.74 ms    10.3×  DRAM      100 %  610 W  0.29 J
/// ```
#[must_use]
pub fn board_table(board: &Board, width: Option<usize>) -> Table {
    let names = [
        TableColumn::right("#"),
        TableColumn::left("GPU"),
        TableColumn::right("time"),
        TableColumn::right("interval"),
        TableColumn::right("speedup"),
        TableColumn::right(shown::AS_PROFILED),
        TableColumn::left("limit"),
        TableColumn::right("occupancy"),
        TableColumn::left("fits"),
        TableColumn::right("power"),
        TableColumn::right("energy"),
        TableColumn::right("$/h"),
        TableColumn::left("price from"),
        TableColumn::right("$/1M runs"),
        TableColumn::right("launch price"),
        TableColumn::left("notes"),
    ];
    let mut table = Table::new(names.to_vec());
    let ranks = board.order.in_effect(&board.rows).ranks(&board.rows);
    table.rows = ranks.iter().zip(&board.rows).map(|(rank, row)| row_for_people(*rank, row)).collect();
    table.title = title(board);
    table.notes = notes(board);
    if ranks.windows(2).any(|two| two[0] == two[1]) && !board.is_each_kernel {
        table.notes.push(SHARED_RANK.into());
    }
    let mut hidden = Vec::new();
    if board.profiled.is_none() {
        hidden.push(shown::AS_PROFILED);
    }
    if board.has_prices || board.order != RankOrder::PerfPerDollar {
        hidden.push("launch price");
    }
    if board.is_of_application {
        hidden.extend(["limit", "occupancy", "power", "energy"]);
    }
    if !board.has_prices {
        hidden.extend(["$/h", "price from", "$/1M runs"]);
    }
    let is_plain = |row: &RankedRow| row.fits_memory != Some(false);
    if board.rows.iter().all(is_plain) {
        hidden.push("fits");
    }
    let table = table.footnoted("notes").without(&hidden);
    let Some(width) = width else { return table };
    let ordered_by = ordering_column(board);
    let least_needed: Vec<&str> = LEAST_NEEDED.into_iter().filter(|name| *name != ordered_by).collect();
    let table = table.fitted(width, &least_needed);
    // Of a kernel both ends are read; variants and blocks differ anywhere.
    if board.is_each_kernel { table.shortened(width, "GPU") } else { table }
}

/// The column that the rows are ordered by, which no screen goes without.
fn ordering_column(board: &Board) -> &'static str {
    match board.order.in_effect(&board.rows) {
        RankOrder::Time => "time",
        RankOrder::PerfPerWatt => "energy",
        RankOrder::PerfPerDollar if board.has_prices => "$/1M runs",
        RankOrder::PerfPerDollar => "launch price",
    }
}

/// What is said where two rows have one rank.
const SHARED_RANK: &str = "equal as shown: one rank, in the order of their ids";

fn row_for_people(rank: usize, row: &RankedRow) -> Vec<TableCell> {
    let place = if row.is_pareto { format!("*{rank}") } else { rank.to_string() };
    let dollars = |usd: f64| TableCell::text(significant(usd));
    vec![
        TableCell::text(place),
        TableCell::text(marked_name(row)),
        TableCell::maybe(row.time, |time| TableCell::text(row.kind().marked(time))),
        TableCell::maybe(row.interval_text(), TableCell::text),
        TableCell::maybe(row.speedup_text(), TableCell::text),
        TableCell::maybe(row.speedup_as_profiled_text(), TableCell::text),
        TableCell::maybe(row.limit, |limit| TableCell::text(limit.as_str())),
        TableCell::maybe(row.occupancy, |o| TableCell::text(format!("{:.0} %", 100.0 * o))),
        TableCell::maybe(row.fits_memory, TableCell::Flag),
        TableCell::maybe(row.power_text(), TableCell::text),
        TableCell::maybe(row.energy_text(), TableCell::text),
        TableCell::maybe(row.price.as_ref(), |p| dollars(p.usd_per_hour)),
        TableCell::maybe(row.price.as_ref(), |p| TableCell::text(price_source(p))),
        TableCell::maybe(row.run_cost_text(), TableCell::text),
        TableCell::maybe(row.launch_usd, |usd| TableCell::text(format!("{usd:.0} $, {}", row.launch_year))),
        TableCell::List(row.cautions.clone()),
    ]
}

fn price_source(price: &super::PriceQuote) -> String {
    let day = price.date.clone().unwrap_or_else(|| "undated".into());
    let place = [price.provider.as_str(), &price.region].into_iter().filter(|p| !p.is_empty());
    place.chain([day.as_str()]).collect::<Vec<_>>().join(" ")
}

fn has_no_cost(row: &RankedRow) -> bool {
    row.usd_per_million_runs == Some(0.0)
}

/// What a table says of `◇` before a GPU.
pub const HYPOTHETICAL: &str = "◇ hypothetical GPU";

/// `◇` before a GPU that does not exist as it stands here.
#[must_use]
pub fn marked_name(row: &RankedRow) -> String {
    let is_marked = row.name.starts_with('◇');
    if row.is_hypothetical && !is_marked { format!("◇ {}", row.name) } else { row.name.clone() }
}

fn title(board: &Board) -> String {
    let source = board.source_words();
    let covered = 100.0 * COVERAGE;
    let by = board.order.in_effect(&board.rows).as_str();
    let order = if board.is_each_kernel { "its kernels" } else { &format!("by {by}") };
    format!("{} · {source} · {order} · {covered:.0} % intervals", board.workload)
}

/// That so many rows of a table were measured at other clocks; nothing of none.
fn other_clocks_note(rows: usize) -> Option<String> {
    let (were, their) = if rows == 1 { ("was", "its") } else { ("were", "their") };
    let rows = (rows > 0).then(|| counted(rows, "row"))?;
    Some(format!(
        "speedup: over the times at the profiled clocks; {rows} {were} measured at other clocks than {their} GPU is set to"
    ))
}

/// What both speedups of a kernel are over that was measured at other clocks than its source is set to at this time: a line for each
/// column.
fn profiled_notes(profiled: ProfiledSource, at_set: Seconds) -> [String; 2] {
    let ProfiledSource { time, kind, sm_clock, clocks_name } = profiled;
    let (measured, mhz, factor) = (shown::measured(time, kind), sm_clock.0 / 1e6, significant(time / at_set));
    let as_profiled = shown::AS_PROFILED;
    [
        format!("speedup: at {clocks_name}"),
        format!(
            "{as_profiled}: over {measured} at the profiled clocks (SM {mhz:.0} MHz), {factor}× the speedup"
        ),
    ]
}

/// What is said of a fastest row that the next one may beat.
fn first_two_overlap(rows: &[RankedRow]) -> &'static str {
    if rows.iter().filter(|row| row.is_choice()).take(2).any(|row| row.is_measured) {
        "one of the first two rows is measured, within the interval of the other: their order is the model's, measure that one too"
    } else {
        "the intervals of the first two rows overlap: their order is the model's, measure both"
    }
}

fn notes(board: &Board) -> Vec<String> {
    let marks = shown::MARKS;
    let is_starred = board.rows.iter().any(|row| row.is_pareto);
    let star = match (is_starred && !board.is_each_kernel, board.is_of_blocks) {
        (false, _) => "",
        (true, true) => "  * block size to take on its GPU (the kernel's own where it is as good)",
        (true, false) => "  * best in time and power, or time and money",
    };
    let mut all = vec![format!("{marks}{star}")];
    if board.is_each_kernel {
        let first = board.order.in_effect(&board.rows).most_first();
        all.push(format!("each kernel with all its launches in a run, {first}"));
        all.extend(board.order.unordered_note(&board.rows));
        return all;
    }
    let profiled = board.profiled.zip(board.source_time);
    all.extend(profiled.into_iter().flat_map(|(profiled, at_set)| profiled_notes(profiled, at_set)));
    all.extend(other_clocks_note(board.rows_at_other_clocks as usize));
    if board.rows.iter().any(|row| row.is_hypothetical) {
        all.push(HYPOTHETICAL.into());
    }
    if board.order.in_effect(&board.rows) == RankOrder::Time
        && fastest_is_separate(&board.rows) == Some(false)
    {
        all.push(first_two_overlap(&board.rows).into());
    }
    let unordered = board.order.unordered_note(&board.rows);
    let has_order = board.rows.iter().any(|row| row.launch_usd.is_some());
    all.extend(unordered);
    if board.order == RankOrder::PerfPerDollar && board.rows.iter().any(has_no_cost) {
        all.push("$/h of 0: perf per dollar is not defined, these rows stand before all others".into());
    }
    if board.order == RankOrder::PerfPerDollar && !board.has_prices && has_order {
        all.push("no --prices: ordered by time x launch price, which is not a current price".into());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_at_other_clocks_is_one() {
        assert_eq!(other_clocks_note(0), None);
        let [one, two] = [1, 2].map(|rows| other_clocks_note(rows).unwrap_or_default());
        assert!(one.contains("; 1 row was measured at other clocks than its GPU is set to"), "{one}");
        assert!(two.contains("; 2 rows were measured at other clocks than their GPU is set to"), "{two}");
    }
}
