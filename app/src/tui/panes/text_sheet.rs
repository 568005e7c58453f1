//! Sheets of text over the panes, and panes of text: their titles and lines come from their own files, scrolling and closing
//! are the same for all.

use super::frame::{draw_lines, pane_frame, sheet};
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::pane::{Hint, OverlayPanel, Panel, Reaction};
use crate::tui::scroll::ScrollTop;
use crate::tui::state::DashboardState;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::Line;

/// What a sheet shows.
#[derive(Debug)]
pub struct SheetText {
    /// Its context in keymaps.
    pub context: &'static str,
    /// What the help over it is called after.
    pub name: &'static str,
    /// The action that opens it.
    pub opened_by: Action,
    /// Its title.
    pub title: fn(&DashboardState) -> String,
    /// Its lines at this width.
    pub lines: fn(&DashboardState, usize, Look<'_>) -> Vec<Line<'static>>,
    /// Whether every model's error is among its lines.
    pub compares_models: bool,
}

/// An open sheet.
#[derive(Debug, Clone)]
pub struct TextSheet {
    text: &'static SheetText,
    scroll: ScrollTop,
}

impl TextSheet {
    /// A sheet from its first line on.
    #[must_use]
    pub fn of_sheet(text: &'static SheetText) -> Self {
        Self { text, scroll: ScrollTop::default() }
    }
}

impl Panel<DashboardState> for TextSheet {
    fn key_context(&self) -> &'static str {
        self.text.context
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        let page = state.lines_of_sheet();
        if self.scroll.scroll_action(action, page) { Reaction::Done(Vec::new()) } else { Reaction::Passed }
    }

    fn draw_pane(&self, buffer: &mut Buffer, body: Rect, state: &DashboardState, look: Look<'_>) {
        let width = usize::from(body.width.saturating_sub(4).min(116));
        let lines = (self.text.lines)(state, width, look);
        let height = (lines.len() as u16 + 2).min(body.height);
        let area = body.centered(Constraint::Length(width as u16 + 4), Constraint::Length(height));
        let page = usize::from(area.height.saturating_sub(2));
        let top = self.scroll.first_line(lines.len(), page);
        let more = self.scroll.range_shown(lines.len(), page);
        let more = more.map_or_else(String::new, |range| format!(" {range}  up, down scroll "));
        let title = (self.text.title)(state);
        let inside = sheet(buffer, area, &title, &format!("{more} Esc closes "), look);
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
        draw_lines(buffer, text, lines, top);
    }

    fn scroll_lines(&mut self, by: isize, _: &mut DashboardState) {
        self.scroll.scroll_by(by);
    }
}

impl OverlayPanel<DashboardState> for TextSheet {
    fn clone_box(&self) -> Box<dyn OverlayPanel<DashboardState>> {
        Box::new(self.clone())
    }

    fn name(&self) -> &'static str {
        self.text.name
    }

    fn opened_by(&self) -> Option<Action> {
        Some(self.text.opened_by)
    }

    fn compares_models(&self) -> bool {
        self.text.compares_models
    }
}

/// A pane that is nothing but text.
#[derive(Debug, Clone, Copy)]
pub struct TextPane {
    /// Which one.
    pub pane: Pane,
    /// What stands beside its title.
    pub beside: fn(&DashboardState) -> String,
    /// Its lines at this width.
    pub lines: fn(&DashboardState, usize, Look<'_>) -> Vec<Line<'static>>,
}

impl Panel<DashboardState> for TextPane {
    fn key_context(&self) -> &'static str {
        self.pane.pane_place()
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        let page = state.lines_of_pane(self.pane);
        let scrolled = state.scrolls[self.pane].scroll_action(action, page);
        if scrolled { Reaction::Done(Vec::new()) } else { Reaction::Passed }
    }

    fn refusal(&self, action: Action, _: &DashboardState) -> Option<String> {
        (action == Action::Export).then(|| "there is no chart here to export".into())
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        let inside = pane_frame(buffer, area, state, self.pane, &(self.beside)(state), look);
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let lines = (self.lines)(state, usize::from(text.width), look);
        let top = state.scrolls[self.pane].first_line(lines.len(), usize::from(text.height));
        draw_lines(buffer, text, lines, top);
    }

    fn hints(&self, state: &DashboardState) -> Vec<Hint> {
        let inside = state.areas().pane_area(self.pane).width.saturating_sub(4);
        let lines = (self.lines)(state, usize::from(inside), Look(state.theme()));
        let has_more = lines.len() > state.lines_of_pane(self.pane);
        let scroll = Hint { actions: &[Action::PageDown, Action::PageUp], text: "scroll" };
        let next = Hint { actions: &[Action::FocusNext], text: "next pane" };
        has_more.then_some(scroll).into_iter().chain([next]).collect()
    }

    fn scroll_lines(&mut self, by: isize, state: &mut DashboardState) {
        state.scrolls[self.pane].scroll_by(by);
    }
}
