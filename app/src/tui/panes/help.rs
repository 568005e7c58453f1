//! The keys that hold now, grouped: those of the focused pane or open dialog first; then what the columns and marks mean.

use super::text_sheet::SheetText;
use super::{main_panel, refusal_here};
use crate::tui::action::{Action, TextEdit};
use crate::tui::keys::{OpenPanel, TYPING, keys_in};
use crate::tui::look::Look;
use crate::tui::state::DashboardState;
use crate::tui::text::{pad_right, paragraph, wrap};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// The help of the focused pane.
pub static HELP: SheetText = SheetText {
    context: "help",
    name: "help",
    opened_by: Action::Help,
    title: |state| format!("Help: {}", place_name(state)),
    lines: help_lines,
    compares_models: false,
};

/// Columns of the keys, in this width.
fn key_columns(width: usize) -> usize {
    if width < 50 { 10 } else { 18 }
}

/// Keys by what they are about, most needed first.
const GROUPS: [(&str, &[Action]); 5] = [
    (
        "the question",
        &[
            Action::SetSource,
            Action::SetTarget,
            Action::AddTarget,
            Action::AllSources,
            Action::Swap,
            Action::SizeUp,
            Action::SizeDown,
            Action::SizeFinerUp,
            Action::SizeFinerDown,
            Action::NewKernel,
            Action::TypeSize,
            Action::TypeBlock,
            Action::TargetClocks,
            Action::SourceClocks,
            Action::KernelNext,
            Action::KernelPrevious,
            Action::ModelNext,
            Action::ModelPrevious,
            Action::Ceilings,
            Action::Rules,
            Action::Undo,
        ],
    ),
    (
        "what is shown",
        &[
            Action::Explain,
            Action::Compare,
            Action::Levels,
            Action::Filter,
            Action::SortNext,
            Action::SortReverse,
            Action::Zoom,
            Action::Theme,
        ],
    ),
    (
        "views and panes",
        &[
            Action::ViewSwap,
            Action::ViewBoard,
            Action::ViewWhatIf,
            Action::ViewApplication,
            Action::ViewEvidence,
            Action::Models,
            Action::Evaluate,
            Action::Audit,
            Action::Notices,
            Action::NextRows,
            Action::EachArchitecture,
            Action::Pin,
            Action::Price,
            Action::Gemm,
            Action::FocusNext,
            Action::FocusPrevious,
        ],
    ),
    (
        "files and clipboard",
        &[Action::Import, Action::Export, Action::MeasureHere, Action::CopyRow, Action::CopyCommand],
    ),
    (
        "moving and leaving",
        &[
            Action::Up,
            Action::Down,
            Action::Left,
            Action::Right,
            Action::PageUp,
            Action::PageDown,
            Action::ScrollDown,
            Action::ScrollUp,
            Action::Top,
            Action::Bottom,
            Action::Pick,
            Action::Cancel,
            Action::Palette,
            Action::Help,
            Action::Suspend,
            Action::Quit,
        ],
    ),
];

/// What the columns of the predictions say that their headings cannot.
const COLUMNS: [(&str, &str); 4] = [
    ("bound", "what limits on the source → what limits on the target"),
    ("occupancy", "active warps of the most, source → target"),
    (
        "% of roof",
        "how near the source's measured time is to the roof of its limits; launch: that is most of the time",
    ),
    (
        "notes",
        "how many cautions the prediction has, `2 caut.` in a narrow header; the explanation shows them; L2: fits in L2 on the target alone",
    ),
];

/// The sheet that the help lies on.
fn sheet_below(state: &DashboardState) -> Option<&OpenPanel> {
    state.overlays.len().checked_sub(2).map(|below| &state.overlays[below])
}

/// What the help is about.
fn place_name(state: &DashboardState) -> &'static str {
    sheet_below(state).map_or_else(|| state.focus.title(), |open| open.name())
}

/// Keys of this pane, then the general ones, then what columns and marks mean.
fn help_lines(state: &DashboardState, width: usize, look: Look<'_>) -> Vec<Line<'static>> {
    let line = |left: &str, style: Style, text: &str| key_lines(left, style, text, width);
    let heading = |text: String| [Line::default(), Line::styled(text, look.title())];
    // The help itself lies on top of what it is about.
    let below = sheet_below(state);
    if let Some(open) = below.filter(|open| open.takes_text()) {
        return typing_lines(state, open, width, look);
    }
    let panel = main_panel(state.focus);
    let mut hints = below.map_or_else(|| panel.hints(state), |open| open.hints(state));
    let means = |action: &Action| below.is_some() || refusal_here(*action, state).is_none();
    hints.retain(|hint| hint.actions.iter().all(means));
    let keys_of = |action: Action| {
        let keys = keys_in(state, below, action);
        // The palette runs what has no key anywhere; what has one elsewhere does nothing here.
        let is_bound = !keys.is_empty() || state.keymap.key_of(action.id()).is_some();
        if is_bound { keys.join(" ") } else { ":".to_string() }
    };
    let mut lines = vec![Line::styled(format!("in {}", place_name(state)), look.title())];
    for hint in &hints {
        let keys: Vec<String> = hint.actions.iter().map(|action| keys_of(*action)).collect();
        lines.extend(line(&format!("{} ", keys.join(" ")), look.key(), hint.text));
    }
    let is_told = |action: &Action| hints.iter().any(|hint| hint.actions.contains(action));
    for (group, actions) in GROUPS {
        let others: Vec<(String, &Action)> = actions
            .iter()
            .filter(|action| !is_told(action) && means(action))
            .map(|action| (keys_of(*action), action))
            .filter(|(keys, _)| !keys.is_empty())
            .collect();
        if !others.is_empty() {
            lines.extend(heading(group.to_string()));
        }
        lines.extend(others.iter().flat_map(|(keys, a)| line(&format!("{keys} "), look.key(), a.doc())));
    }
    lines.extend(heading("columns of the predictions".into()));
    lines.extend(COLUMNS.iter().flat_map(|(name, text)| line(name, look.text(), text)));
    lines.extend(heading("marks".into()));
    lines.extend(marks(look).flat_map(|(mark, style, meaning)| line(mark, style, meaning)));
    lines
}

/// What may be typed, and the keys that hold meanwhile.
fn typing_lines(
    state: &DashboardState,
    open: &OpenPanel,
    width: usize,
    look: Look<'_>,
) -> Vec<Line<'static>> {
    let heading = |text: &'static str| Line::styled(text, look.title());
    let contexts = [open.key_context(), TYPING];
    let key_line = |id: &str, doc: &str| {
        let keys = state.keymap.keys_of(id, &contexts).join(" ");
        let line = key_lines(&format!("{keys} "), look.key(), doc, width);
        if keys.is_empty() { Vec::new() } else { line }
    };
    let moves = [Action::Up, Action::Down, Action::PageUp, Action::PageDown];
    // A line in the footer has no list to move in.
    let moves = moves.into_iter().filter(|_| open.typed_line().is_none());
    let mut lines = vec![heading("what may be typed")];
    lines.extend(open.typed_help(state).iter().flat_map(|text| paragraph(text, width, look.text())));
    lines.extend([Line::default(), heading("keys")]);
    lines.extend(paragraph(open.typing_hints(), width, look.text()));
    lines.extend(moves.flat_map(|action| key_line(action.id(), action.doc())));
    lines.extend(TextEdit::ALL.iter().flat_map(|edit| key_line(edit.id(), edit.doc())));
    lines
}

/// Keys or a name, and what they do behind them: in further lines where it does not fit into one.
fn key_lines(left: &str, style: Style, text: &str, width: usize) -> Vec<Line<'static>> {
    let keys = key_columns(width);
    let parts = wrap(text, width.saturating_sub(left.width().max(keys)));
    let first = std::iter::once(left).chain(std::iter::repeat(""));
    let line = |(left, part)| Line::from(vec![Span::styled(pad_right(left, keys), style), Span::raw(part)]);
    first.zip(parts).map(line).collect()
}

fn marks(look: Look<'_>) -> impl Iterator<Item = (&'static str, Style, &'static str)> {
    [
        ("●", look.measured(), "measured: published, or your own measurement"),
        ("◆", look.predicted(), "scaled from a measurement by the model named in the first line"),
        ("~", look.estimated(), "modelled without a measurement, or assumed (○ ◇ in charts)"),
        ("·", look.dim(), "another kernel, measured on the source (roofline)"),
        ("◀", look.limiter(), "the resource that limits the resident blocks"),
        ("S T +", look.source(), "source, target, further targets"),
        (
            "*",
            look.measured(),
            "no other row shown is both faster and cheaper, or faster with less power; of block sizes the one to take (board)",
        ),
        ("^", look.target(), "pinned: stands first whatever the order (board)"),
        ("▓░", look.predicted(), "90 % interval of the bar: its end below the speedup, and above it (board)"),
    ]
    .into_iter()
}
