//! Threads per block, typed: for kernels whose launch shape nobody stated.

use super::message::Effect;
use super::prompt::{Overlay, PromptKind};
use super::run::{reselect, say};
use super::state::{State, Tone};
use crate::kernel::BlockSize;

/// What a block can have on any GPU.
const MOST_THREADS: u32 = 1024;

/// Asks for the threads per block of the selected kernel.
pub(super) fn ask(state: &mut State) -> Vec<Effect> {
    if state.answer().launch.iter().any(Option::is_some) {
        let id = state.kernel().id.clone();
        return say(state, Tone::Refused, format!("the launch of {id} is known; n types another size"));
    }
    let now = state.rows[state.selected].instance.block_size.map_or(BlockSize::USUAL, BlockSize::threads);
    state.overlay = Overlay::prompt(PromptKind::Block, now.to_string());
    Vec::new()
}

/// Gives the selected kernel the typed threads per block, on all of its rows; what cannot be followed stays open.
pub(super) fn accept(state: &mut State, typed: &str) -> Vec<Effect> {
    let Some(threads) = typed.parse().ok().filter(|n| (1..=MOST_THREADS).contains(n)) else {
        let text = format!("`{typed}`: expected 1 to {MOST_THREADS} threads per block");
        return say(state, Tone::Refused, text);
    };
    state.overlay = Overlay::None;
    let mut next = state.selection.clone();
    next.blocks.insert(state.rows[state.selected].kernel, threads);
    reselect(state, next);
    Vec::new()
}
