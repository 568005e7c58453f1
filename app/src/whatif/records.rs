//! What-ifs as the rows of a CSV: one per answer, or one per number of its tornado and one of the value that makes the goal.

use super::changed_times::RunPower;
use super::solve::Solution;
use super::table::{WhatIfAnswer, change_texts};
use super::tornado::TornadoBar;
use crate::gpu::GpuNumber;
use crate::report::{Table, TableCell, TableColumn, shown};
use crate::units::Seconds;

/// The columns of [`whatif_records`].
const COLUMNS: [TableColumn; 20] = [
    TableColumn::left("base"),
    TableColumn::left("workload"),
    TableColumn::left("changes"),
    TableColumn::right("time_ms"),
    TableColumn::right("low_ms"),
    TableColumn::right("high_ms"),
    TableColumn::right("base_time_ms"),
    TableColumn::left("time_kind"),
    TableColumn::left("number"),
    TableColumn::right("value"),
    TableColumn::left("unit"),
    TableColumn::right("minus20_time_ms"),
    TableColumn::right("plus20_time_ms"),
    TableColumn::right("goal_ms"),
    TableColumn::left("cautions"),
    TableColumn::right("board_power_w"),
    TableColumn::right("energy_j"),
    TableColumn::right("base_board_power_w"),
    TableColumn::right("base_energy_j"),
    TableColumn::left("base_time_kind"),
];

/// For programs: of each answer its time, again beside every number of its tornado and beside the value that makes the goal.
#[must_use]
pub fn whatif_records(answers: &[WhatIfAnswer]) -> Table {
    let mut table = Table::new(COLUMNS.to_vec());
    for answer in answers {
        let mut numbers: Vec<[TableCell; 6]> = answer.tornado.iter().map(bar_cells).collect();
        numbers.extend(answer.solution.as_ref().and_then(solution_cells));
        if numbers.is_empty() {
            numbers.push([(); 6].map(|()| TableCell::Null));
        }
        let row = |cells| {
            let cautions = TableCell::List(answer.cautions.clone());
            let power = [answer.power, answer.base_power].map(power_cells);
            let power = power.into_iter().flatten();
            let base_kind =
                TableCell::maybe(answer.base_time, |_| TableCell::text(answer.base_kind.as_str()));
            let behind = std::iter::once(cautions).chain(power).chain([base_kind]);
            answer_cells(answer).into_iter().chain(cells).chain(behind).collect()
        };
        table.rows.extend(numbers.into_iter().map(row));
    }
    table
}

fn ms(time: Option<Seconds>) -> TableCell {
    TableCell::maybe(time.map(shown::millis), TableCell::number)
}

fn answer_cells(answer: &WhatIfAnswer) -> [TableCell; 8] {
    [
        TableCell::text(&answer.base),
        TableCell::text(&answer.workload),
        TableCell::List(change_texts(answer)),
        ms(answer.time),
        ms(answer.interval.map(|[low, _]| low)),
        ms(answer.interval.map(|[_, high]| high)),
        ms(answer.base_time),
        TableCell::maybe(answer.time, |_| TableCell::text(answer.kind.as_str())),
    ]
}

/// Board power and energy of a run.
fn power_cells(power: Option<RunPower>) -> [TableCell; 2] {
    [power.map(|power| power.board.0), power.map(|power| power.energy.0)]
        .map(|value| TableCell::maybe(value, TableCell::number))
}

fn number_cells(number: GpuNumber, value: f64) -> [TableCell; 3] {
    let value = TableCell::number(number.in_unit(value));
    [TableCell::text(number.key()), value, TableCell::text(number.unit_for_programs())]
}

fn bar_cells(bar: &TornadoBar) -> [TableCell; 6] {
    let [number, value, unit] = number_cells(bar.number, bar.value);
    [number, value, unit, ms(bar.less), ms(bar.more), TableCell::Null]
}

/// None where no value makes the goal: JSON says why.
fn solution_cells(solution: &Solution) -> Option<[TableCell; 6]> {
    let Solution::Value { number, value, goal, .. } = solution else { return None };
    let [number, value, unit] = number_cells(*number, *value);
    Some([number, value, unit, TableCell::Null, TableCell::Null, ms(Some(goal.time))])
}
