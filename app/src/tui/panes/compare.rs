//! Every model's answer for the selected row, and how wrong each is over the rows shown.
//!
//! ```text
//! model                       time    90 % interval  speedup    error    MAPE
//! ▸ components            140 µs ◆      95.5–205 µs   0.680×  -17.0 %  16.2 %
//!   same-time            95.1 µs ◆      24.3–373 µs    1.00×  -43.6 %  53.8 %
//! models disagree by 15.2x: 9.22–140 µs; …
//! ```

use super::text_sheet::SheetText;
use crate::answer::Answer;
use crate::predict::{MODELS, ModelId};
use crate::report::{shown, side_by_side};
use crate::tui::action::Action;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{pad_right, paragraph, with_whole_columns, wrap};
use crate::units::significant;
use ratatui::text::Line;

/// The comparison.
pub static COMPARE: SheetText = SheetText {
    context: "compare",
    name: "All models",
    opened_by: Action::Compare,
    title: |_| "All models, selected row".into(),
    lines: compare_lines,
    compares_models: true,
};

/// The lines of the comparison.
fn compare_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let answers: Vec<Answer> = MODELS.ids().map(|model| state.answer_by_model(model)).collect();
    let head = ["model", "time", "90 % interval", "speedup", "error", "MAPE"].map(String::from);
    let head = row_text(head, width);
    let mut lines = paragraph(&state.question_title(), width, look.title());
    lines.push(Line::default());
    lines.push(Line::styled(head, look.dim()));
    for (at, answer) in MODELS.ids().zip(&answers) {
        let chosen = at == state.selection.settings.model;
        lines.extend(model_lines(state, at, answer, chosen, width, look));
    }
    if let Some(m) = state.answer().measured {
        let [name, time] = [m.kind.as_str().to_string(), format!("{} {}", m.time, m.kind.mark())];
        let none = String::new;
        let text = row_text([format!("  {name}"), time, none(), none(), none(), none()], width);
        lines.push(Line::styled(text, look.measured()));
    }
    lines.push(Line::default());
    lines.extend(side_by_side::spread(answers.iter()).iter().flat_map(|t| paragraph(t, width, look.text())));
    let n = state.errors[state.selection.settings.model.index()].map_or(0, |e| e.n);
    let rows = if n == 1 { "row".to_string() } else { format!("{n} rows") };
    let over = format!("over the {rows} shown whose target was measured");
    let note = side_by_side::default_model(&state.errors, &over);
    lines.extend(paragraph(&note, width, look.dim()));
    lines
}

/// One model: its numbers, or a dash and why it has none.
fn model_lines(
    state: &DashboardState,
    at: ModelId,
    answer: &Answer,
    chosen: bool,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let style = if chosen { look.predicted() } else { look.text() };
    let dash = || "-".to_string();
    let name = format!("{} {}", if chosen { "▸" } else { " " }, MODELS[at].id());
    let mape = state.errors[at.index()].map_or_else(dash, |e| format!("{} %", significant(e.mape_percent)));
    let numbers = [
        name,
        shown::predicted(answer).unwrap_or_else(dash),
        shown::interval(answer).unwrap_or_else(dash),
        shown::speedup(answer).unwrap_or_else(dash),
        answer.error_percent().map_or_else(dash, shown::error_text),
        mape,
    ];
    let mut lines = vec![Line::styled(row_text(numbers, width), style)];
    if let Err(refusal) = &answer.prediction {
        let why = wrap(&refusal.to_string(), width.saturating_sub(4)).into_iter();
        lines.extend(why.map(|t| Line::styled(format!("    {t}"), look.refusal())));
    }
    lines
}

/// The model and as many whole columns as have room.
fn row_text([model, numbers @ ..]: [String; 6], width: usize) -> String {
    with_whole_columns(pad_right(&model, 22), &numbers, &[10, 17, 9, 9, 8], width)
}
