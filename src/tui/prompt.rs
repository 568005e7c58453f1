//! What lies over the panes: help, palette, explanation, comparison, notices, audit, and the one-line prompts.

use super::action::Action;
use super::files::Picker;
use tui_input::{Input, InputRequest};

/// What lies over the panes.
#[derive(Debug, Clone, Default)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// Keys and marks; the number is the first line shown.
    Help(usize),
    /// All commands, filtered while typing.
    Palette {
        /// The filter.
        input: Input,
        /// The chosen line.
        cursor: usize,
    },
    /// The selected prediction, factor by factor.
    Explain(usize),
    /// All models for the selected row.
    Compare(usize),
    /// The models measured on the loaded rows.
    Evaluate(usize),
    /// Every model's error here, and what is trained.
    Models(usize),
    /// A matrix product on the target, tile by tile.
    Gemm(usize),
    /// What was refused while loading.
    Notices(usize),
    /// Files to choose from.
    Files(Box<Picker>),
    /// What the audit found in the user's files.
    Audit(usize),
    /// A line to type.
    Prompt {
        /// What for.
        kind: PromptKind,
        /// The text so far.
        input: Input,
        /// Whether the offered text is still as it was; the first letter replaces an offered size.
        untouched: bool,
    },
}

impl Overlay {
    /// A prompt with a text to start from.
    #[must_use]
    pub fn prompt(kind: PromptKind, text: String) -> Self {
        Self::Prompt { kind, input: Input::new(text), untouched: true }
    }
}

/// What a prompt asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// Filter of the GPUs.
    GpuFilter,
    /// Filter of the predictions.
    RowFilter,
    /// A problem size.
    Size,
    /// Threads per block of a kernel whose launch shape is unknown.
    Block,
    /// Clocks and power limit of the source.
    SourceClocks,
    /// Clocks and power limit of the main target.
    TargetClocks,
    /// The file of an export.
    ExportPath,
    /// The file of an export of the evaluation.
    ExportEvaluation,
    /// The file of an export of the component times.
    ExportComponents,
    /// The file of an export of a trained model's importances.
    ExportImportances,
    /// The file of an export of the GEMM pane.
    ExportGemm,
}

impl PromptKind {
    /// The words before the text.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::GpuFilter => "filter GPUs: ",
            Self::RowFilter => "filter kernels: ",
            Self::Size => "size: ",
            Self::Block => "threads per block: ",
            Self::SourceClocks => "source at: ",
            Self::TargetClocks => "target at: ",
            Self::ExportPath
            | Self::ExportEvaluation
            | Self::ExportComponents
            | Self::ExportImportances
            | Self::ExportGemm => "export to: ",
        }
    }
}

/// What a key does to a line of text.
#[must_use]
pub fn edit(key: &str) -> Option<InputRequest> {
    let mut chars = key.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some(InputRequest::InsertChar(c));
    }
    Some(match key {
        "space" => InputRequest::InsertChar(' '),
        "backspace" => InputRequest::DeletePrevChar,
        "delete" => InputRequest::DeleteNextChar,
        "left" => InputRequest::GoToPrevChar,
        "right" => InputRequest::GoToNextChar,
        "home" | "ctrl-a" => InputRequest::GoToStart,
        "end" | "ctrl-e" => InputRequest::GoToEnd,
        "ctrl-w" => InputRequest::DeletePrevWord,
        "ctrl-u" => InputRequest::DeleteLine,
        _ => return None,
    })
}

/// The commands that contain the typed letters in order, best (shortest) first.
#[must_use]
pub fn matching_actions(typed: &str) -> Vec<Action> {
    let typed = typed.to_lowercase();
    let fits = |action: &&Action| {
        let text = format!("{} {}", action.id().replace('_', " "), action.doc().to_lowercase());
        let mut letters = text.chars();
        typed.chars().filter(|c| !c.is_whitespace()).all(|c| letters.any(|l| l == c))
    };
    let mut found: Vec<Action> = Action::ALL.iter().filter(fits).copied().collect();
    let spaced = |a: &Action| a.id().replace('_', " ");
    found.sort_by_key(|a| !spaced(a).contains(typed.trim()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_palette_finds_commands_by_letters_in_order() {
        assert_eq!(matching_actions("swap")[0], Action::Swap);
        assert_eq!(matching_actions("copy com")[0], Action::CopyCommand);
        assert_eq!(matching_actions("").len(), Action::ALL.len());
        assert!(matching_actions("zzzz").is_empty());
    }
}
