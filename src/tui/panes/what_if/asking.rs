//! What the view asks for when the question changes: of a kernel at once, of an application and for the time over two numbers on the
//! worker.

use super::application_question::{
    ApplicationAnswer, ApplicationFinding, ApplicationQuestion, ApplicationWish,
};
use super::asked_kernel::{AskedKernel, ContourAnswer, ContourQuestion};
use super::findings::{AskedApplication, ContourFor, WhatIfFor, WhatIfForm, WhatIfFound};
use crate::gpu::GpuNumber;
use crate::session::EditedGpu;
use crate::tui::action::Action;
use crate::tui::jobs::WorkerJob;
use crate::tui::message::Effect;
use crate::tui::ranked::{BoardRows, RankedFor};
use crate::tui::state::{DashboardState, Tone};
use crate::units::Seconds;
use crate::whatif::{NamedChanges, ScenarioPage, Solution, WhatIfParts};
use std::sync::Arc;

impl DashboardState {
    fn asked_kernel(&self) -> AskedKernel<'_> {
        let subject = &self.rows[self.selected];
        let (source, settings) = (self.selection.source, self.selection.settings);
        AskedKernel { session: &self.session, subject, source, settings }
    }

    /// The question that the view shows answered.
    pub(super) fn what_if_question(&self) -> WhatIfFor {
        let subject = &self.rows[self.selected];
        WhatIfFor {
            ranked: RankedFor::of_subject(&self.session, subject, &self.selection, BoardRows::Gpus, 0),
            edited: self.edited_gpu(),
            application: self.asked_application(),
        }
    }

    /// The application that is asked about, where one is loaded and asked about.
    fn asked_application(&self) -> Option<AskedApplication> {
        let found = &self.application;
        let application = found.application.as_ref().filter(|_| self.what_if.of_application)?;
        let (file, launches) = (application.file.clone(), application.kernel_count);
        Some(AskedApplication { file, part: found.part.clone(), launches, settings: found.settings })
    }

    /// Asks the worker for the value of a number that makes a time of the application.
    ///
    /// # Errors
    /// Why it cannot be sought now.
    pub(super) fn ask_application_goal(
        &mut self,
        number: GpuNumber,
        goal: Option<Seconds>,
    ) -> Result<Vec<Effect>, String> {
        if self.what_if.found.is_none() {
            return Err("the tornado is still being predicted; try again in a moment".into());
        }
        let question = self.what_if_question();
        let wanted = ApplicationWish::Solve(number, goal);
        let asked = application_question(self, &question, wanted);
        let asked = asked.ok_or_else(|| "no application is loaded".to_string())?;
        self.jobs.start_job(WorkerJob::WhatIf, "seeking the value on changed GPUs …");
        Ok(vec![Effect::WhatIfApplication(Box::new(asked))])
    }

    /// Finds the value of a number that makes a time: the source's where none is given.
    ///
    /// # Errors
    /// Why it cannot be sought.
    pub(super) fn solve_number(&self, number: GpuNumber, goal: Option<Seconds>) -> Result<Solution, String> {
        let EditedGpu { base, changes } = self.edited_gpu();
        self.asked_kernel().ask(base, |asked| asked.solve(&changes, number, goal)).map_err(|e| e.to_string())
    }
}

/// Asks for what the view shows, where that answers another question than the one that is put now.
pub fn ask_what_if(state: &mut DashboardState) -> Vec<Effect> {
    let question = state.what_if_question();
    let mut effects = Vec::new();
    if state.what_if.asked.as_ref() != Some(&question) {
        state.what_if.asked = Some(question.clone());
        state.what_if.solution = None;
        state.what_if.page = None;
        state.what_if.found = None;
        // Nobody waits for what was asked before.
        state.what_if.contour_asked = None;
        state.what_if.page_asked = None;
        if state.jobs.end_job(WorkerJob::WhatIf) {
            effects.push(Effect::Cancel(WorkerJob::WhatIf));
        }
        match application_question(state, &question, ApplicationWish::Tornado) {
            Some(of_application) => {
                state.jobs.start_job(WorkerJob::WhatIf, "predicting the application on changed GPUs …");
                effects.push(Effect::WhatIfApplication(Box::new(of_application)));
            }
            None => state.what_if.found = Some(find_for_kernel(state, &question.edited)),
        }
    }
    if state.what_if.form == WhatIfForm::Scenarios && state.what_if.page.is_none() {
        match question.application {
            Some(_) => effects.extend(ask_application_page(state, &question)),
            None => state.what_if.page = Some(scenario_page(state)),
        }
    }
    effects.extend(ask_contour(state, question));
    effects
}

/// The loaded application on the edited GPU, where it is asked about.
fn application_question(
    state: &DashboardState,
    asked: &WhatIfFor,
    wanted: ApplicationWish,
) -> Option<ApplicationQuestion> {
    let application = state.application.application.clone().filter(|_| asked.application.is_some())?;
    Some(ApplicationQuestion {
        session: state.session.clone(),
        application,
        source: state.application.source.unwrap_or(state.selection.source),
        settings: state.application.settings,
        asked: asked.clone(),
        wanted,
    })
}

/// What the worker found of an application, unless another question was put meanwhile.
pub fn take_application_answer(state: &mut DashboardState, answer: ApplicationAnswer) -> Vec<Effect> {
    if state.what_if.asked.as_ref() != Some(&answer.asked) {
        return Vec::new();
    }
    state.jobs.end_job(WorkerJob::WhatIf);
    let found = &mut state.what_if;
    match (answer.found, answer.wanted) {
        (Ok(ApplicationFinding::Tornado(answer)), _) => {
            found.found = Some(WhatIfFound { answer: Ok(answer), launches: None });
        }
        (Ok(ApplicationFinding::Contour(answer)), _) => found.contour = Some(Ok(answer)),
        (Ok(ApplicationFinding::Page(page)), _) => found.page = Some(Ok(page)),
        (Ok(ApplicationFinding::Solution(solution)), _) => return show_solution(state, solution),
        (Err(why), ApplicationWish::Tornado) => {
            found.found = Some(WhatIfFound { answer: Err(why), launches: None });
        }
        (Err(why), ApplicationWish::Contour(_)) => found.contour = Some(Err(why)),
        (Err(why), ApplicationWish::Scenarios(_)) => found.page = Some(Err(why)),
        (Err(why), ApplicationWish::Solve(..)) => return state.say(Tone::Refused, why),
    }
    Vec::new()
}

/// Says a value that was found, which is offered when one is typed next, or that none does.
pub(super) fn show_solution(state: &mut DashboardState, solution: Solution) -> Vec<Effect> {
    let key = state.key_for(Action::Pick).to_string();
    let effects = match &solution {
        Solution::Value { .. } => {
            state.say(Tone::Done, format!("{}; {key} {key} sets it", solution.in_words()))
        }
        Solution::None { .. } => state.say(Tone::Refused, solution.in_words()),
    };
    state.what_if.solution = Some(solution);
    effects
}

/// Asks the worker for the scenarios of an application, once its tornado is found.
fn ask_application_page(state: &mut DashboardState, asked: &WhatIfFor) -> Option<Effect> {
    let scenarios = scenarios_shown(state);
    let wanted = (asked.clone(), scenarios.clone());
    if state.what_if.found.is_none() || state.what_if.page_asked.as_ref() == Some(&wanted) {
        return None;
    }
    let question = application_question(state, asked, ApplicationWish::Scenarios(scenarios))?;
    state.what_if.page_asked = Some(wanted);
    state.jobs.start_job(WorkerJob::WhatIf, "predicting the scenarios of the application …");
    Some(Effect::WhatIfApplication(Box::new(question)))
}

/// The kept scenarios; where none is kept, the changes that are being edited.
fn scenarios_shown(state: &DashboardState) -> Vec<NamedChanges> {
    if !state.what_if.kept.is_empty() {
        return state.what_if.kept.clone();
    }
    vec![NamedChanges { name: "not kept yet".into(), changes: state.edited_gpu().changes }]
}

/// The kernel's time, its tornado and its launch.
fn find_for_kernel(state: &DashboardState, edited: &EditedGpu) -> WhatIfFound {
    let parts = WhatIfParts { tornado: true, ..WhatIfParts::default() };
    let answer = state.asked_kernel().whole_answer(edited, &parts).map(Arc::new);
    WhatIfFound { answer, launches: state.answer().launches(state.pair().target) }
}

/// The kept scenarios beside the base; where none is kept, the changes that are being edited.
fn scenario_page(state: &DashboardState) -> Result<Arc<ScenarioPage>, String> {
    let EditedGpu { base, .. } = state.edited_gpu();
    let scenarios = scenarios_shown(state);
    let page = state.asked_kernel().ask(base, |asked| asked.scenario_page(&scenarios));
    page.map(Arc::new).map_err(|e| e.to_string())
}

/// The time over the marked numbers, where it is on the screen and answers another question.
fn ask_contour(state: &mut DashboardState, asked: WhatIfFor) -> Option<Effect> {
    let [across, up] = state.what_if.marked[..] else { return None };
    if state.what_if.form != WhatIfForm::Contour {
        return None;
    }
    let asked = ContourFor { asked, numbers: [across, up] };
    if state.what_if.contour_asked.as_ref() == Some(&asked) {
        return None;
    }
    let is_of_application = asked.asked.application.is_some();
    if is_of_application && state.what_if.found.is_none() {
        return None;
    }
    state.what_if.contour_asked = Some(asked.clone());
    state.what_if.contour = None;
    if is_of_application {
        let question = application_question(state, &asked.asked, ApplicationWish::Contour(asked.numbers))?;
        state.jobs.start_job(WorkerJob::WhatIf, "predicting the application over two numbers …");
        return Some(Effect::WhatIfApplication(Box::new(question)));
    }
    state.jobs.start_job(WorkerJob::WhatIf, "");
    Some(Effect::Contour(Box::new(ContourQuestion {
        session: state.session.clone(),
        subject: (*state.rows[state.selected]).clone(),
        source: state.selection.source,
        settings: state.selection.settings,
        asked,
    })))
}

/// The worker's time over two numbers, unless another question was put meanwhile.
pub fn take_contour(state: &mut DashboardState, answer: ContourAnswer) {
    if state.what_if.contour_asked.as_ref() == Some(&answer.asked) {
        state.jobs.end_job(WorkerJob::WhatIf);
        state.what_if.contour = Some(answer.found);
    }
}
