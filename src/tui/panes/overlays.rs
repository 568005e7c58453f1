//! What lies over the panes: help, palette, explanation, comparison of models, notices, audit.

use super::{audit, compare, evaluate, files};
use crate::predict::{Factor, MODELS, Prediction};
use crate::report::{explain, sources};
use crate::tui::action::Action;
use crate::tui::look::Look;
use crate::tui::prompt::{Overlay, matching_actions};
use crate::tui::state::State;
use crate::tui::text::{clip, paragraph, wrap};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Widget};
use unicode_width::UnicodeWidthStr;

/// Draws what is open, if anything.
pub fn view(buffer: &mut Buffer, body: Rect, state: &State, look: Look<'_>) {
    let width = usize::from(body.width.saturating_sub(4).min(116));
    let (title, lines, top) = match &state.overlay {
        Overlay::None | Overlay::Prompt { .. } => return,
        Overlay::Help(top) => (format!("Help: {}", state.focus.title()), help(state, width, look), *top),
        Overlay::Explain(top) => (state.question_title(), explanation(state, width, look), *top),
        Overlay::Compare(top) => {
            ("All models, selected row".into(), compare::lines(state, width, look), *top)
        }
        Overlay::Evaluate(top) => return evaluate::view(buffer, body, state, *top, look),
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
        format!(" {}-{}/{} ", top + 1, top + page, lines.len())
    } else {
        String::new()
    };
    let inside = sheet(buffer, area, &title, &format!("{more} any other key closes "), look);
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

/// From what is known to the predicted time, one number per line, each with its origin.
fn explanation(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let answer = state.answer();
    let model = MODELS[answer.settings.model];
    let [source, target] = state.pair();
    let mut lines = paragraph(&format!("{}: {}", model.id(), model.summary()), width, look.title());
    lines.extend(paragraph(&state.kernel().summary, width, look.dim()));
    lines.push(Line::default());
    let prediction = match &answer.prediction {
        Ok(p) => p,
        Err(refusal) => {
            lines.extend(paragraph(&refusal.to_string(), width, look.refusal()));
            return lines;
        }
    };
    let name = |g: &crate::gpu::Gpu| clip(g.short_name(), 15);
    lines.push(Line::from(vec![
        Span::raw(format!("{:<18}", "")),
        Span::styled(format!("{:>16}", name(source)), look.source()),
        Span::styled(format!("{:>16}", name(target)), look.target()),
        Span::styled("  where from", look.dim()),
    ]));
    lines.extend(prediction.factors.iter().flat_map(|f| factor(f, width, look)));
    lines.push(Line::from(vec![
        Span::styled(format!("{:<18}{:>16}", "predicted", ""), look.title()),
        Span::styled(format!("{:>16}", prediction.time.to_string()), look.predicted()),
    ]));
    lines.extend(closing(state, prediction, width, look));
    lines
}

/// A factor on one line, or on two where its origin does not fit beside it: the origin is never cut.
fn factor(f: &Factor, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    const NUMBERS: usize = 50;
    let amount = |a: &Option<crate::predict::Amount>| a.map(|a| a.to_string()).unwrap_or_default();
    let origin = format!("  {}", explain::origins(f));
    let mut first = vec![
        Span::raw(format!("{:<18}", f.name)),
        Span::styled(format!("{:>16}", amount(&f.source)), look.source()),
        Span::styled(format!("{:>16}", amount(&f.target)), look.target()),
    ];
    if NUMBERS + origin.width() <= width {
        first.push(Span::styled(origin, look.dim()));
        return vec![Line::from(first)];
    }
    let below = wrap(&origin, width.saturating_sub(4)).into_iter();
    std::iter::once(Line::from(first))
        .chain(below.map(|t| Line::styled(format!("    {t}"), look.dim())))
        .collect()
}

/// Interval and its reason, the measured time, cautions.
fn closing(state: &State, prediction: &Prediction, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let answer = state.answer();
    let mut lines = Vec::new();
    let shares = sources::lines(&state.session.gpus, answer);
    lines.extend(shares.iter().map(|text| Line::styled(clip(text, width), look.source())));
    lines.extend(sources::spread(answer).map(|t| paragraph(&t, width, look.text())).into_iter().flatten());
    lines.extend(explain::interval(answer).map(|t| paragraph(&t, width, look.text())).into_iter().flatten());
    lines.extend(
        explain::measured(answer).map(|t| paragraph(&t, width, look.measured())).into_iter().flatten(),
    );
    let source = answer.source_time.as_ref().map_or("", |t| &t.source);
    for text in state.session.data_cautions(source) {
        lines.extend(paragraph(&format!("data: {text}"), width, look.dim()));
    }
    if !prediction.cautions.is_empty() {
        lines.push(Line::default());
    }
    for caution in &prediction.cautions {
        let mut wrapped = wrap(&caution.to_string(), width.saturating_sub(2)).into_iter();
        lines.extend(wrapped.next().map(|t| Line::styled(format!("! {t}"), look.caution())));
        lines.extend(wrapped.map(|t| Line::styled(format!("  {t}"), look.caution())));
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
