//! Every model's error for kernels and GPUs like the one in question, which one is used and why; what is trained, and which
//! columns matter to it.
//!
//! ```text
//! ╔ Models ══════════════════════════════════════════════════════════════════════╗
//! ║ leave-one-GPU-out: …; 56 shipped figures; like this question: saxpy            ║
//! ║ model                 n (like) MAPE %  median  cover. n (all)  MAPE %          ║
//! ║ ▸ components              12     8.2     7.3   100     168    16.4            ║
//! ╚══════════════════════════════════════════════════════════════════════════════╝
//! ```

use super::findings::{chosen_recipe, importances_spec};
use crate::chart::{Mark, Scale};
use crate::predict::MODELS;
use crate::report::models::about;
use crate::train::{Errors, Survey, Surveyed, TrainableModel, Trained, shortened};
use crate::tui::jobs::WorkerJob;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::panes::frame::{draw_lines, pane_frame};
use crate::tui::state::DashboardState;
use crate::tui::text::{clipped_text, pad_right, paragraph, with_whole_columns};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Columns of the left part.
const TABLE: u16 = 76;
/// From here on what was trained stands beside the models.
const ROOM_FOR_TWO: u16 = 2 * TABLE;
/// Columns of the longest bar.
const BAR: usize = 14;
/// Columns of a feature's name, and of a bar's label.
const NAME: usize = 30;
const LABEL: usize = 16;

/// Draws the pane.
pub(super) fn draw_models(buffer: &mut Buffer, body: Rect, state: &DashboardState, look: Look<'_>) {
    let inner = (body.width.saturating_sub(2), body.height.saturating_sub(2));
    let beside = inner.0 >= ROOM_FOR_TWO;
    let width = usize::from(if beside { TABLE } else { inner.0.saturating_sub(1).min(110) });
    let mut lines = models(state, width, look);
    let trained = trained(state, width, look);
    if !beside {
        lines.push(Line::default());
        lines.extend(trained.clone());
    }
    let page = usize::from(inner.1);
    let scroll = state.scrolls[Pane::Models];
    let top = scroll.first_line(lines.len(), page);
    let more = scroll.range_shown(lines.len(), page).map_or_else(String::new, |range| format!(", {range}"));
    let about = format!("which one, and why: {}{more}", state.protocol.as_str());
    let inside = pane_frame(buffer, body, state, Pane::Models, &about, look);
    if inside.height == 0 {
        return;
    }
    let left = Rect { x: inside.x + 1, width: width as u16, ..inside };
    draw_lines(buffer, left.intersection(inside), lines, top);
    if beside {
        let right = Rect { x: inside.x + TABLE + 3, ..left };
        draw_lines(buffer, right.intersection(inside), trained, 0);
    }
}

/// The analytical models, then what is learned.
fn models(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let Some(found) = &state.models.survey else {
        let running = state
            .jobs
            .newest_of(&[WorkerJob::Survey, WorkerJob::Train])
            .and_then(|job| state.jobs.text_of(job));
        return vec![Line::styled(clipped_text(running.unwrap_or("cancelled"), width), look.dim())];
    };
    let (survey, learned) = &**found;
    let mut lines = paragraph(&title(survey), width, look.dim());
    let names = ["n (like)", "MAPE %", "median", "cover.", "n (all)", "MAPE %"];
    lines.push(Line::styled(table_line("model", &names.map(String::from), width), look.dim()));
    lines.extend(survey.models.iter().map(|m| {
        let style = if m.verdict.used { look.predicted() } else { look.text() };
        Line::styled(model_line(survey, m, width), style)
    }));
    lines.push(Line::default());
    lines.extend(survey.models.iter().flat_map(|m| {
        let style = if m.verdict.used { look.predicted() } else { look.dim() };
        let used = if m.verdict.used { " is used, " } else { ": " };
        paragraph(&format!("{}{used}{}", MODELS[m.model].id(), m.verdict.why), width, style)
    }));
    lines.push(Line::default());
    lines.push(Line::styled("trained models", look.title()));
    lines.extend(shortened(learned).iter().flat_map(|l| cached(l, width, look)));
    lines
}

fn title(survey: &Survey) -> String {
    format!(
        "{}; {}; like this question: {}",
        survey.protocol.sentence(),
        survey.rows,
        survey.like_with_reason()
    )
}

/// A name and as many whole columns as have room.
fn table_line(name: &str, cells: &[String], width: usize) -> String {
    with_whole_columns(pad_right(name, 24), cells, &[8; 6], width)
}

fn model_line(survey: &Survey, m: &Surveyed, width: usize) -> String {
    let name = survey.protocol.model_label(MODELS[m.model].id());
    let mark = if m.verdict.used { "▸ " } else { "  " };
    let n = |s: Option<crate::evaluate::Score>| s.map_or("-".into(), |s| s.errors.n.to_string());
    let percent = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.1}"));
    let cells = [
        n(m.of_like),
        percent(m.of_like.map(|s| s.errors.mape_percent)),
        percent(m.of_like.map(|s| s.errors.median_ape_percent)),
        m.of_like.and_then(|s| s.coverage_90_percent).map_or("-".into(), |v| format!("{v:.0}")),
        n(m.overall),
        percent(m.overall.map(|s| s.errors.mape_percent)),
    ];
    table_line(&format!("{mark}{}", clipped_text(&name, 22)), &cells, width)
}

/// A learned model: its state on one line, what it is below.
fn cached(l: &TrainableModel, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let mut head = format!("{}: {}", l.model, l.state);
    if let Some(t) = &l.trained {
        head.push_str(&format!(", {} rows, seed {}", t.rows, t.seed));
    }
    if let Some(day) = &l.written {
        head.push_str(&format!(", {day}"));
    }
    let mut lines = vec![Line::styled(clipped_text(&head, width), look.text())];
    lines.extend(about(l).iter().flat_map(|text| paragraph(text, width, look.dim())));
    lines
}

/// The model trained last, its errors and importances; or how to train one.
fn trained(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    if let Some(why) = &state.models.refused {
        lines.extend(paragraph(why, width, look.refusal()));
        lines.push(Line::default());
    }
    if let (Some(job), true) = (state.jobs.text_of(WorkerJob::Train), state.models.survey.is_some()) {
        lines.push(Line::styled(clipped_text(&format!("{job} (Esc cancels)"), width), look.caution()));
        lines.push(Line::default());
    }
    let Some(told) = state.models.shown_model() else {
        let is_running = |job: WorkerJob| state.jobs.text_of(job).is_some();
        let text = if is_running(WorkerJob::Read) || is_running(WorkerJob::Learn) {
            "the rows are being read and `hybrid` is fitted to them; trained models are listed then".into()
        } else if is_running(WorkerJob::Survey) {
            "trained models are listed once the models are evaluated".into()
        } else {
            let recipe = chosen_recipe(&state.models);
            format!("no model of the loaded rows is trained: Enter trains {recipe} on them")
        };
        lines.extend(paragraph(&text, width, look.dim()));
        return lines;
    };
    let head = format!("{}: {} rows of {}; seed {}", told.model, told.rows, told.gpus.join(", "), told.seed);
    lines.extend(paragraph(&head, width, look.title()));
    lines.extend(
        state.models.training.iter().flat_map(|t| t.remarks()).flat_map(|r| paragraph(&r, width, look.dim())),
    );
    lines.extend(paragraph(&told.recipe, width, look.dim()));
    lines.extend(errors(told, width, look));
    lines.extend(importance_lines(state, width, look));
    lines.extend(told.notes.iter().flat_map(|n| paragraph(n, width, look.dim())));
    lines
}

fn errors(told: &Trained, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let name = width.saturating_sub(34);
    let head = format!("{:<name$}{:>6}{:>9}{:>9}{:>8}", "held out", "n", "MAPE %", "median", "R2");
    let mut lines = vec![Line::default(), Line::styled(clipped_text(&head, width), look.dim())];
    let line = |e: &Errors| {
        let number = |v: Option<f64>, digits: usize| v.map_or("-".into(), |v| format!("{v:.digits$}"));
        let protocol = if e.published { format!("published: {}", e.protocol) } else { e.protocol.clone() };
        let text = format!(
            "{:<name$}{:>6}{:>9}{:>9}{:>8}",
            clipped_text(&protocol, name.saturating_sub(1)),
            e.n,
            number(e.mape, 1),
            number(e.median_ape, 1),
            number(e.r2, 3)
        );
        Line::styled(clipped_text(&text, width), if e.published { look.estimated() } else { look.text() })
    };
    lines.extend(told.errors.iter().map(line));
    lines
}

/// The importances chart in lines: one column of the model on each, its bars beside each other.
fn importance_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let Some(spec) = importances_spec(&state.models) else { return Vec::new() };
    let Scale::Category(names) = &spec.y.scale else { return Vec::new() };
    let bars: Vec<_> = spec
        .marks
        .iter()
        .filter_map(|m| match m {
            Mark::Bar { meaning, slot, value, label, name } => Some((*slot, *meaning, *value, label, name)),
            _ => None,
        })
        .collect();
    let longest = bars.iter().map(|b| b.2).fold(0.0, f64::max);
    let mut lines = vec![Line::default(), Line::styled("which columns matter", look.title())];
    // Both bars with their labels have to fit beside the name.
    let cell = width.saturating_sub(NAME) / 2;
    let most = cell.saturating_sub(LABEL).clamp(1, BAR);
    for (slot, name) in names.iter().enumerate() {
        let mut spans = vec![Span::raw(format!("{:<NAME$}", clipped_text(name, NAME - 1)))];
        for (_, meaning, value, label, _) in bars.iter().filter(|b| b.0 == slot).take(2) {
            let text = format!("{} {label}", bar(*value / longest, most));
            spans.push(Span::styled(format!("{:<cell$}", clipped_text(&text, cell)), look.mark(*meaning)));
        }
        lines.push(Line::from(spans));
    }
    let mut kinds: Vec<&String> = Vec::new();
    for (.., name) in &bars {
        if !kinds.contains(name) && kinds.len() < 2 {
            kinds.push(name);
        }
    }
    let legend = kinds.iter().map(|k| k.as_str()).collect::<Vec<_>>().join("; then ");
    lines.extend(paragraph(&legend, width, look.dim()));
    lines.push(Line::default());
    lines
}

/// A bar of this part of the longest, which has `most` columns.
fn bar(part: f64, most: usize) -> String {
    if !part.is_finite() || part <= 0.0 {
        return String::new();
    }
    "█".repeat(((part * most as f64).round() as usize).clamp(1, most))
}
