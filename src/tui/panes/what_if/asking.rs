//! What the view asks for when the question changes: of a kernel at once, of an application and for the time over two numbers on the
//! worker.

use super::application_question::{ApplicationAnswer, ApplicationQuestion};
use super::asked_kernel::{AskedKernel, ContourAnswer, ContourQuestion};
use super::findings::{AskedApplication, ContourFor, WhatIfFor, WhatIfForm, WhatIfFound};
use crate::gpu::GpuNumber;
use crate::session::EditedGpu;
use crate::tui::action::Action;
use crate::tui::jobs::WorkerJob;
use crate::tui::message::Effect;
use crate::tui::ranked::{BoardRows, RankedFor};
use crate::tui::state::DashboardState;
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
        if state.jobs.end_job(WorkerJob::WhatIf) {
            effects.push(Effect::Cancel(WorkerJob::WhatIf));
        }
        match application_question(state, &question) {
            Some(of_application) => {
                state.jobs.start_job(WorkerJob::WhatIf, "predicting the application on changed GPUs …");
                effects.push(Effect::WhatIfApplication(Box::new(of_application)));
            }
            None => state.what_if.found = Some(find_for_kernel(state, &question.edited)),
        }
    }
    if state.what_if.form == WhatIfForm::Scenarios && state.what_if.page.is_none() {
        state.what_if.page = Some(scenario_page(state));
    }
    effects.extend(ask_contour(state, question));
    effects
}

/// The loaded application on the edited GPU, where it is asked about.
fn application_question(state: &DashboardState, asked: &WhatIfFor) -> Option<ApplicationQuestion> {
    let application = state.application.application.clone().filter(|_| asked.application.is_some())?;
    Some(ApplicationQuestion {
        session: state.session.clone(),
        application,
        source: state.application.source.unwrap_or(state.selection.source),
        settings: state.application.settings,
        asked: asked.clone(),
    })
}

/// The worker's tornado of an application, unless another question was put meanwhile.
pub fn take_application_answer(state: &mut DashboardState, answer: ApplicationAnswer) {
    if state.what_if.asked.as_ref() == Some(&answer.asked) {
        state.jobs.end_job(WorkerJob::WhatIf);
        state.what_if.found = Some(WhatIfFound { answer: answer.found, launches: None });
    }
}

/// The kernel's time, its tornado and its launch.
fn find_for_kernel(state: &DashboardState, edited: &EditedGpu) -> WhatIfFound {
    let parts = WhatIfParts { tornado: true, ..WhatIfParts::default() };
    let answer = state.asked_kernel().whole_answer(edited, &parts).map(Arc::new);
    WhatIfFound { answer, launches: state.answer().launches(state.pair()[1]) }
}

/// The kept scenarios beside the base; where none is kept, the changes that are being edited.
fn scenario_page(state: &DashboardState) -> Result<Arc<ScenarioPage>, String> {
    if state.asked_application().is_some() {
        return Err(for_kernels_only(state, "scenarios are compared"));
    }
    let EditedGpu { base, changes } = state.edited_gpu();
    let mut scenarios = state.what_if.kept.clone();
    if scenarios.is_empty() {
        scenarios.push(NamedChanges { name: "not kept yet".into(), changes });
    }
    let page = state.asked_kernel().ask(base, |asked| asked.scenario_page(&scenarios));
    page.map(Arc::new).map_err(|e| e.to_string())
}

/// Why an application is not asked this.
pub(super) fn for_kernels_only(state: &DashboardState, what: &str) -> String {
    let key = state.key_for(Action::NextWorkload);
    format!("{what} for a kernel, not for an application: {key} goes back to it")
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
    state.what_if.contour_asked = Some(asked.clone());
    if asked.asked.application.is_some() {
        state.what_if.contour = Some(Err(for_kernels_only(state, "the time over two numbers is predicted")));
        return None;
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
