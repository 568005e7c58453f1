//! Rows that no command has, where times of other sizes of their kernel rest on them.

use crate::gpu::GpuId;
use crate::predict::SourceKind;
use crate::text::harmless_line;
use crate::tui::layout::DashboardView;
use crate::tui::state::DashboardState;

/// Why no command prints the times of the selected row, whose own size no trace, measurement here or typed time has.
pub(super) fn other_size_refusal(state: &DashboardState) -> Option<String> {
    let kernel = &state.kernel().id;
    let is_asked = |gpu: &str| state.session.gpus.position(gpu).is_ok_and(|gpu| rests_on(state, gpu));
    let kept = state.kept_rows.iter().rev().find(|kept| kept.kernel == *kernel && is_asked(&kept.gpu));
    let (label, size) = (harmless_line(state.kernel().label()), state.size_of(state.selected));
    if let Some(kept) = kept {
        let (problem, gpu) = (harmless_line(&kept.problem), &kept.gpu);
        let origin = match kept.source.rsplit_once(": group ") {
            Some((file, _)) => format!("of {}", harmless_line(file)),
            None => "measured here".into(),
        };
        return Some(format!(
            "no command prints this row: {label} {size} is estimated from {problem} on {gpu}, {origin}, which commands do not read"
        ));
    }
    let typed = state.typed_at_other_size(&state.rows[state.selected])?;
    let gpu = typed.gpu.as_deref().filter(|gpu| typed.time.is_some() && is_asked(gpu))?;
    Some(format!(
        "no command prints this row: {label} {size} is estimated from the time typed on {gpu} at another size"
    ))
}

/// Whether times of the selected row on this GPU have a part in what the screen shows.
fn rests_on(state: &DashboardState, gpu: GpuId) -> bool {
    let source_time = state.answer().source_time.as_ref();
    let is_estimated = source_time.is_none_or(|time| time.kind == SourceKind::Estimated);
    let selection = &state.selection;
    let is_target = selection.targets.contains(&gpu) || state.view == DashboardView::Board;
    selection.all_sources || is_estimated || is_target
}
