//! An application, asked about changes of a GPU by the worker: its tornado, a value that makes a time, the time over two numbers,
//! scenarios side by side.

use super::application_times::{ApplicationPair, ApplicationTimes};
use super::findings::WhatIfFor;
use crate::application::{Application, ForecastSettings};
use crate::gpu::{ChangeError, GpuId, GpuNumber};
use crate::progress::Progress;
use crate::session::Session;
use crate::units::Seconds;
use crate::whatif::{NamedChanges, ScenarioPage, Solution, WhatIf, WhatIfAnswer, WhatIfParts, moved_numbers};
use std::sync::Arc;

/// An application on the edited GPU, and what is to be found of it.
#[derive(Debug, Clone)]
pub struct ApplicationQuestion {
    pub(super) session: Arc<Session>,
    pub(super) application: Arc<Application>,
    /// Where it ran.
    pub(super) source: GpuId,
    pub(super) settings: ForecastSettings,
    pub(super) asked: WhatIfFor,
    pub(super) wanted: ApplicationWish,
}

/// What is to be found of an application.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ApplicationWish {
    /// The time with its tornado.
    Tornado,
    /// The value of a number that makes a time: the recorded one where none is given.
    Solve(GpuNumber, Option<Seconds>),
    /// The time over two numbers.
    Contour([GpuNumber; 2]),
    /// These scenarios beside the base.
    Scenarios(Vec<NamedChanges>),
}

/// What was found of an application.
#[derive(Debug, Clone)]
pub(super) enum ApplicationFinding {
    /// The time with its tornado.
    Tornado(Arc<WhatIfAnswer>),
    /// A value, or that none does.
    Solution(Solution),
    /// The time over two numbers.
    Contour(Arc<WhatIfAnswer>),
    /// Scenarios beside the base.
    Page(Arc<ScenarioPage>),
}

/// The worker's answer to an [`ApplicationQuestion`].
#[derive(Debug, Clone)]
pub struct ApplicationAnswer {
    pub(super) asked: WhatIfFor,
    pub(super) wanted: ApplicationWish,
    pub(super) found: Result<ApplicationFinding, String>,
}

/// Forecasts that a value is sought with: two ends, forty halvings, the value itself.
const SOLVE_FORECASTS: usize = 43;

impl ApplicationQuestion {
    /// What is wanted, or why there is none; `None` once it is cancelled. Each forecast is a step.
    #[must_use]
    pub fn answer_application(&self, progress: &Progress) -> Option<ApplicationAnswer> {
        let Self { session, application, source, settings, asked, wanted } = self;
        let base = asked.edited.base;
        let pair = ApplicationPair { session, application, source: *source, base, settings: *settings };
        let times = ApplicationTimes::new(&pair, progress, self.forecasts_expected());
        let mut asked_application = WhatIf::from_times(times);
        let found = self.finding(&mut asked_application).map_err(|why| why.to_string());
        if progress.is_cancelled() {
            return None;
        }
        Some(ApplicationAnswer { asked: asked.clone(), wanted: wanted.clone(), found })
    }

    /// How many forecasts it takes, as far as that is known before.
    fn forecasts_expected(&self) -> usize {
        let of_tornado = || {
            2 + 2 * moved_numbers(&self.session.gpus[self.asked.edited.base], &self.asked.edited.changes)
                .len()
        };
        match &self.wanted {
            ApplicationWish::Tornado => of_tornado(),
            ApplicationWish::Solve(..) => SOLVE_FORECASTS,
            ApplicationWish::Contour(_) => 0,
            ApplicationWish::Scenarios(scenarios) => (1 + scenarios.len()) * of_tornado(),
        }
    }

    fn finding(&self, asked: &mut WhatIf<'_>) -> Result<ApplicationFinding, ChangeError> {
        let changes = &self.asked.edited.changes;
        let mut answer = |parts: &WhatIfParts| asked.whole_answer(changes.clone(), parts).map(Arc::new);
        Ok(match &self.wanted {
            ApplicationWish::Tornado => {
                let parts = WhatIfParts { tornado: true, ..WhatIfParts::default() };
                ApplicationFinding::Tornado(answer(&parts)?)
            }
            ApplicationWish::Contour(numbers) => {
                let parts = WhatIfParts { contour: Some(*numbers), ..WhatIfParts::default() };
                ApplicationFinding::Contour(answer(&parts)?)
            }
            ApplicationWish::Solve(number, goal) => {
                ApplicationFinding::Solution(asked.solve(changes, *number, *goal)?)
            }
            ApplicationWish::Scenarios(scenarios) => {
                ApplicationFinding::Page(Arc::new(asked.scenario_page(scenarios)?))
            }
        })
    }
}
