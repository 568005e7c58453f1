//! The bandwidth chart of a kernel without FLOPs: bytes per second over the working set, with the edge where L2 ends.

use super::caption::{self, predicted_word};
use super::further::{note_left_out, one_of_several, targets_of_view, with_targets};
use super::{Axis, ChartSpec, Dash, Mark, Meaning, RooflineView, Scale, Shape};
use crate::gpu::Gpu;
use crate::pair::Side;
use crate::text::marked_estimate;
use crate::units::{Bytes, Seconds};

/// How far the axes reach beyond what is drawn.
const AIR: f64 = 2.0;

/// Bytes per second over the working set, for a kernel whose FLOPs are none or not known and whose DRAM bytes are; nothing
/// for any other. Each GPU has two roofs: L2's up to its size, then DRAM's.
#[must_use]
pub fn bandwidth_chart(view: &RooflineView<'_>) -> Option<ChartSpec> {
    let work = &view.answer.work;
    let bytes = work.dram().filter(|b| b.0 > 0.0)?;
    if work.flops().is_some_and(|f| f.0 > 0.0) {
        return None;
    }
    let targets = targets_of_view(view);
    let gpus: Vec<(&Gpu, Meaning)> = view
        .show
        .shown()
        .map(|side| (view.gpus[side], Meaning::side_colour(side)))
        .chain(targets.iter().map(|drawn| (drawn.target.gpu, drawn.meaning)))
        .collect();
    let sizes = gpus.iter().map(|(gpu, _)| gpu.l2_size.value.0);
    let ends = sizes.chain([bytes.0]).fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    let x = (ends.0 / AIR / 2.0, ends.1 * AIR * 2.0);
    let mut points = points(view, bytes);
    points.extend(targets.iter().filter_map(|drawn| drawn.point(bytes.0, |time| (bytes / time).0)));
    let mut marks = Vec::new();
    for (gpu, meaning) in gpus {
        marks.extend(roofs(view, gpu, meaning, [x.0, x.1]));
    }
    let rates = marks.iter().chain(&points).flat_map(|mark| match mark {
        Mark::Line { points, .. } => points.iter().map(|p| p.1).collect(),
        Mark::Point { at, .. } => vec![at.1],
        _ => Vec::new(),
    });
    let range = rates.filter(|r| r.is_finite() && *r > 0.0);
    let (low, high) = range.fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(v), b.max(v)));
    marks.extend(points);
    let mut notes = vec![
        match work.flops() {
            Some(_) => "no FLOPs: bandwidth over the working set instead of a roofline",
            None => "FLOPs unknown: bandwidth over the working set instead of a roofline",
        }
        .to_string(),
    ];
    notes.extend(caption::remarks(view.answer, view.show));
    let mut chart = ChartSpec {
        title: with_targets(caption::title(view.kernel, &view.problem, view.gpus, view.show), view),
        subtitle: caption::subtitle(view.answer, view.show, one_of_several(view)),
        x: Axis { label: "working set, B".into(), scale: Scale::Log { min: x.0, max: x.1 } },
        y: Axis { label: "bandwidth, B/s".into(), scale: Scale::Log { min: low / AIR, max: high * AIR } },
        marks,
        notes,
    };
    note_left_out(&mut chart, &view.further);
    Some(chart)
}

/// L2's roof up to its size, DRAM's beyond, and the edge between them.
fn roofs(view: &RooflineView<'_>, gpu: &Gpu, meaning: Meaning, [left, right]: [f64; 2]) -> Vec<Mark> {
    let (dram, l2) = (gpu.bandwidth(view.answer.ceilings_used), gpu.l2_bandwidth_or_derived());
    let edge = gpu.l2_size.value;
    let name = gpu.short_name();
    let line = |name: String, dash: Dash, points: Vec<(f64, f64)>| Mark::Line { name, meaning, dash, points };
    vec![
        line(
            format!("{name}: L2 {} up to {}", l2.value, edge.as_capacity()),
            Dash::Dashed,
            vec![(left, l2.value.0), (edge.0, l2.value.0), (edge.0, dram.value.0)],
        ),
        line(
            format!("{name}: DRAM {}", dram.value),
            Dash::Solid,
            vec![(edge.0, dram.value.0), (right, dram.value.0)],
        ),
        Mark::Label { meaning, at: (right, dram.value.0), text: format!("{name} {}", dram.value) },
    ]
}

/// `27.4 µs`, or `~27.4 µs` of an estimate.
fn label_of_time(time: Seconds, shape: Shape) -> String {
    marked_estimate(time, shape != Shape::Estimated)
}

/// The times as points: bytes over time.
fn points(view: &RooflineView<'_>, bytes: Bytes) -> Vec<Mark> {
    let answer = view.answer;
    let point =
        |side: Side, shape: Shape, time: Seconds, ends: Option<(Seconds, Seconds)>, word: &str| Mark::Point {
            name: format!("{}: {} {word}", view.gpus[side].short_name(), label_of_time(time, shape)),
            meaning: Meaning::side_colour(side),
            shape,
            at: (bytes.0, (bytes / time).0),
            interval: ends.map(|(low, high)| ((bytes / high).0, (bytes / low).0)),
            label: if shape == Shape::Estimated {
                label_of_time(time, shape)
            } else {
                format!("{word} {time}")
            },
        };
    let mut out = Vec::new();
    if let (true, Some(t)) = (view.show.shows(Side::Source), &answer.source_time) {
        let shape = Shape::of_source_time(t);
        out.push(point(Side::Source, shape, t.time, None, caption::source_words(shape)));
    }
    if let (true, Ok(p)) = (view.show.shows(Side::Target), &answer.prediction) {
        let estimate = answer.is_estimate();
        let shape = if estimate { Shape::Estimated } else { Shape::Predicted };
        let ends = answer.interval.as_ref().map(|i| (i.low, i.high));
        out.push(point(Side::Target, shape, p.time, ends, predicted_word(estimate)));
    }
    if let (true, Some(m)) = (view.show.shows(Side::Target), answer.measured) {
        out.push(point(Side::Target, Shape::Measured, m.time, None, "measured"));
    }
    out
}
