//! What another launch would do: occupancy, its limit, waves and time, as it is and as it is changed.

use crate::answer::LaunchOnGpu;
use crate::report::shown;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, pad_right, paragraph, wrap};
use ratatui::text::{Line, Span};

/// Columns of the names and of a value.
const NAME: usize = 10;
const VALUE: usize = 26;

/// The launch on the edited GPU, in this width.
pub(super) fn launch_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let Some(found) = &state.what_if.found else { return Vec::new() };
    let Some(launches) = &found.launches else {
        let text = format!("launch of {}: the threads per block are unknown", state.kernel().label());
        return paragraph(&text, width, look.dim());
    };
    let shown = &launches[..];
    let is_changed = shown.len() > 1;
    let value = VALUE.min(width.saturating_sub(NAME) / 2).max(2);
    let heads = ["as it is", "changed"];
    let head: String = heads[..shown.len()].iter().map(|head| pad_right(head, value)).collect();
    let mut lines = vec![Line::styled(
        clipped_text(&format!("{}{head}", pad_right("launch", NAME)), width),
        look.title(),
    )];
    let row = |name: &str, cell: &dyn Fn(&LaunchOnGpu) -> String| {
        // What is too long for its column goes on below.
        let cells: Vec<Vec<String>> = shown.iter().map(|launch| wrap(&cell(launch), value - 1)).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let mut spans = vec![Span::styled(pad_right(if at == 0 { name } else { "" }, NAME), look.dim())];
            for (launch, cell) in cells.iter().enumerate() {
                let style = if launch == 1 { look.estimated() } else { look.text() };
                let part = cell.get(at).map_or("", String::as_str);
                spans.push(Span::styled(pad_right(&clipped_text(part, value), value), style));
            }
            Line::from(spans)
        };
        (0..height).map(line).collect::<Vec<_>>()
    };
    lines.extend(row("occupancy", &|launch| match launch.refusal {
        Some(_) => "0 %".into(),
        None => format!("{:.0} %", 100.0 * launch.occupancy.fraction()),
    }));
    lines.extend(paragraph(&limit_text(shown), width, look.text()));
    lines.extend(row("waves", &|launch| {
        launch.waves.map_or("-".into(), |w| crate::units::significant(w.waves))
    }));
    lines.extend(row("last wave", &|launch| {
        launch.waves.map_or("-".into(), |w| format!("{:.0} %", 100.0 * w.last_fill))
    }));
    let is_scaled = !state.answer().is_estimate();
    lines.extend(row("time", &|launch| {
        launch.time.map_or("-".into(), |t| shown::modelled_time(t, is_scaled))
    }));
    if let Some(refusal) = shown.last().and_then(|launch| launch.refusal) {
        lines.extend(paragraph(&refusal.to_string(), width, look.refusal()));
    } else if is_changed {
        let text =
            "modelled: waves, idle SMs, bytes in flight of the resident warps (Little); spills are not";
        lines.extend(paragraph(text, width, look.dim()));
    }
    lines
}

/// `occupancy limit: warps → registers`, of the changed launch behind that as it is where they differ.
fn limit_text(launches: &[LaunchOnGpu]) -> String {
    match launches {
        [own, changed] => own.occupancy.limit_change_text(&changed.occupancy),
        _ => None,
    }
    .or_else(|| launches.first().map(|launch| launch.occupancy.limit_text()))
    .unwrap_or_default()
}
