//! What lies over the panes: help, palette, explanation, comparison of models, notices, audit.

use super::{audit, compare, evaluate, explain, files, gemm, models};
use crate::tui::action::Action;
use crate::tui::export::components_of;
use crate::tui::look::Look;
use crate::tui::prompt::{Overlay, matching_actions};
use crate::tui::state::State;
use crate::tui::text::{clip, paragraph};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Widget};

/// Draws what is open, if anything.
pub fn view(buffer: &mut Buffer, body: Rect, state: &State, look: Look<'_>) {
    let width = usize::from(body.width.saturating_sub(4).min(116));
    let (title, lines, top) = match &state.overlay {
        Overlay::None | Overlay::Prompt { .. } => return,
        Overlay::Help(top) => (format!("Help: {}", state.focus.title()), help(state, width, look), *top),
        Overlay::Explain(top) => (state.question_title(), explain::lines(state, width, look), *top),
        Overlay::Compare(top) => {
            ("All models, selected row".into(), compare::lines(state, width, look), *top)
        }
        Overlay::Evaluate(top) => return evaluate::view(buffer, body, state, *top, look),
        Overlay::Models(top) => return models::view(buffer, body, state, *top, look),
        Overlay::Gemm(top) => return gemm::view(buffer, body, state, *top, look),
        Overlay::Notices(top) => ("Refused while loading".into(), notices(state, width, look), *top),
        Overlay::Audit(top) => ("Audit of your measurements".into(), audit::lines(state, width, look), *top),
        Overlay::Palette { input, cursor } => {
            return palette(buffer, body, state, (input.value(), *cursor), look);
        }
        Overlay::Files(picker) => return files::view(buffer, body, picker, look),
    };
    let height = (lines.len() as u16 + 2).min(body.height);
    let area = body.centered(Constraint::Length(width as u16 + 4), Constraint::Length(height));
    let page = usize::from(area.height.saturating_sub(2));
    let top = top.min(lines.len().saturating_sub(page));
    let more = if lines.len() > page {
        format!(" {}-{}/{}  up, down scroll ", top + 1, top + page, lines.len())
    } else {
        String::new()
    };
    let export = match (&state.overlay, state.keymap.key_of(Action::Export.id())) {
        (Overlay::Explain(_), Some(key)) if components_of(state).is_some() => {
            format!(" {key} exports the components ")
        }
        _ => String::new(),
    };
    let inside = sheet(buffer, area, &title, &format!("{more}{export} any other key closes "), look);
    for (i, line) in lines.into_iter().skip(top).take(page).enumerate() {
        line.render(
            Rect {
                x: inside.x + 1,
                y: inside.y + i as u16,
                width: inside.width.saturating_sub(1),
                height: 1,
            },
            buffer,
        );
    }
}

pub(super) fn sheet(buffer: &mut Buffer, area: Rect, title: &str, foot: &str, look: Look<'_>) -> Rect {
    Clear.render(area, buffer);
    let block = Block::bordered()
        .border_type(BorderType::Double)
        .border_style(look.focus())
        .title(Line::styled(
            format!(" {} ", clip(title, usize::from(area.width.saturating_sub(4)))),
            look.title(),
        ))
        .title_bottom(Line::styled(foot.to_string(), look.dim()));
    let inside = block.inner(area);
    block.render(area, buffer);
    inside
}

/// Keys of this pane, then what the marks mean.
fn help(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for action in Action::ALL {
        let bound = |b: &&crate::config::Binding| {
            b.run == action.id() && (b.when == "any" || b.when == state.place())
        };
        let keys: Vec<String> =
            state.keymap.bindings().iter().filter(bound).flat_map(|b| b.on.iter().cloned()).collect();
        let keys = if keys.is_empty() { ":".to_string() } else { keys.join(" ") };
        lines.push(Line::from(vec![
            Span::styled(format!("{keys:<11} "), look.key()),
            Span::raw(clip(action.doc(), width.saturating_sub(12))),
        ]));
    }
    lines.push(Line::default());
    let marks = [
        ("●", look.measured(), "timed: a published figure or your own measurement"),
        ("◆", look.predicted(), "predicted by the model named in the first line"),
        ("~", look.estimated(), "an estimate or an assumption: nobody timed or stated it (○ ◇ in charts)"),
        ("◀", look.limiter(), "the resource that limits the resident blocks"),
        ("S T +", look.source(), "source, target, further targets"),
    ];
    for (mark, style, meaning) in marks {
        lines.push(Line::from(vec![
            Span::styled(format!("{mark:<11} "), style),
            Span::raw(clip(meaning, width.saturating_sub(12))),
        ]));
    }
    lines
}

fn notices(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    if state.notices.is_empty() {
        return vec![Line::styled("nothing was refused", look.dim())];
    }
    state.notices.iter().flat_map(|n| paragraph(n, width, look.text())).collect()
}

fn palette(buffer: &mut Buffer, body: Rect, state: &State, (typed, cursor): (&str, usize), look: Look<'_>) {
    let found = matching_actions(typed);
    let height = (found.len() as u16 + 3).clamp(4, body.height.min(20));
    let area = body.centered(Constraint::Length(body.width.min(90)), Constraint::Length(height));
    let inside = sheet(buffer, area, "Commands", " Enter runs, Esc closes ", look);
    let line_at =
        |i: u16| Rect { x: inside.x + 1, y: inside.y + i, width: inside.width.saturating_sub(1), height: 1 };
    if inside.height == 0 {
        return;
    }
    Line::from(vec![
        Span::styled(": ", look.key()),
        Span::raw(typed.to_string()),
        Span::styled("_", look.dim()),
    ])
    .render(line_at(0), buffer);
    let page = usize::from(inside.height) - 1;
    let start = crate::tui::layout::page_start(cursor, page);
    for (i, action) in found.iter().enumerate().skip(start).take(page) {
        let key = state.keymap.key_of(action.id()).unwrap_or("");
        let text = format!("{key:<10} {}", clip(action.doc(), usize::from(inside.width).saturating_sub(13)));
        let style = if i == cursor { look.selection() } else { look.text() };
        Line::styled(text, style).render(line_at((i - start) as u16 + 1), buffer);
    }
}
