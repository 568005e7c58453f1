//! The order of the list in the focused pane, by key: what it is now is said in the status line.

use super::action::Action;
use super::layout::{DashboardView, Pane};
use super::message::Effect;
use super::panes::application::sort_groups;
use super::panes::predictions::sort_by_next;
use super::panes::ranking::sort_by_neighbour;
use super::state::{DashboardState, Tone};

/// Sorts by the next column.
pub(super) fn sort_next(state: &mut DashboardState) -> Vec<Effect> {
    match state.focus {
        Pane::Ranking => sort_by_neighbour(state, 1),
        Pane::Application => sort_groups(state, 1),
        _ => sort_by_next(state, 1),
    }
    say_order(state)
}

/// Turns the order around.
pub(super) fn reverse_order(state: &mut DashboardState) -> Vec<Effect> {
    match state.focus {
        Pane::Ranking => state.ranked.reversed = !state.ranked.reversed,
        Pane::Application => {
            state.application.sort.1 = !state.application.sort.1;
            state.application.arrange_groups();
        }
        _ => {
            state.sort.1 = !state.sort.1;
            state.arrange();
        }
    }
    say_order(state)
}

/// Says what the list of the focused pane is sorted by: `predictions by speedup, reversed; 1 shows them`.
fn say_order(state: &mut DashboardState) -> Vec<Effect> {
    let (what, order, is_reversed) = match state.focus {
        Pane::Ranking => (state.ranked.rows.as_str(), state.ranked.order_in_words(), state.ranked.reversed),
        Pane::Application => {
            let (sort, is_reversed) = state.application.sort;
            ("kernels", sort.as_str(), is_reversed)
        }
        _ => ("predictions", state.sort.0.as_str(), state.sort.1),
    };
    let reversed = if is_reversed { ", reversed" } else { "" };
    let is_shown = what != "predictions" || state.view == DashboardView::Swap;
    let how = match is_shown {
        true => String::new(),
        false => format!("; {} shows them", state.key_for(Action::ViewSwap)),
    };
    state.say(Tone::Done, format!("{what} by {order}{reversed}{how}"))
}
