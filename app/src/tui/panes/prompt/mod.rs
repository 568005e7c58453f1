//! The line that is typed into the footer: sizes, clocks, filters, files. What cannot be followed stays open, with the reason
//! beside it.

mod block;
pub(super) mod clocks;
mod line;
mod new_kernel;
mod price;
mod purpose;

use super::gpus::choose_gpu;
use super::what_if::typing::WhatIfPurpose;
use crate::chart::{ChartSpec, SvgTheme};
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{OverlayPanel, Panel, Reaction};
use crate::tui::state::{DashboardState, Tone};
use crate::tui::undo::is_same_size;
use crate::whatif::ScenarioPage;
use block::{block_line, set_block};
use clocks::{clocks_line, set_source_clocks, set_target_clocks};
use line::PromptLine;
use purpose::Purpose;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::Path;
use std::sync::Arc;
use tui_input::{Input, InputRequest};

/// The open prompt.
#[derive(Debug, Clone)]
pub struct Prompt(PromptLine);

impl Prompt {
    /// Asks for the file of a chart; a name is offered.
    #[must_use]
    pub fn export_to(name: String, spec: Box<ChartSpec>) -> Self {
        Self(PromptLine::new(Purpose::Export(spec), name))
    }

    /// Asks for the file of a page of scenarios; a name is offered.
    #[must_use]
    pub fn write_page_to(name: String, page: Arc<ScenarioPage>) -> Self {
        Self(PromptLine::new(Purpose::Page(page), name))
    }
}

/// Asks for the file of the typed kernels.
///
/// # Errors
/// That there is none with a time.
pub fn ask_rows_file(state: &mut DashboardState) -> Result<Vec<Effect>, String> {
    let (rows, without) = state.rows_to_export();
    if rows.is_empty() {
        let add = state.key_for(Action::NewKernel);
        return Err(format!("no kernel was typed with a time: {add} types one"));
    }
    if without > 0 {
        state.say(Tone::Done, format!("{without} typed without a time: no measured row, left out"));
    }
    let prompt = PromptLine::new(Purpose::Rows(rows.into()), "typed-kernels.csv".into());
    Ok(state.open_overlay(Prompt(prompt)))
}

/// Asks for the filter of the GPUs, where they are focused, else of the predictions; it starts empty.
pub fn ask_filter(state: &mut DashboardState) -> Vec<Effect> {
    let purpose = if state.focus == Pane::Gpus {
        Purpose::FilterGpus(state.gpus.get(state.gpu_cursor).copied())
    } else if state.focus == Pane::Ranking {
        Purpose::FilterBoard
    } else if state.focus == Pane::Application {
        Purpose::FilterGroups(state.application.cursor)
    } else {
        state.focus_pane(Pane::Predictions);
        Purpose::FilterRows(state.rows[state.selected].clone())
    };
    let prompt = Prompt(PromptLine::new(purpose, String::new()));
    prompt.filter_by(String::new(), state);
    state.open_overlay(prompt)
}

/// Asks for the problem size of the selected kernel.
pub fn ask_size(state: &mut DashboardState) -> Vec<Effect> {
    let size = state.kernel().short_problem(&state.rows[state.selected].problem);
    state.open_overlay(Prompt(PromptLine::new(Purpose::Size, size)))
}

/// Asks for a kernel in one line.
pub fn ask_kernel(state: &mut DashboardState) -> Vec<Effect> {
    state.say(Tone::Done, new_kernel::EXAMPLE);
    state.open_overlay(Prompt(PromptLine::new(Purpose::Kernel, String::new())))
}

/// Asks for the price of an hour on the GPU under the board's cursor, elsewhere on the target.
pub fn ask_price(state: &mut DashboardState) -> Vec<Effect> {
    let on_board = (state.focus == Pane::Ranking).then(|| state.row_on_board()).flatten();
    let gpu = on_board.map_or(state.target(), |row| row.gpu);
    state.say(Tone::Done, price::price_words(state, gpu));
    state.open_overlay(Prompt(PromptLine::new(Purpose::Price(gpu), String::new())))
}

/// Asks for a line of the What if view; a text is offered.
pub fn ask_what_if(state: &mut DashboardState, purpose: WhatIfPurpose, offered: String) -> Vec<Effect> {
    state.open_overlay(Prompt(PromptLine::new(Purpose::WhatIf(purpose), offered)))
}

/// Asks for the threads per block of the selected kernel.
pub fn ask_block(state: &mut DashboardState) -> Vec<Effect> {
    let line = block_line(state);
    state.open_overlay(Prompt(line))
}

/// Gives the selected kernel these threads per block: as its own, or in the place of those that are stated.
///
/// # Errors
/// What was expected.
pub fn set_typed_block(state: &mut DashboardState, text: &str) -> Result<Vec<Effect>, String> {
    let line = block_line(state);
    state.message = None;
    Prompt(line).follow_line(text, state)
}

/// Asks for the clocks of the source.
pub fn ask_source_clocks(state: &mut DashboardState) -> Vec<Effect> {
    let line = clocks_line(state, state.selection.source, Purpose::SourceClocks);
    state.open_overlay(Prompt(line))
}

/// Asks for the clocks of the main target.
pub fn ask_target_clocks(state: &mut DashboardState) -> Vec<Effect> {
    let line = clocks_line(state, state.target(), Purpose::TargetClocks);
    state.open_overlay(Prompt(line))
}

impl Panel<DashboardState> for Prompt {
    fn key_context(&self) -> &'static str {
        "prompt"
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => self.accept_line(state),
            Action::Cancel => {
                self.filter_by(String::new(), state);
                self.restore_cursor(state);
                state.message = None;
                Reaction::Close(Vec::new())
            }
            _ => Reaction::Passed,
        }
    }

    /// It stands in the footer, which draws it.
    fn draw_pane(&self, _: &mut Buffer, _: Rect, _: &DashboardState, _: Look<'_>) {}
}

impl OverlayPanel<DashboardState> for Prompt {
    fn clone_box(&self) -> Box<dyn OverlayPanel<DashboardState>> {
        Box::new(self.clone())
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn edit_text(&mut self, request: InputRequest, state: &mut DashboardState) -> Vec<Effect> {
        self.0.edit(request);
        self.filter_by(self.0.input.value().to_string(), state);
        Vec::new()
    }

    fn typed_help(&self, state: &DashboardState) -> Vec<String> {
        self.0.purpose.typed_help(state)
    }

    fn typing_hints(&self) -> &'static str {
        match self.0.purpose {
            Purpose::FilterGpus(_)
            | Purpose::FilterRows(_)
            | Purpose::FilterBoard
            | Purpose::FilterGroups(_) => "Enter keeps the filter, Esc clears it",
            Purpose::Kernel => "Enter adds it, Esc closes",
            Purpose::Export(_) | Purpose::Page(_) | Purpose::Rows(_) => "Enter writes the file, Esc closes",
            Purpose::WhatIf(purpose) => purpose.typing_hints(),
            _ => "Enter sets it, Esc closes",
        }
    }

    fn typed_line(&self) -> Option<(String, &Input)> {
        Some((self.0.purpose.prompt_label(), &self.0.input))
    }
}

impl Prompt {
    /// A filter works while it is typed.
    fn filter_by(&self, text: String, state: &mut DashboardState) {
        match self.0.purpose {
            Purpose::FilterGpus(_) => {
                state.gpu_filter = text;
                state.arrange_gpus();
                // What fits best is what Enter takes.
                state.gpu_cursor = 0;
            }
            Purpose::FilterRows(_) => {
                state.row_filter = text;
                state.arrange();
            }
            Purpose::FilterBoard => state.ranked.filter = text,
            Purpose::FilterGroups(_) => {
                state.application.filter = text;
                state.application.arrange_groups();
            }
            Purpose::Kernel => {
                let (tone, read) = new_kernel::chips(state, &text);
                state.say(tone, read);
            }
            _ => {}
        }
    }

    /// What the cursor stood on before a filter was typed.
    fn restore_cursor(&self, state: &mut DashboardState) {
        match &self.0.purpose {
            Purpose::FilterGpus(Some(under)) => {
                state.gpu_cursor = state.gpus.iter().position(|gpu| gpu == under).unwrap_or(0);
            }
            Purpose::FilterRows(selected) => {
                let row = state.rows.iter().position(|row| is_same_size(row, selected));
                state.select_row(row.unwrap_or(state.selected));
            }
            Purpose::FilterGroups(cursor) => state.application.cursor = *cursor,
            _ => {}
        }
    }

    /// Enter.
    fn accept_line(&self, state: &mut DashboardState) -> Reaction {
        let done = self.follow_line(self.0.input.value().trim(), state);
        if done.is_ok() && self.0.purpose.is_of_kernel() {
            state.say_unseen_kernel();
        }
        done.map_or_else(|why| Reaction::Done(state.say(Tone::Refused, why)), Reaction::Close)
    }

    /// Does what the line says.
    ///
    /// # Errors
    /// Why it cannot be followed, and what was expected.
    fn follow_line(&self, text: &str, state: &mut DashboardState) -> Result<Vec<Effect>, String> {
        match &self.0.purpose {
            // It works already; a choice that was asked for is made.
            Purpose::FilterGpus(_) => {
                state.ranked.check_filter(text, &state.session)?;
                if let Some(choosing) = state.choosing {
                    choose_gpu(state, choosing.action);
                }
                Ok(Vec::new())
            }
            Purpose::FilterRows(_) | Purpose::FilterGroups(_) => Ok(Vec::new()),
            Purpose::FilterBoard => state.ranked.check_filter(text, &state.session).map(|()| Vec::new()),
            Purpose::Kernel => new_kernel::add_kernel(state, text),
            Purpose::Price(gpu) => price::set_price(state, *gpu, text),
            Purpose::Size => {
                let kernel = state.rows[state.selected].kernel;
                let problem = state.session.typed_size(kernel, text).map_err(|e| e.to_string())?;
                Ok(state.set_size(&problem))
            }
            Purpose::Block => set_block(state, text),
            Purpose::SourceClocks => set_source_clocks(state, text),
            Purpose::TargetClocks => set_target_clocks(state, text),
            Purpose::WhatIf(purpose) => purpose.follow_line(text, state),
            Purpose::Export(_) | Purpose::Page(_) | Purpose::Rows(_) if text.is_empty() => {
                Err("type a file name, or Esc".into())
            }
            Purpose::Rows(rows) => {
                has_end(text, "csv", "measured rows are written as CSV")?;
                Ok(vec![Effect::WriteRows { path: text.into(), rows: rows.clone() }])
            }
            Purpose::Page(page) => Ok(vec![Effect::WritePage { path: text.into(), page: page.clone() }]),
            Purpose::Export(spec) => {
                has_end(text, "svg", "pictures are drawn as SVG")?;
                let theme = if state.theme().name == "dark" { SvgTheme::Dark } else { SvgTheme::Light };
                Ok(vec![Effect::Export { path: text.into(), spec: spec.clone(), theme }])
            }
        }
    }
}

/// Whether a file's name promises what is written into it; a name without an end promises nothing.
///
/// # Errors
/// The name that does.
fn has_end(name: &str, end: &str, what: &str) -> Result<(), String> {
    let path = Path::new(name);
    match path.extension() {
        Some(other) if !other.eq_ignore_ascii_case(end) => {
            Err(format!("{name}: {what}: write {}", path.with_extension(end).display()))
        }
        _ => Ok(()),
    }
}
