//! What `u` takes back: the selection, pins, typed prices, kept scenarios, the size of a row, and how the trace is read and carried to other GPUs.

use super::message::Effect;
use super::panes::application::asking::ask_part;
use super::selection::{TraceSettings, UndoStep};
use super::state::{DashboardState, Tone};
use crate::application::PartOfTrace;
use crate::gpu::GpuId;
use crate::kernel::KernelId;
use crate::predict::{MODELS, Subject};
use crate::units::significant;
use std::sync::Arc;

/// How many changes can be undone.
const UNDO_DEPTH: usize = 100;

/// That of the trace that is shown.
fn trace_settings(state: &DashboardState) -> Option<TraceSettings> {
    let found = &state.application;
    let file = found.application.as_ref()?.file.clone();
    Some(TraceSettings { file, part: found.part.clone(), settings: found.settings })
}

/// Remembers the present for undo.
pub(super) fn remember(state: &mut DashboardState) {
    if state.undo.len() == UNDO_DEPTH {
        state.undo.remove(0);
    }
    let (row, subject) = (state.selected, state.rows[state.selected].clone());
    let (trace, pins) = (trace_settings(state), state.ranked.pins.clone());
    let (prices, scenarios) = (state.ranked.prices.typed.clone(), state.what_if.kept.clone());
    let selection = state.selection.clone();
    state.undo.push(UndoStep { selection, row, subject, trace, pins, prices, scenarios });
}

/// Goes back to before the last change, and says what is as it was.
pub(super) fn undo_step(state: &mut DashboardState) -> Vec<Effect> {
    // What was remembered before a change that came to nothing takes nothing back.
    let (step, words) = loop {
        let Some(step) = state.undo.pop() else { return state.say(Tone::Refused, "nothing to undo") };
        let words = restored_words(state, &step);
        if !words.is_empty() {
            break (step, words);
        }
    };
    let said = format!("undone: {}", words.join(", "));
    let now = trace_settings(state);
    let is_row_changed = !is_same_size(&state.rows[step.row], &step.subject);
    if state.selection != step.selection || is_row_changed {
        state.selection = step.selection;
        // What is selected stays selected, unless it is the size of another row that comes back, which is said.
        if is_row_changed {
            state.put_subject(step.row, step.subject);
            state.selected = step.row;
        }
        state.predict_all();
        state.show_target_in_list();
    }
    state.ranked.pins = step.pins;
    if state.ranked.prices.typed != step.prices {
        state.ranked.prices.typed = step.prices;
        state.ranked.changes += 1;
    }
    state.what_if.kept = step.scenarios;
    let mut effects = Vec::new();
    if let (Some(before), Some(now)) = (step.trace, now)
        && before.file == now.file
    {
        state.application.settings = before.settings;
        if before.part != now.part {
            effects.extend(ask_part(state, before.part, said.clone()));
        }
    }
    effects.extend(state.say(Tone::Done, said));
    effects
}

/// Whether it is the same kernel at the same size: its launch comes back with the selection.
pub(super) fn is_same_size(a: &Subject, b: &Subject) -> bool {
    a.kernel == b.kernel && a.problem == b.problem && a.variant == b.variant
}

/// What is remembered follows its GPUs and kernels to their places in a session that has more of them.
pub(super) fn renumber_undo(
    undo: &mut Vec<UndoStep>,
    gpu: impl Fn(GpuId) -> GpuId,
    kernel: impl Fn(KernelId) -> Option<KernelId>,
) {
    undo.retain_mut(|step| {
        let Some(place) = kernel(step.subject.kernel) else { return false };
        step.selection.renumber(&gpu);
        step.pins = step.pins.iter().map(|pin| gpu(*pin)).collect();
        step.prices = step.prices.iter().map(|(of, price)| (gpu(*of), price.clone())).collect();
        step.selection.renumber_kernels(&kernel);
        Arc::make_mut(&mut step.subject).kernel = place;
        true
    });
}

/// Finds the rows that are remembered among rows that were made anew; a size that is no row of them stands in its kernel's first one.
pub(super) fn place_undo(state: &mut DashboardState) {
    let (rows, session) = (&state.rows, &state.session);
    state.undo.retain_mut(|step| {
        if let Some(row) = rows.iter().position(|row| is_same_size(row, &step.subject)) {
            (step.row, step.subject) = (row, rows[row].clone());
            return true;
        }
        let Subject { kernel, problem, variant, .. } = &*step.subject;
        let row = rows.iter().position(|row| row.kernel == *kernel);
        let anew = session.subject(*kernel, problem, variant).ok();
        row.zip(anew).map(|(row, anew)| (step.row, step.subject) = (row, Arc::new(anew))).is_some()
    });
}

/// What this step would change, each with its former value where that is short.
fn restored_words(state: &DashboardState, step: &UndoStep) -> Vec<String> {
    let (now, then) = (&state.selection, &step.selection);
    let (used, former) = (now.settings, then.settings);
    let name = |gpu: &GpuId| state.session.gpus[*gpu].short_name().to_string();
    let targets = || then.targets.iter().map(name).collect::<Vec<_>>().join(", ");
    let kernel = || state.session.kernels[step.subject.kernel].label().to_string();
    let changed = [
        (now.source != then.source).then(|| format!("source is {} again", name(&then.source))),
        // The GPU that is edited is the target, too.
        (now.targets != then.targets && now.edited == then.edited)
            .then(|| format!("target is {} again", targets())),
        (now.all_sources != then.all_sources).then(|| "number of sources".into()),
        (used.model != former.model).then(|| format!("model is {} again", MODELS[former.model].id())),
        (used.ceilings != former.ceilings).then(|| "roofs".into()),
        (used.rules != former.rules).then(|| format!("occupancy rules are {} again", former.rules.as_str())),
        (now.blocks != then.blocks).then(|| "typed block".into()),
        (now.tunings != then.tunings).then(|| "clocks and power limit".into()),
        (now.edited != then.edited).then(|| match &then.edited {
            Some(edited) => format!("{} has {} again", name(&edited.base), edited.changes),
            None => {
                format!("{} is unchanged again", now.edited.as_ref().map_or_else(targets, |e| name(&e.base)))
            }
        }),
        (now.launches != then.launches).then(|| format!("launch of {}", kernel())),
        (!is_same_size(&state.rows[step.row], &step.subject)).then(|| format!("size of {}", kernel())),
        (state.ranked.pins != step.pins).then(|| "pins".into()),
        (state.ranked.prices.typed != step.prices).then(|| "typed prices".into()),
        (state.what_if.kept != step.scenarios).then(|| "kept scenarios".into()),
    ];
    let of_trace = match (&step.trace, trace_settings(state)) {
        (Some(then), Some(now)) if then.file == now.file => [
            (now.settings != then.settings)
                .then(|| format!("host time is {}x again", significant(then.settings.host))),
            (now.part.range != then.part.range).then(|| format!("range is {} again", range_name(&then.part))),
            (now.part.device != then.part.device).then(|| "GPU of the trace".into()),
        ],
        _ => [None, None, None],
    };
    changed.into_iter().chain(of_trace).flatten().collect()
}

fn range_name(part: &PartOfTrace) -> &str {
    part.range.as_deref().unwrap_or("all of the trace")
}
