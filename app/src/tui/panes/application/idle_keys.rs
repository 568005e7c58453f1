//! Keys of the other views that mean nothing here, and why: none of them changes what this view does not show.

use super::findings::ApplicationFindings;
use crate::tui::action::Action;
use crate::tui::asked_about::none_loaded_text;
use crate::tui::state::DashboardState;

/// Why this action means nothing here; `None` where it means something.
pub(super) fn idle_key(action: Action, state: &DashboardState) -> Option<String> {
    let is_of_groups = matches!(action, Action::Filter | Action::SortNext | Action::SortReverse);
    let why = why_idle(action, state);
    if state.application.application.is_none() && (is_of_groups || why.is_some()) {
        return Some(none_loaded_text(state));
    }
    let why = why?;
    Some(format!("{} does nothing in this view: {why}", state.key_for(action)))
}

fn why_idle(action: Action, state: &DashboardState) -> Option<String> {
    let key = |action: Action| state.key_for(action);
    Some(match action {
        Action::SetSource if state.application.asks_source(state) => return None,
        Action::SetSource | Action::Swap | Action::AllSources => {
            format!("the source is the GPU that was recorded; {} sets the target", key(Action::SetTarget))
        }
        Action::SourceClocks => "times are those of the clocks at which they were recorded".into(),
        Action::SizeUp
        | Action::SizeDown
        | Action::SizeFinerUp
        | Action::SizeFinerDown
        | Action::TypeSize
        | Action::TypeBlock => "launches have the size and shape that were recorded".into(),
        Action::KernelNext | Action::KernelPrevious => {
            format!("{} and {} move among the groups", key(Action::Up), key(Action::Down))
        }
        Action::ModelNext | Action::ModelPrevious | Action::Ceilings | Action::Rules => {
            "a trace is predicted by the operator model or `components`, at sustained rates and exact occupancy".into()
        }
        Action::Explain | Action::Compare | Action::Levels | Action::MeasureHere => {
            format!("{} opens the group under the cursor in Swap, which does that", key(Action::Pick))
        }
        _ => return None,
    })
}

impl ApplicationFindings {
    /// Whether a person chooses the GPU that it ran on: its file does not name one that is known.
    pub(super) fn asks_source(&self, state: &DashboardState) -> bool {
        let application = self.application.as_ref().filter(|read| !read.is_amd());
        application.is_some_and(|read| state.session.gpus.id_named(&read.gpu_name).is_none())
    }
}
