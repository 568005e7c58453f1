//! The line that is typed into the footer.

use super::purpose::Purpose;
use crate::tui::text::{LONGEST_TYPED, edit_line};
use tui_input::{Input, InputRequest};

/// An open line.
#[derive(Debug, Clone)]
pub struct PromptLine {
    /// What it is for.
    pub(super) purpose: Purpose,
    /// The text so far.
    pub(super) input: Input,
    /// Whether what is offered is still as it was.
    untouched: bool,
}

impl PromptLine {
    /// A line with a text to start from.
    #[must_use]
    pub fn new(purpose: Purpose, text: String) -> Self {
        Self { purpose, input: Input::new(text), untouched: true }
    }

    /// Changes the line; the first letter replaces an offered number.
    pub fn edit(&mut self, request: InputRequest) {
        let inserts = matches!(request, InputRequest::InsertChar(_));
        if std::mem::take(&mut self.untouched) && inserts && self.purpose.is_typed_anew() {
            self.input.reset();
        }
        edit_line(&mut self.input, request, LONGEST_TYPED);
    }
}
