//! Which view and pane is shown and focused.

use super::layout::{Arrangement, DashboardView, Pane};
use super::scroll::ScrollTop;
use super::state::DashboardState;

/// Below this size one pane has the screen.
const ROOM_FOR_FOUR: (u16, u16) = (64, 18);

impl DashboardState {
    /// Whether there is no room for more than one pane.
    #[must_use]
    pub fn is_cramped(&self) -> bool {
        self.size.0 < ROOM_FOR_FOUR.0 || self.size.1 < ROOM_FOR_FOUR.1
    }

    /// The pane that fills the screen, if one does: by choice, or because there is no room for four.
    #[must_use]
    pub fn zoomed(&self) -> Option<Pane> {
        (self.zoom || self.is_cramped()).then_some(self.focus)
    }

    /// Which panes are shown, and how.
    #[must_use]
    pub fn arrangement(&self) -> Arrangement {
        let zoomed = self.zoomed().is_some();
        let further = self.selection.targets.len() - 1;
        Arrangement { view: self.view, focus: self.focus, zoomed, explaining: self.explaining, further }
    }

    /// The panes of this view that are open, in the order of the Tab key.
    #[must_use]
    pub fn open_panes(&self) -> Vec<Pane> {
        let open = |pane: &Pane| *pane != Pane::Explanation || self.explaining;
        self.view.panes().iter().copied().filter(open).collect()
    }

    /// Focuses a pane of whichever view has it.
    pub(super) fn focus_pane(&mut self, pane: Pane) {
        let view = DashboardView::ALL.into_iter().find(|view| view.panes().contains(&pane));
        self.view = view.unwrap_or(self.view);
        self.focus = pane;
        self.focus_in[self.view as usize] = pane;
    }

    /// Opens a view with the pane that was focused in it last.
    pub(super) fn show_view(&mut self, view: DashboardView) {
        self.choosing = None;
        self.zoom = false;
        self.focus_pane(self.focus_in[view as usize]);
    }

    /// Leaves the choice of a GPU: the filter that served it goes, and the pane of before is focused.
    pub(super) fn end_choosing(&mut self) {
        let Some(choosing) = self.choosing.take() else { return };
        self.gpu_filter.clear();
        self.arrange_gpus();
        self.focus_pane(choosing.back);
        self.zoom = choosing.zoomed;
    }

    /// Whether the explanation is on the screen: it gives way to a focused pane that it would hide.
    #[must_use]
    pub fn shows_explanation(&self) -> bool {
        self.explaining && self.areas().pane_area(Pane::Explanation).area() > 0
    }

    /// Opens or closes the explanation. It has the focus only where it hides everything else.
    pub(super) fn toggle_explanation(&mut self) {
        self.explaining = !self.shows_explanation();
        self.focus_pane(if self.view == DashboardView::Swap && self.focus != Pane::Explanation {
            self.focus
        } else {
            Pane::Predictions
        });
        self.explain_scroll = ScrollTop::default();
        self.zoom &= !self.explaining;
        if self.explaining && !self.shows_explanation() {
            self.focus_pane(if self.is_cramped() { Pane::Explanation } else { Pane::Predictions });
        }
    }
}
