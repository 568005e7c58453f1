//! The file picker over the panes. What it lists and reads comes from the worker.

pub mod listing;
mod picker;
mod view;

use crate::tui::FolderListing;
use crate::tui::action::Action;
use crate::tui::jobs::WorkerJob;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{Hint, OverlayPanel, Panel, Reaction, lines_moved};
use crate::tui::state::{DashboardState, Tone};
use picker::{Choice, Picker};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::PathBuf;
use tui_input::InputRequest;
use view::draw_picker;

/// Lines that a page key moves.
const PAGE: usize = 10;

/// The open picker.
#[derive(Debug, Clone)]
pub struct FilesSheet(Picker);

/// Opens the picker; the list comes from the worker.
pub fn open_picker(state: &mut DashboardState) -> Vec<Effect> {
    let (picker, asked) = Picker::before_listing();
    state.open_overlay(FilesSheet(picker));
    vec![asked]
}

impl Panel<DashboardState> for FilesSheet {
    fn key_context(&self) -> &'static str {
        "files"
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Cancel => Reaction::Close(Vec::new()),
            Action::Pick => match self.0.choose() {
                Choice::Opened(effects) => Reaction::Done(effects),
                Choice::Nothing => {
                    let why = "nothing here has this name; Backspace widens the filter, a path is typed with its slashes";
                    Reaction::Done(state.say(Tone::Refused, why))
                }
                Choice::File(path) => read_file(state, path),
            },
            Action::FocusNext => Reaction::Done(self.0.complete()),
            other => match lines_moved(other, PAGE) {
                Some(by) => {
                    self.0.scroll(by);
                    Reaction::Done(Vec::new())
                }
                None => Reaction::Passed,
            },
        }
    }

    fn draw_pane(&self, buffer: &mut Buffer, body: Rect, _: &DashboardState, look: Look<'_>) {
        draw_picker(buffer, body, &self.0, look);
    }

    fn hints(&self, _: &DashboardState) -> Vec<Hint> {
        vec![Hint { actions: &[Action::Pick], text: "open" }]
    }

    fn scroll_lines(&mut self, by: isize, _: &mut DashboardState) {
        self.0.scroll(by);
    }
}

impl OverlayPanel<DashboardState> for FilesSheet {
    fn clone_box(&self) -> Box<dyn OverlayPanel<DashboardState>> {
        Box::new(self.clone())
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn typed_help(&self, _: &DashboardState) -> Vec<String> {
        let texts = ["letters of a file's name, or a path with its slashes", "Tab completes the chosen name"];
        texts.map(String::from).to_vec()
    }

    fn edit_text(&mut self, request: InputRequest, _: &mut DashboardState) -> Vec<Effect> {
        self.0.edit_filter(request)
    }

    fn take_listing(&mut self, listing: Option<&FolderListing>) {
        self.0.take_listing(listing);
    }
}

/// Has a file read, unless another one is being read.
fn read_file(state: &mut DashboardState, path: PathBuf) -> Reaction {
    if state.jobs.is_running(WorkerJob::Read) {
        let why = "another file is being read; Esc, then Esc again cancels it";
        return Reaction::Done(state.say(Tone::Refused, why));
    }
    state.jobs.start_job(WorkerJob::Read, format!("reading {} …", path.display()));
    let session = state.session.clone();
    Reaction::Close(vec![Effect::Import { session, path, gpu: None }])
}
