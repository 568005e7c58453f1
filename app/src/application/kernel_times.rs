//! The kernels of an application on each target, one by one: what becomes of a launch, and what that rests on.

use super::forecast::TargetForecast;
use super::group::KernelGroup;
use super::group_forecast::{GroupForecast, ratio_or_one};
use super::recorded::Application;
use super::table::{counted, percent};
use crate::report::kernels::dimensions;
use crate::report::{Table, TableCell, TableColumn};
use crate::session::Session;
use crate::units::{Seconds, range, significant};
use serde_json::{Value, json};

/// A group and what becomes of it.
type OnTarget<'a> = (&'a KernelGroup, &'a GroupForecast);

fn total_time((group, on_target): OnTarget<'_>) -> Seconds {
    on_target.time.value * group.calls as f64
}

fn speedup((group, on_target): OnTarget<'_>) -> f64 {
    ratio_or_one(group.mean(), on_target.time.value)
}

fn groups_on<'a>(
    application: &'a Application,
    forecast: &'a TargetForecast,
) -> impl Iterator<Item = OnTarget<'a>> {
    application.groups.iter().zip(&forecast.groups)
}

/// The groups on one target for people, `most` of them, those that take the longest there first.
#[must_use]
pub fn kernels_on_target_table(
    session: &Session,
    application: &Application,
    forecast: &TargetForecast,
    most: usize,
) -> Table {
    let mut table = Table::new(vec![
        TableColumn::left("kernel"),
        TableColumn::left("operator"),
        TableColumn::right("calls"),
        TableColumn::right("share"),
        TableColumn::right("recorded"),
        TableColumn::right("predicted"),
        TableColumn::right("90 %"),
        TableColumn::right("speedup"),
        TableColumn::left("limit"),
        TableColumn::left("rests on"),
        TableColumn::left("notes"),
    ]);
    table.title = format!("kernels on {}, a launch of each", session.name_with_settings(forecast.target));
    let mut all: Vec<OnTarget<'_>> = groups_on(application, forecast).collect();
    all.sort_by(|a, b| total_time(*b).0.total_cmp(&total_time(*a).0));
    let sum: f64 = all.iter().map(|one| total_time(*one).0).sum();
    let share = |one: OnTarget<'_>| percent(100.0 * total_time(one).0 / sum);
    for one in all.iter().copied().take(most) {
        let (group, on_target) = one;
        table.rows.push(vec![
            TableCell::text(&group.label),
            TableCell::maybe(group.short_operator(), TableCell::text),
            TableCell::text(group.calls.to_string()),
            TableCell::text(share(one)),
            TableCell::text(group.mean().to_string()),
            TableCell::text(on_target.time.value.to_string()),
            TableCell::text(range(on_target.time.low, on_target.time.high)),
            TableCell::text(format!("{}×", significant(speedup(one)))),
            TableCell::maybe(on_target.limit, |limit| TableCell::text(limit.as_str())),
            TableCell::text(on_target.basis.as_str()),
            TableCell::List(on_target.reason.iter().cloned().collect()),
        ]);
    }
    let rest = all.len().saturating_sub(most);
    let mut table = table.footnoted("notes");
    table.notes.push("share: of the time of kernels there, all calls together".into());
    if rest > 0 {
        let groups = counted(rest as u64, "group", "groups");
        table.notes.push(format!("… and {groups} more; --top N shows N"));
    }
    table
}

/// The same for programs: every group on every target, in the order of the groups.
#[must_use]
pub fn kernels_on_targets_table(
    session: &Session,
    application: &Application,
    forecasts: &[TargetForecast],
) -> Table {
    const NUMBERS: [&str; 6] = ["calls", "recorded_ms", "time_ms", "low_ms", "high_ms", "speedup"];
    const WORDS: [&str; 3] = ["limit", "rests_on", "reason"];
    const LAUNCH: [&str; 3] = ["operator", "block", "grid"];
    let columns = ["gpu", "name"].map(TableColumn::left).into_iter().chain(NUMBERS.map(TableColumn::right));
    let mut table =
        Table::new(columns.chain([WORDS, LAUNCH].concat().into_iter().map(TableColumn::left)).collect());
    for forecast in forecasts {
        for one in groups_on(application, forecast) {
            let json = kernel_json(one);
            let mut row = vec![
                TableCell::text(session.id_with_settings(forecast.target)),
                TableCell::text(&one.0.name),
            ];
            row.extend(NUMBERS.map(|name| TableCell::maybe(json[name].as_f64(), TableCell::number)));
            row.extend(WORDS.map(|name| TableCell::maybe(json[name].as_str(), TableCell::text)));
            row.push(TableCell::maybe(one.0.operator_words(), TableCell::text));
            row.extend(
                [one.0.block, one.0.grid].map(|d| TableCell::maybe(d.map(dimensions), TableCell::text)),
            );
            table.rows.push(row);
        }
    }
    table
}

/// `kernels` of an entry of `targets`: one per group, in the order of `groups`. Names of keys are part of the interface.
#[must_use]
pub fn kernels_json(application: &Application, forecast: &TargetForecast) -> Value {
    groups_on(application, forecast).map(kernel_json).collect()
}

fn kernel_json(one: OnTarget<'_>) -> Value {
    let (group, on_target) = one;
    json!({
        "name": group.name,
        "calls": group.calls,
        "recorded_ms": group.mean().millis(),
        "time_ms": on_target.time.value.millis(),
        "low_ms": on_target.time.low.millis(),
        "high_ms": on_target.time.high.millis(),
        "speedup": speedup(one),
        "limit": on_target.limit.map(|limit| limit.as_str()),
        "rests_on": on_target.basis.as_str(),
        "reason": on_target.reason,
        "operator": group.operator.as_ref().map(|o| &o.name),
        "input_shapes": group.operator.as_ref().map(|o| &o.inputs.shapes),
        "block": group.block,
        "grid": group.grid,
    })
}
