//! Published numbers beside ours.

use super::analytical::{AnalyticalExperiment, ComparedFigure};
use crate::report::{Table, TableCell, TableColumn};

/// One row per number of the paper, and what each experiment left out.
#[must_use]
pub fn experiments_table(experiments: &[AnalyticalExperiment]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("experiment"),
        TableColumn::left("metric"),
        TableColumn::right("ours"),
        TableColumn::right("published"),
        TableColumn::right("difference"),
        TableColumn::left("agrees"),
        TableColumn::right("same_time"),
    ]);
    table.title =
        "Paper 1, Algorithm 1 (efficiency-transfer), study occupancy rules, stated sustained ceilings".into();
    for experiment in experiments {
        for figure in &experiment.figures {
            table.rows.push(figure_cells(experiment, figure));
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

fn figure_cells(experiment: &AnalyticalExperiment, figure: &ComparedFigure) -> Vec<TableCell> {
    let digits = |v: f64| {
        let whole = figure.metric == "pairs";
        TableCell::shown(v, if whole { format!("{v}") } else { format!("{v:.3}") })
    };
    let published = figure.published.parse().ok().map(|v: f64| TableCell::shown(v, figure.published));
    vec![
        TableCell::text(format!("{} {}", experiment.number, experiment.what)),
        TableCell::text(figure.metric),
        TableCell::maybe(figure.ours, digits),
        published.unwrap_or(TableCell::Null),
        TableCell::maybe(figure.difference(), |d| TableCell::shown(d, format!("{d:+.3}"))),
        TableCell::maybe(figure.agrees(), TableCell::Flag),
        TableCell::maybe(figure.same_time.filter(|_| figure.metric != "pairs"), digits),
    ]
}
