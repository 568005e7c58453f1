//! Paper 1's figures: predicted over measured times onto TITAN V by Algorithm 1 (1a, 1b) and by its forest (2a, 2b), and the
//! mean error of each kernel over all pairs of GPUs (3a, 3b). The paper's pictures hold numbers that its text does not: these
//! are drawn anew from its rows.

use super::pairs::GpuPairs;
use super::suite::forest_recipe;
use crate::chart::{
    Axis, ChartSpec, Mark, Meaning, Scale, ScatterPoint, ScatterText, end_of_bars, scatter_chart,
};
use crate::learn::{LearnError, Progress};
use crate::papers::figure::PaperFigure;
use crate::units::significant;
use std::collections::BTreeMap;

/// The GPU that is new in figures 1 and 2.
const NEW_GPU: &str = "TITAN V";
/// Sources of the two halves of figures 1 and 2, by the end of their names.
const SOURCES: [(&str, char); 2] = [("RTX 2080 Ti", 'a'), ("RTX 4070", 'b')];
/// From this factor on a point is named.
const FAR_OFF: f64 = 4.0;

/// One prediction of a time on a GPU from a time on another one.
#[derive(Debug, Clone, PartialEq)]
pub struct PredictedPair {
    /// The kernel's id.
    pub kernel: String,
    /// The source GPU's name.
    pub source: String,
    /// The target GPU's name.
    pub target: String,
    /// Measured time on the target in seconds.
    pub measured: f64,
    /// Predicted time on the target in seconds.
    pub predicted: f64,
}

impl PredictedPair {
    fn error_percent(&self) -> f64 {
        100.0 * (self.predicted / self.measured - 1.0).abs()
    }
}

/// Whose predictions are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureModel {
    /// Algorithm 1: figures 1 and 3a.
    Analytical,
    /// The forest: figures 2 and 3b.
    Forest,
}

impl FigureModel {
    fn scatter_number(self) -> char {
        if self == Self::Analytical { '1' } else { '2' }
    }

    fn kernels_letter(self) -> char {
        if self == Self::Analytical { 'a' } else { 'b' }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Analytical => "Algorithm 1, study occupancy rules, the rows' own sustained ceilings",
            Self::Forest => "forest of 200 trees on 35 raw columns, trained on the pairs onto other GPUs",
        }
    }
}

/// The figures of one model: two scatters onto TITAN V, and the errors of each kernel over all pairs.
#[must_use]
pub fn model_figures(model: FigureModel, pairs: &[PredictedPair]) -> Vec<PaperFigure> {
    let scatters = SOURCES.into_iter().filter_map(|(source, letter)| {
        let wanted = |p: &&PredictedPair| p.source.ends_with(source) && p.target.ends_with(NEW_GPU);
        let some: Vec<&PredictedPair> = pairs.iter().filter(wanted).collect();
        (!some.is_empty()).then(|| PaperFigure {
            paper: 1,
            figure: format!("{}{letter}", model.scatter_number()),
            chart: scatter_figure(model, source, letter, &some),
        })
    });
    let kernels = (!pairs.is_empty()).then(|| PaperFigure {
        paper: 1,
        figure: format!("3{}", model.kernels_letter()),
        chart: kernels_chart(model, pairs),
    });
    scatters.chain(kernels).collect()
}

fn scatter_figure(model: FigureModel, source: &str, letter: char, pairs: &[&PredictedPair]) -> ChartSpec {
    let far = |p: &PredictedPair| (p.predicted / p.measured).ln().abs() >= FAR_OFF.ln();
    let mut named: Vec<&str> = Vec::new();
    let points = pairs.iter().map(|p| {
        // Each kernel is named once: its sizes lie beside each other.
        let is_new = far(p) && !named.contains(&p.kernel.as_str());
        if is_new {
            named.push(&p.kernel);
        }
        let label = if is_new { p.kernel.clone() } else { String::new() };
        ScatterPoint { measured: p.measured, predicted: p.predicted, label }
    });
    let points: Vec<ScatterPoint> = points.collect();
    let mean = pairs.iter().map(|p| p.error_percent()).sum::<f64>() / pairs.len() as f64;
    let text = ScatterText {
        title: format!("Paper 1, figure {}{letter}: {source} to {NEW_GPU}", model.scatter_number()),
        subtitle: model.words().into(),
        quantity: "time, s".into(),
        notes: vec![
            format!("{} pairs, mean absolute error {} %", pairs.len(), significant(mean)),
            format!("named: kernels that are {FAR_OFF} times off or more, once each"),
        ],
    };
    scatter_chart(text, &points)
}

/// Mean errors by kernel, the least first.
#[must_use]
pub fn kernel_errors(pairs: &[PredictedPair]) -> Vec<(String, f64, usize)> {
    let mut by_kernel: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for pair in pairs {
        by_kernel.entry(&pair.kernel).or_default().push(pair.error_percent());
    }
    let mean = |(kernel, errors): (&str, Vec<f64>)| {
        (kernel.to_string(), errors.iter().sum::<f64>() / errors.len() as f64, errors.len())
    };
    let mut all: Vec<(String, f64, usize)> = by_kernel.into_iter().map(mean).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1));
    all
}

fn kernels_chart(model: FigureModel, pairs: &[PredictedPair]) -> ChartSpec {
    let errors = kernel_errors(pairs);
    // One kernel that is off by thousands of per cent would flatten all others.
    let middle = errors.get(errors.len() / 2).map_or(1.0, |(_, mean, _)| *mean);
    let drawn = |mean: f64| mean.min(6.0 * middle);
    let longest = errors.iter().map(|(_, mean, _)| drawn(*mean)).fold(1.0, f64::max);
    let bar = |(slot, (_, mean, n)): (usize, &(String, f64, usize))| {
        let cut = if drawn(*mean) < *mean { " (cut)" } else { "" };
        Mark::Bar {
            name: String::new(),
            meaning: Meaning::Target,
            slot,
            value: drawn(*mean),
            label: format!("{} % of {n}{cut}", significant(*mean)),
        }
    };
    let protocol = match model {
        FigureModel::Analytical => "every pair of GPUs in both directions",
        FigureModel::Forest => "every pair of GPUs; for each target GPU trained on the pairs onto the others",
    };
    ChartSpec {
        title: format!("Paper 1, figure 3{}: mean error of each kernel", model.kernels_letter()),
        subtitle: model.words().into(),
        x: Axis {
            label: "mean absolute error of the predicted time, %".into(),
            scale: Scale::Linear { min: 0.0, max: end_of_bars(longest) },
        },
        y: Axis {
            label: String::new(),
            scale: Scale::Category(errors.iter().map(|(kernel, ..)| kernel.clone()).collect()),
        },
        marks: errors.iter().enumerate().map(bar).collect(),
        notes: vec![protocol.into(), "the paper's picture shows the best kernels alone".into()],
    }
}

/// What the forest predicts of every pair when no pair onto its target GPU was trained on.
///
/// # Errors
/// [`LearnError`] where the pairs are too few, or it was cancelled.
pub fn forest_pairs(pairs: &GpuPairs, progress: &Progress) -> Result<Vec<PredictedPair>, LearnError> {
    let mut targets: Vec<&str> = pairs.origins.iter().map(|o| o.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    let mut all = Vec::new();
    for target in targets {
        let (train, test) = (pairs.places(|o| o.target != target), pairs.places(|o| o.target == target));
        let times: Vec<f64> = train.iter().map(|i| pairs.times[*i]).collect();
        let fitted = forest_recipe(0).fit_model(&pairs.table.select(&train), &times, &progress.aside())?;
        let predicted = fitted.predict(&pairs.table.select(&test))?;
        all.extend(test.into_iter().zip(predicted).map(|(place, ms)| {
            let origin = &pairs.origins[place];
            PredictedPair {
                kernel: origin.kernel.clone(),
                source: origin.source.clone(),
                target: origin.target.clone(),
                measured: pairs.times[place] / 1e3,
                predicted: ms / 1e3,
            }
        }));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{SvgTheme, render_svg, suggested_size};

    fn pair(kernel: &str, source: &str, target: &str, predicted: f64) -> PredictedPair {
        let [kernel, source, target] = [kernel, source, target].map(str::to_string);
        PredictedPair { kernel, source, target, measured: 1e-3, predicted }
    }

    #[test]
    fn two_scatters_onto_the_new_gpu_and_one_of_all_kernels() {
        let pairs = [
            pair("saxpy", "NVIDIA GeForce RTX 2080 Ti", "NVIDIA TITAN V", 1.5e-3),
            pair("saxpy", "NVIDIA GeForce RTX 4070", "NVIDIA TITAN V", 0.5e-3),
            pair("conv", "NVIDIA TITAN V", "NVIDIA GeForce RTX 4070", 9e-3),
        ];
        let all = model_figures(FigureModel::Forest, &pairs);
        let names: Vec<String> = all.iter().map(PaperFigure::file_name).collect();
        assert_eq!(names, ["paper1-figure2a.svg", "paper1-figure2b.svg", "paper1-figure3b.svg"]);
        assert_eq!(kernel_errors(&pairs), [("saxpy".to_string(), 50.0, 2), ("conv".to_string(), 800.0, 1)]);
        for figure in all {
            let chart = &figure.chart;
            assert!(render_svg(chart, SvgTheme::Light, suggested_size(chart)).is_ok(), "{}", figure.figure);
        }
        assert!(model_figures(FigureModel::Analytical, &[]).is_empty());
    }
}
