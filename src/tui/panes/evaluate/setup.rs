//! How the models are measured from here.

use crate::evaluate::Setup;
use crate::tui::state::State;

/// Everything loaded, by the protocol and settings in use; what was learned already is not learned again.
#[must_use]
pub fn evaluation_setup(state: &State) -> Setup {
    let settings = state.selection.settings;
    Setup {
        protocol: state.protocol,
        ceilings: settings.ceilings,
        rules: settings.rules,
        shipped: Some(state.session.calibration().shipped()),
        lessons: state.session.lessons_for(state.protocol),
        ..Setup::default()
    }
}
