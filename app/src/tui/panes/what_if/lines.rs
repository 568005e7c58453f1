//! The lines of the list: numbers of the GPU, then those of the launch.

use crate::gpu::GpuNumber;
use crate::predict::LaunchNumber;
use crate::tui::state::DashboardState;

/// A line that can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhatIfLine {
    /// A number of the GPU.
    Number(GpuNumber),
    /// The problem size of the selected kernel.
    Size,
    /// A number of its launch.
    Launch(LaunchNumber),
    /// The element type of the selected kernel.
    Element,
}

/// The numbers that the edited GPU's base has.
pub fn numbers_of_base(state: &DashboardState) -> impl Iterator<Item = GpuNumber> + '_ {
    let base = &state.session.gpus[state.edited_gpu().base];
    GpuNumber::ALL.into_iter().filter(|number| base.number(*number).is_some())
}

/// Every line, from the top. The launch belongs to the selected kernel; an application has many.
pub fn what_if_lines(state: &DashboardState) -> Vec<WhatIfLine> {
    let mut lines: Vec<WhatIfLine> = numbers_of_base(state).map(WhatIfLine::Number).collect();
    if state.asks_of_kernel() {
        lines.push(WhatIfLine::Size);
        lines.push(WhatIfLine::Element);
        if state.answer().needs.target.is_some() {
            lines.extend(LaunchNumber::ALL.map(WhatIfLine::Launch));
        }
    }
    lines
}

/// The line under the cursor.
pub fn line_under_cursor(state: &DashboardState) -> WhatIfLine {
    let lines = what_if_lines(state);
    lines[state.what_if.cursor.min(lines.len() - 1)]
}

/// Moves the cursor.
pub fn move_cursor(state: &mut DashboardState, by: isize) {
    let last = what_if_lines(state).len() - 1;
    state.what_if.cursor = state.what_if.cursor.min(last).saturating_add_signed(by).min(last);
}
