//! A kernel in one line: what was understood is said while it is typed, Enter makes it a row.

use crate::text::harmless_line;
use crate::tui::action::Action;
use crate::tui::message::Effect;
use crate::tui::state::{DashboardState, Tone};
use crate::tui::undo::remember;
use crate::workload::KernelLine;
use std::sync::Arc;

/// What may be typed.
pub const EXAMPLE: &str = "in any order, such as: 4.2ms on 3090, 256 thr, grid 4096, 40 regs, 8KB smem, 17.2 GFLOP, \
                           50MB dram, 120MB l2, bf16, name my_kernel";

/// What was understood of a line so far, and what was not.
pub fn chips(state: &DashboardState, text: &str) -> (Tone, String) {
    if text.trim().is_empty() {
        return (Tone::Done, EXAMPLE.to_string());
    }
    let line = KernelLine::read(text, &state.session.gpus, &state.session.kernels);
    let read: Vec<&str> = line.chips.iter().filter_map(|chip| chip.meaning.as_deref().ok()).collect();
    let not: Vec<&str> =
        line.chips.iter().filter_map(|chip| chip.meaning.as_ref().err().map(String::as_str)).collect();
    let read = read.iter().map(|text| format!("[{text}]")).collect::<Vec<_>>().join(" ");
    match not.last() {
        None => (Tone::Done, read),
        Some(why) => (Tone::Refused, format!("{read} {why}")),
    }
}

/// Adds the typed kernel: its row is selected, its GPU is the source.
///
/// # Errors
/// What was not understood, or what is missing.
pub fn add_kernel(state: &mut DashboardState, text: &str) -> Result<Vec<Effect>, String> {
    let line = KernelLine::read(text, &state.session.gpus, &state.session.kernels);
    if let Some(why) = line.unread().next() {
        return Err(why.to_string());
    }
    if line.kernel.is_empty() {
        return Err(format!("type what is known, {EXAMPLE}"));
    }
    let mut session = (*state.session).clone();
    let kernel = state.named_apart(line.kernel);
    let loaded = kernel.load_into(&mut session).map_err(|e| e.to_string())?;
    session.arrange();
    state.keep_typed(kernel);
    remember(state);
    if let Some(source) = loaded.source {
        state.start_from(source);
    }
    (state.workload.chooses_row, state.workload.chooses_source) = (false, false);
    state.row_filter.clear();
    state.take_more(Arc::new(session));
    state.show_subject(loaded.subject);
    let undo = state.key_for(Action::Undo);
    let text = harmless_line(text.trim());
    state.say(Tone::Done, format!("added, `:forget` drops it and not {undo}: {text}"));
    let mut effects = state.ask_to_learn();
    effects.push(Effect::SaveSoon(Box::new(state.saved())));
    Ok(effects)
}
