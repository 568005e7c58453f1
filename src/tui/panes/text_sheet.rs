//! Sheets of text over the panes: their title and lines come from the pane's own file, scrolling and closing are the same
//! for all.

use super::frame::{draw_lines, sheet};
use crate::tui::action::Action;
use crate::tui::look::Look;
use crate::tui::pane::{ChartOffer, OverlayPanel, Panel, Reaction, lines_moved};
use crate::tui::state::State;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::Line;

/// Lines that a page key moves.
const PAGE: usize = 10;
/// More lines than any text here has; the view clamps to the text.
const MOST_LINES: usize = 10_000;

/// What a sheet shows.
#[derive(Debug)]
pub struct SheetText {
    /// Its context in keymaps.
    pub context: &'static str,
    /// The action that opens it.
    pub opened_by: Action,
    /// Its title.
    pub title: fn(&State) -> String,
    /// Its lines at this width.
    pub lines: fn(&State, usize, Look<'_>) -> Vec<Line<'static>>,
    /// Its chart.
    pub export: fn(&State) -> ChartOffer,
    /// What the export key would draw, for the foot; nothing where there is no chart now.
    pub exports: fn(&State) -> Option<&'static str>,
    /// Whether every model's error is among its lines.
    pub compares_models: bool,
}

/// For sheets without a chart.
pub fn no_chart(_: &State) -> ChartOffer {
    ChartOffer::Nothing
}

/// For sheets whose foot names no export.
pub fn no_export_hint(_: &State) -> Option<&'static str> {
    None
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

/// The first line shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScrollTop(usize);

impl ScrollTop {
    /// Moves it.
    pub fn scroll_by(&mut self, by: isize) {
        self.0 = self.0.saturating_add_signed(by).min(MOST_LINES);
    }

    /// Moves it by a key; whether the key was one that scrolls.
    pub fn scroll_action(&mut self, action: Action) -> bool {
        let by = lines_moved(action, PAGE);
        by.into_iter().for_each(|by| self.scroll_by(by));
        by.is_some()
    }

    /// The first line, where so many lines have room for so many.
    #[must_use]
    pub fn first_line(self, lines: usize, page: usize) -> usize {
        self.0.min(lines.saturating_sub(page))
    }
}

impl Panel<State> for TextSheet {
    fn context(&self) -> &'static str {
        self.text.context
    }

    fn handle_action(&mut self, action: Action, _: &mut State) -> Reaction {
        if self.scroll.scroll_action(action) { Reaction::Done(Vec::new()) } else { Reaction::Passed }
    }

    fn draw(&self, buffer: &mut Buffer, body: Rect, state: &State, look: Look<'_>) {
        let width = usize::from(body.width.saturating_sub(4).min(116));
        let lines = (self.text.lines)(state, width, look);
        let height = (lines.len() as u16 + 2).min(body.height);
        let area = body.centered(Constraint::Length(width as u16 + 4), Constraint::Length(height));
        let page = usize::from(area.height.saturating_sub(2));
        let top = self.scroll.first_line(lines.len(), page);
        let more = if lines.len() > page {
            format!(" {}-{}/{}  up, down scroll ", top + 1, top + page, lines.len())
        } else {
            String::new()
        };
        let export = match ((self.text.exports)(state), state.keymap.key_of(Action::Export.id())) {
            (Some(what), Some(key)) => format!(" {key} exports {what} "),
            _ => String::new(),
        };
        let title = (self.text.title)(state);
        let inside = sheet(buffer, area, &title, &format!("{more}{export} Esc closes "), look);
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
        draw_lines(buffer, text, lines, top);
    }

    fn export(&self, state: &State) -> ChartOffer {
        (self.text.export)(state)
    }

    fn scroll_lines(&mut self, by: isize, _: &mut State) {
        self.scroll.scroll_by(by);
    }
}

impl OverlayPanel<State> for TextSheet {
    fn clone_box(&self) -> Box<dyn OverlayPanel<State>> {
        Box::new(self.clone())
    }

    fn opened_by(&self) -> Option<Action> {
        Some(self.text.opened_by)
    }

    fn compares_models(&self) -> bool {
        self.text.compares_models
    }
}
