//! How far a text that does not fit is scrolled.

use super::action::Action;
use super::pane::lines_moved;

/// Lines that a page key moves.
const PAGE: usize = 10;
/// More lines than any text has; the view clamps to the text.
const MOST_LINES: usize = 10_000;

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
