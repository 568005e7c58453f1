//! A whole answer at once: for the command, the screen and the page, so that they say the same.

use super::changed_times::NotedTime;
use super::question::WhatIf;
use super::scenario::{MOST_SCENARIOS, Scenario, ScenarioPage};
use super::table::WhatIfAnswer;
use super::tornado::TornadoGpus;
use crate::gpu::{ChangeError, GpuChanges, GpuNumber};
use crate::units::Seconds;

/// What is to be found beside the time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WhatIfParts {
    /// Whether every number is moved by a fifth.
    pub tornado: bool,
    /// The number whose value is sought.
    pub solve: Option<GpuNumber>,
    /// The numbers of a contour: across, up.
    pub contour: Option<[GpuNumber; 2]>,
    /// The time that is sought; the source's where none is given.
    pub goal: Option<Seconds>,
}

/// Changes under a name, to be shown beside others.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedChanges {
    /// The name.
    pub name: String,
    /// The changes.
    pub changes: GpuChanges,
}

/// More scenarios than stand side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} scenarios: at most {MOST_SCENARIOS} stand beside the base; leave some out")]
pub struct TooManyScenarios(pub usize);

impl WhatIf<'_> {
    /// The time with these changes, and what else is asked of them.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made, or a number that the base does not have.
    pub fn whole_answer(
        &mut self,
        changes: GpuChanges,
        parts: &WhatIfParts,
    ) -> Result<WhatIfAnswer, ChangeError> {
        let tornado = if parts.tornado { self.tornado(&changes)? } else { Vec::new() };
        let solution = parts.solve.map(|number| self.solve(&changes, number, parts.goal)).transpose()?;
        let steps = self.grid_steps();
        let contour =
            parts.contour.map(|numbers| self.contour(&changes, numbers, steps, parts.goal)).transpose()?;
        Ok(WhatIfAnswer { tornado, solution, contour, ..self.bare_answer(changes)? })
    }

    /// The time with these changes, and the tornado on GPUs that were made with them.
    ///
    /// # Errors
    /// As [`WhatIf::whole_answer`].
    pub fn answer_with_tornado(
        &mut self,
        changes: GpuChanges,
        moved: &TornadoGpus,
    ) -> Result<WhatIfAnswer, ChangeError> {
        let tornado = self.tornado_on(moved);
        Ok(WhatIfAnswer { tornado, ..self.bare_answer(changes)? })
    }

    /// The time alone.
    fn bare_answer(&mut self, changes: GpuChanges) -> Result<WhatIfAnswer, ChangeError> {
        let NotedTime { time: found, kind, power, refusal, mut cautions } = self.noted_time(&changes)?;
        cautions.extend(self.unused_launch_overhead(&changes));
        let on_base = self.noted_time_on_base();
        Ok(WhatIfAnswer {
            workload: self.workload_name().to_string(),
            base: self.base_id(),
            noted_base: self.base().id.clone(),
            base_name: self.base_name(),
            launch_changes: self.launch_changes(),
            model: self.model_id(),
            time: found.time,
            interval: found.interval,
            base_time: on_base.time.time,
            power,
            base_power: on_base.power,
            kind,
            base_kind: on_base.kind,
            refusal: on_base.refusal.or(refusal),
            cautions,
            changes,
            tornado: Vec::new(),
            solution: None,
            contour: None,
        })
    }

    /// That a changed launch overhead does nothing to a kernel under a CUDA graph, and what its launches cost.
    fn unused_launch_overhead(&self, changes: &GpuChanges) -> Option<String> {
        changes.get(GpuNumber::LaunchOverhead)?;
        let time = self.graph_launch()?;
        Some(format!("launch overhead not used: under a CUDA graph the model's own, {time}"))
    }

    /// The base and these scenarios side by side, each with its tornado. One that changes nothing is the base, and stands there once.
    ///
    /// # Errors
    /// [`ChangeError`] for changes that cannot be made.
    pub fn scenario_page(&mut self, scenarios: &[NamedChanges]) -> Result<ScenarioPage, ChangeError> {
        let parts = WhatIfParts { tornado: true, ..WhatIfParts::default() };
        let base = self.whole_answer(GpuChanges::default(), &parts)?;
        let mut all = vec![Scenario { name: base.base_name.clone(), answer: base }];
        for NamedChanges { name, changes } in scenarios.iter().filter(|named| !named.changes.is_empty()) {
            let answer = self.whole_answer(changes.clone(), &parts)?;
            all.push(Scenario { name: name.clone(), answer });
        }
        Ok(ScenarioPage { title: format!("What if: {}", self.workload_name()), scenarios: all })
    }
}

/// Refuses more scenarios than stand side by side.
///
/// # Errors
/// [`TooManyScenarios`].
pub fn check_scenario_count(count: usize) -> Result<(), TooManyScenarios> {
    if count > MOST_SCENARIOS { Err(TooManyScenarios(count)) } else { Ok(()) }
}
