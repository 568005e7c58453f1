//! The roofs of one GPU on a roofline chart.

use super::ceilings;
use super::{Dash, Mark, Meaning, RooflineView};
use crate::catalogue::Sourced;
use crate::gpu::Gpu;
use crate::pair::Side;
use crate::roofline::{Level, Roofline};
use crate::units::{BytesPerSecond, significant};

/// One GPU's roofs with their ridge point and its name at the right end.
pub(super) fn roof_marks(
    view: &RooflineView<'_>,
    side: Side,
    roof: &Roofline,
    (x, y): ((f64, f64), (f64, f64)),
    marks: &mut Vec<Mark>,
    notes: &mut Vec<String>,
) {
    let (gpu, meaning, c) = (view.gpus[side], Meaning::side_colour(side), roof.compute.value.0);
    let asked = || Level::ALL.into_iter().filter(|l| *l == Level::Dram || view.levels.contains(l));
    let speed = |l: &Level| roof.bandwidth(*l).map_or(0.0, |b| b.0);
    let fastest = asked().max_by(|a, b| speed(a).total_cmp(&speed(b)));
    let dram_ridge = roof.ridge(Level::Dram).map_or(x.1, |r| r.0);
    for level in asked().filter(|l| !ceilings::replaces(view.answer, side, *l)) {
        let Some((_, b)) = roof.bandwidths.iter().find(|(l, _)| *l == level) else {
            notes.push(format!(
                "{}: no {} bandwidth is known, so that roof is missing",
                gpu.short_name(),
                level.as_str()
            ));
            continue;
        };
        let ridge = c / b.value.0;
        let left = x.0.max(y.0 / b.value.0);
        if !(ridge.is_finite() && ridge > left) {
            notes.push(format!("{}: the {} roof lies off the chart", gpu.short_name(), level.as_str()));
            continue;
        }
        let mut points = vec![(left, b.value.0 * left), (ridge, c)];
        if level == Level::Dram {
            points.push((x.1, c));
        } else if fastest == Some(level) {
            points.push((dram_ridge, c)); // min(C, B I) goes on to the right; DRAM's roof has the rest
        }
        marks.push(Mark::Line {
            name: roof_name(view, gpu, roof, level, b),
            meaning,
            dash: dash(level),
            points,
        });
        if level == Level::Dram {
            let points = vec![(ridge, y.0), (ridge, c)];
            marks.push(Mark::Line { name: String::new(), meaning: Meaning::Dim, dash: Dash::Dotted, points });
            let text = format!("ridge {}", significant(ridge));
            marks.push(Mark::Label { meaning, at: (ridge, c), text });
        }
    }
    marks.push(Mark::Label {
        meaning,
        at: (x.1, c),
        text: format!("{} {}", gpu.short_name(), view.operation().rate_text(roof.compute.value)),
    });
}

/// `TITAN V: 14.9 TFLOP/s, DRAM 653 GB/s (peak, published)`.
fn roof_name(
    view: &RooflineView<'_>,
    gpu: &Gpu,
    roof: &Roofline,
    level: Level,
    b: &Sourced<BytesPerSecond>,
) -> String {
    let (name, word, origin) = (gpu.short_name(), level.as_str(), b.origin.as_str());
    if level != Level::Dram {
        return format!("{name}: {word} {} ({origin})", b.value);
    }
    let (of_compute, ceilings) = (roof.compute.origin, view.answer.ceilings_used.as_str());
    let rate = view.operation().rate_text(roof.compute.value);
    if of_compute == b.origin {
        return format!("{name}: {rate}, {word} {} ({ceilings}, {origin})", b.value);
    }
    format!("{name}: {rate} ({}), {word} {} ({origin}); {ceilings} ceilings", of_compute.as_str(), b.value)
}

fn dash(level: Level) -> Dash {
    match level {
        Level::Dram => Dash::Solid,
        Level::L2 => Dash::Dashed,
        Level::L1 => Dash::Dotted,
        Level::Shared => Dash::DashDot,
    }
}
