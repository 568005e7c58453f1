//! Paper 4's figures: the tiled kernel's time (2 to 4) and power (5) over the size of the product, and what the forest predicts
//! of the test rows (7 to 9). Figure 6 is the matrix of `correlation.rs`; figure 1, a roofline, is `export roofline`'s.

use super::predictions::TestPredictions;
use super::tiled::{TiledRows, TiledTarget};
use crate::chart::{
    Axis, ChartSpec, Dash, Mark, Meaning, Scale, ScatterPoint, ScatterText, Shape, scatter_chart,
};
use crate::gemm::GemmTarget;
use crate::learn::metrics::median;
use crate::papers::figure::PaperFigure;
use crate::stats::value_range;
use crate::units::significant;
use std::collections::BTreeMap;

/// The tiles of each figure of times.
const TIME_FIGURES: [(&str, &[u32]); 3] = [("2", &[1]), ("3", &[4]), ("4", &[8, 16, 32])];
/// Those of the figure of power.
const POWER_FIGURE: (&str, &[u32]) = ("5", &[1, 4, 8, 16, 32]);

/// How the line of each tile looks, in the order of a figure's tiles.
const LINES: [(Meaning, Dash); 5] = [
    (Meaning::Source, Dash::Solid),
    (Meaning::Target, Dash::Dashed),
    (Meaning::Limiter, Dash::DashDot),
    (Meaning::Target, Dash::Solid),
    (Meaning::Source, Dash::Dotted),
];

/// Figures 2 to 4 of times, or figure 5 of powers; a tile that no row has leaves its figure out.
#[must_use]
pub fn tiled_figures(rows: &TiledRows) -> Vec<PaperFigure> {
    let wanted: Vec<(&str, &[u32])> = match rows.target {
        TiledTarget::Time => TIME_FIGURES.to_vec(),
        TiledTarget::Power => vec![POWER_FIGURE],
    };
    let figure = |(number, tiles): (&str, &[u32])| {
        let chart = tiled_chart(rows, number, tiles)?;
        Some(PaperFigure { paper: 4, figure: number.into(), chart })
    };
    wanted.into_iter().filter_map(figure).collect()
}

/// Multiply-adds and the number measured, of this tile, by size.
fn points_of(rows: &TiledRows, tile: u32) -> Vec<(f64, f64)> {
    let scale = if rows.target == TiledTarget::Time { 1e-3 } else { 1.0 };
    let of_tile = rows.features.iter().zip(&rows.values).filter(|([.., t], _)| *t == f64::from(tile));
    let mut points: Vec<(f64, f64)> = of_tile.map(|([m, n, k, _], v)| (m * n * k, v * scale)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    points
}

/// The median of the products of one size.
fn medians_by_size(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (size, value) in points {
        by_size.entry(size.to_bits()).or_default().push(*value);
    }
    by_size.into_iter().filter_map(|(size, values)| Some((f64::from_bits(size), median(values)?))).collect()
}

fn tiled_chart(rows: &TiledRows, number: &str, tiles: &[u32]) -> Option<ChartSpec> {
    let mut marks = Vec::new();
    let mut all: Vec<(f64, f64)> = Vec::new();
    for (tile, (meaning, dash)) in tiles.iter().zip(LINES) {
        let points = points_of(rows, *tile);
        let middles = medians_by_size(&points);
        let last = *middles.last()?;
        marks.push(Mark::Line {
            name: format!("{tile}x{tile}: median of the products of one size"),
            meaning,
            dash,
            points: middles,
        });
        marks.extend(points.iter().map(|at| Mark::Point {
            name: String::new(),
            meaning,
            shape: Shape::Other,
            at: *at,
            interval: None,
            label: String::new(),
        }));
        marks.push(Mark::Label { meaning, at: last, text: format!("{tile}x{tile}") });
        all.extend(points);
    }
    let x = value_range(all.iter().map(|p| p.0));
    let y = value_range(all.iter().map(|p| p.1));
    let is_time = rows.target == TiledTarget::Time;
    let (what, label) = if is_time { ("time", "time, s") } else { ("power", "power, W") };
    let y_scale = if is_time {
        Scale::Log { min: y.0 / 1.6, max: y.1 * 1.6 }
    } else {
        Scale::Linear { min: 0.0, max: 1.1 * y.1 }
    };
    let names: Vec<String> = tiles.iter().map(|t| format!("{t}x{t}")).collect();
    Some(ChartSpec {
        title: format!("Paper 4, figure {number}: {what} of the tiled kernel, tiles {}", names.join(", ")),
        subtitle: format!("{} products on an RTX 4070, measured by the authors", all.len()),
        x: Axis {
            label: "multiply-adds, m n k".into(),
            scale: Scale::Log { min: x.0 / 1.6, max: x.1 * 3.0 },
        },
        y: Axis { label: label.into(), scale: y_scale },
        marks,
        notes: vec![if is_time {
            "one cold launch each, about 5.5 ms of it loading the module; other jobs ran on the GPU".into()
        } else {
            "mean of a whole process, start and copies included: no power of a launch".into()
        }],
    })
}

/// Figures 7 to 9: the forest's predictions of the test rows.
#[must_use]
pub fn prediction_figures(predictions: &TestPredictions) -> Vec<PaperFigure> {
    let figures = [(GemmTarget::Time, "7"), (GemmTarget::Power, "8"), (GemmTarget::Energy, "9")];
    let figure = |(target, number): (GemmTarget, &str)| {
        let (measured, predicted) = predictions.of_target(target);
        let points: Vec<ScatterPoint> = measured
            .iter()
            .zip(predicted)
            .map(|(m, p)| ScatterPoint { measured: *m, predicted: *p, label: String::new() })
            .collect();
        let line = predictions.line(target);
        let text = ScatterText {
            title: format!("Paper 4, figure {number}: {} of the test rows", target.as_str()),
            subtitle: "forest of 100 trees of depth 6, rows of CUTLASS SGEMM on an RTX 4070".into(),
            quantity: target.as_str().into(),
            notes: line
                .map(|l| {
                    format!(
                        "{} rows; predicted = {} x measured {} {}",
                        points.len(),
                        significant(l.slope),
                        if l.intercept < 0.0 { "-" } else { "+" },
                        significant(l.intercept.abs())
                    )
                })
                .into_iter()
                .collect(),
        };
        PaperFigure { paper: 4, figure: number.into(), chart: scatter_chart(text, &points) }
    };
    figures.into_iter().map(figure).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{SvgTheme, render_svg, suggested_size};

    fn rows(target: TiledTarget) -> TiledRows {
        let sides = [512.0, 1024.0, 2048.0];
        let tiles = [1.0, 4.0, 8.0, 16.0, 32.0];
        let all = sides.iter().flat_map(|s| tiles.iter().map(move |t| [*s, *s, 1024.0, *t]));
        let features: Vec<[f64; 4]> = all.collect();
        let values = features.iter().map(|[m, n, _, t]| m * n / t / 1e3 + 30.0).collect();
        TiledRows { target, features, values }
    }

    #[test]
    fn every_figure_of_the_tiled_kernel_is_drawn() {
        for (target, names) in [(TiledTarget::Time, vec!["2", "3", "4"]), (TiledTarget::Power, vec!["5"])] {
            let all = tiled_figures(&rows(target));
            assert_eq!(all.iter().map(|f| f.figure.as_str()).collect::<Vec<_>>(), names);
            for figure in all {
                assert!(render_svg(&figure.chart, SvgTheme::Light, suggested_size(&figure.chart)).is_ok());
            }
        }
        let mut without = rows(TiledTarget::Time);
        without.features.iter_mut().for_each(|f| f[3] = 2.0);
        assert!(tiled_figures(&without).is_empty(), "tiles that no row has");
    }
}
