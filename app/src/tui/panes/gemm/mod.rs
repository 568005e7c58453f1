//! A matrix product on the target, tile by tile.

pub mod product;
mod tiles;
mod view;

use crate::tui::action::Action;
use crate::tui::look::Look;
use crate::tui::message::Effect;
use crate::tui::pane::{ChartOffer, Hint, OverlayPanel, Panel, Reaction};
use crate::tui::scroll::ScrollTop;
use crate::tui::state::DashboardState;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tiles::{tile_answers, tiles_chart};
use view::draw_gemm;

/// The open pane; the product itself is remembered while it is closed.
#[derive(Debug, Clone, Default)]
pub struct GemmSheet {
    scroll: ScrollTop,
}

/// Opens it at the size of the selected kernel, where that is a product.
pub(super) fn open_gemm(state: &mut DashboardState) -> Vec<Effect> {
    state.gemm.open_at(&state.rows[state.selected].problem);
    state.open_overlay(GemmSheet::default())
}

impl Panel<DashboardState> for GemmSheet {
    fn key_context(&self) -> &'static str {
        "gemm"
    }

    fn handle_action(&mut self, action: Action, state: &mut DashboardState) -> Reaction {
        let eighth = |v: u64| (v / 8).max(1);
        match action {
            Action::SizeUp | Action::Up => state.gemm.step(|v| v.saturating_mul(2)),
            Action::SizeDown | Action::Down => state.gemm.step(|v| v / 2),
            Action::SizeFinerUp => state.gemm.step(|v| v + eighth(v)),
            Action::SizeFinerDown => state.gemm.step(|v| v - eighth(v)),
            Action::Left | Action::Right => state.gemm.choose(action == Action::Right),
            other if self.scroll.scroll_action(other, state.lines_of_sheet()) => {}
            _ => return Reaction::Passed,
        }
        Reaction::Done(Vec::new())
    }

    fn hints(&self, _: &DashboardState) -> Vec<Hint> {
        vec![
            Hint { actions: &[Action::SizeUp, Action::SizeDown], text: "double, halve" },
            Hint { actions: &[Action::SizeFinerUp, Action::SizeFinerDown], text: "an eighth" },
            Hint { actions: &[Action::Left, Action::Right], text: "m, n or k" },
            Hint { actions: &[Action::Export], text: "SVG" },
        ]
    }

    fn draw_pane(&self, buffer: &mut Buffer, body: Rect, state: &DashboardState, look: Look<'_>) {
        draw_gemm(buffer, body, state, self.scroll, look);
    }

    fn chart_offer(&self, state: &DashboardState) -> ChartOffer {
        let answers = tile_answers(state);
        if answers.iter().all(|a| a.time.is_err()) {
            return ChartOffer::Refused("no tile has a time here: nothing to draw".into());
        }
        let [m, n, k] = state.gemm.gemm.size;
        let name = format!("gemm-{m}x{n}x{k}-{}.svg", state.pair().target.id);
        ChartOffer::Chart(name, Box::new(tiles_chart(state, &answers)))
    }

    fn scroll_lines(&mut self, by: isize, _: &mut DashboardState) {
        self.scroll.scroll_by(by);
    }
}

impl OverlayPanel<DashboardState> for GemmSheet {
    fn clone_box(&self) -> Box<dyn OverlayPanel<DashboardState>> {
        Box::new(self.clone())
    }

    fn name(&self) -> &'static str {
        "GEMM"
    }

    fn opened_by(&self) -> Option<Action> {
        Some(Action::Gemm)
    }

    /// What the sheet shows the effect of, or the footer says; kernels, models and settings of the panes behind it are none of its own.
    fn lets_through(&self, action: Action) -> bool {
        matches!(action, Action::Swap | Action::Undo | Action::Theme)
    }
}
