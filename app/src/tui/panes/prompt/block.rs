//! Threads per block, typed: for kernels whose launch shape nobody stated, and in the place of the stated one.

use super::line::PromptLine;
use super::purpose::{MOST_THREADS, Purpose};
use crate::kernel::BlockSize;
use crate::predict::LaunchNumber;
use crate::tui::message::Effect;
use crate::tui::panes::what_if::typing::WhatIfPurpose;
use crate::tui::state::{DashboardState, Tone};
use crate::units::typed_number;

/// The line for the threads per block of the selected kernel. Those that are known are changed for the targets alone, as in the
/// What if view.
pub fn block_line(state: &mut DashboardState) -> PromptLine {
    let row = &state.rows[state.selected];
    let unstated = row.instance.block_size;
    let set_here = state.selection.blocks.contains_key(&row.kernel);
    let answer = state.answer();
    let is_stated = !set_here && matches!(unstated, None | Some(BlockSize::Typed(_)));
    let is_known = answer.needs.iter().any(Option::is_some) && is_stated;
    if is_known || answer.launch.iter().any(Option::is_some) {
        let number = LaunchNumber::Block;
        let now = number.in_words(state.launch_value_now(number));
        let target = state.pair().target.short_name();
        let text =
            format!("{}: {now}; type another number for {target}, such as 256 or 16x16", number.title());
        state.say(Tone::Done, text);
        return PromptLine::new(Purpose::WhatIf(WhatIfPurpose::Launch(number)), String::new());
    }
    PromptLine::new(Purpose::Block, unstated.map_or(BlockSize::USUAL, BlockSize::threads).to_string())
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
