//! A tornado and a contour as pictures.

use super::contour::Contour;
use super::table::WhatIfAnswer;
use super::tornado::TornadoBar;
use crate::chart::{Axis, ChartSpec, Dash, Mark, Meaning, Scale, Shape, TimeUnit};
use crate::units::{Seconds, deviation};

/// One row per number that matters: the time with a fifth less and a fifth more of it, about the time now.
#[must_use]
pub fn tornado_chart(answer: &WhatIfAnswer) -> ChartSpec {
    let bars: Vec<&TornadoBar> = answer.tornado.iter().filter(|bar| bar.matters()).collect();
    let now = answer.time.unwrap_or(Seconds(0.0));
    let ends = bars.iter().flat_map(|bar| [bar.less, bar.more]).flatten();
    let (low, high) = ends.fold((now, now), |(low, high), t| (low.min(t), high.max(t)));
    let unit = TimeUnit::for_longest(high);
    let [now, low, high] = [now, low, high].map(|time| unit.number(time));
    let room = (0.15 * (high - low)).max(0.01 * now).max(f64::MIN_POSITIVE);
    let mut marks: Vec<Mark> =
        bars.iter().enumerate().flat_map(|(slot, bar)| bar_marks(slot, bar, now, unit)).collect();
    let rows = bars.len().max(1) as f64;
    marks.push(Mark::Line {
        name: format!("now: {}", answer.time.map_or_else(String::new, |t| answer.estimate_marked(t))),
        meaning: Meaning::Dim,
        dash: Dash::Dashed,
        points: vec![(now, -0.5), (now, rows - 0.5)],
    });
    let label = |bar: &&TornadoBar| format!("{} {}", bar.number.title(), bar.number.in_words(bar.value));
    ChartSpec {
        title: format!("{} on {}: which numbers matter", answer.workload, answer.gpu_in_words()),
        subtitle: "each number 20 % less and 20 % more, predicted again".into(),
        x: Axis {
            label: unit.axis_label("time"),
            scale: Scale::Linear { min: (low - room).max(0.0), max: high + room },
        },
        y: Axis { label: String::new(), scale: Scale::Category(bars.iter().map(label).collect()) },
        marks,
        notes: answer.advice().into_iter().collect(),
    }
}

fn bar_marks(slot: usize, bar: &TornadoBar, now: f64, unit: TimeUnit) -> Vec<Mark> {
    let ends = [(bar.less, Meaning::Source, "20 % less"), (bar.more, Meaning::Target, "20 % more")];
    let mark = |(time, meaning, name): (Option<Seconds>, Meaning, &str)| {
        let moved = unit.number(time?);
        let (low, high) = if moved < now { (moved, now) } else { (now, moved) };
        Some(Mark::Point {
            name: name.to_string(),
            meaning,
            shape: Shape::Predicted,
            at: (moved, slot as f64),
            interval: Some((low, high)),
            label: deviation(100.0 * (moved / now - 1.0)),
        })
    };
    ends.into_iter().filter_map(mark).collect()
}

/// Lines of equal time over two numbers, each a number up at which the time is reached by the number across, and the break-even.
#[must_use]
pub fn contour_chart(answer: &WhatIfAnswer, contour: &Contour) -> ChartSpec {
    let [across, up] = contour.numbers;
    let xs: Vec<f64> = contour.across.iter().map(|v| across.in_unit(*v)).collect();
    let mut marks = Vec::new();
    let longest = contour.times.iter().flatten().flatten().fold(Seconds(0.0), |most, t| most.max(*t));
    let unit = TimeUnit::for_longest(longest);
    // A few curves are enough to see the trend: a quarter, a half, all, and twice of what there is now.
    let dashes = [Dash::Dotted, Dash::Dashed, Dash::Solid, Dash::DashDot];
    for (curve, dash) in dashes.into_iter().enumerate() {
        let row = curve * contour.up.len().saturating_sub(1) / dashes.len();
        let Some((value, times)) = contour.up.get(row).zip(contour.times.get(row)) else { continue };
        let points: Vec<(f64, f64)> =
            xs.iter().zip(times).filter_map(|(x, t)| Some((*x, unit.number((*t)?)))).collect();
        if !points.is_empty() {
            let name = format!("{} {}", up.title(), up.in_words(*value));
            marks.push(Mark::Line { name, meaning: Meaning::Target, dash, points });
        }
    }
    if let Some(goal) = contour.goal {
        let ends =
            [xs.first(), xs.last()].into_iter().flatten().map(|x| (*x, unit.number(goal.time))).collect();
        marks.push(Mark::Line {
            name: format!("break-even: {goal}"),
            meaning: Meaning::Limiter,
            dash: Dash::Solid,
            points: ends,
        });
    }
    let (first, last) = (xs.first().copied().unwrap_or(1.0), xs.last().copied().unwrap_or(2.0));
    let reached = contour.break_even.iter().zip(&contour.across).find_map(|(y, x)| Some((*x, (*y)?)));
    let note = reached.map(|(x, y)| {
        // It lies between two rows of the grid, whose times may be steps apart: of what is counted the next whole number is about it.
        let (y, about) = if up.is_whole() { (y.ceil(), "about ") } else { (y, "") };
        let (x, y) = (across.in_words(x), up.in_words(y));
        format!("break-even at {about}{} {x} with {} {y}", across.title(), up.title())
    });
    ChartSpec {
        title: format!(
            "{} on {}: time over {} and {}",
            answer.workload,
            answer.gpu_in_words(),
            across.title(),
            up.title()
        ),
        subtitle: format!("one curve per value of {}", up.title()),
        x: Axis {
            label: format!("{}, {}", across.title(), across.unit()).trim_end_matches(", ").into(),
            scale: Scale::Log { min: first, max: last },
        },
        y: Axis {
            label: unit.axis_label("time"),
            scale: Scale::Linear { min: 0.0, max: (1.1 * unit.number(longest)).max(1e-9) },
        },
        marks,
        notes: note.into_iter().collect(),
    }
}
