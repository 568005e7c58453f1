//! The time over two numbers.

use super::changed_times::GoalTime;
use super::question::WhatIf;
use crate::gpu::{ChangeAmount, ChangeError, GpuChanges, GpuNumber};
use crate::units::Seconds;

/// How far the numbers go, either way.
const WIDEST: f64 = 4.0;

/// Times over a grid of two numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Contour {
    /// The numbers: across, up.
    pub numbers: [GpuNumber; 2],
    /// Values across, SI, smallest first.
    pub across: Vec<f64>,
    /// Values up, SI, smallest first.
    pub up: Vec<f64>,
    /// By row (up), then column (across): the time; `None` where there is no such GPU.
    pub times: Vec<Vec<Option<Seconds>>>,
    /// The time whose line is the break-even.
    pub goal: Option<GoalTime>,
    /// The value up at which the goal is reached, by column; `None` where no value on the grid does.
    pub break_even: Vec<Option<f64>>,
}

impl WhatIf<'_> {
    /// The time over a grid of `steps` by `steps` values from a quarter of each number to four times it.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made, or a number that the base does not have.
    pub fn contour(
        &mut self,
        changes: &GpuChanges,
        numbers: [GpuNumber; 2],
        steps: usize,
        goal: Option<Seconds>,
    ) -> Result<Contour, ChangeError> {
        let mut values = [Vec::new(), Vec::new()];
        for (values, number) in values.iter_mut().zip(numbers) {
            let missing = || ChangeError::Unknown { gpu: self.base().id.clone(), number: number.title() };
            let now = changes.value_on(self.base(), number).ok_or_else(missing)?;
            *values = spread(self.base().counted_in(number), now, steps.max(2));
        }
        let [across, up] = values;
        let mut made = Vec::new();
        let mut places = vec![vec![None; across.len()]; up.len()];
        for (row, y) in up.iter().enumerate() {
            for (column, x) in across.iter().enumerate() {
                let both = changes
                    .clone()
                    .with(numbers[0], ChangeAmount::To(*x))
                    .with(numbers[1], ChangeAmount::To(*y));
                if let Ok(gpu) = self.made(&both) {
                    places[row][column] = Some(made.len());
                    made.push(gpu);
                }
            }
        }
        let found = self.times_on(&made);
        let times: Vec<Vec<Option<Seconds>>> = places
            .iter()
            .map(|row| row.iter().map(|at| at.and_then(|at| found[at].time)).collect())
            .collect();
        let goal = self.goal(goal);
        let crossing = |column: usize| goal.and_then(|goal| crossing(&up, &times, column, goal.time));
        let break_even = (0..across.len()).map(crossing).collect();
        Ok(Contour { numbers, across, up, times, goal, break_even })
    }
}

/// Even steps of the logarithm, from a quarter to four times; whole ones of what is counted in such a unit.
fn spread(unit: Option<f64>, now: f64, steps: usize) -> Vec<f64> {
    let last = (steps - 1) as f64;
    let values = (0..steps).map(|at| now * WIDEST.powf(2.0 * at as f64 / last - 1.0));
    let Some(unit) = unit else { return values.collect() };
    let mut whole: Vec<f64> = values.map(|value| (value / unit).round().max(1.0) * unit).collect();
    whole.dedup();
    whole
}

/// Where a column of times passes the goal, between two rows by the logarithm.
fn crossing(up: &[f64], times: &[Vec<Option<Seconds>>], column: usize, goal: Seconds) -> Option<f64> {
    let at = |row: usize| times[row][column].map(|t| (t / goal).ln());
    (1..up.len()).find_map(|row| {
        let (below, above) = (at(row - 1)?, at(row)?);
        (below * above <= 0.0 && below != above).then(|| {
            let share = below / (below - above);
            up[row - 1] * (up[row] / up[row - 1]).powf(share)
        })
    })
}
