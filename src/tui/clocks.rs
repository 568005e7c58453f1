//! Clocks and power limits, typed: for the source or the main target.

use super::message::Effect;
use super::prompt::{Overlay, PromptKind};
use super::run::{reselect, say};
use super::state::{State, Tone};
use crate::gpu::Tuning;

/// Asks for the clocks of the source or of the main target; what is set now is offered.
pub(super) fn ask(state: &mut State, of_source: bool) -> Vec<Effect> {
    let gpu = if of_source { state.selection.source } else { state.target() };
    let now = state.session.gpus[gpu].clocks();
    let all = Tuning { sm_clock: Some(now.sm), mem_clock: Some(now.mem), power_limit: Some(now.power_limit) };
    let kind = if of_source { PromptKind::SourceClocks } else { PromptKind::TargetClocks };
    state.overlay = Overlay::prompt(kind, all.to_string());
    say(state, Tone::Done, "sm=1200MHz mem=5000MHz power=150W, any of them; nothing: as its documents state")
}

/// Reckons the GPU at the typed clocks; what cannot be followed stays open.
pub(super) fn accept(state: &mut State, of_source: bool, typed: &str) -> Vec<Effect> {
    let gpu = if of_source { state.selection.source } else { state.target() };
    let stock = state.session.stock(gpu);
    let tuning = match typed.parse::<Tuning>().and_then(|t| stock.tuned(t).map(|_| t)) {
        Ok(tuning) => tuning.beside(stock.clocks()),
        Err(why) => return say(state, Tone::Refused, why.to_string()),
    };
    state.overlay = Overlay::None;
    let mut next = state.selection.clone();
    if tuning.is_none() {
        next.tunings.remove(&gpu);
    } else {
        next.tunings.insert(gpu, tuning);
    }
    reselect(state, next);
    Vec::new()
}
