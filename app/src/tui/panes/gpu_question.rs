//! A report or trace that names no GPU: which one was it? The candidates are those that its compute capability leaves.
//!
//! ```text
//! ┏ Which GPU was profile.csv measured on? (compute capability 8.6) ┓
//! ┃ filter: 30_                                                      ┃
//! ┃ RTX 3090                                                     8.6 ┃
//! ┗ Enter reads the file, Esc leaves it ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use super::typing_list::{TypedChoice, TypingList, TypingSheet};
use crate::gpu::GpuId;
use crate::tui::action::Action;
use crate::tui::filter::Filter;
use crate::tui::jobs::WorkerJob;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{Hint, Panel, Reaction};
use crate::tui::state::{DashboardState, Tone};
use crate::tui::text::{clipped_text, pad_right};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What becomes of the GPU that is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChosenFor {
    /// The file is read again, as one of this GPU.
    Report,
    /// The program that was read ran on it.
    Application,
}

/// The open question.
#[derive(Debug, Clone)]
pub struct GpuQuestion {
    path: PathBuf,
    chosen_for: ChosenFor,
    capabilities: BTreeSet<String>,
    choice: TypedChoice,
}

impl GpuQuestion {
    /// Asks for the GPU of this file, whose rows state these compute capabilities.
    #[must_use]
    pub fn of_file(path: PathBuf, capabilities: BTreeSet<String>) -> Self {
        Self { path, chosen_for: ChosenFor::Report, capabilities, choice: TypedChoice::default() }
    }

    /// Asks for the GPU of the program whose trace this is.
    #[must_use]
    pub fn of_application(path: PathBuf) -> Self {
        Self { chosen_for: ChosenFor::Application, ..Self::of_file(path, BTreeSet::new()) }
    }

    /// The GPUs that it may be and that fit what is typed, the best first.
    fn candidates(&self, state: &DashboardState) -> Vec<GpuId> {
        let all = state.session.gpus.with_ids();
        let fits =
            |capability: String| self.capabilities.is_empty() || self.capabilities.contains(&capability);
        let left = all.filter(|(_, gpu)| fits(gpu.cuda.compute_capability.to_string()));
        let texts = left.map(|(id, gpu)| (id, vec![gpu.id.clone(), gpu.name.clone()]));
        Filter::new(self.choice.input.value()).ranked(texts)
    }

    /// Enter: the file is one of this GPU.
    fn take_chosen(&self, state: &mut DashboardState) -> Reaction {
        let Some(gpu) = self.candidates(state).get(self.choice.cursor).copied() else {
            let why = "no GPU of this compute capability has this name; Backspace widens the filter";
            return Reaction::Done(state.say(Tone::Refused, why));
        };
        if self.chosen_for == ChosenFor::Application {
            state.application.take_gpu(gpu);
            state.start_from(gpu);
            state.predict_all();
            return Reaction::Close(Vec::new());
        }
        let gpu = state.session.gpus[gpu].id.clone();
        state.jobs.start_job(WorkerJob::Read, format!("reading {} …", self.path.display()));
        let (session, path) = (state.session.clone(), self.path.clone());
        Reaction::Close(vec![Effect::Import { session, path, gpu: Some(gpu) }])
    }
}

impl Panel<DashboardState> for GpuQuestion {
    fn key_context(&self) -> &'static str {
        "files"
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => self.take_chosen(state),
            Action::Cancel => {
                let file = self.path.display();
                let what = match self.chosen_for {
                    ChosenFor::Report => "read",
                    ChosenFor::Application => "predicted",
                };
                let why = format!("{file} was not {what}: it names no GPU, and none was chosen");
                Reaction::Close(state.say(Tone::Refused, why))
            }
            other => self.move_by_action(other, state),
        }
    }

    fn draw_pane(&self, buffer: &mut Buffer, body: Rect, state: &DashboardState, look: Look<'_>) {
        let found = self.candidates(state);
        let name = self.path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let stated: Vec<&str> = self.capabilities.iter().map(String::as_str).collect();
        let stated = match stated.as_slice() {
            [] => String::new(),
            some => format!(" (compute capability {})", some.join(", ")),
        };
        let title = format!("Which GPU was {} measured on?{stated}", crate::text::harmless_line(&name));
        let list = TypingList {
            title: &title,
            foot: match self.chosen_for {
                ChosenFor::Report => " Enter reads the file, Esc leaves it ",
                ChosenFor::Application => " Enter predicts the application, Esc leaves it ",
            },
            label: "filter: ",
            typed: self.choice.input.value(),
            count: found.len(),
            cursor: self.choice.cursor,
            remark: None,
        };
        let entry = |at: usize, width: usize| {
            let gpu = &state.session.gpus[found[at]];
            let width = width.saturating_sub(6);
            let name = pad_right(&clipped_text(gpu.short_name(), width), width);
            format!("{name}{:>5}", gpu.cuda.compute_capability)
        };
        list.draw(buffer, body, 76, entry, look);
    }

    fn hints(&self, _: &DashboardState) -> Vec<Hint> {
        let text = match self.chosen_for {
            ChosenFor::Report => "read the file",
            ChosenFor::Application => "predict the application",
        };
        vec![Hint { actions: &[Action::Pick], text }]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        self.move_cursor(by, state);
    }
}

impl TypingSheet for GpuQuestion {
    fn typed_choice(&mut self) -> &mut TypedChoice {
        &mut self.choice
    }

    fn typing_words(&self) -> Vec<String> {
        vec!["letters of the GPU's name or id".into()]
    }

    fn entry_count(&self, state: &DashboardState) -> usize {
        self.candidates(state).len()
    }
}
