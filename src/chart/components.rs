//! The component chart: how long every part of the GPU would keep a kernel busy, on source and target side by side.

use super::scale::{TimeUnit, round_up};
use super::{Axis, ChartSides, ChartSpec, Mark, Meaning, Scale, caption};
use crate::answer::Answer;
use crate::gpu::Gpu;
use crate::kernel::Kernel;
use crate::pair::{Pair, Side};
use crate::predict::Explanation;
use crate::roofline::Component;
use crate::units::Seconds;

/// The mark of what binds, everywhere.
const BINDS: char = '◀';

/// The components that take time on either GPU, the target's longest first.
#[must_use]
pub fn ranked_components(e: &Explanation) -> Vec<Component> {
    let mut all: Vec<Component> = e.components.target.ranked().into_iter().map(|(c, _)| c).collect();
    all.retain(|c| e.components.iter().any(|side| side.takes_time(*c)));
    all
}

/// Draws one pair of bars per component, longest on the target first; what binds is marked.
#[must_use]
pub fn component_chart(
    gpus: Pair<&Gpu>,
    kernel: &Kernel,
    problem: &str,
    answer: &Answer,
    e: &Explanation,
) -> ChartSpec {
    let components = ranked_components(e);
    let longest = e.components.iter().map(|c| c.ranked()[0].1.0).fold(0.0, f64::max);
    let unit = TimeUnit::for_longest(Seconds(longest));
    let bar = |slot: usize, component: Component, side: Side| {
        let time = e.components[side].component_time(component);
        let binds = e.components[side].binding() == Some(component);
        let mark = if binds { format!(" {BINDS}") } else { String::new() };
        let text = if time.0 > 0.0 { format!("{time}{mark}") } else { "none".into() };
        Mark::Bar {
            name: format!("{} ({})", gpus[side].short_name(), side.as_str()),
            meaning: Meaning::side_colour(side),
            slot,
            value: unit.number(time),
            label: format!("{}: {text}", gpus[side].short_name()),
        }
    };
    let marks: Vec<Mark> = components
        .iter()
        .enumerate()
        .flat_map(|(slot, component)| Side::ALL.map(|side| bar(slot, *component, side)))
        .collect();
    ChartSpec {
        title: format!("Component times of {}", caption::title(kernel, problem, gpus, ChartSides::Both)),
        subtitle: format!(
            "{}; the longest binds ({BINDS})",
            caption::subtitle(answer, ChartSides::Both, None)
        ),
        x: Axis {
            label: unit.axis_label("time"),
            scale: Scale::Linear { min: 0.0, max: end(unit.number(Seconds(longest))) },
        },
        y: Axis {
            label: String::new(),
            scale: Scale::Category(components.iter().map(|c| c.as_str().to_string()).collect()),
        },
        marks,
        notes: chart_notes(gpus, answer, e),
    }
}

/// A round end of the axis with room for the text behind the longest bar.
fn end(longest: f64) -> f64 {
    let room = if longest > 0.0 { 1.4 * longest } else { 1.0 };
    let step = round_up(room / 10.0);
    (room / step).ceil() * step
}

/// What binds and what is next on either GPU, the roof's rule, cautions.
fn chart_notes(gpus: Pair<&Gpu>, answer: &Answer, e: &Explanation) -> Vec<String> {
    let rule =
        "each is a count of the kernel over a rate of the GPU; they overlap, but not wholly".to_string();
    let bound = |side: Side| Some(format!("{}: {}", gpus[side].short_name(), e.binding_words(side)?));
    Side::ALL
        .into_iter()
        .filter_map(bound)
        .chain([rule])
        .chain(caption::remarks(answer, ChartSides::Both))
        .collect()
}
