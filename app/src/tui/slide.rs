//! The problem size as a slider, in steps small enough to walk along the saw-tooth of the waves.

use super::action::Action;
use super::message::Effect;
use super::state::{DashboardState, Tone};
use crate::occupancy::waves;
use crate::pair::Side;

/// Slides the selected row's size so that its grid changes by about an eighth of the smaller wave of the two GPUs; by a
/// hundredth where no wave is known.
pub(super) fn slide_size(state: &mut DashboardState, up: bool) -> Vec<Effect> {
    let row = &state.rows[state.selected];
    let Some(slider) = state.kernel().slider(&row.problem, &row.variant) else {
        let [larger, smaller] = [Action::SizeUp, Action::SizeDown].map(|a| state.key_for(a));
        let text =
            format!("this kernel has no size that can slide; {larger} and {smaller} step the known ones");
        return state.say(Tone::Refused, text);
    };
    let wave = |side: Side| {
        let o = state.answer().occupancy[side]?;
        waves(state.pair()[side], &o, 1).map(|w| w.blocks_per_wave)
    };
    let eighth = Side::ALL.into_iter().filter_map(wave).min().map(|blocks| blocks / 8);
    let by = eighth.unwrap_or_else(|| slider.block_count(slider.value()) / 100);
    match slider.step(up, by) {
        Some(size) => state.set_size(&size),
        None => state.say(Tone::Refused, if up { "no larger size" } else { "no smaller size" }),
    }
}
