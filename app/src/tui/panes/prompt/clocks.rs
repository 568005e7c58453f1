//! Clocks and power limits, typed: for the source or the main target.

use super::line::PromptLine;
use super::purpose::{CLOCKS_EXAMPLE, Purpose};
use crate::gpu::{GpuId, Tuning, TuningError};
use crate::tui::message::Effect;
use crate::tui::state::{DashboardState, Tone};

/// The line for the clocks of a GPU, of a hypothetical one for those of its base; what is set now is offered.
pub fn clocks_line(state: &mut DashboardState, gpu: GpuId, purpose: Purpose) -> PromptLine {
    let board = state.existing_gpu(gpu);
    let now = state.session.gpus[board].clocks();
    let all = Tuning { sm_clock: Some(now.sm), mem_clock: Some(now.mem), power_limit: Some(now.power_limit) };
    let of_base = format!("of the base, {}; ", state.session.gpus[board].short_name());
    state.say(Tone::Done, format!("{}{CLOCKS_EXAMPLE}", if board == gpu { "" } else { &of_base }));
    PromptLine::new(purpose, all.to_string())
}

/// Sets the source's clocks.
///
/// # Errors
/// What was expected.
pub fn set_source_clocks(state: &mut DashboardState, typed: &str) -> Result<Vec<Effect>, String> {
    set_clocks(state, state.selection.source, typed)
}

/// Sets the main target's clocks.
///
/// # Errors
/// What was expected.
pub fn set_target_clocks(state: &mut DashboardState, typed: &str) -> Result<Vec<Effect>, String> {
    set_clocks(state, state.target(), typed)
}

/// What was expected; of a text that is no setting, also what takes one off.
fn refused(why: TuningError) -> String {
    match why {
        TuningError::NoClock(_) | TuningError::NoPower(_) | TuningError::NoSetting(_) => {
            format!("{why}, or `stock`")
        }
        other => other.to_string(),
    }
}

/// Of a hypothetical GPU those of its base, which it follows.
fn set_clocks(state: &mut DashboardState, asked: GpuId, typed: &str) -> Result<Vec<Effect>, String> {
    let gpu = state.existing_gpu(asked);
    let stock = state.session.stock(gpu);
    let tried = |tuning| state.session.tuned_gpu(gpu, tuning).map(|_| tuning);
    let tuning = typed.parse::<Tuning>().and_then(tried).map_err(refused)?;
    let tuning = tuning.beside(stock.clocks());
    if gpu != asked && state.session.gpus[asked].states_setting(tuning) {
        let name = state.session.gpus[asked].short_name();
        return Err(format!("{name} states that already: reset the number in the What if view first"));
    }
    let mut next = state.selection.clone();
    if tuning.is_none() {
        next.tunings.remove(&gpu);
    } else {
        next.tunings.insert(gpu, tuning);
    }
    state.reselect(next);
    Ok(Vec::new())
}
