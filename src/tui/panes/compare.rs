//! Every model's answer for the selected row, and how wrong each is over the rows shown.
//!
//! ```text
//! model                     time           90 % interval  speedup   error    MAPE
//! efficiency-transfer    73.1 µs       27.5 µs to 194 µs    1.30×   -57 %  95.2 %
//! same-time              95.1 µs       24.3 µs to 373 µs    1.00×   -44 %  70.1 %
//! ```

use crate::predict::MODELS;
use crate::report::shown;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::text::clip;
use crate::tui::text::paragraph;
use crate::units::significant;
use ratatui::text::Line;

/// The lines of the comparison.
pub fn lines(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let head = row("model", "time", "90 % interval", "speedup", "error", "MAPE");
    let mut lines = paragraph(&state.question_title(), width, look.title());
    lines.push(Line::default());
    lines.push(Line::styled(head, look.dim()));
    for at in 0..MODELS.len() {
        let style = if at == state.selection.settings.model { look.predicted() } else { look.text() };
        lines.push(Line::styled(clip(&of_model(state, at), width), style));
    }
    if let Some(m) = state.answer().measured {
        lines.push(Line::styled(row(m.kind.word(), &m.time.to_string(), "", "", "", ""), look.measured()));
    }
    lines.push(Line::default());
    let n = state.errors[state.selection.settings.model].map_or(0, |e| e.n);
    let note = format!(
        "MAPE: over the {n} rows shown whose target was measured. A model that does not beat same-time has no place."
    );
    lines.extend(paragraph(&note, width, look.dim()));
    lines
}

fn of_model(state: &State, at: usize) -> String {
    let mut settings = state.selection.settings;
    settings.model = at;
    let subject = &state.rows[state.selected];
    let answer = state.ask(subject, state.target(), settings);
    let dash = || "-".to_string();
    match &answer.prediction {
        Ok(p) => row(
            MODELS[at].id(),
            &p.time.to_string(),
            &shown::interval(&answer).unwrap_or_else(dash),
            &shown::speedup(&answer).unwrap_or_else(dash),
            &answer.error_percent().map_or_else(dash, shown::error),
            &state.errors[at].map_or_else(dash, |e| format!("{} %", significant(e.mape_percent))),
        ),
        Err(refusal) => format!("{:<20} {refusal}", MODELS[at].id()),
    }
}

fn row(model: &str, time: &str, interval: &str, speedup: &str, error: &str, mape: &str) -> String {
    format!("{model:<20}{time:>9}{interval:>18}{speedup:>9}{error:>10}{mape:>9}")
}
