//! How far a text that does not fit is scrolled.

use super::action::Action;
use super::layout::Pane;
use super::pane::lines_moved;
use std::ops::{Index, IndexMut};

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

    /// Moves it by a key, on pages of so many lines; whether the key was one that scrolls.
    pub fn scroll_action(&mut self, action: Action, page: usize) -> bool {
        let by = lines_moved(action, page);
        by.into_iter().for_each(|by| self.scroll_by(by));
        by.is_some()
    }

    /// `3-12/40`, the lines shown of all of them; nothing where all have room.
    #[must_use]
    pub fn range_shown(self, lines: usize, page: usize) -> Option<String> {
        let top = self.first_line(lines, page);
        (page > 0 && lines > page).then(|| format!("{}-{}/{lines}", top + 1, top + page))
    }

    /// The first line, where so many lines have room for so many.
    #[must_use]
    pub fn first_line(self, lines: usize, page: usize) -> usize {
        self.0.min(lines.saturating_sub(page))
    }
}

/// How far each pane is scrolled.
#[derive(Debug, Clone, Copy, Default)]
pub struct PaneScrolls([ScrollTop; Pane::ALL.len()]);

impl Index<Pane> for PaneScrolls {
    type Output = ScrollTop;

    fn index(&self, pane: Pane) -> &ScrollTop {
        &self.0[pane as usize]
    }
}

impl IndexMut<Pane> for PaneScrolls {
    fn index_mut(&mut self, pane: Pane) -> &mut ScrollTop {
        &mut self.0[pane as usize]
    }
}
