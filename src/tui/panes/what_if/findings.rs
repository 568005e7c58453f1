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
    /// The application, where it is asked about and not the selected kernel.
    pub(super) application: Option<AskedApplication>,
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

/// What the time over two numbers answers.
#[derive(Debug, Clone, PartialEq)]
pub struct ContourFor {
    pub(super) asked: WhatIfFor,
    pub(super) numbers: [GpuNumber; 2],
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
    /// Whether the application is asked about, where one is loaded.
    pub of_application: bool,
    /// What was found for the question of `asked`; nothing while the worker looks for it.
    pub found: Option<WhatIfFound>,
    /// The value that was sought last, while the question stays the same.
    pub solution: Option<Solution>,
    /// The kept scenarios beside the base, or why they cannot be compared.
    pub page: Option<Result<Arc<ScenarioPage>, String>>,
    /// The time over the marked numbers.
    pub contour: Option<Result<Arc<WhatIfAnswer>, String>>,
    pub(super) asked: Option<WhatIfFor>,
    /// The scenarios of an application that the worker was asked for.
    pub(super) page_asked: Option<(WhatIfFor, Vec<NamedChanges>)>,
    pub(super) contour_asked: Option<ContourFor>,
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
