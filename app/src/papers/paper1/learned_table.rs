//! Paper 1's learned models beside ours: its Table 6.

use super::suite::{BESIDE, ComparedCell, EXPERIMENTS, MODELS};
use crate::report::{Table, TableCell, TableColumn};

/// From here on digits behind the point say nothing.
const LARGE: f64 = 10_000.0;

/// One row per experiment and model.
#[must_use]
pub fn figures_table(figures: &[ComparedCell]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("experiment"),
        TableColumn::left("model"),
        TableColumn::right("published"),
        TableColumn::right("ours"),
        TableColumn::right("differs_percent"),
        TableColumn::left("within_1_percent"),
        TableColumn::right("seeds_least"),
        TableColumn::right("seeds_most"),
        TableColumn::right("in_logs"),
    ]);
    table.title =
        "Paper 1, Table 6: MAPE (%) of its learned models, raw milliseconds, unscaled features".into();
    table.rows = figures.iter().map(figure_cells).collect();
    table.notes = table_notes(figures);
    table
}

fn figure_cells(figure: &ComparedCell) -> Vec<TableCell> {
    let published = figure.published().and_then(|text| Some(TableCell::shown(text.parse().ok()?, text)));
    let spread = figure.spread;
    vec![
        TableCell::text(EXPERIMENTS[figure.experiment].id),
        TableCell::text(MODELS[figure.model].name()),
        published.unwrap_or(TableCell::Null),
        error_cell(figure.ours.as_ref().ok().copied()),
        TableCell::maybe(figure.difference(), |d| TableCell::shown(100.0 * d, format!("{:+.2}", 100.0 * d))),
        TableCell::maybe(figure.agrees(), TableCell::Flag),
        error_cell(spread.map(|s| s.least)),
        error_cell(spread.map(|s| s.most)),
        error_cell(figure.in_logs.as_ref().ok().copied()),
    ]
}

/// An error in per cent, with the two decimals of the paper.
fn error_cell(value: Option<f64>) -> TableCell {
    TableCell::maybe(value, |v| {
        TableCell::shown(v, if v < LARGE { format!("{v:.2}") } else { format!("{v:.1e}") })
    })
}

fn table_notes(figures: &[ComparedCell]) -> Vec<String> {
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
            let (experiment, model) = (EXPERIMENTS[figure.experiment].id, MODELS[figure.model].name());
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
fn beside(figure: &ComparedCell) -> Option<String> {
    let (published, ours) = figure.published_beside().zip(figure.ours_beside())?;
    let part = |((name, published), ours): ((&&str, &&str), f64)| format!("{name} {published} / {ours:.2}");
    let parts: Vec<String> = BESIDE.iter().zip(published).zip(ours).map(part).collect();
    let table = ["3", "4"][figure.experiment];
    Some(format!(
        "Table {table}, learned column (its {}), published / ours: {}",
        MODELS[figure.model].name(),
        parts.join(", ")
    ))
}
