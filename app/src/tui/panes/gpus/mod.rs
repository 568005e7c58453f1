//! The catalogue of GPUs: a list in which source and targets are chosen.

mod view;

use super::roofline::offer_roofline;
use crate::gpu::GpuId;
use crate::tui::action::Action;
use crate::tui::layout::{Pane, page_start};
use crate::tui::look::Look;
use crate::tui::pane::{CellInside, ChartOffer, Hint, Panel, Reaction, lines_moved};
use crate::tui::state::{DashboardState, Tone};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use view::{draw_gpus, gpus_in, has_heading};

/// The pane.
#[derive(Debug)]
pub struct GpusPane;

impl Panel<DashboardState> for GpusPane {
    fn key_context(&self) -> &'static str {
        Pane::Gpus.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => {
                let asked = state.choosing.map_or(Action::SetTarget, |choosing| choosing.action);
                choose_gpu(state, asked);
            }
            Action::SetSource | Action::SetTarget | Action::AddTarget => choose_gpu(state, action),
            other => match lines_moved(other, state.focused_lines()) {
                Some(by) => state.move_gpu(by),
                None => return Reaction::Passed,
            },
        }
        Reaction::Done(Vec::new())
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        draw_gpus(buffer, area, state, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        offer_roofline(state)
    }

    fn click(&mut self, at: CellInside, area: Rect, state: &mut DashboardState) {
        let line = at.line.saturating_sub(usize::from(has_heading(area)));
        let place = page_start(state.gpu_cursor, gpus_in(area), state.gpus.len()) + line;
        if place < state.gpus.len() {
            state.gpu_cursor = place;
        }
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        let Some(choosing) = state.choosing else {
            return vec![
                Hint { actions: &[Action::Pick], text: "target" },
                Hint { actions: &[Action::SetSource], text: "source" },
                Hint { actions: &[Action::AddTarget], text: "add target" },
                Hint { actions: &[Action::Filter], text: "filter" },
            ];
        };
        let text = match choosing.action {
            Action::SetSource => "sets the source",
            Action::SetTarget => "sets the target",
            _ => "adds or drops a target",
        };
        vec![
            Hint { actions: &[Action::Pick], text },
            Hint { actions: &[Action::Cancel], text: "back" },
            Hint { actions: &[Action::Filter], text: "filter" },
        ]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        state.move_gpu(by);
    }
}

/// Makes the GPU under the cursor the source or a target; a choice that was asked for is made then.
pub fn choose_gpu(state: &mut DashboardState, action: Action) {
    let Some(under) = state.gpus.get(state.gpu_cursor).copied() else {
        state.say(Tone::Refused, "no GPU matches the filter: Esc clears it");
        return;
    };
    put_gpu(state, under, action);
    state.end_choosing();
    state.gpu_cursor = state.gpus.iter().position(|gpu| *gpu == under).unwrap_or(state.gpu_cursor);
}

/// Makes a GPU the source (`SetSource`), the main target (`SetTarget`), or a further target, or drops it.
pub fn put_gpu(state: &mut DashboardState, under: GpuId, action: Action) {
    let mut next = state.selection.clone();
    state.workload.chooses_source &= action != Action::SetSource;
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
