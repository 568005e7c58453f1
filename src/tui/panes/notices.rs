//! Import notes: what was refused while loading, and what else is to be known of the files.

use super::text_sheet::{SheetText, no_chart, no_export_hint};
use crate::tui::action::Action;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::text::paragraph;
use ratatui::text::Line;

/// The notes.
pub static NOTICES: SheetText = SheetText {
    context: "notices",
    opened_by: Action::Notices,
    title: |_| "Import notes".into(),
    lines: notice_lines,
    export: no_chart,
    exports: no_export_hint,
    compares_models: false,
};

fn notice_lines(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    if state.notices.is_empty() {
        return vec![Line::styled("no import notes", look.dim())];
    }
    state.notices.iter().flat_map(|n| paragraph(n, width, look.text())).collect()
}
