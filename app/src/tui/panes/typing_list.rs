//! A sheet over the panes with a line that is typed and a list below it, from which one is chosen.

use super::files::listing::FolderListing;
use super::frame::sheet;
use crate::tui::action::Action;
use crate::tui::layout::page_start;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{OverlayPanel, Panel, Reaction, lines_moved};
use crate::tui::state::DashboardState;
use crate::tui::text::{LONGEST_TYPED, clipped_text, edit_line};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::fmt::Debug;
use tui_input::{Input, InputRequest};

/// Lines that a page key moves.
const PAGE: usize = 10;

/// Lines of the tallest sheet, and what its frame and the typed line take of them.
const MOST_LINES: u16 = 20;
const AROUND: u16 = 3;

/// What is typed, and the chosen one of the entries that fit it.
#[derive(Debug, Clone, Default)]
pub struct TypedChoice {
    pub(super) input: Input,
    pub(super) cursor: usize,
}

/// Such a sheet, over the panes.
pub trait TypingSheet: Panel<DashboardState> + Clone + Debug + Send + Sync + 'static {
    /// What is typed and chosen.
    fn typed_choice(&mut self) -> &mut TypedChoice;

    /// What may be typed, a sentence each.
    fn typing_words(&self) -> Vec<String>;

    /// How many entries fit it.
    fn entry_count(&self, state: &DashboardState) -> usize;

    /// A folder was listed; nothing if it could not be.
    fn take_files(&mut self, _listing: Option<&FolderListing>) {}

    /// Moves the cursor by so many entries.
    fn move_cursor(&mut self, by: isize, state: &DashboardState) {
        let last = self.entry_count(state).saturating_sub(1);
        let choice = self.typed_choice();
        choice.cursor = choice.cursor.saturating_add_signed(by).min(last);
    }

    /// An action that may move the cursor.
    fn move_by_action(&mut self, action: Action, state: &DashboardState) -> Reaction {
        let Some(by) = lines_moved(action, PAGE) else { return Reaction::Passed };
        self.move_cursor(by, state);
        Reaction::Done(Vec::new())
    }
}

impl<T: TypingSheet> OverlayPanel<DashboardState> for T {
    fn clone_box(&self) -> Box<dyn OverlayPanel<DashboardState>> {
        Box::new(self.clone())
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn typed_help(&self, _: &DashboardState) -> Vec<String> {
        self.typing_words()
    }

    fn edit_text(&mut self, request: InputRequest, _: &mut DashboardState) -> Vec<Effect> {
        let choice = self.typed_choice();
        choice.cursor = 0;
        edit_line(&mut choice.input, request, LONGEST_TYPED);
        Vec::new()
    }

    fn take_listing(&mut self, listing: Option<&FolderListing>) {
        self.take_files(listing);
    }
}

/// What such a sheet shows.
pub(super) struct TypingList<'a> {
    pub(super) title: &'a str,
    /// What its keys do.
    pub(super) foot: &'a str,
    /// Stands before the typed line.
    pub(super) label: &'static str,
    pub(super) typed: &'a str,
    /// How many entries there are, and which is chosen.
    pub(super) count: usize,
    pub(super) cursor: usize,
    /// Stands below the list, where there may be something to remark: then the sheet has its full height.
    pub(super) remark: Option<&'a str>,
}

impl TypingList<'_> {
    /// Draws it in the middle of this area, at most so many columns wide; an entry is asked for with the columns that it has.
    pub(super) fn draw(
        &self,
        buffer: &mut Buffer,
        body: Rect,
        most_columns: u16,
        entry: impl Fn(usize, usize) -> String,
        look: Look<'_>,
    ) {
        let most = body.height.min(MOST_LINES);
        let height = match self.remark {
            Some(_) => most,
            None => (self.count as u16).saturating_add(AROUND).clamp(4, most.max(4)),
        };
        let area =
            body.centered(Constraint::Length(body.width.min(most_columns)), Constraint::Length(height));
        let inside = sheet(buffer, area, self.title, self.foot, look);
        let below = usize::from(self.remark.is_some());
        let Some(page) = usize::from(inside.height).checked_sub(1 + below).filter(|page| *page > 0) else {
            return;
        };
        let width = usize::from(inside.width.saturating_sub(2));
        let line_at =
            |i: usize| Rect { x: inside.x + 1, y: inside.y + i as u16, width: width as u16, height: 1 };
        let typed = vec![
            Span::styled(self.label, look.key()),
            Span::raw(self.typed.to_string()),
            Span::styled("_", look.dim()),
        ];
        Line::from(typed).render(line_at(0), buffer);
        let start = page_start(self.cursor, page, self.count);
        for (line, at) in (start..self.count).take(page).enumerate() {
            let style = if at == self.cursor { look.selection() } else { look.text() };
            Line::styled(clipped_text(&entry(at, width), width), style).render(line_at(line + 1), buffer);
        }
        let remark = clipped_text(self.remark.unwrap_or_default(), width);
        if below > 0 {
            Line::styled(remark, look.caution()).render(line_at(page + 1), buffer);
        }
    }
}
