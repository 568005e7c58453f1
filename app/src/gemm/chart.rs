//! Energy over time of a GEMM, a point a tile.

use super::tiles::{From, TileAnswer, best};
use crate::chart::{Axis, ChartSpec, Mark, Meaning, Scale, Shape};
use crate::gpu::Gpu;

/// Draws energy (up) over time (right) for every tile that has both; `product` is the product in words.
#[must_use]
pub fn gemm_chart(gpu: &Gpu, product: &str, answers: &[TileAnswer]) -> ChartSpec {
    let picked = best(answers);
    let point = |(place, a): (usize, &TileAnswer)| {
        let (time, energy) = (a.time.as_ref().ok()?, a.energy()?);
        let mark = |is: bool, word: &str| if is { format!(", {word}") } else { String::new() };
        let best = [
            mark(picked.fastest == Some(place), "fastest"),
            mark(picked.least_energy == Some(place), "least energy"),
        ];
        let (shape, name) = match time.from {
            From::Measured => (Shape::Measured, "time measured"),
            From::Learned => (Shape::Predicted, "time learned from your rows"),
            From::Modelled => (Shape::Estimated, "time modelled"),
        };
        Some(Mark::Point {
            name: format!("{name}; band: 90 % of the energy"),
            meaning: Meaning::Target,
            shape,
            at: (time.value.millis(), energy.value.0),
            interval: Some((energy.low.0, energy.high.0)),
            label: format!("{}{}", a.tile, best.concat()),
        })
    };
    let marks: Vec<Mark> = answers.iter().enumerate().filter_map(point).collect();
    let times = answers.iter().filter_map(|a| Some(a.time.as_ref().ok()?.value.millis()));
    let energies = answers.iter().filter_map(TileAnswer::energy).flat_map(|e| [e.low.0, e.high.0]);
    ChartSpec {
        title: format!("{product} on {}: energy over time by tile", gpu.name),
        subtitle: "energy = power x time; time: components, power: a fit on three other boards, unless your rows say more"
            .into(),
        x: Axis { label: "time, ms".into(), scale: decades(times) },
        y: Axis { label: "energy, J".into(), scale: decades(energies) },
        marks,
        notes: picked.advice_lines(answers),
    }
}

/// A logarithmic axis with room around the values.
fn decades(values: impl Iterator<Item = f64>) -> Scale {
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), v| (low.min(v), high.max(v)));
    if low > 0.0 && low.is_finite() {
        Scale::Log { min: low / 1.6, max: high * 2.5 }
    } else {
        Scale::Log { min: 0.1, max: 10.0 }
    }
}
