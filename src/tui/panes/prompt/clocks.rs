//! Clocks and power limits, typed: for the source or the main target.

use super::line::PromptLine;
use super::purpose::Purpose;
use crate::gpu::{GpuId, Tuning};
use crate::tui::message::Effect;
use crate::tui::state::{DashboardState, Tone};

/// What may be typed.
const EXAMPLE: &str = "e.g. `sm=1200MHz mem=5000MHz power=150W`; empty = stock";

/// The line for the clocks of a GPU; what is set now is offered.
pub fn clocks_line(state: &mut DashboardState, gpu: GpuId, purpose: Purpose) -> PromptLine {
    let now = state.session.gpus[gpu].clocks();
    let all = Tuning { sm_clock: Some(now.sm), mem_clock: Some(now.mem), power_limit: Some(now.power_limit) };
    state.say(Tone::Done, EXAMPLE);
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

fn set_clocks(state: &mut DashboardState, gpu: GpuId, typed: &str) -> Result<Vec<Effect>, String> {
    if gpu == state.session.edited_place() {
        return Err("a hypothetical GPU: its SM clock and power limit are numbers of the What if view".into());
    }
    let stock = state.session.stock(gpu);
    let tried = |tuning| state.session.tuned_gpu(gpu, tuning).map(|_| tuning);
    let tuning = typed.parse::<Tuning>().and_then(tried).map_err(|e| e.to_string())?;
    let tuning = tuning.beside(stock.clocks());
    let mut next = state.selection.clone();
    if tuning.is_none() {
        next.tunings.remove(&gpu);
    } else {
        next.tunings.insert(gpu, tuning);
    }
    state.reselect(next);
    Ok(Vec::new())
}
