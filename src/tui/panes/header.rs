//! The first line says what is asked, the last what can be pressed.
//!
//! ```text
//! roofswap  TITAN V ▶ RTX 4070  matmul_tiled n=512 fp32  model: components · roofs: peak · occupancy: exact  2 cautions
//! ? help  q quit  s source  t target  x swap  +/- size  m model  c compare  z zoom  e export  / filter
//! ```

use super::main_panel;
use crate::gpu::GpuId;
use crate::predict::MODELS;
use crate::tui::action::Action;
use crate::tui::look::Look;
use crate::tui::state::{State, Tone};
use crate::tui::text::{clip, wrap};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};
use unicode_width::UnicodeWidthStr;

/// What the footer offers, most needed first; as many as fit.
const OFFERED: [Action; 17] = [
    Action::Help,
    Action::Quit,
    Action::SetSource,
    Action::SetTarget,
    Action::Swap,
    Action::SizeUp,
    Action::ModelNext,
    Action::Compare,
    Action::Zoom,
    Action::Export,
    Action::Filter,
    Action::Palette,
    Action::SortNext,
    Action::Levels,
    Action::Ceilings,
    Action::KernelNext,
    Action::Undo,
];

/// Draws the first line.
pub fn draw_header(buffer: &mut Buffer, area: Rect, state: &State, look: Look<'_>) {
    let [source, target] = state.pair();
    let answer = state.answer();
    let settings = state.selection.settings;
    let cautions = answer.prediction.as_ref().map_or(1, |p| p.cautions.len());
    let mut spans = Vec::new();
    if area.width >= 100 {
        spans.push(Span::styled("roofswap  ", look.title()));
    }
    let tuned =
        |gpu: GpuId| state.session.tuning(gpu).map_or_else(String::new, |t| format!(" {}", t.brief()));
    spans.extend([
        Span::styled(source.short_name().to_string(), look.source()),
        Span::styled(tuned(state.selection.source), look.caution()),
        Span::styled(if state.selection.all_sources { " and all sources" } else { "" }, look.source()),
        Span::styled(" ▶ ", look.dim()),
        Span::styled(target.short_name().to_string(), look.target()),
        Span::styled(tuned(state.target()), look.caution()),
    ]);
    if state.selection.targets.len() > 1 {
        spans.push(Span::styled(format!(" +{}", state.selection.targets.len() - 1), look.target()));
    }
    spans.push(Span::raw("  "));
    spans.push(Span::styled(state.kernel().label.clone(), look.title()));
    spans.push(Span::raw(format!(" {} {}", clip(&state.size_of(state.selected), 32), state.kernel().dtype)));
    let rates = answer.rates_used();
    let roofs = rates.trim_end_matches(" rates").trim_end_matches(" ceilings").trim_end_matches(" roofs");
    let notes =
        counted(state.notices.len(), "import note", "import notes").filter(|_| state.refused_rows == 0);
    // In the order they stand; the lowest ranks are kept where not all fit. The panes' titles say it too.
    let facts = [
        (0, "  ", Some(format!("model: {}", MODELS[settings.model].id())), look.dim()),
        (3, " · ", Some(format!("roofs: {roofs}")), look.dim()),
        (4, " · ", Some(format!("occupancy: {}", settings.rules.word())), look.dim()),
        (1, "  ", counted(state.refused_rows, "row refused", "rows refused"), look.refusal()),
        (1, "  ", notes, look.caution()),
        (2, "  ", counted(cautions, "caution", "cautions"), look.caution()),
    ];
    let mut left = usize::from(area.width).saturating_sub(spans.iter().map(Span::width).sum());
    let mut kept = [false; 6];
    for rank in 0..=4 {
        for (keep, (_, between, text, _)) in kept.iter_mut().zip(&facts).filter(|(_, f)| f.0 == rank) {
            let width = text.as_ref().map(|text| text.width() + between.width());
            *keep = width.is_some_and(|width| width <= left);
            left -= width.filter(|_| *keep).unwrap_or(0);
        }
    }
    for ((_, between, text, style), _) in facts.into_iter().zip(kept).filter(|(_, keep)| *keep) {
        spans.extend([Span::styled(between, look.dim()), Span::styled(text.unwrap_or_default(), style)]);
    }
    Line::from(spans).render(area, buffer);
}

/// `1 caution`, `2 cautions`; nothing for none.
fn counted(n: usize, one: &str, many: &str) -> Option<String> {
    (n > 0).then(|| format!("{n} {}", if n == 1 { one } else { many }))
}

/// Draws the last line: a prompt, a running job, a message, or the keys.
pub fn draw_footer(buffer: &mut Buffer, area: Rect, state: &State, look: Look<'_>) {
    let width = usize::from(area.width);
    let message = state
        .message
        .as_ref()
        .map(|(tone, text)| (text, if *tone == Tone::Done { look.measured() } else { look.refusal() }));
    let shown = state.jobs.shown_job().and_then(|job| Some((job, state.jobs.text_of(job)?)));
    if let Some((label, input)) = state.typed_line() {
        let prompt = vec![Span::styled(label, look.key()), Span::raw(input.value().to_string())];
        Line::from(prompt).render(area, buffer);
        if let Some((text, style)) = message {
            above(buffer, area, &wrap(text, width), style);
        }
    } else if let Some((job, text)) = shown {
        let hint = if job.is_cancellable() { "  (Esc cancels)" } else { "" };
        Line::styled(clip(&format!("{text}{hint}"), width), look.caution()).render(area, buffer);
    } else if let Some((text, style)) = message {
        let mut lines = wrap(text, width);
        let last = lines.pop().unwrap_or_default();
        Line::styled(last, style).render(area, buffer);
        above(buffer, area, &lines, style);
    } else {
        keys_line(state, look, width).render(area, buffer);
    }
}

/// Lines that do not fit into the footer stand over the panes, so that no message is cut.
fn above(buffer: &mut Buffer, footer: Rect, lines: &[String], style: Style) {
    let height = (lines.len() as u16).min(footer.y);
    let area = Rect { y: footer.y - height, height, ..footer };
    Clear.render(area, buffer);
    for (y, text) in (area.y..area.bottom()).zip(lines) {
        Line::styled(text.clone(), style).render(Rect { y, height: 1, ..area }, buffer);
    }
}

/// What only the pane with the keyboard can do now: its keys and what they do.
fn own_keys(state: &State) -> Vec<(String, &'static str)> {
    let keys = |[a, b]: [Action; 2]| format!("{} {}", state.key_for(a), state.key_for(b));
    main_panel(state.focus).hints(state).into_iter().map(|(both, what)| (keys(both), what)).collect()
}

fn keys_line(state: &State, look: Look<'_>, width: usize) -> Line<'static> {
    let mut spans = Vec::new();
    let mut used = 0;
    for (key, what) in own_keys(state) {
        used += key.width() + what.width() + 3;
        spans.push(Span::styled(key, look.key()));
        spans.push(Span::styled(format!(" {what}  "), look.dim()));
    }
    for action in OFFERED {
        let Some(binding) = state.keymap.bindings().iter().find(|b| b.run == action.id()) else { continue };
        let mut key = binding.on[0].clone();
        if action == Action::SizeUp {
            key = format!("{key}/{}", state.key_for(Action::SizeDown));
        }
        let text = format!(" {}  ", binding.desc);
        let needed = key.width() + text.trim_end().width();
        if used + needed > width {
            break;
        }
        used += key.width() + text.width();
        spans.push(Span::styled(key, look.key()));
        spans.push(Span::styled(text, look.dim()));
    }
    Line::from(spans)
}
