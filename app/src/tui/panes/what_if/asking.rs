//! What the view asks for when the question changes: the time of a kernel and its tornado at once; a mix, an application, scenarios and
//! the time over two numbers on the worker.

use super::asked_kernel::AskedKernel;
use super::findings::{AskedWorkload, WhatIfFor, WhatIfForm, WhatIfFound};
use super::worker_question::{
    ChangedAnswer, ChangedFinding, ChangedQuestion, ChangedWish, ChangedWorkload, stock_time,
};
use crate::gpu::GpuNumber;
use crate::session::EditedGpu;
use crate::tui::action::Action;
use crate::tui::asked_workload::AskedAbout;
use crate::tui::jobs::WorkerJob;
use crate::tui::message::Effect;
use crate::tui::ranked::{BoardRows, RankedFor};
use crate::tui::state::{DashboardState, Tone};
use crate::units::Seconds;
use crate::whatif::{NamedChanges, Solution, WhatIfParts};
use std::sync::Arc;

impl DashboardState {
    fn asked_kernel(&self) -> AskedKernel<'_> {
        let subject = &self.rows[self.selected];
        let (source, settings) = (self.selection.source, self.selection.settings);
        AskedKernel { session: &self.session, subject, source, sources: self.selection.sources(), settings }
    }

    /// The question that the view shows answered.
    pub(super) fn what_if_question(&self) -> WhatIfFor {
        let subject = &self.rows[self.selected];
        WhatIfFor {
            ranked: RankedFor::of_subject(&self.session, subject, &self.selection, BoardRows::Gpus, 0),
            edited: self.edited_gpu(),
            workload: self.asked_workload(),
        }
    }

    /// Whether what was found, or is looked for, is of the question that is put now.
    pub(super) fn is_what_if_asked(&self) -> bool {
        self.what_if.asked.as_ref() == Some(&self.what_if_question())
    }

    fn asked_workload(&self) -> AskedWorkload {
        match (self.asked_about(), self.asked_application(), &self.ranked.mix) {
            (AskedAbout::Mix, _, Some(mix)) => AskedWorkload::Mix(mix.name.clone(), self.ranked.changes),
            (_, Some(application), _) => AskedWorkload::Application(application),
            _ => AskedWorkload::Kernel,
        }
    }

    /// Asks the worker for the value of a number that makes a time of a mix or an application.
    ///
    /// # Errors
    /// Why it cannot be sought now.
    pub(super) fn ask_worker_goal(
        &mut self,
        number: GpuNumber,
        goal: Option<Seconds>,
    ) -> Result<Vec<Effect>, String> {
        if self.what_if.found.is_none() {
            return Err("the tornado is still being predicted; try again in a moment".into());
        }
        let question = worker_question(self, &self.what_if_question(), ChangedWish::Solve(number, goal));
        self.jobs.start_job(WorkerJob::WhatIf, "seeking the value on changed GPUs …");
        Ok(vec![Effect::WhatIfChanged(Box::new(question))])
    }

    /// The time on the source, which a number is to make where no time is typed: at the clocks that the source is set to.
    pub(super) fn source_goal(&self) -> Option<Seconds> {
        self.asked_kernel().ask(self.edited_gpu().base, |asked| asked.source_time())
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
        if question.workload == AskedWorkload::Kernel {
            state.what_if.found = Some(find_for_kernel(state, &question.edited));
        } else {
            effects.push(ask_worker(state, &question, ChangedWish::Tornado));
        }
    }
    if state.what_if.found.is_some() {
        effects.extend(ask_page(state, &question));
        effects.extend(ask_contour(state, &question));
    }
    effects
}

/// What runs, for the worker.
fn worker_question(state: &DashboardState, asked: &WhatIfFor, wanted: ChangedWish) -> ChangedQuestion {
    let found = &state.application;
    let settings = state.selection.settings;
    let kernel = || ChangedWorkload::Kernel(Box::new((*state.rows[state.selected]).clone()), settings);
    let (workload, source) = match (&asked.workload, &found.application, &state.ranked.mix) {
        (AskedWorkload::Application(_), Some(application), _) => {
            (ChangedWorkload::Application(application.clone(), found.settings), found.source)
        }
        (AskedWorkload::Mix(..), _, Some(mix)) => (ChangedWorkload::Mix(mix.clone(), settings), None),
        _ => (kernel(), None),
    };
    ChangedQuestion {
        session: state.session.clone(),
        workload,
        source: source.unwrap_or(state.selection.source),
        sources: state.selection.sources(),
        asked: asked.clone(),
        wanted,
    }
}

/// Asks the worker.
fn ask_worker(state: &mut DashboardState, asked: &WhatIfFor, wanted: ChangedWish) -> Effect {
    let text = match asked.workload {
        AskedWorkload::Kernel => "predicting on changed GPUs …",
        AskedWorkload::Mix(..) => "predicting the mix on changed GPUs …",
        AskedWorkload::Application(_) => "predicting the application on changed GPUs …",
    };
    let question = worker_question(state, asked, wanted);
    state.jobs.start_job(WorkerJob::WhatIf, text);
    Effect::WhatIfChanged(Box::new(question))
}

/// What the worker found, unless another question was put meanwhile.
pub fn take_changed_answer(state: &mut DashboardState, answer: ChangedAnswer) -> Vec<Effect> {
    let found = &mut state.what_if;
    let is_overtaken = match &answer.wanted {
        ChangedWish::Contour(numbers) => found.contour_asked.as_ref() != Some(numbers),
        ChangedWish::Scenarios(scenarios) => found.page_asked.as_ref() != Some(scenarios),
        ChangedWish::Tornado | ChangedWish::Solve(..) => false,
    };
    if found.asked.as_ref() != Some(&answer.asked) || is_overtaken {
        return Vec::new();
    }
    state.jobs.end_job(WorkerJob::WhatIf);
    match (answer.found, answer.wanted) {
        (Ok(ChangedFinding::Tornado(answer, stock_time)), _) => {
            let answer = Ok(answer);
            found.found =
                Some(WhatIfFound { answer, launches: None, base_launch_overhead: None, stock_time });
        }
        (Ok(ChangedFinding::Contour(answer)), _) => found.contour = Some(Ok(answer)),
        (Ok(ChangedFinding::Page(page)), _) => found.page = Some(Ok(page)),
        (Ok(ChangedFinding::Solution(solution)), ChangedWish::Solve(_, goal)) => {
            return show_solution(state, solution, goal);
        }
        (Ok(ChangedFinding::Solution(_)), _) => {}
        (Err(why), ChangedWish::Tornado) => {
            let answer = Err(why);
            found.found =
                Some(WhatIfFound { answer, launches: None, base_launch_overhead: None, stock_time: None });
        }
        (Err(why), ChangedWish::Contour(_)) => found.contour = Some(Err(why)),
        (Err(why), ChangedWish::Scenarios(_)) => found.page = Some(Err(why)),
        (Err(why), ChangedWish::Solve(..)) => return state.say(Tone::Refused, why),
    }
    Vec::new()
}

/// Says a value that was found, which is offered when one is typed next, or that none does.
pub(super) fn show_solution(
    state: &mut DashboardState,
    solution: Solution,
    typed_goal: Option<Seconds>,
) -> Vec<Effect> {
    let key = capitalised(state.key_for(Action::Pick));
    let effects = match &solution {
        Solution::Value { .. } => {
            state.say(Tone::Done, format!("{}; press {key} twice to set it", solution.in_words()))
        }
        Solution::None { .. } => state.say(Tone::Refused, solution.in_words()),
    };
    state.what_if.solution = Some(solution);
    state.what_if.typed_goal = typed_goal;
    effects
}

/// `Enter`, as sentences name a key.
fn capitalised(key: &str) -> String {
    let mut letters = key.chars();
    match letters.next() {
        Some(first) if key.len() > 1 => first.to_uppercase().chain(letters).collect(),
        _ => key.to_string(),
    }
}

/// Asks the worker for the scenarios, where they are on the screen and others than those that were asked for.
fn ask_page(state: &mut DashboardState, asked: &WhatIfFor) -> Option<Effect> {
    let scenarios = scenarios_shown(state);
    let is_asked = state.what_if.page_asked.as_ref() == Some(&scenarios);
    if state.what_if.form != WhatIfForm::Scenarios || is_asked {
        return None;
    }
    state.what_if.page_asked = Some(scenarios.clone());
    state.what_if.page = None;
    Some(ask_worker(state, asked, ChangedWish::Scenarios(scenarios)))
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
    let [base_launch_overhead, stock_time] = state.asked_kernel().ask(edited.base, |asked| {
        [asked.base_launch_overhead(), stock_time(&state.session, edited.base, asked)]
    });
    let launches = state.answer().launches(state.pair().target);
    WhatIfFound { answer, launches, base_launch_overhead, stock_time }
}

/// Asks the worker for the time over the marked numbers, where it is on the screen and answers another question.
fn ask_contour(state: &mut DashboardState, asked: &WhatIfFor) -> Option<Effect> {
    let [across, up] = state.what_if.marked[..] else { return None };
    let numbers = [across, up];
    if state.what_if.form != WhatIfForm::Contour || state.what_if.contour_asked == Some(numbers) {
        return None;
    }
    state.what_if.contour_asked = Some(numbers);
    state.what_if.contour = None;
    Some(ask_worker(state, asked, ChangedWish::Contour(numbers)))
}
