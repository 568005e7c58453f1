//! How the models are measured from here.

use crate::evaluate::EvaluationSetup;
use crate::tui::state::DashboardState;

/// Everything loaded, by the protocol and settings in use; what was learned already is not learned again.
#[must_use]
pub fn evaluation_setup(state: &DashboardState) -> EvaluationSetup {
    let settings = state.selection.settings;
    EvaluationSetup {
        protocol: state.protocol,
        ceilings: settings.ceilings,
        rules: settings.rules,
        shipped: Some(state.session.calibration().shipped()),
        lessons: state.session.lessons_for(state.protocol),
        forgets_doubts: true,
        ..EvaluationSetup::default()
    }
}
