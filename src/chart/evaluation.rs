//! An evaluation as pictures: predicted over measured times, both logarithmic, with a point per prediction, the diagonal, and
//! the lines of ±25 %; how the ratios are distributed; the errors of each pair of GPUs or each kernel.

use super::scale::end_of_bars;
use super::{Axis, ChartSpec, Mark, Meaning, Scale, ScatterPoint, ScatterText, scatter_chart};
use crate::answer::AnswerTrial;
use crate::evaluate::{EvaluationSetup, ModelOutcome, Score, score};
use crate::units::significant;

/// Bounds of the distribution's classes: predicted over measured.
const CLASSES: [f64; 7] = [0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0];

/// Draws one model's predictions against what was measured.
#[must_use]
pub fn evaluation_chart(outcome: &ModelOutcome, setup: &EvaluationSetup, ceilings: &str) -> ChartSpec {
    let text = ScatterText {
        title: format!("Predicted and measured times: {}", setup.protocol.model_label(outcome.model)),
        subtitle: subtitle(outcome, setup, ceilings),
        quantity: "time, s".into(),
        notes: chart_notes(outcome, setup),
    };
    let point =
        |t: AnswerTrial| ScatterPoint { measured: t.measured, predicted: t.predicted, label: String::new() };
    scatter_chart(text, &outcome.trials.iter().map(point).collect::<Vec<_>>())
}

/// Draws the share of one model's predictions in each class of predicted over measured.
#[must_use]
pub fn distribution_chart(outcome: &ModelOutcome, setup: &EvaluationSetup, ceilings: &str) -> ChartSpec {
    let classes = classes(outcome);
    let longest = classes.iter().map(|(_, percent)| *percent).fold(1.0, f64::max);
    let bar = |(slot, (_, percent)): (usize, &(String, f64))| Mark::Bar {
        name: String::new(),
        meaning: Meaning::Target,
        slot,
        value: *percent,
        label: format!("{} %", significant(*percent)),
    };
    ChartSpec {
        title: format!("Predicted over measured: {}", setup.protocol.model_label(outcome.model)),
        subtitle: subtitle(outcome, setup, ceilings),
        x: percent_axis("share of predictions, %", longest),
        y: slots(classes.iter().map(|(name, _)| name.clone()).collect()),
        marks: classes.iter().enumerate().map(bar).collect(),
        notes: chart_notes(outcome, setup),
    }
}

/// Draws the errors of one model in groups, such as pairs of GPUs or kernels; `of` is the word for them.
#[must_use]
pub fn groups_chart(
    outcome: &ModelOutcome,
    of: &str,
    groups: &[(String, Score)],
    setup: &EvaluationSetup,
    ceilings: &str,
) -> ChartSpec {
    let ends = groups.iter().flat_map(|(_, s)| [s.errors.mape_percent, s.errors.median_ape_percent]);
    let longest = ends.filter(|v| v.is_finite()).fold(1.0, f64::max);
    let bars = |(slot, (_, s)): (usize, &(String, Score))| {
        let e = s.errors;
        let bar = |name: &str, meaning, value: f64, n: String| {
            let label = format!("{} %{n}", significant(value));
            Mark::Bar { name: name.into(), meaning, slot, value, label }
        };
        [
            bar("mean absolute error (MAPE)", Meaning::Source, e.mape_percent, format!(", {} cases", e.n)),
            bar("median absolute error", Meaning::Target, e.median_ape_percent, String::new()),
        ]
    };
    ChartSpec {
        title: format!("Errors per {of}: {}", setup.protocol.model_label(outcome.model)),
        subtitle: subtitle(outcome, setup, ceilings),
        x: percent_axis("absolute error of the predicted time, %", longest),
        y: slots(groups.iter().map(|(name, _)| name.clone()).collect()),
        marks: groups.iter().enumerate().flat_map(bars).collect(),
        notes: chart_notes(outcome, setup),
    }
}

fn percent_axis(label: &str, longest: f64) -> Axis {
    Axis { label: label.into(), scale: Scale::Linear { min: 0.0, max: end_of_bars(longest) } }
}

fn slots(names: Vec<String>) -> Axis {
    Axis { label: String::new(), scale: Scale::Category(names) }
}

fn subtitle(outcome: &ModelOutcome, setup: &EvaluationSetup, ceilings: &str) -> String {
    let rates = outcome.rates_words(ceilings).map_or_else(String::new, |rates| format!("{rates}, "));
    format!("{}, {rates}{} occupancy", setup.protocol.as_str(), setup.rules.as_str())
}

/// The score in words, the distribution, what was refused.
fn chart_notes(outcome: &ModelOutcome, setup: &EvaluationSetup) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(s) = score(outcome.trials.iter()) {
        let e = s.errors;
        notes.push(format!(
            "{} predictions: MAPE {} %, median error {} %, median predicted/measured {}, {} % within 25 %",
            e.n,
            significant(e.mape_percent),
            significant(e.median_ape_percent),
            significant(e.median_ratio),
            significant(e.within_25_percent)
        ));
    }
    notes.push(format!("predicted over measured: {}", distribution(outcome).join(", ")));
    notes.extend(outcome.refused.iter().map(|(why, n)| format!("{n} not applicable: {why}")));
    let labelled = setup.protocol.model_label(outcome.model) != outcome.model;
    notes.extend(setup.protocol.of_labels().filter(|_| labelled).map(String::from));
    notes
}

/// How many predictions fall into which class of predicted over measured: `0.9 to 1.1: 14 %`.
#[must_use]
pub fn distribution(outcome: &ModelOutcome) -> Vec<String> {
    classes(outcome).into_iter().map(|(name, percent)| format!("{name}: {percent:.0} %")).collect()
}

/// Each class of predicted over measured with its share in percent.
fn classes(outcome: &ModelOutcome) -> Vec<(String, f64)> {
    let mut counts = [0usize; CLASSES.len() + 1];
    for trial in outcome.trials.iter() {
        counts[CLASSES.iter().filter(|bound| trial.ratio() >= **bound).count()] += 1;
    }
    let all = outcome.trials.len().max(1) as f64;
    let name = |i: usize| match i {
        0 => format!("under {}", CLASSES[0]),
        i if i == CLASSES.len() => format!("from {}", CLASSES[i - 1]),
        i => format!("{} to {}", CLASSES[i - 1], CLASSES[i]),
    };
    counts.iter().enumerate().map(|(i, n)| (name(i), 100.0 * *n as f64 / all)).collect()
}
