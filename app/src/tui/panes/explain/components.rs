//! The component times of the selected prediction, as the pane and the export draw them.

use crate::chart::{ChartSpec, component_chart};
use crate::predict::Explanation;
use crate::tui::state::DashboardState;

/// The selected prediction taken apart, and its component chart; `None` where the model knows no components.
#[must_use]
pub fn components_of(state: &DashboardState) -> Option<(Explanation, ChartSpec)> {
    let answer = state.answer();
    let e = answer.component_times()?;
    let spec = component_chart(state.pair(), state.kernel(), &state.size_of(state.selected), answer, &e);
    Some((e, spec))
}
