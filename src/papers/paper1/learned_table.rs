//! Paper 1's learned models beside ours: its Table 6.

use super::suite::{BESIDE, EXPERIMENTS, Figure, MODELS};
use crate::report::{Cell, Column, Table};

/// From here on digits behind the point say nothing.
const LARGE: f64 = 10_000.0;

/// One row per experiment and model.
#[must_use]
pub fn table(figures: &[Figure]) -> Table {
    let mut table = Table::new(vec![
        Column::left("experiment"),
        Column::left("model"),
        Column::right("published"),
        Column::right("ours"),
        Column::right("differs_percent"),
        Column::left("within_1_percent"),
        Column::right("seeds_least"),
        Column::right("seeds_most"),
        Column::right("in_logs"),
    ]);
    table.title =
        "Paper 1, Table 6: MAPE (%) of its learned models, raw milliseconds, unscaled features".into();
    table.rows = figures.iter().map(row).collect();
    table.notes = notes(figures);
    table
}

fn row(figure: &Figure) -> Vec<Cell> {
    let published = figure.published().and_then(|text| Some(Cell::shown(text.parse().ok()?, text)));
    let spread = figure.spread;
    vec![
        Cell::text(EXPERIMENTS[figure.experiment].id),
        Cell::text(MODELS[figure.model].name),
        published.unwrap_or(Cell::Null),
        error(figure.ours.as_ref().ok().copied()),
        Cell::maybe(figure.difference(), |d| Cell::shown(100.0 * d, format!("{:+.2}", 100.0 * d))),
        Cell::maybe(figure.agrees(), Cell::Flag),
        error(spread.map(|s| s.least)),
        error(spread.map(|s| s.most)),
        error(figure.in_logs.as_ref().ok().copied()),
    ]
}

/// An error in per cent, with the two decimals of the paper.
fn error(value: Option<f64>) -> Cell {
    Cell::maybe(value, |v| Cell::shown(v, if v < LARGE { format!("{v:.2}") } else { format!("{v:.1e}") }))
}

fn notes(figures: &[Figure]) -> Vec<String> {
    let mut notes = Vec::new();
    for (at, experiment) in EXPERIMENTS.iter().enumerate() {
        if let Some(figure) = figures.iter().find(|f| f.experiment == at) {
            let (trained, tested) = figure.pairs;
            notes.push(format!(
                "{}: {}; {trained} pairs trained on, {tested} tested",
                experiment.id, experiment.what
            ));
        }
    }
    notes.extend(figures.iter().filter_map(beside));
    for figure in figures {
        if let Err(why) = &figure.ours {
            let (experiment, model) = (EXPERIMENTS[figure.experiment].id, MODELS[figure.model].name);
            notes.push(format!("{experiment} {model}: {why}"));
        }
    }
    if let Some(seeds) = figures.iter().find_map(|f| f.spread).map(|s| s.seeds) {
        notes.push(format!(
            "seeds: smallest and largest MAPE of {seeds} seeds, ours being the first. Up to six columns cut the training GPUs \
             alike and only the new one differently: which of them a tree takes is chance here, and rounding in scikit-learn"
        ));
    }
    notes.push(
        "linear: columns depend on each other; ours is the shortest of all answers that fit alike, and so are the published \
         figures (newer versions of scikit-learn give others)"
            .into(),
    );
    notes.push(
        "in_logs: ours, not the paper's: the same models with ln(1 + feature), scaled, and the logarithm of the time as target"
            .into(),
    );
    notes
}

/// The learned column of Table 3 or 4: what it prints beside the MAPE, and ours.
fn beside(figure: &Figure) -> Option<String> {
    let (published, ours) = figure.published_beside().zip(figure.ours_beside())?;
    let part = |((name, published), ours): ((&&str, &&str), f64)| format!("{name} {published} / {ours:.2}");
    let parts: Vec<String> = BESIDE.iter().zip(published).zip(ours).map(part).collect();
    let table = ["3", "4"][figure.experiment];
    Some(format!(
        "Table {table}, learned column (its {}), published / ours: {}",
        MODELS[figure.model].name,
        parts.join(", ")
    ))
}
