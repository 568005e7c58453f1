//! Predicted over measured times, both logarithmic: a point per prediction, the diagonal, and the lines of ±25 %.

use super::scale::{round_down, round_up};
use super::{Axis, ChartSpec, Dash, Mark, Meaning, Scale, Shape};
use crate::evaluate::{Outcome, Setup, score};
use crate::units::significant;

/// The most points one chart shows; more are thinned evenly.
const MOST: usize = 2000;
/// Bounds of the distribution's classes: predicted over measured.
const CLASSES: [f64; 7] = [0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0];

/// Draws one model's predictions against what was measured.
#[must_use]
pub fn evaluation_chart(outcome: &Outcome, setup: &Setup, ceilings: &str) -> ChartSpec {
    let ends =
        outcome.trials.iter().flat_map(|t| [t.predicted, t.measured]).filter(|t| *t > 0.0 && t.is_finite());
    let (low, high) = ends.fold((f64::INFINITY, 0.0f64), |(a, b), t| (a.min(t), b.max(t)));
    let (min, max) = if low <= high { (round_down(low / 1.2), round_up(high * 1.2)) } else { (1e-6, 1e-3) };
    let mut marks = lines(min, max);
    let step = outcome.trials.len().div_ceil(MOST).max(1);
    marks.extend(outcome.trials.iter().step_by(step).map(|t| Mark::Point {
        name: String::new(),
        meaning: Meaning::Target,
        shape: Shape::Other,
        at: (t.measured, t.predicted),
        interval: None,
        label: String::new(),
    }));
    let mut notes = Vec::new();
    if let Some(s) = score(&outcome.trials) {
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
    notes.extend(outcome.refused.iter().map(|(why, n)| format!("{n} refused: {why}")));
    if step > 1 {
        notes.push(format!("every {step}th of {} points is drawn", outcome.trials.len()));
    }
    let axis = |label: &str| Axis { label: label.into(), scale: Scale::Log { min, max } };
    ChartSpec {
        title: format!("Predicted and measured times: {}", outcome.model),
        subtitle: format!(
            "{}, {ceilings} ceilings, {} occupancy rules",
            setup.protocol.word().to_string() + &setup.asking.sentence(),
            setup.rules.word()
        ),
        x: axis("measured time, s"),
        y: axis("predicted time, s"),
        marks,
        notes,
    }
}

/// The diagonal, and a quarter above and below it.
fn lines(min: f64, max: f64) -> Vec<Mark> {
    let line = |name: &str, ratio: f64, dash, meaning| {
        // Cut where the line leaves the square.
        let (from, to) = (min.max(min / ratio), max.min(max / ratio));
        let points = vec![(from, from * ratio), (to, to * ratio)];
        Mark::Line { name: name.into(), meaning, dash, points }
    };
    vec![
        line("predicted = measured", 1.0, Dash::Solid, Meaning::Source),
        line("25 % too slow", 1.25, Dash::Dashed, Meaning::Dim),
        line("25 % too fast", 0.75, Dash::Dotted, Meaning::Dim),
    ]
}

/// How many predictions fall into which class of predicted over measured: `0.9 to 1.1: 14 %`.
#[must_use]
pub fn distribution(outcome: &Outcome) -> Vec<String> {
    let mut counts = [0usize; CLASSES.len() + 1];
    for trial in &outcome.trials {
        counts[CLASSES.iter().filter(|bound| trial.ratio() >= **bound).count()] += 1;
    }
    let all = outcome.trials.len().max(1) as f64;
    let name = |i: usize| match i {
        0 => format!("under {}", CLASSES[0]),
        i if i == CLASSES.len() => format!("from {}", CLASSES[i - 1]),
        i => format!("{} to {}", CLASSES[i - 1], CLASSES[i]),
    };
    counts.iter().enumerate().map(|(i, n)| format!("{}: {:.0} %", name(i), 100.0 * *n as f64 / all)).collect()
}
