//! What is typed in the view: values, goals, names of scenarios, ids of GPUs to save.

use super::asking::show_solution;
use super::editing::{type_element, type_launch_value, type_number};
use super::scenarios::keep_scenario;
use crate::gpu::GpuNumber;
use crate::predict::LaunchNumber;
use crate::tui::message::Effect;
use crate::tui::state::DashboardState;
use crate::units::typed_seconds;
use crate::whatif::GpuToSave;

/// What a typed line of the view is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhatIfPurpose {
    /// Set a number of the GPU.
    Number(GpuNumber),
    /// Set a number of the launch.
    Launch(LaunchNumber),
    /// Set the element type.
    Element,
    /// Find the value of this number that makes a time.
    Goal(GpuNumber),
    /// Keep the changes under a name.
    Scenario,
    /// Save the changed GPU under an id.
    GpuFile,
}

impl WhatIfPurpose {
    /// The words before the line.
    #[must_use]
    pub fn prompt_label(self) -> String {
        match self {
            Self::Number(number) => match number.unit() {
                "" => format!("{}: ", number.title()),
                unit => format!("{}, {unit}: ", number.title()),
            },
            Self::Launch(number) => format!("{}: ", number.title_with_unit()),
            Self::Element => "element type: ".into(),
            Self::Goal(_) => "goal, a time: ".into(),
            Self::Scenario => "keep as: ".into(),
            Self::GpuFile => "save GPU as: ".into(),
        }
    }

    /// What may be typed, a sentence each.
    #[must_use]
    pub fn typed_help(self) -> Vec<String> {
        vec![match self {
            Self::Number(number) => format!("{}: {}", number.title(), number.example()),
            Self::Launch(number) => format!("{}: a value, or +20%, -20%, x1.5", number.title_with_unit()),
            Self::Element => "the element type, such as fp32, fp16 or bf16".into(),
            Self::Goal(number) => format!(
                "the time to reach by {}, such as 1.5ms or 80us; empty for the time on the source",
                number.title()
            ),
            Self::Scenario => "the name under which the changes are kept, such as A".into(),
            Self::GpuFile => {
                "the id of the changed GPU, such as my-gpu; it is saved in the folder `gpus`".into()
            }
        }]
    }

    /// What may be pressed while it is typed.
    #[must_use]
    pub fn typing_hints(self) -> &'static str {
        match self {
            Self::Number(_) | Self::Launch(_) | Self::Element => "Enter sets it, Esc closes",
            Self::Goal(_) => "Enter finds it, Esc closes",
            Self::Scenario => "Enter keeps it, Esc closes",
            Self::GpuFile => "Enter writes the file, Esc closes",
        }
    }

    /// Does what the line says.
    ///
    /// # Errors
    /// Why it cannot be followed, and what was expected.
    pub fn follow_line(self, text: &str, state: &mut DashboardState) -> Result<Vec<Effect>, String> {
        match self {
            Self::Number(number) => type_number(state, number, text),
            Self::Launch(number) => type_launch_value(state, number, text),
            Self::Element => type_element(state, text),
            Self::Goal(number) => solve_for(state, number, text),
            Self::Scenario => keep_scenario(state, text),
            Self::GpuFile => save_gpu(state, text),
        }
    }
}

/// Finds the value, and says it; it is offered when a value is typed next.
fn solve_for(state: &mut DashboardState, number: GpuNumber, text: &str) -> Result<Vec<Effect>, String> {
    let goal = match text {
        "" if state.answer().source_time.is_none() && state.asks_of_kernel() => {
            return Err(format!(
                "no time is known on {}: type a goal, such as 1.5ms",
                state.pair().source.short_name()
            ));
        }
        "" => None,
        typed => {
            let time = typed_seconds(typed).filter(|time| time.0 > 0.0);
            Some(time.ok_or_else(|| {
                let shown = crate::text::harmless_line(&crate::text::clipped_text(typed, 40));
                format!("`{shown}`: expected a time such as 1.5ms or 80us; empty for that of the source")
            })?)
        }
    };
    if !state.asks_of_kernel() {
        return state.ask_worker_goal(number, goal);
    }
    let solution = state.solve_number(number, goal)?;
    Ok(show_solution(state, solution, goal))
}

/// Asks the worker to save the changed GPU.
fn save_gpu(state: &mut DashboardState, id: &str) -> Result<Vec<Effect>, String> {
    let edited = state.edited_gpu();
    let base = &state.session.gpus[edited.base];
    let to_save = GpuToSave::new(&state.session.gpus, base, &edited.changes, id);
    Ok(vec![Effect::SaveGpu(Box::new(to_save.map_err(|e| e.to_string())?))])
}
