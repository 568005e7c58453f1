//! Forecasts as a table and as JSON: kernels and wall clock side by side.

use super::category::KernelCategory;
use super::forecast::{PAIR_CORRELATION, TargetForecast};
use super::group_forecast::TimeRange;
use super::profile_next::ProfileNext;
use super::recorded::Application;
use super::table::percent;
use super::timeline::{IdleSplit, Timeline};
use crate::gpu::GpuId;
use crate::rank::HYPOTHETICAL;
use crate::report::shown::MARKS;
use crate::report::{Table, TableCell, TableColumn, TableFormat};
use crate::session::Session;
use crate::units::{Seconds, significant};
use serde_json::{Value, json};

/// A part of the time on a GPU: a segment of its bar.
#[derive(Debug, Clone, PartialEq)]
pub struct BarPart {
    /// What it is: `matrix product`, `launch gaps`.
    pub name: &'static str,
    /// How long.
    pub time: Seconds,
    /// Whether it is time of kernels that no prediction stands behind.
    pub is_unpredicted: bool,
}

/// Names of parts that are no kernels with a prediction, in their order.
const OTHER_PARTS: [&str; 5] =
    ["not predicted", "copies alone", "launch gaps", "host-bound", "idle, cause unknown"];

/// The parts of the window on the target, kernels by category first: together they are the wall clock, or without a time line
/// the time of kernels.
#[must_use]
pub fn bar_parts(application: &Application, forecast: &TargetForecast) -> Vec<BarPart> {
    let line = forecast.replayed.map(|r| r.timeline);
    // Kernels that run beside each other share the time that any of them runs.
    let beside = match line {
        Some(line) if forecast.kernels.value.0 > 0.0 => line.kernels as f64 * 1e-9 / forecast.kernels.value.0,
        _ => 1.0,
    };
    let mut by_category = KernelCategory::ALL.map(|category| (category, 0.0));
    let mut unpredicted = 0.0;
    for (group, on_target) in application.groups.iter().zip(&forecast.groups) {
        let time = group.calls as f64 * on_target.time.value.0;
        if !on_target.basis.is_predicted() {
            unpredicted += time;
        } else if let Some((_, sum)) = by_category.iter_mut().find(|(c, _)| *c == group.category) {
            *sum += time;
        }
    }
    let mut parts: Vec<BarPart> = Vec::new();
    let mut push = |name, seconds: f64, is_unpredicted| {
        if seconds > 0.0 {
            parts.push(BarPart { name, time: Seconds(seconds), is_unpredicted });
        }
    };
    for (category, sum) in by_category {
        push(category.as_str(), sum * beside, false);
    }
    let [not_predicted, copies, gaps, host_bound, unexplained] = OTHER_PARTS;
    push(not_predicted, unpredicted * beside, true);
    if let Some(line) = line {
        let Timeline { copy_only, idle: IdleSplit { launch_gap, host, synchronisation, unknown }, .. } = line;
        let others = [
            (copies, copy_only),
            (gaps, launch_gap),
            (host_bound, host + synchronisation),
            (unexplained, unknown),
        ];
        others.into_iter().for_each(|(name, nanoseconds)| push(name, nanoseconds as f64 * 1e-9, false));
    }
    parts
}

/// Columns that a report without a time line has nothing for.
const OF_TIME_LINE: [&str; 5] = ["wall clock", "90 % of wall", "speedup of wall", "at most", "idle"];

/// The targets side by side.
#[must_use]
pub fn target_table(
    session: &Session,
    application: &Application,
    forecasts: &[TargetForecast],
    format: TableFormat,
) -> Table {
    if format.is_for_people() {
        overview_table(session, application, forecasts)
    } else {
        record_table(session, forecasts)
    }
}

fn overview_table(session: &Session, application: &Application, forecasts: &[TargetForecast]) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("GPU"),
        TableColumn::right("kernels"),
        TableColumn::right("90 % of kernels"),
        TableColumn::right("speedup of kernels"),
        TableColumn::right("wall clock"),
        TableColumn::right("90 % of wall"),
        TableColumn::right("speedup of wall"),
        TableColumn::right("at most"),
        TableColumn::right("idle"),
        TableColumn::right("predicted"),
        TableColumn::left("notes"),
    ]);
    table.title = "the whole application on other GPUs".into();
    for forecast in forecasts {
        let marked = |t: TimeRange| forecast.kind.marked(t.value);
        let span = |t: TimeRange| forecast.kind.interval(t.low, t.high);
        let at_most = limit_speedup(forecast).map(|s| format!("{}×", significant(s)));
        let idle = forecast.replayed.map(|r| percent(100.0 * r.timeline.idle_share()));
        let text = |t: Option<String>| TableCell::maybe(t, TableCell::text);
        table.rows.push(vec![
            TableCell::text(session.name_with_settings(forecast.target)),
            TableCell::text(marked(forecast.kernels)),
            text(span(forecast.kernels)),
            TableCell::text(format!("{}×", significant(forecast.kernels_speedup))),
            text(forecast.wall.map(marked)),
            text(forecast.wall.and_then(span)),
            text(forecast.wall_speedup.map(|s| format!("{}×", significant(s)))),
            text(at_most),
            text(idle),
            TableCell::text(percent(100.0 * forecast.predicted_share)),
            TableCell::List(forecast.cautions.clone()),
        ]);
    }
    let hidden = if application.timeline.is_none() { &OF_TIME_LINE[..] } else { &[] };
    let mut table = table.footnoted("notes");
    table.notes.extend(legend());
    let mut names = forecasts.iter().map(|forecast| session.name_with_settings(forecast.target));
    if names.any(|name| name.starts_with('◇')) {
        table.notes.push(HYPOTHETICAL.into());
    }
    table.without(hidden)
}

/// Wall-clock speedup if kernels took no time and copies what they take there: Amdahl's limit.
#[must_use]
pub fn limit_speedup(forecast: &TargetForecast) -> Option<f64> {
    let (wall, speedup) = (forecast.wall?, forecast.wall_speedup?);
    let left = forecast.wall_without_kernels?;
    (left.0 > 0.0).then(|| speedup * (wall.value / left))
}

fn legend() -> [String; 4] {
    [
        format!("90 %: errors of two kernels on one pair of GPUs assumed to correlate by {PAIR_CORRELATION} (docs/application.md)"),
        "predicted: share of recorded kernel time covered by a model; the rest is scaled by the bandwidth and compute ratios, with a wider interval".into(),
        "at most: speedup with zero kernel time (Amdahl); below 1 if host and copies alone exceed the recorded run"
            .into(),
        MARKS.into(),
    ]
}

fn record_table(session: &Session, forecasts: &[TargetForecast]) -> Table {
    const NUMBERS: [&str; 9] = [
        "kernels_ms",
        "kernels_low_ms",
        "kernels_high_ms",
        "wall_ms",
        "wall_low_ms",
        "wall_high_ms",
        "kernels_speedup",
        "wall_speedup",
        "predicted_share_percent",
    ];
    let columns = [TableColumn::left("gpu")].into_iter().chain(NUMBERS.map(TableColumn::right));
    let texts = ["cautions", "time_kind"].map(TableColumn::left);
    let mut table = Table::new(columns.chain(texts).collect());
    for forecast in forecasts {
        let json = target_json(session, forecast);
        let mut row = vec![TableCell::text(session.id_with_settings(forecast.target))];
        row.extend(NUMBERS.map(|name| TableCell::maybe(json[name].as_f64(), TableCell::number)));
        row.push(TableCell::List(forecast.cautions.clone()));
        row.push(TableCell::text(forecast.kind.as_str()));
        table.rows.push(row);
    }
    table
}

/// One entry of `targets`. Names of keys are part of the interface.
#[must_use]
pub fn target_json(session: &Session, forecast: &TargetForecast) -> Value {
    let wall = |of: fn(&TimeRange) -> Seconds| forecast.wall.as_ref().map(|w| of(w).millis());
    json!({
        "gpu": session.id_with_settings(forecast.target),
        "kernels_ms": forecast.kernels.value.millis(),
        "kernels_low_ms": forecast.kernels.low.millis(),
        "kernels_high_ms": forecast.kernels.high.millis(),
        "wall_ms": wall(|w| w.value),
        "wall_low_ms": wall(|w| w.low),
        "wall_high_ms": wall(|w| w.high),
        "kernels_speedup": forecast.kernels_speedup,
        "wall_speedup": forecast.wall_speedup,
        "wall_speedup_limit": limit_speedup(forecast),
        "predicted_share_percent": 100.0 * forecast.predicted_share,
        "idle_percent": forecast.replayed.map(|r| 100.0 * r.timeline.idle_share()),
        "cautions": forecast.cautions,
        "time_kind": forecast.kind.as_str(),
    })
}

/// What to profile to narrow the total on this target.
#[must_use]
pub fn profile_table(
    session: &Session,
    application: &Application,
    target: GpuId,
    next: &[ProfileNext],
) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::right("share"),
        TableColumn::right("90 % now"),
        TableColumn::right("then"),
    ]);
    table.title =
        format!("profile next, to narrow the kernel total on {}", session.name_with_settings(target));
    for one in next {
        let group = &application.groups[one.group];
        let [now, then] = one.half_width_percent.map(|p| format!("± {} %", significant(p)));
        table.rows.push(vec![
            TableCell::text(&group.label),
            TableCell::text(percent(100.0 * group.share)),
            TableCell::text(now),
            TableCell::text(then),
        ]);
        // Below the table, where a terminal cuts it nowhere and it can be copied whole.
        table.notes.push(format!("{} <program>", one.command));
    }
    table
}
