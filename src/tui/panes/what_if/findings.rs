//! What the view knows beside the edited GPU, which is part of what is asked everywhere: where the cursor stands, what was found.

use super::scenario_names::first_free_name;
use crate::answer::LaunchOnGpu;
use crate::application::{ForecastSettings, PartOfTrace};
use crate::gpu::GpuNumber;
use crate::session::EditedGpu;
use crate::tui::ranked::RankedFor;
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

/// What the view asks about: the selected kernel, or what is loaded beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhatIfWorkload {
    /// The selected kernel.
    #[default]
    Kernel,
    /// The mix, where one is loaded.
    Mix,
    /// The application, where one is loaded.
    Application,
}

/// Which application is asked about, and how.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AskedApplication {
    /// The file of its trace.
    pub(super) file: String,
    pub(super) part: PartOfTrace,
    /// How many kernels were launched in the part of it.
    pub(super) launches: u64,
    pub(super) settings: ForecastSettings,
}

/// What is found for one question.
#[derive(Debug, Clone)]
pub struct WhatIfFound {
    /// The time with its tornado, or why there is none.
    pub answer: Result<Arc<WhatIfAnswer>, String>,
    /// The launch on the edited GPU as it is, and as it is changed where it is; nothing where the threads per block are unknown.
    pub launches: Option<Vec<LaunchOnGpu>>,
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
    /// What is asked about; where it is not loaded any more, the kernel.
    pub workload: WhatIfWorkload,
    /// What was found for the question of `asked`; nothing while the worker looks for it.
    pub found: Option<WhatIfFound>,
    /// The value that was sought last, while the question stays the same.
    pub solution: Option<Solution>,
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

    /// The answer, once it is found.
    #[must_use]
    pub fn answer(&self) -> Option<&Arc<WhatIfAnswer>> {
        self.found.as_ref().and_then(|found| found.answer.as_ref().ok())
    }
}
