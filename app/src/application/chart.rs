//! The time of an application on every GPU as one stacked bar each: kernels by category, copies, launch gaps, host.

use super::category::KernelCategory;
use super::forecast::TargetForecast;
use super::recorded::Application;
use super::targets::{BarPart, bar_parts};
use crate::chart::{Axis, ChartSpec, Hatch, Mark, Meaning, Scale, Shape, TimeUnit};
use crate::report::shown::TimeKind;
use crate::session::Session;
use crate::text::marked_estimate;
use crate::units::{Seconds, significant};

/// Draws the source as it was recorded (a forecast for itself) and the targets below it.
#[must_use]
pub fn application_chart(
    session: &Session,
    application: &Application,
    forecasts: &[TargetForecast],
) -> ChartSpec {
    let longest = forecasts.iter().map(|f| whole(f).2).fold(0.0, f64::max);
    let unit = TimeUnit::for_longest(Seconds(longest));
    let bars: Vec<Vec<BarPart>> = forecasts.iter().map(|f| bar_parts(application, f)).collect();
    let mut marks = Vec::new();
    for (slot, (forecast, bar)) in forecasts.iter().zip(&bars).enumerate() {
        let mut from = 0.0;
        for part in bar {
            let to = from + unit.number(part.time);
            let (meaning, strength, hatch) = look(part);
            let label = part.name.into();
            marks.push(Mark::Segment { meaning, slot, from, to, strength, hatch, label });
            from = to;
        }
        marks.push(end_mark(slot, forecast, unit));
    }
    let slots = forecasts.iter().map(|f| session.name_with_settings(f.target)).collect();
    let what = if application.timeline.is_some() { "wall clock" } else { "kernels, summed" };
    ChartSpec {
        title: format!("{} on other GPUs: {what}", application.file_name()),
        subtitle: "bars: parts of the time as in the legend, kernels from the left".into(),
        x: Axis {
            label: unit.axis_label("time"),
            scale: Scale::Linear { min: 0.0, max: 1.25 * unit.number(Seconds(longest)) },
        },
        y: Axis { label: String::new(), scale: Scale::Category(slots) },
        marks,
        notes: vec![
            "band: 90 % of the kernels' errors; the host and idle time it leaves are taken as recorded"
                .into(),
        ],
    }
}

/// The time that a bar ends at, and its interval.
fn whole(forecast: &TargetForecast) -> (f64, f64, f64) {
    let time = forecast.time_range();
    (time.value.0, time.low.0, time.high.0)
}

fn end_mark(slot: usize, forecast: &TargetForecast, unit: TimeUnit) -> Mark {
    let (value, low, high) = whole(forecast);
    let number = |seconds: f64| unit.number(Seconds(seconds));
    let (kind, time) = (forecast.kind, forecast.time_range().value);
    let marked = marked_estimate(time, kind.rests_on_measurement());
    // A host that takes longer is modelled, also on the program's own GPU.
    let is_recorded = kind == TimeKind::Measured;
    let speedup = significant(forecast.overall_speedup());
    let (shape, name) = match kind {
        TimeKind::Measured => (Shape::Measured, "recorded"),
        TimeKind::Scaled => (Shape::Predicted, "scaled from a measurement, with 90 % interval"),
        TimeKind::Modelled => (Shape::Estimated, "modelled without a measurement, with 90 % interval"),
    };
    Mark::Point {
        name: name.into(),
        meaning: if is_recorded { Meaning::Source } else { Meaning::Target },
        shape,
        at: (number(value), slot as f64 + 0.3),
        interval: (!is_recorded).then_some((number(low), number(high))),
        label: if is_recorded { marked } else { format!("{marked}, {speedup}×") },
    }
}

/// Colour and lines of each category of kernels: no two have both, neighbours differ in both.
const LOOKS: [(Meaning, Hatch); KernelCategory::ALL.len()] = [
    (Meaning::Target, Hatch::Plain),
    (Meaning::Further(0), Hatch::Rising),
    (Meaning::Further(1), Hatch::Plain),
    (Meaning::Further(2), Hatch::Rising),
    (Meaning::Target, Hatch::Crossed),
    (Meaning::Further(0), Hatch::Plain),
    (Meaning::Further(1), Hatch::Rising),
    (Meaning::Further(2), Hatch::Plain),
    (Meaning::Target, Hatch::Rising),
    (Meaning::Further(0), Hatch::Crossed),
];

/// Colour, its strength and lines: kernels stand apart from what is no kernel, and neighbours from each other.
fn look(part: &BarPart) -> (Meaning, f64, Hatch) {
    let place = KernelCategory::ALL.iter().position(|c| c.as_str() == part.name);
    let plain = |meaning, strength| (meaning, strength, Hatch::Plain);
    match (part.name, place) {
        ("copies alone", _) => plain(Meaning::Source, 0.7),
        ("launch gaps", _) => plain(Meaning::Dim, 0.9),
        ("host-bound", _) => plain(Meaning::Dim, 0.4),
        ("idle, cause unknown", _) => plain(Meaning::Dim, 0.0),
        (_, Some(at)) if !part.is_unpredicted => {
            let (meaning, hatch) = LOOKS[at];
            (meaning, if hatch == Hatch::Plain { 0.7 } else { 0.3 }, hatch)
        }
        _ => plain(Meaning::Limiter, 0.5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_of_kernels_differ_in_colour_or_lines_and_neighbours_in_both() {
        for (at, (meaning, hatch)) in LOOKS.iter().enumerate() {
            assert!(LOOKS[..at].iter().all(|other| *other != (*meaning, *hatch)), "{at}");
            let before = at.checked_sub(1).map(|before| LOOKS[before]);
            assert!(before.is_none_or(|(m, h)| m != *meaning && h != *hatch), "{at}");
        }
    }
}
