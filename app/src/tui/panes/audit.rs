//! What the audit found in the user's measurement files: a heading with rows, the evidence, the harm, the repair.
//!
//! ```text
//! 18 errors, 29 warnings, 6 notes in 243 rows
//!
//! error ignored-size: gtx-titan-x, saxpy (runs.csv:161,167,171,175)
//!   50.9 µs at n=65536, 51.2 µs at n=4194304: the labelled work grows 64-fold, the time 1.01-fold
//! ```

use super::text_sheet::TextPane;
use crate::audit::Severity;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{paragraph, wrap};
use ratatui::text::Line;

/// The pane.
pub const AUDIT: TextPane = TextPane { pane: Pane::Audit, beside, lines: audit_lines };

/// The lines of the audit.
fn audit_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
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
fn beside(state: &DashboardState) -> String {
    state.audit.as_ref().map_or_else(String::new, |digest| digest.summary.clone())
}
