//! The keys of the focused pane, and what the marks mean.

use super::text_sheet::{SheetText, no_chart, no_export_hint};
use crate::config::Binding;
use crate::tui::action::Action;
use crate::tui::look::Look;
use crate::tui::state::State;
use crate::tui::text::clip;
use ratatui::text::{Line, Span};

/// The help of the focused pane.
pub static HELP: SheetText = SheetText {
    context: "help",
    opened_by: Action::Help,
    title: |state| format!("Help: {}", state.focus.title()),
    lines: help_lines,
    export: no_chart,
    exports: no_export_hint,
    compares_models: false,
};

/// Keys of this pane, then what the marks mean.
fn help_lines(state: &State, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for action in Action::ALL {
        let bound = |b: &&Binding| b.run == action.id() && (b.when == "any" || b.when == state.place());
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
        ("●", look.measured(), "measured: published, or your own measurement"),
        ("◆", look.predicted(), "scaled from a measurement by the model named in the first line"),
        ("~", look.estimated(), "modelled without a measurement, or assumed (○ ◇ in charts)"),
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
