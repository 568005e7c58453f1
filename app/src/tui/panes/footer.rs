//! The last line: a prompt, a running job, a message, or what can be pressed in the focused pane or open dialog. What stands
//! there can be clicked.
//!
//! ```text
//! enter explain  / filter  o sort  s source  t target  T add  n new kernel  i import  1-5 views  ? help  q quit
//! ```

use super::frame::draw_lines;
use super::{main_panel, refusal_here};
use crate::tui::action::Action;
use crate::tui::keys::keys_in;
use crate::tui::look::Look;
use crate::tui::pane::Hint;
use crate::tui::state::{DashboardState, Tone};
use crate::tui::text::{clipped_text, wrap};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};
use tui_input::Input;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What the footer offers behind the keys of the focused pane, most needed first; as many as fit.
const OFFERED: [Hint; 21] = [
    Hint { actions: &[Action::Help], text: "help" },
    Hint { actions: &[Action::SetSource], text: "source" },
    Hint { actions: &[Action::SetTarget], text: "target" },
    Hint { actions: &[Action::AddTarget], text: "add" },
    Hint { actions: &[Action::Swap], text: "swap" },
    Hint { actions: &[Action::SizeUp, Action::SizeDown], text: "size" },
    Hint { actions: &[Action::Palette], text: "command" },
    Hint { actions: &[Action::NewKernel], text: "new kernel" },
    Hint { actions: &[Action::Import], text: "import" },
    Hint { actions: &[Action::Quit], text: "quit" },
    Hint { actions: &[Action::FocusNext], text: "next pane" },
    Hint { actions: &[Action::ModelNext], text: "model" },
    Hint { actions: &[Action::Compare], text: "all models" },
    Hint { actions: &[Action::Zoom], text: "zoom" },
    Hint { actions: &[Action::TargetClocks], text: "clocks" },
    Hint { actions: &[Action::Export], text: "export" },
    Hint { actions: &[Action::CopyCommand], text: "copy command" },
    Hint { actions: &[Action::CopyRow], text: "copy row" },
    Hint { actions: &[Action::TypeSize], text: "type size" },
    Hint { actions: &[Action::KernelNext], text: "kernel" },
    Hint { actions: &[Action::Undo], text: "undo" },
];

/// The keys of a sheet.
const OVER_PANES: [Hint; 2] = [
    Hint { actions: &[Action::PageDown, Action::PageUp], text: "scroll" },
    Hint { actions: &[Action::Cancel], text: "close" },
];

/// Something in the footer that can be pressed and clicked.
struct FooterKey {
    /// Its first column.
    from: usize,
    keys: String,
    /// The first of them.
    pressed: String,
    text: &'static str,
}

impl FooterKey {
    fn width(&self) -> usize {
        self.keys.width() + 1 + self.text.width()
    }
}

/// The key that stands on this column of the footer.
pub fn key_at(state: &DashboardState, x: u16) -> Option<String> {
    let keys = footer_keys(state, usize::from(state.size.0));
    let under = keys.into_iter().rev().find(|key| key.from <= usize::from(x))?;
    let end = under.from + under.width();
    (usize::from(x) < end && shows_keys(state)).then_some(under.pressed)
}

/// Whether the footer shows keys: nothing is typed, said or done.
fn shows_keys(state: &DashboardState) -> bool {
    state.typed_line().is_none() && state.message.is_none() && state.jobs.shown_job().is_none()
}

/// Draws the last line.
pub fn draw_footer(buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
    let width = usize::from(area.width);
    let message = state
        .message
        .as_ref()
        .map(|(tone, text)| (text, if *tone == Tone::Done { look.measured() } else { look.refusal() }));
    let shown = state.jobs.shown_job().and_then(|job| Some((job, state.jobs.text_of(job)?)));
    if let Some((label, input)) = state.typed_line() {
        let (shown, _) = typed_part(&label, input, width);
        let open = state.overlays.last();
        let hint = open.map_or("", |open| open.typing_hints());
        let help = keys_in(state, open, Action::Help);
        let with_help = help.first().map(|key| format!("{hint}, {} help", key.to_uppercase()));
        let used = label.width() + shown.width() + 4;
        let prompt = vec![Span::styled(label, look.key()), Span::raw(shown)];
        let forms = with_help.into_iter().chain([hint.to_string()]);
        if let Some(hint) = forms.into_iter().find(|hint| used + hint.width() <= width) {
            buffer.set_string(area.right() - hint.width() as u16, area.y, hint, look.dim());
        }
        Line::from(prompt).render(area, buffer);
        if let Some((text, style)) = message {
            draw_above(buffer, area, &wrap(text, width), style);
        }
    } else if let Some((job, text)) = shown {
        let hint = if job.is_cancellable() { "  (Esc cancels)" } else { "" };
        let text = clipped_text(text, width.saturating_sub(hint.width()));
        Line::styled(format!("{text}{hint}"), look.caution()).render(area, buffer);
        if let Some((text, style)) = message {
            draw_above(buffer, area, &wrap(text, width), style);
        }
    } else if let Some((text, style)) = message {
        let mut lines = wrap(text, width);
        let last = lines.pop().unwrap_or_default();
        Line::styled(last, style).render(area, buffer);
        draw_above(buffer, area, &lines, style);
    } else {
        keys_line(state, look, width).render(area, buffer);
    }
}

/// What is seen of a line that is typed behind this label, so that the cursor is in it, and the cursor's column.
pub fn typed_part(label: &str, input: &Input, width: usize) -> (String, usize) {
    let scroll = input.visual_scroll(width.saturating_sub(label.width() + 1));
    let mut left = 0;
    let is_left = |c: &char| {
        let goes = left < scroll;
        left += if goes { c.width().unwrap_or(0) } else { 0 };
        goes
    };
    let shown = input.value().chars().skip_while(is_left).collect();
    (shown, label.width() + input.visual_cursor().saturating_sub(left))
}

/// Lines that do not fit into the footer stand over the panes, so that no message is cut.
fn draw_above(buffer: &mut Buffer, footer: Rect, lines: &[String], style: Style) {
    let height = (lines.len() as u16).min(footer.y);
    let area = Rect { y: footer.y - height, height, ..footer };
    Clear.render(area, buffer);
    let lines = lines.iter().map(|text| Line::styled(text.clone(), style)).collect();
    draw_lines(buffer, area, lines, 0);
}

/// What is offered now: the open dialog's keys, else those of the focused pane and the general ones.
fn hints(state: &DashboardState) -> Vec<Hint> {
    if let Some(open) = state.overlays.last() {
        let own = open.hints(state);
        return own.into_iter().chain(OVER_PANES).collect();
    }
    let panel = main_panel(state.focus);
    let means = |hint: &Hint| hint.actions.iter().all(|action| refusal_here(*action, state).is_none());
    let own: Vec<Hint> = panel.hints(state).into_iter().filter(means).collect();
    let is_told = |hint: &Hint| !means(hint) || own.iter().any(|h| h.actions == hint.actions);
    let has_key = |hint: &Hint| hint.actions.iter().all(|action| !keys_in(state, None, *action).is_empty());
    let general: Vec<Hint> = OFFERED.into_iter().filter(|hint| !is_told(hint) && has_key(hint)).collect();
    own.into_iter().chain(general).collect()
}

/// The key of an action here: the one it has everywhere, where that holds; the palette's where it has none.
fn key_here(state: &DashboardState, action: Action) -> &str {
    let keys = keys_in(state, state.overlays.last(), action);
    let usual = state.key_for(action);
    if keys.contains(&usual) { usual } else { keys.first().copied().unwrap_or(":") }
}

/// As many hints as fit, each with its place.
fn footer_keys(state: &DashboardState, width: usize) -> Vec<FooterKey> {
    let footer_key = |hint: &Hint, from: usize| {
        let all: Vec<&str> = hint.actions.iter().map(|action| key_here(state, *action)).collect();
        FooterKey { from, keys: all.join("/"), pressed: all[0].to_string(), text: hint.text }
    };
    let hints = hints(state);
    let help = hints.iter().find(|hint| hint.actions == [Action::Help]);
    let (mut from, mut out, mut has_help) = (0, Vec::new(), help.is_none());
    for hint in &hints {
        let key = footer_key(hint, from);
        has_help |= hint.actions == [Action::Help];
        // The help tells of the keys that do not fit: it has room before them.
        let kept_free = if has_help { 0 } else { help.map_or(0, |hint| 2 + footer_key(hint, 0).width()) };
        if from + key.width() + kept_free > width {
            out.extend(help.filter(|_| !has_help).map(|hint| footer_key(hint, from)));
            break;
        }
        from += key.width() + 2;
        out.push(key);
    }
    out
}

fn keys_line(state: &DashboardState, look: Look<'_>, width: usize) -> Line<'static> {
    let spans = footer_keys(state, width).into_iter().flat_map(|key| {
        [Span::styled(key.keys, look.key()), Span::styled(format!(" {}  ", key.text), look.dim())]
    });
    Line::from(spans.collect::<Vec<_>>())
}
