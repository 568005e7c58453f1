//! Published numbers beside ours.

use super::analytical::{Experiment, Figure};
use crate::report::{Cell, Column, Table};

/// One row per number of the paper, and what each experiment left out.
#[must_use]
pub fn table(experiments: &[Experiment]) -> Table {
    let mut table = Table::new(vec![
        Column::left("experiment"),
        Column::left("metric"),
        Column::right("ours"),
        Column::right("published"),
        Column::right("difference"),
        Column::left("agrees"),
        Column::right("same_time"),
    ]);
    table.title =
        "Paper 1, Algorithm 1 (efficiency-transfer), study occupancy rules, stated sustained ceilings".into();
    for experiment in experiments {
        for figure in &experiment.figures {
            table.rows.push(row(experiment, figure));
        }
        let refused = experiment.outcome.refused.iter();
        let left_out = refused.map(|(why, n)| {
            format!("experiment {}: {n} of {} pairs left out: {why}", experiment.number, experiment.asked)
        });
        table.notes.extend(left_out);
    }
    table.notes.push("agrees: less than one unit of the paper's last decimal apart; same_time: the baseline on the same pairs".into());
    table
}

fn row(experiment: &Experiment, figure: &Figure) -> Vec<Cell> {
    let digits = |v: f64| {
        let whole = figure.metric == "pairs";
        Cell::shown(v, if whole { format!("{v}") } else { format!("{v:.3}") })
    };
    let published = figure.published.parse().ok().map(|v: f64| Cell::shown(v, figure.published));
    vec![
        Cell::text(format!("{} {}", experiment.number, experiment.what)),
        Cell::text(figure.metric),
        Cell::maybe(figure.ours, digits),
        published.unwrap_or(Cell::Null),
        Cell::maybe(figure.difference(), |d| Cell::shown(d, format!("{d:+.3}"))),
        Cell::maybe(figure.agrees(), Cell::Flag),
        Cell::maybe(figure.same_time.filter(|_| figure.metric != "pairs"), digits),
    ]
}
