//! What the worker is asked in the view: an application, a mix, or whatever of a kernel may outlast a frame. The time with its tornado, a
//! value that makes a time, the time over two numbers, scenarios side by side.

use super::findings::WhatIfFor;
use crate::answer::Settings;
use crate::application::{Application, ForecastSettings};
use crate::gpu::{ChangeError, GpuId, GpuNumber};
use crate::pair::Pair;
use crate::predict::Subject;
use crate::progress::Progress;
use crate::session::{Session, Sources};
use crate::tui::ranked::LoadedMix;
use crate::units::Seconds;
use crate::whatif::{
    ApplicationPair, ApplicationTimes, NamedChanges, ScenarioPage, Solution, WhatIf, WhatIfAnswer,
    WhatIfParts, moved_numbers,
};
use crate::workload::Workload;
use std::sync::Arc;

/// A workload on the edited GPU, and what is to be found of it.
#[derive(Debug, Clone)]
pub struct ChangedQuestion {
    pub(super) session: Arc<Session>,
    pub(super) workload: ChangedWorkload,
    /// Where it ran.
    pub(super) source: GpuId,
    /// Whose times kernels are predicted from.
    pub(super) sources: Sources,
    pub(super) asked: WhatIfFor,
    pub(super) wanted: ChangedWish,
}

/// What runs.
#[derive(Debug, Clone)]
pub(super) enum ChangedWorkload {
    /// A kernel at its size.
    Kernel(Box<Subject>, Settings),
    /// The kernels of a mix.
    Mix(Arc<LoadedMix>, Settings),
    /// An application.
    Application(Arc<Application>, ForecastSettings),
}

/// What is to be found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ChangedWish {
    /// The time with its tornado.
    Tornado,
    /// The value of a number that makes a time: that of the source, or the recorded one, where none is given.
    Solve(GpuNumber, Option<Seconds>),
    /// The time over two numbers.
    Contour([GpuNumber; 2]),
    /// These scenarios beside the base.
    Scenarios(Vec<NamedChanges>),
}

/// What was found.
#[derive(Debug, Clone)]
pub(super) enum ChangedFinding {
    /// The time with its tornado, and that on the base at its own clocks and limit, where others were typed for it.
    Tornado(Arc<WhatIfAnswer>, Option<Seconds>),
    /// A value, or that none does.
    Solution(Solution),
    /// The time over two numbers.
    Contour(Arc<WhatIfAnswer>),
    /// Scenarios beside the base.
    Page(Arc<ScenarioPage>),
}

/// The worker's answer to a [`ChangedQuestion`].
#[derive(Debug, Clone)]
pub struct ChangedAnswer {
    pub(super) asked: WhatIfFor,
    pub(super) wanted: ChangedWish,
    pub(super) found: Result<ChangedFinding, String>,
}

/// Forecasts that a value is sought with: two ends, forty halvings, the value itself.
const SOLVE_FORECASTS: usize = 43;

/// The time on this base at its own clocks and limit, where others were typed for it.
pub(super) fn stock_time(session: &Session, base: GpuId, asked: &mut WhatIf<'_>) -> Option<Seconds> {
    session.settings_of(base)?;
    asked.times_on(std::slice::from_ref(session.stock(base)))[0].time
}

impl ChangedQuestion {
    /// What is wanted, or why there is none; `None` once it is cancelled. Each GPU that is asked about is a step.
    #[must_use]
    pub fn answer_changed(&self, progress: &Progress) -> Option<ChangedAnswer> {
        let found = match &self.workload {
            ChangedWorkload::Application(application, settings) => {
                let (session, source, base) = (&*self.session, self.source, self.asked.edited.base);
                let pair = ApplicationPair { session, application, source, base, settings: *settings };
                let times = ApplicationTimes::new(&pair, progress, self.forecasts_expected());
                self.finding(&mut WhatIf::from_times(times))
            }
            ChangedWorkload::Kernel(subject, settings) => {
                let workload = Workload::of_kernel(&self.session, (**subject).clone());
                self.of_kernels(&self.session, &workload, *settings, progress)
            }
            ChangedWorkload::Mix(loaded, settings) => {
                // Typed kernels of a mix are known to this question alone.
                let mut session = (*self.session).clone();
                match loaded.mix.load_into(&mut session) {
                    Ok(workload) => self.of_kernels(&session, &workload, *settings, progress),
                    Err(why) => Err(why.to_string()),
                }
            }
        };
        if progress.is_cancelled() {
            return None;
        }
        Some(ChangedAnswer { asked: self.asked.clone(), wanted: self.wanted.clone(), found })
    }

    fn of_kernels(
        &self,
        session: &Session,
        workload: &Workload,
        settings: Settings,
        progress: &Progress,
    ) -> Result<ChangedFinding, String> {
        let pair = Pair::new(self.source, self.asked.edited.base);
        self.finding(
            &mut WhatIf::with_sources(session, workload, pair, self.sources.clone(), settings)
                .watched(progress),
        )
    }

    /// How many forecasts it takes, as far as that is known before.
    fn forecasts_expected(&self) -> usize {
        let of_tornado = || {
            2 + 2 * moved_numbers(&self.session.gpus[self.asked.edited.base], &self.asked.edited.changes)
                .len()
        };
        match &self.wanted {
            ChangedWish::Tornado => of_tornado(),
            ChangedWish::Solve(..) => SOLVE_FORECASTS,
            ChangedWish::Contour(_) => 0,
            ChangedWish::Scenarios(scenarios) => (1 + scenarios.len()) * of_tornado(),
        }
    }

    fn finding(&self, asked: &mut WhatIf<'_>) -> Result<ChangedFinding, String> {
        self.found_by(asked).map_err(|why| why.to_string())
    }

    fn found_by(&self, asked: &mut WhatIf<'_>) -> Result<ChangedFinding, ChangeError> {
        let changes = &self.asked.edited.changes;
        let mut answer = |parts: &WhatIfParts| asked.whole_answer(changes.clone(), parts).map(Arc::new);
        Ok(match &self.wanted {
            ChangedWish::Tornado => {
                let parts = WhatIfParts { tornado: true, ..WhatIfParts::default() };
                let answer = answer(&parts)?;
                ChangedFinding::Tornado(answer, stock_time(&self.session, self.asked.edited.base, asked))
            }
            ChangedWish::Contour(numbers) => {
                let parts = WhatIfParts { contour: Some(*numbers), ..WhatIfParts::default() };
                ChangedFinding::Contour(answer(&parts)?)
            }
            ChangedWish::Solve(number, goal) => {
                ChangedFinding::Solution(asked.solve(changes, *number, *goal)?)
            }
            ChangedWish::Scenarios(scenarios) => {
                ChangedFinding::Page(Arc::new(asked.scenario_page(scenarios)?))
            }
        })
    }
}
