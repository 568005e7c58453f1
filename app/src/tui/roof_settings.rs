//! Levels, roofs and occupancy rules: what is chosen is said in the status line, and how to see it where no pane on the screen shows it.

use super::action::Action;
use super::layout::{DashboardView, Pane};
use super::message::Effect;
use super::panes::roofline::draws_bandwidth;
use super::state::{DashboardState, Tone};
use crate::answer::Settings;
use crate::gpu::Ceilings;
use crate::occupancy::Rules;
use crate::predict::{MODELS, ModelRates};
use crate::roofline::Level;

/// The next number of memory levels in the roofline, where that draws any.
pub(super) fn show_next_levels(state: &mut DashboardState) -> Vec<Effect> {
    if let Some(how) = how_to_see(state, Pane::Roofline) {
        return state.say(Tone::Refused, format!("memory levels are those of the roofline: {how}"));
    }
    if draws_bandwidth(state) {
        return state.say(Tone::Refused, "no FLOPs are counted: the chart of the bandwidth has no levels");
    }
    state.levels = state.levels % Level::ALL.len() + 1;
    let levels: Vec<&str> = Level::ALL[..state.levels].iter().map(|level| level.as_str()).collect();
    state.say(Tone::Done, format!("memory levels: {}", levels.join(", ")))
}

/// Peak or achieved roofs.
pub(super) fn switch_roofs(state: &mut DashboardState) -> Vec<Effect> {
    let settings = state.selection.settings;
    let (ceilings, now) = match settings.ceilings {
        Ceilings::Peak => (Ceilings::Achieved, "achieved roofs"),
        Ceilings::Achieved => (Ceilings::Peak, "peak roofs"),
    };
    switch(state, Settings { ceilings, ..settings }, Pane::Roofline, now)
}

/// Exact occupancy or the study's formula.
pub(super) fn switch_rules(state: &mut DashboardState) -> Vec<Effect> {
    let settings = state.selection.settings;
    let (rules, now) = match settings.rules {
        Rules::Exact => (Rules::Study, "the study's occupancy"),
        Rules::Study => (Rules::Exact, "exact occupancy"),
    };
    switch(state, Settings { rules, ..settings }, Pane::Occupancy, now)
}

/// Takes other settings and says so; where the pane that shows them is hidden and the time stays the same, also why.
fn switch(state: &mut DashboardState, settings: Settings, pane: Pane, now: &str) -> Vec<Effect> {
    let before = state.answer().predicted_time();
    state.reselect_settings(settings);
    let answer = state.answer();
    let is_same = answer.predicted_time() == before && state.view != DashboardView::Evidence;
    let Some(how) = how_to_see(state, pane).filter(|_| is_same) else { return state.say(Tone::Done, now) };
    let (model, rates) = (MODELS[settings.model], answer.rates_used());
    let why = match model.rates() {
        ModelRates::Sustained if pane == Pane::Roofline => format!("{} uses {rates}", model.id()),
        _ => "the time stays the same".to_string(),
    };
    state.say(Tone::Done, format!("{now}: {why}; {how}"))
}

/// Which key shows this pane of the first view; nothing where it is on the screen.
fn how_to_see(state: &DashboardState, pane: Pane) -> Option<String> {
    if state.areas().pane_area(pane).height > 2 {
        return None;
    }
    let name = pane.pane_place();
    let key = |action| state.key_for(action);
    Some(match (state.shows_explanation(), state.view) {
        (true, _) => format!("{} closes the explanation over the {name}", key(Action::Explain)),
        (false, DashboardView::Swap) => format!("{} goes on to the {name}", key(Action::FocusNext)),
        _ => format!("{} shows the {name}", key(Action::ViewSwap)),
    })
}
