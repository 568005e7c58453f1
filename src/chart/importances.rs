//! Which columns of a trained model matter: horizontal bars, as shares of all that matters.

use super::scale::end_of_bars;
use super::{Axis, ChartSpec, Mark, Meaning, Scale};
use crate::train::{Trained, TrainedImportance};
use crate::units::significant;

/// One kind of importance: its name in the legend, its meaning, its number.
type ImportanceKind = (&'static str, Meaning, fn(&TrainedImportance) -> Option<f64>);

const KINDS: [ImportanceKind; 3] = [
    ("impurity: share of the squared error saved by its splits", Meaning::Source, |i| i.impurity),
    ("permutation: share of what the error rises", Meaning::Target, |i| i.permutation),
    ("published (impurity, the paper's own data)", Meaning::Dim, |i| i.published),
];

/// Draws the importances of a trained model, the most important column on top; `None` where it has none.
#[must_use]
pub fn importances_chart(trained: &Trained) -> Option<ChartSpec> {
    let all = &trained.importances;
    if all.is_empty() {
        return None;
    }
    // What a paper states is a share already, and stands as it is printed.
    let as_stated = |meaning: Meaning| meaning == Meaning::Dim;
    let shares: Vec<Vec<Option<f64>>> = KINDS
        .iter()
        .map(|(_, meaning, of)| {
            let values = all.iter().map(of);
            if as_stated(*meaning) { values.collect() } else { shares(values) }
        })
        .collect();
    let mut marks = Vec::new();
    for (slot, importance) in all.iter().enumerate() {
        for ((name, meaning, of), shares) in KINDS.iter().zip(&shares) {
            let (Some(share), Some(raw)) = (shares[slot], of(importance)) else { continue };
            let label = share_label(share, raw, *meaning == Meaning::Target);
            marks.push(Mark::Bar {
                name: (*name).into(),
                meaning: *meaning,
                slot,
                value: 100.0 * share,
                label,
            });
        }
    }
    let longest = shares.iter().flatten().flatten().fold(0.01_f64, |a, b| a.max(100.0 * b));
    Some(ChartSpec {
        title: format!("Importances: {}", trained.model),
        subtitle: format!("{} rows of {}; {}", trained.rows, trained.gpus.join(", "), trained.recipe),
        x: Axis {
            label: "share of all columns, %".into(),
            // A share has no place beyond 100 %.
            scale: Scale::Linear { min: 0.0, max: end_of_bars(longest).min(100.0) },
        },
        y: Axis {
            label: String::new(),
            scale: Scale::Category(all.iter().map(|i| i.feature.clone()).collect()),
        },
        marks,
        notes: chart_notes(trained),
    })
}

/// Shares of the sum; what is below 0 (a column that misleads) has no share.
fn shares(all: impl Iterator<Item = Option<f64>>) -> Vec<Option<f64>> {
    let all: Vec<Option<f64>> = all.map(|v| v.filter(|v| v.is_finite())).collect();
    let sum: f64 = all.iter().flatten().map(|v| v.max(0.0)).sum();
    let share = |v: f64| if sum > 0.0 { v.max(0.0) / sum } else { 0.0 };
    all.iter().map(|v| v.map(share)).collect()
}

/// The share; of a rise of the error, also by how much.
fn share_label(share: f64, raw: f64, is_rise: bool) -> String {
    let percent = format!("{} %", significant(100.0 * share));
    if is_rise {
        format!("{percent} ({}{})", if raw < 0.0 { "-" } else { "+" }, significant(raw.abs()))
    } else {
        percent
    }
}

fn chart_notes(trained: &Trained) -> Vec<String> {
    let mut notes = Vec::new();
    if trained.importances.iter().any(|i| i.permutation.is_some()) && !trained.importance_unit.is_empty() {
        notes.push(format!("in brackets: the rise in {}", trained.importance_unit));
    }
    if trained.importances.iter().any(|i| i.published.is_some()) {
        notes.push("published figures are of another data set: they are no target".into());
    }
    notes.extend(trained.notes.iter().take(2).cloned());
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{SvgTheme, render_svg, suggested_size};

    fn importance(feature: &str, impurity: f64, permutation: f64) -> TrainedImportance {
        let (impurity, permutation) = (Some(impurity), Some(permutation));
        TrainedImportance { feature: feature.into(), impurity, permutation, published: None }
    }

    #[test]
    fn bars_are_shares_and_a_column_that_misleads_has_none() {
        let importances = vec![importance("a", 0.75, 30.0), importance("b", 0.25, -2.0)];
        let trained = Trained { model: "toy".into(), importances, ..Trained::default() };
        let spec = importances_chart(&trained).unwrap();
        let bars: Vec<(usize, f64, String)> = spec
            .marks
            .iter()
            .filter_map(|m| match m {
                Mark::Bar { slot, value, label, .. } => Some((*slot, *value, label.clone())),
                _ => None,
            })
            .collect();
        let expected =
            [(0, 75.0, "75.0 %"), (0, 100.0, "100 % (+30.0)"), (1, 25.0, "25.0 %"), (1, 0.0, "0 % (-2.00)")];
        assert_eq!(bars, expected.map(|(slot, value, label)| (slot, value, label.to_string())));
        assert!(importances_chart(&Trained::default()).is_none());
    }

    #[test]
    fn numbers_without_meaning_are_drawn_as_nothing() {
        let importances = vec![importance("a", f64::NAN, f64::INFINITY), importance("b", 0.0, 0.0)];
        let trained = Trained { importances, ..Trained::default() };
        let spec = importances_chart(&trained).unwrap();
        assert!(render_svg(&spec, SvgTheme::Light, suggested_size(&spec)).is_ok());
    }
}
