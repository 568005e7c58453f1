//! The selected prediction, factor by factor.

pub mod components;
mod view;

use super::text_sheet::SheetText;
use crate::predict::MODELS;
use crate::tui::action::Action;
use crate::tui::pane::ChartOffer;
use crate::tui::state::State;
use components::components_of;
use view::explain_lines;

/// The explanation.
pub static EXPLAIN: SheetText = SheetText {
    context: "explain",
    opened_by: Action::Explain,
    title: State::question_title,
    lines: explain_lines,
    export: offer_components,
    exports: |state| components_of(state).map(|_| "the components"),
    compares_models: false,
};

fn offer_components(state: &State) -> ChartOffer {
    let Some((_, spec)) = components_of(state) else {
        let model = MODELS[state.selection.settings.model].id();
        let key = state.key_for(Action::ModelNext);
        return ChartOffer::Refused(format!("{model} has no component times here; {key} changes the model"));
    };
    let name = state.chart_name(&format!("components-{}", state.kernel().label));
    ChartOffer::Chart(name, Box::new(spec))
}
