//! The selected prediction, factor by factor: a pane that stays open and follows kernel, size and GPU.

pub mod components;
mod view;

use super::frame::{draw_lines, pane_frame};
use crate::predict::MODELS;
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::pane::{ChartOffer, Hint, Panel, Reaction};
use crate::tui::state::DashboardState;
use crate::tui::text::clipped_text;
use components::components_of;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;
use view::explain_lines;

/// The pane.
#[derive(Debug)]
pub struct ExplanationPane;

impl Panel<DashboardState> for ExplanationPane {
    fn key_context(&self) -> &'static str {
        Pane::Explanation.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        match action {
            Action::Pick => Reaction::Run(Action::Explain),
            other => {
                let page = state.lines_of_pane(Pane::Explanation);
                let is_scroll = state.explain_scroll.scroll_action(other, page);
                if is_scroll { Reaction::Done(Vec::new()) } else { Reaction::Passed }
            }
        }
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        let width = usize::from(area.width.saturating_sub(4));
        let lines = explain_lines(state, width, look);
        let page = usize::from(area.height.saturating_sub(2));
        let top = state.explain_scroll.first_line(lines.len(), page);
        let more = state.explain_scroll.range_shown(lines.len(), page);
        let more = more.map_or_else(String::new, |range| format!(" ─ {range}"));
        // What says that there is more is never cut.
        let room = width.saturating_sub(Pane::Explanation.title().width() + 3 + more.width());
        let beside = format!("{}{more}", clipped_text(&state.question_title(), room));
        let inside = pane_frame(buffer, area, state, Pane::Explanation, &beside, look);
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
        draw_lines(buffer, text, lines, top);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        let Some((_, spec)) = components_of(state) else {
            let model = MODELS[state.selection.settings.model].id();
            let key = state.key_for(Action::ModelNext);
            let why = format!("{model} has no component times here; {key} changes the model");
            return ChartOffer::Refused(why);
        };
        let name = state.chart_name(&format!("components-{}", state.kernel().label()));
        ChartOffer::Chart(name, Box::new(spec))
    }

    fn hints(&self, _: &DashboardState) -> Vec<Hint> {
        vec![
            Hint { actions: &[Action::Pick], text: "close" },
            Hint { actions: &[Action::ScrollDown, Action::ScrollUp], text: "scroll" },
            Hint { actions: &[Action::Export], text: "export the components" },
        ]
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        state.explain_scroll.scroll_by(by);
    }
}
