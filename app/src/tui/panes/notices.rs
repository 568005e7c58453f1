//! Import notes: what was refused while loading, and what else is to be known of the files.

use super::text_sheet::TextPane;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::paragraph;
use ratatui::text::Line;

/// The pane.
pub const NOTES: TextPane = TextPane { pane: Pane::Notes, beside, lines: notice_lines };

fn notice_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    if state.notices.is_empty() {
        return vec![Line::styled("no import notes", look.dim())];
    }
    state.notices.iter().flat_map(|n| paragraph(n, width, look.text())).collect()
}

/// How many notes there are, and how many rows were refused.
fn beside(state: &DashboardState) -> String {
    match (state.notices.len(), state.refused.in_words()) {
        (0, _) => "none".into(),
        (notes, refused) if refused.is_empty() => notes.to_string(),
        (notes, refused) => format!("{notes}, {refused}"),
    }
}
