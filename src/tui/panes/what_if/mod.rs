//! The WhatIf view: so far a line of what it will hold.

use super::frame::{draw_lines, pane_frame};
use crate::tui::action::Action;
use crate::tui::layout::Pane;
use crate::tui::look::Look;
use crate::tui::pane::{Panel, Reaction};
use crate::tui::state::DashboardState;
use crate::tui::text::paragraph;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// What stands here until the view is built.
const PLANNED: &str = "Not built yet. The numbers of a GPU and of a launch, to be changed; what each does to the time; how much is needed.";

/// The pane.
#[derive(Debug)]
pub struct WhatIfPane;

impl Panel<DashboardState> for WhatIfPane {
    fn key_context(&self) -> &'static str {
        Pane::WhatIf.pane_place()
    }

    fn handle_action(&mut self, _: Action, _: &mut DashboardState) -> Reaction {
        Reaction::Passed
    }

    fn draw_pane(&self, buffer: &mut Buffer, area: Rect, state: &DashboardState, look: Look<'_>) {
        let inside = pane_frame(buffer, area, state, Pane::WhatIf, "", look);
        let text = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        draw_lines(buffer, text, paragraph(PLANNED, usize::from(text.width), look.dim()), 0);
    }
}
