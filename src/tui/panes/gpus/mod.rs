//! The catalogue of GPUs: a list in which source and targets are chosen.

mod view;

use super::roofline::offer_roofline;
use crate::tui::action::Action;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::pane::{ChartOffer, Panel, Reaction, lines_moved};
use crate::tui::state::{State, Tone};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use view::{draw_gpus, gpus_in, has_heading};

/// The pane.
#[derive(Debug)]
pub struct GpusPane;

impl Panel<State> for GpusPane {
    fn context(&self) -> &'static str {
        Pane::Gpus.place()
    }

    fn handle_action(&mut self, action: Action, state: &mut State) -> Reaction {
        match action {
            Action::Pick => choose_gpu(state, Action::SetTarget),
            Action::SetSource | Action::SetTarget | Action::AddTarget => choose_gpu(state, action),
            other => match lines_moved(other, state.focused_lines()) {
                Some(by) => state.move_gpu(by),
                None => return Reaction::Passed,
            },
        }
        Reaction::Done(Vec::new())
    }

    fn draw(&self, buffer: &mut Buffer, area: Rect, state: &State, look: Look<'_>) {
        draw_gpus(buffer, area, state, look);
    }

    fn export(&self, state: &State) -> ChartOffer {
        offer_roofline(state)
    }

    fn click_line(&mut self, line: usize, area: Rect, state: &mut State) {
        let line = line.saturating_sub(usize::from(has_heading(area)));
        let place = page_start(state.gpu_cursor, gpus_in(area)) + line;
        if place < state.gpus.len() {
            state.gpu_cursor = place;
        }
    }

    fn scroll_lines(&mut self, by: isize, state: &mut State) {
        state.move_gpu(by);
    }
}

/// Makes the GPU under the cursor the source or a target.
fn choose_gpu(state: &mut State, action: Action) {
    let mut next = state.selection.clone();
    let Some(under) = state.gpus.get(state.gpu_cursor).copied() else {
        state.say(Tone::Refused, "no GPU matches the filter: Esc clears it");
        return;
    };
    match action {
        Action::SetSource => next.source = under,
        Action::SetTarget => {
            next.targets.retain(|t| *t != under);
            match next.targets.first_mut() {
                Some(main) if state.selection.targets[0] != under => *main = under,
                _ => next.targets.insert(0, under),
            }
        }
        // The main target stays; a further one comes or goes.
        _ if next.targets[0] == under => {
            state.say(Tone::Refused, "this GPU is the main target already: choose another one");
            return;
        }
        _ if next.targets.contains(&under) => next.targets.retain(|t| *t != under),
        _ => next.targets.push(under),
    }
    state.reselect(next);
}
