//! A GEMM with each tile: time, power, energy, rate, and which to take.

use super::answers::{ARITHMETIC, Gemm};
use super::tiles::{BestTiles, Ranged, TileAnswer, best};
use crate::gpu::Gpu;
use crate::report::{Table, TableCell, TableColumn, TableFormat};
use crate::units::{Watts, range, range_in, significant};

/// The answers in this format: for programs every number in a column of its own.
#[must_use]
pub fn tile_table(
    gpu: &Gpu,
    gemm: &Gemm,
    answers: &[TileAnswer],
    remarks: &[String],
    format: TableFormat,
) -> Table {
    if format.is_for_people() {
        overview_table(gpu, gemm, answers, remarks)
    } else {
        record_table(gpu, answers)
    }
}

/// For people.
#[must_use]
pub fn overview_table(gpu: &Gpu, gemm: &Gemm, answers: &[TileAnswer], remarks: &[String]) -> Table {
    let picked = best(answers);
    let mut table = Table::new(vec![
        TableColumn::left("tile"),
        TableColumn::right("blocks/SM"),
        TableColumn::right("occ."),
        TableColumn::left("occ. limit"),
        TableColumn::right("time"),
        TableColumn::right("90 %"),
        TableColumn::right("power"),
        TableColumn::right("90 % of power"),
        TableColumn::right("energy"),
        TableColumn::right("90 % of energy"),
        TableColumn::right("TFLOP/s"),
        TableColumn::left("from"),
        TableColumn::left("take"),
        TableColumn::left("notes"),
    ]);
    table.title = format!("{gemm} on {}: 90 % intervals", gpu.name);
    for (place, a) in answers.iter().enumerate() {
        table.rows.push(tile_cells(place, a, picked));
    }
    let mut table = table.footnoted("notes");
    table.notes.extend(picked.advice_lines(answers));
    table.notes.extend(remarks.iter().cloned());
    table.notes.extend(legend(answers));
    table.notes.push(format!("{ARITHMETIC}; other types: {}", gemm.other_type_command(&gpu.id, None)));
    table
}

fn tile_cells(place: usize, a: &TileAnswer, picked: BestTiles) -> Vec<TableCell> {
    let o = a.occupancy.as_ref();
    let text = |t: Option<String>| TableCell::maybe(t, TableCell::text);
    let bound = if a.is_occupancy_bound { "≤" } else { "" };
    let time = a.time.as_ref().ok();
    let mut notes: Vec<String> = a.time.as_ref().err().cloned().into_iter().collect();
    notes.extend(a.cautions.iter().cloned());
    vec![
        TableCell::text(a.tile.to_string()),
        text(o.map(|o| format!("{bound}{}", o.active_blocks))),
        text(o.map(|o| format!("{bound}{:.0} %", 100.0 * o.fraction()))),
        text(o.map(crate::occupancy::Occupancy::limiter_words)),
        text(time.map(|t| t.value.to_string())),
        text(time.map(|t| range(t.low, t.high))),
        text(a.power.map(|p| format!("{} W", significant(p.value.0)))),
        text(a.power.map(|p| watts(&p))),
        text(a.energy().map(|e| e.value.to_string())),
        text(a.energy().map(|e| range_in(e.low.0, e.high.0, "J"))),
        text(a.rate().map(|r| significant(r.value.0 / 1e12))),
        text(from(a)),
        TableCell::text(take(place, picked)),
        TableCell::List(notes),
    ]
}

/// `98–200 W`.
#[must_use]
pub fn watts(p: &Ranged<Watts>) -> String {
    format!("{:.0}–{:.0} W", p.low.0, p.high.0)
}

/// `measured / modelled`: where time and power come from.
fn from(a: &TileAnswer) -> Option<String> {
    let (time, power) = (a.time.as_ref().ok()?, a.power?);
    let [t, p] = [time.from.as_str(), power.from.as_str()];
    Some(if t == p { t.to_string() } else { format!("{t} / {p}") })
}

/// `fastest, least energy`.
#[must_use]
pub fn take(place: usize, picked: BestTiles) -> String {
    let both = [(picked.fastest, "fastest"), (picked.least_energy, "least energy")];
    both.into_iter().filter(|(at, _)| *at == Some(place)).map(|(_, word)| word).collect::<Vec<_>>().join(", ")
}

fn legend(answers: &[TileAnswer]) -> Vec<String> {
    let known = answers.iter().find_map(|a| a.modelled);
    let mut notes = vec![
        "from: time / power. modelled: nothing here was measured for this; time by `components`, power by a fit on three other boards (docs/gemm.md)".to_string(),
        "energy = power x time, its interval as if the two errors were independent".into(),
    ];
    if let Some(p) = known {
        let word = p.idle_origin.as_str();
        notes.push(format!("idle {} ({word}), power limit {}", p.idle, p.limit));
    }
    notes
}

/// For programs.
#[must_use]
pub fn record_table(gpu: &Gpu, answers: &[TileAnswer]) -> Table {
    const NUMBERS: [&str; 12] = [
        "time_ms",
        "time_low_ms",
        "time_high_ms",
        "power_w",
        "power_low_w",
        "power_high_w",
        "energy_j",
        "energy_low_j",
        "energy_high_j",
        "tflops",
        "tflops_low",
        "tflops_high",
    ];
    let picked = best(answers);
    let first = ["gpu", "tile", "dtype"].map(TableColumn::left).into_iter();
    let middle = ["blocks_per_sm", "occupancy_percent"].map(TableColumn::right);
    let last =
        ["limiter", "bound", "time_from", "power_from", "take", "refused", "cautions"].map(TableColumn::left);
    let columns = first.chain(middle).chain(NUMBERS.map(TableColumn::right)).chain(last);
    let mut table = Table::new(columns.collect());
    for (place, a) in answers.iter().enumerate() {
        let o = a.occupancy.as_ref();
        let mut row = [gpu.id.as_str(), &a.tile.to_string(), "fp32"].map(TableCell::text).to_vec();
        row.push(TableCell::maybe(o, |o| TableCell::number(o.active_blocks)));
        row.push(TableCell::maybe(o, |o| TableCell::number(100.0 * o.fraction())));
        row.extend(tile_numbers(a).map(|n| TableCell::maybe(n, TableCell::number)));
        row.push(TableCell::maybe(o, |o| TableCell::text(o.limiter_words())));
        row.push(TableCell::maybe(a.bound.clone(), TableCell::text));
        row.push(TableCell::maybe(a.time.as_ref().ok(), |t| TableCell::text(t.from.as_str())));
        row.push(TableCell::maybe(a.power, |p| TableCell::text(p.from.as_str())));
        row.push(TableCell::text(take(place, picked)));
        row.push(TableCell::maybe(a.time.as_ref().err().cloned(), TableCell::text));
        row.push(TableCell::List(a.cautions.clone()));
        table.rows.push(row);
    }
    table
}

fn tile_numbers(a: &TileAnswer) -> [Option<f64>; 12] {
    let time = a.time.as_ref().ok().map(|t| [t.value, t.low, t.high].map(|s| s.millis()));
    let power = a.power.map(|p| [p.value, p.low, p.high].map(|w| w.0));
    let energy = a.energy().map(|e| [e.value, e.low, e.high].map(|j| j.0));
    let rate = a.rate().map(|r| [r.value, r.low, r.high].map(|f| f.0 / 1e12));
    let mut all = [None; 12];
    for (i, three) in [time, power, energy, rate].into_iter().enumerate() {
        for (j, place) in all[3 * i..3 * i + 3].iter_mut().enumerate() {
            *place = three.map(|t| t[j]);
        }
    }
    all
}
