//! A board as a picture: one horizontal bar per GPU with its interval.

use super::board::Board;
use super::order::RankOrder;
use super::row::RankedRow;
use super::table::marked_name;
use crate::answer::COVERAGE;
use crate::chart::{Axis, ChartSpec, Mark, Meaning, Scale, Shape, TimeUnit};
use crate::text::marked_estimate;
use crate::units::Seconds;

/// The most rows that a picture has.
const MOST_ROWS: usize = 60;

/// Draws the rows that have a time, best first.
#[must_use]
pub fn rank_chart(board: &Board) -> ChartSpec {
    let timed = || board.rows.iter().filter(|row| row.time.is_some());
    let rows: Vec<&RankedRow> = timed().take(MOST_ROWS).collect();
    let all_ends = rows.iter().flat_map(|row| [row.time, row.high].into_iter().flatten());
    let longest = all_ends.fold(Seconds(0.0), Seconds::max);
    let unit = TimeUnit::for_longest(longest);
    let longest = unit.number(longest);
    let order = board.order.in_effect(&board.rows);
    let mark = |(slot, row): (usize, &&RankedRow)| row_marks(slot, row, board, order, unit);
    let marks = rows.iter().enumerate().flat_map(mark).collect();
    let without = board.rows.len() - timed().count();
    let mut notes = Vec::new();
    if timed().count() > rows.len() {
        notes.push(format!("{} more have a prediction and are not drawn", timed().count() - rows.len()));
    }
    if without > 0 {
        notes.push(format!("{without} of {} GPUs have no prediction", board.rows.len()));
    }
    if rows.iter().any(|row| row.is_hypothetical) {
        notes.push("◇: hypothetical GPU".into());
    }
    let has_words = board.source_time.is_some() || board.is_without_source;
    let source = if has_words { format!("{} · ", board.source_words()) } else { String::new() };
    ChartSpec {
        title: title(board, &rows),
        subtitle: format!(
            "{source}by {} · bars: predicted time, lines: {:.0} % interval{}{}",
            order.as_str(),
            100.0 * COVERAGE,
            if order == RankOrder::PerfPerWatt { ", J: energy of a run" } else { "" },
            match (board.has_prices, order) {
                (true, _) => ", $: a million runs",
                (false, RankOrder::PerfPerDollar) => ", $: launch price",
                (false, _) => "",
            }
        ),
        x: Axis {
            label: unit.axis_label("time"),
            scale: Scale::Linear { min: 0.0, max: if longest > 0.0 { 1.3 * longest } else { 1.0 } },
        },
        y: Axis {
            label: String::new(),
            scale: Scale::Category(rows.iter().map(|row| marked_name(row)).collect()),
        },
        marks,
        notes,
    }
}

/// `saxpy n=1048576 on 12 GPUs`, or the kernel with the number of its variants or blocks.
fn title(board: &Board, rows: &[&RankedRow]) -> String {
    let what = if rows.iter().any(|row| !row.label.is_empty()) { "rows" } else { "GPUs" };
    let on = if what == "GPUs" { " on" } else { ":" };
    format!("{}{on} {} {what}", board.workload, rows.len())
}

fn row_marks(slot: usize, row: &RankedRow, board: &Board, order: RankOrder, unit: TimeUnit) -> Vec<Mark> {
    let Some(time) = row.time else { return Vec::new() };
    let is_source = row.gpu == board.source && !board.is_without_source;
    let meaning = if is_source { Meaning::Source } else { Meaning::Target };
    let word =
        if row.rests_on_measurement { "scaled from a measurement" } else { "modelled without a measurement" };
    let shape = match (row.is_measured, row.rests_on_measurement) {
        (true, _) => Shape::Measured,
        (false, true) => Shape::Predicted,
        (false, false) => Shape::Estimated,
    };
    let speedup = row.speedup_text().map_or_else(String::new, |text| format!("  {text}"));
    let energy = row.energy_text().filter(|_| order == RankOrder::PerfPerWatt);
    let energy = energy.map_or_else(String::new, |joules| format!("  {joules}"));
    let launch = || Some(format!("{:.0}", row.launch_usd.filter(|_| order == RankOrder::PerfPerDollar)?));
    let dollars = if board.has_prices { row.run_cost_text() } else { launch() };
    let dollars = dollars.map_or_else(String::new, |usd| format!("  ${usd}"));
    let bar = Mark::Bar {
        name: if is_source { "source GPU".into() } else { format!("predicted, {word}") },
        meaning,
        slot,
        value: unit.number(time),
        label: String::new(),
    };
    let point = Mark::Point {
        name: String::new(),
        meaning,
        shape,
        at: (unit.number(time), slot as f64),
        interval: row.low.zip(row.high).map(|(low, high)| (unit.number(low), unit.number(high))),
        label: format!(
            "{}{speedup}{energy}{dollars}",
            marked_estimate(time, row.is_measured || row.rests_on_measurement)
        ),
    };
    vec![bar, point]
}
