//! What the audit found in the user's measurement files: a heading with rows, the evidence, the harm, the repair.
//!
//! ```text
//! 18 errors, 29 warnings, 6 notes in 243 rows
//!
//! error ignored-size: gtx-titan-x, saxpy (runs.csv:161,167,171,175)
//!   50.9 µs at n=65536, 51.2 µs at n=4194304: the labelled work grows 64-fold, the time 1.01-fold
//! ```

use super::frame::{draw_lines, pane_frame};
use crate::audit::Severity;
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::pane::{Hint, Panel, Reaction};
use crate::tui::state::State;
use crate::tui::text::{paragraph, wrap};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// The pane.
#[derive(Debug)]
pub struct AuditPane;

impl Panel<State> for AuditPane {
    fn context(&self) -> &'static str {
        Pane::Audit.place()
    }

    fn handle_action(&mut self, action: Action, state: &mut State) -> Reaction {
        let scrolled = state.evidence_scroll[2].scroll_action(action);
        if scrolled { Reaction::Done(Vec::new()) } else { Reaction::Passed }
    }

    fn draw(&self, buffer: &mut Buffer, area: Rect, state: &State, look: Look<'_>) {
        let inside = pane_frame(buffer, area, state, Pane::Audit, &beside(state), look);
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let lines = audit_lines(state, usize::from(text.width), look);
        let top = state.evidence_scroll[2].first_line(lines.len(), usize::from(text.height));
        draw_lines(buffer, text, lines, top);
    }

    fn hints(&self, _: &State) -> Vec<Hint> {
        vec![Hint { actions: &[Action::PageDown, Action::PageUp], text: "scroll" }]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut State) {
        state.evidence_scroll[2].scroll_by(by);
    }
}

/// The lines of the audit.
fn audit_lines(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let Some(digest) = &state.audit else {
        let text = match state.data.len() {
            0 => "no measurement files of yours are loaded; start with --data FILE",
            _ => "your files are still being audited, or could not be read",
        };
        return paragraph(text, width, look.dim());
    };
    let mut lines = paragraph(&digest.summary, width, look.title());
    for file in &digest.not_audited {
        lines.extend(paragraph(&format!("not audited: {file}"), width, look.refusal()));
    }
    for (severity, [heading, rest @ ..]) in &digest.findings {
        let style = match severity {
            Severity::Error => look.refusal(),
            Severity::Warning => look.caution(),
            Severity::Note => look.dim(),
        };
        lines.push(Line::default());
        lines.extend(paragraph(heading, width, style));
        for (i, text) in rest.iter().enumerate() {
            let style = if i == 0 { look.text() } else { look.dim() };
            let wrapped = wrap(text, width.saturating_sub(2)).into_iter();
            lines.extend(wrapped.map(|t| Line::styled(format!("  {t}"), style)));
        }
    }
    lines
}

/// How many findings there are.
fn beside(state: &State) -> String {
    state.audit.as_ref().map_or_else(String::new, |digest| digest.summary.clone())
}
