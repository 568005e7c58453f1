//! A board as a table: sixteen columns for programs, marks, units and footnotes for people.

use super::board::Board;
use super::order::{RankOrder, fastest_is_separate};
use super::row::RankedRow;
use crate::answer::COVERAGE;
use crate::report::{Cell, Column, Table, shown};
use crate::units::{Seconds, range, significant};

/// The columns of [`board_records`]: the contract of `rank --format json` and `--format csv`.
pub const BOARD_COLUMNS: [Column; 16] = [
    Column::left("gpu"),
    Column::left("name"),
    Column::right("time_ms"),
    Column::right("low_ms"),
    Column::right("high_ms"),
    Column::right("speedup"),
    Column::left("limit"),
    Column::right("occupancy"),
    Column::left("fits_memory"),
    Column::right("board_power_w"),
    Column::right("energy_j"),
    Column::right("usd_per_hour"),
    Column::left("price_date"),
    Column::right("usd_per_million_runs"),
    Column::left("pareto"),
    Column::left("cautions"),
];

/// For programs: every column, full precision, null where there is none; the best row first.
#[must_use]
pub fn board_records(board: &Board) -> Table {
    let mut table = Table::new(BOARD_COLUMNS.to_vec());
    table.rows = board.rows.iter().map(record).collect();
    table
}

fn record(row: &RankedRow) -> Vec<Cell> {
    let ms = |time: Option<Seconds>| Cell::maybe(time.map(shown::millis), Cell::number);
    vec![
        Cell::text(&row.gpu_id),
        Cell::text(marked_name(row)),
        ms(row.time),
        ms(row.low),
        ms(row.high),
        Cell::maybe(row.speedup, Cell::number),
        Cell::maybe(row.limit, |limit| Cell::text(limit.word())),
        Cell::maybe(row.occupancy, Cell::number),
        Cell::maybe(row.fits_memory, Cell::Flag),
        Cell::maybe(row.board_power, |p| Cell::number(p.0)),
        Cell::maybe(row.energy, |e| Cell::number(e.0)),
        Cell::maybe(row.price.as_ref(), |p| Cell::number(p.usd_per_hour)),
        Cell::maybe(row.price.as_ref().and_then(|p| p.date.clone()), Cell::text),
        Cell::maybe(row.usd_per_million_runs, Cell::number),
        Cell::Flag(row.is_pareto),
        Cell::List(row.cautions.clone()),
    ]
}

/// The columns for people, the first to go where there is no room last.
const LEAST_NEEDED: [&str; 10] = [
    "launch price",
    "price from",
    "fits",
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
        Column::right("#"),
        Column::left("GPU"),
        Column::right("time"),
        Column::right("interval"),
        Column::right("speedup"),
        Column::left("limit"),
        Column::right("occupancy"),
        Column::left("fits"),
        Column::right("power"),
        Column::right("energy"),
        Column::right("$/h"),
        Column::left("price from"),
        Column::right("$/1M runs"),
        Column::right("launch price"),
        Column::left("notes"),
    ];
    let mut table = Table::new(names.to_vec());
    table.rows = board.rows.iter().enumerate().map(|(at, row)| row_for_people(at, row)).collect();
    table.title = title(board);
    table.notes = notes(board);
    let mut hidden = Vec::new();
    if board.has_prices || board.order != RankOrder::PerfPerDollar {
        hidden.push("launch price");
    }
    if !board.has_prices {
        hidden.extend(["$/h", "price from", "$/1M runs"]);
    }
    let is_plain = |row: &RankedRow| row.fits_memory != Some(false);
    if board.rows.iter().all(is_plain) {
        hidden.push("fits");
    }
    let table = table.footnoted("notes").without(&hidden);
    match width {
        Some(width) => table.fitted(width, &LEAST_NEEDED),
        None => table,
    }
}

fn row_for_people(at: usize, row: &RankedRow) -> Vec<Cell> {
    let mark = if row.rests_on_measurement { shown::PREDICTED } else { shown::ESTIMATED };
    let place = if row.is_pareto { format!("*{}", at + 1) } else { (at + 1).to_string() };
    let dollars = |usd: f64| Cell::text(significant(usd));
    vec![
        Cell::text(place),
        Cell::text(marked_name(row)),
        Cell::maybe(row.time, |time| Cell::text(format!("{time} {mark}"))),
        Cell::maybe(row.low.zip(row.high), |(low, high)| Cell::text(range(low, high))),
        Cell::maybe(row.speedup, |s| Cell::text(format!("{}×", significant(s)))),
        Cell::maybe(row.limit, |limit| Cell::text(limit.word())),
        Cell::maybe(row.occupancy, |o| Cell::text(format!("{:.0} %", 100.0 * o))),
        Cell::maybe(row.fits_memory, Cell::Flag),
        Cell::maybe(row.board_power, |p| Cell::text(format!("~{p}"))),
        Cell::maybe(row.energy, |e| Cell::text(format!("~{e}"))),
        Cell::maybe(row.price.as_ref(), |p| dollars(p.usd_per_hour)),
        Cell::maybe(row.price.as_ref(), |p| Cell::text(price_source(p))),
        Cell::maybe(row.usd_per_million_runs, dollars),
        Cell::maybe(row.launch_usd, |usd| Cell::text(format!("{usd:.0} $, {}", row.launch_year))),
        Cell::List(row.cautions.clone()),
    ]
}

fn price_source(price: &super::PriceQuote) -> String {
    let day = price.date.clone().unwrap_or_else(|| "undated".into());
    let place = [price.provider.as_str(), &price.region].into_iter().filter(|p| !p.is_empty());
    place.chain([day.as_str()]).collect::<Vec<_>>().join(" ")
}

/// `◇` before a GPU that does not exist as it stands here.
pub(super) fn marked_name(row: &RankedRow) -> String {
    let is_marked = row.name.starts_with('◇');
    if row.is_hypothetical && !is_marked { format!("◇ {}", row.name) } else { row.name.clone() }
}

fn title(board: &Board) -> String {
    let time = board.source_time.map_or_else(|| "no time".to_string(), |t| t.to_string());
    let covered = 100.0 * COVERAGE;
    format!(
        "{} · {time} on {} · by {} · {covered:.0} % intervals",
        board.workload,
        board.source_name,
        board.order.word()
    )
}

fn notes(board: &Board) -> Vec<String> {
    let mut all = vec![
        "◆ scaled from a measurement  ~ modelled without one  * best in time and power, or time and money"
            .to_string(),
    ];
    if board.rows.iter().any(|row| row.is_hypothetical) {
        all.push("◇ hypothetical GPU".into());
    }
    if board.order == RankOrder::Time && fastest_is_separate(&board.rows) == Some(false) {
        all.push(
            "the intervals of the first two rows overlap: their order is the model's, measure both".into(),
        );
    }
    if board.order == RankOrder::PerfPerDollar && !board.has_prices {
        all.push("no --prices: ordered by time x launch price, which is no price of today".into());
    }
    all
}
