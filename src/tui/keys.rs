//! What a key means while something is open, and otherwise.

use super::action::Action;
use super::block;
use super::clocks;
use super::message::Effect;
use super::prompt::{Overlay, PromptKind, edit, matching_actions};
use super::run::{run, say, set_size};
use super::state::{State, Tone};
use super::{evaluation, export, files, gemm, models};
use tui_input::InputRequest;

/// The longest text a prompt takes; a pasted file must not become a filter.
const LONGEST_TEXT: usize = 400;

/// A key was pressed.
pub(super) fn pressed(state: &mut State, key: &str) -> Vec<Effect> {
    if key == "ctrl-c" {
        return run(state, Action::Quit);
    }
    match &state.overlay {
        Overlay::None => match state.keymap.action(state.place(), key).and_then(Action::from_id) {
            Some(action) => run(state, action),
            None => say(state, Tone::Refused, format!("{key} does nothing here; ? shows the keys")),
        },
        Overlay::Palette { .. } => in_palette(state, key),
        Overlay::Prompt { .. } => in_prompt(state, key),
        Overlay::Files(_) => files::in_files(state, key),
        _ => in_reading(state, key),
    }
}

/// Text was pasted: into the open line, or nowhere.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Effect> {
    for c in text.chars().filter(|c| !c.is_control()).take(LONGEST_TEXT) {
        edit_line(&mut state.overlay, InputRequest::InsertChar(c));
    }
    live_filter(state);
    Vec::new()
}

/// Changes the line that is open, if one is: no longer than [`LONGEST_TEXT`], and the first letter replaces an offered
/// number.
pub(super) fn edit_line(overlay: &mut Overlay, request: InputRequest) {
    let inserts = matches!(request, InputRequest::InsertChar(_));
    let input = match overlay {
        Overlay::Palette { input, cursor } => {
            *cursor = 0;
            input
        }
        Overlay::Files(picker) => {
            picker.cursor = 0;
            &mut picker.input
        }
        Overlay::Prompt { kind, input, untouched } => {
            let offered = matches!(
                kind,
                PromptKind::Size | PromptKind::Block | PromptKind::SourceClocks | PromptKind::TargetClocks
            );
            if std::mem::take(untouched) && inserts && offered {
                input.reset();
            }
            input
        }
        _ => return,
    };
    if !inserts || input.value().len() < LONGEST_TEXT {
        input.handle(request);
    }
}

/// Scrolls what lies over the panes; false if nothing there scrolls.
pub(super) fn scroll_overlay(state: &mut State, by: isize) -> bool {
    match &mut state.overlay {
        Overlay::Help(top)
        | Overlay::Explain(top)
        | Overlay::Compare(top)
        | Overlay::Gemm(top)
        | Overlay::Notices(top)
        | Overlay::Evaluate(top)
        | Overlay::Models(top)
        | Overlay::Audit(top) => {
            // The view clamps it to the text; ten thousand lines are more than any text here.
            *top = top.saturating_add_signed(by).min(10_000);
            true
        }
        Overlay::Palette { input, cursor } => {
            let last = matching_actions(input.value()).len().saturating_sub(1);
            *cursor = cursor.saturating_add_signed(by).min(last);
            true
        }
        Overlay::Files(picker) => {
            picker.scroll(by);
            true
        }
        Overlay::None | Overlay::Prompt { .. } => false,
    }
}

/// Help, explanation, comparison, notices, audit: scroll, change what they show, or close.
fn in_reading(state: &mut State, key: &str) -> Vec<Effect> {
    let action = state.keymap.action(state.place(), key).and_then(Action::from_id);
    if let (Overlay::Evaluate(_), Some(action)) = (&state.overlay, action)
        && let Some(effects) = evaluation::in_overlay(state, action)
    {
        return effects;
    }
    if let (Overlay::Models(_), Some(action)) = (&state.overlay, action)
        && let Some(effects) = models::in_overlay(state, action)
    {
        return effects;
    }
    if let (Overlay::Gemm(_), Some(action)) = (&state.overlay, action)
        && let Some(effects) = gemm::in_overlay(state, action)
    {
        return effects;
    }
    if let (Overlay::Explain(_), Some(Action::Export)) = (&state.overlay, action) {
        return export::ask_components(state);
    }
    let by = match action {
        Some(Action::Up) => -1,
        Some(Action::Down) => 1,
        Some(Action::PageUp) => -10,
        Some(Action::PageDown) => 10,
        Some(Action::Top) => isize::MIN / 2,
        Some(Action::Bottom) => isize::MAX / 2,
        // What the reader looks at changes under them: the point of a live explanation.
        Some(
            a @ (Action::Swap
            | Action::SizeUp
            | Action::SizeDown
            | Action::SizeFinerUp
            | Action::SizeFinerDown
            | Action::ModelNext
            | Action::ModelPrevious
            | Action::Ceilings
            | Action::Rules
            | Action::KernelNext
            | Action::KernelPrevious
            | Action::CopyRow
            | Action::CopyCommand
            | Action::Undo
            | Action::Theme),
        ) => return run(state, a),
        _ => {
            state.overlay = Overlay::None;
            return Vec::new();
        }
    };
    scroll_overlay(state, by);
    Vec::new()
}

fn in_palette(state: &mut State, key: &str) -> Vec<Effect> {
    let Overlay::Palette { input, cursor } = &state.overlay else { return Vec::new() };
    match key {
        "esc" => state.overlay = Overlay::None,
        "up" | "down" => {
            scroll_overlay(state, if key == "up" { -1 } else { 1 });
        }
        "enter" => {
            let chosen = matching_actions(input.value()).get(*cursor).copied();
            state.overlay = Overlay::None;
            return chosen.map_or_else(Vec::new, |action| run(state, action));
        }
        _ => {
            if let Some(request) = edit(key) {
                edit_line(&mut state.overlay, request);
            }
        }
    }
    Vec::new()
}

fn in_prompt(state: &mut State, key: &str) -> Vec<Effect> {
    state.message = None;
    let Overlay::Prompt { kind, input, .. } = &state.overlay else { return Vec::new() };
    let kind = *kind;
    match key {
        "esc" => {
            state.overlay = Overlay::None;
            clear_filter(state, kind);
            return Vec::new();
        }
        "enter" => {
            let text = input.value().trim().to_string();
            return accept(state, kind, &text);
        }
        _ => {
            if let Some(request) = edit(key) {
                edit_line(&mut state.overlay, request);
            }
        }
    }
    live_filter(state);
    Vec::new()
}

/// A filter works while it is typed.
fn live_filter(state: &mut State) {
    let Overlay::Prompt { kind, input, .. } = &state.overlay else { return };
    let text = input.value().to_string();
    match kind {
        PromptKind::GpuFilter => {
            state.gpu_filter = text;
            state.arrange_gpus();
        }
        PromptKind::RowFilter => {
            state.row_filter = text;
            state.arrange();
        }
        _ => {}
    }
}

fn clear_filter(state: &mut State, kind: PromptKind) {
    match kind {
        PromptKind::GpuFilter => {
            state.gpu_filter.clear();
            state.arrange_gpus();
        }
        PromptKind::RowFilter => {
            state.row_filter.clear();
            state.arrange();
        }
        _ => {}
    }
}

/// Enter: a prompt that cannot be followed stays open, with the reason beside it.
fn accept(state: &mut State, kind: PromptKind, text: &str) -> Vec<Effect> {
    match kind {
        PromptKind::Size => match state.kernel().typed(text) {
            Ok(problem) => {
                state.overlay = Overlay::None;
                set_size(state, &problem)
            }
            Err(e) => say(state, Tone::Refused, e.to_string()),
        },
        PromptKind::Block => block::accept(state, text),
        PromptKind::SourceClocks | PromptKind::TargetClocks => {
            clocks::accept(state, kind == PromptKind::SourceClocks, text)
        }
        PromptKind::ExportPath
        | PromptKind::ExportEvaluation
        | PromptKind::ExportComponents
        | PromptKind::ExportImportances
        | PromptKind::ExportGemm
            if text.is_empty() =>
        {
            say(state, Tone::Refused, "type a file name, or Esc")
        }
        PromptKind::ExportPath => {
            state.overlay = Overlay::None;
            export::start(state, text)
        }
        PromptKind::ExportEvaluation => {
            state.overlay = Overlay::Evaluate(0);
            export::start_evaluation(state, text)
        }
        PromptKind::ExportGemm => {
            state.overlay = Overlay::Gemm(0);
            gemm::start_export(state, text)
        }
        PromptKind::ExportComponents => {
            state.overlay = Overlay::Explain(0);
            export::start_components(state, text)
        }
        PromptKind::ExportImportances => {
            state.overlay = Overlay::Models(0);
            export::start_importances(state, text)
        }
        // A filter works while it is typed; Enter keeps it.
        PromptKind::GpuFilter | PromptKind::RowFilter => {
            state.overlay = Overlay::None;
            Vec::new()
        }
    }
}
