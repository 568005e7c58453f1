//! What the view knows beside the edited GPU, which is part of what is asked everywhere: where the cursor stands, what was found.

use super::scenario_names::first_free_name;
use crate::answer::LaunchOnGpu;
use crate::gpu::GpuNumber;
use crate::session::EditedGpu;
use crate::tui::asked_workload::AskedApplication;
use crate::tui::ranked::RankedFor;
use crate::units::Seconds;
use crate::whatif::{NamedChanges, ScenarioPage, Solution, WhatIfAnswer};
use std::sync::Arc;

/// What stands beside the list, or instead of it where there is no room for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhatIfForm {
    /// The list alone; where there is room, the tornado beside it.
    #[default]
    List,
    /// Which numbers matter.
    Tornado,
    /// The time over two numbers.
    Contour,
    /// Kept scenarios side by side.
    Scenarios,
}

/// What the found numbers answer.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIfFor {
    pub(super) ranked: RankedFor,
    pub(super) edited: EditedGpu,
    pub(super) workload: AskedWorkload,
}

/// What runs on the edited GPU.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AskedWorkload {
    /// The selected kernel.
    Kernel,
    /// The mix that is loaded: its name, and how often mixes were loaded.
    Mix(String, u64),
    /// The application that is loaded.
    Application(AskedApplication),
}

/// What is found for one question.
#[derive(Debug, Clone)]
pub struct WhatIfFound {
    /// The time with its tornado, or why there is none.
    pub answer: Result<Arc<WhatIfAnswer>, String>,
    /// The launch on the edited GPU as it is, and as it is changed where it is; nothing where the threads per block are unknown.
    pub launches: Option<Vec<LaunchOnGpu>>,
    /// What a launch of the kernel costs on the base; nothing of a mix or an application.
    pub base_launch_overhead: Option<Seconds>,
    /// The time on the base at its own clocks and limit, where others were typed for it.
    pub stock_time: Option<Seconds>,
}

/// The view's part of the state.
#[derive(Debug, Clone, Default)]
pub struct WhatIfFindings {
    /// The line under the cursor.
    pub cursor: usize,
    /// What stands beside the list.
    pub form: WhatIfForm,
    /// Numbers marked for the chart of two, the first across.
    pub marked: Vec<GpuNumber>,
    /// Kept scenarios, in the order they were kept.
    pub kept: Vec<NamedChanges>,
    /// What was found for the question of `asked`; nothing while the worker looks for it.
    pub found: Option<WhatIfFound>,
    /// The value that was sought last, while the question stays the same.
    pub solution: Option<Solution>,
    /// The time that was typed for it; nothing where that of the source was sought.
    pub typed_goal: Option<Seconds>,
    /// The kept scenarios beside the base, or why they cannot be compared.
    pub page: Option<Result<Arc<ScenarioPage>, String>>,
    /// The time over the marked numbers.
    pub contour: Option<Result<Arc<WhatIfAnswer>, String>>,
    pub(super) asked: Option<WhatIfFor>,
    /// The scenarios that the worker was asked for, and the numbers of a chart.
    pub(super) page_asked: Option<Vec<NamedChanges>>,
    pub(super) contour_asked: Option<[GpuNumber; 2]>,
}

impl WhatIfFindings {
    /// The name that is offered for the next scenario.
    #[must_use]
    pub fn next_name(&self) -> String {
        first_free_name(&self.kept)
    }

    /// What a launch of the kernel costs on the base, where the prediction uses another value than the GPU states.
    pub(super) fn own_launch_overhead(&self) -> Option<f64> {
        self.found.as_ref()?.base_launch_overhead.map(|time| time.0)
    }

    /// The answer, once it is found.
    #[must_use]
    pub fn answer(&self) -> Option<&Arc<WhatIfAnswer>> {
        self.found.as_ref().and_then(|found| found.answer.as_ref().ok())
    }
}
