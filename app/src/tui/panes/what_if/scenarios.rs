//! Kept scenarios: kept under a name, brought back, dropped, compared, written as a page.

use crate::session::EditedGpu;
use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::pane::ChartOffer;
use crate::tui::state::{DashboardState, Tone};
use crate::tui::undo::remember;
use crate::whatif::{NamedChanges, check_scenario_count};

/// Why there is no scenario to keep.
pub const NOTHING_CHANGED: &str =
    "no number of the GPU is changed: the base stands beside the scenarios already";

/// Keeps the changes under a name; under one that is there already, in its place.
///
/// # Errors
/// What is missing, or that there are enough.
pub fn keep_scenario(state: &mut DashboardState, name: &str) -> Result<Vec<Effect>, String> {
    let EditedGpu { changes, .. } = state.edited_gpu();
    if changes.is_empty() {
        return Err(NOTHING_CHANGED.into());
    }
    if name.is_empty() {
        return Err("type a name, such as A".into());
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(format!("a name has at most {LONGEST_NAME} characters"));
    }
    let name = crate::text::harmless_line(name);
    let place = state.what_if.kept.iter().position(|named| named.name == name);
    if place.is_none() {
        check_scenario_count(state.what_if.kept.len() + 1).map_err(|e| e.to_string())?;
    }
    remember(state);
    let kept = &mut state.what_if.kept;
    match place {
        Some(place) => kept[place].changes = changes,
        None => kept.push(NamedChanges { name: name.clone(), changes }),
    }
    let key = state.key_for(Action::NextForm).to_string();
    let has_launch = state.rows.get(state.selected).is_some_and(|row| !row.launch_edits.is_empty());
    let without = if has_launch { ", without the launch" } else { "" };
    Ok(state.say(Tone::Done, format!("kept as {name}{without}; {key} shows the scenarios side by side")))
}

/// The longest name of a scenario.
const LONGEST_NAME: usize = 24;

/// Brings the next kept scenario back: after the last one the base.
pub fn next_scenario(state: &mut DashboardState) -> Vec<Effect> {
    let now = state.edited_gpu().changes;
    let kept = &state.what_if.kept;
    if kept.is_empty() {
        let key = state.key_for(Action::KeepScenario).to_string();
        return state.say(Tone::Refused, format!("no scenario is kept: {key} keeps the changes as one"));
    }
    let place = kept.iter().position(|named| named.changes == now);
    let next = match place {
        Some(place) => kept.get(place + 1).cloned(),
        None => kept.first().cloned(),
    };
    let name = next.as_ref().map_or("the base".to_string(), |named| format!("scenario {}", named.name));
    let changes = next.map(|named| named.changes).unwrap_or_default();
    match state.edit_gpu(changes) {
        Ok(()) => state.say(Tone::Done, name),
        Err(why) => state.say(Tone::Refused, format!("{name}: {why}")),
    }
}

/// Drops the scenario whose changes are shown, else the one kept last.
pub fn drop_scenario(state: &mut DashboardState) -> Vec<Effect> {
    let now = state.edited_gpu().changes;
    let kept = &state.what_if.kept;
    let Some(last) = kept.len().checked_sub(1) else {
        return state.say(Tone::Refused, "no scenario is kept");
    };
    let place = kept.iter().position(|named| named.changes == now).unwrap_or(last);
    remember(state);
    let dropped = state.what_if.kept.remove(place);
    state.say(Tone::Done, format!("dropped scenario {}", dropped.name))
}

/// The page of all kept scenarios.
pub fn offer_page(state: &DashboardState) -> ChartOffer {
    if state.what_if.kept.is_empty() {
        let key = state.key_for(Action::KeepScenario);
        return ChartOffer::Refused(format!("no scenario is kept: {key} keeps the changes as one"));
    }
    match &state.what_if.page {
        Some(Ok(page)) => {
            let name = state.asked_chart_name("scenarios").replace(".svg", ".html");
            ChartOffer::Page(name, page.clone())
        }
        Some(Err(why)) => ChartOffer::Refused(why.clone()),
        None => ChartOffer::Nothing,
    }
}
