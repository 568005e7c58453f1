//! Predicted over measured, both logarithmic: a point a prediction, the diagonal, and the lines of a quarter above and below it.

use super::scale::{round_down, round_up};
use super::{Axis, ChartSpec, Dash, Mark, Meaning, Scale, Shape};

/// The most points one chart shows; more are thinned evenly.
const MOST: usize = 2000;

/// One prediction beside what was measured, in the unit of the axes.
#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    /// What was measured.
    pub measured: f64,
    /// What was predicted.
    pub predicted: f64,
    /// Text beside it; empty for none.
    pub label: String,
}

/// What is written around a scatter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScatterText {
    /// What is compared.
    pub title: String,
    /// One line under it.
    pub subtitle: String,
    /// What both axes hold, with its unit: `time, s`.
    pub quantity: String,
    /// Remarks under the chart.
    pub notes: Vec<String>,
}

/// Draws predictions against what was measured; numbers that no logarithmic axis has a place for are left out and counted.
#[must_use]
pub fn scatter_chart(text: ScatterText, points: &[ScatterPoint]) -> ChartSpec {
    let is_drawn = |p: &&ScatterPoint| [p.measured, p.predicted].iter().all(|v| *v > 0.0 && v.is_finite());
    let drawn: Vec<&ScatterPoint> = points.iter().filter(is_drawn).collect();
    let ends = drawn.iter().flat_map(|p| [p.predicted, p.measured]);
    let (low, high) = ends.fold((f64::INFINITY, 0.0f64), |(a, b), v| (a.min(v), b.max(v)));
    let (min, max) = if low <= high { (round_down(low / 1.2), round_up(high * 1.2)) } else { (1e-6, 1e-3) };
    let step = drawn.len().div_ceil(MOST).max(1);
    let mut marks = guide_lines(min, max);
    marks.extend(drawn.iter().step_by(step).map(|p| Mark::Point {
        name: String::new(),
        meaning: Meaning::Target,
        shape: Shape::Other,
        at: (p.measured, p.predicted),
        interval: None,
        label: p.label.clone(),
    }));
    let mut notes = text.notes;
    if step > 1 {
        notes.push(format!("every {step}th of {} points is drawn", drawn.len()));
    }
    if drawn.len() < points.len() {
        notes.push(format!("{} points have no place on logarithmic axes", points.len() - drawn.len()));
    }
    let axis =
        |what: &str| Axis { label: format!("{what} {}", text.quantity), scale: Scale::Log { min, max } };
    ChartSpec {
        title: text.title,
        subtitle: text.subtitle,
        x: axis("measured"),
        y: axis("predicted"),
        marks,
        notes,
    }
}

/// The diagonal, and a quarter above and below it.
fn guide_lines(min: f64, max: f64) -> Vec<Mark> {
    let line = |name: &str, ratio: f64, dash, meaning| {
        // Cut where the line leaves the square.
        let (from, to) = (min.max(min / ratio), max.min(max / ratio));
        let points = vec![(from, from * ratio), (to, to * ratio)];
        Mark::Line { name: name.into(), meaning, dash, points }
    };
    vec![
        line("predicted = measured", 1.0, Dash::Solid, Meaning::Source),
        line("+25 %", 1.25, Dash::Dashed, Meaning::Dim),
        line("−25 %", 0.75, Dash::Dotted, Meaning::Dim),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(measured: f64, predicted: f64) -> ScatterPoint {
        ScatterPoint { measured, predicted, label: String::new() }
    }

    #[test]
    fn numbers_without_a_place_are_counted_and_not_drawn() {
        let text = || ScatterText { quantity: "time, s".into(), ..ScatterText::default() };
        let spec = scatter_chart(text(), &[point(1e-3, 2e-3), point(0.0, 1.0), point(1.0, f64::NAN)]);
        let drawn = spec.marks.iter().filter(|m| matches!(m, Mark::Point { .. })).count();
        assert_eq!((drawn, spec.notes.len()), (1, 1));
        assert!(spec.notes[0].starts_with("2 points"), "{:?}", spec.notes);
        assert_eq!(spec.x.label, "measured time, s");
        assert!(spec.x.scale.is_sound() && scatter_chart(text(), &[]).x.scale.is_sound());
    }

    #[test]
    fn many_points_are_thinned_and_it_is_said() {
        let many: Vec<ScatterPoint> = (1..=4001).map(|i| point(f64::from(i), f64::from(i))).collect();
        let spec = scatter_chart(ScatterText::default(), &many);
        assert!(
            spec.marks.len() <= MOST + 3 && spec.notes[0].contains("every 3th of 4001"),
            "{:?}",
            spec.notes
        );
    }
}
