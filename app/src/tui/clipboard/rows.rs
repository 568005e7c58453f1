//! The row under the cursor as one line of text, in every view.

use super::application::group_text;
use crate::gpu::GpuId;
use crate::pair::Pair;
use crate::predict::MODELS;
use crate::rank::RankedRow;
use crate::tui::action::Action;
use crate::tui::layout::{DashboardView, Pane};
use crate::tui::panes::what_if::line_text;
use crate::tui::state::DashboardState;
use crate::units::{Seconds, range};

/// The row under the cursor.
///
/// # Errors
/// That there is none.
pub(super) fn row_text(state: &DashboardState) -> Result<String, String> {
    match (state.view, state.focus) {
        (DashboardView::Swap, Pane::Gpus) => {
            let under = *state.gpus.get(state.gpu_cursor).ok_or("no GPU matches the filter")?;
            let row = state.ranked.row_of(under).filter(|row| row.label.is_empty());
            let what = state.with_size(&state.kernel().id);
            Ok(row.map_or_else(|| typed_gpu(state, under), |row| ranked_text(state, row, &what)))
        }
        (DashboardView::Swap, _) => Ok(prediction_text(state)),
        (DashboardView::Board, _) => {
            let none = "the board has no row to copy";
            let place = state.row_on_board().ok_or(none)?;
            let rows = state.ranked.shown_rows(&state.session);
            let under = rows.into_iter().find(|row| row.gpu == place.gpu && row.label == place.label);
            under.map(|row| ranked_text(state, row, &state.name_of_rows())).ok_or_else(|| none.into())
        }
        (DashboardView::WhatIf, _) => {
            let base = &state.session.gpus[state.edited_gpu().base].id;
            Ok(format!("{base}: {}", line_text(state)))
        }
        (DashboardView::Application, _) => group_text(state),
        (DashboardView::Evidence, _) => Err(no_row_text(state, "view")),
    }
}

/// That this view or sheet has no row under a cursor, and what can be copied.
pub(super) fn no_row_text(state: &DashboardState, what: &str) -> String {
    let key = state.key_for(Action::CopyCommand);
    format!("this {what} has no row under a cursor: nothing to copy; {key} copies the command")
}

/// A GPU as commands name it, `rtx-4070@1200MHz` where clocks were typed: the edited one by its base and its changes.
fn typed_gpu(state: &DashboardState, gpu: GpuId) -> String {
    let edited = state.selection.edited.as_ref().filter(|_| gpu == state.session.edited_place());
    let typed = state.session.settings_of(gpu).map_or_else(String::new, |tuning| tuning.brief());
    let id = format!("{}{typed}", state.session.gpus[state.existing_gpu(gpu)].id);
    edited.map_or_else(|| id.clone(), |edited| format!("{id} --set {}", edited.changes))
}

/// A row of the board: `saxpy n=2^24: titan-v -> h200 9.20 µs (8.10–10.3 µs), 2.26×, scaled from a measurement`.
fn ranked_text(state: &DashboardState, row: &RankedRow, what: &str) -> String {
    let source = state.ranked.board.as_ref().map_or(state.selection.source, |board| board.source);
    let gpus = format!("{} -> {}", typed_gpu(state, source), typed_gpu(state, row.gpu));
    let what = if row.label.is_empty() { what.to_string() } else { format!("{what}, {}", row.label) };
    let Some(time) = row.time else {
        let why = row.cautions.first().map_or("no time", String::as_str);
        return format!("{what}: {gpus}: {why}");
    };
    let interval = row.interval_text().map_or_else(String::new, |interval| format!(" ({interval})"));
    let speedup = row.speedup_text().map_or_else(String::new, |speedup| format!(", {speedup}"));
    let kind = match (row.is_measured, row.rests_on_measurement) {
        (true, _) => "measured",
        (false, true) => "scaled from a measurement",
        (false, false) => "modelled without one",
    };
    format!("{what}: {gpus} {time}{interval}{speedup}, {kind}")
}

/// The selected prediction.
fn prediction_text(state: &DashboardState) -> String {
    let answer = state.answer();
    let Pair { source, target } = Pair::new(state.selection.source, state.target());
    let time = |t: Option<Seconds>| t.map_or("-".into(), |t| t.to_string());
    let source_time = answer.source_time.as_ref();
    let predicted = match (&answer.prediction, &answer.interval) {
        (Ok(p), Some(i)) => format!("{} ({})", p.time, range(i.low, i.high)),
        (Ok(p), None) => p.time.to_string(),
        (Err(e), _) => e.to_string(),
    };
    format!(
        "{}: {} {} ({}) -> {} {} [{}]; measured {}",
        state.with_size(&state.kernel().id),
        typed_gpu(state, source),
        time(source_time.map(|t| t.time)),
        source_time.map_or("unknown", |t| t.kind.as_str()),
        typed_gpu(state, target),
        predicted,
        MODELS[answer.settings.model].id(),
        time(answer.measured.map(|m| m.time)),
    )
}
