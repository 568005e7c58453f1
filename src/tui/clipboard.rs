//! The selected row for the clipboard: as a line, and as the command line that prints it.

use super::state::DashboardState;
use crate::gpu::Ceilings;
use crate::kernel::BlockSize;
use crate::occupancy::Rules;
use crate::pair::Pair;
use crate::predict::MODELS;
use crate::units::Seconds;
use crate::workload::{TypedKernel, typed_shape};

/// The selected row as one line of text.
pub(super) fn row_text(state: &DashboardState) -> String {
    let answer = state.answer();
    let Pair { source, target } = state.pair();
    let time = |t: Option<Seconds>| t.map_or("-".into(), |t| t.to_string());
    let source_time = answer.source_time.as_ref();
    let predicted = match (&answer.prediction, &answer.interval) {
        (Ok(p), Some(i)) => format!("{} ({} to {})", p.time, i.low, i.high),
        (Ok(p), None) => p.time.to_string(),
        (Err(e), _) => e.to_string(),
    };
    format!(
        "{} {}: {} {} ({}) -> {} {} [{}]; measured {}",
        state.kernel().id,
        state.size_of(state.selected),
        source.id,
        time(source_time.map(|t| t.time)),
        source_time.map_or("unknown", |t| t.kind.as_str()),
        target.id,
        predicted,
        MODELS[answer.settings.model].id(),
        time(answer.measured.map(|m| m.time)),
    )
}

/// The command that prints what the selected row shows; every word quoted as a shell needs it, because names come from
/// files.
///
/// # Errors
/// Why no command prints it, and what to do.
pub(super) fn command_line(state: &DashboardState) -> Result<String, String> {
    let row = &state.rows[state.selected];
    let id = &state.kernel().id;
    if state.picked.contains(&row.kernel) {
        return Err(format!("{id} is from a report picked here: `roofswap import -o` gives it to commands"));
    }
    let typed = state.typed_kernel_of(row);
    if let Some(why) = typed.and_then(|kernel| typed_refusal(state, kernel)) {
        return Err(why);
    }
    if let (None, Some(BlockSize::Typed(n)), Pair { source: None, target: None }) =
        (typed, row.instance.block_size, state.answer().launch)
    {
        let how = format!("roofswap occupancy --threads {n}");
        return Err(format!("predict takes no typed threads per block; `{how}` does"));
    }
    if let Some(why) = set_refusal(state) {
        return Err(why);
    }
    Ok(predict_command(state, typed))
}

/// Why no command types this kernel again: a typed time is of the command's source.
fn typed_refusal(state: &DashboardState, kernel: &TypedKernel) -> Option<String> {
    let typed_on = kernel.gpu.as_deref().and_then(|gpu| state.session.gpus.position(gpu).ok());
    kernel.time?;
    let is_source = typed_on == Some(state.selection.source);
    let (id, gpu) = (&state.kernel().id, kernel.gpu.as_deref().unwrap_or_default());
    if state.selection.all_sources || !is_source {
        return Some(format!(
            "{id} was typed with its time on {gpu}: make that the only source, or `:export typed`"
        ));
    }
    None
}

/// Why no command asks about the edited GPU: `--set` changes every target, and no source.
fn set_refusal(state: &DashboardState) -> Option<String> {
    let place = state.session.edited_place();
    let selection = &state.selection;
    selection.edited.as_ref()?;
    if selection.source == place {
        return Some("the source is hypothetical: save it in the What if view for use in commands".into());
    }
    let is_beside = selection.targets.len() > 1 && selection.targets.contains(&place);
    is_beside.then(|| "predict --set changes every target: drop the further ones first".into())
}

/// The flags of a typed kernel with their values, its name and size left out.
fn typed_flags(kernel: &TypedKernel) -> Vec<(&'static str, String)> {
    let bytes = |flag: &'static str, n: Option<u32>| n.map(|n| (flag, n.to_string()));
    let all = [
        kernel.time.map(|time| ("--time", format!("{}ms", time.millis()))),
        kernel.block.map(|d| ("--threads", typed_shape(d))),
        kernel.grid.map(|d| ("--grid", typed_shape(d))),
        kernel.regs_per_thread.map(|n| ("--regs", n.to_string())),
        bytes("--smem", kernel.smem_static_bytes),
        bytes("--smem-dynamic", kernel.smem_dynamic_bytes),
        kernel.flops.map(|n| ("--flops", n.0.to_string())),
        kernel.int_ops.map(|n| ("--int-ops", n.to_string())),
        kernel.dram_bytes.map(|n| ("--dram-bytes", n.0.to_string())),
        kernel.l2_bytes.map(|n| ("--l2-bytes", n.0.to_string())),
        kernel.working_set.map(|n| ("--working-set", n.0.to_string())),
        kernel.dtype.map(|dtype| ("--dtype", dtype.as_str().to_string())),
        kernel.pipe.as_ref().map(|stated| ("--pipe", stated.to_string())),
    ];
    all.into_iter().flatten().collect()
}

fn predict_command(state: &DashboardState, typed: Option<&TypedKernel>) -> String {
    let gpus = &state.session.gpus;
    let targets = state.selection.targets.iter();
    let targets: Vec<&str> = targets.map(|t| gpus[state.existing_gpu(*t)].id.as_str()).collect();
    let settings = state.selection.settings;
    let subject = &state.rows[state.selected];
    let mut words = vec!["roofswap".to_string(), "predict".into()];
    let mut add = |flag: &str, value: &str| match value.strip_prefix('-') {
        // Such a word alone would be read as a flag.
        Some(_) => words.push(format!("{flag}={}", quoted(value))),
        None => words.extend([flag.to_string(), quoted(value)]),
    };
    let all = state.selection.all_sources && state.answer().combined.is_some();
    add("--from", if all { "all" } else { &gpus[state.selection.source].id });
    add("--to", &targets.join(","));
    if let Some(edited) =
        state.selection.edited.as_ref().filter(|_| state.target() == state.session.edited_place())
    {
        add("--set", &edited.changes.to_string());
    }
    // A name that no file knows is typed as well.
    let is_new = typed.is_some_and(|_| state.is_own_kernel(subject.kernel));
    add(if is_new { "--name" } else { "--kernel" }, &state.kernel().id);
    for (flag, value) in typed.map(typed_flags).unwrap_or_default() {
        add(flag, &value);
    }
    if !subject.problem.pairs().is_empty() {
        add("--size", &subject.problem.to_string());
    }
    if !subject.variant.is_empty() {
        add("--variant", &subject.variant);
    }
    if !subject.launch_edits.is_empty() {
        add("--launch", &subject.launch_edits.to_string());
    }
    add("--model", MODELS[settings.model].id());
    if settings.ceilings == Ceilings::Achieved {
        add("--ceilings", "achieved");
    }
    if settings.rules == Rules::Study {
        add("--rules", "study");
    }
    for (gpu, tuning) in &state.selection.tunings {
        let id = &gpus[*gpu].id;
        for (flag, word) in [("--sm-clock", "sm="), ("--mem-clock", "mem="), ("--power-limit", "power=")] {
            let text = tuning.to_string();
            if let Some(value) = text.split(' ').find_map(|part| part.strip_prefix(word)) {
                add(flag, &format!("{id}={value}"));
            }
        }
    }
    for file in &state.data {
        add("--data", &file.display().to_string());
    }
    words.join(" ")
}

/// A word as a POSIX shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,/:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_cannot_break_out_of_the_command() {
        assert_eq!(quoted("titan-v,l4"), "titan-v,l4");
        assert_eq!(quoted("m=1;n=2"), "'m=1;n=2'");
        assert_eq!(quoted("x'$(reboot)'"), r"'x'\''$(reboot)'\'''");
    }
}
