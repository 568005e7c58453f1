//! `roofswap occupancy` of the selected row on source and targets.

use super::application::of_trace;
use super::predict::{add_data, findable_kernel};
use super::words::{CommandWords, words_of_targets};
use crate::kernel::BlockSize;
use crate::occupancy::{BlockNeeds, Rules};
use crate::pair::Pair;
use crate::tui::state::DashboardState;
use crate::workload::typed_shape;

/// The command that prints the occupancy pane.
///
/// # Errors
/// Why no command prints it, and what to do.
pub(super) fn occupancy_line(state: &DashboardState) -> Result<String, String> {
    let mut words = CommandWords::new("occupancy");
    words.add("--gpu", &words_of_gpus(state)?);
    let id = crate::text::harmless_line(state.kernel().label());
    let Pair { source: Some(on_source), target: Some(on_target) } = state.answer().needs else {
        return Err(format!("{id}: its launch shape is not known: there is no occupancy to print"));
    };
    if state.answer().edited_launch.is_some() {
        return Err(
            "`occupancy --launch` changes the launch on the source, too: no command prints both".into()
        );
    }
    match (of_trace(state), findable_kernel(state)) {
        (Ok(None), Ok(None)) => add_known_kernel(&mut words, state),
        (Ok(None), Err(why)) => return Err(why),
        _ if !is_plain_block(on_source, on_target) => {
            return Err(format!(
                "{id}: no command prints its occupancy: its blocks need more than flags say, or not the same everywhere"
            ));
        }
        _ => add_block(&mut words, state, on_target),
    }
    if state.selection.settings.rules == Rules::Study {
        words.add("--rules", "study");
    }
    Ok(words.line())
}

/// Source and targets by their ids, each once.
fn words_of_gpus(state: &DashboardState) -> Result<String, String> {
    let shown = std::iter::once(&state.selection.source).chain(&state.selection.targets);
    if shown.into_iter().any(|gpu| state.existing_gpu(*gpu) != *gpu) {
        let text = "`occupancy --set` changes every GPU: save the hypothetical one in the What if view for use in commands";
        return Err(text.into());
    }
    let source = &state.session.gpus[state.selection.source].id;
    let targets = words_of_targets(state);
    let others = targets.split(',').filter(|id| id != source);
    Ok(std::iter::once(source.as_str()).chain(others).collect::<Vec<_>>().join(","))
}

/// A kernel that files know.
fn add_known_kernel(words: &mut CommandWords, state: &DashboardState) {
    let subject = &state.rows[state.selected];
    words.add("--kernel", &state.kernel().id);
    if !subject.problem.pairs().is_empty() {
        words.add("--size", &subject.problem.to_string());
    }
    if !subject.variant.is_empty() {
        words.add("--variant", &subject.variant);
    }
    if let Some(BlockSize::Typed(threads)) = subject.instance.block_size {
        words.add("--threads", &threads.to_string());
    }
    add_data(words, state);
}

/// Whether blocks need the same on both sides, and nothing that `--threads`, `--regs` and `--smem` do not say.
fn is_plain_block(on_source: BlockNeeds, on_target: BlockNeeds) -> bool {
    let BlockNeeds { threads, regs_per_thread, smem_static, smem_dynamic, .. } = on_target;
    let plain = BlockNeeds { threads, regs_per_thread, smem_static, smem_dynamic, ..BlockNeeds::default() };
    on_source == plain && on_target == plain
}

/// What a block needs, of a kernel that no file has.
fn add_block(words: &mut CommandWords, state: &DashboardState, needs: BlockNeeds) {
    match state.answer().launch.target {
        Some(launch) => {
            words.add("--threads", &typed_shape(launch.block.map(u64::from)));
            words.add("--grid", &typed_shape(launch.grid));
        }
        None => words.add("--threads", &needs.threads.to_string()),
    }
    words.add("--regs", &needs.regs_per_thread.to_string());
    for (flag, bytes) in [("--smem", needs.smem_static), ("--smem-dynamic", needs.smem_dynamic)] {
        if bytes > 0 {
            words.add(flag, &bytes.to_string());
        }
    }
}
