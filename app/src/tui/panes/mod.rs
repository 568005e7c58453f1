//! One file or folder per pane, and per thing that lies over the panes: its state, its keys, how it draws itself and its
//! chart. A new one is a folder here, a line in one of the two tables, and a key in `assets/keymap.toml`.

pub(super) mod application;
pub(super) mod audit;
pub(super) mod compare;
pub(super) mod evaluate;
pub(super) mod explain;
pub(super) mod files;
pub(super) mod footer;
mod frame;
pub(super) mod gemm;
pub(super) mod gpu_question;
pub(super) mod gpus;
pub(super) mod header;
pub(super) mod help;
pub(super) mod models;
pub(super) mod notices;
pub(super) mod occupancy;
pub(super) mod palette;
pub(super) mod predictions;
pub(super) mod prompt;
pub(super) mod ranking;
pub(super) mod roofline;
pub(super) mod text_sheet;
mod typing_list;
pub(super) mod what_if;

use super::action::Action;
use super::layout::Pane;
use super::message::Effect;
use super::pane::Panel;
use super::state::DashboardState;
use application::ApplicationPane;
use audit::AUDIT;
use evaluate::ErrorsPane;
use explain::ExplanationPane;
use gpus::GpusPane;
use models::ModelsPane;
use notices::NOTES;
use occupancy::OccupancyPane;
use palette::open_palette;
use predictions::PredictionsPane;
use ranking::RankingPane;
use roofline::RooflinePane;
use text_sheet::TextSheet;
use what_if::WhatIfPane;

/// The panes.
pub(super) fn main_panel(pane: Pane) -> Box<dyn Panel<DashboardState>> {
    match pane {
        Pane::Gpus => Box::new(GpusPane),
        Pane::Roofline => Box::new(RooflinePane),
        Pane::Occupancy => Box::new(OccupancyPane),
        Pane::Predictions => Box::new(PredictionsPane),
        Pane::Explanation => Box::new(ExplanationPane),
        Pane::Ranking => Box::new(RankingPane),
        Pane::WhatIf => Box::new(WhatIfPane),
        Pane::Application => Box::new(ApplicationPane),
        Pane::Models => Box::new(ModelsPane),
        Pane::Errors => Box::new(ErrorsPane),
        Pane::Audit => Box::new(AUDIT),
        Pane::Notes => Box::new(NOTES),
    }
}

/// Why an action means nothing in the focused pane; `None` where it means something.
pub(super) fn refusal_here(action: Action, state: &DashboardState) -> Option<String> {
    let is_among_panes = matches!(action, Action::Zoom | Action::FocusNext | Action::FocusPrevious);
    if is_among_panes && state.view.panes().len() == 1 {
        return Some(format!("{} does nothing in this view: it has one pane", state.key_for(action)));
    }
    main_panel(state.focus).refusal(action, state)
}

/// What an action opens over the panes; `None` where it opens nothing.
pub(super) fn open_for(action: Action, state: &mut DashboardState) -> Option<Vec<Effect>> {
    Some(match action {
        Action::Help => state.open_overlay(TextSheet::of_sheet(&help::HELP)),
        Action::Compare => state.open_overlay(TextSheet::of_sheet(&compare::COMPARE)),
        Action::Palette => open_palette(state),
        Action::Gemm => gemm::open_gemm(state),
        Action::Import => files::open_picker(state),
        Action::Filter => prompt::ask_filter(state),
        Action::TypeSize => prompt::ask_size(state),
        Action::NewKernel => prompt::ask_kernel(state),
        Action::Price => prompt::ask_price(state),
        Action::TypeBlock => prompt::ask_block(state),
        Action::TargetClocks => prompt::ask_target_clocks(state),
        Action::SourceClocks => prompt::ask_source_clocks(state),
        _ => return None,
    })
}
