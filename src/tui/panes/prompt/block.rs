//! Threads per block, typed: for kernels whose launch shape nobody stated.

use super::line::PromptLine;
use super::purpose::Purpose;
use crate::kernel::BlockSize;
use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::state::{DashboardState, Tone};
use crate::units::typed_number;

/// What a block can have on any GPU.
const MOST_THREADS: u32 = 1024;

/// The line for the threads per block of the selected kernel; `None` where they are known, with the reason in the footer.
pub fn block_line(state: &mut DashboardState) -> Option<PromptLine> {
    if state.answer().launch.iter().any(Option::is_some) {
        let (id, key) = (&state.kernel().id, state.key_for(Action::TypeSize));
        let text = format!("the launch of {id} is known ({key} sets another size)");
        state.say(Tone::Refused, text);
        return None;
    }
    let now = state.rows[state.selected].instance.block_size.map_or(BlockSize::USUAL, BlockSize::threads);
    Some(PromptLine::new(Purpose::Block, now.to_string()))
}

/// Gives the selected kernel the typed threads per block, on all of its rows.
///
/// # Errors
/// What was expected.
pub fn set_block(state: &mut DashboardState, typed: &str) -> Result<Vec<Effect>, String> {
    let threads =
        typed_number(typed).filter(|n| (1.0..=f64::from(MOST_THREADS)).contains(n) && n.fract() == 0.0);
    let Some(threads) = threads.map(|n| n as u32) else {
        return Err(format!(
            "`{typed}`: expected 1 to {MOST_THREADS} threads per block, such as 256 or 16x16"
        ));
    };
    let mut next = state.selection.clone();
    next.blocks.insert(state.rows[state.selected].kernel, threads);
    state.reselect(next);
    Ok(Vec::new())
}
